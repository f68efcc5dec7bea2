package market

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// Correlations answers how much the monthly returns of two to ten series go together (RULES 5).
var Correlations = operation.Endpoint[correlationParams, Correlated]{
	Path: "/pages/correlations", ForPages: true, Need: batch.Complete,
	Check: func(today model.Date, params *correlationParams) []httpapi.Violation {
		return operation.CheckAsOf(today, params.AsOf)
	},
	Find: findCorrelations,
}

type correlationParams struct {
	Series    SeriesIDs `query:"series" required:"true" example:"1161378270,2322559342" doc:"Two to ten different decimal ids of series, separated by commas"`
	Valuation string    `query:"valuation" enum:"accounting,clp" default:"accounting" doc:"accounting: in the currency of the series if they have one, else in pesos; clp: in pesos"`
	operation.AsOfParams
}

// Correlated are the correlations of pairs of series over the months in which all of them have a return.
type Correlated struct {
	Currency string      `json:"currency"` // of all returns; "" without any
	Months   uint32      `json:"months"`   // common to all series
	First    *model.Date `json:"first_month"`
	Last     *model.Date `json:"last_month"`
	Own      []uint32    `json:"own_months"` // how many each series has by itself, in the order of the request
	Pairs    []Pair      `json:"pairs"`
}

// Pair are two series. Value is from -1 to 1, or nil with a reason.
type Pair struct {
	First  uint32   `ch:"a" json:"first"`
	Second uint32   `ch:"b" json:"second"`
	Value  *float64 `ch:"correlation" json:"value"`
	Reason *string  `ch:"reason" json:"reason"`
}

func findCorrelations(ctx context.Context, r *operation.Request[correlationParams]) (Correlated, error) {
	until := r.Params.AsOf.Date
	if cutoff := operation.DateOf(r.Batch.AsOf); !r.Params.AsOf.Given && cutoff != nil {
		until = *cutoff
	}
	found, err := operation.Rows[struct {
		Pair
		Currency string     `ch:"currency"`
		Months   uint32     `ch:"months"`
		First    *time.Time `ch:"first_month"`
		Last     *time.Time `ch:"last_month"`
		Own      []uint32   `ch:"own_months"`
	}](ctx, r.Pinned, "correlations", sql.Arg("series", []uint32(r.Params.Series)),
		sql.Arg("as_of", operation.Storable(until).String()), sql.Arg("in_pesos", r.Params.Valuation == "clp"))
	out := Correlated{Pairs: make([]Pair, len(found))}
	for i, row := range found {
		out.Pairs[i] = row.Pair
		out.Currency, out.Months, out.Own = row.Currency, row.Months, row.Own
		out.First, out.Last = operation.DateOf(row.First), operation.DateOf(row.Last)
	}
	return out, err
}
