package backtest

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"cuota/model"
	"cuota/sql"
)

// seriesRow is a series of mutual funds, with its names of today.
type seriesRow struct {
	Series     uint32    `ch:"series_id"`
	Fund       uint32    `ch:"fund_id"`
	RUN        string    `ch:"run"`
	Serie      string    `ch:"serie"`
	FundName   string    `ch:"fund"`
	Manager    string    `ch:"manager"`
	FirstQuote time.Time `ch:"first_date"`
	Alive      bool      `ch:"alive"`
}

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
	rowsAtOnce = 120_000
	// standingReads is how many statements read rows of days side by side.
	standingReads = 2
	// knownAtOnce is how many rows one statement gives at most of what was known: about 15 MB of result.
	knownAtOnce = 50_000
)

// Candidates implements Source.
func (d *Database) Candidates(ctx context.Context, signals []Signal, then bool) ([][]Candidate, error) {
	d.readingCandidates.Lock()
	defer d.readingCandidates.Unlock()
	lists := make([][]Candidate, len(signals))
	var missing []Signal
	asked := map[signalKey]bool{}
	for i, s := range signals {
		key := keyOf(s, then)
		list, there := d.candidates.GetIfPresent(key)
		if lists[i] = list; !there && !asked[key] {
			asked[key] = true
			missing = append(missing, s)
		}
	}
	if len(missing) == 0 {
		return lists, nil
	}
	read, err := d.readCandidates(ctx, missing, then)
	if err != nil {
		return nil, err
	}
	for i, s := range signals {
		if list, there := read[keyOf(s, then)]; there {
			lists[i] = list
		}
	}
	return lists, nil
}

func keyOf(s Signal, then bool) signalKey {
	if !then {
		return signalKey{date: s.Date, day: s.Day}
	}
	return signalKey{s.Date, s.Day, s.Order}
}

