package batch

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/loop"
	"cuota/sql"
)

// copyState is what the copy that this server reads knows of the others. All servers begin to answer from a batch
// at one moment, which is announced before, so that a client who asks several servers never sees an older batch after
// a newer one. A server whose copy does not know what was announced, or has not built it, answers nothing.
type copyState struct {
	CaughtUpAt time.Time   `ch:"caught_up_at"` // the copy knows what was announced by then
	ValidMS    uint32      `ch:"valid_ms"`     // how long after CaughtUpAt a server may answer; 0: farFuture, there is one copy
	Plans      []uint64    `ch:"plans"`        // the last ones that were announced
	Moments    []time.Time `ch:"moments"`      // of each: when servers begin to answer from its batch
}

// onlyCopy reports whether there is only one copy. Then servers answer from a batch as soon as they have read it.
func (s *copyState) onlyCopy() bool { return s == nil || s.ValidMS == 0 }

// check fails with ErrBehind if another server may answer from a newer batch than b at a moment.
func (s *copyState) check(b *Batch, now time.Time) error {
	if s.onlyCopy() {
		return nil
	}
	age := now.Sub(s.CaughtUpAt)
	if age < -time.Second {
		return fmt.Errorf("%w: the clock of this copy's projector is or was ahead by %s", ErrBehind, -age.Round(time.Second))
	}
	if age > time.Duration(s.ValidMS)*time.Millisecond {
		return fmt.Errorf("%w: the projector of this copy has not read the topic of batches to its end for %s", ErrBehind,
			age.Round(time.Second))
	}
	for i, plan := range s.Plans {
		if b.Plan < plan && !now.Before(s.Moments[i]) {
			return fmt.Errorf("%w: they answer from plan %d, and this copy has plan %d", ErrBehind, plan, b.Plan)
		}
	}
	return nil
}

// next returns the earliest announced moment that is still to come, and now if there is none.
func (s *copyState) next(now time.Time) time.Time {
	next := now
	for _, moment := range s.Moments {
		if moment.After(now) && (next.Equal(now) || moment.Before(next)) {
			next = moment
		}
	}
	return next
}

// readCopyState reads what the copy knows of the others.
func (f *Follower) readCopyState(ctx context.Context) (*copyState, error) {
	found, err := sql.Rows[copyState](ctx, f.reader, "copy_state",
		sql.Arg("now", f.config.Now().UTC().Format(instant)))
	if err != nil {
		return nil, err
	}
	return &found[0], nil // the statement always returns one row
}

// followCopyState reads again and again what the copy knows, until ctx ends. A look reads a batch, which may take
// longer than the state stays valid.
func (f *Follower) followCopyState(ctx context.Context) {
	loop.Every(ctx, f.config.Interval, func() {
		was := f.copies.Load()
		if was.onlyCopy() {
			return
		}
		// A look logs why it fails, and may have read something later meanwhile.
		if state, err := f.readCopyState(ctx); err == nil && !state.CaughtUpAt.Before(was.CaughtUpAt) {
			f.copies.CompareAndSwap(was, state)
		}
	})
}

// clocksDiffer is how much the clocks of two servers may differ without one answering from the older batch after the
// other has answered from the newer one.
const clocksDiffer = 100 * time.Millisecond

// turning returns how long to wait until every server answers from the same batch; 0 or less: all do now.
func (s *copyState) turning(now time.Time) (wait time.Duration) {
	if s.onlyCopy() {
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
	state := f.copies.Load()
	if !state.onlyCopy() {
		if wait := state.turning(f.config.Now()); wait > 0 {
			if err := loop.Pause(ctx, wait); err != nil {
				return nil, err
			}
		}
		state = f.copies.Load()
	}
	b := f.Current()
	switch {
	case b == nil:
		return nil, ErrNone
	case state.onlyCopy():
		return b, nil
	}
	return b, state.check(b, f.config.Now())
}

// MayAnswer fails with ErrBehind if nothing may be answered, because another server may answer from a newer batch.
func (f *Follower) MayAnswer() error {
	b, state := f.Current(), f.copies.Load()
	if b == nil || state.onlyCopy() {
		return nil
	}
	return state.check(b, f.config.Now())
}
