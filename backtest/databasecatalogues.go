package backtest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"cuota/model"
	"cuota/sql"
)

// catalogues are what a batch has of each series by month or by file.
type catalogues struct {
	series    map[uint32]*seriesRow
	published map[model.Date]publication
	risks     map[uint32][]riskMonth
	costs     map[uint32][]costRate
	ratings   ratings
}

// publication is when the cartola of a day was published first.
type publication struct {
	on    model.Date
	later bool // more than 62 days after the day, so that nobody knows when it was seen first
}

// riskMonth is the risk of a series at a month end. What is not known is NaN.
type riskMonth struct {
	month                                  model.Date
	volatility12, volatility36, drawdown36 float64
}

// costRate is a statement of a cost rate. The rate is NaN if the statement takes it back.
type costRate struct {
	month, knownOn model.Date
	leadsUntil     model.Date // of a synthetic rate: from this month on, a newer real rate counts before it
	synthetic      bool
	kind           uint8 // index of tacKinds
	class          string
	rate           float64
}

// tacKinds are the values of tac_kind.
var tacKinds = [...]string{"synthetic", "stated", "computed"}

// ratings are the statements of comparators and sheets.
type ratings struct {
	files  []statement // of comparators, by date; only date and knownOn
	series map[uint32]*seriesRatings
}

type seriesRatings struct {
	compared []statement // by comparators, by date; a correction after what it corrects
	listed   []statement // by sheets; only categories
}

type statement struct {
	date, knownOn           model.Date
	family, category, class string
	spheres                 int
}

// catalogues reads what is not read yet.
func (d *Database) catalogues(ctx context.Context) (*catalogues, error) {
	k := &catalogues{series: map[uint32]*seriesRow{}}
	series, err := d.listed(ctx)
	if err != nil {
		return nil, err
	}
	for i := range series {
		k.series[series[i].Series] = &series[i]
	}
	if k.published, err = d.published.get(func() (map[model.Date]publication, error) { return d.readPublications(ctx) }); err != nil {
		return nil, err
	}
	batch, err := d.Batch(ctx)
	if err != nil {
		return nil, err
	}
	parts := partsOf(series, batch.Cutoff)
	if k.risks, err = d.risks.get(func() (map[uint32][]riskMonth, error) { return d.readRisks(ctx, parts) }); err != nil {
		return nil, err
	}
	if k.costs, err = d.costs.get(func() (map[uint32][]costRate, error) { return d.readCosts(ctx, parts) }); err != nil {
		return nil, err
	}
	k.ratings, err = d.ratings.get(func() (ratings, error) { return d.readRatings(ctx, parts) })
	return k, err
}

// listed gives all series of the batch.
func (d *Database) listed(ctx context.Context) ([]seriesRow, error) {
	return d.series.get(func() ([]seriesRow, error) { return rows[seriesRow](ctx, d, "backtest_series") })
}

// seriesMonthBytes is what a statement gives for each series and month at most, roughly.
const seriesMonthBytes = 128

// partsOf gives the number of parts in which statements that give rows for each series and month are read,
// so that none exceeds the limit of a result.
func partsOf(series []seriesRow, cutoff model.Date) uint32 {
	if len(series) == 0 {
		return 1
	}
	first := slices.MinFunc(series, func(a, b seriesRow) int { return a.FirstQuote.Compare(b.FirstQuote) }).FirstQuote
	months := max(cutoff.DaysSince(model.DateOf(first)), 0)/30 + 1
	return uint32(1 + len(series)*months*seriesMonthBytes/(sql.MaxResultBytes*3/4))
}

func (d *Database) readPublications(ctx context.Context) (map[model.Date]publication, error) {
	type row struct {
		Date        time.Time `ch:"date"`
		PublishedOn time.Time `ch:"published_on"`
		Later       bool      `ch:"loaded_later"`
	}
	found, err := rows[row](ctx, d, "backtest_publications")
	if err != nil {
		return nil, err
	}
	published := make(map[model.Date]publication, len(found))
	for _, f := range found {
		published[model.DateOf(f.Date)] = publication{model.DateOf(f.PublishedOn), f.Later}
	}
	return published, nil
}

// packed reads a statement that gives a text of the format RowBinary for each series, part by part, and calls
// each for every line.
func (d *Database) packed(ctx context.Context, name string, parts uint32, each func(series uint32, line *binaryRow), args ...any) error {
	type row struct {
		Series uint32 `ch:"series_id"`
		Lines  string `ch:"lines"`
	}
	for part := range parts {
		found, err := rows[row](ctx, d, name, append(slices.Clone(args), sql.Arg("part", part), sql.Arg("parts", parts))...)
		if err != nil {
			return err
		}
		for _, f := range found {
			text := binaryRow{text: f.Lines}
			for text.more() {
				each(f.Series, &text)
			}
			if text.err != nil {
				return &sql.ReadError{Statement: name, Err: text.err}
			}
		}
	}
	return nil
}

func (d *Database) readRisks(ctx context.Context, parts uint32) (map[uint32][]riskMonth, error) {
	risks := map[uint32][]riskMonth{}
	err := d.packed(ctx, "backtest_risk", parts, func(series uint32, line *binaryRow) {
		risks[series] = append(risks[series], riskMonth{line.date(), line.float64(), line.float64(), line.float64()})
	})
	return risks, err
}

