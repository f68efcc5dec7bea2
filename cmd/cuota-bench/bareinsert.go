package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/sync/errgroup"

	"cuota/sql"
)

// bareInsert inserts decoded rows of the generated market, so that only the driver and
// the engine are measured. The rows are those that the pipeline stored, in the order of
// the file. Batches are as large, and as many in parallel, as those of the projector.
type bareInsert struct {
	bench *bench
	conn  driver.Conn
	batch int
}

// maxBareRows bounds the decoded rows in memory; each takes about two kilobytes.
const maxBareRows = 300_000

func (b *bench) newBareInsert(ctx context.Context, database string) (*bareInsert, error) {
	conn, err := b.database(ctx, database)
	if err != nil {
		return nil, err
	}
	return &bareInsert{bench: b, conn: conn}, nil
}

// rowWise appends row by row, as most programs use the driver.
func (i *bareInsert) rowWise(ctx context.Context) (reading, error) {
	table, err := i.load(ctx)
	if err != nil {
		return reading{}, err
	}
	rows := table.rowsOfValues()
	return i.measure(ctx, len(rows), func(batch driver.Batch, from, to int) error {
		for _, row := range rows[from:to] {
			if err := batch.Append(row...); err != nil {
				return err
			}
		}
		return nil
	})
}

// columnWise appends typed slices, the fastest way that the driver offers.
func (i *bareInsert) columnWise(ctx context.Context) (reading, error) {
	table, err := i.load(ctx)
	if err != nil {
		return reading{}, err
	}
	return i.measure(ctx, table.rows(), func(batch driver.Batch, from, to int) error {
		for c, column := range table {
			if err := batch.Column(c).Append(column.Slice(from, to).Interface()); err != nil {
				return err
			}
		}
		return nil
	})
}

// measure inserts all rows into an empty table.
func (i *bareInsert) measure(ctx context.Context, rows int, fill func(batch driver.Batch, from, to int) error) (reading, error) {
	if err := i.conn.Exec(ctx, "TRUNCATE TABLE fact_quota SYNC"); err != nil {
		return reading{}, fmt.Errorf("empty fact_quota: %w", err)
	}
	if err := i.bench.settle(ctx); err != nil {
		return reading{}, err
	}
	result, err := i.bench.time(rows, func() error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(partitions)
		for from := 0; from < rows; from += i.batch {
			group.Go(func() error { return insert(ctx, i.conn, fill, from, min(from+i.batch, rows)) })
		}
		return group.Wait()
	})
	if err != nil {
		return reading{}, err
	}
	return result, holds(ctx, i.conn, "fact_quota", rows)
}

func insert(ctx context.Context, conn driver.Conn, fill func(driver.Batch, int, int) error, from, to int) error {
	batch, err := conn.PrepareBatch(ctx, sql.Insert("quota"))
	if err != nil {
		return fmt.Errorf("prepare an insert: %w", err)
	}
	if err := fill(batch, from, to); err != nil {
		return errors.Join(fmt.Errorf("append to an insert: %w", err), batch.Abort())
	}
	return batch.Send()
}

// columns are decoded rows: for each column, a slice of the Go type into which the
// driver reads it.
type columns []reflect.Value

// load reads back the rows that the pipeline stored. They are released after each round,
// because so much live memory would slow the garbage collection of the other side.
func (i *bareInsert) load(ctx context.Context) (columns, error) {
	market, err := i.bench.storedMarket(ctx)
	if err != nil {
		return nil, err
	}
	stats := market.group.Stats()
	i.batch = int(stats.Messages / stats.Batches)
	_, list, found := strings.Cut(sql.Insert("quota"), "(")
	if !found {
		return nil, errors.New("the insert of quotas names no columns")
	}
	list, _, _ = strings.Cut(list, ")")
	rows, err := market.conn.Query(ctx, fmt.Sprintf("SELECT %s FROM fact_quota ORDER BY source_line LIMIT %d", list, maxBareRows))
	if err != nil {
		return nil, fmt.Errorf("read the stored rows: %w", err)
	}
	defer func() { _ = rows.Close() }()
	types := rows.ColumnTypes()
	table, into := make(columns, len(types)), make([]any, len(types))
	values := make([]reflect.Value, len(types))
	for c, t := range types {
		table[c] = reflect.MakeSlice(reflect.SliceOf(t.ScanType()), 0, min(i.bench.rows(), maxBareRows))
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

func (c columns) rows() int { return c[0].Len() }

// rowsOfValues returns the rows in the form that the driver's row-wise interface takes.
func (c columns) rowsOfValues() [][]any {
	rows := make([][]any, c.rows())
	for r := range rows {
		rows[r] = make([]any, len(c))
		for column := range c {
			rows[r][column] = c[column].Index(r).Interface()
		}
	}
	return rows
}

// storedMarket returns the pipeline after it has stored the generated market. It loads
// the market unless an earlier figure has done so.
func (b *bench) storedMarket(ctx context.Context) (*pipeline, error) {
	market, err := b.generatedMarket(ctx)
	if err != nil || holds(ctx, market.conn, "fact_quota", b.rows()) == nil {
		return market, err
	}
	_, err = b.loadMarket(ctx, market)
	return market, err
}
