package summary

import (
	"context"
	"slices"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// TACChanges lists the series whose cost rate rose or fell most between a closed month and
// the month before, at most one for each fund (RULES 2).
var TACChanges = operation.Endpoint[tacChangesParams, Changes]{
	Path: "/api/reports/tac-changes",
	Check: func(today model.Date, params *tacChangesParams) []httpapi.Violation {
		return operation.CheckAsOf(today, params.AsOf)
	},
	Find: findTACChanges, Known: knownTACChanges, Table: tacChangesTable, Parts: []batch.Loader{tacChangesPart},
}

type tacChangesParams struct {
	Date      operation.DateParam `query:"date" example:"2025-03-31" doc:"A day in a closed month, YYYY-MM-DD; by default the latest month with any cost rate"`
	Direction string              `query:"direction" enum:"up,down" default:"first" example:"up" doc:"up: rises, down: falls"`
	Limit     int64               `query:"limit" min:"1" max:"100" default:"15" example:"2" doc:"How many at most. In a format other than json, absent means all."`
	Category  string              `query:"category" max:"100" doc:"Category, case-insensitive"`
	AsOf      operation.DateParam `query:"as_of_date" null:"false" doc:"Only months that ended by this date, YYYY-MM-DD, from 1976-01-01 to today in Santiago: by default the latest of them with a cost rate. An extension of this service."`
	operation.FormatParams
}

// TACChange is a series whose cost rate changed. Rates and their difference are
// fractions.
type TACChange struct {
	FundID        string            `json:"fundId"`
	FundName      string            `json:"fundName"`
	AGF           string            `json:"agf"`
	RUN           string            `json:"run"`
	Serie         string            `json:"serie"`
	SerieID       string            `json:"serieId"`
	Category      *string           `json:"category"`
	InvestorClass *string           `json:"investorClass"`
	Currency      *string           `json:"currency"`
	Patrimony     *operation.Amount `json:"patrimony"` // millions of the currency, at the month end
	TAC           float64           `json:"tac"`
	Previous      float64           `json:"tacPrevious"`
	Delta         float64           `json:"tacDelta"`
	DeltaPercent  *float64          `json:"tacDeltaPct"` // percent of the previous rate; null if that is 0
}

// TACChangesMeta names the two months. They are null if no rate is known at all.
type TACChangesMeta struct {
	Date             *model.Date        `json:"date"` // month ends
	PreviousDate     *model.Date        `json:"previousDate"`
	CurrentMonthKey  *string            `json:"currentMonthKey"` // YYYYMM
	PreviousMonthKey *string            `json:"previousMonthKey"`
	Direction        string             `json:"direction"`
	Limit            int64              `json:"limit"`
	TACKinds         operation.TACKinds `json:"tac_kinds"`
}

// Changes are changes of cost rates from one month to the next, the largest first.
type Changes = httpapi.List[TACChange, TACChangesMeta]

func findTACChanges(ctx context.Context, r *operation.Request[tacChangesParams]) (Changes, error) {
	month, known, err := monthOfCosts(ctx, r)
	if err != nil {
		return Changes{}, err
	}
	var changes changesOfMonth
	if known {
		if changes, err = changesOf(ctx, r, month); err != nil {
			return Changes{}, err
		}
	}
	return changes.list(r.Params), nil
}

// tacChangesTable is tac-changes as a table.
func tacChangesTable(ctx context.Context, r *operation.Request[tacChangesParams]) (operation.Table, error) {
	month, known, err := monthOfCosts(ctx, r)
	if !known {
		month = operation.FirstDay // has no rates
	}
	return operation.Table{Statement: "rows_tac_changes",
			Args: changeArgs(month, r.Params.Direction, r.Params.Category,
				operation.GivenLimit(r.Call, r.Params.Limit))},
		err
}

// changeArgs returns the arguments of tac_changes.sql.
func changeArgs(month model.Date, direction, category string, limit int64) []any {
	return []any{sql.Arg("month", operation.Storable(month).String()), sql.Arg("direction", direction),
		sql.Arg("category", category), sql.Arg("limit", limit)}
}

// changesOf returns the requested changes of a month: from memory, or by a statement if a category is requested.
func changesOf(ctx context.Context, r *operation.Request[tacChangesParams], month model.Date) (changesOfMonth, error) {
	kept, there := tacChangesPart.Of(r.Batch)
	if !there || r.Params.Category != "" {
		changes, err := changesIn(ctx, r.Pinned, month, r.Params.Direction, r.Params.Category, r.Params.Limit)
		return changes[r.Params.Direction], err
	}
	if n := len(kept.months); n > 0 && month == kept.months[n-1] {
		return kept.latest[r.Params.Direction], nil
	}
	changes, err := past.Dated(ctx, r.Pinned, tacChangesOfMonths, month,
		func(ctx context.Context) (changesByDirection, error) {
			return changesIn(ctx, r.Pinned, month, "", "", mostTacChanges)
		})
	return changes[r.Params.Direction], err
}

// changesOfMonth are changes of cost rates from one month to the next, the largest first.
type changesOfMonth struct {
	month *model.Date // nil if no rate is known at all
	data  []TACChange
	kinds operation.TACKinds
}

// list returns as many of them as a request wants.
func (c changesOfMonth) list(params *tacChangesParams) Changes {
	data, meta := []TACChange{}, TACChangesMeta{Direction: params.Direction, Limit: params.Limit}
	if c.month != nil {
		previous := endOfMonth(*c.month, -1)
		meta.Date, meta.PreviousDate = c.month, &previous
		meta.CurrentMonthKey, meta.PreviousMonthKey = monthKey(*c.month), monthKey(previous)
		n := min(int(params.Limit), len(c.data))
		data, meta.TACKinds = c.data[:n], c.kinds[:n]
	}
	return httpapi.ListOf(data, meta)
}

// mostTacChanges is how many changes of a direction are kept in memory: the greatest limit of the operation.
const mostTacChanges = 100

// changesByDirection are the changes of a month, up and down.
type changesByDirection map[string]changesOfMonth

func (c changesByDirection) bytes() int {
	size := 512 // of the map
	for _, of := range c {
		size += len(of.data) * 2 * int(unsafe.Sizeof(TACChange{})) // about half of it is behind pointers
	}
	return size
}

// keptTacChanges are the changes of cost rates that are kept in memory.
type keptTacChanges struct {
	months []model.Date       // with a cost rate, ascending
	latest changesByDirection // of the last of them
}

// tacChangesOfMonths are the changes of months that were requested. Those of a month take about 0.1 MB.
var tacChangesOfMonths = batch.NewCached("tac_changes", changesByDirection.bytes)

// tacChangesPart keeps which months have rates, and the changes of the latest one.
var tacChangesPart = batch.NewOptionalPart("tac_changes",
	func(ctx context.Context, s batch.Source) (keptTacChanges, int, error) {
		p, kept := operation.PinnedBy(s), keptTacChanges{}
		type month struct {
			Month time.Time `ch:"month"`
		}
		found, err := operation.Rows[month](ctx, p, "tac_months")
		if err != nil {
			return kept, 0, err
		}
		for _, of := range found {
			kept.months = append(kept.months, model.DateOf(of.Month))
		}
		if n := len(kept.months); n > 0 {
			if kept.latest, err = changesIn(ctx, p, kept.months[n-1], "", "", mostTacChanges); err != nil {
				return kept, 0, err
			}
		}
		return kept, kept.latest.bytes(), nil
	})

// knownTACChanges has the changes of the latest month and all categories.
func knownTACChanges(r *operation.Request[tacChangesParams]) (Changes, bool, error) {
	kept, there := tacChangesPart.Of(r.Batch)
	if !there || r.Params.Date.Given || r.Params.AsOf.Given || r.Params.Category != "" {
		return Changes{}, false, nil
	}
	return kept.latest[r.Params.Direction].list(r.Params), true, nil
}

// monthOfCosts returns the last day of the requested month, by default of the latest month
// with a cost rate that ended by as_of_date, and whether there is such a month. It fails with 422 if the month is
// not closed. A month is closed when its last day is on or before the cutoff, or on or
// before the latest month for which a file states a rate: a file that states a month proves
// that the month is over.
func monthOfCosts(ctx context.Context,
	r *operation.Request[tacChangesParams]) (month model.Date, known bool, err error) {
	asOf, asked := r.Params.AsOf, r.Params.Date
	latest, err := latestMonthOfCosts(ctx, r.Pinned, asOf.Or(operation.LastDayOfAll))
	if err != nil {
		return model.Date{}, false, err
	}
	if !asked.Given {
		return operation.Value(latest), latest != nil, nil
	}
	month = endOfMonth(asked.Date, 0)
	closed := func(until *model.Date) bool { return until != nil && month.Compare(*until) <= 0 }
	if asOf.Given && month.Compare(asOf.Date) > 0 {
		return model.Date{}, false,
			httpapi.Invalid{{Loc: []string{"query", "date"}, Type: "month_open", Input: asked.String(),
				Msg: "Must be a day in a month that ended by as_of_date, " + asOf.String()}}
	}
	if !closed(operation.DateOf(r.Batch.AsOf)) && !closed(latest) {
		return model.Date{}, false,
			httpapi.Invalid{{Loc: []string{"query", "date"}, Type: "month_open", Input: asked.String(),
				Msg: "Must be a day in a closed month: one that is over in the published data"}}
	}
	return month, true, nil
}

// latestMonthOfCosts returns the last day of the latest month with a cost rate that ended by a
// date, and nil if there is none.
func latestMonthOfCosts(ctx context.Context, p operation.Pinned, until model.Date) (*model.Date, error) {
	if kept, there := tacChangesPart.Of(p.Batch); there {
		n, _ := slices.BinarySearchFunc(kept.months, until.AddDays(1), model.Date.Compare)
		if n == 0 {
			return nil, nil
		}
		return new(kept.months[n-1]), nil
	}
	type latest struct {
		Month *time.Time `ch:"month"`
	}
	found, err := operation.Rows[latest](ctx, p, "tac_latest_month", sql.Arg("until", until.String()))
	if err != nil {
		return nil, err
	}
	return operation.DateOf(found[0].Month), nil // the statement always returns one row
}

// changesIn returns the changes of a month, in one direction or, if it is empty, in both: at most limit in each.
func changesIn(ctx context.Context, p operation.Pinned, month model.Date, direction, category string,
	limit int64) (changesByDirection, error) {
	type change struct {
		FundID        uint32           `ch:"fund_id"`
		Fund          string           `ch:"fund"`
		Manager       string           `ch:"manager"`
		RUN           string           `ch:"run"`
		Serie         string           `ch:"serie"`
		SeriesID      uint32           `ch:"series_id"`
		Category      *string          `ch:"category"`
		InvestorClass *string          `ch:"investor_class"`
		Currency      *string          `ch:"currency"`
		Patrimony     *decimal.Decimal `ch:"patrimony"`
		TAC           float64          `ch:"tac"`
		Previous      float64          `ch:"tac_previous"`
		Kind          string           `ch:"tac_kind"`
		Delta         float64          `ch:"tac_delta"`
		DeltaPercent  *float64         `ch:"tac_delta_percent"`
		EquityCLP     *decimal.Decimal `ch:"equity_clp"` // orders the rows
	}
	found, err := operation.Rows[change](ctx, p, "tac_changes", changeArgs(month, direction, category, limit)...)
	if err != nil {
		return nil, err
	}
	up, down := changesOfMonth{&month, []TACChange{}, operation.TACKinds{}},
		changesOfMonth{&month, []TACChange{}, operation.TACKinds{}}
	for _, row := range found {
		of := &up
		if row.Delta < 0 {
			of = &down
		}
		of.kinds = append(of.kinds, operation.TACKindOf(operation.IDText(row.SeriesID), &row.Kind))
		of.data = append(of.data, TACChange{
			FundID: operation.IDText(row.FundID), FundName: row.Fund, AGF: row.Manager, RUN: row.RUN,
			Serie: row.Serie, SerieID: operation.IDText(row.SeriesID), Category: row.Category,
			InvestorClass: row.InvestorClass, Currency: row.Currency,
			Patrimony: operation.AmountOf(row.Patrimony), TAC: row.TAC, Previous: row.Previous, Delta: row.Delta,
			DeltaPercent: row.DeltaPercent,
		})
	}
	return changesByDirection{"up": up, "down": down}, nil
}

// endOfMonth returns the last day of the month that lies months after the month of date.
func endOfMonth(date model.Date, months int) model.Date {
	year, month, _ := date.Time().Date()
	return model.NewDate(year, month+time.Month(months)+1, 0)
}

func monthKey(date model.Date) *string {
	return new(date.Time().Format("200601"))
}
