package series

import (
	"context"
	"time"

	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// RollingReturns answers with the price returns of a series over all windows of one year and of three years that end on
// a month end, and what they come to (RULES 5).
var RollingReturns = operation.Endpoint[profileParams, Listed[RolledWindow]]{
	Path: "/pages/series/{asset_id}/rolling", ForPages: true,
	Check: checkProfile, Find: findRollingReturns,
}

// RolledWindow is what the windows of one length come to. The fractions are nil if fewer than 12 windows have a return.
type RolledWindow struct {
	Window    string      `ch:"window" json:"window"` // 1y, or 3y_ann, whose returns are per year
	Windows   uint32      `ch:"windows" json:"windows"`
	Lowest    *float64    `ch:"lowest" json:"lowest"`
	Highest   *float64    `ch:"highest" json:"highest"`
	Median    *float64    `ch:"median" json:"median"`
	Negative  *float64    `ch:"negative" json:"negative"` // share of the returns that are below 0
	LowestOn  *model.Date `ch:"-" json:"lowest_date"`
	HighestOn *model.Date `ch:"-" json:"highest_date"`
	Ends      []RolledEnd `ch:"-" json:"ends"` // in order
}

// RolledEnd is a month end with the return of the window that ends there. Value is nil with a reason.
type RolledEnd struct {
	Date   model.Date `json:"date"`
	Value  *float64   `json:"value"`
	Reason *string    `json:"reason"`
}

func findRollingReturns(ctx context.Context,
	r *operation.Request[profileParams]) (listed Listed[RolledWindow], err error) {
	known, err := numberOf(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return listed, err
	}
	found, err := operation.Rows[struct {
		RolledWindow
		LowestDay  *time.Time  `ch:"lowest_on"`
		HighestDay *time.Time  `ch:"highest_on"`
		MonthEnds  []time.Time `ch:"ends"`
		Returns    []*float64  `ch:"returns"`
		Reasons    []*string   `ch:"reasons"`
	}](ctx, r.Pinned, "rolling_returns", sql.Arg("series_id", known),
		sql.Arg("as_of", operation.Storable(r.Params.until(r.Pinned)).String()))
	listed.Data = make([]RolledWindow, len(found))
	for i, row := range found {
		of := &listed.Data[i]
		*of = row.RolledWindow
		of.LowestOn, of.HighestOn = operation.DateOf(row.LowestDay), operation.DateOf(row.HighestDay)
		of.Ends = make([]RolledEnd, len(row.MonthEnds))
		for j, end := range row.MonthEnds {
			of.Ends[j] = RolledEnd{model.DateOf(end), row.Returns[j], row.Reasons[j]}
		}
	}
	return listed, err
}
