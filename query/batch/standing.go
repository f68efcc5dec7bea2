package batch

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/loop"
)

// standing is what the copy from which this server reads knows of the others. All servers begin to answer from a batch
// at one moment, which is announced before, so that a client who asks several servers never sees an older batch after
// a newer one. A server whose copy does not know what was announced, or has not built it, answers nothing.
type standing struct {
	HeardAt time.Time   `ch:"heard_at"` // the copy knows what was announced by then
	ValidMS uint32      `ch:"valid_ms"` // how long after HeardAt a server may answer; 0: always, there is one copy
	Plans   []uint64    `ch:"plans"`    // the last ones that were announced
	Moments []time.Time `ch:"moments"`  // of each: from when on its batch is answered from
}

// alone reports whether there is only one copy. Then a batch is answered from as soon as it was read.
func (s *standing) alone() bool { return s == nil || s.ValidMS == 0 }

// check fails with ErrBehind if another server may answer from a newer batch than b at a moment.
func (s *standing) check(b *Batch, now time.Time) error {
	if s.alone() {
		return nil
	}
	if age := now.Sub(s.HeardAt); age > time.Duration(s.ValidMS)*time.Millisecond {
		return fmt.Errorf("%w: the projector of this copy has not read the log to its end for %s", ErrBehind,
			age.Round(time.Second))
	}
	for i, plan := range s.Plans {
		if b.Plan < plan && !now.Before(s.Moments[i]) {
			return fmt.Errorf("%w: it is of plan %d, and this copy has plan %d", ErrBehind, plan, b.Plan)
		}
	}
	return nil
}

// clocksDiffer is how much the clocks of two servers may differ, so that one does not answer from the batch before
// after the other has answered from a batch.
const clocksDiffer = 100 * time.Millisecond

// turning returns how long to wait until every server answers from the same batch; 0 or less: all do now.
func (s *standing) turning(now time.Time) (wait time.Duration) {
	if s.alone() {
		return 0
	}
	for _, moment := range s.Moments {
		if left := moment.Sub(now) + clocksDiffer; left > 0 && left < 2*clocksDiffer {
			wait = max(wait, left)
		}
	}
	return wait
}

// Answering returns the batch that is answered from now. Around the moment at which servers begin to answer from
// another one, it waits up to 200 ms. It fails with ErrNone or ErrBehind.
func (f *Follower) Answering(ctx context.Context) (*Batch, error) {
	if f.current.Load() == nil {
		return nil, ErrNone
	}
	if stands := f.stands.Load(); !stands.alone() {
		if wait := stands.turning(f.config.Now()); wait > 0 {
			if err := loop.Pause(ctx, wait); err != nil {
				return nil, err
			}
		}
	}
	b := f.Current()
	return b, f.stands.Load().check(b, f.config.Now())
}

// Standing fails with ErrBehind if nothing may be answered, because another server may answer from a newer batch.
func (f *Follower) Standing() error {
	b, stands := f.Current(), f.stands.Load()
	if b == nil || stands.alone() {
		return nil
	}
	return stands.check(b, f.config.Now())
}
