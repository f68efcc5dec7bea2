package daily

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"
)

// ReturnsByDay answers with the price returns of every series on a day, or on each day of a period, as
// the batch stored them: of all series with a quote on the day or up to 38 days before it. As a
// table it has all rows at once, in JSON pages of them. With from and to it answers with the returns between these
// two days (returnsbetween.go). The filters of the screener leave the series that it has with them.
var ReturnsByDay = operation.Endpoint[returnsByDayParams,
	httpapi.List[httpapi.Resource[any], returnsByDayMeta]]{
	Path: "/api/returns", Check: checkReturnsByDay,
	Find: findReturnsByDay, Table: returnsByDayTable,
	Answers: func(params *returnsByDayParams) int { return len(params.Series) },
}

type returnsByDayParams struct {
	Date   operation.DateParam `query:"date" null:"false" example:"2025-06-30" doc:"End of the windows, YYYY-MM-DD. Give this or both from_date and to_date."`
	From   operation.DateParam `query:"from_date" null:"false" doc:"First day of a period, inclusive, YYYY-MM-DD"`
	To     operation.DateParam `query:"to_date" null:"false" doc:"Last day of the period, inclusive, YYYY-MM-DD; at most 30 days after from_date"`
	Begin  operation.DateParam `query:"from" null:"false" doc:"With to: the return between these two days, which begins with the quote that stands on this one, YYYY-MM-DD. The Content-Type of JSON is then application/vnd.cuota.period+json."`
	End    operation.DateParam `query:"to" null:"false" doc:"With from: the day with whose quote the return ends, YYYY-MM-DD"`
	Series manySeries          `query:"series" empty:"absent" null:"false" doc:"One to 500 different decimal ids of series, separated by commas. Ten count as one request. With from and to, all are answered on one page, and an unknown one gives 404. Absent: all series."`
	// Valuation is that of returns between two days.
	Valuation string `query:"valuation" enum:"accounting,clp,real_uf" default:"first" doc:"Of returns with from and to. accounting: in the currency of the series. clp: dollars become pesos at the dólar observado. real_uf: in pesos, deflated by UF. An operator enables clp and real_uf; where they are not, 503 valuation_not_enabled."`
	market.Filters
	Limit  int64 `query:"limit" min:"1" max:"1000" default:"100" example:"1" doc:"Rows of the page. In a format other than json, absent means all rows."`
	Offset int64 `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip"`
	operation.BatchParams
	operation.FormatParams
}

// maxReturnDays is the greatest number of days in one request.
const maxReturnDays = 31

func checkReturnsByDay(_ model.Date, params *returnsByDayParams) []httpapi.Violation {
	from, to := params.From, params.To
	if len(params.Series) > 0 && params.Filters.Given() {
		return operation.WrongParameter("series", "value_error", "Must not be given together with filters of the screener")
	}
	if wrong := params.Filters.Check(); wrong != nil {
		return wrong
	}
	switch {
	case params.Valuation != "accounting" && !params.Begin.Given:
		return operation.WrongParameter("valuation", "value_error", "Only for returns with from and to")
	case params.Begin.Given || params.End.Given:
		return params.checkBetween()
	case params.Date.Given && (from.Given || to.Given):
		return operation.WrongParameter("date", "value_error", "Must not be given together with from_date or to_date")
	case params.Date.Given:
		return nil
	case !from.Given && !to.Given:
		return operation.WrongParameter("date", "missing", "Required unless from_date and to_date are given")
	case !from.Given:
		return operation.WrongParameter("from_date", "missing", "Required with to_date")
	case !to.Given:
		return operation.WrongParameter("to_date", "missing", "Required with from_date")
	}
	return operation.CheckPeriod(from, to, maxReturnDays)
}

// args returns the arguments of rows_returns.sql.
func (p *returnsByDayParams) args(limit int64) []any {
	from, to := p.From.Or(operation.FirstDay), p.To.Or(operation.FirstDay)
	if p.Date.Given {
		from, to = operation.Storable(p.Date.Date), operation.Storable(p.Date.Date)
	}
	return append(p.chosen(), sql.Arg("from", from.String()), sql.Arg("to", to.String()), sql.Arg("limit", limit),
		sql.Arg("offset", p.Offset))
}

