package projector

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/semaphore"
)

// Hold runs work while this projector writes nothing. It waits until the current writes and
// builds have ended, and lets the next ones begin when work returns. Meanwhile messages
// wait in Kafka. A copy of all tables that work makes is consistent: it shows them at one
// moment. It fails if ctx ends before the writes have, and with the error of work.
func (p *Projector) Hold(ctx context.Context, work func(context.Context) error) error {
	if err := p.writes.everybody.Acquire(ctx, math.MaxInt64); err != nil {
		return fmt.Errorf("wait for the projector to finish its writes: %w", err)
	}
	defer p.writes.everybody.Release(math.MaxInt64)
	return work(ctx)
}

// hold allows either any number of writers at once or one Hold alone. It is fair: the one
// that has waited longest comes first, so writers can't keep a Hold waiting.
type hold struct{ everybody *semaphore.Weighted }

func newHold() hold { return hold{semaphore.NewWeighted(math.MaxInt64)} }

// wait returns when no Hold is running.
func (h hold) wait(ctx context.Context) error {
	done, err := h.begin(ctx)
	if err == nil {
		done()
	}
	return err
}

// begin waits until no Hold is running. The writer calls done after it has written.
func (h hold) begin(ctx context.Context) (done func(), err error) {
	if err := h.everybody.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { h.everybody.Release(1) }, nil
}
