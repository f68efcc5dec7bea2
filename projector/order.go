package projector

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
)

// step is one projection of a batch. after lists the indexes of the steps that must end
// before it begins, all of which are earlier in the list.
type step struct {
	sql.Projection
	after []int
}

// Order is the order in which projections run. The zero value asks ClickHouse for it when
// it is first needed, and keeps the answer.
type Order struct {
	mu    sync.Mutex
	steps []step
}

// ask returns the steps of a batch. It fails as accessOf and orderOf do, and asks again the
// next time.
func (o *Order) ask(ctx context.Context, conn driver.Conn) ([]step, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.steps != nil {
		return o.steps, nil
	}
	list, err := sql.Projections()
	if err != nil {
		return nil, err
	}
	touched, err := accessOf(ctx, conn, list)
	if err != nil {
		return nil, err
	}
	o.steps, err = orderOf(list, touched)
	return o.steps, err
}

// orderOf puts projections into an order in which each comes after those that write what it
// reads, unless its header says that it comes before them. Projections that only insert into the same table may run at once,
// because neither sees the rows of the other. So steps that run at the same time give the
// same result as one after the other, and the order of the list does not matter. It fails
// if projections wait for each other.
func orderOf(list []sql.Projection, touched []access) ([]step, error) {
	waits := func(i, j int) bool {
		for table := range touched[j].writes {
			if touched[i].reads[table] && !touched[i].before[table] {
				return true
			}
		}
		for table := range touched[i].writes {
			if touched[j].before[table] {
				return true
			}
		}
		return false
	}
	steps := make([]step, 0, len(list))
	place := map[int]int{} // in steps, by index in list
	for len(steps) < len(list) {
		before := len(steps)
		for i := range list {
			if _, placed := place[i]; placed {
				continue
			}
			next, ready := step{Projection: list[i]}, true
			for j := range list {
				if i == j || !waits(i, j) {
					continue
				}
				at, placed := place[j]
				ready = ready && placed
				next.after = append(next.after, at)
			}
			if ready {
				place[i] = len(steps)
				steps = append(steps, next)
			}
		}
		if len(steps) == before {
			return nil, fmt.Errorf("projections wait for each other: %s. If one of them does not need the rows of this batch in a table that it reads, state in its header -- before: table", circle(list, place, waits))
		}
	}
	return steps, nil
}

// circle names projections of which each waits for the next one, and the last one for the
// first. It looks among those without a place, each of which waits for another one of them.
func circle(list []sql.Projection, place map[int]int, waits func(i, j int) bool) string {
	next := func(i int) int {
		for j := range list {
			if _, placed := place[j]; !placed && j != i && waits(i, j) {
				return j
			}
		}
		return i
	}
	at := 0
	for _, placed := place[at]; placed; _, placed = place[at] {
		at++
	}
	for range list {
		at = next(at) // ends up inside a circle
	}
	names := []string{list[at].Name}
	for j := next(at); j != at; j = next(j) {
		names = append(names, list[j].Name)
	}
	return strings.Join(names, ", ")
}

// sideBySide is how many statements of a batch run at once. Most of the time of a daily
// batch is spent planning them, which uses one processor for each.
const sideBySide = 2

// inOrder runs every step as soon as the steps in its after have ended. limit gives how
// many may run at once. After an error it begins no step, waits for the running ones, and
// returns the first error.
func inOrder(ctx context.Context, list []step, limit func() int64, run func(context.Context, step) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type end struct {
		place int
		err   error
	}
	ends := make(chan end)
	begun, ended := make([]bool, len(list)), make([]bool, len(list))
	running := int64(0)
	for {
		for place, s := range list {
			if running >= limit() || ctx.Err() != nil {
				break
			}
			if begun[place] || slices.ContainsFunc(s.after, func(before int) bool { return !ended[before] }) {
				continue
			}
			begun[place] = true
			running++
			go func() { ends <- end{place, run(ctx, s)} }()
		}
		if running == 0 {
			return context.Cause(ctx)
		}
		e := <-ends
		running--
		ended[e.place] = true
		if e.err != nil {
			cancel(e.err)
		}
	}
}
