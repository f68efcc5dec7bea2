package market

import (
	"cmp"
	"context"
	"time"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"

	"golang.org/x/sync/errgroup"
)

// pastMarketRowBytes is about what a row of a pastMarket takes, with its bit in the result of each searched text.
const pastMarketRowBytes = 2500 + mostSearched/8

// pastMarket holds the series alive at the cutoff as they were on a past date, by ascending
// id, for screener and compare.
type pastMarket struct {
	requested, day model.Date // day is the one that answers; it is the requested one if none does
	complete       bool
	rows           []marketRow
	ratedFamilies  []*string        // of the ratings, one per row; the row may have a family that was stated later
	positions      map[uint32]int32 // index in rows, by every id that a series ever had
	starts, ends   []model.Date     // target dates of the windows
	selector
	classifiedLater bool // some families were first stated after the day
}

// pastMarkets are the markets of past dates, by the requested date.
var pastMarkets = batch.NewCached("market", func(m *pastMarket) int { return pastMarketRowBytes * (len(m.rows) + 1) })

// marketAsOf returns the market at a requested date.
func marketAsOf(ctx context.Context, p operation.Pinned, requested model.Date) (*pastMarket, error) {
	return past.Dated(ctx, p, pastMarkets, requested, func(ctx context.Context) (*pastMarket, error) {
		return readPastMarket(ctx, p, requested)
	})
}

// knownMarketAsOf returns the market at a requested date if it is in memory.
func knownMarketAsOf(p operation.Pinned, requested model.Date) (*pastMarket, bool) {
	return pastMarkets.Known(p.Cache, p.Batch, requested)
}

// readPastMarket puts the rows of market_as_of.sql together, from the row that counts for each series on the day that
// answers, its windows on the day, and the histories in memory.
func readPastMarket(ctx context.Context, p operation.Pinned, requested model.Date) (*pastMarket, error) {
	history, err := past.Of(ctx, p)
	if err != nil {
		return nil, err
	}
	answering, err := past.AnsweringDay(ctx, p, operation.DateParam{Date: requested, Given: true})
	if err != nil {
		return nil, err
	}
	m := &pastMarket{requested: requested, day: requested, complete: answering.Complete, positions: map[uint32]int32{}}
	if answering.Date == nil {
		m.selector = selectorOf(nil)
		return m, nil
	}
	m.day = *answering.Date
	m.starts, m.ends = history.Days[m.day].Starts, history.Days[m.day].Ends
	var windows *past.Day
	var standing map[uint32]past.StandingRow
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		windows, err = past.WindowsOn(ctx, p, history, m.day)
		return err
	})
	reading.Go(func() (err error) {
		standing, err = past.StandingOn(ctx, p, history, m.day)
		return err
	})
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	for _, position := range history.Ascending {
		of := &history.Listed[position]
		counts, there := standing[of.SeriesID]
		line, named := history.LineAt(of.SeriesID, requested)
		if !there || !named {
			continue
		}
		row := marketRow{SeriesFacts: of.Facts(), Manager: of.Manager, FamilyStudies: line.FamilyStudies,
			ClassificationDate: line.ClassificationDate, Rating: line.Rating}
		row.Rating.Family = counts.Family
		counts.Put(&row.SeriesFacts)
		history.FactsOf(of.SeriesID, requested, m.day).Put(&row.SeriesFacts)
		row.Eligibility = history.EligibilityBy(of.SeriesID, requested).WithClass(cmp.Or(row.Class, row.ClassTAC))
		row.addWindows(windows.Of(of.SeriesID))
		for _, former := range row.AliasIDs {
			m.positions[former] = int32(len(m.rows))
		}
		m.positions[row.SeriesID] = int32(len(m.rows))
		m.rows, m.ratedFamilies = append(m.rows, row), append(m.ratedFamilies, line.Family)
		m.classifiedLater = m.classifiedLater || counts.ClassifiedLater
	}
	m.selector = selectorOf(m.rows)
	return m, nil
}

// addWindows adds the windows of a series. One without stored windows had no quote to end them with.
func (row *marketRow) addWindows(of *past.Windows, there bool) {
	row.Returns, row.Reasons = make([]*float64, len(model.Windows)), make([]*string, len(model.Windows))
	row.Starts, row.Ends = make([]*time.Time, len(model.Windows)), make([]*time.Time, len(model.Windows))
	if !there {
		for w := range row.Reasons {
			row.Reasons[w] = new("missing_end_quote")
		}
		return
	}
	row.MonthCurrency = of.MonthCurrency
	for w, window := range model.Windows {
		row.Returns[w], row.Reasons[w] = past.KnownFloat(&of.Values[w]), of.Reasons[w]
		row.Starts[w], row.Ends[w] = timeOf(of.Starts[w]), timeOf(of.End)
		if window == "last_closed_month" {
			row.Ends[w] = timeOf(of.MonthEnd)
		}
	}
}

// timeOf returns nil for the zero date.
func timeOf(date model.Date) *time.Time {
	if date.IsZero() {
		return nil
	}
	return new(date.Time())
}

// resource shows the series of a row as it was.
func (m *pastMarket) resource(p operation.Pinned, position int32) Resource {
	row := m.rows[position]
	rated := facts.SpheresOf(row.Rating, p.Batch)
	rated.Family = m.ratedFamilies[position]
	returns := facts.ReturnsOf(p, row.RUN, row.Serie, row.Currency,
		row.periods(func(window int) (start, end *model.Date) { return &m.starts[window], &m.ends[window] }))
	returns.EndAt(m.requested, m.day)
	return row.resource(rated, returns)
}

// PastFacts is the part of meta that says how a past date was answered.
type PastFacts struct {
	RequestedAsOf    model.Date `json:"requested_as_of_date"`
	Complete         bool       `json:"complete"`          // the day that answers was complete for the whole market
	Universe         string     `json:"universe"`          // which series are covered
	SurvivorshipBias bool       `json:"survivorship_bias"` // series that closed since are missing
	ClassifiedLater  bool       `json:"classified_later"`  // families of some series were first stated later
}

// meta returns the part of meta about the batch, and how the date was answered.
func (m *pastMarket) meta(p operation.Pinned) (Meta, *PastFacts) {
	of := marketMetaOf(p)
	of.AsOf, of.SeriesCount, of.SnapshotLagDays, of.RefreshRequired = &m.day, uint32(len(m.rows)), nil, false
	biased := p.Batch.AsOf != nil && m.day.Compare(model.DateOf(*p.Batch.AsOf)) < 0
	return of, &PastFacts{m.requested, m.complete, "current_vigente", biased, m.classifiedLater}
}
