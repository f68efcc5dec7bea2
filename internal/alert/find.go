package alert

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/sqlrows"
)

const (
	// eventsAtOnce is how many events one transaction writes. A batch in which a month closes
	// may have thousands.
	eventsAtOnce = 200

	// staleAfter is how far a cutoff may be before the newest known cutoff. A correction may
	// move the cutoff back by some days. A larger step back means that the history is being
	// loaded again, which is no news.
	staleAfter = 7 * 24 * time.Hour

	// newsFor is how many days ago a cutoff may be. Files that are fetched by hand come once a
	// month, so the newest cutoff may be that old. An older cutoff means that history is being
	// loaded, which is no news.
	newsFor = 31
)

// findEvents records the new events of each batch that no process has looked at, or that a
// process has not finished.
func (a *Alerts) findEvents(ctx context.Context, batches []batch) error {
	var known int
	var newest string
	var unseen []batch
	var left []string // ids of unfinished batches whose rows were dropped
	err := a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, statement("newest_cutoff")).Scan(&known, &newest); err != nil {
			return err
		}
		unseen = nil
		for _, b := range batches {
			var seen int
			if err := tx.QueryRowContext(ctx, statement("known_batch"), b.ID).Scan(&seen); err != nil {
				return err
			}
			if seen == 0 {
				unseen = append(unseen, b)
			}
		}
		open, err := sqlrows.Column[string](ctx, tx, statement("open_batches"))
		left = without(open, batches)
		return err
	})
	if err != nil {
		return fmt.Errorf("list the known batches: %w", err)
	}
	if known == 0 {
		return a.begin(ctx, batches)
	}
	if err := a.endRetired(ctx, left); err != nil {
		return err
	}
	for _, b := range unseen {
		if err := a.record(ctx, b, isStale(b.AsOf, newest) || a.isOld(b.AsOf)); err != nil {
			return fmt.Errorf("batch %s: %w", b.ID, err)
		}
	}
	return nil
}

// begin handles the very first look. It records the events of the newest batch as known, and
// nobody gets a mail.
func (a *Alerts) begin(ctx context.Context, batches []batch) error {
	newest := batches[len(batches)-1]
	events, err := a.eventsOf(ctx, newest)
	if err == nil {
		err = a.write(ctx, events, func(*sql.Tx) (*string, error) { return nil, nil })
	}
	if err != nil {
		return fmt.Errorf("batch %s: %w", newest.ID, err)
	}
	now := a.now()
	return a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, b := range batches {
			if _, err := tx.ExecContext(ctx, statement("know_batch"), b.ID, orNull(b.AsOf), now, now, now); err != nil {
				return err
			}
		}
		if newest.ClosedMonth == "" {
			return nil
		}
		_, err := tx.ExecContext(ctx, statement("know_month"), newest.ClosedMonth, now, now)
		return err
	})
}

// record stores the new events of a batch. It also continues after a process that was
// interrupted. If quiet is true, the batch is stored as handled, so no process announces it.
//
// The row of the batch is written first, and events are added only until the row says that all
// are recorded. So if an event names a batch as its announcer, that batch will be announced, at
// whatever point a process ends.
func (a *Alerts) record(ctx context.Context, b batch, quiet bool) error {
	now, handled := a.now(), (*int64)(nil)
	if quiet {
		handled = &now
	}
	if err := sqlrows.Exec(ctx, a.store, statement("know_batch"), b.ID, orNull(b.AsOf), now, nil, handled); err != nil {
		return err
	}
	events, err := a.eventsOf(ctx, b)
	if err == nil {
		err = a.write(ctx, events, func(tx *sql.Tx) (*string, error) {
			var quiet bool
			err := tx.QueryRowContext(ctx, statement("hold_batch"), b.ID).Scan(&quiet)
			if errors.Is(err, sql.ErrNoRows) {
				return nil, errRecorded
			}
			if quiet {
				return nil, err
			}
			return &b.ID, err
		})
	}
	switch {
	case errors.Is(err, errRecorded):
		return nil
	case err != nil && !errors.Is(err, errRetired): // errRetired: later batches show those events that still exist
		return err
	}
	return a.endRecord(ctx, b.ID)
}

