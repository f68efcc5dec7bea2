package backtest

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"cuota/model"
	"cuota/sql"
)

// signalKey identifies the candidates of a signal. order is zero if everything is known.
type signalKey struct{ date, day, order model.Date }

// readUniverse is the candidates of a signal, the values of them that were read, and by series what was known of them
// then where it differs from the batch.
type readUniverse struct {
	*Universe
	values    Values
	differing map[uint32]knownRow
}

const (
	candidateBytes = int(unsafe.Sizeof(Candidate{}))
	knownRowBytes  = int(unsafe.Sizeof(knownRow{})) + 300 // with its lists
	// knownAtOnce is how many rows one statement gives at most of what was known: about 15 MB of result.
	knownAtOnce = 50_000
)

// Candidates implements Source. For a first strategy it reads only the values that are asked for. If a later strategy needs
// a window that was not read, it reads all windows, because more strategies are likely to follow.
func (d *Database) Candidates(ctx context.Context, signals []Signal, then bool, values Values) ([]*Universe, error) {
	d.readingCandidates.Lock()
	defer d.readingCandidates.Unlock()
	universes := make([]*Universe, len(signals))
	var missing []Signal
	before := map[signalKey]readUniverse{} // of the missing ones, those that have other values
	asked := map[signalKey]bool{}
	needed := values
	for i, s := range signals {
		key := keyOf(s, then)
		kept, there := d.candidates.GetIfPresent(key)
		if there && kept.values.has(values) {
			universes[i] = kept.Universe
			continue
		}
		if there {
			before[key] = kept
			needed |= kept.values
			if !kept.values.has(values & windowValues) {
				needed |= windowValues
			}
		}
		if !asked[key] {
			asked[key] = true
			missing = append(missing, s)
		}
	}
	if len(missing) == 0 {
		return universes, nil
	}
	read, err := d.readCandidates(ctx, missing, then, needed, before)
	if err != nil {
		return nil, err
	}
	for i, s := range signals {
		if u, there := read[keyOf(s, then)]; there {
			universes[i] = u
		}
	}
	return universes, nil
}

func keyOf(s Signal, then bool) signalKey {
	if !then {
		return signalKey{date: s.Date, day: s.Day}
	}
	return signalKey{s.Date, s.Day, s.Order}
}

