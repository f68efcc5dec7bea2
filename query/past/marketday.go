package past

import (
	"context"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
)

// MarketDayParams are the parameters of operations on the whole market on one day.
type MarketDayParams struct {
	Date operation.DateParam `query:"date" example:"2025-07-20" doc:"A day, YYYY-MM-DD. It answers where it has data: where at least half of the series that have stated no end are quoted. Else the latest complete day before it does. By default the cutoff, which also stands for later days."`
}

// MarketDay is the day whose data are shown for a requested date, in operations on the whole
// market.
type MarketDay struct {
	Date     *model.Date // nil if there is no such day
	Complete bool        // the day is complete for the whole market
}

// AnsweringDay finds the day whose data are shown for the requested date. It is that date
// if it has data, complete or not, else the latest complete day before it. Without a date,
// and for a date after the cutoff, it is the cutoff. If there is none of these, the date of
// the result is nil.
func AnsweringDay(ctx context.Context, p operation.Pinned, asked operation.DateParam) (MarketDay, error) {
	if AtCutoff(p.Batch, asked) {
		return CutoffOf(p.Batch), nil
	}
	past, err := Of(ctx, p)
	if err != nil {
		return MarketDay{}, err
	}
	return past.answering(asked.Date), nil
}

// CutoffOf returns the cutoff of a batch: its latest complete day.
func CutoffOf(b *batch.Batch) MarketDay { return MarketDay{operation.DateOf(b.AsOf), b.AsOf != nil} }

// AtCutoff reports whether the day that is shown for a date is the cutoff.
func AtCutoff(b *batch.Batch, asked operation.DateParam) bool {
	return !asked.Given || b.AsOf != nil && asked.Compare(model.DateOf(*b.AsOf)) >= 0
}
