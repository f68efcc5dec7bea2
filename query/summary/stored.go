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

// universe says which series count in a summary.
type universe struct {
	name     string // as in meta.universe
	families string // the statement of their families
	movers   func(context.Context, operation.Pinned, *past.Past, summaries, []any) error
	living   bool // only those alive at the cutoff
}

var (
	livingSeries = universe{"current_vigente", "summary_stored_families", addLivingMovers, true}
	everySeries  = universe{"then", "summary_then_families", addEveryMover, false}
)

// summarise returns the summaries of some days, in ascending order, that have data, from the tables of the batch that
// have them by day. Names and what is small come from memory.
func summarise(ctx context.Context, p operation.Pinned, of []past.MarketDay, among universe) (summaries, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	out := emptySummaries(p, of)
	for _, summary := range out {
		summary.Meta.Universe = among.name
		summary.Meta.SurvivorshipBias = summary.Meta.SurvivorshipBias && among.living
	}
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
		found, err := operation.Rows[row](ctx, p, among.families, slices.Clone(period)...)
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
	reading.Go(func() error { return among.movers(ctx, p, history, out, slices.Clone(period)) })
	return out, reading.Wait()
}

// addLivingMovers adds the rises and falls among series alive at the cutoff, whose names are in memory.
func addLivingMovers(ctx context.Context, p operation.Pinned, history *past.Past, out summaries, period []any) error {
	found, err := operation.Rows[movedSeries](ctx, p, "summary_stored_movers", period...)
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
}

// addEveryMover adds the rises and falls among all series of the days.
func addEveryMover(ctx context.Context, p operation.Pinned, _ *past.Past, out summaries, period []any) error {
	type row struct {
		movedSeries
		FundID  uint32 `ch:"fund_id"`
		RUN     string `ch:"run"`
		Serie   string `ch:"serie"`
		Fund    string `ch:"fund"`
		Manager string `ch:"manager"`
	}
	found, err := operation.Rows[row](ctx, p, "summary_then_movers", period...)
	for _, m := range found {
		if summary := out.on(m.Date); summary != nil {
			m.addTo(summary, &past.ListedSeries{SeriesID: m.SeriesID, FundID: m.FundID, RUN: m.RUN, Serie: m.Serie,
				Fund: m.Fund, Manager: m.Manager})
		}
	}
	return err
}
