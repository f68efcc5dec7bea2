package query

import (
	"context"
	"errors"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"

	"golang.org/x/sync/errgroup"
)

// pastMarketBytes limits the memory of the days of pastMarketPart, and pastMarketRowBytes is about
// what a row takes. A day of 3,000 series takes about 7 MB.
const (
	pastMarketBytes    = 96 << 20
	pastMarketRowBytes = 2500
)

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

// pastMarketRow is a row of market_as_of.
type pastMarketRow struct {
	marketRow
	RatedFamily     *string     `ch:"rated_family"`
	ClassifiedLater bool        `ch:"classified_later"`
	TargetStarts    []time.Time `ch:"target_starts"`
	TargetEnds      []time.Time `ch:"target_ends"`
}

// pastMarketPart keeps past days of the current batch in memory. They are read when they are
// requested.
var pastMarketPart = batch.NewPart("past_market", func(context.Context, batch.Source) (dayCache[*pastMarket], int, error) {
	days, err := newDayCache(pastMarketBytes, func(m *pastMarket) uint64 { return pastMarketRowBytes * uint64(len(m.rows)+1) })
	return days, 0, err
})

// pastMarketParts are what screener and compare read of the batch in memory.
var pastMarketParts = []batch.Loader{marketPart, pastMarketPart, pastReturnsPart, pastRowsPart, historyPart, costHistoryPart, riskHistoryPart}

// marketAsOf returns the market at a requested date.
func marketAsOf(ctx context.Context, p pinned, requested model.Date) (*pastMarket, error) {
	read := func(ctx context.Context, requested model.Date) (*pastMarket, error) {
		return readPastMarket(ctx, p, requested)
	}
	if days, there := pastMarketPart.Of(p.batch); there {
		return days.get(ctx, p, requested, read)
	}
	return read(ctx, requested)
}

// knownMarketAsOf returns the market at a requested date if it is in memory.
func knownMarketAsOf(p pinned, requested model.Date) (*pastMarket, bool) {
	days, there := pastMarketPart.Of(p.batch)
	if !there {
		return nil, false
	}
	return days.known(requested)
}

func readPastMarket(ctx context.Context, p pinned, requested model.Date) (*pastMarket, error) {
	day, err := answeringDay(ctx, p, dateParam{requested, true})
	if err != nil {
		return nil, err
	}
	m := &pastMarket{requested: requested, day: requested, complete: day.complete, positions: map[uint32]int32{}}
	if day.date == nil {
		m.selector = selectorOf(nil)
		return m, nil
	}
	m.day = *day.date
	found, there, err := marketFromMemory(ctx, p, m.day, requested)
	if !there && err == nil {
		found, err = rows[pastMarketRow](ctx, p, "market_as_of", sql.Arg("date", m.day.String()), sql.Arg("known_by", requested.String()))
	}
	if err != nil {
		return nil, err
	}
	m.rows, m.ratedFamilies = make([]marketRow, len(found)), make([]*string, len(found))
	for i, row := range found {
		if windows := len(model.Windows); len(row.Returns) != windows || len(row.Reasons) != windows || len(row.Starts) != windows || len(row.Ends) != windows {
			return nil, &sql.ReadError{Statement: "market_as_of", Err: errors.New("a row does not have eight windows")}
		}
		m.rows[i], m.ratedFamilies[i] = row.marketRow, row.RatedFamily
		m.classifiedLater = m.classifiedLater || row.ClassifiedLater
		for _, former := range row.AliasIDs {
			m.positions[former] = int32(i)
		}
		m.positions[row.SeriesID] = int32(i)
	}
	if len(found) > 0 {
		for w := range found[0].TargetStarts {
			m.starts = append(m.starts, model.DateOf(found[0].TargetStarts[w]))
			m.ends = append(m.ends, model.DateOf(found[0].TargetEnds[w]))
		}
	}
	m.selector = selectorOf(m.rows)
	return m, nil
}

