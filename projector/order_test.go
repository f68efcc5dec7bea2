package projector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// someSteps gives steps, each of which waits for some earlier steps.
func someSteps(random *rand.Rand, count int) []step {
	list := make([]step, count)
	for i := range list {
		list[i].Name = fmt.Sprint(i)
		for before := range i {
			if random.IntN(4) == 0 {
				list[i].after = append(list[i].after, before)
			}
		}
	}
	return list
}

func TestEveryStepRunsOnceAfterThoseThatItWaitsForAndNoMoreAtOnceThanTheLimit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		list := someSteps(random, 1+random.IntN(12))
		limit := 1 + random.Int64N(3)
		var mu sync.Mutex
		running, ended := int64(0), map[string]int{}
		err := inOrder(t.Context(), list, func() int64 { return limit }, func(_ context.Context, s step) error {
			mu.Lock()
			defer mu.Unlock()
			if running++; running > limit {
				t.Errorf("%d steps at once, the limit is %d", running, limit)
			}
			for _, before := range s.after {
				if ended[list[before].Name] != 1 {
					t.Errorf("step %s begins before %s has ended", s.Name, list[before].Name)
				}
			}
			mu.Unlock() // other steps may begin here
			mu.Lock()
			running--
			ended[s.Name]++
			return nil
		})
		if err != nil || len(ended) != len(list) {
			t.Fatalf("%d of %d steps have ended: %v", len(ended), len(list), err)
		}
	}
}

func TestAfterAStepThatFailsNoneBeginsAndItsErrorIsGivenWhenAllHaveEnded(t *testing.T) {
	t.Parallel()
	failure := errors.New("no table")
	list := make([]step, 4)
	list[3].after = []int{1}
	for i := range list {
		list[i].Name = fmt.Sprint(i)
	}
	var mu sync.Mutex
	begun, ended := map[string]bool{}, map[string]bool{}
	err := inOrder(t.Context(), list, func() int64 { return 2 }, func(ctx context.Context, s step) error {
		mu.Lock()
		begun[s.Name] = true
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			ended[s.Name] = true
		}()
		if s.Name == "1" {
			return failure
		}
		<-ctx.Done() // like a statement that is cancelled
		return ctx.Err()
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v, want %v", err, failure)
	}
	if len(begun) != 2 || len(ended) != 2 {
		t.Errorf("begun are %v and ended %v, want the first two", begun, ended)
	}
}

func TestNothingBeginsInAContextThatIsOver(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := inOrder(ctx, make([]step, 2), func() int64 { return 2 }, func(context.Context, step) error {
		t.Error("a step begins")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
