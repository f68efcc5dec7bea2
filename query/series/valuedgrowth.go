package series

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// ValuedGrowth answers with the quotas of a series and by how much it has grown in pesos, in pesos beyond the growth of
// the UF, or in dollars, for a chart.
var ValuedGrowth = operation.Endpoint[valuedGrowthParams, Listed[GrowthPoint]]{
	Path: "/pages/series/{asset_id}/growth", ForPages: true,
	Check: func(_ model.Date, params *valuedGrowthParams) []httpapi.Violation {
		return operation.CheckRange(params.From, params.To)
	},
	Find: findValuedGrowth,
}

type valuedGrowthParams struct {
	operation.AssetParams
	From operation.DateParam `query:"from_date" doc:"First day, inclusive"`
	To   operation.DateParam `query:"to_date" doc:"Last day, inclusive"`

	Valuation string `query:"valuation" enum:"real_uf,clp,usd" default:"real_uf" doc:"In pesos beyond the UF, in pesos, or in dollars"`
}

// GrowthPoint is the quota of a series on a day, and by how much it has grown until then.
type GrowthPoint struct {
	Date   model.Date `json:"date"`
	Quota  float64    `json:"quota"`  // in the currency of the series
	Growth *float64   `json:"growth"` // fraction since the first day; nil where a rate lacks or the currency is another one
}

func findValuedGrowth(ctx context.Context,
	r *operation.Request[valuedGrowthParams]) (listed Listed[GrowthPoint], err error) {
	known, err := numberOf(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return listed, err
	}
	found, err := operation.Rows[struct {
		Day    time.Time       `ch:"date"`
		Quota  decimal.Decimal `ch:"quota"`
		Growth *float64        `ch:"growth"`
	}](ctx, r.Pinned, "valued_growth", append(tableArgs(r.Params.Asset), sql.Arg("series_id", known),
		sql.Arg("valuation", r.Params.Valuation),
		sql.Arg("from_date", r.Params.From.Or(operation.FirstDay).String()),
		sql.Arg("to_date", r.Params.To.Or(operation.LastDayOfAll).String()))...)
	listed.Data = make([]GrowthPoint, len(found))
	for i, point := range found {
		listed.Data[i] = GrowthPoint{model.DateOf(point.Day), point.Quota.InexactFloat64(), point.Growth}
	}
	return listed, err
}
