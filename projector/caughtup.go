package projector

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/loop"
	"cuota/projector/build"
	"cuota/projector/write"
	"cuota/sql"
)

// DefaultCopiesWait is the default of Config.CopiesWait.
const DefaultCopiesWait = 20 * time.Second

// validFor is how long after CaughtUp a server may answer. An announcement is in the log within announceWithin. The sum
// is less than CopiesWait, so every server that may still answer at the moment has read of it. The rest of CopiesWait
// is for clocks that differ and for the looks of query servers.
func (p *Projector) validFor() time.Duration { return p.config.CopiesWait / 5 * 3 }

// announceWithin is how long it is tried to write an announcement, before one with a later moment is made. It is at
// least a second, also if a test has a short CopiesWait.
func (p *Projector) announceWithin() time.Duration { return max(p.config.CopiesWait/5, time.Second) }

// CaughtUp states that everything that the topic of batches had at a time is stored here. Servers answer from a copy
// with a name only for some time after that, because other copies may answer from a newer batch.
func (p *Projector) CaughtUp(ctx context.Context, at time.Time) error {
	row := []any{p.config.Copy, at.UTC(), uint32(p.validFor().Milliseconds())}
	if err := write.Rows(ctx, p.conn, sql.Insert("copy_progress"), [][]any{row}); err != nil {
		return fmt.Errorf("store up to when this copy has read the topic of batches: %w", err)
	}
	return nil
}

// beginProgress states whether there are other copies.
func (p *Projector) beginProgress(ctx context.Context) error {
	values := clickhouse.Parameters{"copy": p.config.Copy, "now": p.now().UTC().Format(build.InstantLayout)}
	if err := p.conn.Exec(sql.WithParameters(ctx, values), sql.Query("begin_progress")); err != nil {
		return fmt.Errorf("store whether there are other copies: %w", err)
	}
	return nil
}

// awaitMoment waits until the last moment that was announced, so that batches rarely wait for their moments together.
func (p *Projector) awaitMoment(ctx context.Context) error {
	if p.config.Copy == "" {
		return nil
	}
	var last time.Time
	if err := p.conn.QueryRow(ctx, sql.Query("last_moment")).Scan(&last); err != nil {
		return fmt.Errorf("query the last moment that was announced: %w", err)
	}
	return loop.Pause(ctx, min(last.Sub(p.now()), p.config.CopiesWait))
}
