package projector

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sync/semaphore"
)

// Hold runs work while this projector writes nothing: it waits until what is being
// stored or built is done, and lets the next begin when work returns. Messages wait in
// Kafka meanwhile. A copy of all tables that is made within Hold shows them as they were
// at one moment.
func (p *Projector) Hold(ctx context.Context, work func(context.Context) error) error {
	if err := p.writes.everybody.Acquire(ctx, math.MaxInt64); err != nil {
		return fmt.Errorf("wait for the projector to finish what it is writing: %w", err)
	}
	defer p.writes.everybody.Release(math.MaxInt64)
	return work(ctx)
}

// hold lets any number of writers work side by side, or one Hold alone. Who waits
// longest comes first, so that writers can't keep Hold waiting.
type hold struct{ everybody *semaphore.Weighted }

func newHold() hold { return hold{semaphore.NewWeighted(math.MaxInt64)} }

// wait returns once no Hold is under way.
func (h hold) wait(ctx context.Context) error {
	done, err := h.begin(ctx)
	if err == nil {
		done()
	}
	return err
}

// begin waits for a Hold to end; the writer calls done when it has written.
func (h hold) begin(ctx context.Context) (done func(), err error) {
	if err := h.everybody.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { h.everybody.Release(1) }, nil
}
