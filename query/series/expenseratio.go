package series

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/sql"
)

// ExpenseRatio gives the current annual cost rate (TAC) of a series, or the one that was in force
// at as_of_date. It is the rate that compare and screener show (RULES 2).
var ExpenseRatio = operation.Endpoint[operation.DatedAssetParams]{
	Path:   "/api/real_assets/{asset_id}/expense_ratio",
	Check:  operation.CheckDatedAsset,
	Answer: answerExpenseRatio,
}

func answerExpenseRatio(ctx context.Context, r *operation.Request[operation.DatedAssetParams]) (httpapi.Reply, error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	type rate struct {
		TAC           *float64   `ch:"tac" json:"expense_ratio"` // fraction
		InvestorClass *string    `ch:"investor_class" json:"investor_class"`
		Kind          *string    `ch:"tac_kind" json:"tac_kind"`
		Date          *time.Time `ch:"tac_date" json:"-"`
	}
	statement, args := "expense_ratio", []any{sql.Arg("series_id", known.ID)}
	if r.Params.AsOf.Given {
		statement, args = "expense_ratio_as_of", append(args, sql.Arg("as_of", r.Params.AsOf.String()))
	}
	found, err := operation.Rows[rate](ctx, r.Pinned, statement, args...)
	if err != nil {
		return httpapi.Reply{}, err
	}
	var current rate // all nil for a series without a quote up to the cutoff, or without a rate up to the date
	if len(found) > 0 {
		current = found[0]
	}
	return httpapi.JSON(httpapi.Item{Data: httpapi.NewResource(known.public(), "expense_ratio", struct {
		rate
		AsOf *model.Date `json:"tac_as_of_date"`
	}{current, operation.DateOf(current.Date)})})
}

// ExpenseRatioHistory gives the monthly cost rates of a series in ascending order of months,
// beginning at from_date. They are of the requested kind, or else all real or all synthetic
// (RULES 2). A month without a known rate is left out.
var ExpenseRatioHistory = operation.Endpoint[expenseRatioHistoryParams]{
	Path:   "/api/real_assets/{asset_id}/expense_ratio/history",
	Answer: answerExpenseRatioHistory, Table: expenseRatioHistoryTable, FromMemory: costHistoryFromMemory, Parts: []batch.Loader{market.Part, costsPart},
}

type expenseRatioHistoryParams struct {
	operation.AssetParams
	From compactDateParam       `query:"from_date" null:"false" example:"20250501" doc:"First day, inclusive, YYYYMMDD; months are dated with their last day"`
	Kind operation.TACKindParam `query:"kind" doc:"Only rates of this kind; see TACKind"`
	operation.FormatParams
}

// compactDate is the form YYYYMMDD of the dates in this history.
const compactDate = "20060102"

// compactDateParam is a date in this form. It is absent if given is false.
type compactDateParam struct{ operation.DateParam }

// String implements httpapi.Value.
func (d *compactDateParam) String() string { return d.Time().Format(compactDate) }

// Schema implements httpapi.Value.
func (compactDateParam) Schema() httpapi.Schema {
	return httpapi.Schema{"type": "string", "pattern": "^" + operation.DatePattern("") + "$"}
}

// Read implements httpapi.Value.
func (d *compactDateParam) Read(text string) *httpapi.Violation {
	return d.ReadAs(compactDate, text, httpapi.Violation{Type: "date_parsing", Msg: "Must be a calendar date in the form YYYYMMDD"})
}

// costMonth is a row of expense_ratio_history.sql.
type costMonth struct {
	SeriesID uint32    `ch:"series_id"`
	End      time.Time `ch:"month"`
	TAC      *float64  `ch:"tac"`
	Kind     string    `ch:"tac_kind"`
}

// heldCost is a costMonth as it is kept in memory, where a batch may have hundreds of thousands.
type heldCost struct {
	end  model.Date
	tac  *float64
	kind uint8 // index in TACKindWords
}

// costsPart keeps the history of cost rates of each series of the current batch in memory, that
// of no stated kind.
var costsPart = batch.NewOptionalPart("costs", func(ctx context.Context, s batch.Source) (map[uint32][]heldCost, int, error) {
	found, err := costMonths(ctx, operation.PinnedBy(s), operation.FirstDay, "", true)
	if err != nil {
		return nil, 0, err
	}
	histories := make(map[uint32][]heldCost)
	for _, m := range found {
		kind := slices.Index(operation.TACKindWords, m.Kind)
		if kind < 0 {
			return nil, 0, fmt.Errorf("series %d has a cost rate of the unknown kind %q", m.SeriesID, m.Kind)
		}
		histories[m.SeriesID] = append(histories[m.SeriesID], heldCost{model.DateOf(m.End), m.TAC, uint8(kind)})
	}
	return histories, len(found) * int(unsafe.Sizeof(heldCost{})+unsafe.Sizeof(float64(0))), nil
})

func costMonths(ctx context.Context, p operation.Pinned, from model.Date, kind operation.TACKindParam, all bool, series ...uint32) ([]costMonth, error) {
	return operation.Rows[costMonth](ctx, p, "expense_ratio_history", costArgs(from, kind, all, series...)...)
}

// costArgs returns the arguments of expense_ratio_history.sql.
func costArgs(from model.Date, kind operation.TACKindParam, all bool, series ...uint32) []any {
	return []any{sql.Arg("series", series), sql.Arg("all_series", all), sql.Arg("from_date", from.String()), sql.Arg("kind", string(kind))}
}

func expenseRatioHistoryTable(ctx context.Context, r *operation.Request[expenseRatioHistoryParams]) (operation.Table, error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	return operation.Table{Statement: "rows_expense_ratio_history", Args: costArgs(r.Params.From.Or(operation.FirstDay), r.Params.Kind, false, known.ID)}, err
}

func answerExpenseRatioHistory(ctx context.Context, r *operation.Request[expenseRatioHistoryParams]) (httpapi.Reply, error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return httpapi.Reply{}, err
	}
	found, err := costMonths(ctx, r.Pinned, r.Params.From.Or(operation.FirstDay), r.Params.Kind, false, known.ID)
	if err != nil {
		return httpapi.Reply{}, err
	}
	out := make([]httpapi.Resource, len(found))
	for i, m := range found {
		out[i] = costResource(known, model.DateOf(m.End), m.TAC, m.Kind)
	}
	return httpapi.JSON(httpapi.Items{Data: out})
}

// costHistoryFromMemory answers if no kind is stated.
func costHistoryFromMemory(r *operation.Request[expenseRatioHistoryParams]) (httpapi.Reply, bool, error) {
	known, there, err := namedInMemory(r.Pinned, r.Params.Asset)
	histories, loaded := costsPart.Of(r.Batch)
	if !there || !loaded || r.Params.Kind != "" || err != nil {
		return httpapi.Reply{}, false, err
	}
	from, out := r.Params.From.Or(operation.FirstDay), []httpapi.Resource{}
	for _, m := range histories[known.ID] {
		if m.end.Compare(from) >= 0 {
			out = append(out, costResource(known, m.end, m.tac, operation.TACKindWords[m.kind]))
		}
	}
	reply, err := httpapi.JSON(httpapi.Items{Data: out})
	return reply, true, err
}

func costResource(known Series, end model.Date, tac *float64, kind string) httpapi.Resource {
	date := end.Time().Format(compactDate)
	return httpapi.NewResource(known.public()+"_"+date, "expense_ratio_month", struct {
		Date string   `json:"date"` // last day of the month
		TAC  *float64 `json:"expense_ratio"`
		Kind string   `json:"tac_kind"`
	}{date, tac, kind})
}
