package load

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"
)

// Person is a user of ClickHouse who runs trivial queries over HTTP.
type Person struct {
	mu     sync.Mutex
	took   []time.Duration
	failed int
}

// probeInterval is the pause between two queries.
const probeInterval = 50 * time.Millisecond

// Ask runs queries, each on a new connection, until stop is called or ctx ends. door is
// the engine's host and port.
func (p *Person) Ask(ctx context.Context, door string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			err := askDoor(ctx, door, "SELECT 1", io.Discard)
			if ctx.Err() != nil {
				return
			}
			p.mu.Lock()
			p.took = append(p.took, time.Since(began))
			if err != nil {
				p.failed++
			}
			p.mu.Unlock()
			select {
			case <-time.After(probeInterval):
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		asking.Wait()
	}
}

// Answers returns how long the queries took, in ascending order, and how many failed.
func (p *Person) Answers() (sorted []time.Duration, failed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(slices.Values(p.took)), p.failed
}
