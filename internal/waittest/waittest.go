// Package waittest lets tests wait for what nobody signals. Only tests import it.
package waittest

import (
	"context"
	"testing"
	"time"
)

// patience bounds each wait; nothing is expected to take so long.
const patience = 2 * time.Minute

// lookEvery is the pause between two looks.
const lookEvery = 5 * time.Millisecond

// Until repeats a look until it succeeds, and ends the test when that takes too
// long. what says, as a statement, what the look is for.
func Until(t testing.TB, what string, look func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !look() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