// endRecord marks a batch: all its events are recorded.
func (a *Alerts) endRecord(ctx context.Context, batchID string) error {
	return sqlrows.Exec(ctx, a.store, statement("recorded_batch"), a.now(), batchID)
}

// endRetired marks unfinished batches as recorded if their rows were dropped meanwhile. The
// events that were recorded are announced.
func (a *Alerts) endRetired(ctx context.Context, left []string) error {
	if len(left) == 0 {
		return nil
	}
	// Another process may have begun with a batch that was published just now, so the batches
	// are read again.
	batches, err := a.reader.batches(ctx)
	if err != nil {
		return err
	}
	for _, id := range without(left, batches) {
		if err := a.endRecord(ctx, id); err != nil {
			return fmt.Errorf("batch %s: %w", id, err)
		}
	}
	return nil
}

// without returns those ids that belong to none of the batches.
func without(ids []string, batches []batch) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(batches, func(b batch) bool { return b.ID == id })
	})
}

var (
	// errRetired says that the rows of a batch were dropped while they were read.
	errRetired = errors.New("the batch was retired")
	// errRecorded says that another process has recorded all events of a batch.
	errRecorded = errors.New("another process has recorded the events of the batch")
)

// eventsOf reads the events of a batch. It returns errRetired if the batch was retired while it
// was read.
func (a *Alerts) eventsOf(ctx context.Context, b batch) ([]event, error) {
	if b.AsOf == "" {
		return nil, nil // without a cutoff, the market was never complete, and nothing is announced
	}
	events, readable, err := a.reader.events(ctx, b)
	if err == nil && !readable {
		err = errRetired
	}
	return events, err
}

// write stores those events that are not known yet. Each transaction first calls announcer for
// the id of the batch that announces them, or nil if none does.
func (a *Alerts) write(ctx context.Context, events []event, announcer func(*sql.Tx) (*string, error)) error {
	for chunk := range slices.Chunk(events, eventsAtOnce) {
		err := a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
			batchID, err := announcer(tx)
			if err != nil {
				return err
			}
			for _, e := range chunk {
				if err := know(ctx, tx, e, batchID); err != nil {
					return fmt.Errorf("%s of series %s: %w", e.Kind, e.Current, err)
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("record events: %w", err)
		}
	}
	return nil
}

// know stores an event under each id of its series. If the event is already known under one of
// these ids, it is not new and is not announced.
func know(ctx context.Context, tx *sql.Tx, e event, announcer *string) error {
	var added []string
	for _, id := range e.IDs {
		err := tx.QueryRowContext(ctx, statement("know_event"), id, e.Kind, e.Date, announcer,
			e.Current, e.Fund, e.RUN, e.Serie, e.Before, e.After, e.DateBefore).Scan(new(string))
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		added = append(added, id)
	}
	if len(added) == len(e.IDs) {
		return nil
	}
	for _, id := range added {
		if _, err := tx.ExecContext(ctx, statement("hush_event"), id, e.Kind, e.Date); err != nil {
			return err
		}
	}
	return nil
}

// isStale reports whether a cutoff is so far before the newest one that the batch loads history
// again. A batch without a cutoff is stale too.
func isStale(cutoff, newest string) bool {
	if cutoff == "" || newest == "" {
		return cutoff == ""
	}
	at, err := time.Parse(time.DateOnly, cutoff)
	if err != nil {
		return true
	}
	latest, err := time.Parse(time.DateOnly, newest)
	return err != nil || latest.Sub(at) > staleAfter
}

// isOld reports whether a cutoff is more than newsFor days before today's date in Santiago.
func (a *Alerts) isOld(cutoff string) bool {
	oldest := a.config.Now().In(santiago.Zone).AddDate(0, 0, -newsFor)
	return cutoff < oldest.Format(time.DateOnly) // ISO dates sort as texts
}

// orNull returns a nullable column's value: NULL for "".
func orNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
