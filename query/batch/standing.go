package batch

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/loop"
	"cuota/sql"
)

// standing is what the copy from which this server reads knows of the others. All servers begin to answer from a batch
// at one moment, which is announced before, so that a client who asks several servers never sees an older batch after
// a newer one. A server whose copy does not know what was announced, or has not built it, answers nothing.
type standing struct {
	HeardAt time.Time   `ch:"heard_at"` // the copy knows what was announced by then
	ValidMS uint32      `ch:"valid_ms"` // how long after HeardAt a server may answer; 0: always, there is one copy
	Plans   []uint64    `ch:"plans"`    // the last ones that were announced
	Moments []time.Time `ch:"moments"`  // of each: when servers begin to answer from its batch
}

// alone reports whether there is only one copy. Then a batch is answered from as soon as it was read.
func (s *standing) alone() bool { return s == nil || s.ValidMS == 0 }

// check fails with ErrBehind if another server may answer from a newer batch than b at a moment.
func (s *standing) check(b *Batch, now time.Time) error {
	if s.alone() {
		return nil
	}
	age := now.Sub(s.HeardAt)
	if age < -time.Second {
		return fmt.Errorf("%w: the clock of this copy's projector is or was ahead by %s", ErrBehind, -age.Round(time.Second))
	}
	if age > time.Duration(s.ValidMS)*time.Millisecond {
		return fmt.Errorf("%w: the projector of this copy has not read the log to its end for %s", ErrBehind,
			age.Round(time.Second))
	}
	for i, plan := range s.Plans {
		if b.Plan < plan && !now.Before(s.Moments[i]) {
			return fmt.Errorf("%w: they answer from plan %d, and this copy has plan %d", ErrBehind, plan, b.Plan)
		}
	}
	return nil
}

// next returns the moment from which another batch is answered from, of those that were announced; now if none is to
// come.
func (s *standing) next(now time.Time) time.Time {
	next := now
	for _, moment := range s.Moments {
		if moment.After(now) && (next.Equal(now) || moment.Before(next)) {
			next = moment
		}
	}
	return next
}

// hear reads what the copy knows of the others.
func (f *Follower) hear(ctx context.Context) (*standing, error) {
	found, err := sql.Rows[standing](ctx, f.reader, "copy_standing",
		sql.Arg("now", f.config.Now().UTC().Format(instant)))
	if err != nil {
		return nil, err
	}
	return &found[0], nil // the statement always gives one row
}

// keepHearing reads again and again what the copy knows, until ctx ends. A look may take longer than that is valid,
// because it reads a batch.
func (f *Follower) keepHearing(ctx context.Context) {
	loop.Every(ctx, f.config.Interval, func() {
		was := f.stands.Load()
		if was.alone() {
			return
		}
		// A look logs why it fails, and may have read something later meanwhile.
		if stands, err := f.hear(ctx); err == nil && !stands.HeardAt.Before(was.HeardAt) {
			f.stands.CompareAndSwap(was, stands)
		}
	})
}

// clocksDiffer is how much the clocks of two servers may differ without one answering from the older batch after the
// other has answered from the newer one.
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
