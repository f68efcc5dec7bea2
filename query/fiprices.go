package query

import (
	"context"
	"net/http"
	"time"

	"cuota/model"
)

// fiPricesOperation gives the daily values of an instrument in ascending order of dates. A
// day whose published row could not be read has nulls. An instrument without a series has
// no days.
func (s *Server) fiPricesOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/fi/instruments/{instrument_id}/prices", access: keyed, reads: anyBatch,
		params: []param{
			pathInstrument(), day("from_date"), day("to_date"),
			integer("limit", 1, 5000, int64(1000)), integer("offset", 0, maxOffset, int64(0)), filter("batch_id", 200),
		},
		check: firstDayTo, answer: s.fiPrices,
	}
}

// fiPrice holds the values of an instrument on one day.
type fiPrice struct {
	fiValues
	Currency    *string `json:"currency"`
	QuotaSource string  `json:"quota_source"`
}

func (s *Server) fiPrices(ctx context.Context, c *call) (reply, error) {
	instrument, err := s.findInstrument(ctx, c)
	if err != nil {
		return reply{}, err
	}
	id := instrument.ID.String()
	out := struct {
		Data []resource `json:"data"`
		Meta struct {
			InstrumentID string  `json:"instrument_id"`
			RUN          string  `json:"run"`
			Serie        *string `json:"serie"`
			page
			fiMeta
		} `json:"meta"`
	}{Data: []resource{}}
	out.Meta.InstrumentID, out.Meta.RUN, out.Meta.Serie = id, instrument.RUN, instrument.Serie
	out.Meta.page, out.Meta.fiMeta = page{0, c.integer("limit"), c.integer("offset")}, fiMetaOf(c.batch)
	if instrument.SeriesID == nil {
		return okList(out.Data, out.Meta)
	}
	from, to := c.days()
	type dayRow struct {
		Total uint64     `ch:"total"`
		Date  *time.Time `ch:"date"`
		valuesRow
	}
	found, err := rows[dayRow](ctx, s.reader, "fi_prices",
		arg("batch", c.batch.Number), arg("series_id", *instrument.SeriesID), arg("from", from.String()), arg("to", to.String()),
		arg("limit", c.integer("limit")), arg("offset", c.integer("offset")))
	if err != nil {
		return reply{}, err
	}
	for _, row := range found {
		out.Meta.Total = row.Total
		if row.Date != nil { // an empty page has one row, which carries the total
			out.Data = append(out.Data, resource{id + "_" + model.DateOf(*row.Date).String(), "fi_price",
				fiPrice{row.on(row.Date), isoCurrency(row.Currency), bookValues}})
		}
	}
	return okPage(out.Data, out.Meta, c.nextPage(len(out.Data), out.Meta.Total))
}
