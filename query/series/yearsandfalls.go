package series

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"cuota/model"
	"cuota/query/operation"
	"cuota/sql"
)

// YearsAndFalls answers with what a series returned in each calendar year (RULES 1), and its deepest falls.
var YearsAndFalls = operation.Endpoint[profileParams, YearsFalls]{
	Path: "/pages/series/{asset_id}/years", ForPages: true,
	Check: checkProfile, Find: findYearsAndFalls,
}

// YearsFalls are the calendar years of a series, the newest first, and its five deepest falls, the deepest first.
type YearsFalls struct {
	Years []CalendarYear `json:"years"`
	Falls []Fall         `json:"falls"`
}

// CalendarYear is the price return of a series over a year, in its currency. Value is nil with a reason.
type CalendarYear struct {
	Year    uint16      `ch:"year" json:"year"`
	Partial bool        `ch:"partial" json:"partial"` // the year was not over on the day
	Value   *float64    `ch:"value" json:"value"`     // fraction
	Reason  *string     `ch:"reason" json:"reason"`   // as that of a window
	Start   *model.Date `ch:"-" json:"effective_start_date"`
	End     *model.Date `ch:"-" json:"effective_end_date"`
}

// Fall is a fall of a series from a highest quote, adjusted by believed factors. Nothing is computed across a break.
type Fall struct {
	Peak      model.Date  `ch:"-" json:"peak_date"`
	Lowest    model.Date  `ch:"-" json:"lowest_date"`
	Recovered *model.Date `ch:"-" json:"recovered_date"` // nil unless status is recovered
	Status    string      `ch:"status" json:"status"`    // recovered, open, or broken: the history breaks before
	Depth     float64     `ch:"depth" json:"depth"`      // fraction below 0
	// VerifiedDepth is the depth between the same days with the verified factors in place of the believed ones; nil if
	// these are the same.
	VerifiedDepth *float64 `ch:"verified_depth" json:"verified_depth"`
	Days          uint32   `ch:"days_long" json:"days_long"` // from the peak to the recovery, else to the last quote
}

func findYearsAndFalls(ctx context.Context, r *operation.Request[profileParams]) (found YearsFalls, err error) {
	known, err := numberOf(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return found, err
	}
	args := append(tableArgs(r.Params.Asset), sql.Arg("series_id", known),
		sql.Arg("as_of", operation.Storable(r.Params.until(r.Pinned)).String()))
	loading, ctx := errgroup.WithContext(ctx)
	loading.Go(func() error {
		rows, err := operation.Rows[struct {
			CalendarYear
			Start *time.Time `ch:"start_date"`
			End   *time.Time `ch:"end_date"`
		}](ctx, r.Pinned, "calendar_years", args...)
		found.Years = make([]CalendarYear, len(rows))
		for i, row := range rows {
			found.Years[i] = row.CalendarYear
			found.Years[i].Start, found.Years[i].End = operation.DateOf(row.Start), operation.DateOf(row.End)
		}
		return err
	})
	loading.Go(func() error {
		rows, err := operation.Rows[struct {
			Fall
			Peak      time.Time  `ch:"peak_on"`
			Lowest    time.Time  `ch:"lowest_on"`
			Recovered *time.Time `ch:"recovered_on"`
		}](ctx, r.Pinned, "series_falls", args...)
		found.Falls = make([]Fall, len(rows))
		for i, row := range rows {
			found.Falls[i] = row.Fall
			found.Falls[i].Peak, found.Falls[i].Lowest = model.DateOf(row.Peak), model.DateOf(row.Lowest)
			found.Falls[i].Recovered = operation.DateOf(row.Recovered)
		}
		return err
	})
	return found, loading.Wait()
}
