package query

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"
)

// pastBytes limits the memory of the days in pastReturns. A day of 3,000 series takes about
// 0.7 MB, so some 140 days are kept.
const pastBytes = 96 << 20

// pastReturns answers returns of mutual funds at past dates from memory. Of each requested date
// it reads the windows of all series at once, and keeps the dates that are used most.
type pastReturns struct {
	series  map[uint32]quotedSeries
	ratings map[uint32][]datedRating // in order of their days
	days    dayCache[*pastDay]
}

// quotedSeries is a series of mutual funds in the registry.
type quotedSeries struct {
	ID    uint32 `ch:"series_id"`
	RUN   uint32 `ch:"run"`
	Serie string `ch:"serie"`
}

// datedRating is a rating from the first day on which it is in force.
type datedRating struct {
	from   model.Date
	rating *rating // shared by the series that have it
}

// ratedSeries is a row of rating_history.
type ratedSeries struct {
	From   time.Time `ch:"valid_from"`
	Series []uint32  `ch:"series"`
	rating
}

// pastDay holds the windows of all series at a date, by ascending id. It has no rows if no
// series was quoted on the date.
type pastDay struct {
	rows                     []pastWindows
	targetStarts, targetEnds []model.Date // by window
}

// pastWindows holds the windows of one series at a date, in the order of model.Windows. Dates
// are zero, and texts empty, where there is no quote.
type pastWindows struct {
	series                                  uint32
	end, monthEnd                           model.Date // quotes with which windows end
	currency, statedCurrency, monthCurrency *string
	values                                  [8]float64 // NaN if there is no value
	reasons                                 [8]*string // nil if there is a value
	starts                                  [8]model.Date
}

// pastRow is a row of returns_of_day.
type pastRow struct {
	TargetStarts   []time.Time  `ch:"target_starts"`
	TargetEnds     []time.Time  `ch:"target_ends"`
	Series         uint32       `ch:"series_id"`
	End            time.Time    `ch:"effective_end"`
	Currency       string       `ch:"currency"`
	StatedCurrency string       `ch:"stated_currency"`
	MonthEnd       *time.Time   `ch:"month_effective_end"`
	MonthCurrency  string       `ch:"month_currency"`
	Returns        []*float64   `ch:"returns"`
	Reasons        []*string    `ch:"reasons"`
	Starts         []*time.Time `ch:"starts"`
}

// pastReturnsPart keeps pastReturns of the current batch in memory. The days are read when
// they are requested.
var pastReturnsPart = batch.NewPart("past_returns", func(ctx context.Context, s batch.Source) (*pastReturns, int, error) {
	p := pinnedBy(s)
	known, err := rows[quotedSeries](ctx, p, "quoted_series")
	if err != nil {
		return nil, 0, err
	}
	rated, err := rows[ratedSeries](ctx, p, "rating_history")
	if err != nil {
		return nil, 0, err
	}
	past := &pastReturns{series: make(map[uint32]quotedSeries, len(known)), ratings: make(map[uint32][]datedRating, len(known))}
	for _, one := range known {
		past.series[one.ID] = one
	}
	bytes := len(known) * int(unsafe.Sizeof(quotedSeries{}))
	for i := range rated {
		for _, id := range rated[i].Series {
			past.ratings[id] = append(past.ratings[id], datedRating{model.DateOf(rated[i].From), &rated[i].rating})
		}
		bytes += int(unsafe.Sizeof(rated[i])) + len(rated[i].Series)*int(unsafe.Sizeof(datedRating{}))
		rated[i].Series = nil
	}
	past.days, err = newDayCache(pastBytes, func(day *pastDay) uint64 {
		return uint64(unsafe.Sizeof(*day) + uintptr(len(day.rows))*unsafe.Sizeof(pastWindows{}))
	})
	if err != nil {
		return nil, 0, err
	}
	return past, bytes, nil
})

// day reads the windows of all series at a date, or gives those that were read before.
func (past *pastReturns) day(ctx context.Context, p pinned, date model.Date) (*pastDay, error) {
	return past.days.get(ctx, p, date, func(ctx context.Context, date model.Date) (*pastDay, error) {
		found, err := rows[pastRow](ctx, p, "returns_of_day", sql.Arg("date", date.String()))
		if err != nil {
			return nil, err
		}
		return pastDayOf(found)
	})
}

