package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cuota/model"
)

// answer is the day that answers for the date that a view of the whole market is
// asked of.
type answer struct {
	date     *model.Date // nil where no day does
	complete bool        // the market has reported the day as a whole
}

// answeringDay gives the day that answers for the date asked for: that date where
// it has data, complete or not, else the latest complete day before it. Without a
// date, and for one after the cutoff, the cutoff answers, where there is one.
func (s *Server) answeringDay(ctx context.Context, c *call) (answer, error) {
	asked, _ := c.date("date")
	if c.atCutoff() {
		return cutoffOf(c.batch), nil
	}
	type found struct {
		Date     time.Time `ch:"date"`
		Complete bool      `ch:"complete"`
	}
	days, err := rows[found](ctx, s.reader, "answering_day",
		arg("batch", c.batch.Number), arg("date", storable(asked).String()))
	if err != nil || len(days) == 0 {
		return answer{}, err
	}
	return answer{dateOf(&days[0].Date), days[0].Complete}, nil
}

// cutoffOf is the cutoff of a batch as an answer: its latest complete day.
func cutoffOf(b *batch) answer { return answer{dateOf(b.AsOf), b.AsOf != nil} }

// atCutoff tells whether the cutoff answers.
func (c *call) atCutoff() bool {
	asked, given := c.date("date")
	return !given || c.batch.AsOf != nil && asked.Compare(model.DateOf(*c.batch.AsOf)) >= 0
}

// errRetired says that a batch began to be dropped while a reply was read of it.
var errRetired = errors.New("retired while it was read")

// stillReadable makes sure, after the last read of a reply, that the batch has not begun to
// be dropped meanwhile, and was not found damaged: then part of it may have been missing.
func (s *Server) stillReadable(ctx context.Context, b *batch) error {
	type found struct {
		Kept    uint64 `ch:"kept"`
		Damaged bool   `ch:"damaged"`
	}
	counted, err := rows[found](ctx, s.reader, "batch_readable", arg("batch", b.Number))
	if err != nil {
		return err
	}
	if len(counted) == 0 || counted[0].Kept == 0 {
		return &readError{"batch_readable", fmt.Errorf("batch %d: %w", b.Number, errRetired)}
	}
	if counted[0].Damaged {
		return damaged()
	}
	return nil
}
