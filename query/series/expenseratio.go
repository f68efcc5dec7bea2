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

// ExpenseRatio answers with the current annual cost rate (TAC) of a series, or the one that was in force
// at as_of_date. It is the rate that compare and screener show (RULES 2).
var ExpenseRatio = operation.Endpoint[operation.DatedAssetParams, httpapi.Item[CostRate]]{
	Path:  "/api/real_assets/{asset_id}/expense_ratio",
	Check: operation.CheckDatedAsset,
	Find:  findExpenseRatio,
}

// CostRate is the cost rate of a series that is in force. All is nil for a series without a quote up to the cutoff, or
// without a rate up to the date.
type CostRate struct {
	TAC           *float64    `ch:"tac" json:"expense_ratio"` // fraction
	InvestorClass *string     `ch:"investor_class" json:"investor_class"`
	Kind          *string     `ch:"tac_kind" json:"tac_kind"`
	AsOf          *model.Date `ch:"-" json:"tac_as_of_date"`
}

func findExpenseRatio(ctx context.Context,
	r *operation.Request[operation.DatedAssetParams]) (item httpapi.Item[CostRate], err error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return item, err
	}
	statement, args := "expense_ratio", []any{sql.Arg("series_id", known.ID)}
	if r.Params.AsOf.Given {
		statement, args = "expense_ratio_as_of", append(args, sql.Arg("as_of", r.Params.AsOf.String()))
	}
	found, err := operation.Rows[struct {
		Date *time.Time `ch:"tac_date"`
		CostRate
	}](ctx, r.Pinned, statement, args...)
	var current CostRate
	if len(found) > 0 {
		current = found[0].CostRate
		current.AsOf = operation.DateOf(found[0].Date)
	}
	item.Data = httpapi.NewResource(known.public(), "expense_ratio", current)
	return item, err
}

// ExpenseRatioHistory answers with the monthly cost rates of a series in ascending order of months,
// beginning at from_date. They are of the requested kind, or else all real or all synthetic
// (RULES 2). A month without a known rate is left out.
var ExpenseRatioHistory = operation.Endpoint[expenseRatioHistoryParams, httpapi.Items[CostMonth]]{
	Path: "/api/real_assets/{asset_id}/expense_ratio/history",
	Find: findExpenseRatioHistory, Known: knownExpenseRatioHistory, Table: expenseRatioHistoryTable,
	Parts: []batch.Loader{market.Part, costsPart},
}

// CostMonth is the cost rate of a series in a month.
type CostMonth struct {
	Date string   `json:"date"`          // last day of the month, YYYYMMDD
	TAC  *float64 `json:"expense_ratio"` // fraction; nil if what was computed is no rate
	Kind string   `json:"tac_kind"`
}

type expenseRatioHistoryParams struct {
	operation.AssetParams
	From compactDateParam       `query:"from_date" null:"false" example:"20250501" doc:"First day, inclusive, YYYYMMDD; months are dated with their last day"`
	Kind operation.TACKindParam `query:"kind" doc:"Only rates of this kind: synthetic counts the costs of the funds that the fund holds; stated, of the monthly sheet, and computed, from daily costs, do not"`
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
	return d.ReadAs(compactDate, text,
		httpapi.Violation{Type: "date_parsing", Msg: "Must be a calendar date in the form YYYYMMDD"})
}

// costRow is a row of expense_ratio_history.sql.
type costRow struct {
	SeriesID uint32    `ch:"series_id"`
	End      time.Time `ch:"month"`
	TAC      *float64  `ch:"tac"`
	Kind     string    `ch:"tac_kind"`
}

// heldCost is a costRow as it is kept in memory, where a batch may have hundreds of thousands.
type heldCost struct {
	end  model.Date
	tac  *float64
	kind uint8 // index in TACKindWords
}

// costsPart keeps the history of cost rates of each series of the current batch in memory, that
// of no stated kind.
var costsPart = batch.NewOptionalPart("costs",
	func(ctx context.Context, s batch.Source) (map[uint32][]heldCost, int, error) {
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

func costMonths(ctx context.Context, p operation.Pinned, from model.Date, kind operation.TACKindParam, all bool,
	series ...uint32) ([]costRow, error) {
	return operation.Rows[costRow](ctx, p, "expense_ratio_history", costArgs(from, kind, all, series...)...)
}

// costArgs returns the arguments of expense_ratio_history.sql.
func costArgs(from model.Date, kind operation.TACKindParam, all bool, series ...uint32) []any {
	return []any{sql.Arg("series", series), sql.Arg("all_series", all), sql.Arg("from_date", from.String()),
		sql.Arg("kind", string(kind))}
}

func expenseRatioHistoryTable(ctx context.Context,
	r *operation.Request[expenseRatioHistoryParams]) (operation.Table, error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	return operation.Table{Statement: "rows_expense_ratio_history",
		Args: costArgs(r.Params.From.Or(operation.FirstDay), r.Params.Kind, false, known.ID)}, err
}

func findExpenseRatioHistory(ctx context.Context,
	r *operation.Request[expenseRatioHistoryParams]) (items httpapi.Items[CostMonth], err error) {
	known, err := findAsset(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return items, err
	}
	found, err := costMonths(ctx, r.Pinned, r.Params.From.Or(operation.FirstDay), r.Params.Kind, false, known.ID)
	items.Data = make([]httpapi.Resource[CostMonth], len(found))
	for i, m := range found {
		items.Data[i] = costResource(known, model.DateOf(m.End), m.TAC, m.Kind)
	}
	return items, err
}

// knownExpenseRatioHistory answers if no kind is stated.
func knownExpenseRatioHistory(
	r *operation.Request[expenseRatioHistoryParams]) (items httpapi.Items[CostMonth], there bool, err error) {
	known, there, err := namedInMemory(r.Pinned, r.Params.Asset)
	histories, loaded := costsPart.Of(r.Batch)
	if !there || !loaded || r.Params.Kind != "" || err != nil {
		return items, false, err
	}
	from := r.Params.From.Or(operation.FirstDay)
	items.Data = []httpapi.Resource[CostMonth]{}
	for _, m := range histories[known.ID] {
		if m.end.Compare(from) >= 0 {
			items.Data = append(items.Data, costResource(known, m.end, m.tac, operation.TACKindWords[m.kind]))
		}
	}
	return items, true, nil
}

func costResource(of Series, end model.Date, tac *float64, kind string) httpapi.Resource[CostMonth] {
	date := end.Time().Format(compactDate)
	return httpapi.NewResource(of.public()+"_"+date, "expense_ratio_month", CostMonth{date, tac, kind})
}
