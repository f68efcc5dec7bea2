package funds

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// FIPrices answers with the daily values of an instrument in ascending order of dates. A day whose
// published row could not be read has nulls. An instrument without a series has no days.
var FIPrices = operation.Endpoint[fiPricesParams, InstrumentHistory]{
	Path: "/api/fi/instruments/{instrument_id}/prices",
	Check: func(_ model.Date, params *fiPricesParams) []httpapi.Violation {
		return operation.CheckRange(params.From, params.To)
	},
	Find: findFIPrices, Table: fiPricesTable,
}

type fiPricesParams struct {
	operation.InstrumentParams
	From   operation.DateParam `query:"from_date" example:"2025-06-29" doc:"First day, inclusive, YYYY-MM-DD; not after to_date"`
	To     operation.DateParam `query:"to_date" doc:"Last day, inclusive, YYYY-MM-DD"`
	Limit  int64               `query:"limit" min:"1" max:"5000" default:"1000" example:"2" doc:"Days of the page"`
	Offset int64               `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Days to skip"`
	operation.BatchParams
	operation.FormatParams
}

// args returns the arguments of fi_prices.sql. Nothing is stored under the number of an instrument without a series.
func (p *fiPricesParams) args(of instrumentRow, limit int64) []any {
	series := uint32(0)
	if of.SeriesID != nil {
		series = *of.SeriesID
	}
	return []any{sql.Arg("series_id", series), sql.Arg("from", p.From.Or(operation.FirstDay).String()),
		sql.Arg("to", p.To.Or(operation.LastDayOfAll).String()),
		sql.Arg("limit", limit), sql.Arg("offset", p.Offset)}
}

func fiPricesTable(ctx context.Context, r *operation.Request[fiPricesParams]) (operation.Table, error) {
	of, err := FindInstrument(ctx, r.Pinned, r.Params.Instrument)
	return operation.Table{Statement: "rows_fi_prices",
		Args: r.Params.args(of, operation.GivenLimit(r.Call, r.Params.Limit))}, err
}

// FIPrice holds the values of an instrument on one day.
type FIPrice struct {
	FIValues
	Currency    *string `json:"currency"`
	QuotaSource string  `json:"quota_source"`
}

// InstrumentHistory is the reply of FIPrices.
type InstrumentHistory = httpapi.List[httpapi.Resource[FIPrice], FIPricesMeta]

// FIPricesMeta is the meta of FIPrices. Paging counts days.
type FIPricesMeta struct {
	InstrumentID string  `json:"instrument_id"`
	RUN          string  `json:"run"`
	Serie        *string `json:"serie"`
	Paging
	fiMeta
}

func findFIPrices(ctx context.Context, r *operation.Request[fiPricesParams]) (InstrumentHistory, error) {
	instrument, err := FindInstrument(ctx, r.Pinned, r.Params.Instrument)
	if err != nil {
		return InstrumentHistory{}, err
	}
	id := instrument.ID.String()
	data, meta := []httpapi.Resource[FIPrice]{},
		FIPricesMeta{id, instrument.RUN, instrument.Serie, Paging{0, r.Params.Limit, r.Params.Offset},
			fiMetaOf(r.Batch)}
	if instrument.SeriesID == nil {
		return httpapi.ListOf(data, meta), nil
	}
	type dayRow struct {
		Total uint64     `ch:"total"`
		Date  *time.Time `ch:"date"`
		valuesRow
	}
	found, err := operation.Rows[dayRow](ctx, r.Pinned, "fi_prices", r.Params.args(instrument, r.Params.Limit)...)
	if err != nil {
		return InstrumentHistory{}, err
	}
	for _, row := range found {
		meta.Total = row.Total
		if row.Date != nil { // an empty page has one row, which carries the total
			data = append(data, httpapi.NewResource(id+"_"+model.DateOf(*row.Date).String(), "fi_price",
				FIPrice{row.on(row.Date), operation.IsoCurrency(row.Currency), BookValues}))
		}
	}
	return InstrumentHistory{Data: data, Meta: meta,
		Listing: httpapi.Listing{Total: meta.Total,
			Next: r.Call.NextPage(r.Params.Offset, len(data), meta.Total, r.Batch.ID)}}, nil
}
