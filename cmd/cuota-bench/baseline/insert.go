package baseline

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"
)

// Columns are decoded rows of fact_quota: for each column, a slice of the Go type into
// which the driver reads it. Inserting them exercises only the driver and the engine.
type Columns []reflect.Value

// maxRows bounds the decoded rows in memory; each takes about two kilobytes.
const maxRows = 300_000

// ReadQuotas reads back so many stored rows of one file in the order of the file, and at
// most 300,000.
func ReadQuotas(ctx context.Context, conn driver.Conn, n int) (Columns, error) {
	n = min(n, maxRows)
	rows, err := conn.Query(ctx, fmt.Sprintf("SELECT * FROM fact_quota ORDER BY source_line LIMIT %d", n))
	if err != nil {
		return nil, fmt.Errorf("read the stored rows: %w", err)
	}
	defer func() { _ = rows.Close() }()
	types := rows.ColumnTypes()
	table, into := make(Columns, len(types)), make([]any, len(types))
	values := make([]reflect.Value, len(types))
	for c, t := range types {
		table[c] = reflect.MakeSlice(reflect.SliceOf(t.ScanType()), 0, n)
		values[c] = reflect.New(t.ScanType())
		into[c] = values[c].Interface()
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read the stored rows: %w", err)
		}
		for c := range table {
			table[c] = reflect.Append(table[c], values[c].Elem())
			values[c].Elem().SetZero() // a pointer must not be written through again
		}
	}
	return table, rows.Err()
}

// Rows is the number of rows.
func (c Columns) Rows() int { return c[0].Len() }

// Fill appends the rows from one index up to another to a batch.
type Fill func(batch driver.Batch, from, to int) error

// RowWise appends row by row, as most programs use the driver.
func (c Columns) RowWise() Fill {
	rows := make([][]any, c.Rows())
	for r := range rows {
		rows[r] = make([]any, len(c))
		for column := range c {
			rows[r][column] = c[column].Index(r).Interface()
		}
	}
	return func(batch driver.Batch, from, to int) error {
		for _, row := range rows[from:to] {
			if err := batch.Append(row...); err != nil {
				return err
			}
		}
		return nil
	}
}

// ColumnWise appends typed slices, the fastest way that the driver offers.
func (c Columns) ColumnWise() Fill {
	return func(batch driver.Batch, from, to int) error {
		for i, column := range c {
			if err := batch.Column(i).Append(column.Slice(from, to).Interface()); err != nil {
				return err
			}
		}
		return nil
	}
}

// Insert inserts so many rows into fact_quota, in batches of so many rows, several of them
// in parallel. It fails with the first insert that fails.
func Insert(ctx context.Context, conn driver.Conn, rows, batch, parallel int, fill Fill) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for from := 0; from < rows; from += batch {
		group.Go(func() error { return insert(ctx, conn, fill, from, min(from+batch, rows)) })
	}
	return group.Wait()
}

func insert(ctx context.Context, conn driver.Conn, fill Fill, from, to int) error {
	batch, err := conn.PrepareBatch(ctx, "INSERT INTO fact_quota")
	if err != nil {
		return fmt.Errorf("prepare an insert: %w", err)
	}
	if err := fill(batch, from, to); err != nil {
		return errors.Join(fmt.Errorf("append to an insert: %w", err), batch.Abort())
	}
	return batch.Send()
}
