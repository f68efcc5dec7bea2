package past

import (
	"context"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/facts"
	"cuota/query/operation"
)

// historyDay is what the batch has of a day of its history.
type historyDay struct {
	hasData, complete bool
	// of the tables by day that the batch reads; 0 if it has no rows of the day
	MarketBuild, returnBuild uint64
	Dolar                    string           // dólar observado of the day; empty: none
	Flows                    facts.KnownFlows // for how many series the flows of the day are known
	// target dates of the windows that end on the day; nil if nothing is known of the day
	Starts, Ends []model.Date
}

// history has the days of a batch. Statements that get the build of a day as an argument read one
// table, which ClickHouse plans in a tenth of the time that the views take which look it up.
type history struct {
	Days        map[model.Date]historyDay
	reports     []model.Date // days of the regulator's comparators, ascending
	first, last model.Date   // last is the zero date if there are no days
}

// historyRow is a row of days_of_batch.
type historyRow struct {
	Date        time.Time `ch:"date"`
	HasData     bool      `ch:"has_data"`
	Complete    bool      `ch:"complete"`
	MarketBuild uint64    `ch:"market_build"`
	ReturnBuild uint64    `ch:"return_build"`
	Dolar       string    `ch:"dolar"`
	Reported    bool      `ch:"reported"`
	facts.KnownFlows
	TargetStarts []time.Time `ch:"target_starts"`
	TargetEnds   []time.Time `ch:"target_ends"`
}

// readDaysOfBatch reads the days of a batch, and returns what they take in bytes.
func readDaysOfBatch(ctx context.Context, p operation.Pinned) (history, int, error) {
	found, err := operation.Rows[historyRow](ctx, p, "days_of_batch")
	if err != nil {
		return history{}, 0, err
	}
	of := history{Days: make(map[model.Date]historyDay, len(found))}
	bytes := len(found) * 2 * int(unsafe.Sizeof(historyDay{}))
	for _, row := range found {
		day := historyDay{
			hasData: row.HasData, complete: row.Complete,
			MarketBuild: row.MarketBuild, returnBuild: row.ReturnBuild, Dolar: row.Dolar, Flows: row.KnownFlows,
		}
		for w := range row.TargetStarts {
			day.Starts, day.Ends = append(day.Starts, model.DateOf(row.TargetStarts[w])),
				append(day.Ends, model.DateOf(row.TargetEnds[w]))
		}
		bytes += len(day.Dolar) + (len(day.Starts)+len(day.Ends))*int(unsafe.Sizeof(model.Date{}))
		of.last = model.DateOf(row.Date)
		of.Days[of.last] = day
		if row.Reported {
			of.reports = append(of.reports, of.last)
		}
	}
	if len(found) > 0 {
		of.first = model.DateOf(found[0].Date)
	}
	return of, bytes, nil
}

// answering returns the day whose data are shown for a date: the date itself if it has data, else the latest complete
// day before it (RULES 7 and 8). The date of the result is nil if there is none.
func (of *history) answering(asked model.Date) MarketDay {
	if day := of.Days[asked]; day.hasData || day.complete {
		return MarketDay{&asked, day.complete}
	}
	date := asked.AddDays(-1)
	if date.Compare(of.last) > 0 {
		date = of.last
	}
	for ; date.Compare(of.first) >= 0; date = date.AddDays(-1) {
		if of.Days[date].complete {
			return MarketDay{&date, true}
		}
	}
	return MarketDay{}
}

// MarketBuilds returns the days of a period that have rows of market_day, and the build of each.
func (of *history) MarketBuilds(first, last model.Date) (days []string, builds []uint64) {
	for date := first; date.Compare(last) <= 0; date = date.AddDays(1) {
		if build := of.Days[date].MarketBuild; build != 0 {
			days, builds = append(days, date.String()), append(builds, build)
		}
	}
	return days, builds
}

// returnBuildBy returns the newest day up to a date on which a series was quoted, and the build of its windows. Both
// are zero if there is none.
func (of *history) returnBuildBy(date model.Date) (day model.Date, build uint64) {
	for day := date; day.Compare(of.first) >= 0; day = day.AddDays(-1) {
		if build := of.Days[day].returnBuild; build != 0 {
			return day, build
		}
	}
	return model.Date{}, 0
}

// Report returns the newest comparator up to a date, and the first one if none is as old. It is nil if
// there is none at all.
func (of *history) Report(date model.Date) *model.Date {
	if len(of.reports) == 0 {
		return nil
	}
	newest := of.reports[0]
	for _, report := range of.reports {
		if report.Compare(date) <= 0 {
			newest = report
		}
	}
	return &newest
}

// WithData returns the days of a period that answer for themselves (RULES 7).
func (of *history) WithData(first, last model.Date) (days []MarketDay) {
	if first.Compare(of.first) < 0 {
		first = of.first
	}
	for date := first; date.Compare(last) <= 0 && date.Compare(of.last) <= 0; date = date.AddDays(1) {
		if day := of.Days[date]; day.hasData {
			days = append(days, MarketDay{&date, day.complete})
		}
	}
	return days
}
