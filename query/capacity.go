package query

import (
	"context"
	"net/http"
	"sync/atomic"
)

// capacity bounds what requests ask of ClickHouse. A few ask at once, some more wait
// for their turn, and all others are refused before anything is done for them: so those
// that are let in keep their time however many come. Replies from memory need no place.
type capacity struct {
	turns chan struct{} // holds one of each that asks ClickHouse now
	most  int64         // requests with a place
	held  atomic.Int64
}

// newCapacity lets so many ask at once, and as many more wait.
func newCapacity(atOnce, waiting int) *capacity {
	return &capacity{turns: make(chan struct{}, atOnce), most: int64(atOnce) + int64(waiting)}
}

// enter takes a place, or refuses at once. The place is kept until leave: also while a
// reply is sent, because its bytes are in memory for as long as the client takes.
func (c *capacity) enter() error {
	if c.held.Add(1) > c.most {
		c.held.Add(-1)
		return &problem{status: http.StatusServiceUnavailable, code: "overloaded", retryAfter: retrySoon,
			detail: "More is asked than can be answered right now. Try again in a few seconds."}
	}
	return nil
}

func (c *capacity) leave() { c.held.Add(-1) }

// turn waits until fewer than the most ask ClickHouse. end gives the turn back.
func (c *capacity) turn(ctx context.Context) (end func(), err error) {
	select {
	case c.turns <- struct{}{}:
		return func() { <-c.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// do runs what asks ClickHouse once and keeps nothing.
func (c *capacity) do(ctx context.Context, ask func() error) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	end, err := c.turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	return ask()
}
