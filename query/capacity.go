package query

import (
	"context"
	"net/http"
	"sync/atomic"
)

// capacity bounds the requests that ask ClickHouse. A few ask at once, some more wait for
// their turn, and all others are refused before anything is done for them: so those that
// are let in keep their time however many come. Replies that clients have not taken yet
// are bounded too, because they are in memory as long. Replies from memory need no place.
type capacity struct {
	turns  chan struct{} // holds a token for each request that asks ClickHouse now
	line   int64         // most requests that ask or wait for their turn
	most   int64         // most of those and of requests whose reply is being sent
	inLine atomic.Int64
	held   atomic.Int64
}

// newCapacity lets so many ask at once, as many more wait, and as many more be sent their
// replies.
func newCapacity(atOnce, waiting, sending int) *capacity {
	line := int64(atOnce) + int64(waiting)
	return &capacity{turns: make(chan struct{}, atOnce), line: line, most: line + int64(sending)}
}

// enter takes a place in the line, or refuses at once. asked gives it back once
// ClickHouse was asked; the request holds its reply until leave.
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

func (c *capacity) asked() { c.inLine.Add(-1) }

func (c *capacity) leave() { c.held.Add(-1) }

func overloaded() error {
	return &problem{status: http.StatusServiceUnavailable, code: "overloaded", retryAfter: retrySoon,
		detail: "More is asked than can be answered right now. Try again in a few seconds."}
}

// turn waits until fewer than the most ask ClickHouse. end gives the turn back.
func (c *capacity) turn(ctx context.Context) (end func(), err error) {
	select {
	case c.turns <- struct{}{}:
		return func() { <-c.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// do runs a read of ClickHouse after which no reply is held.
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
