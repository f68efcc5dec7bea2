// Package sqlrows reads the rows of a statement over database/sql.
package sqlrows

import (
	"context"
	"database/sql"
	"errors"
)

// Querier is a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
}

// Column reads all values of a statement with one column.
func Column[T any](ctx context.Context, q Querier, statement string, args ...any) ([]T, error) {
	return All(ctx, q, statement, func(row *sql.Rows) (value T, err error) {
		err = row.Scan(&value)
		return value, err
	}, args...)
}

// All reads all rows of a statement into memory. scan reads one row.
func All[T any](ctx context.Context, q Querier, statement string, scan func(*sql.Rows) (T, error), args ...any) (_ []T, err error) {
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
