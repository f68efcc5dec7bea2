package summarytable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cuota/model"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Stretch is the dates of a request that one batch answers, in order.
type Stretch struct {
	Batch  Batch
	Reader sql.Reader
	Days   []Dates
}

// AtPublication divides a request by the batches that first had its dates: a date is answered by the
// first batch, of those that are kept and not damaged, whose cutoff is on or after it. So the dates of
// the history that was there before the first of these are all answered by that one. It fails if no
// date is answered.
func AtPublication(ctx context.Context, conn driver.Conn, asked Request) ([]Stretch, error) {
	if err := asked.Check(); err != nil {
		return nil, err
	}
	type kept struct {
		ID     string    `ch:"batch_id"`
		Cutoff time.Time `ch:"cutoff"`
	}
	batches, err := sql.Rows[kept](ctx, sql.NewCommandReader(conn, "backtest", false), "backtest_summary_batches")
	if err != nil {
		return nil, err
	}
	var stretches []Stretch
	from := asked.From
	for _, b := range batches {
		cutoff := model.DateOf(b.Cutoff)
		if cutoff.Compare(from) < 0 { // nothing of the rest, or corrections of what was answered already
			continue
		}
		if from.Compare(asked.To) > 0 {
			break
		}
		batch, reader, err := chooseBatch(ctx, conn, b.ID)
		if err != nil {
			return nil, fmt.Errorf("batch %s: %w", b.ID, err)
		}
		days, err := listDays(ctx, reader, batch, Request{From: from, To: earlier(asked.To, cutoff), Step: asked.Step})
		if err != nil {
			return nil, Stretch{Batch: batch}.explain(err)
		}
		if len(days) == 0 {
			// Its dates may have no data, but a batch that was dropped meanwhile gives none either.
			if err := CheckReadable(ctx, reader, batch); err != nil {
				return nil, fmt.Errorf("batch %s: %w", b.ID, err)
			}
		}
		if n := len(stretches); n > 0 { // a Sunday without data may be answered by a day that the batch before had
			earlier := stretches[n-1].Days
			days = slices.DeleteFunc(days, func(d Dates) bool { return !d.Date.After(earlier[len(earlier)-1].Date) })
		}
		if len(days) > 0 {
			stretches = append(stretches, Stretch{batch, reader, days})
		}
		from = cutoff.AddDays(1)
	}
	if len(stretches) > 0 {
		return stretches, nil
	}
	batch, reader, err := Choose(ctx, conn, nil)
	if err != nil {
		return nil, err
	}
	return nil, explainEmpty(ctx, reader, batch, asked)
}

// ReadAll reads the summaries of stretches one after the other, as Read does each, and fails if rows of
// one of their batches may have been missing.
func ReadAll(ctx context.Context, stretches []Stretch, asked Request, take func(Part) error) error {
	for _, s := range stretches {
		err := Read(ctx, s.Reader, s.Batch, asked, s.Days, take)
		if err == nil {
			err = CheckReadable(ctx, s.Reader, s.Batch)
		}
		if err != nil {
			if len(stretches) > 1 {
				return s.explain(err)
			}
			return s.Batch.Explain(err)
		}
	}
	return nil
}

// explain says of which of several batches an error is. One that another version of the program built stays
// until it is dropped, so waiting does not help.
func (s Stretch) explain(err error) error {
	if !s.Batch.ownRules() && errors.As(err, new(*sql.ReadError)) {
		return fmt.Errorf("%w: another version of cuota built batch %s; begin after its cutoff %s, or read all dates "+
			"from one batch", err, s.Batch.ID, s.Batch.Cutoff)
	}
	return fmt.Errorf("batch %s: %w", s.Batch.ID, err)
}
