package series

import (
	"context"
	"time"

	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// OfficialReturns answers with what the newest comparator states of a series, beside our returns.
var OfficialReturns = operation.Endpoint[profileParams, Listed[OfficialReturn]]{
	Path: "/pages/series/{asset_id}/official_returns", ForPages: true, Check: checkProfile, Find: findOfficialReturns,
}

// OfficialReturn is the return over some years that a comparator states, and ours. All are fractions per year, nil if
// there is none.
type OfficialReturn struct {
	Years      uint8       `ch:"years" json:"years"`
	Basis      string      `ch:"basis" json:"basis"` // nominal or real
	Official   *float64    `ch:"official_return" json:"official_return"`
	Price      *float64    `ch:"price_return" json:"price_return"`
	Reinvested *float64    `ch:"reinvested_return" json:"reinvested_return"`
	Cause      *string     `ch:"cause" json:"cause"`   // of a difference
	Reason     *string     `ch:"reason" json:"reason"` // why there is none of ours
	Date       model.Date  `ch:"-" json:"date"`        // of the comparator
	Compared   *model.Date `ch:"-" json:"compared_date"`
}

func findOfficialReturns(ctx context.Context,
	r *operation.Request[profileParams]) (listed Listed[OfficialReturn], err error) {
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return listed, err
	}
	found, err := operation.Rows[struct {
		On         time.Time  `ch:"date"`
		ComparedOn *time.Time `ch:"compared_date"`
		OfficialReturn
	}](ctx, r.Pinned, "official_returns", sql.Arg("series_id", known.ID),
		sql.Arg("as_of", r.Params.catalogueDate().String()))
	listed.Data = make([]OfficialReturn, len(found))
	for i, row := range found {
		row.Date, row.Compared = model.DateOf(row.On), operation.DateOf(row.ComparedOn)
		listed.Data[i] = row.OfficialReturn
	}
	return listed, err
}
