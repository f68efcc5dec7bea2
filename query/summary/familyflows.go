package summary

import (
	"context"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// FlowsOfDay answers with what flowed into each family on the newest business day and in the month before it, and what
// its series cost.
var FlowsOfDay = operation.Endpoint[flowsParams, Flows]{
	Path: "/pages/families", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[flowsParams]) (Flows, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.Date)
		if err != nil {
			return Flows{}, err
		}
		knownBy := operation.LastDayOfAll
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			knownBy = operation.Storable(r.Params.Date.Date)
		}
		return familiesOf(ctx, r.Pinned, day, knownBy, r.Params.Family)
	},
	Known: func(r *operation.Request[flowsParams]) (Flows, bool, error) {
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			return Flows{}, false, nil
		}
		known, there := flowsPart.Of(r.Batch)
		return known, there, nil
	},
	Parts: []batch.Loader{flowsPart, past.Part},
}

// flowsParams name a family of which a past date is read alone. At the cutoff the reply has all families, because it
// is in memory.
type flowsParams struct {
	past.MarketDayParams
	Family string `query:"family" max:"200" doc:"A family; the reply may have others too. By default all"`
}

// flowsPart keeps the families at the cutoff in memory.
var flowsPart = batch.NewPart("family_pages", func(ctx context.Context, s batch.Source) (Flows, int, error) {
	out, err := familiesOf(ctx, operation.PinnedBy(s), past.CutoffOf(s.Batch), operation.LastDayOfAll, "")
	return out, len(out.Families) * 2 * int(unsafe.Sizeof(FamilyFlows{})), err // about half of it is behind pointers
})

// Flows are the families of a day. Date is nil, and there are no families, if no day has
// data for the requested date.
type Flows struct {
	Date     *model.Date   `json:"date"`
	Families []FamilyFlows `json:"families"`
}

// FamilyFlows is what flowed into a family, in millions of pesos, and what its series cost, as
// fractions. A flow is nil if it is known of less than 98 % of the series (flowShare); that of a
// business day then has a reason. The cost
// rates are those of the kind that most of the family's equity has; they are nil if no series
// has a rate.
type FamilyFlows struct {
	Family      string   `ch:"family" json:"family"`
	Series      uint64   `ch:"series" json:"series"`
	DailyKnown  uint64   `ch:"daily_known" json:"dailyKnown"` // series whose flow of the newest business day is known
	DailyFlow   *float64 `ch:"daily_flow" json:"dailyFlow"`
	DailyReason *string  `json:"dailyReason"`
	// DailyFrom and DailyTo are the earliest and the latest newest business day of its series; nil if there is none.
	// They differ if the series in pesos have another one than those in dollars.
	DailyFrom    *model.Date `json:"dailyFrom"`
	DailyTo      *model.Date `json:"dailyTo"`
	MonthlyKnown uint64      `ch:"monthly_known" json:"monthlyKnown"`
	MonthlyFlow  *float64    `ch:"monthly_flow" json:"monthlyFlow"`
	TACKind      string      `ch:"tac_kind" json:"tacKind"` // "" without a rate
	TACSeries    uint64      `ch:"tac_series" json:"tacSeries"`
	TACMean      *float64    `ch:"tac_mean" json:"tacMean"` // weighted by equity
	TACMedian    *float64    `ch:"tac_median" json:"tacMedian"`
	TACShare     *float64    `ch:"tac_share" json:"tacShare"` // of the equity of the family, that has rates of the kind
}

// familiesOf reads the families of a day, or one of them, with the cost rates that were in force on a date.
func familiesOf(ctx context.Context, p operation.Pinned, day past.MarketDay, knownBy model.Date,
	family string) (Flows, error) {
	out := Flows{Date: day.Date, Families: []FamilyFlows{}}
	if day.Date == nil {
		return out, nil
	}
	args, err := familyArgs(ctx, p, *day.Date, knownBy)
	if err != nil {
		return out, err
	}
	found, err := operation.Rows[struct {
		FamilyFlows
		From *time.Time `ch:"daily_from"`
		To   *time.Time `ch:"daily_to"`
	}](ctx, p, "family_flows", append(args, sql.Arg("date", day.Date.String()), sql.Arg("family", family))...)
	for _, row := range found {
		f := row.FamilyFlows
		f.DailyFrom, f.DailyTo = operation.DateOf(row.From), operation.DateOf(row.To)
		enough := float64(f.Series) * flowShare
		if float64(f.DailyKnown) < enough {
			f.DailyFlow, f.DailyReason = nil, new("incomplete_business_day")
		}
		if float64(f.MonthlyKnown) < enough {
			f.MonthlyFlow = nil
		}
		out.Families = append(out.Families, f)
	}
	return out, err
}

// familyArgs returns the days, their dólares and the cost rates of family_flows.sql.
func familyArgs(ctx context.Context, p operation.Pinned, date, knownBy model.Date) ([]any, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	var days, dolars []string
	var builds []uint64
	for day := date.AddDays(-38); day.Compare(date) <= 0; day = day.AddDays(1) { // a month has at most 31 days
		if of := history.Days[day]; of.MarketBuild != 0 {
			days, builds, dolars = append(days, day.String()), append(builds, of.MarketBuild), append(dolars, of.Dolar)
		}
	}
	series, rates, kinds := make([]uint32, 0, len(history.Costs)), make([]float64, 0, len(history.Costs)),
		make([]string, 0, len(history.Costs))
	for id, list := range history.Costs {
		if cost := past.CostBy(list, knownBy); cost != nil {
			series, rates, kinds = append(series, id), append(rates, cost.Rate), append(kinds, *cost.Kind)
		}
	}
	inForce, err := sql.Table("cost_rate", sql.Column{Type: "series_id UInt32", Values: series},
		sql.Column{Type: "tac Float64", Values: rates},
		sql.Column{Type: "tac_kind String", Values: kinds})
	if err != nil {
		return nil, err
	}
	return []any{sql.Arg("days", days), sql.Arg("builds", builds), sql.Arg("dolars", dolars), inForce}, nil
}
