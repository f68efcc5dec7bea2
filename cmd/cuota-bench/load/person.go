package load

import (
	"context"
	"io"
	"sync"
	"time"

	"cuota/internal/loop"
)

// Person is a user of ClickHouse who runs trivial queries over HTTP. The fields may be read
// while no queries run.
type Person struct {
	Took   []time.Duration // how long each query took
	Failed int             // queries that were refused or failed
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
			p.Took = append(p.Took, time.Since(began))
			if err != nil {
				p.Failed++
			}
			_ = loop.Pause(ctx, probeInterval)
		}
	})
	return func() {
		cancel()
		asking.Wait()
	}
}
