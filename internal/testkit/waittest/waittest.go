// Package waittest lets tests wait for a condition by checking it repeatedly. Only tests import
// it.
package waittest

import (
	"context"
	"testing"
	"time"
)

// patience is the time after which a wait fails the test. No wait is expected to take that
// long.
const patience = 5 * time.Minute

// lookEvery is the time between two checks of a condition.
const lookEvery = 5 * time.Millisecond

// Until calls look until it returns true, and fails the test if that takes too long. what
// describes the condition in the failure.
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
