package summary

import (
	"context"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// ManagerChanges answers by how much the equity of each manager changed over a period that ends on a day, and what
// flowed into its series meanwhile (RULES 8).
var ManagerChanges = operation.Endpoint[managerChangesParams, ChangedManagers]{
	Path: "/pages/managers", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[managerChangesParams]) (ChangedManagers, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.Date)
		if err != nil {
			return ChangedManagers{}, err
		}
		return changedManagers(ctx, r.Pinned, day, string(r.Params.Period))
	},
	Known: func(r *operation.Request[managerChangesParams]) (ChangedManagers, bool, error) {
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			return ChangedManagers{}, false, nil
		}
		periods, _ := managerChangesPart.Of(r.Batch)
		known, there := periods[string(r.Params.Period)]
		return known, there, nil
	},
	Parts: []batch.Loader{managerChangesPart, past.Part},
}

type managerChangesParams struct {
	past.MarketDayParams
	Period periodParam `query:"period" default:"first" doc:"One month, the year so far, or twelve months"`
}

// periodParam is a period of manager_changes.sql.
type periodParam string

var managerPeriods = []string{"month", "year", "12m"}

// Choices implements httpapi.Choices.
func (periodParam) Choices() []string { return managerPeriods }

// ChangedManagers are the managers with a series at the start or at the end of a period, by equity.
type ChangedManagers struct {
	Date  *model.Date      `json:"date"`  // nil, and no managers, if no day answers for the requested date
	Start *model.Date      `json:"start"` // nil if no day of the week before the period is complete
	Data  []ChangedManager `json:"data"`
}

// ChangedManager is a manager over a period. Amounts are in full pesos. What is nil has the reason of the same name.
type ChangedManager struct {
	ID           uint32         `ch:"manager_id" json:"-"`
	Name         string         `ch:"name" json:"name"`
	Equity       *float64       `ch:"equity" json:"equity"` // nil if it has no series then, or none that can be converted
	StartEquity  *float64       `ch:"start_equity" json:"start_equity"`
	Change       *float64       `ch:"change" json:"change"`
	Relative     *float64       `ch:"relative" json:"relative"` // change as a fraction of the equity at the start
	ChangeReason *string        `ch:"change_reason" json:"change_reason"`
	Flow         *float64       `ch:"flow" json:"flow"` // net contributions
	FlowReason   *string        `ch:"flow_reason" json:"flow_reason"`
	FlowCoverage facts.Coverage `ch:"-" json:"flow_coverage"`
}

// managerChangesPart keeps the changes at the cutoff in memory, by period.
var managerChangesPart = batch.NewOptionalPart("manager_changes",
	func(ctx context.Context, s batch.Source) (map[string]ChangedManagers, int, error) {
		periods, size := map[string]ChangedManagers{}, 0
		for _, period := range managerPeriods {
			found, err := changedManagers(ctx, operation.PinnedBy(s), past.CutoffOf(s.Batch), period)
			if err != nil {
				return nil, 0, err
			}
			periods[period] = found
			size += len(found.Data) * 2 * int(unsafe.Sizeof(ChangedManager{})) // about half of it is behind pointers
		}
		return periods, size, nil
	})

// changedManagers reads the changes over a period that ends on a day.
func changedManagers(ctx context.Context, p operation.Pinned, day past.MarketDay,
	period string) (ChangedManagers, error) {
	out := ChangedManagers{Date: day.Date, Data: []ChangedManager{}}
	if day.Date == nil {
		return out, nil
	}
	starts, err := operation.Rows[struct {
		Start *time.Time `ch:"start"`
	}](ctx, p, "manager_period_start", sql.Arg("date", day.Date.String()), sql.Arg("period", period))
	if err != nil {
		return out, err
	}
	start := *day.Date
	if len(starts) > 0 && starts[0].Start != nil {
		out.Start = operation.DateOf(starts[0].Start)
		start = *out.Start
	}
	found, err := operation.Rows[struct {
		ChangedManager
		Series   uint64   `ch:"flow_series"`
		OfSeries uint64   `ch:"flow_of_series"`
		Share    *float64 `ch:"flow_share"`
	}](ctx, p, "manager_changes", sql.Arg("date", day.Date.String()), sql.Arg("start", start.String()),
		sql.Arg("has_start", out.Start != nil))
	for _, of := range found {
		one := of.ChangedManager
		one.FlowCoverage = facts.Coverage{Series: of.Series, OfSeries: of.OfSeries, EquityShare: of.Share}
		out.Data = append(out.Data, one)
	}
	return out, err
}
