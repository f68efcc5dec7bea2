package build

import (
	"context"
	"sync"
	"time"

	"cuota/projector/write"
	"cuota/sql"
)

// noteEvery is the least time between two notes of the progress. A note for each projection
// would take a noticeable part of a small batch.
const noteEvery = time.Second

// progress counts the projections of a batch that are done.
type progress struct {
	mu    sync.Mutex
	batch uint64
	done  int // projections
	of    int
	noted time.Time
}

// noteDone counts one more projection. At most once in noteEvery it stores the count, for
// commands that wait for the batch. If that fails, the batch goes on.
func (b *Builder) noteDone(ctx context.Context, so *progress) {
	so.mu.Lock()
	so.done++
	done, due := so.done, so.done == 1 || time.Since(so.noted) >= noteEvery
	if due {
		so.noted = time.Now()
	}
	so.mu.Unlock()
	if !due {
		return
	}
	row := []any{so.batch, uint16(done), uint16(so.of)}
	if err := write.Rows(ctx, b.conn, sql.Insert("batch_progress"), [][]any{row}); err != nil && ctx.Err() == nil {
		b.log.Warn().Err(err).Uint64("batch", so.batch).Msg("could not record the progress of the batch")
	}
}