// marketFromMemory returns the rows of market_as_of.sql from the row that counts for each series on the
// day, its windows on the day, and the histories in memory. It returns false if one of these is not in
// memory.
func marketFromMemory(ctx context.Context, p pinned, day, requested model.Date) ([]pastMarketRow, bool, error) {
	market, hasMarket := marketPart.Of(p.batch)
	past, hasReturns := pastReturnsPart.Of(p.batch)
	kept, hasRows := pastRowsPart.Of(p.batch)
	days, hasDays := historyOf(p.batch)
	costs, hasCosts := costHistoryPart.Of(p.batch)
	risks, hasRisks := riskHistoryPart.Of(p.batch)
	if !hasMarket || !hasReturns || !hasRows || !hasDays || !hasCosts || !hasRisks || days.days[day].starts == nil {
		return nil, false, nil
	}
	var windows *pastDay
	var standing map[uint32]standingRow
	var dated []datedFacts
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		windows, err = past.day(ctx, p, day)
		return err
	})
	reading.Go(func() (err error) {
		standing, err = standingOn(ctx, p, day, days, kept)
		return err
	})
	reading.Go(func() error {
		dated = datedFactsOf(len(market.rows), func(i int) uint32 { return market.rows[i].SeriesID }, costs, requested, risks, day)
		return nil
	})
	if err := reading.Wait(); err != nil {
		return nil, false, err
	}
	found, starts, ends := make([]pastMarketRow, 0, len(market.rows)), times(days.days[day].starts), times(days.days[day].ends)
	for i := range market.rows {
		of := &market.rows[i]
		counts, there := standing[of.SeriesID]
		line, named := past.lineAt(of.SeriesID, requested)
		if !there || !named {
			continue
		}
		row := pastMarketRow{ClassifiedLater: counts.classifiedLater, RatedFamily: line.Family, TargetStarts: starts, TargetEnds: ends}
		row.seriesFacts = seriesFacts{SeriesID: of.SeriesID, FundID: of.FundID, RUN: of.RUN, Serie: of.Serie, Fund: of.Fund, renamed: of.renamed}
		row.Manager, row.FamilyStudies, row.ClassificationDate, row.rating = of.Manager, line.FamilyStudies, line.ClassificationDate, line.rating
		row.rating.Family = counts.family
		counts.put(&row.seriesFacts)
		dated[i].put(&row.seriesFacts)
		row.addWindows(windows.of(of.SeriesID))
		found = append(found, row)
	}
	return found, true, nil
}

// addWindows adds the windows of a series. One without stored windows had no quote to end them with.
func (row *pastMarketRow) addWindows(of *pastWindows, there bool) {
	row.Returns, row.Reasons = make([]*float64, len(model.Windows)), make([]*string, len(model.Windows))
	row.Starts, row.Ends = make([]*time.Time, len(model.Windows)), make([]*time.Time, len(model.Windows))
	if !there {
		for w := range row.Reasons {
			row.Reasons[w] = new("missing_end_quote")
		}
		return
	}
	row.MonthCurrency = of.monthCurrency
	for w, window := range model.Windows {
		row.Returns[w], row.Reasons[w] = knownFloat(&of.values[w]), of.reasons[w]
		row.Starts[w], row.Ends[w] = timeOf(of.starts[w]), timeOf(of.end)
		if window == "last_closed_month" {
			row.Ends[w] = timeOf(of.monthEnd)
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

func times(dates []model.Date) []time.Time {
	list := make([]time.Time, len(dates))
	for i, date := range dates {
		list[i] = date.Time()
	}
	return list
}

// resource shows the series of a row as it was.
func (m *pastMarket) resource(p pinned, position int32) httpapi.Resource {
	row := m.rows[position]
	rated := spheresOf(row.rating, p.batch)
	rated.Family = m.ratedFamilies[position]
	returns := returnsOf(p, row.RUN, row.Serie, row.Currency,
		row.periods(func(window int) (start, end *model.Date) { return &m.starts[window], &m.ends[window] }))
	returns.endAt(m.requested, m.day)
	return row.resource(rated, returns)
}

// pastFacts is the part of meta that says how a past date was answered.
type pastFacts struct {
	RequestedAsOf    model.Date `json:"requested_as_of_date"`
	Complete         bool       `json:"complete"`          // the day that answers was complete for the whole market
	Universe         string     `json:"universe"`          // which series are covered
	SurvivorshipBias bool       `json:"survivorship_bias"` // series that closed since are missing
	ClassifiedLater  bool       `json:"classified_later"`  // families of some series were first stated later
}

// meta returns the part of meta about the batch, and how the date was answered.
func (m *pastMarket) meta(p pinned) (marketMeta, *pastFacts) {
	of := marketMetaOf(p)
	of.AsOf, of.SeriesCount, of.SnapshotLagDays, of.RefreshRequired = &m.day, uint32(len(m.rows)), nil, false
	biased := p.batch.AsOf != nil && m.day.Compare(model.DateOf(*p.batch.AsOf)) < 0
	return of, &pastFacts{m.requested, m.complete, "current_vigente", biased, m.classifiedLater}
}
