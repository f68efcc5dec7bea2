package exit

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/rs/zerolog"
)

func TestARoleThatIsAskedToEndWhileItStartsHasNotFailed(t *testing.T) {
	broken := errors.New("no space left on device")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	canceled := fmt.Errorf("inspect the tables: %w", ended.Err())
	for name, end := range map[string]struct {
		ctx  context.Context
		err  error
		want error
	}{
		"told to end while it inspects":           {ended, canceled, nil},
		"and everything that it stops ends too":   {ended, errors.Join(canceled, canceled), nil},
		"a failure is told even then":             {ended, errors.Join(canceled, broken), broken},
		"nobody told it to end":                   {t.Context(), canceled, canceled},
		"it failed":                               {t.Context(), broken, broken},
		"it ended after it had started, in order": {ended, nil, nil},
	} {
		if got := OfRole(end.ctx, func() zerolog.Logger {
			return zerolog.Nop()
		}, end.err); !errors.Is(got, end.want) || (got == nil) != (end.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, end.want)
		}
	}
}

func TestCopiesThatDifferEndWithAStatusOfTheirOwn(t *testing.T) {
	if got := Status(fmt.Errorf("%w in 1 of 33 tables", ErrDiffering)); got != 5 {
		t.Errorf("status %d, want 5", got)
	}
}
