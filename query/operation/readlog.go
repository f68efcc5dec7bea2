package operation

import (
	"context"
	"sync/atomic"

	"cuota/query/batch"
)

// readLog knows whether a request has read rows that were not followed by a check that the batch
// is still kept. Without a log, every check is made.
type readLog struct {
	ended   atomic.Int64 // reads that have ended
	covered atomic.Int64 // how many of them had ended when a successful check began
}

// read notes that a read has ended.
func (l *readLog) read() {
	if l != nil {
		l.ended.Add(1)
	}
}

// uncovered returns how many reads a check would cover that begins now, and 0 if one has covered them.
func (l *readLog) uncovered() int64 {
	if l == nil {
		return 1
	}
	if ended := l.ended.Load(); ended > l.covered.Load() {
		return ended
	}
	return 0
}

// cover notes a successful check of so many reads.
func (l *readLog) cover(reads int64) {
	for l != nil {
		if known := l.covered.Load(); known >= reads || l.covered.CompareAndSwap(known, reads) {
			return
		}
	}
}

// Logged returns the batch with a log of the reads of one request, so that it is only checked after such reads as Rows
// makes.
func (p Pinned) Logged() Pinned {
	p.reads = new(readLog)
	return p
}

// CheckReadable fails like batch.CheckReadable, unless a check came after the last read already. It
// asks again if a read of the same request ended while the last check ran.
func (p Pinned) CheckReadable(ctx context.Context) error {
	reads := p.reads.uncovered()
	if reads == 0 {
		return nil
	}
	if err := batch.CheckReadable(ctx, p.Reader, p.Batch); err != nil {
		return err
	}
	p.reads.cover(reads)
	return nil
}