// readCandidates reads the candidates of signals and keeps them.
func (d *Database) readCandidates(ctx context.Context, signals []Signal, then bool) (map[signalKey][]Candidate, error) {
	var standing map[model.Date][]standingRow
	var known *catalogues
	var differing map[signalKey]map[uint32]knownRow
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		standing, err = d.standing(ctx, signals)
		return err
	})
	reads.Go(func() (err error) {
		known, err = d.catalogues(ctx)
		return err
	})
	if then {
		reads.Go(func() (err error) {
			differing, err = d.knownThen(ctx, signals)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	// Signals do not depend on each other.
	lists := make([][]Candidate, len(signals))
	var building errgroup.Group
	building.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range signals {
		building.Go(func() error {
			lists[i] = known.candidates(standing[s.Day], differing[signalKey{day: s.Day, order: s.Order}], s, then)
			return nil
		})
	}
	_ = building.Wait() // none of them fails
	read := map[signalKey][]Candidate{}
	for i, s := range signals {
		key := keyOf(s, then)
		read[key] = lists[i]
		d.candidates.Set(key, lists[i])
	}
	return read, nil
}

// candidates gives the candidates of a signal from the rows that stand on its day, and from what was known
// otherwise.
func (k *catalogues) candidates(standing []standingRow, differing map[uint32]knownRow, s Signal, then bool) []Candidate {
	list := make([]Candidate, 0, len(standing))
	var unknown []model.Date
	if then {
		unknown = k.unknownDays(s)
	}
	for i := range standing {
		row := &standing[i]
		other, changed := differing[row.series]
		if !row.quoted && !(changed && other.QuotedThen) || changed && other.RowDiffers && !other.QuotedThen {
			continue // void as it was known
		}
		series, there := k.series[row.series]
		if !there { // quoted only after the cutoff
			continue
		}
		month, cost := k.risk(row.series, s.Day), k.cost(row.series, s, then)
		c := k.candidate(series, row, month, cost, s, then)
		if changed {
			other.apply(&c, month, cost)
		}
		if len(unknown) > 0 {
			c.forgetWindows(unknown, row, s.Day)
			c.forgetFigures(unknown, month, cost)
		}
		list = append(list, c)
	}
	return list
}

// standing reads the rows that stand on the days of signals, by ascending id.
func (d *Database) standing(ctx context.Context, signals []Signal) (map[model.Date][]standingRow, error) {
	type line struct {
		Day   time.Time `ch:"day"`
		Lines string    `ch:"lines"`
	}
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
			found, err := rows[line](ctx, d, "backtest_candidates", sql.Arg("days", texts(group)))
			if err != nil {
				return err
			}
			for _, f := range found {
				list, err := d.standingRows(f.Lines)
				if err != nil {
					return err
				}
				reading.Lock()
				standing[model.DateOf(f.Day)] = list
				reading.Unlock()
			}
			return nil
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

func (d *Database) standingRows(lines string) ([]standingRow, error) {
	var list []standingRow
	text := binaryRow{text: lines}
	for text.more() {
		row := standingRow{series: text.uint32(), date: text.date(), quoted: text.bool(), currency: text.word(d.words), equityCLP: text.float64()}
		for i := range row.returns {
			row.returns[i] = text.float64()
		}
		for i := range row.starts {
			row.starts[i] = text.date()
		}
		list = append(list, row)
	}
	if text.err != nil {
		return nil, &sql.ReadError{Statement: "backtest_candidates", Err: text.err}
	}
	if !slices.IsSortedFunc(list, func(a, b standingRow) int { return int(int64(a.series) - int64(b.series)) }) {
		sort.Slice(list, func(i, j int) bool { return list[i].series < list[j].series })
	}
	return list, nil
}

// candidate gives a series as the batch has it, with what catalogues had said of it. month and cost are its risk
// and its cost rate, nil if there is none.
func (k *catalogues) candidate(series *seriesRow, row *standingRow, month *riskMonth, cost *costRate, s Signal, then bool) Candidate {
	c := Candidate{
		Series: series.Series, Fund: series.Fund, RUN: series.RUN, Serie: series.Serie, FundName: series.FundName, Manager: series.Manager,
		EquityCLP: row.equityCLP, Returns: row.returns, TAC: math.NaN(), Volatility12: math.NaN(), Volatility36: math.NaN(), Drawdown36: math.NaN(),
		FirstQuote: model.DateOf(series.FirstQuote), Alive: series.Alive, Currency: knownCurrency(row.currency),
	}
	if month != nil {
		c.Volatility12, c.Volatility36, c.Drawdown36 = month.volatility12, month.volatility36, month.drawdown36
	}
	class := ""
	if cost != nil {
		c.TAC, c.TACKind, class = cost.rate, tacKinds[cost.kind], cost.class
	}
	k.rate(&c, row.date, s, then)
	if c.InvestorClass = c.RatedClass; c.InvestorClass == "" {
		c.InvestorClass = class
	}
	if published, there := k.published[row.date]; there {
		c.LaterHistory = published.later
		c.NotKnownThen = then && !published.later && published.on.Compare(s.Order) > 0
	}
	for i, start := range row.starts {
		if !math.IsNaN(row.returns[i]) && k.published[start].later {
			c.LaterHistory = true
		}
	}
	return c
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

// knownThen reads what was known at signals, by their days and order days. It has rows only where that differs from
// what the batch has.
func (d *Database) knownThen(ctx context.Context, signals []Signal) (map[signalKey]map[uint32]knownRow, error) {
	type row struct {
		Series uint32 `ch:"series_id"`
	}
	series, err := d.corrected.get(func() ([]uint32, error) {
		found, err := rows[row](ctx, d, "backtest_later_series")
		list := make([]uint32, len(found))
		for i, f := range found {
			list[i] = f.Series
		}
		return list, err
	})
	if err != nil || len(series) == 0 {
		return nil, err
	}
	seen := map[signalKey]map[uint32]knownRow{}
	var days, orders []model.Date
	for _, s := range signals {
		if key := (signalKey{day: s.Day, order: s.Order}); seen[key] == nil {
			seen[key] = map[uint32]knownRow{}
			days, orders = append(days, s.Day), append(orders, s.Order)
		}
	}
	size := max(1, knownAtOnce/len(series))
	for first := 0; first < len(days); first += size {
		last := min(first+size, len(days))
		found, err := rows[knownRow](ctx, d, "backtest_known", sql.Arg("days", texts(days[first:last])), sql.Arg("orders", texts(orders[first:last])), sql.Arg("series", series))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			seen[signalKey{day: model.DateOf(f.Day), order: model.DateOf(f.Order)}][f.Series] = f
		}
	}
	return seen, nil
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
	for day, published := range k.published {
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
