package backtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
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

// standingRow is the row of a series that stands on a day, as the batch has it.
type standingRow struct {
	series    uint32
	date      model.Date // of the row
	quoted    bool       // false: the row is void
	currency  string
	equityCLP float64 // NaN if it was not read
}

// standingDay is the rows that stand on a day, by ascending id, and what was read of them.
type standingDay struct {
	rows    []standingRow
	windows [8]*standingWindow // by model.Windows; nil if it was not read
	equity  bool               // whether the rows have their equity
}

// standingWindow is a window that ends on a day, by the rows of the day.
type standingWindow struct {
	returns []float64
	starts  []model.Date // of the quotes with which it begins
}

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
	standingRowBytes = int(unsafe.Sizeof(standingRow{}))
	windowRowBytes   = 8 + int(unsafe.Sizeof(model.Date{})) // of one row in a standingWindow
	candidateBytes   = int(unsafe.Sizeof(Candidate{}))
	knownRowBytes    = int(unsafe.Sizeof(knownRow{})) + 300 // with its lists
	// One statement reads rows of days that give about so many bytes at most.
	standingBytes = 24 << 20
	// standingReads is how many statements read rows of days side by side.
	standingReads = 2
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
		standing, err = d.standing(ctx, signals, values)
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
				universes[i] = NewUniverse(walk.candidates(standing[s.Day], differing[signalKey{day: s.Day, order: s.Order}], s, then))
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

// candidates gives the candidates of a signal from the rows that stand on its day, and from what was known
// otherwise.
func (w *walk) candidates(standing *standingDay, differing map[uint32]knownRow, s Signal, then bool) []Candidate {
	list := make([]Candidate, 0, len(standing.rows))
	var unknown []model.Date
	if then {
		unknown = w.unknownDays(s)
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
		var month *riskMonth
		if w.values.has(RiskValues) {
			month = w.risk(place, s.Day)
		}
		var cost *costRate
		if w.values.has(CostValues) {
			cost = w.cost(place, s, then)
		}
		list = append(list, Candidate{})
		c := &list[len(list)-1]
		w.fill(c, place, row, month, cost, s, then, inForce)
		w.fillWindows(c, standing, i)
		if changed {
			other.apply(c, w.values, month, cost)
		}
		if len(unknown) > 0 {
			c.forgetWindows(unknown, standing, i, s.Day)
			c.forgetFigures(unknown, month, cost)
		}
	}
	return list
}

// lacks gives the windows and the equity of some values that were not read.
func (day *standingDay) lacks(values Values) (lacking Values) {
	for window, read := range day.windows {
		if read == nil {
			lacking |= windowValue(window)
		}
	}
	if !day.equity {
		lacking |= EquityValues
	}
	return lacking & values
}