func (d *Database) readCosts(ctx context.Context, parts uint32) (map[uint32][]costRate, error) {
	type row struct {
		Month time.Time `ch:"month"`
	}
	found, err := rows[row](ctx, d, "backtest_cost_months")
	if err != nil {
		return nil, err
	}
	several := make([]model.Date, len(found))
	for i, f := range found {
		several[i] = model.DateOf(f.Month)
	}
	costs := map[uint32][]costRate{}
	err = d.packed(ctx, "backtest_costs", parts, func(series uint32, line *binaryRow) {
		rate := costRate{month: line.date(), knownOn: line.date(), synthetic: line.bool()}
		kind := line.word(d.words)
		rate.leadsUntil, rate.rate, rate.class = line.date(), line.float64(), line.word(d.words)
		at := slices.Index(tacKinds[:], kind)
		if at < 0 {
			if line.err == nil {
				line.err = fmt.Errorf("unknown kind of cost rate %q", kind)
			}
			return
		}
		rate.kind = uint8(at)
		costs[series] = append(costs[series], rate)
	}, sql.Arg("several", texts(several)))
	return costs, err
}

func (d *Database) readRatings(ctx context.Context, parts uint32) (ratings, error) {
	all := ratings{series: map[uint32]*seriesRatings{}}
	first := map[model.Date]model.Date{}
	err := d.packed(ctx, "backtest_ratings", parts, func(series uint32, line *binaryRow) {
		of := all.series[series]
		if of == nil {
			of = &seriesRatings{}
			all.series[series] = of
		}
		compares := line.bool()
		said := statement{date: line.date(), knownOn: line.date(), family: line.word(d.words), category: line.word(d.words)}
		said.spheres, said.class = int(line.uint8()), line.word(d.words)
		if !compares {
			of.listed = append(of.listed, said)
			return
		}
		of.compared = append(of.compared, said)
		if known, there := first[said.date]; !there || said.knownOn.Compare(known) < 0 {
			first[said.date] = said.knownOn
		}
	})
	for date, knownOn := range first {
		all.files = append(all.files, statement{date: date, knownOn: knownOn})
	}
	slices.SortFunc(all.files, func(a, b statement) int { return a.date.Compare(b.date) })
	return all, err
}

// newest gives the last statement of a date on or before a day that was known by the end of another day; nil if
// there is none. If then is false, everything is known.
func newest(list []statement, on, order model.Date, then bool) *statement {
	n, _ := slices.BinarySearchFunc(list, on.AddDays(1), func(s statement, day model.Date) int { return s.date.Compare(day) })
	for i := n - 1; i >= 0; i-- {
		if !then || list[i].knownOn.Compare(order) <= 0 {
			return &list[i]
		}
	}
	return nil
}

// rate gives a candidate its family and category, which are those of the day of its row, and what
// the comparator in force says of it. Both are unknown before the first statement (section 2).
func (k *catalogues) rate(c *Candidate, on model.Date, s Signal, then bool) {
	of := k.ratings.series[c.Series]
	if of == nil {
		return
	}
	if said := newest(of.compared, on, s.Order, then); said != nil {
		c.Family, c.Category = said.family, said.category
	}
	if c.Category == "" {
		if said := newest(of.listed, on, s.Order, then); said != nil {
			c.Category = said.category
		}
	}
	inForce, line := newest(k.ratings.files, s.Date, s.Order, then), newest(of.compared, s.Date, s.Order, then)
	if line != nil && line.date == inForce.date {
		c.Spheres, c.RatedClass = line.spheres, line.class
	}
}

// risk gives the newest risk of a series on or before a day; nil if there is none.
func (k *catalogues) risk(series uint32, day model.Date) *riskMonth {
	list := k.risks[series]
	n, _ := slices.BinarySearchFunc(list, day.AddDays(1), func(m riskMonth, day model.Date) int { return m.month.Compare(day) })
	if n == 0 {
		return nil
	}
	return &list[n-1]
}

// cost gives the cost rate of a series that was known at a signal, as the view tac_as_of chooses it; nil if there
// is none.
func (k *catalogues) cost(series uint32, s Signal, then bool) *costRate {
	list := k.costs[series]
	n, _ := slices.BinarySearchFunc(list, s.Date.AddDays(1), func(r costRate, day model.Date) int { return r.month.Compare(day) })
	var synthetic, real *costRate
	var month model.Date
	var decided [len(tacKinds)]bool // kinds of the month of which the newest statement was seen
	for i := n - 1; i >= 0 && (synthetic == nil || real == nil); i-- {
		rate := &list[i]
		if then && rate.knownOn.Compare(s.Order) > 0 {
			continue
		}
		if rate.month != month {
			month, decided = rate.month, [len(tacKinds)]bool{}
		}
		if decided[rate.kind] {
			continue
		}
		decided[rate.kind] = true
		switch {
		case math.IsNaN(rate.rate):
		case rate.synthetic && synthetic == nil:
			synthetic = rate
		case !rate.synthetic && real == nil:
			real = rate
		}
	}
	if synthetic != nil && (real == nil || synthetic.leadsUntil.Compare(real.month) > 0) {
		return synthetic
	}
	return real
}
