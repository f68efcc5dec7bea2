package summary

import (
	"context"

	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
)

// OfDayThen sums up one day of the market as OfDay does, but with every series that existed on the day, also those that
// have closed since. The public interface counts only series that are alive today.
var OfDayThen = operation.Endpoint[past.MarketDayParams, *Summary]{
	Path: "/pages/market_then", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[past.MarketDayParams]) (*Summary, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.Date)
		if err != nil {
			return nil, err
		}
		if day.Date == nil {
			return emptySummary(r.Pinned, day), nil
		}
		found, err := summarise(ctx, r.Pinned, []past.MarketDay{day}, everySeries)
		return found[*day.Date], err
	},
	Parts: []batch.Loader{past.Part},
}
