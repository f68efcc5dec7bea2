package query

import (
	"context"
	"net/http"
	"time"

	"cuota/model"
)

// expenseRatioOperation gives the current annual cost rate (TAC) of a series,
// the one that compare and screener show (RULES 2).
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
	var current rate // nulls for a series that was not quoted by the cutoff
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

// expenseRatioHistoryOperation gives the monthly cost rates of a series in
// ascending order of months, from from_date on: of one kind where one is asked for,
// else real or synthetic throughout (RULES 2). A month that nothing is known of is
// left out.
func (s *Server) expenseRatioHistoryOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/real_assets/{asset_id}/expense_ratio/history", access: keyed, reads: anyBatch,
		params: []param{pathAsset(), compactDay("from_date"), choice("kind", tacKindWords...)},
		answer: s.expenseRatioHistory,
	}
}

// compactDate is the form YYYYMMDD that this history has for its dates.
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
