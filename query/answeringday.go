package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cuota/model"
)

// answer is the day whose data are shown for a requested date, in operations on the whole
// market.
type answer struct {
	date     *model.Date // nil if there is no such day
	complete bool        // the day is complete for the whole market
}

// answeringDay finds the day whose data are shown for the requested date. It is that date
// if it has data, complete or not, else the latest complete day before it. Without a date,
// and for a date after the cutoff, it is the cutoff. If there is none of these, the date of
// the answer is nil.
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

// atCutoff tells whether the answering day of a call is the cutoff.
func (c *call) atCutoff() bool {
	asked, given := c.date("date")
	return !given || c.batch.AsOf != nil && asked.Compare(model.DateOf(*c.batch.AsOf)) >= 0
}

// errRetired says that the batch was retired while it was being read.
var errRetired = errors.New("retired while it was read")

// stillReadable is called after the last read of a reply. It fails if the batch was retired
// meanwhile, or is damaged: rows may have been missing from what was read.
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
