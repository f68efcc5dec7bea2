package history

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"cuota/backtest"
	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/sql"
)

// catalogues are what a batch has of each series by month or by file. Lists by series have the order of the roster,
// and at their end what belongs to none of its series.
type catalogues struct {
	*backtest.Roster
	published publications
	risks     [][]riskMonth
	costs     []seriesCosts
	ratings   ratings
}

// publications has what is known of the cartolas of each day from the first one on.
type publications struct {
	first    model.Date
	days     []publication // one without a cartola is zero
	anyLater bool          // whether one of them is later
}

// on returns the publication of a day; zero if it has no cartola.
func (p *publications) on(day model.Date) publication {
	if i := day.DaysSince(p.first); i >= 0 && i < len(p.days) {
		return p.days[i]
	}
	return publication{}
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
	kind           uint8 // index of backtest.TACKinds
	class          string
	rate           float64
}

// seriesCosts are the cost rates of a series by month, of the same month in the order of their statements; the last
// one counts.
type seriesCosts struct {
	rates []costRate
	// Indexes of the first rate of each kind; there is none if it is the number of rates.
	synthetic, real int
}

// ratings are the statements of comparators and sheets.
type ratings struct {
	files  []statement // of comparators, by date; only date and knownOn
	series []seriesRatings
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

// catalogues reads what some values need and is not read yet.
func (src *Source) catalogues(ctx context.Context, values backtest.Values) (*catalogues, error) {
	k := &catalogues{}
	var err error
	if k.Roster, err = src.roster(ctx); err != nil {
		return nil, err
	}
	if k.published, err = src.publications(ctx); err != nil {
		return nil, err
	}
	batch, err := src.describe(ctx)
	if err != nil {
		return nil, err
	}
	parts := partsOf(k.Series(), batch.Cutoff)
	if values.Has(backtest.RiskValues) {
		if k.risks, err = src.risks.get(func() ([][]riskMonth, error) {
			return src.readRisks(ctx, k.Series(), parts)
		}); err != nil {
			return nil, err
		}
	}
	if values.Has(backtest.CostValues) {
		if k.costs, err = src.costs.get(func() ([]seriesCosts, error) {
			return src.readCosts(ctx, k.Series(), parts)
		}); err != nil {
			return nil, err
		}
	}
	if values.Has(backtest.RatingValues) {
		if k.ratings, err = src.ratings.get(func() (ratings, error) {
			return src.readRatings(ctx, k.Series(), parts)
		}); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// roster returns the series of the batch, with their names of today.
func (src *Source) roster(ctx context.Context) (*backtest.Roster, error) {
	return src.rostered.get(func() (*backtest.Roster, error) { return src.readRoster(ctx) })
}

func (src *Source) readRoster(ctx context.Context) (*backtest.Roster, error) {
	type row struct {
		Series     uint32    `ch:"series_id"`
		Fund       uint32    `ch:"fund_id"`
		RUN        string    `ch:"run"`
		Serie      string    `ch:"serie"`
		FundName   string    `ch:"fund"`
		Manager    string    `ch:"manager"`
		ManagerID  uint32    `ch:"manager_id"`
		FirstQuote time.Time `ch:"first_date"`
		Alive      bool      `ch:"alive"`
	}
	found, err := rows[row](ctx, src, "backtest_series")
	if err != nil {
		return nil, err
	}
	list := make([]backtest.Listed, len(found))
	for i, f := range found {
		list[i] = backtest.Listed{
			Series: f.Series, Fund: f.Fund, RUN: f.RUN, Serie: f.Serie, FundName: f.FundName, Manager: f.Manager,
			ManagerID:  f.ManagerID,
			FirstQuote: model.DateOf(f.FirstQuote), Alive: f.Alive,
		}
	}
	return backtest.NewRoster(list), nil
}

// placeOf returns the index of a series in a list by ascending id.
func placeOf(list []backtest.Listed, series uint32) (place int, there bool) {
	return slices.BinarySearchFunc(list, series, func(of backtest.Listed, series uint32) int {
		return cmp.Compare(of.Series, series)
	})
}

// seriesMonthBytes is what a statement returns for each series and month at most, roughly.
const seriesMonthBytes = 128

// partsOf returns the number of parts in which statements that return rows for each series and month are read,
// so that none exceeds the limit of a result.
func partsOf(series []backtest.Listed, cutoff model.Date) uint32 {
	if len(series) == 0 {
		return 1
	}
	first := slices.MinFunc(series, func(a, b backtest.Listed) int {
		return a.FirstQuote.Compare(b.FirstQuote)
	}).FirstQuote
	months := max(cutoff.DaysSince(first), 0)/30 + 1
	return uint32(1 + len(series)*months*seriesMonthBytes/(sql.MaxResultBytes*3/4))
}

// publications returns the publications of the batch.
func (src *Source) publications(ctx context.Context) (publications, error) {
	return src.published.get(func() (publications, error) { return src.readPublications(ctx) })
}

func (src *Source) readPublications(ctx context.Context) (publications, error) {
	type row struct {
		Date        time.Time `ch:"date"`
		PublishedOn time.Time `ch:"published_on"`
		Later       bool      `ch:"loaded_later"`
	}
	found, err := rows[row](ctx, src, "backtest_publications")
	if err != nil || len(found) == 0 {
		return publications{}, err
	}
	first, last := model.DateOf(found[0].Date), model.DateOf(found[len(found)-1].Date)
	published := publications{first: first, days: make([]publication, last.DaysSince(first)+1)}
	for _, f := range found {
		published.anyLater = published.anyLater || f.Later
		published.days[model.DateOf(f.Date).DaysSince(first)] = publication{model.DateOf(f.PublishedOn), f.Later}
	}
	return published, nil
}

// bySeries reads a statement that returns columns for each series, part by part, and passes those of each to take, with
// the place of the series in the list. The place is that after the last one for a series that is not listed.
func (src *Source) bySeries(ctx context.Context, name string, listed []backtest.Listed, parts uint32,
	take func(place int, columns *rowbinary.Reader), args ...any) error {
	type row struct {
		Series  uint32 `ch:"series_id"`
		Columns string `ch:"columns"`
	}
	for part := range parts {
		found, err := rows[row](ctx, src, name,
			append(slices.Clone(args), sql.Arg("part", part), sql.Arg("parts", parts))...)
		if err != nil {
			return err
		}
		for _, f := range found {
			place, there := placeOf(listed, f.Series)
			if !there {
				place = len(listed)
			}
			if err := readColumns(name, f.Columns, func(columns *rowbinary.Reader) {
				take(place, columns)
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (src *Source) readRisks(ctx context.Context, listed []backtest.Listed, parts uint32) ([][]riskMonth, error) {
	risks := make([][]riskMonth, len(listed)+1)
	err := src.bySeries(ctx, "backtest_risk", listed, parts, func(place int, columns *rowbinary.Reader) {
		list := make([]riskMonth, columns.Count())
		for i := range list {
			list[i].month = columns.Date()
		}
		columns.Column(len(list), func(i int) { list[i].volatility12 = columns.Float64() })
		columns.Column(len(list), func(i int) { list[i].volatility36 = columns.Float64() })
		columns.Column(len(list), func(i int) { list[i].drawdown36 = columns.Float64() })
		risks[place] = append(risks[place], list...)
	})
	return risks, err
}

func (src *Source) readCosts(ctx context.Context, listed []backtest.Listed, parts uint32) ([]seriesCosts, error) {
	type row struct {
		Month time.Time `ch:"month"`
	}
	found, err := rows[row](ctx, src, "backtest_cost_months")
	if err != nil {
		return nil, err
	}
	several := make([]model.Date, len(found))
	for i, f := range found {
		several[i] = model.DateOf(f.Month)
	}
	from := "stored_rates"
	if len(several) > 0 {
		from = "all_rates"
	}
	costs := make([]seriesCosts, len(listed)+1)
	err = src.bySeries(ctx, "backtest_costs", listed, parts, func(place int, columns *rowbinary.Reader) {
		list := make([]costRate, columns.Count())
		for i := range list {
			list[i].month = columns.Date()
		}
		columns.Column(len(list), func(i int) { list[i].knownOn = columns.Date() })
		columns.Column(len(list), func(i int) { list[i].synthetic = columns.Bool() })
		columns.Column(len(list), func(i int) {
			kind := columns.Text()
			at := slices.Index(backtest.TACKinds[:], kind)
			if at < 0 {
				columns.Fail(fmt.Errorf("unknown kind of cost rate %q", kind))
				return
			}
			list[i].kind = uint8(at)
		})
		columns.Column(len(list), func(i int) { list[i].leadsUntil = columns.Date() })
		columns.Column(len(list), func(i int) { list[i].rate = columns.Float64() })
		columns.Column(len(list), func(i int) { list[i].class = src.words.get(columns.Text()) })
		costs[place].rates = append(costs[place].rates, list...)
	}, sql.Arg("several", texts(several)), sql.Arg("rates", from))
	for i := range costs {
		costs[i].synthetic = firstOf(costs[i].rates, true)
		costs[i].real = firstOf(costs[i].rates, false)
	}
	return costs, err
}

// firstOf returns the index of the first rate that is synthetic or not, and the number of rates if there is none.
func firstOf(rates []costRate, synthetic bool) int {
	for i := range rates {
		if rates[i].synthetic == synthetic {
			return i
		}
	}
	return len(rates)
}

func (src *Source) readRatings(ctx context.Context, listed []backtest.Listed, parts uint32) (ratings, error) {
	all := ratings{series: make([]seriesRatings, len(listed)+1)}
	first := map[model.Date]model.Date{}
	err := src.bySeries(ctx, "backtest_ratings", listed, parts, func(place int, columns *rowbinary.Reader) {
		compares := make([]bool, columns.Count())
		list := make([]statement, len(compares))
		for i := range compares {
			compares[i] = columns.Bool()
		}
		columns.Column(len(list), func(i int) { list[i].date = columns.Date() })
		columns.Column(len(list), func(i int) { list[i].knownOn = columns.Date() })
		columns.Column(len(list), func(i int) { list[i].family = src.words.get(columns.Text()) })
		columns.Column(len(list), func(i int) { list[i].category = src.words.get(columns.Text()) })
		columns.Column(len(list), func(i int) { list[i].spheres = int(columns.Uint8()) })
		columns.Column(len(list), func(i int) { list[i].class = src.words.get(columns.Text()) })
		of := &all.series[place]
		for i, said := range list {
			if !compares[i] {
				of.listed = append(of.listed, said)
				continue
			}
			of.compared = append(of.compared, said)
			if known, there := first[said.date]; !there || said.knownOn.Compare(known) < 0 {
				first[said.date] = said.knownOn
			}
		}
	})
	for date, knownOn := range first {
		all.files = append(all.files, statement{date: date, knownOn: knownOn})
	}
	slices.SortFunc(all.files, func(a, b statement) int { return a.date.Compare(b.date) })
	return all, err
}

// walk looks up what catalogues say on dates that mostly ascend. It remembers where it found the last date of
// each series, so that the next one is near.
type walk struct {
	*catalogues
	values backtest.Values // the ones that are looked up
	// by series: the number of entries up to the last date
	risksUntil, costsUntil, comparedUntil, listedUntil []int32
	// by series: index in classes of its last candidate; -1 before the first one
	lastClass []int32

	classes      []backtest.Classified         // all that were given so far
	classNumbers map[backtest.Classified]int32 // their indexes
}

func (k *catalogues) walk(values backtest.Values) *walk {
	places := func() []int32 { return make([]int32, len(k.Series())) }
	w := &walk{
		catalogues: k, values: values,
		risksUntil: places(), costsUntil: places(), comparedUntil: places(), listedUntil: places(),
		lastClass: places(), classNumbers: map[backtest.Classified]int32{},
	}
	for place := range w.lastClass {
		w.lastClass[place] = -1
	}
	return w
}

// statements returns the number of statements with dates on or before a day. near is where it is looked for, and
// where it was found.
func statements(list []statement, near *int32, on model.Date) int {
	n := int(*near)
	for n < len(list) && list[n].date.DaysSince(on) <= 0 {
		n++
	}
	for n > 0 && list[n-1].date.DaysSince(on) > 0 {
		n--
	}
	*near = int32(n)
	return n
}

// newest returns the last statement that was known by the end of a day; nil if there is none. If then is false,
// everything is known.
func newest(list []statement, order model.Date, then bool) *statement {
	for i := len(list) - 1; i >= 0; i-- {
		if !then || list[i].knownOn.DaysSince(order) <= 0 {
			return &list[i]
		}
	}
	return nil
}

// firstStated returns the earliest statement as it was corrected last; nil if there is none.
func firstStated(list []statement) (found *statement) {
	for i := range list {
		if list[i].date != list[0].date {
			break
		}
		found = &list[i]
	}
	return found
}

// inForce returns the date of the comparator in force at a signal; zero if there is none.
func (k *catalogues) inForce(s backtest.Signal, then bool) model.Date {
	var near int32
	files := k.ratings.files
	if file := newest(files[:statements(files, &near, s.Date)], s.Order, then); file != nil {
		return file.date
	}
	return model.Date{}
}

// classify returns the index in w.classes of what catalogues say of a series: the family and the category on the
// answering day, and what the comparator in force says of it. All are unknown before the first statement (section 2),
// unless families and categories are those of the first one. costClass is the investor class that came with the cost
// rate.
func (w *walk) classify(place int, s backtest.Signal, sight backtest.Sight, inForce model.Date,
	costClass string) int32 {
	var c backtest.Classified
	of := &w.ratings.series[place]
	near := &w.comparedUntil[place]
	said := func(list []statement, near *int32) *statement {
		if found := newest(list[:statements(list, near, s.Day)], s.Order, sight.Then); found != nil ||
			!sight.ClassifiedLater {
			return found
		}
		return firstStated(list)
	}
	if compared := said(of.compared, near); compared != nil {
		c.Family, c.Category = compared.family, compared.category
	}
	if c.Category == "" {
		if listed := said(of.listed, &w.listedUntil[place]); listed != nil {
			c.Category = listed.category
		}
	}
	if line := newest(of.compared[:statements(of.compared, near, s.Date)], s.Order, sight.Then); line != nil &&
		line.date == inForce {
		c.Spheres, c.RatedClass = line.spheres, line.class
	}
	if c.InvestorClass = c.RatedClass; c.InvestorClass == "" {
		c.InvestorClass = costClass
	}
	if last := w.lastClass[place]; last >= 0 && w.classes[last] == c {
		return last
	}
	number, known := w.classNumbers[c]
	if !known {
		number = int32(len(w.classes))
		w.classNumbers[c] = number
		w.classes = append(w.classes, c)
	}
	w.lastClass[place] = number
	return number
}

// risk returns the newest risk of a series on or before a day; nil if there is none.
func (w *walk) risk(place int, day model.Date) *riskMonth {
	list, n := w.risks[place], int(w.risksUntil[place])
	for n < len(list) && list[n].month.DaysSince(day) <= 0 {
		n++
	}
	for n > 0 && list[n-1].month.DaysSince(day) > 0 {
		n--
	}
	w.risksUntil[place] = int32(n)
	if n == 0 {
		return nil
	}
	return &list[n-1]
}

// cost returns the cost rate of a series that was known at a signal, as the view tac_as_of chooses it; nil if there
// is none.
func (w *walk) cost(place int, s backtest.Signal, then bool) *costRate {
	of := &w.costs[place]
	list, n := of.rates, int(w.costsUntil[place])
	for n < len(list) && list[n].month.DaysSince(s.Date) <= 0 {
		n++
	}
	for n > 0 && list[n-1].month.DaysSince(s.Date) > 0 {
		n--
	}
	w.costsUntil[place] = int32(n)
	var synthetic, real *costRate
	var month model.Date
	var decided [len(backtest.TACKinds)]bool // kinds of the month of which the newest statement was seen
	for i := n - 1; synthetic == nil && i >= of.synthetic || real == nil && i >= of.real; i-- {
		rate := &list[i]
		if then && rate.knownOn.DaysSince(s.Order) > 0 {
			continue
		}
		if rate.month != month {
			month, decided = rate.month, [len(backtest.TACKinds)]bool{}
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
