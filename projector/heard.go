package projector

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/loop"
	"cuota/projector/write"
	"cuota/sql"
)

// DefaultCopiesWait is the default of Config.CopiesWait.
const DefaultCopiesWait = 20 * time.Second

// validFor is how long after Heard queries may be answered from the published batch. An announcement is in the log
// at the latest announceWithin after it was made, so everybody who may still answer CopiesWait after it was made has
// heard of it. What the two leave of CopiesWait is for clocks that differ.
func (p *Projector) validFor() time.Duration { return p.config.CopiesWait / 5 * 3 }

// announceWithin is how long it is tried to write an announcement, before one with a later moment is made. It is at
// least a second, also if a test has a short CopiesWait.
func (p *Projector) announceWithin() time.Duration { return max(p.config.CopiesWait/5, time.Second) }

// Heard states that everything that the topic of batches had at a moment is stored here. Queries are answered from a
// copy with a name only for some time after that, because another batch may be answered from elsewhere.
func (p *Projector) Heard(ctx context.Context, at time.Time) error {
	return p.stateHeard(ctx, at, p.validFor())
}

func (p *Projector) stateHeard(ctx context.Context, at time.Time, valid time.Duration) error {
	row := []any{p.config.Copy, at.UTC(), uint32(valid.Milliseconds())}
	if err := write.Rows(ctx, p.conn, sql.Insert("copy_heard"), [][]any{row}); err != nil {
		return fmt.Errorf("store until when this copy knows which batch is answered from: %w", err)
	}
	return nil
}

// awaitMoment waits until the published batch is answered from, so that at most one batch is published that is not.
func (p *Projector) awaitMoment(ctx context.Context) error {
	if p.config.Copy == "" {
		return nil
	}
	work, err := p.builder.Unprojected(ctx)
	if err != nil {
		return err
	}
	return loop.Pause(ctx, min(work.PublishedAt.Sub(p.now()), p.config.CopiesWait))
}
