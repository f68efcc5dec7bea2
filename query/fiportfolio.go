package query

import (
	"context"
	"net/http"

	"cuota/model"
)

// fiHoldingsOperation gives the positions of the fund to which an instrument belongs, at
// the close of a month, like portfolioHoldingsOperation. Investment funds publish one
// portfolio each quarter (RULES 9).
func (s *Server) fiHoldingsOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/fi/instruments/{instrument_id}/cartera/holdings", access: keyed, reads: anyBatch,
		params: []param{pathInstrument(), month("month"), words("market", "all", "N", "E")},
		answer: s.ofInstrument(func(ctx context.Context, c *call, run model.RUN) (portfolio, error) {
			return s.holdingsOf(ctx, c, run)
		}),
	}
}

// fiSummaryOperation gives the same portfolio, summed by type of instrument.
func (s *Server) fiSummaryOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/fi/instruments/{instrument_id}/cartera/resumen", access: keyed, reads: anyBatch,
		params: []param{pathInstrument(), month("month"), words("market", "all", "N", "E")},
		answer: s.ofInstrument(func(ctx context.Context, c *call, run model.RUN) (portfolio, error) {
			return s.summaryOf(ctx, c, run, c.text("market"))
		}),
	}
}

// ofInstrument makes an operation that answers with a portfolio of the instrument's fund.
func (s *Server) ofInstrument(read func(context.Context, *call, model.RUN) (portfolio, error)) func(context.Context, *call) (reply, error) {
	return func(ctx context.Context, c *call) (reply, error) {
		instrument, err := s.findInstrument(ctx, c)
		if err != nil {
			return reply{}, err
		}
		out, err := read(ctx, c, instrument.run())
		if err != nil {
			return reply{}, err
		}
		out.Meta.Instrument = instrument.ID.String()
		return okList(out.Data, out.Meta)
	}
}
