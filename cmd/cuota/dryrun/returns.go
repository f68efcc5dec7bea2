package dryrun

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/sql"
)

const (
	// mostQuotes bounds the quotes whose returns are computed, and with them the memory.
	mostQuotes = 200_000
	// seriesTogether is how many series are computed in one statement, and namesTogether how many names are
	// looked up in one.
	seriesTogether, namesTogether = 300, 4000
	// mostReturns is how many changed returns a report names.
	mostReturns = 1000
)

// ReturnChanges are the price returns at the cutoff, in the currencies of the series, that differ. They are
// computed by the rule of a batch over the quotes that would count.
type ReturnChanges struct {
	// BreaksMayDiffer has the series with a changed quote of which a batch may find other breaks than the published
	// ones. Nothing else here is about them.
	BreaksMayDiffer []SeriesName `json:"breaks_may_differ"`

	Computed int             `json:"computed_series"` // series with a changed quote up to the cutoff whose returns were computed
	Series   int             `json:"changed_series"`
	Windows  int             `json:"changed_windows"`
	Families []ChangedFamily `json:"families"` // with series of which a return differs; they would be computed anew
	Largest  []ChangedReturn `json:"largest"`  // at most 1000
}

// SeriesName names a series.
type SeriesName struct {
	SeriesID uint32 `json:"series_id"`
	RUN      string `json:"run"`
	Serie    string `json:"serie"`
}

// ChangedFamily is a family with series of which a return differs.
type ChangedFamily struct {
	Family string `json:"family"` // empty: the series has none
	Series int    `json:"series"`
}

// ChangedReturn is a return that differs. A value is null where it can't be computed, for the reason.
type ChangedReturn struct {
	SeriesName
	Window      string   `json:"window"`
	Old         *float64 `json:"old"`
	OldReason   *string  `json:"old_reason"`
	OldCurrency *string  `json:"old_currency"`
	OldFrom     *string  `json:"old_effective_start"` // the days of the quotes of the old value
	OldTo       *string  `json:"old_effective_end"`
	New         *float64 `json:"new"`
	NewReason   *string  `json:"new_reason"`
	Currency    *string  `json:"currency"`        // of the new value
	From        *string  `json:"effective_start"` // the days of its quotes
	To          *string  `json:"effective_end"`
}

// size orders changes: one that has a value on one side only comes first.
func (c ChangedReturn) size() float64 {
	switch {
	case c.Old != nil && c.New != nil:
		return math.Abs(*c.New - *c.Old)
	case c.Old != nil || c.New != nil:
		return math.Inf(1)
	}
	return 0
}

// quote is a quote that would count; a void day has no quota.
type quote struct {
	name     seriesName
	date     model.Date
	quota    *decimal.Decimal
	currency string // as the file writes it
	equity   *decimal.Decimal
	// factors de ajuste and de reparto
	adjustment, distribution *decimal.Decimal
}

type seriesName struct {
	run   model.RUN
	serie string
}

func (n seriesName) String() string { return n.run.String() + " " + n.serie }

// quoted notes a quote that changes the returns of its series.
func (c *comparison) quoted(key string, from stated) {
	if c.dataset != model.Cartola && c.dataset != model.FIValues {
		return
	}
	if c.with.Cutoff == nil || from.Date.Compare(model.DateOf(*c.with.Cutoff)) > 0 {
		c.after[from.Date] = true
		return
	}
	if len(c.quotes) >= mostQuotes {
		c.tooMany = true
		return
	}
	one := quote{name: seriesName{from.RUN, from.Serie}, date: from.Date, currency: from.Currency}
	value := from.Quota
	if c.dataset == model.FIValues {
		value = from.BookValue
	}
	if !from.void {
		one.quota, one.equity = pointer(value), pointer(from.Equity)
		one.adjustment, one.distribution = pointer(from.Adjustment), pointer(from.Distribution)
	}
	c.quotes[key] = one
}

func pointer(of decimal.NullDecimal) *decimal.Decimal {
	if !of.Valid {
		return nil
	}
	return &of.Decimal
}

// knownSeries is a row of stated_series.sql.
type knownSeries struct {
	RUN    uint32    `ch:"run"`
	Serie  string    `ch:"serie"`
	ID     uint32    `ch:"series_id"`
	From   time.Time `ch:"valid_from"` // of the name
	Until  time.Time `ch:"valid_until"`
	Family string    `ch:"family"`
}

// at reports whether the name is that of its series on a day.
func (k knownSeries) at(day model.Date) bool {
	return day.Compare(model.DateOf(k.From)) >= 0 && day.Compare(model.DateOf(k.Until)) <= 0
}

