package summary

import (
	"context"

	"cuota/query/operation"
)

// History says how much history the batch has: how many series are alive at the cutoff, and of how many of these only
// one day has a quota.
type History struct {
	Series   uint64 `ch:"series" json:"series"`
	OfOneDay uint64 `ch:"of_one_day" json:"ofOneDay"`
}

// HistoryOfMarket answers for the front page why returns are missing.
var HistoryOfMarket = operation.Endpoint[struct{}, History]{
	Path: "/pages/history", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[struct{}]) (History, error) {
		found, err := operation.Rows[History](ctx, r.Pinned, "single_day_series")
		if err != nil || len(found) == 0 {
			return History{}, err
		}
		return found[0], nil
	},
}
