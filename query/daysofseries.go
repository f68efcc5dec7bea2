package query

import (
	"context"
	"strconv"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// daysOfSeries gives the daily quota values of all series of a fund or of a manager, open or
// closed, in a period. As a table it gives all rows at once, in JSON pages of them.
var daysOfSeries = endpoint[daysOfSeriesParams]{
	path: "/api/days", check: checkDaysOfSeries,
	answer: answerDaysOfSeries, table: daysOfSeriesTable,
}

type daysOfSeriesParams struct {
	RUN     runParam  `query:"run" empty:"absent" example:"9809" doc:"RUN of a fund, with or without check digit: 8011-K or 8011. Give this or provider_id."`
	Manager *int64    `query:"provider_id" min:"0" max:"4294967295" doc:"Id of a manager, in place of run"`
	From    dateParam `query:"from_date" null:"false" required:"true" example:"2025-07-17" doc:"First day of the period, inclusive, YYYY-MM-DD"`
	To      dateParam `query:"to_date" null:"false" required:"true" example:"2025-07-18" doc:"Last day of the period, inclusive, YYYY-MM-DD; at most 365 days after from_date"`
	Limit   int64     `query:"limit" min:"1" max:"5000" default:"1000" example:"2" doc:"Rows of the page. In a format other than json, absent means all rows."`
	Offset  int64     `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip"`
	batchParams
	formatParams
}

// maxSeriesDays is the greatest number of days in one request.
const maxSeriesDays = 366

func checkDaysOfSeries(_ model.Date, params *daysOfSeriesParams) []httpapi.Violation {
	switch {
	case params.RUN.RUN == 0 && params.Manager == nil:
		return wrongParameter("run", "missing", "Required unless provider_id is given")
	case params.RUN.RUN != 0 && params.Manager != nil:
		return wrongParameter("provider_id", "value_error", "Must not be given together with run")
	}
	return checkPeriod(params.From, params.To, maxSeriesDays)
}

// args returns the arguments of days_of_series.sql.
func (params *daysOfSeriesParams) args(ctx context.Context, p pinned, limit int64) ([]any, error) {
	run := ""
	if params.RUN.RUN != 0 {
		run = params.RUN.String()
	}
	found, err := rows[struct {
		ID uint32 `ch:"series_id"`
	}](ctx, p, "series_of", sql.Arg("provider_id", nullable(params.Manager)), sql.Arg("run", run))
	series := []uint32{}
	for _, of := range found {
		series = append(series, of.ID)
	}
	return []any{
		sql.Arg("series", series), sql.Arg("from", storable(params.From.Date).String()), sql.Arg("to", storable(params.To.Date).String()),
		sql.Arg("limit", limit), sql.Arg("offset", params.Offset),
	}, err
}

func daysOfSeriesTable(ctx context.Context, r *request[daysOfSeriesParams]) (table, error) {
	args, err := r.params.args(ctx, r.pinned, givenLimit(r.Call, r.params.Limit))
	return table{statement: "rows_days_of_series", args: args}, err
}

// seriesDay is the quota value of a series on a day.
type seriesDay struct {
	Asset    string     `json:"asset_id"`
	RUN      string     `json:"run"`
	Serie    string     `json:"serie"`
	Fund     string     `json:"fund_name"`
	Date     model.Date `json:"date"`
	Price    *amount    `json:"price"`
	Currency *string    `json:"currency"`
}

func answerDaysOfSeries(ctx context.Context, r *request[daysOfSeriesParams]) (httpapi.Reply, error) {
	args, err := r.params.args(ctx, r.pinned, r.params.Limit+1) // one more row tells whether there is a next page
	if err != nil {
		return httpapi.Reply{}, err
	}
	found, err := rows[struct {
		SeriesID uint32          `ch:"series_id"`
		Asset    string          `ch:"asset_id"`
		RUN      string          `ch:"run"`
		Serie    string          `ch:"serie"`
		Fund     string          `ch:"fund"`
		Date     time.Time       `ch:"date"`
		Quota    decimal.Decimal `ch:"quota"`
		Currency *string         `ch:"currency"`
	}](ctx, r.pinned, "days_of_series", args...)
	if err != nil {
		return httpapi.Reply{}, err
	}
	total, err := countFromPage(ctx, r.pinned, len(found), "days_of_series", args)
	if err != nil {
		return httpapi.Reply{}, err
	}
	of := httpapi.Listing{Total: total}
	if int64(len(found)) > r.params.Limit {
		found = found[:r.params.Limit]
		of.Next = r.LinkTo("offset", strconv.FormatInt(r.params.Offset+r.params.Limit, 10), r.batch.ID)
	}
	data := make([]httpapi.Resource, len(found))
	for i, row := range found {
		date := model.DateOf(row.Date)
		data[i] = httpapi.NewResource(row.Asset+"_"+date.String(), "real_asset_day",
			seriesDay{row.Asset, row.RUN, row.Serie, row.Fund, date, amountOf(&row.Quota), isoCurrency(row.Currency)})
	}
	type meta struct {
		BatchID string `json:"batch_id"`
		Limit   int64  `json:"limit"`
		Offset  int64  `json:"offset"`
	}
	return httpapi.Page(data, meta{r.batch.ID, r.params.Limit, r.params.Offset}, of)
}
