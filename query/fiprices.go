package query

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"
)

// fiPrices gives the daily values of an instrument in ascending order of dates. A day whose
// published row could not be read has nulls. An instrument without a series has no days.
var fiPrices = endpoint[fiPricesParams]{
	path: "/api/fi/instruments/{instrument_id}/prices",
	check: func(_ model.Date, params *fiPricesParams) []httpapi.Violation {
		return checkRange(params.From, params.To)
	},
	answer: answerFiPrices, table: fiPricesTable,
}

type fiPricesParams struct {
	instrumentParams
	From   dateParam `query:"from_date" example:"2025-06-29" doc:"First day, inclusive, YYYY-MM-DD; not after to_date"`
	To     dateParam `query:"to_date" doc:"Last day, inclusive, YYYY-MM-DD"`
	Limit  int64     `query:"limit" min:"1" max:"5000" default:"1000" example:"2" doc:"Days of the page"`
	Offset int64     `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Days to skip"`
	batchParams
	formatParams
}

// args returns the arguments of fi_prices.sql. Nothing is stored under the number of an instrument without a series.
func (p *fiPricesParams) args(of instrumentRow, limit int64) []any {
	series := uint32(0)
	if of.SeriesID != nil {
		series = *of.SeriesID
	}
	return []any{sql.Arg("series_id", series), sql.Arg("from", p.From.or(firstDay).String()), sql.Arg("to", p.To.or(lastDayOfAll).String()),
		sql.Arg("limit", limit), sql.Arg("offset", p.Offset)}
}

func fiPricesTable(ctx context.Context, r *request[fiPricesParams]) (table, error) {
	of, err := findInstrument(ctx, r.pinned, r.params.Instrument)
	return table{statement: "rows_fi_prices", args: r.params.args(of, givenLimit(r.Call, r.params.Limit))}, err
}

// fiPrice holds the values of an instrument on one day.
type fiPrice struct {
	fiValues
	Currency    *string `json:"currency"`
	QuotaSource string  `json:"quota_source"`
}

func answerFiPrices(ctx context.Context, r *request[fiPricesParams]) (httpapi.Reply, error) {
	instrument, err := findInstrument(ctx, r.pinned, r.params.Instrument)
	if err != nil {
		return httpapi.Reply{}, err
	}
	id := instrument.ID.String()
	data, meta := []httpapi.Resource{}, struct {
		InstrumentID string  `json:"instrument_id"`
		RUN          string  `json:"run"`
		Serie        *string `json:"serie"`
		page
		fiMeta
	}{id, instrument.RUN, instrument.Serie, page{0, r.params.Limit, r.params.Offset}, fiMetaOf(r.batch)}
	if instrument.SeriesID == nil {
		return httpapi.List(data, meta)
	}
	type dayRow struct {
		Total uint64     `ch:"total"`
		Date  *time.Time `ch:"date"`
		valuesRow
	}
	found, err := rows[dayRow](ctx, r.pinned, "fi_prices", r.params.args(instrument, r.params.Limit)...)
	if err != nil {
		return httpapi.Reply{}, err
	}
	for _, row := range found {
		meta.Total = row.Total
		if row.Date != nil { // an empty page has one row, which carries the total
			data = append(data, httpapi.NewResource(id+"_"+model.DateOf(*row.Date).String(), "fi_price",
				fiPrice{row.on(row.Date), isoCurrency(row.Currency), bookValues}))
		}
	}
	return httpapi.Page(data, meta, httpapi.Listing{Total: meta.Total, Next: r.NextPage(r.params.Offset, len(data), meta.Total, r.batch.ID)})
}
