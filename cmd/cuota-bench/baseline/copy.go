package baseline

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Copy writes the rows of the first batch once more, table by table, with INSERT SELECT. That is the
// least that it costs to write them, without computing anything.
type Copy struct {
	Rows   uint64 // of all tables
	conn   driver.Conn
	tables []copiedTable
}

// copiedTable is a table whose rows tell the batch that wrote them, in the column batch or build.
type copiedTable struct {
	Name   string `ch:"table"`
	Column string `ch:"written_by"`
	batch  uint64
}

// copyDatabase holds the copy while it is made.
const copyDatabase = "plain_copy"

// NewCopy makes an empty copy of each table to which the first batch wrote. Drop removes them.
func NewCopy(ctx context.Context, conn driver.Conn) (Copy, error) {
	c := Copy{conn: conn}
	var tables []copiedTable
	if err := conn.Select(ctx, &tables, `
		SELECT table, any(name) AS written_by FROM system.columns
		WHERE database = currentDatabase() AND name IN ('batch', 'build')
		  AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
		GROUP BY table ORDER BY table`); err != nil {
		return Copy{}, fmt.Errorf("list the tables of a batch: %w", err)
	}
	if err := conn.Exec(ctx, "CREATE DATABASE "+copyDatabase); err != nil {
		return Copy{}, err
	}
	// The names come from the program and need no quoting.
	for _, table := range tables {
		var rows uint64
		if err := conn.QueryRow(ctx,
			fmt.Sprintf("SELECT min(%[1]s), countIf(%[1]s = (SELECT min(%[1]s) FROM %[2]s)) FROM %[2]s", table.Column,
				table.Name)).
			Scan(&table.batch, &rows); err != nil {
			return Copy{}, fmt.Errorf("count the rows of %s: %w", table.Name, err)
		}
		if rows == 0 {
			continue
		}
		if err := conn.Exec(ctx, fmt.Sprintf("CREATE TABLE %s.%s AS %s", copyDatabase, table.Name,
			table.Name)); err != nil {
			return Copy{}, fmt.Errorf("make a copy of %s: %w", table.Name, err)
		}
		c.Rows += rows
		c.tables = append(c.tables, table)
	}
	return c, nil
}

// Write copies the rows.
func (c Copy) Write(ctx context.Context) error {
	for _, table := range c.tables {
		// ClickHouse must not refuse a block whose rows are of many years.
		ctx := clickhouse.Context(ctx,
			clickhouse.WithSettings(clickhouse.Settings{"max_partitions_per_insert_block": 0}))
		if err := c.conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s.%s SELECT * FROM %s WHERE %s = %d", copyDatabase,
			table.Name, table.Name, table.Column, table.batch)); err != nil {
			return fmt.Errorf("copy %s: %w", table.Name, err)
		}
	}
	return nil
}

// Drop removes the copy.
func (c Copy) Drop(ctx context.Context) error {
	return c.conn.Exec(ctx, "DROP DATABASE "+copyDatabase+" SYNC")
}
