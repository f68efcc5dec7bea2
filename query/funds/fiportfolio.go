package funds

import (
	"context"

	"cuota/model"
	"cuota/query/operation"
)

// FIHoldings answers with the positions of the fund to which an instrument belongs, at the close of
// a month, like PortfolioHoldings. Investment funds publish one portfolio each quarter
// (RULES 9).
var FIHoldings = operation.Endpoint[fiPortfolioParams, Portfolio[Holding]]{
	Path: "/api/fi/instruments/{instrument_id}/cartera/holdings",
	Find: ofInstrument(holdingsOf),
}

// FISummary answers with the same portfolio, summed by type of instrument.
var FISummary = operation.Endpoint[fiPortfolioParams, Portfolio[HeldType]]{
	Path: "/api/fi/instruments/{instrument_id}/cartera/resumen",
	Find: ofInstrument(summaryOf),
}

type fiPortfolioParams struct {
	operation.InstrumentParams
	Month  operation.MonthParam `query:"month" example:"2025-06" doc:"Month, YYYY-MM; by default the latest up to today of which the fund has a portfolio"`
	Market string               `query:"market" enum:"N,E,all" default:"all" example:"all" doc:"N national, E foreign, all both"`
}

// ofInstrument finds a portfolio of the instrument's fund.
func ofInstrument[A any](
	read func(context.Context, operation.Pinned, model.RUN, operation.MonthParam, string) (Portfolio[A], error),
) func(context.Context, *operation.Request[fiPortfolioParams]) (Portfolio[A], error) {
	return func(ctx context.Context, r *operation.Request[fiPortfolioParams]) (Portfolio[A], error) {
		instrument, err := FindInstrument(ctx, r.Pinned, r.Params.Instrument)
		if err != nil {
			return Portfolio[A]{}, err
		}
		out, err := read(ctx, r.Pinned, instrument.FundRUN(), r.Params.Month, r.Params.Market)
		out.Meta.Instrument = instrument.ID.String()
		return out, err
	}
}
