package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"cuota/internal/sqlrows"
)

// maxScreens is how many screens one person may save.
const maxScreens = 20

// ErrScreensFull says that a person has saved the greatest allowed number of screens already.
var ErrScreensFull = fmt.Errorf("%d screens are saved already", maxScreens)

// Screen is a choice of the screener that a person has saved under a name.
type Screen struct {
	Name    string // 1 to 80 characters
	Query   string // of the page of the screener, at most 1,000 bytes
	AddedAt time.Time
}

// Screens lists the screens that a person has saved, in the order in which they were.
func (s *Store) Screens(ctx context.Context, person string) ([]Screen, error) {
	return within(ctx, s, "read the saved screens", func(ctx context.Context) ([]Screen, error) {
		return sqlrows.All(ctx, s.read, statement("screens"), func(row *sql.Rows) (saved Screen, err error) {
			var added int64
			err = row.Scan(&saved.Name, &saved.Query, &added)
			saved.AddedAt = time.UnixMilli(added).UTC()
			return saved, err
		}, person)
	})
}

// SaveScreen saves a screen, in place of the one that has its name. The caller must have checked the lengths of both.
// It returns ErrScreensFull if there is no place, and ErrNoSession if the person was removed.
func (s *Store) SaveScreen(ctx context.Context, person, name, query string) error {
	err := s.UnderLock(ctx, person, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, statement("save_screen"), person, name, query, s.now().UnixMilli(),
			maxScreens).Scan(new(string))
		if errors.Is(err, sql.ErrNoRows) {
			return ErrScreensFull
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("save a screen: %w", err)
	}
	return nil
}

// DropScreen removes a saved screen. A name that no screen has is no error.
func (s *Store) DropScreen(ctx context.Context, person, name string) error {
	if err := sqlrows.Exec(ctx, s, statement("drop_screen"), person, name); err != nil {
		return fmt.Errorf("remove a saved screen: %w", err)
	}
	return nil
}
