package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cuota/internal/sqlrows"
)

// maxWatched is how many series one person may watch.
const maxWatched = 200

// ErrWatchlistFull says that a person already watches the greatest allowed number of series.
var ErrWatchlistFull = fmt.Errorf("the watchlist has %d series already", maxWatched)

// Watched is a series on a person's watchlist.
type Watched struct {
	SeriesID string // id as the person gave it, normalised
	AddedAt  time.Time
}

// Watchlist lists the series that a person watches, in the order in which they were added.
func (s *Store) Watchlist(ctx context.Context, person string) ([]Watched, error) {
	return within(ctx, s, "read a watchlist", func(ctx context.Context) ([]Watched, error) {
		return sqlrows.All(ctx, s.read, statement("watchlist"), func(row *sql.Rows) (w Watched, err error) {
			var added int64
			err = row.Scan(&w.SeriesID, &added)
			w.AddedAt = time.UnixMilli(added).UTC()
			return w, err
		}, person)
	})
}

// Watch adds a series to a watchlist. The caller must have checked that the series exists.
// Adding a watched series again changes nothing. Watch returns ErrWatchlistFull if there is no
// place, and ErrNoSession if the person was removed.
func (s *Store) Watch(ctx context.Context, person, series string) error {
	err := s.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, statement("watch"), person, series, s.now().UnixMilli(),
			maxWatched).Scan(new(string))
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var there int
		if err := tx.QueryRowContext(ctx, statement("watches"), person, series).Scan(&there); err != nil {
			return err
		}
		if there == 0 {
			return ErrWatchlistFull
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("watch a series: %w", err)
	}
	return nil
}

// Unwatch removes a series from a watchlist. A series that is not on the list is no error.
func (s *Store) Unwatch(ctx context.Context, person, series string) error {
	if err := sqlrows.Exec(ctx, s, statement("unwatch"), person, series); err != nil {
		return fmt.Errorf("stop watching a series: %w", err)
	}
	return nil
}
