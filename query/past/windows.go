package past

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// registeredSeries is a series of mutual funds in the registry.
type registeredSeries struct {
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
	facts.Rating
	FamilyStudies      *string    `ch:"family_studies"`
	ClassificationDate *time.Time `ch:"classification_date"` // nil if there is no line
}

// ratedSeries is a row of rating_history.
type ratedSeries struct {
	From   time.Time `ch:"valid_from"`
	Series []uint32  `ch:"series"`
	ratedLine
}

// Day holds the windows of series at a date, by ascending id. It has no rows if no series was quoted on the date.
type Day struct {
	rows                     []Windows
	targetStarts, targetEnds []model.Date // by window
}

// Windows holds the windows of one series at a date, in the order of model.Windows. Dates
// are zero, and texts empty, where there is no quote.
type Windows struct {
	series                                  uint32
	End, MonthEnd                           model.Date // quotes with which windows end
	currency, StatedCurrency, MonthCurrency *string
	Values                                  [8]float64 // NaN if there is no value
	Reasons                                 [8]*string // nil if there is a value
	Starts                                  [8]model.Date
}

// readRegistered reads every series of mutual funds.
func readRegistered(ctx context.Context, p operation.Pinned) (map[uint32]registeredSeries, int, error) {
	known, err := operation.Rows[registeredSeries](ctx, p, "quoted_series")
	series := make(map[uint32]registeredSeries, len(known))
	for _, one := range known {
		series[one.ID] = one
	}
	return series, len(known) * int(unsafe.Sizeof(registeredSeries{})), err
}

// readRatings reads the ratings of each series, in order of their days.
func readRatings(ctx context.Context, p operation.Pinned) (ratings map[uint32][]datedRating, bytes int, err error) {
	rated, err := operation.Rows[ratedSeries](ctx, p, "rating_history")
	ratings = map[uint32][]datedRating{}
	for i := range rated {
		for _, id := range rated[i].Series {
			ratings[id] = append(ratings[id], datedRating{model.DateOf(rated[i].From), &rated[i].ratedLine})
		}
		bytes += int(unsafe.Sizeof(rated[i])) + len(rated[i].Series)*int(unsafe.Sizeof(datedRating{}))
		rated[i].Series = nil
	}
	return ratings, bytes, err
}

// The windows of days: those that the batch has stored, and those of series that have no stored ones, because they
// closed more than 38 days before or have no quote yet.
var (
	storedWindows   = batch.NewCached("stored_windows", (*Day).bytes)
	standingWindows = batch.NewCached("standing_windows", (*Day).bytes)
)

func (day *Day) bytes() int {
	return int(unsafe.Sizeof(*day)) + len(day.rows)*int(unsafe.Sizeof(Windows{}))
}

// requestedDays are the dates of which windows were requested before.
var requestedDays = batch.NewCached("requested", func(struct{}) int { return 200 })

// WindowsOn returns the stored windows of all series at a date.
func WindowsOn(ctx context.Context, p operation.Pinned, past *Past, date model.Date) (*Day, error) {
	return Dated(ctx, p, storedWindows, date, func(ctx context.Context) (*Day, error) {
		return past.readStored(ctx, p, date, nil)
	})
}

// WindowsFor returns windows of a date that have those of one series, if it has any. Of a date that is requested for
// the first time it reads only that series, which takes half as long as all of them. So a caller who asks for one
// series at many dates does not fill the memory with days.
func WindowsFor(ctx context.Context, p operation.Pinned, past *Past, series uint32, date model.Date) (*Day, error) {
	if day, known := KnownWindows(p, series, date); known {
		return day, nil
	}
	if first := requestedDays.Keep(p.Cache, p.Batch, date, struct{}{}); first {
		day, err := past.readStored(ctx, p, date, &series)
		if err != nil || len(day.rows) > 0 {
			return day, err
		}
		return past.readStanding(ctx, p, date, &series)
	}
	day, err := WindowsOn(ctx, p, past, date)
	if err != nil || day.has(series) {
		return day, err
	}
	return Dated(ctx, p, standingWindows, date, func(ctx context.Context) (*Day, error) {
		return past.readStanding(ctx, p, date, nil)
	})
}

// KnownWindows returns windows of a date that have those of one series, if they are in memory.
func KnownWindows(p operation.Pinned, series uint32, date model.Date) (*Day, bool) {
	for _, kind := range []batch.Cached[*Day]{storedWindows, standingWindows} {
		if day, known := kind.Known(p.Cache, p.Batch, date); known && day.has(series) {
			return day, true
		}
	}
	return nil, false
}

// readStored reads the windows that the batch has stored of one series at a date, or of all if series is nil.
func (past *Past) readStored(ctx context.Context, p operation.Pinned, date model.Date, series *uint32) (*Day, error) {
	of := past.Days[date]
	day := &Day{targetStarts: of.Starts, targetEnds: of.Ends}
	if of.returnBuild == 0 {
		return day, nil
	}
	statement := "returns_of_whole_day"
	if series != nil {
		statement = "returns_of_day_lines"
	}
	found, err := operation.Rows[packedLines](ctx, p, statement, sql.Arg("date", date.String()),
		sql.Arg("build", of.returnBuild), sql.Arg("all", series == nil), sql.Arg("series_id", operation.Value(series)))
	if err != nil {
		return nil, err
	}
	return day, past.addWindows(day, statement, found)
}

