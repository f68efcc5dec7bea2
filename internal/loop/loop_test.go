package loop_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cuota/internal/loop"
)

func TestStopWaitsForTheWorkAndThenItMayStartAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l loop.Loop
		if err := l.Stop(t.Context()); err != nil || l.Alive() != nil {
			t.Errorf("before the start: %v, %v", err, l.Alive())
		}
		for range 2 {
			var returned atomic.Bool
			work := func(ctx context.Context) {
				<-ctx.Done()
				time.Sleep(time.Hour)
				returned.Store(true)
			}
			if err := errors.Join(l.Start(work), l.Alive()); err != nil {
				t.Fatal(err)
			}
			if l.Start(work) == nil {
				t.Error("work was started twice")
			}
			impatient, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := l.Stop(impatient); !errors.Is(err, context.DeadlineExceeded) || returned.Load() {
				t.Errorf("an impatient stop gives %v, and the work has returned: %t", err, returned.Load())
			}
			if err := l.Stop(t.Context()); err != nil || !returned.Load() {
				t.Errorf("stop gives %v, and the work has returned: %t", err, returned.Load())
			}
			if l.Alive() == nil {
				t.Error("a stopped loop is alive")
			}
		}
	})
}

func TestWorkThatEndsByItselfIsNotAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l loop.Loop
		if err := l.Start(func(context.Context) {}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if l.Alive() == nil {
			t.Error("the work has returned, and the loop is alive")
		}
	})
}

func TestWorkIsRepeatedAtOnceAndAtIntervalsUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		times := 0
		loop.Every(ctx, time.Minute, func() { times++ })
		if times != 3 {
			t.Errorf("in two and a half minutes it was called %d times", times)
		}
	})
}

func TestALookEndsWithItsResultItsErrorOrThatOfTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		third := func() (bool, error) { looks++; return looks == 3, nil }
		if err := loop.Until(t.Context(), time.Minute, third); err != nil || looks != 3 {
			t.Errorf("%d looks: %v", looks, err)
		}
		failure := errors.New("failure")
		if err := loop.Until(t.Context(), time.Minute, func() (bool, error) {
			return false, failure
		}); !errors.Is(err, failure) {
			t.Errorf("a failed look gives %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := loop.Until(ctx, time.Minute, func() (bool, error) {
			return false, nil
		}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the end of the context gives %v", err)
		}
	})
}

// When a look takes longer than the interval and the context ends meanwhile, the next tick
// and the end of the context are there at once. Either may be chosen, so the test tries often.
func TestNoLookBeginsAfterTheContextEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			looks := 0
			err := loop.Until(ctx, time.Minute, func() (bool, error) {
				looks++
				time.Sleep(time.Hour)
				cancel()
				return false, nil
			})
			if !errors.Is(err, context.Canceled) || looks != 1 {
				t.Fatalf("%d looks: %v", looks, err)
			}
		}
	})
}