// readCandidates reads some values of the candidates of signals, and keeps them. Signals in before were read already with other
// values: what was known then is taken from there.
func (d *Database) readCandidates(ctx context.Context, signals []Signal, then bool, values Values, before map[signalKey]readUniverse) (map[signalKey]*Universe, error) {
	var standing map[model.Date]*standingDay
	var known *catalogues
	differing := map[signalKey]map[uint32]knownRow{}
	unread := slices.DeleteFunc(slices.Clone(signals), func(s Signal) bool {
		kept, there := before[keyOf(s, then)]
		if there {
			differing[signalKey{day: s.Day, order: s.Order}] = kept.differing
		}
		return there
	})
	reads, ctx := errgroup.WithContext(ctx)
	var read map[signalKey]map[uint32]knownRow
	if then && len(unread) > 0 { // takes longest
		reads.Go(func() (err error) {
			read, err = d.knownThen(ctx, unread)
			return err
		})
	}
	reads.Go(func() (err error) {
		standing, err = d.standing(ctx, signals, then, values)
		return err
	})
	reads.Go(func() (err error) {
		known, err = d.catalogues(ctx, values)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	maps.Copy(differing, read)
	universes := make([]*Universe, len(signals))
	var building errgroup.Group
	share := (len(signals) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for first := 0; first < len(signals); first += share {
		building.Go(func() error {
			walk := known.walk(values)
			for i := first; i < min(first+share, len(signals)); i++ {
				s := signals[i]
				universes[i] = walk.universe(standing[s.Day], differing[signalKey{day: s.Day, order: s.Order}], s, then)
			}
			return nil
		})
	}
	_ = building.Wait() // none of them fails
	built := map[signalKey]*Universe{}
	for i, s := range signals {
		key := keyOf(s, then)
		built[key] = universes[i]
		d.candidates.Set(key, readUniverse{universes[i], values, differing[signalKey{day: s.Day, order: s.Order}]})
	}
	return built, nil
}

// universe makes the universe of a signal from the rows that stand on its day. differing has what was known of a series
// then, where that is not what the batch has.
func (w *walk) universe(standing *standingDay, differing map[uint32]knownRow, s Signal, then bool) *Universe {
	n := len(standing.rows)
	list, fund := make([]Candidate, 0, n), make([]int32, 0, n)
	var columns [sortPlaces][]float64
	for by := range sortPlaces {
		if !by.inCandidate() && w.values.has(by.values()) {
			columns[by] = make([]float64, n)
		}
	}
	var unknown []model.Date
	if then {
		unknown = w.published.unknownDays(s)
	}
	inForce := w.inForce(s, then)
	place := 0
	for i := range standing.rows {
		row := &standing.rows[i]
		other, changed := knownRow{}, false
		if len(differing) > 0 {
			other, changed = differing[row.series]
		}
		if !row.quoted && !(changed && other.QuotedThen) || changed && other.RowDiffers && !other.QuotedThen {
			continue // void as it was known
		}
		for place < len(w.series) && w.series[place].Series < row.series {
			place++
		}
		if place == len(w.series) || w.series[place].Series != row.series { // quoted only after the cutoff
			continue
		}
		list, fund = append(list, Candidate{}), append(fund, w.fund[place])
		c := draft{Candidate: &list[len(list)-1], at: len(list) - 1, columns: &columns}
		w.fill(&c, place, row, s, then, inForce)
		w.fillWindows(&c, standing, i)
		if changed {
			other.apply(&c, w.values)
		}
		if len(unknown) > 0 {
			c.forgetWindows(unknown, standing, i, s.Day)
			c.forgetFigures(unknown)
		}
	}
	for by := range columns {
		if columns[by] != nil {
			columns[by] = columns[by][:len(list)]
		}
	}
	return newUniverse(list, columns, fund, w.funds)
}

// draft is a Candidate that is being filled, with its place in the columns.
type draft struct {
	*Candidate
	at      int                    // its index
	columns *[sortPlaces][]float64 // of the universe; one is nil if it was not asked for
	month   *riskMonth             // as the batch has it; nil if it was not asked for, noRisk if there is none
	cost    *costRate              // that counts at the signal; nil if it was not asked for, or if there is none
}

// set writes a value, if it was asked for.
func (c *draft) set(by sortPlace, value float64) {
	if c.columns[by] != nil {
		c.columns[by][c.at] = value
	}
}

// fill writes a series as the batch has it, with what catalogues had said of it.
func (w *walk) fill(c *draft, place int, row *standingRow, s Signal, then bool, inForce model.Date) {
	c.Listed, c.Currency = &w.series[place], currencies[row.currency]
	c.set(byEquity, row.equityCLP)
	if w.values.has(RiskValues) {
		if c.month = w.risk(place, s.Day); c.month == nil {
			c.month = &noRisk
		}
		c.set(byVolatility12, c.month.volatility12)
		c.set(byVolatility36, c.month.volatility36)
		c.set(byDrawdown36, c.month.drawdown36)
	}
	class := ""
	if w.values.has(CostValues) {
		rate := math.NaN()
		if c.cost = w.cost(place, s, then); c.cost != nil {
			rate, c.TACKind, class = c.cost.rate, tacKinds[c.cost.kind], c.cost.class
		}
		c.set(byTAC, rate)
	}
	c.Classified = &unclassified
	if w.values.has(RatingValues) {
		c.Classified = w.classify(place, row.date, s, then, inForce, class)
	}
	published := w.published.on(row.date)
	if published.later {
		c.LaterHistory = RowValues
	}
	c.NotKnownThen = then && !published.later && published.on.Compare(s.Order) > 0
}

// fillWindows writes the windows of a row that are asked for.
func (w *walk) fillWindows(c *draft, day *standingDay, row int) {
	for i, window := range day.windows {
		if !w.values.has(windowValue(i)) {
			continue
		}
		value := window.returns[row]
		c.set(sortPlace(i), value)
		if window.starts != nil && !math.IsNaN(value) && w.published.on(window.starts[row]).later {
			c.LaterHistory |= windowValue(i)
		}
	}
}

// unclassified is shared by candidates of which nothing that is classified was read.
var unclassified Classified

// noRisk is the risk of a series that has none.
var noRisk = riskMonth{volatility12: math.NaN(), volatility36: math.NaN(), drawdown36: math.NaN()}

func knownCurrency(written string) string {
	if slices.Contains(currencies[1:], written) {
		return written
	}
	return ""
}

// knownRow is what was known of a series, where that differs from what the batch has.
type knownRow struct {
	Series        uint32      `ch:"series_id"`
	Day           time.Time   `ch:"day"`
	Order         time.Time   `ch:"order_day"`
	Changed       []time.Time `ch:"changed"` // days whose rows were unknown or had other values
	NotKnownThen  bool        `ch:"not_known_then"`
	LaterRow      bool        `ch:"later_row"`    // the row that stands on the day is from a history that was loaded later
	LaterStarts   []uint8     `ch:"later_starts"` // windows that begin with such a row
	RowDiffers    bool        `ch:"row_differs"`  // the row that stands on the day
	QuotedThen    bool        `ch:"quoted_then"`
	CurrencyThen  string      `ch:"currency_then"`
	EquityCLPThen float64     `ch:"equity_clp_then"`
	Touched       []uint8     `ch:"touched"` // windows that begin or end with a changed row
	Returns       []float64   `ch:"returns"`
}

// laterRow is a row that was corrected or added later, with what was stated of it. Numbers are texts.
type laterRow struct {
	Series     uint32      `ch:"series_id"`
	Date       time.Time   `ch:"date"`
	Later      bool        `ch:"loaded_later"`
	KnownOn    []time.Time `ch:"known_on"`
	Said       []uint64    `ch:"said"`
	Quotas     []string    `ch:"quotas"`
	Currencies []string    `ch:"currencies"`
	Equities   []string    `ch:"equities"`
}

// mayDiffer tells whether what was known of the row at a signal may differ from what the batch has.
func (r *laterRow) mayDiffer(s Signal) bool {
	return model.DateOf(r.Date).Compare(s.Day) <= 0 && (r.Later || model.DateOf(r.KnownOn[len(r.KnownOn)-1]).Compare(s.Order) > 0)
}

// knownThen reads what was known at signals, by their days and order days. It has rows only where that differs from
// what the batch has.
func (d *Database) knownThen(ctx context.Context, signals []Signal) (map[signalKey]map[uint32]knownRow, error) {
	later, err := d.corrected.get(func() (laterRows, error) { return d.readLater(ctx) })
	if err != nil {
		return nil, err
	}
	seen := map[signalKey]map[uint32]knownRow{}
	var days, orders []model.Date
	for _, s := range signals {
		key := signalKey{day: s.Day, order: s.Order}
		if seen[key] == nil && later.mayDiffer(s) {
			seen[key] = map[uint32]knownRow{}
			days, orders = append(days, s.Day), append(orders, s.Order)
		}
	}
	if len(days) == 0 {
		return nil, nil
	}
	args, err := later.args()
	if err != nil {
		return nil, err
	}
	size := max(1, knownAtOnce/len(later.series))
	for first := 0; first < len(days); first += size {
		last := min(first+size, len(days))
		found, err := rows[knownRow](ctx, d, "backtest_known", append(slices.Clone(args), sql.Arg("days", texts(days[first:last])), sql.Arg("orders", texts(orders[first:last])))...)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if n := len(model.Windows); len(f.Touched) != n || len(f.LaterStarts) != n || len(f.Returns) != n {
				return nil, &sql.ReadError{Statement: "backtest_known", Err: fmt.Errorf("series %d does not have eight windows on %s", f.Series, model.DateOf(f.Day))}
			}
			seen[signalKey{day: model.DateOf(f.Day), order: model.DateOf(f.Order)}][f.Series] = f
		}
	}
	return seen, nil
}

// laterRows are the rows that were stated later. If they are too many to be arguments of a statement, only their
// series are known here, and rows is nil.
type laterRows struct {
	series []uint32
	rows   []laterRow
	source string // where statements find them
}

// mostLater is how many rows are kept and given to statements, by default. They take about 15 MB.
const mostLater = 100_000

func (d *Database) readLater(ctx context.Context) (laterRows, error) {
	batch, err := d.Batch(ctx)
	if err != nil {
		return laterRows{}, err
	}
	statements := sql.Arg("statements", batch.source())
	found, err := rows[laterRow](ctx, d, "backtest_later", sql.Arg("most", d.mostLater+1), statements)
	if err != nil {
		return laterRows{}, err
	}
	later := laterRows{source: batch.source()}
	if len(found) > d.mostLater {
		type row struct {
			Series uint32 `ch:"series_id"`
		}
		series, err := rows[row](ctx, d, "backtest_later_series", statements)
		for _, of := range series {
			later.series = append(later.series, of.Series)
		}
		return later, err
	}
	later.rows = found
	for _, of := range found { // by ascending series
		if n := len(later.series); n == 0 || later.series[n-1] != of.Series {
			later.series = append(later.series, of.Series)
		}
	}
	return later, nil
}

// mayDiffer tells whether what was known at a signal may differ from what the batch has.
func (l laterRows) mayDiffer(s Signal) bool {
	return l.rows == nil && len(l.series) > 0 || slices.ContainsFunc(l.rows, func(r laterRow) bool { return r.mayDiffer(s) })
}

// args gives the arguments of backtest_known: the series as a table, and the rows too if they are known here.
func (l laterRows) args() ([]any, error) {
	series, err := sql.Table("later_series", sql.Column{Type: "series_id UInt32", Values: l.series})
	if err != nil {
		return nil, err
	}
	args := []any{sql.Arg("statements", l.source), series}
	if l.rows == nil {
		return append(args, sql.Arg("later", "read")), nil
	}
	n := len(l.rows)
	ids, dates, loaded, known := make([]uint32, n), make([]time.Time, n), make([]bool, n), make([][]time.Time, n)
	said, quotas, currencies, equities := make([][]uint64, n), make([][]string, n), make([][]string, n), make([][]string, n)
	for i, r := range l.rows {
		ids[i], dates[i], loaded[i], known[i] = r.Series, r.Date, r.Later, r.KnownOn
		said[i], quotas[i], currencies[i], equities[i] = r.Said, r.Quotas, r.Currencies, r.Equities
	}
	given, err := sql.Table("later_given", sql.Column{Type: "series_id UInt32", Values: ids}, sql.Column{Type: "date Date", Values: dates},
		sql.Column{Type: "loaded_later Bool", Values: loaded}, sql.Column{Type: "known_on Array(Date)", Values: known},
		sql.Column{Type: "said Array(UInt64)", Values: said}, sql.Column{Type: "quotas Array(String)", Values: quotas},
		sql.Column{Type: "currencies Array(String)", Values: currencies}, sql.Column{Type: "equities Array(String)", Values: equities})
	if err != nil {
		return nil, err
	}
	return append(args, sql.Arg("later", "given"), given), nil
}

// apply gives a candidate the values that were known, of those that are asked for.
func (k *knownRow) apply(c *draft, values Values) {
	c.NotKnownThen = c.NotKnownThen || k.NotKnownThen
	if k.LaterRow {
		c.LaterHistory |= RowValues
	}
	if k.RowDiffers {
		c.correct(byEquity, k.EquityCLPThen)
		if c.Currency != knownCurrency(k.CurrencyThen) {
			c.Corrected |= RowValues
		}
		c.Currency = knownCurrency(k.CurrencyThen)
	}
	for i := range model.Windows {
		if !values.has(windowValue(i)) {
			continue
		}
		if k.LaterStarts[i] != 0 {
			c.LaterHistory |= windowValue(i)
		}
		if k.Touched[i] != 0 {
			c.correct(sortPlace(i), k.Returns[i])
		}
	}
	days := make([]model.Date, len(k.Changed))
	for i, at := range k.Changed {
		days[i] = model.DateOf(at)
	}
	c.forgetFigures(days)
}

// correct replaces a value and marks it as corrected, if it was asked for and differs.
func (c *draft) correct(by sortPlace, value float64) {
	if c.columns[by] == nil {
		return
	}
	of := &c.columns[by][c.at]
	if *of != value && !(math.IsNaN(*of) && math.IsNaN(value)) {
		*of = value
		c.Corrected |= by.values()
	}
}

// unknownDays gives the days up to a signal whose first cartola was published after its order day.
func (p *publications) unknownDays(s Signal) (days []model.Date) {
	for i, published := range p.days {
		day := p.first.AddDays(i)
		if !published.later && published.on.Compare(s.Order) > 0 && day.Compare(s.Day) <= 0 {
			days = append(days, day)
		}
	}
	return days
}

// forgetWindows makes the returns unknown whose windows begin or end on days that were unknown.
func (c *draft) forgetWindows(unknown []model.Date, standing *standingDay, row int, day model.Date) {
	at := day.AddDays(1).Time()
	monthEnd := model.NewDate(at.Year(), at.Month(), 0) // with which the last closed month ends
	for i, window := range standing.windows {
		last := i == len(standing.windows)-1
		if c.columns[i] != nil && (slices.Contains(unknown, window.starts[row]) || last && slices.Contains(unknown, monthEnd)) {
			c.correct(sortPlace(i), math.NaN())
		}
	}
}

// forgetFigures makes the risk and the cost rate unknown that were computed from the rows of some
// days.
func (c *draft) forgetFigures(days []model.Date) {
	for _, day := range days {
		if c.month != nil && day.Compare(c.month.month) <= 0 {
			if day.Compare(monthsBefore(c.month.month, 12).AddDays(-7)) >= 0 {
				c.correct(byVolatility12, math.NaN())
			}
			if day.Compare(monthsBefore(c.month.month, 36).AddDays(-7)) >= 0 {
				c.correct(byVolatility36, math.NaN())
				c.correct(byDrawdown36, math.NaN())
			}
		}
		// The costs of a day are a part of the equity of the day before.
		if c.cost != nil && tacKinds[c.cost.kind] == "computed" && day.Compare(c.cost.month) <= 0 && day.Compare(monthsBefore(c.cost.month, 1)) >= 0 {
			c.correct(byTAC, math.NaN())
			c.TACKind = ""
		}
	}
}

// monthsBefore gives the end of the month n months before a month end.
func monthsBefore(end model.Date, n int) model.Date {
	at := end.Time()
	return model.NewDate(at.Year(), at.Month()+1-time.Month(n), 0)
}
