package query

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/query/batch"
	"cuota/sql"

	"github.com/maypok86/otter/v2"
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
	// requested are dates that were requested before; only the newest are remembered.
	requested *otter.Cache[model.Date, struct{}]
}

// mostRequested is how many dates pastReturns remembers as requested before.
const mostRequested = 20_000

// quotedSeries is a series of mutual funds in the registry.
type quotedSeries struct {
	ID    uint32 `ch:"series_id"`
	RUN   uint32 `ch:"run"`
	Serie string `ch:"serie"`
}

// datedRating is a rating from the first day on which it is in force.
type datedRating struct {
	from model.Date
	line *ratedLine // shared by the series that have it
}

// ratedLine is what a comparator says of series, or that it does not have them.
type ratedLine struct {
	rating
	FamilyStudies      *string    `ch:"family_studies"`
	ClassificationDate *time.Time `ch:"classification_date"` // nil if there is no line
}

// ratedSeries is a row of rating_history.
type ratedSeries struct {
	From   time.Time `ch:"valid_from"`
	Series []uint32  `ch:"series"`
	ratedLine
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
			past.ratings[id] = append(past.ratings[id], datedRating{model.DateOf(rated[i].From), &rated[i].ratedLine})
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
	past.requested, err = otter.New(&otter.Options[model.Date, struct{}]{MaximumSize: mostRequested})
	return past, bytes, err
})

// day reads the windows of all series at a date, or gives those that were read before.
func (past *pastReturns) day(ctx context.Context, p pinned, date model.Date) (*pastDay, error) {
	return past.days.get(ctx, p, date, func(ctx context.Context, date model.Date) (*pastDay, error) {
		if days, there := historyOf(p.batch); there {
			return past.dayOfBuild(ctx, p, date, days.days[date], nil)
		}
		found, err := rows[pastRow](ctx, p, "returns_of_day", sql.Arg("date", date.String()))
		if err != nil {
			return nil, err
		}
		return pastDayOf(found)
	})
}

// knows reports whether there is a series of mutual funds with this id.
func (past *pastReturns) knows(p pinned, asset assetID) bool {
	_, there := past.series[currentID(p, asset)]
	return there
}

// dayFor returns the windows of a date, at least those of one series. Of a date that is requested for the
// first time it reads only that series, which takes half as long as all of them. So a caller who asks for
// one series at many dates does not fill the memory with days.
func (past *pastReturns) dayFor(ctx context.Context, p pinned, asset assetID, date model.Date) (*pastDay, error) {
	days, there := historyOf(p.batch)
	if _, known := past.days.known(date); known || !there {
		return past.day(ctx, p, date)
	}
	if _, first := past.requested.Set(date, struct{}{}); !first {
		return past.day(ctx, p, date)
	}
	return past.dayOfBuild(ctx, p, date, days.days[date], new(currentID(p, asset)))
}

// dayOfBuild reads the windows of one series at a date, or of all if series is nil, from the build that
// the batch reads.
func (past *pastReturns) dayOfBuild(ctx context.Context, p pinned, date model.Date, of historyDay, series *uint32) (*pastDay, error) {
	day := &pastDay{targetStarts: of.starts, targetEnds: of.ends}
	if of.returnBuild == 0 {
		return day, nil
	}
	statement, only := "returns_of_whole_day", uint32(0)
	if series != nil {
		statement, only = "returns_of_day_lines", *series
	}
	found, err := rows[packedLines](ctx, p, statement, sql.Arg("date", date.String()), sql.Arg("build", of.returnBuild), sql.Arg("all", series == nil), sql.Arg("series_id", only))
	if err != nil {
		return nil, err
	}
	return day, past.add(day, statement, found)
}

// standing returns the windows of one series at a date on which it has no row: it has no quote yet, or closed more than 38 days
// before. It returns nil if no series was quoted on the date, or if the days are not in memory.
func (past *pastReturns) standing(ctx context.Context, p pinned, asset assetID, date model.Date) (*pastDay, error) {
	history, there := historyOf(p.batch)
	if !there || history.days[date].returnBuild == 0 {
		return nil, nil
	}
	of := history.days[date]
	days, builds := make([]string, 0, 10), make([]uint64, 0, 10)
	for _, target := range slices.Concat([]model.Date{date}, of.starts, of.ends[len(of.ends)-1:]) {
		answering, build := history.returnBuildBy(target)
		days, builds = append(days, answering.String()), append(builds, build)
	}
	const statement = "returns_of_standing_quotes"
	found, err := rows[packedLines](ctx, p, statement, sql.Arg("series_id", currentID(p, asset)), sql.Arg("day", date.String()), sql.Arg("days", days), sql.Arg("builds", builds))
	if err != nil {
		return nil, err
	}
	day := &pastDay{targetStarts: of.starts, targetEnds: of.ends}
	return day, past.add(day, statement, found)
}

// packedLines are rows in the format RowBinary, as returns_of_day_lines.sql describes them.
type packedLines struct {
	Lines string `ch:"lines"`
}

