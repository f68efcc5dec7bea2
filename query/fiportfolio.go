package query

import (
	"context"

	"cuota/internal/httpapi"
	"cuota/model"
)

// fiHoldings gives the positions of the fund to which an instrument belongs, at the close of
// a month, like portfolioHoldings. Investment funds publish one portfolio each quarter
// (RULES 9).
var fiHoldings = endpoint[fiPortfolioParams]{
	path:   "/api/fi/instruments/{instrument_id}/cartera/holdings",
	answer: ofInstrument(holdingsOf),
}

// fiSummary gives the same portfolio, summed by type of instrument.
var fiSummary = endpoint[fiPortfolioParams]{
	path:   "/api/fi/instruments/{instrument_id}/cartera/resumen",
	answer: ofInstrument(summaryOf),
}

type fiPortfolioParams struct {
	instrumentParams
	Month  monthParam `query:"month" example:"2025-06" doc:"Month, YYYY-MM; by default the latest up to today of which the fund has a portfolio"`
	Market string     `query:"market" enum:"N,E,all" default:"all" example:"all" doc:"N national, E foreign, all both"`
}

// ofInstrument answers with a portfolio of the instrument's fund.
func ofInstrument(read func(context.Context, pinned, model.RUN, monthParam, string) (portfolio, error)) func(context.Context, *request[fiPortfolioParams]) (httpapi.Reply, error) {
	return func(ctx context.Context, r *request[fiPortfolioParams]) (httpapi.Reply, error) {
		instrument, err := findInstrument(ctx, r.pinned, r.params.Instrument)
		if err != nil {
			return httpapi.Reply{}, err
		}
		out, err := read(ctx, r.pinned, instrument.run(), r.params.Month, r.params.Market)
		if err != nil {
			return httpapi.Reply{}, err
		}
		out.Meta.Instrument = instrument.ID.String()
		return httpapi.List(out.Data, out.Meta)
	}
}
