package series

import (
	"context"

	"cuota/model"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"
)

// ChartQuotas answers with the quotas of up to ten series at once, as numbers for a chart. The operation
// days answers with those of one series, which would take a statement or two for each.
var ChartQuotas = operation.Endpoint[chartQuotasParams, ChartedQuotas]{
	Path: "/pages/quotas", ForPages: true,
	Find: findChartQuotas,
}

type chartQuotasParams struct {
	Series market.SeriesIDs    `query:"series" required:"true" example:"1161378270,2322559342" doc:"One to ten different decimal ids of series, separated by commas"`
	From   operation.DateParam `query:"from_date" null:"false" doc:"First day, inclusive; absent: the first of all"`
	To     operation.DateParam `query:"to_date" null:"false" doc:"Last day, inclusive; absent: the last of all"`
}

// ChartedQuotas are the quotas of several series from a day on.
type ChartedQuotas struct {
	From model.Date     `json:"from"`
	Data []SeriesQuotas `json:"data"`
}

// SeriesQuotas are the quotas of one series. Days and Quotas have the same length.
type SeriesQuotas struct {
	SerieID string    `ch:"-" json:"serieId"`
	ID      uint32    `ch:"series_id" json:"-"`
	Days    []uint32  `ch:"days" json:"days"` // since From, ascending
	Quotas  []float64 `ch:"quotas" json:"quotas"`
}

func findChartQuotas(ctx context.Context, r *operation.Request[chartQuotasParams]) (ChartedQuotas, error) {
	from, to := r.Params.From.Or(operation.FirstDay), r.Params.To.Or(operation.LastDayOfAll)
	found, err := operation.Rows[SeriesQuotas](ctx, r.Pinned, "chart_quotas",
		sql.Arg("series", []uint32(r.Params.Series)),
		sql.Arg("from_date", from.String()), sql.Arg("to_date", to.String()))
	for i := range found {
		found[i].SerieID = operation.IDText(found[i].ID)
	}
	return ChartedQuotas{from, found}, err
}