// windowReturn is a row of stated_returns.sql.
type windowReturn struct {
	ID       uint32     `ch:"series_id"`
	Window   string     `ch:"window"`
	Value    *float64   `ch:"value"`
	Currency *string    `ch:"currency"`
	Reason   *string    `ch:"reason"`
	From     *time.Time `ch:"effective_start"`
	To       *time.Time `ch:"effective_end"`
}

// returns fills in which returns differ, and says what is not computed. renamed has the series with a row under a name
// that was not theirs on its day.
func (c *comparison) returns(ctx context.Context, report *Report, known map[seriesName]knownSeries,
	renamed map[uint32]seriesName) error {
	report.Returns = ReturnChanges{BreaksMayDiffer: []SeriesName{}, Families: []ChangedFamily{},
		Largest: []ChangedReturn{}}
	byID := map[uint32]knownSeries{}
	days := map[uint32][]quote{}
	unknown := map[seriesName]bool{}
	for _, one := range c.quotes {
		series, has := known[one.name]
		if !has {
			unknown[one.name] = true
			continue
		}
		// A renamed series is called by the newest of its names here.
		if before, there := byID[series.ID]; !there || series.Until.After(before.Until) {
			byID[series.ID] = series
		}
		days[series.ID] = append(days[series.ID], one)
	}
	for id := range renamed {
		delete(byID, id)
	}
	if c.tooMany {
		clear(byID)
	}
	families := map[string]int{}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(byID)), seriesTogether) {
		changed, differing, err := c.changed(ctx, ids, days)
		if err != nil {
			return err
		}
		for _, id := range differing {
			report.Returns.BreaksMayDiffer = append(report.Returns.BreaksMayDiffer, byID[id].name())
		}
		report.Returns.Computed += len(ids) - len(differing)
		series := map[uint32]bool{}
		for _, one := range changed {
			of := byID[one.SeriesID]
			one.SeriesName = of.name()
			report.Returns.Largest = append(report.Returns.Largest, one)
			if !series[one.SeriesID] {
				families[of.Family]++
			}
			series[one.SeriesID] = true
		}
		report.Returns.Series += len(series)
		report.Returns.Windows += len(changed)
		report.Returns.keepLargest()
	}
	for _, family := range slices.Sorted(maps.Keys(families)) {
		report.Returns.Families = append(report.Returns.Families, ChangedFamily{family, families[family]})
	}
	report.NotComputed = c.notComputed(*report, slices.Collect(maps.Values(renamed)),
		slices.Collect(maps.Keys(unknown)))
	return nil
}

func (r *ReturnChanges) keepLargest() {
	slices.SortFunc(r.Largest, func(one, other ChangedReturn) int {
		return cmp.Or(cmp.Compare(other.size(), one.size()), cmp.Compare(one.SeriesID, other.SeriesID),
			cmp.Compare(one.Window, other.Window))
	})
	r.Largest = r.Largest[:min(len(r.Largest), mostReturns)]
}

// known looks up the series that quotes are about.
func (c *comparison) known(ctx context.Context) (map[seriesName]knownSeries, error) {
	known := map[seriesName]knownSeries{}
	if c.with.ID == "" || c.dataset != model.Cartola && c.dataset != model.FIValues {
		return known, nil
	}
	for list := range slices.Chunk(slices.Collect(maps.Keys(c.series)), namesTogether) {
		runs, series := make([]uint32, len(list)), make([]string, len(list))
		for i, name := range list {
			runs[i], series[i] = uint32(name.run), name.serie
		}
		found, err := sql.Rows[knownSeries](ctx, c.reader, "stated_series", sql.Arg("batch", c.with.Number),
			sql.Arg("runs", runs), sql.Arg("series_names", series), sql.Arg("dataset", string(c.dataset)))
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			known[seriesName{model.RUN(one.RUN), one.Serie}] = one
		}
	}
	return known, nil
}

func (k knownSeries) name() SeriesName { return SeriesName{k.ID, model.RUN(k.RUN).String(), k.Serie} }

// supposed makes the external table of the quotes of some series that would count.
func supposed(ids []uint32, days map[uint32][]quote) (any, error) {
	var series []uint32
	var dates []time.Time
	var currencies []string
	var quotas, equities, adjustments, distributions []*decimal.Decimal
	for _, id := range ids {
		for _, one := range days[id] {
			series, dates = append(series, id), append(dates, one.date.Time())
			quotas, currencies = append(quotas, one.quota), append(currencies, one.currency)
			equities, adjustments = append(equities, one.equity), append(adjustments, one.adjustment)
			distributions = append(distributions, one.distribution)
		}
	}
	return sql.Table("supposed", sql.Column{Type: "series_id UInt32", Values: series},
		sql.Column{Type: "date Date", Values: dates},
		sql.Column{Type: "quota Nullable(Decimal(18, 6))", Values: quotas},
		sql.Column{Type: "currency String", Values: currencies},
		sql.Column{Type: "equity Nullable(Decimal(18, 4))", Values: equities},
		sql.Column{Type: "adjustment_factor Nullable(Decimal(18, 9))", Values: adjustments},
		sql.Column{Type: "distribution_factor Nullable(Decimal(18, 9))", Values: distributions})
}

