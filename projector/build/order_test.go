package build

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"cuota/sql"
)

// someProjections returns projections, of which some have the same number.
func someProjections(random *rand.Rand, count int) []sql.Projection {
	list := make([]sql.Projection, count)
	number := 0
	for i := range list {
		number += 5 * random.IntN(2)
		list[i].Name, list[i].Number = fmt.Sprint(i), number
	}
	return list
}

func TestProjectionsRunInTheOrderOfTheirNumbersWithinTheLimit(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		list := someProjections(random, 1+random.IntN(12))
		limit := 1 + random.Int64N(3)
		var mu sync.Mutex
		running, ended := int64(0), map[string]int{}
		err := inOrder(t.Context(), list, func() int64 {
			return limit
		}, func(_ context.Context, p sql.Projection) error {
			mu.Lock()
			defer mu.Unlock()
			if running++; running > limit {
				t.Errorf("%d projections at once, the limit is %d", running, limit)
			}
			for _, before := range list {
				if before.Number < p.Number && ended[before.Name] != 1 {
					t.Errorf("projection %s begins before %s has ended", p.Name, before.Name)
				}
			}
			mu.Unlock() // others may begin here
			mu.Lock()
			running--
			ended[p.Name]++
			return nil
		})
		if err != nil || len(ended) != len(list) {
			t.Fatalf("%d of %d projections have ended: %v", len(ended), len(list), err)
		}
	}
}

func TestAfterAProjectionThatFailsNoneBegins(t *testing.T) {
	t.Parallel()
	failure := errors.New("no table")
	list := make([]sql.Projection, 4)
	for i := range list {
		list[i].Name = fmt.Sprint(i)
	}
	list[3].Number = 5
	var mu sync.Mutex
	begun, ended := map[string]bool{}, map[string]bool{}
	firstBegins := make(chan struct{})
	err := inOrder(t.Context(), list, func() int64 { return 2 }, func(ctx context.Context, p sql.Projection) error {
		mu.Lock()
		begun[p.Name] = true
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			ended[p.Name] = true
		}()
		if p.Name == "1" {
			<-firstBegins
			return failure
		}
		close(firstBegins)
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
	err := inOrder(ctx, make([]sql.Projection, 2), func() int64 {
		return 2
	}, func(context.Context, sql.Projection) error {
		t.Error("a projection begins")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
