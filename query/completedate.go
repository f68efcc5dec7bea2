package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cuota/model"
)

// completeDate gives the date that a view of the whole market is of: the latest
// complete one on or before the date asked for, by default the cutoff. It is nil
// where none is complete.
func (s *Server) completeDate(ctx context.Context, c *call) (*model.Date, error) {
	asked, _ := c.date("date")
	if c.atCutoff() {
		return dateOf(c.batch.AsOf), nil
	}
	type found struct {
		Date *time.Time `ch:"last_complete"`
	}
	dates, err := rows[found](ctx, s.reader, "complete_date",
		arg("batch", c.batch.Number), arg("date", storable(asked).String()))
	if err != nil || len(dates) == 0 {
		return nil, err
	}
	return dateOf(dates[0].Date), nil
}

// atCutoff tells whether completeDate gives the cutoff, which is the last day of
// the batch that is complete.
func (c *call) atCutoff() bool {
	asked, given := c.date("date")
	return !given || c.batch.AsOf != nil && asked.Compare(model.DateOf(*c.batch.AsOf)) >= 0
}

// errRetired says that a batch began to be dropped while a reply was read of it.
var errRetired = errors.New("retired while it was read")

// stillKept makes sure, after the last read of a reply, that the batch has not
// begun to be dropped meanwhile: then part of it may have been missing.
func (s *Server) stillKept(ctx context.Context, b *batch) error {
	type found struct {
		Kept uint64 `ch:"kept"`
	}
	counted, err := rows[found](ctx, s.reader, "batch_kept", arg("batch", b.Number))
	if err != nil {
		return err
	}
	if len(counted) == 0 || counted[0].Kept == 0 {
		return &readError{"batch_kept", fmt.Errorf("batch %d: %w", b.Number, errRetired)}
	}
	return nil
}
