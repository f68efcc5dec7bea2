// Package write is how the projector and its rooms write to ClickHouse: inserts of rows, and
// statements that spill to temporary files. It imports none of them.
package write

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Rows inserts rows in one statement, which begins with head. If it fails, ClickHouse may
// have stored some of the rows. Writing them again is harmless.
func Rows(ctx context.Context, conn driver.Conn, head string, rows [][]any) error {
	return Filled(ctx, conn, head, len(rows), func(batch driver.Batch) error {
		for _, row := range rows {
			if err := batch.Append(row...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Filled is Rows for so many rows that fill appends to the insert, such as whole columns, which is
// faster.
func Filled(ctx context.Context, conn driver.Conn, head string, rows int, fill func(driver.Batch) error) error {
	if rows == 0 {
		return nil
	}
	batch, err := conn.PrepareBatch(ctx, head)
	if err != nil {
		return fmt.Errorf("prepare an insert: %w", err)
	}
	if err := fill(batch); err != nil {
		return errors.Join(fmt.Errorf("append to an insert: %w", err), batch.Abort())
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert %d rows: %w", rows, err)
	}
	return nil
}