// standing gives the rows that stand on the days of signals, with those of some values that belong to them.
func (d *Database) standing(ctx context.Context, signals []Signal, values Values) (map[model.Date]*standingDay, error) {
	standing := map[model.Date]*standingDay{}
	var unread []model.Date // days whose rows are missing, or their equity
	lacking := map[Values][]model.Date{}
	for _, s := range signals {
		if _, seen := standing[s.Day]; seen {
			continue
		}
		day, there := d.days.GetIfPresent(s.Day)
		if !there {
			day = &standingDay{}
		}
		standing[s.Day] = day
		lacks := day.lacks(values)
		if !there || lacks.has(EquityValues) {
			unread = append(unread, s.Day)
		}
		if windows := lacks & windowValues; windows != 0 {
			lacking[windows] = append(lacking[windows], s.Day)
		}
	}
	if len(unread) == 0 && len(lacking) == 0 {
		return standing, nil
	}
	series, err := d.listed(ctx)
	if err != nil {
		return nil, err
	}
	daysAtOnce := func(bytes int) int { return max(1, standingBytes/bytes/max(1, len(series))) }
	var reading sync.Mutex // guards what was read
	var windows []windowsOfDay
	rows := map[model.Date][]standingRow{}
	reads, readCtx := errgroup.WithContext(ctx)
	reads.SetLimit(standingReads)
	for days := range slices.Chunk(unread, daysAtOnce(standingRowBytes)) {
		reads.Go(func() error {
			read, err := d.readRows(readCtx, days, values.has(EquityValues))
			reading.Lock()
			defer reading.Unlock()
			maps.Copy(rows, read)
			return err
		})
	}
	for _, some := range slices.Sorted(maps.Keys(lacking)) {
		for days := range slices.Chunk(lacking[some], daysAtOnce(4+windowRowBytes*bits.OnesCount16(uint16(some)))) {
			reads.Go(func() error {
				read, err := d.readWindows(readCtx, some, days)
				reading.Lock()
				defer reading.Unlock()
				windows = append(windows, read...)
				return err
			})
		}
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	for _, at := range unread {
		day := standing[at]
		day.rows, day.equity = rows[at], values.has(EquityValues) // the same rows, if they were there
		d.days.Set(at, day)
	}
	for _, of := range windows {
		of.join(standing[of.day])
	}
	return standing, nil
}

// readRows reads the rows of some days, without windows.
func (d *Database) readRows(ctx context.Context, days []model.Date, equity bool) (map[model.Date][]standingRow, error) {
	read := map[model.Date][]standingRow{}
	from := "without_equity"
	if equity {
		from = "with_equity"
	}
	return read, d.byDay(ctx, "backtest_candidates", days, func(day model.Date, columns *rowbinary.Reader) {
		list := make([]standingRow, columns.Count())
		for i := range list {
			list[i].series = columns.Uint32()
		}
		columns.Column(len(list), func(i int) { list[i].date = columns.Date() })
		columns.Column(len(list), func(i int) { list[i].quoted = columns.Bool() })
		columns.Column(len(list), func(i int) { list[i].currency = d.words.get(columns.Text()) })
		columns.Column(len(list), func(i int) { list[i].equityCLP = columns.Float64() })
		slices.SortFunc(list, func(a, b standingRow) int { return cmp.Compare(a.series, b.series) })
		read[day] = list
	}, sql.Arg("rows", from))
}

// windowsOfDay is some windows of all series on a day, in the order of series.
type windowsOfDay struct {
	day     model.Date
	series  []uint32
	windows [8]*standingWindow // by series; nil if it was not asked for
}

// readWindows reads some windows of some days. A day without windows has no series.
func (d *Database) readWindows(ctx context.Context, some Values, days []model.Date) ([]windowsOfDay, error) {
	read := make([]windowsOfDay, len(days))
	places := make(map[model.Date]int, len(days))
	var args []any
	var asked []int // places in model.Windows
	for window, name := range model.Windows {
		returns, starts := "no_returns", "no_starts"
		if some.has(windowValue(window)) {
			returns, starts = "returns_"+name, "starts_"+name
			asked = append(asked, window)
		}
		args = append(args, sql.Arg("returns_"+name, returns), sql.Arg("starts_"+name, starts))
	}
	for i, day := range days {
		read[i].day, places[day] = day, i
		for _, window := range asked {
			read[i].windows[window] = &standingWindow{}
		}
	}
	return read, d.byDay(ctx, "backtest_windows", days, func(day model.Date, columns *rowbinary.Reader) {
		of := &read[places[day]]
		of.series = make([]uint32, columns.Count())
		for i := range of.series {
			of.series[i] = columns.Uint32()
		}
		n := len(of.series)
		for _, window := range asked {
			*of.windows[window] = standingWindow{make([]float64, n), make([]model.Date, n)}
		}
		column := func(read func(window *standingWindow, i int)) {
			for _, window := range of.windows {
				if window == nil {
					columns.Column(0, nil)
					continue
				}
				columns.Column(n, func(i int) { read(window, i) })
			}
		}
		column(func(window *standingWindow, i int) { window.returns[i] = columns.Float64() })
		column(func(window *standingWindow, i int) { window.starts[i] = columns.Date() })
	}, args...)
}

// join gives the windows to the rows of their day. Series that do not stand on the day are left out.
func (of *windowsOfDay) join(day *standingDay) {
	places := make([]int, len(day.rows)) // of the rows, from 1; 0 for a row without windows
	row := 0
	for i, id := range of.series {
		if i > 0 && id < of.series[i-1] { // the few blocks of rows that the statement gives are each in order
			row, _ = slices.BinarySearchFunc(day.rows, id, func(row standingRow, id uint32) int { return cmp.Compare(row.series, id) })
		}
		for row < len(day.rows) && day.rows[row].series < id {
			row++
		}
		if row < len(day.rows) && day.rows[row].series == id {
			places[row] = i + 1
		}
	}
	for window, read := range of.windows {
		if read == nil {
			continue
		}
		joined := &standingWindow{make([]float64, len(day.rows)), make([]model.Date, len(day.rows))}
		for row, place := range places {
			if joined.returns[row] = math.NaN(); place > 0 {
				joined.returns[row], joined.starts[row] = read.returns[place-1], read.starts[place-1]
			}
		}
		day.windows[window] = joined
	}
}

// byDay reads a statement that gives columns for each of some days, and passes those of each day to take.
func (d *Database) byDay(ctx context.Context, name string, days []model.Date, take func(day model.Date, columns *rowbinary.Reader), args ...any) error {
	type row struct {
		Day     time.Time `ch:"day"`
		Columns string    `ch:"columns"`
	}
	found, err := rows[row](ctx, d, name, append(args, sql.Arg("days", texts(days)))...)
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
	c.Listed, c.Currency, c.EquityCLP = &w.series[place], knownCurrency(row.currency), row.equityCLP
	c.TAC, c.Volatility12, c.Volatility36, c.Drawdown36 = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if month != nil {
		c.Volatility12, c.Volatility36, c.Drawdown36 = month.volatility12, month.volatility36, month.drawdown36
	}
	class := ""
	if cost != nil {
		c.TAC, c.TACKind, class = cost.rate, tacKinds[cost.kind], cost.class
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

// fillWindows writes the windows of a row that were read. The others are NaN.
func (w *walk) fillWindows(c *Candidate, day *standingDay, row int) {
	for i, window := range day.windows {
		c.Returns[i] = math.NaN()
		if window == nil || !w.values.has(windowValue(i)) {
			continue
		}
		c.Returns[i] = window.returns[row]
		if !math.IsNaN(c.Returns[i]) && w.published.on(window.starts[row]).later {
			c.LaterHistory |= windowValue(i)
		}
	}
}

// unclassified is shared by candidates of which nothing that is classified was read.
var unclassified Classified

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

// apply gives a candidate the values that were known, of those that were read. month and cost are the ones that it has,
// nil if it has none.
func (k *knownRow) apply(c *Candidate, values Values, month *riskMonth, cost *costRate) {
	c.NotKnownThen = c.NotKnownThen || k.NotKnownThen
	if k.LaterRow {
		c.LaterHistory |= RowValues
	}
	differs := func(a, b float64) bool { return a != b && !(math.IsNaN(a) && math.IsNaN(b)) }
	if k.RowDiffers {
		if values.has(EquityValues) && differs(c.EquityCLP, k.EquityCLPThen) {
			c.EquityCLP = k.EquityCLPThen
			c.Corrected |= EquityValues
		}
		if c.Currency != knownCurrency(k.CurrencyThen) {
			c.Corrected |= RowValues
		}
		c.Currency = knownCurrency(k.CurrencyThen)
	}
	for i := range model.Windows {
		window := windowValue(i)
		if !values.has(window) {
			continue
		}
		if k.LaterStarts[i] != 0 {
			c.LaterHistory |= window
		}
		if k.Touched[i] != 0 && differs(c.Returns[i], k.Returns[i]) {
			c.Returns[i] = k.Returns[i]
			c.Corrected |= window
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

// forgetWindows takes the returns of a row whose windows begin or end on days that were unknown.
func (c *Candidate) forgetWindows(unknown []model.Date, standing *standingDay, row int, day model.Date) {
	at := day.AddDays(1).Time()
	monthEnd := model.NewDate(at.Year(), at.Month(), 0) // with which the last closed month ends
	for i, window := range standing.windows {
		last := i == len(standing.windows)-1
		if window != nil && (slices.Contains(unknown, window.starts[row]) || last && slices.Contains(unknown, monthEnd)) {
			c.forget(&c.Returns[i], windowValue(i))
		}
	}
}

// forget makes one of some values unknown.
func (c *Candidate) forget(value *float64, of Values) {
	if !math.IsNaN(*value) {
		*value = math.NaN()
		c.Corrected |= of
	}
}

// forgetFigures makes the risk and the cost rate unknown that were computed from the rows of some
// days. month and cost are those of the candidate, nil if it has none.
func (c *Candidate) forgetFigures(days []model.Date, month *riskMonth, cost *costRate) {
	for _, day := range days {
		if month != nil && day.Compare(month.month) <= 0 {
			if day.Compare(monthsBefore(month.month, 12).AddDays(-7)) >= 0 {
				c.forget(&c.Volatility12, RiskValues)
			}
			if day.Compare(monthsBefore(month.month, 36).AddDays(-7)) >= 0 {
				c.forget(&c.Volatility36, RiskValues)
				c.forget(&c.Drawdown36, RiskValues)
			}
		}
		// The costs of a day are a part of the equity of the day before.
		if cost != nil && tacKinds[cost.kind] == "computed" && day.Compare(cost.month) <= 0 && day.Compare(monthsBefore(cost.month, 1)) >= 0 {
			c.forget(&c.TAC, CostValues)
			c.TACKind = ""
		}
	}
}

// monthsBefore gives the end of the month n months before a month end.
func monthsBefore(end model.Date, n int) model.Date {
	at := end.Time()
	return model.NewDate(at.Year(), at.Month()+1-time.Month(n), 0)
}
