// Package sqlrows reads the statements of a package, and the rows of a statement over
// database/sql.
package sqlrows

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"
)

// Statements reads the embedded files sql/*.sql of a package. The function that it returns has
// the text of sql/NAME.sql by NAME, and panics if there is no such file.
func Statements(files fs.FS) func(name string) string {
	paths, err := fs.Glob(files, "sql/*.sql")
	if err != nil {
		panic(err) // the pattern is valid
	}
	texts := make(map[string]string, len(paths))
	for _, file := range paths {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			panic(err) // the files are embedded
		}
		texts[strings.TrimSuffix(path.Base(file), ".sql")] = string(text)
	}
	return func(name string) string {
		text, known := texts[name]
		if !known {
			panic("no statement sql/" + name + ".sql")
		}
		return text
	}
}

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// OrNull returns a text as an argument: NULL if it is empty.
func OrNull(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// Instant returns the instant of a column of Unix milliseconds, in UTC; nil for NULL.
func Instant(millis sql.NullInt64) *time.Time {
	if !millis.Valid {
		return nil
	}
	return new(time.UnixMilli(millis.Int64).UTC())
}

// Transactor runs a function in a transaction, with a context that ends at a time limit.
type Transactor interface {
	Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error
}

// Exec runs one statement in its own transaction.
func Exec(ctx context.Context, in Transactor, statement string, args ...any) error {
	return in.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
}

// Column reads all values of a statement with one column.
func Column[T any](ctx context.Context, q Querier, statement string, args ...any) ([]T, error) {
	return All(ctx, q, statement, func(row *sql.Rows) (value T, err error) {
		err = row.Scan(&value)
		return value, err
	}, args...)
}

// All reads all rows of a statement into memory. scan reads one row.
func All[T any](ctx context.Context, q Querier, statement string,
	scan func(*sql.Rows) (T, error), args ...any) (_ []T, err error) {
	rows, err := q.QueryContext(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var found []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}
