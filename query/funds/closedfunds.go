package funds

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"
)

// Closed lists the series of mutual funds that had closed by a day, with what ended them, and the closed funds of the
// register of which no file has a quota. The series of a fund stand together, the fund that closed last first.
var Closed = operation.Endpoint[closedParams, ClosedList]{
	Path: "/pages/closed", ForPages: true,
	Find: func(ctx context.Context, r *operation.Request[closedParams]) (ClosedList, error) {
		day, err := past.AnsweringDay(ctx, r.Pinned, r.Params.Date)
		if err != nil {
			return ClosedList{}, err
		}
		all, err := closedBy(ctx, r.Pinned, day)
		return r.Params.chosen(day, all), err
	},
	Known: func(r *operation.Request[closedParams]) (ClosedList, bool, error) {
		if !past.AtCutoff(r.Batch, r.Params.Date) {
			return ClosedList{}, false, nil
		}
		all, there := closedPart.Of(r.Batch)
		return r.Params.chosen(past.CutoffOf(r.Batch), all), there, nil
	},
	Parts: []batch.Loader{closedPart, past.Part},
}

type closedParams struct {
	past.MarketDayParams
	Year    int64  `query:"year" min:"0" max:"9999" default:"0" doc:"Only what closed in this year; 0: any"`
	Manager string `query:"administrator" max:"200" doc:"Only what this manager managed, ignoring case and accents"`
	Limit   int64  `query:"limit" min:"1" max:"1000" default:"50" doc:"Rows of the page"`
	Offset  int64  `query:"offset" min:"0" max:"9007199254740991" default:"0" doc:"Rows to skip"`
}

// ClosedList is a page of the series and funds that had closed by a day. Years and managers are those of all of them.
type ClosedList struct {
	Date     *model.Date    `json:"date"` // nil if no day answers for the requested date
	Data     []ClosedSeries `json:"data"`
	Total    int            `json:"total"`    // of the list, before paging
	Years    []int          `json:"years"`    // in which something closed, the newest first
	Managers []string       `json:"managers"` // by name
}

// ClosedSeries is a closed series, or a fund of which no file has a quota: it has no serie.
type ClosedSeries struct {
	SeriesID  uint32      `ch:"series_id" json:"-"`
	ID        string      `ch:"public_id" json:"id"`
	RUN       string      `ch:"run" json:"run"`
	Serie     string      `ch:"serie" json:"serie"`
	Fund      string      `ch:"fund" json:"fund"`
	Manager   *string     `ch:"manager" json:"manager"`
	Family    *string     `ch:"family" json:"family"`
	Reason    string      `ch:"reason" json:"reason"` // exchanged, register, stated, redeemed or silent
	Currency  *string     `ch:"currency" json:"currency"`
	Equity    *float64    `ch:"equity" json:"equity"`         // on the last day with a quota, full units of currency
	EquityCLP *float64    `ch:"equity_clp" json:"equity_clp"` // full pesos
	LastDate  *model.Date `ch:"-" json:"last_date"`           // last day with a quota
	EndedOn   *model.Date `ch:"-" json:"ended_on"`            // of the end that reason names
	FundEnded *model.Date `ch:"-" json:"fund_ended"`          // by the register, up to the day
	// the series for whose quotas its own were exchanged; OtherID is "" without quotas of it
	OtherID    string `ch:"-" json:"other_id"`
	OtherRUN   string `ch:"other_run" json:"other_run"`
	OtherSerie string `ch:"other_serie" json:"other_serie"`
	OtherFund  string `ch:"other_fund" json:"other_fund"`

	closedOn time.Time
}

// closedPart keeps what had closed by the cutoff in memory.
var closedPart = batch.NewOptionalPart("closed",
	func(ctx context.Context, s batch.Source) ([]ClosedSeries, int, error) {
		all, err := closedBy(ctx, operation.PinnedBy(s), past.CutoffOf(s.Batch))
		return all, len(all) * 2 * int(unsafe.Sizeof(ClosedSeries{})), err // about half of it is behind pointers
	})

// closedBy reads what had closed by a day. There is nothing if there is no day.
func closedBy(ctx context.Context, p operation.Pinned, day past.MarketDay) ([]ClosedSeries, error) {
	if day.Date == nil {
		return nil, nil
	}
	type row struct {
		ClosedSeries
		Last      *time.Time `ch:"last_date"`
		Closed    time.Time  `ch:"closed_on"`
		Ended     *time.Time `ch:"ended_on"`
		FundEnded *time.Time `ch:"fund_ended"`
		Other     uint32     `ch:"other_id"`
	}
	found, err := operation.Rows[row](ctx, p, "closed_series", sql.Arg("as_of", day.Date.String()))
	all := make([]ClosedSeries, len(found))
	for i, of := range found {
		all[i] = of.ClosedSeries
		all[i].closedOn = of.Closed
		all[i].LastDate, all[i].EndedOn = operation.DateOf(of.Last), operation.DateOf(of.Ended)
		all[i].FundEnded = operation.DateOf(of.FundEnded)
		if of.Other != 0 {
			all[i].OtherID = operation.IDText(of.Other)
		}
	}
	return all, err
}

// chosen returns the page of the list that the parameters ask for.
func (params *closedParams) chosen(day past.MarketDay, all []ClosedSeries) ClosedList {
	list := ClosedList{Date: day.Date, Data: []ClosedSeries{}, Years: []int{}, Managers: []string{}}
	manager := model.Fold(params.Manager)
	for _, of := range all {
		year := of.closedOn.Year()
		if !slices.Contains(list.Years, year) {
			list.Years = append(list.Years, year)
		}
		if of.Manager != nil && !slices.Contains(list.Managers, *of.Manager) {
			list.Managers = append(list.Managers, *of.Manager)
		}
		if params.Year != 0 && int64(year) != params.Year ||
			manager != "" && (of.Manager == nil || model.Fold(*of.Manager) != manager) {
			continue
		}
		if place := int64(list.Total); place >= params.Offset && place-params.Offset < params.Limit {
			list.Data = append(list.Data, of)
		}
		list.Total++
	}
	slices.SortFunc(list.Years, func(a, b int) int { return cmp.Compare(b, a) })
	slices.Sort(list.Managers)
	return list
}
