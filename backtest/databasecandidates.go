package backtest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/sql"
)

// standingRow is the row of a series that stands on a day, with the windows that end on the day,
// as the batch has them.
type standingRow struct {
	series    uint32
	date      model.Date // of the row
	quoted    bool       // false: the row is void
	currency  string
	equityCLP float64
	returns   [8]float64    // by model.Windows
	starts    [8]model.Date // of the quotes with which they begin
}

// signalKey identifies the candidates of a signal. order is zero if everything is known.
type signalKey struct{ date, day, order model.Date }

const (
	standingRowBytes = int(unsafe.Sizeof(standingRow{}))
	candidateBytes   = int(unsafe.Sizeof(Candidate{}))
	// One statement reads so many rows of days at most: about 15 MB of result.
	rowsAtOnce = 180_000
	// standingReads is how many statements read rows of days side by side.
	standingReads = 2
	// knownAtOnce is how many rows one statement gives at most of what was known: about 15 MB of result.
	knownAtOnce = 50_000
)

// Candidates implements Source.
func (d *Database) Candidates(ctx context.Context, signals []Signal, then bool) ([]*Universe, error) {
	d.readingCandidates.Lock()
	defer d.readingCandidates.Unlock()
	universes := make([]*Universe, len(signals))
	var missing []Signal
	asked := map[signalKey]bool{}
	for i, s := range signals {
		key := keyOf(s, then)
		u, there := d.candidates.GetIfPresent(key)
		if universes[i] = u; !there && !asked[key] {
			asked[key] = true
			missing = append(missing, s)
		}
	}
	if len(missing) == 0 {
		return universes, nil
	}
	read, err := d.readCandidates(ctx, missing, then)
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

// readCandidates reads the candidates of signals and keeps them.
func (d *Database) readCandidates(ctx context.Context, signals []Signal, then bool) (map[signalKey]*Universe, error) {
	var standing map[model.Date][]standingRow
	var known *catalogues
	var differing map[signalKey]map[uint32]knownRow
	reads, ctx := errgroup.WithContext(ctx)
	if then { // takes longest
		reads.Go(func() (err error) {
			differing, err = d.knownThen(ctx, signals)
			return err
		})
	}
	reads.Go(func() (err error) {
		standing, err = d.standing(ctx, signals)
		return err
	})
	reads.Go(func() (err error) {
		known, err = d.catalogues(ctx)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	universes := make([]*Universe, len(signals))
	var building errgroup.Group
	share := (len(signals) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for first := 0; first < len(signals); first += share {
		building.Go(func() error {
			walk := known.walk()
			for i := first; i < min(first+share, len(signals)); i++ {
				s := signals[i]
				universes[i] = NewUniverse(walk.candidates(standing[s.Day], differing[signalKey{day: s.Day, order: s.Order}], s, then))
			}
			return nil
		})
	}
	_ = building.Wait() // none of them fails
	read := map[signalKey]*Universe{}
	for i, s := range signals {
		key := keyOf(s, then)
		read[key] = universes[i]
		d.candidates.Set(key, universes[i])
	}
	return read, nil
}

// candidates gives the candidates of a signal from the rows that stand on its day, and from what was known
// otherwise.
func (w *walk) candidates(standing []standingRow, differing map[uint32]knownRow, s Signal, then bool) []Candidate {
	list := make([]Candidate, 0, len(standing))
	var unknown []model.Date
	if then {
		unknown = w.unknownDays(s)
	}
	inForce := w.inForce(s, then)
	place := 0
	for i := range standing {
		row := &standing[i]
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
		month, cost := w.risk(place, s.Day), w.cost(place, s, then)
		list = append(list, Candidate{})
		c := &list[len(list)-1]
		w.fill(c, place, row, month, cost, s, then, inForce)
		if changed {
			other.apply(c, month, cost)
		}
		if len(unknown) > 0 {
			c.forgetWindows(unknown, row, s.Day)
			c.forgetFigures(unknown, month, cost)
		}
	}
	return list
}

// standing reads the rows that stand on the days of signals, by ascending id.
func (d *Database) standing(ctx context.Context, signals []Signal) (map[model.Date][]standingRow, error) {
	standing := map[model.Date][]standingRow{}
	var missing []model.Date
	for _, s := range signals {
		if _, seen := standing[s.Day]; seen {
			continue
		}
		rows, there := d.days.GetIfPresent(s.Day)
		if standing[s.Day] = rows; !there {
			missing = append(missing, s.Day)
		}
	}
	if len(missing) == 0 {
		return standing, nil
	}
	series, err := d.listed(ctx)
	if err != nil {
		return nil, err
	}
	var reading sync.Mutex // guards standing
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(standingReads)
	for group := range slices.Chunk(missing, max(1, rowsAtOnce/max(1, len(series)))) {
		reads.Go(func() error {
			read, err := d.readStanding(ctx, group)
			reading.Lock()
			defer reading.Unlock()
			maps.Copy(standing, read)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	for _, day := range missing {
		d.days.Set(day, standing[day])
	}
	return standing, nil
}

// readStanding reads the rows of some days and their windows.
func (d *Database) readStanding(ctx context.Context, days []model.Date) (map[model.Date][]standingRow, error) {
	standing := map[model.Date][]standingRow{}
	err := d.byDay(ctx, "backtest_candidates", days, func(day model.Date, columns *rowbinary.Reader) {
		list := make([]standingRow, columns.Count())
		for i := range list {
			list[i] = standingRow{series: columns.Uint32(), returns: noReturns}
		}
		columns.Column(len(list), func(i int) { list[i].date = columns.Date() })
		columns.Column(len(list), func(i int) { list[i].quoted = columns.Bool() })
		columns.Column(len(list), func(i int) { list[i].currency = d.words.get(columns.Text()) })
		columns.Column(len(list), func(i int) { list[i].equityCLP = columns.Float64() })
		slices.SortFunc(list, func(a, b standingRow) int { return cmp.Compare(a.series, b.series) })
		standing[day] = list
	})
	if err != nil {
		return nil, err
	}
	err = d.byDay(ctx, "backtest_windows", days, func(day model.Date, columns *rowbinary.Reader) {
		list := standing[day]
		rows := make([]*standingRow, columns.Count()) // nil for a series that does not stand on the day
		near := 0                                     // nearly all series ascend
		for i := range rows {
			id := columns.Uint32()
			if near == len(list) || list[near].series != id {
				near, _ = slices.BinarySearchFunc(list, id, func(row standingRow, id uint32) int { return cmp.Compare(row.series, id) })
			}
			if near < len(list) && list[near].series == id {
				rows[i] = &list[near]
				near++
			}
		}
		for window := range noReturns {
			columns.Column(len(rows), func(i int) {
				if value := columns.Float64(); rows[i] != nil {
					rows[i].returns[window] = value
				}
			})
		}
		for window := range noReturns {
			columns.Column(len(rows), func(i int) {
				if start := columns.Date(); rows[i] != nil {
					rows[i].starts[window] = start
				}
			})
		}
	})
	return standing, err
}

// noReturns are those of a series without windows.
var noReturns = func() (returns [8]float64) {
	for i := range returns {
		returns[i] = math.NaN()
	}
	return returns
}()

// byDay reads a statement that gives columns for each of some days, and passes those of each day to take.
func (d *Database) byDay(ctx context.Context, name string, days []model.Date, take func(day model.Date, columns *rowbinary.Reader)) error {
	type row struct {
		Day     time.Time `ch:"day"`
		Columns string    `ch:"columns"`
	}
	found, err := rows[row](ctx, d, name, sql.Arg("days", texts(days)))
	if err != nil {
		return err
	}
	for _, f := range found {
		columns := rowbinary.NewReader(f.Columns)
		if take(model.DateOf(f.Day), columns); columns.More() {
			columns.Fail(errors.New("more columns than are read"))
		}
		if columns.Err() != nil {
			return &sql.ReadError{Statement: name, Err: columns.Err()}
		}
	}
	return nil
}

// fill writes a series as the batch has it, with what catalogues had said of it. month and cost are its risk
// and its cost rate, nil if there is none.
func (w *walk) fill(c *Candidate, place int, row *standingRow, month *riskMonth, cost *costRate, s Signal, then bool, inForce model.Date) {
	c.Listed, c.Currency, c.EquityCLP, c.Returns = &w.series[place], knownCurrency(row.currency), row.equityCLP, row.returns
	c.TAC, c.Volatility12, c.Volatility36, c.Drawdown36 = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if month != nil {
		c.Volatility12, c.Volatility36, c.Drawdown36 = month.volatility12, month.volatility36, month.drawdown36
	}
	class := ""
	if cost != nil {
		c.TAC, c.TACKind, class = cost.rate, tacKinds[cost.kind], cost.class
	}
	c.Classified = w.classify(place, row.date, s, then, inForce, class)
	published := w.published.on(row.date)
	c.LaterHistory = published.later
	c.NotKnownThen = then && !published.later && published.on.Compare(s.Order) > 0
	for i, start := range row.starts {
		if !math.IsNaN(row.returns[i]) && w.published.on(start).later {
			c.LaterHistory = true
		}
	}
}

func knownCurrency(written string) string {
	if written == "PESOS" || written == "DOLAR" {
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
	LaterHistory  bool        `ch:"later_history"`
	RowDiffers    bool        `ch:"row_differs"` // the row that stands on the day
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

// apply gives a candidate the values that were known. month and cost are the ones that it has,
// nil if it has none.
func (k *knownRow) apply(c *Candidate, month *riskMonth, cost *costRate) {
	c.NotKnownThen = c.NotKnownThen || k.NotKnownThen
	c.LaterHistory = c.LaterHistory || k.LaterHistory
	differs := func(a, b float64) bool { return a != b && !(math.IsNaN(a) && math.IsNaN(b)) }
	if k.RowDiffers {
		c.Corrected = c.Corrected || differs(c.EquityCLP, k.EquityCLPThen) || c.Currency != knownCurrency(k.CurrencyThen)
		c.EquityCLP, c.Currency = k.EquityCLPThen, knownCurrency(k.CurrencyThen)
	}
	for i, touched := range k.Touched {
		if touched != 0 && differs(c.Returns[i], k.Returns[i]) {
			c.Returns[i], c.Corrected = k.Returns[i], true
		}
	}
	days := make([]model.Date, len(k.Changed))
	for i, at := range k.Changed {
		days[i] = model.DateOf(at)
	}
	c.forgetFigures(days, month, cost)
}

// unknownDays gives the days up to a signal whose first cartola was published after its order day.
func (k *catalogues) unknownDays(s Signal) (days []model.Date) {
	for i, published := range k.published.days {
		day := k.published.first.AddDays(i)
		if !published.later && published.on.Compare(s.Order) > 0 && day.Compare(s.Day) <= 0 {
			days = append(days, day)
		}
	}
	return days
}

// forgetWindows takes the returns whose windows begin or end on days that were unknown.
func (c *Candidate) forgetWindows(unknown []model.Date, row *standingRow, day model.Date) {
	at := day.AddDays(1).Time()
	monthEnd := model.NewDate(at.Year(), at.Month(), 0) // with which the last closed month ends
	for i, start := range row.starts {
		last := i == len(row.starts)-1
		if slices.Contains(unknown, start) || last && slices.Contains(unknown, monthEnd) {
			c.forget(&c.Returns[i])
		}
	}
}

// forget makes a value unknown.
func (c *Candidate) forget(value *float64) {
	if !math.IsNaN(*value) {
		*value, c.Corrected = math.NaN(), true
	}
}

// forgetFigures makes the risk and the cost rate unknown that were computed from the rows of some
// days. month and cost are those of the candidate, nil if it has none.
func (c *Candidate) forgetFigures(days []model.Date, month *riskMonth, cost *costRate) {
	for _, day := range days {
		if month != nil && day.Compare(month.month) <= 0 {
			if day.Compare(monthsBefore(month.month, 12).AddDays(-7)) >= 0 {
				c.forget(&c.Volatility12)
			}
			if day.Compare(monthsBefore(month.month, 36).AddDays(-7)) >= 0 {
				c.forget(&c.Volatility36)
				c.forget(&c.Drawdown36)
			}
		}
		// The costs of a day are a part of the equity of the day before.
		if cost != nil && tacKinds[cost.kind] == "computed" && day.Compare(cost.month) <= 0 && day.Compare(monthsBefore(cost.month, 1)) >= 0 {
			c.forget(&c.TAC)
			c.TACKind = ""
		}
	}
}

// monthsBefore gives the end of the month n months before a month end.
func monthsBefore(end model.Date, n int) model.Date {
	at := end.Time()
	return model.NewDate(at.Year(), at.Month()+1-time.Month(n), 0)
}