// readStanding reads the windows of one series at a date, or of all if series is nil, that have none stored.
func (past *Past) readStanding(ctx context.Context, p operation.Pinned, date model.Date, series *uint32) (*Day, error) {
	of := past.Days[date]
	day := &Day{targetStarts: of.Starts, targetEnds: of.Ends}
	if of.returnBuild == 0 {
		return day, nil
	}
	days, builds := make([]string, 0, 10), make([]uint64, 0, 10)
	for _, target := range slices.Concat([]model.Date{date}, of.Starts, of.Ends[len(of.Ends)-1:]) {
		answering, build := past.returnBuildBy(target)
		days, builds = append(days, answering.String()), append(builds, build)
	}
	const statement = "returns_of_standing_quotes"
	found, err := operation.Rows[packedLines](ctx, p, statement, sql.Arg("all", series == nil),
		sql.Arg("series_id", operation.Value(series)),
		sql.Arg("day", date.String()), sql.Arg("days", days), sql.Arg("builds", builds))
	if err != nil {
		return nil, err
	}
	return day, past.addWindows(day, statement, found)
}

// packedLines are rows in the format RowBinary, as returns_of_day_lines.sql describes them.
type packedLines struct {
	Lines string `ch:"lines"`
}

// addWindows adds the windows of registered series to a day, and sorts them.
func (past *Past) addWindows(day *Day, statement string, found []packedLines) error {
	words := words{}
	for _, lines := range found {
		line := rowbinary.NewReader(lines.Lines)
		for line.More() {
			row := Windows{series: line.Uint32(), End: line.Date()}
			row.currency, row.StatedCurrency = words.optional(line.Text()), words.knownCurrency(line.Text())
			if !line.Null() {
				row.MonthEnd = line.Date()
			}
			row.MonthCurrency = words.optional(line.Text())
			for w := range row.Values {
				row.Values[w] = math.NaN()
				if !line.Null() {
					row.Values[w] = line.Float64()
				}
			}
			for w := range row.Reasons {
				if !line.Null() {
					row.Reasons[w] = words.optional(line.Text())
				}
			}
			for w := range row.Starts {
				if !line.Null() {
					row.Starts[w] = line.Date()
				}
			}
			if _, registered := past.Series[row.series]; registered {
				day.rows = append(day.rows, row)
			}
		}
		if line.Err() != nil {
			return &sql.ReadError{Statement: statement, Err: line.Err()}
		}
	}
	slices.SortFunc(day.rows, func(a, b Windows) int { return cmp.Compare(a.series, b.series) })
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

// Of returns the windows of a series, and false if it has none on the day.
func (day *Day) Of(series uint32) (*Windows, bool) {
	i, there := slices.BinarySearchFunc(day.rows, series, func(row Windows, id uint32) int {
		return cmp.Compare(row.series, id)
	})
	if !there {
		return nil, false
	}
	return &day.rows[i], true
}

func (day *Day) has(series uint32) bool {
	_, there := day.Of(series)
	return there
}

// Periods returns the windows as replies show them. They point into the day, which never changes.
func (day *Day) Periods(of *Windows) facts.ReturnPeriods {
	shown := make(facts.ReturnPeriods, len(model.Windows))
	for w, window := range model.Windows {
		end, currency := &of.End, of.currency
		if window == "last_closed_month" {
			end, currency = &of.MonthEnd, of.MonthCurrency
		}
		shown[w] = facts.ReturnPeriod{
			Status: facts.Availability(of.Reasons[w]), Reason: of.Reasons[w],
			TargetStart: &day.targetStarts[w], TargetEnd: &day.targetEnds[w],
			EffectiveStart: knownDate(&of.Starts[w]), EffectiveEnd: knownDate(end),
		}
		if of.Reasons[w] == nil {
			shown[w].Value, shown[w].Currency = &of.Values[w], currency
		}
	}
	return shown
}

// knownDate returns nil for the zero date.
func knownDate(date *model.Date) *model.Date {
	if date.IsZero() {
		return nil
	}
	return date
}

// LineAt returns what the comparator in force at a date says of a series, and false if nothing is known of
// the series.
func (past *Past) LineAt(series uint32, at model.Date) (*ratedLine, bool) {
	dated := newestBy(past.ratings[series], at, func(of *datedRating) model.Date { return of.from })
	if dated == nil {
		return nil, false
	}
	return dated.line, true
}

// CurrentID returns the id that a series of mutual funds has now.
func CurrentID(p operation.Pinned, asset operation.AssetID) uint32 {
	if renamed := p.Batch.Renamed(asset.Series); renamed != nil {
		return renamed.SeriesID
	}
	return asset.Series
}
