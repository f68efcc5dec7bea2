package alert

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"cuota/internal/sqlrows"
)

// The statements, one text for SQLite and PostgreSQL.
var (
	//go:embed sql/newest_cutoff.sql
	newestCutoffSQL string
	//go:embed sql/known_batch.sql
	knownBatchSQL string
	//go:embed sql/know_batch.sql
	knowBatchSQL string
	//go:embed sql/open_batches.sql
	openBatchesSQL string
	//go:embed sql/hold_batch.sql
	holdBatchSQL string
	//go:embed sql/recorded_batch.sql
	recordedBatchSQL string
	//go:embed sql/know_event.sql
	knowEventSQL string
	//go:embed sql/hush_event.sql
	hushEventSQL string
)

const (
	// eventsAtOnce are written in one transaction: a batch in which a month closes
	// may have thousands.
	eventsAtOnce = 200

	// staleAfter is how far a cutoff may lie behind the newest one that was looked
	// at. A correction can take it back by some days; beyond that the history is
	// being loaded again, and is no news.
	staleAfter = 7 * 24 * time.Hour

	// newsFor is how many days a cutoff may lie behind today. Files that are fetched
	// by hand come by the month, so that one may be the newest for as long; what is
	// older comes of history being loaded or caught up with, and is no news.
	newsFor = 31
)

// findEvents writes down what is new in each batch that was not looked at, or not
// to the end.
func (a *Alerts) findEvents(ctx context.Context, batches []batch) error {
	var known int
	var newest string
	var unseen []batch
	var left []string // ids of batches that somebody began with, and whose rows are gone
	err := a.store.Transact(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, newestCutoffSQL).Scan(&known, &newest); err != nil {
			return err
		}
		unseen = nil
		for _, b := range batches {
			var seen int
			if err := tx.QueryRowContext(ctx, knownBatchSQL, b.ID).Scan(&seen); err != nil {
				return err
			}
			if seen == 0 {
				unseen = append(unseen, b)
			}
		}
		open, err := sqlrows.All(ctx, tx, openBatchesSQL, func(row *sql.Rows) (id string, err error) {
			return id, row.Scan(&id)
		})
		left = without(open, batches)
		return err
	})
	if err != nil {
		return fmt.Errorf("look which batches are known: %w", err)
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

// begin is the very first look: what the newest batch shows is known from now on,
// and nobody is mailed.
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
	return a.store.Transact(ctx, func(tx *sql.Tx) error {
		for _, b := range batches {
			if _, err := tx.ExecContext(ctx, knowBatchSQL, b.ID, orNull(b.AsOf), now, now, now); err != nil {
				return err
			}
		}
		if newest.ClosedMonth == "" {
			return nil
		}
		_, err := tx.ExecContext(ctx, knowMonthSQL, newest.ClosedMonth, now, now)
		return err
	})
}

// record writes down the new events of a batch, and goes on where a process that
// ended left off. Of a quiet one nobody is told, by whoever goes on with it either.
//
// The batch has its row first, and events of it are written for as long as it has
// no mark that all of them are. So each event that names a batch as its announcer
// names one that will be announced, wherever a process ends.
func (a *Alerts) record(ctx context.Context, b batch, quiet bool) error {
	err := a.store.Transact(ctx, func(tx *sql.Tx) error {
		now, handled := a.now(), (*int64)(nil)
		if quiet {
			handled = &now
		}
		_, err := tx.ExecContext(ctx, knowBatchSQL, b.ID, orNull(b.AsOf), now, nil, handled)
		return err
	})
	if err != nil {
		return err
	}
	events, err := a.eventsOf(ctx, b)
	if err == nil {
		err = a.write(ctx, events, func(tx *sql.Tx) (*string, error) {
			var quiet bool
			err := tx.QueryRowContext(ctx, holdBatchSQL, b.ID).Scan(&quiet)
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
	case err != nil && !errors.Is(err, errRetired): // then later batches have what is still true of it
		return err
	}
	return a.endRecord(ctx, b.ID)
}

// endRecord notes that no event of a batch is written down any more.
func (a *Alerts) endRecord(ctx context.Context, batchID string) error {
	return a.store.Transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, recordedBatchSQL, a.now(), batchID)
		return err
	})
}

// endRetired ends the record of batches that a process began with and did not
// finish before their rows were dropped: what it wrote down is announced.
func (a *Alerts) endRetired(ctx context.Context, left []string) error {
	if len(left) == 0 {
		return nil
	}
	// Another process may have begun with a batch that was published just now.
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

// without leaves those ids that are no batch's.
func without(ids []string, batches []batch) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return slices.ContainsFunc(batches, func(b batch) bool { return b.ID == id })
	})
}

var (
	// errRetired says that the rows of a batch were dropped while they were read.
	errRetired = errors.New("the batch was retired")
	// errRecorded says that another process has come to the end of a batch.
	errRecorded = errors.New("the events of the batch were written down meanwhile")
)

// eventsOf reads what a batch has, or gives errRetired.
func (a *Alerts) eventsOf(ctx context.Context, b batch) ([]event, error) {
	if b.AsOf == "" {
		return nil, nil // nothing is told of a market that was never complete
	}
	events, whole, err := a.reader.events(ctx, b)
	if err == nil && !whole {
		err = errRetired
	}
	return events, err
}

// write writes those events down that are not known, with the batch that announces
// them, which each transaction asks for first; nil: none does.
func (a *Alerts) write(ctx context.Context, events []event, announcer func(*sql.Tx) (*string, error)) error {
	for chunk := range slices.Chunk(events, eventsAtOnce) {
		err := a.store.Transact(ctx, func(tx *sql.Tx) error {
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
			return fmt.Errorf("write events down: %w", err)
		}
	}
	return nil
}

// know writes an event down under each id that finds its series. One that is
// known under any of them is not new.
func know(ctx context.Context, tx *sql.Tx, e event, announcer *string) error {
	var added []string
	for _, id := range e.IDs {
		err := tx.QueryRowContext(ctx, knowEventSQL, id, e.Kind, e.Date, announcer,
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
		if _, err := tx.ExecContext(ctx, hushEventSQL, id, e.Kind, e.Date); err != nil {
			return err
		}
	}
	return nil
}

// isStale tells whether a cutoff lies so far behind the newest one that its batch
// loads history again. A batch without a cutoff has nothing to tell.
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

// isOld tells whether a cutoff lies too far behind today's date in Santiago for
// anybody to be told of it.
func (a *Alerts) isOld(cutoff string) bool {
	oldest := a.config.Now().In(a.santiago).AddDate(0, 0, -newsFor)
	return cutoff < oldest.Format(time.DateOnly) // ISO dates: the order of texts is that of days
}

// orNull is a text as a column has it that is NULL when there is none.
func orNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
