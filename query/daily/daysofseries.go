package daily

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// DaysOfSeries answers with the daily quota values of all series of a fund or of a manager, open or
// closed, in a period. As a table it has all rows at once, in JSON pages of them.
var DaysOfSeries = operation.Endpoint[daysOfSeriesParams, httpapi.List[httpapi.Resource[seriesDay], daysOfSeriesMeta]]{
	Path: "/api/days", Check: checkDaysOfSeries,
	Find: findDaysOfSeries, Table: daysOfSeriesTable,
}

type daysOfSeriesParams struct {
	RUN     operation.RUNParam  `query:"run" empty:"absent" example:"9809" doc:"RUN of a fund, with or without check digit: 8011-K or 8011. Give this or provider_id."`
	Manager *int64              `query:"provider_id" min:"0" max:"4294967295" doc:"Id of a manager, in place of run"`
	From    operation.DateParam `query:"from_date" null:"false" required:"true" example:"2025-07-17" doc:"First day of the period, inclusive, YYYY-MM-DD"`
	To      operation.DateParam `query:"to_date" null:"false" required:"true" example:"2025-07-18" doc:"Last day of the period, inclusive, YYYY-MM-DD; at most 365 days after from_date"`
	Limit   int64               `query:"limit" min:"1" max:"5000" default:"1000" example:"2" doc:"Rows of the page. In a format other than json, absent means all rows."`
	Offset  int64               `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip"`
	operation.BatchParams
	operation.FormatParams
}

// maxSeriesDays is the greatest number of days in one request.
const maxSeriesDays = 366

func checkDaysOfSeries(_ model.Date, params *daysOfSeriesParams) []httpapi.Violation {
	switch {
	case params.RUN.RUN == 0 && params.Manager == nil:
		return operation.WrongParameter("run", "missing", "Required unless provider_id is given")
	case params.RUN.RUN != 0 && params.Manager != nil:
		return operation.WrongParameter("provider_id", "value_error", "Must not be given together with run")
	}
	return operation.CheckPeriod(params.From, params.To, maxSeriesDays)
}

// args returns the arguments of days_of_series.sql.
func (params *daysOfSeriesParams) args(ctx context.Context, p operation.Pinned, limit int64) ([]any, error) {
	run := ""
	if params.RUN.RUN != 0 {
		run = params.RUN.String()
	}
	found, err := operation.Rows[struct {
		ID uint32 `ch:"series_id"`
	}](ctx, p, "series_of", sql.Arg("provider_id", operation.Nullable(params.Manager)), sql.Arg("run", run))
	series := []uint32{}
	for _, of := range found {
		series = append(series, of.ID)
	}
	return []any{
		sql.Arg("series", series), sql.Arg("from", operation.Storable(params.From.Date).String()),
		sql.Arg("to", operation.Storable(params.To.Date).String()),
		sql.Arg("limit", limit), sql.Arg("offset", params.Offset),
	}, err
}

func daysOfSeriesTable(ctx context.Context, r *operation.Request[daysOfSeriesParams]) (operation.Table, error) {
	args, err := r.Params.args(ctx, r.Pinned, operation.GivenLimit(r.Call, r.Params.Limit))
	return operation.Table{Statement: "rows_days_of_series", Args: args}, err
}

// seriesDay is the quota value of a series on a day.
type seriesDay struct {
	Asset    string            `json:"asset_id"`
	RUN      string            `json:"run"`
	Serie    string            `json:"serie"`
	Fund     string            `json:"fund_name"`
	Date     model.Date        `json:"date"`
	Price    *operation.Amount `json:"price"`
	Currency *string           `json:"currency"`
}

// daysOfSeriesMeta is the meta of a page.
type daysOfSeriesMeta struct {
	BatchID string `json:"batch_id"`
	Limit   int64  `json:"limit"`
	Offset  int64  `json:"offset"`
}

func findDaysOfSeries(
	ctx context.Context, r *operation.Request[daysOfSeriesParams],
) (page httpapi.List[httpapi.Resource[seriesDay], daysOfSeriesMeta], err error) {
	args, err := r.Params.args(ctx, r.Pinned, r.Params.Limit+1) // one row more than the page has
	if err != nil {
		return page, err
	}
	found, err := operation.Rows[struct {
		SeriesID uint32          `ch:"series_id"`
		Asset    string          `ch:"asset_id"`
		RUN      string          `ch:"run"`
		Serie    string          `ch:"serie"`
		Fund     string          `ch:"fund"`
		Date     time.Time       `ch:"date"`
		Quota    decimal.Decimal `ch:"quota"`
		Currency *string         `ch:"currency"`
	}](ctx, r.Pinned, "days_of_series", args...)
	if err != nil {
		return page, err
	}
	if found, page.Listing, err = operation.CutPage(ctx, r, found, "days_of_series", args); err != nil {
		return page, err
	}
	page.Data = make([]httpapi.Resource[seriesDay], len(found))
	for i, row := range found {
		date := model.DateOf(row.Date)
		page.Data[i] = httpapi.NewResource(row.Asset+"_"+date.String(), "real_asset_day",
			seriesDay{row.Asset, row.RUN, row.Serie, row.Fund, date, operation.AmountOf(&row.Quota),
				operation.IsoCurrency(row.Currency)})
	}
	page.Meta = daysOfSeriesMeta{r.Batch.ID, r.Params.Limit, r.Params.Offset}
	return page, nil
}
