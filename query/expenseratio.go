package query

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"
)

// expenseRatio gives the current annual cost rate (TAC) of a series. It is the rate that
// compare and screener show (RULES 2).
var expenseRatio = endpoint[assetParams]{
	path:   "/api/real_assets/{asset_id}/expense_ratio",
	answer: answerExpenseRatio,
}

func answerExpenseRatio(ctx context.Context, r *request[assetParams]) (httpapi.Reply, error) {
	known, err := findNamed(ctx, r.pinned, r.params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	type rate struct {
		TAC           *float64   `ch:"tac" json:"expense_ratio"` // fraction
		InvestorClass *string    `ch:"investor_class" json:"investor_class"`
		Kind          *string    `ch:"tac_kind" json:"tac_kind"`
		Date          *time.Time `ch:"tac_date" json:"-"`
	}
	found, err := rows[rate](ctx, r.pinned, "expense_ratio", sql.Arg("series_id", known.ID))
	if err != nil {
		return httpapi.Reply{}, err
	}
	var current rate // all nil for a series without a quote up to the cutoff
	if len(found) > 0 {
		current = found[0]
	}
	return httpapi.JSON(httpapi.Item{Data: httpapi.NewResource(known.public(), "expense_ratio", struct {
		rate
		AsOf *model.Date `json:"tac_as_of_date"`
	}{current, dateOf(current.Date)})})
}

// expenseRatioHistory gives the monthly cost rates of a series in ascending order of months,
// beginning at from_date. They are of the requested kind, or else all real or all synthetic
// (RULES 2). A month without a known rate is left out.
var expenseRatioHistory = endpoint[expenseRatioHistoryParams]{
	path:   "/api/real_assets/{asset_id}/expense_ratio/history",
	answer: answerExpenseRatioHistory,
}

type expenseRatioHistoryParams struct {
	assetParams
	From compactDateParam `query:"from_date" null:"false" example:"20250501" doc:"First day, inclusive, YYYYMMDD; months are dated with their last day"`
	Kind tacKindParam     `query:"kind" doc:"Only rates of this kind; see TACKind"`
}

// compactDate is the form YYYYMMDD of the dates in this history.
const compactDate = "20060102"

// compactDateParam is a date in this form. It is absent if given is false.
type compactDateParam struct{ dateParam }

// String implements httpapi.Value.
func (d *compactDateParam) String() string { return d.Time().Format(compactDate) }

// Schema implements httpapi.Value.
func (compactDateParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "pattern": "^[0-9]{8}$"}
}

// Read implements httpapi.Value.
func (d *compactDateParam) Read(text string) *httpapi.Violation {
	return d.read(compactDate, text, httpapi.Violation{Type: "date_parsing", Msg: "Must be a calendar date in the form YYYYMMDD"})
}

func answerExpenseRatioHistory(ctx context.Context, r *request[expenseRatioHistoryParams]) (httpapi.Reply, error) {
	known, err := findNamed(ctx, r.pinned, r.params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	from := r.params.From.or(firstDay)
	type month struct {
		End  time.Time `ch:"month"`
		TAC  *float64  `ch:"tac"`
		Kind string    `ch:"tac_kind"`
	}
	found, err := rows[month](ctx, r.pinned, "expense_ratio_history", sql.Arg("series_id", known.ID), sql.Arg("from_date", from.String()), sql.Arg("kind", string(r.params.Kind)))
	if err != nil {
		return httpapi.Reply{}, err
	}
	out := httpapi.Items{Data: make([]httpapi.Resource, len(found))}
	for i, m := range found {
		date := m.End.Format(compactDate)
		out.Data[i] = httpapi.NewResource(known.public()+"_"+date, "expense_ratio_month", struct {
			Date string   `json:"date"` // last day of the month
			TAC  *float64 `json:"expense_ratio"`
			Kind string   `json:"tac_kind"`
		}{date, m.TAC, m.Kind})
	}
	return httpapi.JSON(out)
}
