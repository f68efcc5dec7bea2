package batch

import (
	"context"
	"fmt"
	"time"

	"cuota/sql"
)

// EarlierError says that no kept batch was published by a moment.
type EarlierError struct {
	Current *Batch
	Since   time.Time // the first moment for which there is a batch
}

func (e *EarlierError) Error() string {
	return fmt.Sprintf("no batch is kept that was published before %s", e.Since.UTC().Format(time.RFC3339Nano))
}

// KnownAt is the batch that says what was known at a moment.
type KnownAt struct {
	Batch *Batch
	// SupersededAt is when the next batch was published; zero if there is none. If it is not
	// after the moment, a batch in between is not kept any more.
	SupersededAt time.Time
}

// PinKnownAt returns the batch that a request about a moment is answered from: the newest that
// was published by then, of those that are kept and undamaged. It fails with *EarlierError if
// there is none, and in all other cases like Pin. wait runs the reads.
func (f *Follower) PinKnownAt(ctx context.Context, need Need, at time.Time,
	wait func(context.Context, func() error) error) (KnownAt, error) {
	current, err := f.Answering(ctx)
	switch {
	case err != nil:
		return KnownAt{}, err
	case current.Damaged:
		return KnownAt{}, ErrDamaged
	}
	known := KnownAt{Batch: current}
	if at.Before(current.CalculatedAt) {
		err := wait(ctx, func() (err error) {
			known, err = f.knownAt(ctx, at, current)
			return err
		})
		if err != nil {
			return KnownAt{}, err
		}
	}
	if need == Complete && known.Batch.AsOf == nil {
		return KnownAt{}, ErrNoCutoff
	}
	return known, nil
}

func (f *Follower) knownAt(ctx context.Context, at time.Time, current *Batch) (KnownAt, error) {
	type found struct {
		BatchID      string     `ch:"batch_id"`
		SupersededAt *time.Time `ch:"superseded_at"`
		Since        *time.Time `ch:"since"`
	}
	chosen, err := sql.Rows[found](ctx, f.reader, "known_at",
		sql.Arg("known_at", at.UTC().Format(instant)))
	if err != nil {
		return KnownAt{}, err
	}
	switch {
	case len(chosen) == 0 || chosen[0].Since == nil:
		return KnownAt{}, ErrDamaged // no batch is left that is not damaged
	case chosen[0].BatchID == "":
		return KnownAt{}, &EarlierError{current, *chosen[0].Since}
	}
	b, remembered := f.past.Known(chosen[0].BatchID)
	if !remembered {
		if b, err = published(ctx, f.reader, chosen[0].BatchID, farFuture, current); err != nil {
			return KnownAt{}, err
		}
		if b == nil || b.Damaged || b.AsOf != nil && len(b.Windows) == 0 {
			// It was retired or found damaged after it was chosen, so the next request
			// chooses another.
			return KnownAt{}, &sql.ReadError{Statement: "published_batch", Err: ErrRetired}
		}
		if b != current { // which has its parts, and must not be held longer than it is current
			f.past.Keep(b.ID, b)
		}
	}
	known := KnownAt{Batch: b}
	if chosen[0].SupersededAt != nil {
		known.SupersededAt = *chosen[0].SupersededAt
	}
	return known, nil
}