// brokenSeries is a row of stated_breaks.sql.
type brokenSeries struct {
	ID uint32 `ch:"series_id"`
}

// changed returns the windows of some series at the cutoff that differ if the quotes count, and the series of which
// that can't be said, because their breaks may differ.
func (c *comparison) changed(ctx context.Context, ids []uint32,
	days map[uint32][]quote) (list []ChangedReturn, differing []uint32, err error) {
	quotes, err := supposed(ids, days)
	if err != nil {
		return nil, nil, err
	}
	number := sql.Arg("batch", c.with.Number)
	found, err := sql.Rows[brokenSeries](ctx, c.reader, "stated_breaks", number, sql.Arg("series", ids), quotes)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range found {
		differing = append(differing, one.ID)
	}
	same := slices.DeleteFunc(slices.Clone(ids), func(id uint32) bool { return slices.Contains(differing, id) })
	if len(same) == 0 {
		return nil, differing, nil
	}
	if quotes, err = supposed(same, days); err != nil {
		return nil, nil, err
	}
	args := []any{number, sql.Arg("as_of", c.with.Cutoff.Format(time.DateOnly)), sql.Arg("series", same)}
	now, err := sql.Rows[windowReturn](ctx, c.reader, "stated_returns", args...)
	if err != nil {
		return nil, nil, err
	}
	then, err := sql.RowsSupposing[windowReturn](ctx, c.reader, "stated_returns", append(args, quotes)...)
	if err != nil {
		return nil, nil, err
	}
	if len(now) != len(then) {
		return nil, nil, fmt.Errorf("compare returns: %d windows and %d", len(now), len(then))
	}
	for i, was := range now {
		is := then[i]
		one := ChangedReturn{SeriesName: SeriesName{SeriesID: was.ID}, Window: was.Window,
			Old: was.Value, OldReason: was.Reason, OldCurrency: was.Currency, OldFrom: dayOf(was.From),
			OldTo: dayOf(was.To), New: is.Value, NewReason: is.Reason, Currency: is.Currency, From: dayOf(is.From),
			To: dayOf(is.To)}
		if !equal(one.Old, one.New) || !equal(one.OldReason, one.NewReason) || !equal(one.OldCurrency, one.Currency) ||
			!equal(one.OldFrom, one.From) || !equal(one.OldTo, one.To) {
			list = append(list, one)
		}
	}
	return list, differing, nil
}

func equal[T comparable](one, other *T) bool {
	return one == nil && other == nil || one != nil && other != nil && *one == *other
}

func dayOf(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(t.Format(time.DateOnly))
}

// notComputed says in sentences what the report does not have.
func (c *comparison) notComputed(report Report, renamed, unknown []seriesName) []string {
	list := []string{}
	if report.State != Unpublished && report.State != Waiting {
		return list
	}
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if c.notCompared > 0 {
		say("what rows of this kind change (rows: %d): which of them count is not decided row by row", c.notCompared)
	}
	if report.Rows.Older > 0 {
		say("backtests, because of older rows (%d): when a value was first known may change", report.Rows.Older)
	}
	if report.Rows.New+report.Rows.Corrected+report.Rows.Voided+report.Rows.OtherName == 0 {
		return list
	}
	if c.with.ID == "" {
		say("what follows from the rows: no batch is published yet with which to compare")
		return list
	}
	if c.dataset != model.Cartola && c.dataset != model.FIValues {
		say("what follows from the rows: the next batch computes it")
		return list
	}
	if c.tooMany {
		say("the returns at the cutoff: more than %d quotes change", mostQuotes)
	}
	if c.dataset == model.Cartola {
		say("the cutoff: the next batch may have another cutoff, because completeness of days is counted anew")
	}
	say("what files change that wait for the next batch, which may also count in place of these rows")
	if days := len(c.after); days > 0 {
		say("what quotes after the cutoff change; without a cutoff, what all change (days: %d)", days)
	}
	if len(renamed) > 0 {
		say("the returns of series with a quote under a name that was not theirs on its day, which would be computed anew: "+
			"%s", listed(renamed))
	}
	if len(unknown) > 0 {
		say("the returns of names of which the batch has no quote yet: %s", listed(unknown))
	}
	say("returns on days before the cutoff, in pesos or UF and on total basis, risk, families and rankings: the next " +
		"batch computes them")
	return list
}

// listed lists names of series. Of many it says how many more there are.
func listed(of []seriesName) string {
	names := make([]string, len(of))
	for i, name := range of {
		names[i] = name.String()
	}
	slices.Sort(names)
	more := len(names) - shownSeries
	if more <= 0 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shownSeries], ", "), more)
}
