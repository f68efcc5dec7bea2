package query

import (
	"context"
	"sync/atomic"

	"cuota/query/batch"
)

// readLog knows whether a request has read rows that were not followed by a check that the batch
// is still kept.
type readLog struct {
	finished atomic.Int64 // reads that have ended
	checked  atomic.Int64 // how many of them had ended when a successful check began
}

// read notes that a read has ended.
func (l *readLog) read() {
	if l != nil {
		l.finished.Add(1)
	}
}

// checkReadable fails like batch.CheckReadable, unless a check came after the last read already. It
// asks again if a read of the same request ended while the last check ran.
func (p pinned) checkReadable(ctx context.Context) error {
	finished := int64(0)
	if p.reads != nil {
		if finished = p.reads.finished.Load(); finished == p.reads.checked.Load() {
			return nil
		}
	}
	if err := batch.CheckReadable(ctx, p.reader, p.batch); err != nil {
		return err
	}
	for p.reads != nil {
		known := p.reads.checked.Load()
		if known >= finished || p.reads.checked.CompareAndSwap(known, finished) {
			break
		}
	}
	return nil
}