// chosen returns the arguments that say of which series the returns are.
func (p *returnsByDayParams) chosen() []any {
	return append(p.Filters.Args(), sql.Arg("series", market.ListOf(p.Series)),
		sql.Arg("filtered", p.Filters.Given()))
}

func returnsByDayTable(ctx context.Context, r *operation.Request[returnsByDayParams]) (operation.Table, error) {
	r.Params.Series = r.Params.Series.current(r.Pinned)
	if r.Params.Begin.Given {
		return returnsBetweenTable(ctx, r)
	}
	return operation.Table{Statement: "rows_returns",
		Args: r.Params.args(operation.GivenLimit(r.Call, r.Params.Limit))}, nil
}

// storedReturns are the returns of a series on a day.
type storedReturns struct {
	SerieID           string                  `json:"serieId"`
	RUN               string                  `json:"run"`
	Serie             string                  `json:"serie"` // at the cutoff
	FundName          string                  `json:"fundName"`
	Date              model.Date              `json:"date"`
	Currency          *string                 `json:"currency"`      // nil: unknown
	EffectiveEnd      model.Date              `json:"effective_end"` // of all windows but the last closed month
	MonthCurrency     *string                 `json:"month_currency"`
	MonthEffectiveEnd *model.Date             `json:"month_effective_end"`
	Returns           map[string]storedReturn `json:"returns"` // by window
}

// storedReturn is a price return in accounting currency, a fraction.
type storedReturn struct {
	Value  *float64    `json:"value"`
	Reason *string     `json:"reason"` // why there is no value
	Start  *model.Date `json:"effective_start"`
}

// returnsByDayMeta is the meta of a page.
type returnsByDayMeta struct {
	Unit        string `json:"unit"`
	ReturnBasis string `json:"return_basis"`
	Limit       int64  `json:"limit"`
	Offset      int64  `json:"offset"`
}

func findReturnsByDay(
	ctx context.Context, r *operation.Request[returnsByDayParams],
) (page httpapi.List[httpapi.Resource[any], returnsByDayMeta], err error) {
	r.Params.Series = r.Params.Series.current(r.Pinned)
	if r.Params.Begin.Given {
		return findReturnsBetween(ctx, r)
	}
	type found struct {
		SeriesID          uint32       `ch:"series_id"`
		RUN               string       `ch:"run"`
		Serie             string       `ch:"serie"`
		Fund              string       `ch:"fund"`
		Date              time.Time    `ch:"date"`
		Currency          *string      `ch:"currency"`
		EffectiveEnd      time.Time    `ch:"effective_end"`
		MonthCurrency     *string      `ch:"month_currency"`
		MonthEffectiveEnd *time.Time   `ch:"month_effective_end"`
		Returns           []*float64   `ch:"returns"`
		Reasons           []*string    `ch:"reasons"`
		Starts            []*time.Time `ch:"starts"`
	}
	args := r.Params.args(r.Params.Limit + 1) // one row more than the page has
	stored, err := operation.Rows[found](ctx, r.Pinned, "returns_by_day", args...)
	if err != nil {
		return page, err
	}
	if stored, page.Listing, err = operation.CutPage(ctx, r, stored, "returns_by_day", args); err != nil {
		return page, err
	}
	page.Data = make([]httpapi.Resource[any], len(stored))
	for i, row := range stored {
		date := model.DateOf(row.Date)
		attributes := storedReturns{
			SerieID: operation.IDText(row.SeriesID), RUN: row.RUN, Serie: row.Serie, FundName: row.Fund, Date: date,
			Currency: row.Currency, EffectiveEnd: model.DateOf(row.EffectiveEnd),
			MonthCurrency: row.MonthCurrency, MonthEffectiveEnd: operation.DateOf(row.MonthEffectiveEnd),
			Returns: map[string]storedReturn{},
		}
		for w, window := range model.Windows {
			attributes.Returns[window] = storedReturn{row.Returns[w], row.Reasons[w], operation.DateOf(row.Starts[w])}
		}
		page.Data[i] = httpapi.NewResource[any](operation.IDText(row.SeriesID)+"_"+date.String(), "series_returns",
			attributes)
	}
	page.Meta = returnsByDayMeta{"decimal", "price", r.Params.Limit, r.Params.Offset}
	return page, nil
}
