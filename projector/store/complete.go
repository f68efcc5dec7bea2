package store

import (
	"context"
	"fmt"

	"cuota/projector/write"
	"cuota/sql"
)

// Arriving counts the files whose manifest has arrived, but not all of their rows.
func (c *Consumer) Arriving(ctx context.Context) (files uint64, err error) {
	if err := c.conn.QueryRow(ctx, sql.Query("waiting_manifests")).Scan(&files); err != nil {
		return 0, fmt.Errorf("query the files that are arriving: %w", err)
	}
	return files, nil
}

// Settle records which files have become complete, which means that all rows counted by
// their manifest are stored.
func (c *Consumer) Settle(ctx context.Context) error {
	var waiting uint64
	if err := c.conn.QueryRow(ctx, sql.Query("waiting_manifests")).Scan(&waiting); err != nil {
		return fmt.Errorf("query the files to complete: %w", err)
	}
	if waiting == 0 {
		return nil
	}
	if err := c.conn.Exec(write.Spilling(ctx), sql.Query("complete_manifests")); err != nil {
		return fmt.Errorf("query the complete files: %w", err)
	}
	return nil
}

// noteAgain notes which files, given by their hashes, came again although a plan has them that is not published. If its
// batch is refused, they are planned again.
func (c *Consumer) noteAgain(ctx context.Context, files []string) error {
	if len(files) == 0 {
		return nil
	}
	if err := c.conn.Exec(ctx, sql.Query("note_again"), sql.Arg("files", files)); err != nil {
		return fmt.Errorf("note the files that came again: %w", err)
	}
	return nil
}
