package httpapi

import (
	"context"
	"net/http"
	"sync/atomic"
)

// capacity limits the requests whose replies must be made. A few run at once, some more wait for a
// turn, and all others are refused before any work is done for them. So an accepted request
// takes the same time however many arrive. Long replies that are still being sent are limited
// too, wherever they come from, because they stay in memory until then. Short replies from
// memory or from the cache need no place.
type capacity struct {
	turns  chan struct{} // one token for each reply that is being made now
	line   int64         // limit of requests whose replies are being made or wait for their turn
	most   int64         // limit of those and of requests whose reply is being sent, together
	inLine atomic.Int64
	held   atomic.Int64
}

// newCapacity allows atOnce replies to be made, waiting more requests to wait for a turn,
// and sending more to be sent their replies.
func newCapacity(atOnce, waiting, sending int) *capacity {
	line := int64(atOnce) + int64(waiting)
	return &capacity{turns: make(chan struct{}, atOnce), line: line, most: line + int64(sending)}
}

// enter takes a place, or fails with 503 at once if there is none. The request calls asked
// when its reply is made, and leave when it is sent or compressed.
func (c *capacity) enter() error {
	if c.held.Add(1) > c.most {
		c.held.Add(-1)
		return overloaded()
	}
	if c.inLine.Add(1) > c.line {
		c.inLine.Add(-1)
		c.held.Add(-1)
		return overloaded()
	}
	return nil
}

// hold takes a place for a reply that need not be made, if it has streamFrom bytes or more and
// no place yet. It fails with 503 at once if there is none, and releases the reply then.
func (c *capacity) hold(out *Reply) error {
	if out.place != nil || out.making == nil && len(out.Body) < streamFrom {
		return nil
	}
	out.place = c
	if c.held.Add(1) > c.most {
		out.release()
		return overloaded()
	}
	return nil
}

func (c *capacity) asked() { c.inLine.Add(-1) }

func (c *capacity) leave() { c.held.Add(-1) }

func overloaded() error {
	return &Problem{Status: http.StatusServiceUnavailable, Code: "overloaded", RetryAfter: RetrySoon,
		Detail: "More is asked than can be answered right now. Try again in a few seconds."}
}

// turn waits until a token is free, and returns the function that gives it back. It returns
// ctx.Err() if the context ends first.
func (c *capacity) turn(ctx context.Context) (end func(), err error) {
	select {
	case c.turns <- struct{}{}:
		return func() { <-c.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// do runs a read that leaves no reply to be sent.
func (c *capacity) do(ctx context.Context, ask func() error) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave()
	defer c.asked()
	end, err := c.turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	return ask()
}
