package alert

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The statements, one text for SQLite and PostgreSQL.
var (
	//go:embed sql/newest_cutoff.sql
	newestCutoffSQL string
	//go:embed sql/known_batch.sql
	knownBatchSQL string
	//go:embed sql/know_batch.sql
	knowBatchSQL string
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
)

// findEvents writes down what is new in each batch that was not looked at.
func (a *Alerts) findEvents(ctx context.Context, batches []batch) error {
	var known int
	var newest string
	var unseen []batch
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
		return nil
	})
	if err != nil {
		return fmt.Errorf("look which batches are known: %w", err)
	}
	if known == 0 {
		return a.begin(ctx, batches)
	}
	for _, b := range unseen {
		if err := a.record(ctx, b, isStale(b.AsOf, newest)); err != nil {
			return fmt.Errorf("batch %s: %w", b.ID, err)
		}
	}
	return nil
}

// begin is the very first look: what the newest batch shows is known from now on,
// and nobody is mailed.
func (a *Alerts) begin(ctx context.Context, batches []batch) error {
	newest := batches[len(batches)-1]
	if err := a.recordEvents(ctx, newest, nil); err != nil {
		return fmt.Errorf("batch %s: %w", newest.ID, err)
	}
	now := a.now()
	return a.store.Transact(ctx, func(tx *sql.Tx) error {
		for _, b := range batches {
			if _, err := tx.ExecContext(ctx, knowBatchSQL, b.ID, orNull(b.AsOf), now, now); err != nil {
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

// record writes down the new events of a batch. Of a quiet one nobody is told.
func (a *Alerts) record(ctx context.Context, b batch, quiet bool) error {
	announcer, handled := &b.ID, (*int64)(nil)
	if now := a.now(); quiet {
		announcer, handled = nil, &now
	}
	if err := a.recordEvents(ctx, b, announcer); err != nil {
		if errors.Is(err, errRetired) {
			return nil // later batches have what is still true of it
		}
		return err
	}
	return a.store.Transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, knowBatchSQL, b.ID, orNull(b.AsOf), a.now(), handled)
		return err
	})
}

// errRetired says that the rows of a batch were dropped while they were read.
var errRetired = errors.New("the batch was retired")

// recordEvents writes down the events of a batch that are not known, with the
// batch that announces them; nil: none does.
func (a *Alerts) recordEvents(ctx context.Context, b batch, announcer *string) error {
	if b.AsOf == "" {
		return nil // nothing is told of a market that was never complete
	}
	events, whole, err := a.reader.events(ctx, b)
	if err != nil {
		return err
	}
	if !whole {
		return errRetired
	}
	for chunk := range slices.Chunk(events, eventsAtOnce) {
		err := a.store.Transact(ctx, func(tx *sql.Tx) error {
			for _, e := range chunk {
				if err := know(ctx, tx, e, announcer); err != nil {
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

// orNull is a text as a column has it that is NULL when there is none.
func orNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }
