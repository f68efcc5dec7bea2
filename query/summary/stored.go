package summary

import (
	"context"
	"fmt"
	"slices"

	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"

	"golang.org/x/sync/errgroup"
)

// summarise returns the summaries of some days, in ascending order, that have data, from the tables of the batch that
// have them by day. Names and what is small come from memory.
func summarise(ctx context.Context, p operation.Pinned, of []past.MarketDay) (summaries, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	out := emptySummaries(p, of)
	for date, summary := range out {
		familyCoverage{}.tell(summary, history.Report(date)) // stays if no series counts
		summary.tellFlows(history.Days[date].Flows)
	}
	period := periodOf(of)
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() error {
		type row struct {
			summarisedFamily
			familyCoverage
			Shown bool `ch:"shown"`
		}
		found, err := operation.Rows[row](ctx, p, "summary_stored_families", slices.Clone(period)...)
		shown := make([]summarisedFamily, 0, len(found))
		for _, of := range found {
			if summary := out.on(of.Date); summary != nil { // every row has the coverage of its day
				of.tell(summary, history.Report(*summary.Meta.Date))
			}
			if of.Shown {
				shown = append(shown, of.summarisedFamily)
			}
		}
		out.addFamilies(shown)
		return err
	})
	reading.Go(func() error {
		found, err := operation.Rows[movedSeries](ctx, p, "summary_stored_movers", slices.Clone(period)...)
		for _, m := range found {
			summary := out.on(m.Date)
			if summary == nil {
				continue
			}
			position, there := history.Positions[m.SeriesID]
			if !there {
				return &sql.ReadError{Statement: "summary_stored_movers",
					Err: fmt.Errorf("series %d is not in the market of the batch", m.SeriesID)}
			}
			m.addTo(summary, &history.Listed[position])
		}
		return err
	})
	return out, reading.Wait()
}
