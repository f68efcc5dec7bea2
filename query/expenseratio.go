package query

import (
	"context"
	"net/http"
	"time"

	"cuota/model"
)

// expenseRatioOperation gives the current annual cost rate (TAC) of a series. It is the
// rate that compare and screener show (RULES 2).
func (s *Server) expenseRatioOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/real_assets/{asset_id}/expense_ratio", access: keyed, reads: anyBatch,
		params: []param{pathAsset()},
		answer: s.expenseRatio,
	}
}

func (s *Server) expenseRatio(ctx context.Context, c *call) (reply, error) {
	known, err := s.findSeries(ctx, c.batch, c.asset(), lastDayOfAll)
	if err != nil {
		return reply{}, err
	}
	type rate struct {
		TAC           *float64   `ch:"tac" json:"expense_ratio"` // fraction
		InvestorClass *string    `ch:"investor_class" json:"investor_class"`
		Kind          *string    `ch:"tac_kind" json:"tac_kind"`
		Date          *time.Time `ch:"tac_date" json:"-"`
	}
	found, err := rows[rate](ctx, s.reader, "expense_ratio", arg("batch", c.batch.Number), arg("series_id", known.ID))
	if err != nil {
		return reply{}, err
	}
	var current rate // all nil for a series without a quote up to the cutoff
	if len(found) > 0 {
		current = found[0]
	}
	return ok(struct {
		Data resource `json:"data"`
	}{resource{known.public(), "expense_ratio", struct {
		rate
		AsOf *model.Date `json:"tac_as_of_date"`
	}{current, dateOf(current.Date)}}})
}

// expenseRatioHistoryOperation gives the monthly cost rates of a series in ascending order
// of months, beginning at from_date. They are of the requested kind, or else all real or
// all synthetic (RULES 2). A month without a known rate is left out.
func (s *Server) expenseRatioHistoryOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/real_assets/{asset_id}/expense_ratio/history", access: keyed, reads: anyBatch,
		params: []param{pathAsset(), compactDay("from_date"), choice("kind", tacKindWords...)},
		answer: s.expenseRatioHistory,
	}
}

// compactDate is the form YYYYMMDD of the dates in this history.
const compactDate = "20060102"

// compactDay declares a calendar date in the form YYYYMMDD.
func compactDay(name string) param {
	return param{name: name, in: "query", read: func(text string) (any, *violation) {
		at, err := time.Parse(compactDate, text)
		if err != nil || len(text) != len(compactDate) || at.Year() < 1 {
			return nil, &violation{Type: "date_parsing", Msg: "Must be a calendar date in the form YYYYMMDD"}
		}
		return model.DateOf(at), nil
	}}
}

func (s *Server) expenseRatioHistory(ctx context.Context, c *call) (reply, error) {
	known, err := s.findSeries(ctx, c.batch, c.asset(), lastDayOfAll)
	if err != nil {
		return reply{}, err
	}
	from := firstDay
	if date, given := c.date("from_date"); given {
		from = storable(date)
	}
	type month struct {
		End  time.Time `ch:"month"`
		TAC  *float64  `ch:"tac"`
		Kind string    `ch:"tac_kind"`
	}
	found, err := rows[month](ctx, s.reader, "expense_ratio_history",
		arg("batch", c.batch.Number), arg("series_id", known.ID), arg("from_date", from.String()), arg("kind", c.text("kind")))
	if err != nil {
		return reply{}, err
	}
	out := items{Data: make([]resource, len(found))}
	for i, m := range found {
		date := m.End.Format(compactDate)
		out.Data[i] = resource{known.public() + "_" + date, "expense_ratio_month", struct {
			Date string   `json:"date"` // last day of the month
			TAC  *float64 `json:"expense_ratio"`
			Kind string   `json:"tac_kind"`
		}{date, m.TAC, m.Kind}}
	}
	return ok(out)
}
