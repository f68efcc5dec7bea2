package batch

import (
	"context"
	"fmt"

	"cuota/sql"
)

// CheckReadable is called after the last read of a reply. It fails with ErrRetired or
// ErrDamaged if the batch was retired or found damaged meanwhile: rows may have been missing
// from what was read, and a wrong reply would be cached.
func CheckReadable(ctx context.Context, r sql.Reader, b *Batch) error {
	type found struct {
		Kept    uint64 `ch:"kept"`
		Damaged bool   `ch:"damaged"`
	}
	counted, err := sql.Rows[found](ctx, r, "batch_readable", sql.Arg("batch", b.Number))
	if err != nil {
		return err
	}
	if len(counted) == 0 || counted[0].Kept == 0 {
		return &sql.ReadError{Statement: "batch_readable", Err: fmt.Errorf("batch %d: %w", b.Number, ErrRetired)}
	}
	if counted[0].Damaged {
		return ErrDamaged
	}
	return nil
}