// pastDayOf gives the windows of the rows of one day.
func pastDayOf(found []pastRow) (*pastDay, error) {
	day := &pastDay{rows: make([]pastWindows, len(found))}
	if len(found) == 0 {
		return day, nil
	}
	for i := range found[0].TargetStarts {
		day.targetStarts = append(day.targetStarts, model.DateOf(found[0].TargetStarts[i]))
		day.targetEnds = append(day.targetEnds, model.DateOf(found[0].TargetEnds[i]))
	}
	texts := map[string]*string{"": nil} // each text once
	text := func(s string) *string {
		kept, there := texts[s]
		if !there {
			kept = &s
			texts[s] = kept
		}
		return kept
	}
	for i, row := range found {
		if len(row.Returns) != len(model.Windows) || len(row.Reasons) != len(model.Windows) || len(row.Starts) != len(model.Windows) {
			return nil, &sql.ReadError{Statement: "returns_of_day", Err: errors.New("a row does not have eight windows")}
		}
		kept := &day.rows[i]
		kept.series, kept.end = row.Series, model.DateOf(row.End)
		if row.MonthEnd != nil {
			kept.monthEnd = model.DateOf(*row.MonthEnd)
		}
		kept.currency, kept.statedCurrency, kept.monthCurrency = text(row.Currency), text(row.StatedCurrency), text(row.MonthCurrency)
		for w := range model.Windows {
			kept.values[w] = math.NaN()
			if row.Returns[w] != nil {
				kept.values[w] = *row.Returns[w]
			}
			if row.Reasons[w] != nil {
				kept.reasons[w] = text(*row.Reasons[w])
			}
			if row.Starts[w] != nil {
				kept.starts[w] = model.DateOf(*row.Starts[w])
			}
		}
	}
	return day, nil
}

// of gives the windows of a series, and false if it has none on the day.
func (day *pastDay) of(series uint32) (*pastWindows, bool) {
	i, there := slices.BinarySearchFunc(day.rows, series, func(row pastWindows, id uint32) int { return cmp.Compare(row.series, id) })
	if !there {
		return nil, false
	}
	return &day.rows[i], true
}

// periods gives the windows as replies show them. They point into the day, which never changes.
func (day *pastDay) periods(of *pastWindows) returnPeriods {
	shown := make(returnPeriods, len(model.Windows))
	for w, window := range model.Windows {
		end, currency := &of.end, of.currency
		if window == "last_closed_month" {
			end, currency = &of.monthEnd, of.monthCurrency
		}
		shown[w] = returnPeriod{
			Status: availability(of.reasons[w]), Reason: of.reasons[w],
			TargetStart: &day.targetStarts[w], TargetEnd: &day.targetEnds[w],
			EffectiveStart: known(&of.starts[w]), EffectiveEnd: known(end),
		}
		if of.reasons[w] == nil {
			shown[w].Value, shown[w].Currency = &of.values[w], currency
		}
	}
	return shown
}

// known gives nil for the zero date.
func known(date *model.Date) *model.Date {
	if date.IsZero() {
		return nil
	}
	return date
}

// ratingAt gives the rating of a series in force at a date.
func (past *pastReturns) ratingAt(series uint32, at model.Date) (rating, bool) {
	dated := past.ratings[series]
	for i := len(dated) - 1; i >= 0; i-- {
		if dated[i].from.Compare(at) <= 0 {
			return *dated[i].rating, true
		}
	}
	return rating{}, false
}

// reply gives the returns of a series at a date. It returns false if the day has no row of
// the series, which is then computed for the request.
func (past *pastReturns) reply(p pinned, asset assetID, day *pastDay, asOf model.Date) (item httpapi.Item, there bool) {
	renamed, id := p.batch.Renamed(asset.series), asset.series
	if renamed != nil {
		id = renamed.SeriesID
	}
	registered, there := past.series[id]
	if !there {
		return item, false
	}
	windows, there := day.of(id)
	if !there {
		return item, false
	}
	rated, there := past.ratingAt(id, asOf)
	if !there {
		return item, false
	}
	one := series{ID: id, RUN: registered.RUN, Serie: registered.Serie, Currency: windows.statedCurrency, asked: asset}
	if renamed != nil {
		one.Serie = renamed.CutoffSerie
	}
	return returnsItem(one, directReturns(p, one, asOf, day.periods(windows), spheresOf(rated, p.batch))), true
}
