package projector

import (
	"context"
	"sync"
	"time"

	"cuota/sql"
)

// noteEvery spaces the notes of progress. An insert for each projection would take a
// noticeable part of a small batch.
const noteEvery = time.Second

// progress is how far a batch is.
type progress struct {
	mu    sync.Mutex
	batch uint64
	done  int // projections
	of    int
	noted time.Time
}

// noteDone counts a projection that is done, and notes the count for commands that wait
// for the batch. The batch does not depend on the note.
func (p *Projector) noteDone(ctx context.Context, so *progress) {
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
	if err := p.insert(ctx, sql.Insert("batch_progress"), [][]any{row}); err != nil && ctx.Err() == nil {
		p.log.Warn().Err(err).Uint64("batch", so.batch).Msg("could not note how far the batch is")
	}
}