// add adds the rows of registered series to a day, and sorts them.
func (past *pastReturns) add(day *pastDay, statement string, found []packedLines) error {
	words := words{}
	for _, lines := range found {
		line := rowbinary.NewReader(lines.Lines)
		for line.More() {
			row := pastWindows{series: line.Uint32(), end: line.Date()}
			row.currency, row.statedCurrency = words.optional(line.Text()), words.knownCurrency(line.Text())
			if !line.Null() {
				row.monthEnd = line.Date()
			}
			row.monthCurrency = words.optional(line.Text())
			for w := range row.values {
				row.values[w] = math.NaN()
				if !line.Null() {
					row.values[w] = line.Float64()
				}
			}
			for w := range row.reasons {
				if !line.Null() {
					row.reasons[w] = words.optional(line.Text())
				}
			}
			for w := range row.starts {
				if !line.Null() {
					row.starts[w] = line.Date()
				}
			}
			if _, registered := past.series[row.series]; registered {
				day.rows = append(day.rows, row)
			}
		}
		if line.Err() != nil {
			return &sql.ReadError{Statement: statement, Err: line.Err()}
		}
	}
	slices.SortFunc(day.rows, func(a, b pastWindows) int { return cmp.Compare(a.series, b.series) })
	return nil
}

// words keeps one copy of each text.
type words map[string]*string

// optional returns a text, and nil for the empty one.
func (w words) optional(text string) *string {
	if text == "" {
		return nil
	}
	return w.shared(text)
}

// shared returns the kept copy of a text.
func (w words) shared(text string) *string {
	kept, there := w[text]
	if !there {
		kept = new(strings.Clone(text)) // text may be a part of a long one
		w[*kept] = kept
	}
	return kept
}

// knownCurrency returns a currency that RULES 6 knows, and nil for another one.
func (w words) knownCurrency(text string) *string {
	if text != "PESOS" && text != "DOLAR" {
		return nil
	}
	return w.optional(text)
}

// pastDayOf returns the windows of the rows of one day.
func pastDayOf(found []pastRow) (*pastDay, error) {
	day := &pastDay{rows: make([]pastWindows, len(found))}
	if len(found) == 0 {
		return day, nil
	}
	for i := range found[0].TargetStarts {
		day.targetStarts = append(day.targetStarts, model.DateOf(found[0].TargetStarts[i]))
		day.targetEnds = append(day.targetEnds, model.DateOf(found[0].TargetEnds[i]))
	}
	words := words{}
	for i, row := range found {
		if len(row.Returns) != len(model.Windows) || len(row.Reasons) != len(model.Windows) || len(row.Starts) != len(model.Windows) {
			return nil, &sql.ReadError{Statement: "returns_of_day", Err: errors.New("a row does not have eight windows")}
		}
		kept := &day.rows[i]
		kept.series, kept.end = row.Series, model.DateOf(row.End)
		if row.MonthEnd != nil {
			kept.monthEnd = model.DateOf(*row.MonthEnd)
		}
		kept.currency, kept.statedCurrency, kept.monthCurrency = words.optional(row.Currency), words.optional(row.StatedCurrency), words.optional(row.MonthCurrency)
		for w := range model.Windows {
			kept.values[w] = math.NaN()
			if row.Returns[w] != nil {
				kept.values[w] = *row.Returns[w]
			}
			if row.Reasons[w] != nil {
				kept.reasons[w] = words.optional(*row.Reasons[w])
			}
			if row.Starts[w] != nil {
				kept.starts[w] = model.DateOf(*row.Starts[w])
			}
		}
	}
	return day, nil
}

// of returns the windows of a series, and false if it has none on the day.
func (day *pastDay) of(series uint32) (*pastWindows, bool) {
	i, there := slices.BinarySearchFunc(day.rows, series, func(row pastWindows, id uint32) int { return cmp.Compare(row.series, id) })
	if !there {
		return nil, false
	}
	return &day.rows[i], true
}

// periods returns the windows as replies show them. They point into the day, which never changes.
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

// known returns nil for the zero date.
func known(date *model.Date) *model.Date {
	if date.IsZero() {
		return nil
	}
	return date
}

// lineAt returns what the comparator in force at a date says of a series, and false if nothing is known of
// the series.
func (past *pastReturns) lineAt(series uint32, at model.Date) (*ratedLine, bool) {
	dated := newestBy(past.ratings[series], at, func(of *datedRating) model.Date { return of.from })
	if dated == nil {
		return nil, false
	}
	return dated.line, true
}

// currentID returns the id that a series of mutual funds has now.
func currentID(p pinned, asset assetID) uint32 {
	if renamed := p.batch.Renamed(asset.series); renamed != nil {
		return renamed.SeriesID
	}
	return asset.series
}

// reply returns the returns of a series at a date. It returns false if the day has no row of
// the series.
func (past *pastReturns) reply(p pinned, asset assetID, day *pastDay, asOf model.Date) (item httpapi.Item, there bool) {
	renamed, id := p.batch.Renamed(asset.series), currentID(p, asset)
	registered, there := past.series[id]
	if !there {
		return item, false
	}
	windows, there := day.of(id)
	if !there {
		return item, false
	}
	line, there := past.lineAt(id, asOf)
	if !there {
		return item, false
	}
	one := series{ID: id, RUN: registered.RUN, Serie: registered.Serie, Currency: windows.statedCurrency, asked: asset}
	if renamed != nil {
		one.Serie = renamed.CutoffSerie
	}
	return returnsItem(one, directReturns(p, one, asOf, day.periods(windows), spheresOf(line.rating, p.batch))), true
}
