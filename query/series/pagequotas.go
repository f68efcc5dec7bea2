package series

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"
)

// PageQuotas gives the quotas of up to ten series at once, as numbers for a chart. The operation
// days gives them of one series, which would take a statement or two for each.
var PageQuotas = operation.Endpoint[pageQuotasParams]{
	Path: "/pages/quotas", ForPages: true,
	Answer: answerPageQuotas,
}

type pageQuotasParams struct {
	Series market.SeriesIDs    `query:"series" required:"true" example:"1161378270,2322559342" doc:"One to ten different decimal ids of series, separated by commas"`
	From   operation.DateParam `query:"from_date" null:"false" doc:"First day, inclusive; absent: the first of all"`
	To     operation.DateParam `query:"to_date" null:"false" doc:"Last day, inclusive; absent: the last of all"`
}

// seriesQuotas are the quotas of one series. Days and Quotas have the same length.
type seriesQuotas struct {
	Serie  string    `ch:"-" json:"serieId"`
	ID     uint32    `ch:"series_id" json:"-"`
	Days   []uint32  `ch:"days" json:"days"` // since from, ascending
	Quotas []float64 `ch:"quotas" json:"quotas"`
}

func answerPageQuotas(ctx context.Context, r *operation.Request[pageQuotasParams]) (httpapi.Reply, error) {
	from, to := r.Params.From.Or(operation.FirstDay), r.Params.To.Or(operation.LastDayOfAll)
	found, err := operation.Rows[seriesQuotas](ctx, r.Pinned, "page_quotas", sql.Arg("series", []uint32(r.Params.Series)),
		sql.Arg("from_date", from.String()), sql.Arg("to_date", to.String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	for i := range found {
		found[i].Serie = operation.IDText(found[i].ID)
	}
	return httpapi.JSON(struct {
		From model.Date     `json:"from"`
		Data []seriesQuotas `json:"data"`
	}{from, found})
}
