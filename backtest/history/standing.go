package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"cuota/backtest"
	"cuota/internal/rowbinary"
	"cuota/model"
	"cuota/sql"
)

// standingRow is the row of a series that stands on a day, as the batch has it.
type standingRow struct {
	series    uint32
	date      model.Date // of the row
	quoted    bool       // false: the row is void
	currency  backtest.Currency
	equityCLP float64 // NaN if it was not read
}

// currencies has the currency for each number in backtest_market_rows.sql.
var currencies = [...]backtest.Currency{backtest.OtherCurrency, backtest.Pesos, backtest.Dollars}

// dayOfRows is the rows that stand on a day, by ascending id, and what was read of them.
type dayOfRows struct {
	rows    []standingRow
	windows [8]*standingWindow // by model.Windows; nil if it was not read
	equity  bool               // whether the rows have their equity
}

// standingWindow is a window that ends on a day, by the rows of the day.
type standingWindow struct {
	returns []float64
	starts  []model.Date // days of the quotes with which it begins; nil if they were not read
}

const (
	standingRowBytes = int(unsafe.Sizeof(standingRow{}))
	windowRowBytes   = 8 + int(unsafe.Sizeof(model.Date{})) // of one row in a standingWindow
	// standingBytes limits the result of one statement in bytes, roughly. The result has the rows of every stored
	// build of a day.
	standingBytes = 24 << 20
	// standingReads is how many statements read rows of days side by side.
	standingReads = 2
	// standsDays is on how many later days a row stands at most (decisions/0020-days.md).
	standsDays = 7
)

// dayBuilds are the builds of a day that the batch reads, by table; 0 if there is none.
type dayBuilds struct{ market, returns uint64 }

// builtDays are the builds of the days of a batch.
type builtDays struct {
	days map[model.Date]dayBuilds
	most int // builds of one day that are stored, whichever batch reads them
}

// builds returns the builds of the batch.
func (src *Source) builds(ctx context.Context) (builtDays, error) {
	return src.built.get(func() (builtDays, error) {
		type row struct {
			Date    time.Time `ch:"date"`
			Market  uint64    `ch:"market_build"`
			Returns uint64    `ch:"return_build"`
			Stored  uint64    `ch:"stored_builds"`
		}
		found, err := rows[row](ctx, src, "backtest_builds")
		built := builtDays{days: make(map[model.Date]dayBuilds, len(found)), most: 1}
		for _, f := range found {
			built.days[model.DateOf(f.Date)] = dayBuilds{f.Market, f.Returns}
			built.most = max(built.most, int(f.Stored))
		}
		return built, err
	})
}

// lacks returns those of some values that were not read. If starts is true, a window without its starts counts as not
// read.
func (day *dayOfRows) lacks(values backtest.Values, starts bool) (lacking backtest.Values) {
	for window, read := range day.windows {
		if read == nil || starts && read.starts == nil {
			lacking |= backtest.WindowValue(window)
		}
	}
	if !day.equity {
		lacking |= backtest.EquityValues
	}
	return lacking & values
}

// standing returns the rows that stand on the days of signals, with their equity and windows as far as values names
// them. It reads what is not in memory.
func (src *Source) standing(ctx context.Context, signals []backtest.Signal, then bool,
	values backtest.Values) (map[model.Date]*dayOfRows, error) {
	published, err := src.publications(ctx)
	if err != nil {
		return nil, err
	}
	starts := published.needStarts(signals, then)
	standing := map[model.Date]*dayOfRows{}
	var unread []model.Date // days whose rows are missing, or their equity
	lacking := map[backtest.Values][]model.Date{}
	for _, s := range signals {
		if _, seen := standing[s.Day]; seen {
			continue
		}
		day, there := src.days.Known(s.Day)
		if !there {
			day = &dayOfRows{}
		}
		standing[s.Day] = day
		lacks := day.lacks(values, starts)
		if !there || lacks.Has(backtest.EquityValues) {
			unread = append(unread, s.Day)
		}
		if windows := lacks & backtest.WindowValues; windows != 0 {
			lacking[windows] = append(lacking[windows], s.Day)
		}
	}
	if len(unread) == 0 && len(lacking) == 0 {
		return standing, nil
	}
	roster, err := src.roster(ctx)
	if err != nil {
		return nil, err
	}
	built, err := src.builds(ctx)
	if err != nil {
		return nil, err
	}
	parts := func(days []model.Date, bytes int) iter.Seq[[]model.Date] {
		return slices.Chunk(days, daysAtOnce(len(days), bytes*built.most*max(1, len(roster.Series()))))
	}
	var reading sync.Mutex // guards what was read
	var windows []windowsOfDay
	rows := map[model.Date][]standingRow{}
	reads, readCtx := errgroup.WithContext(ctx)
	reads.SetLimit(standingReads)
	for days := range parts(unread, standingRowBytes) {
		reads.Go(func() error {
			read, err := src.readRows(readCtx, days, values.Has(backtest.EquityValues))
			reading.Lock()
			defer reading.Unlock()
			maps.Copy(rows, read)
			return err
		})
	}
	for _, some := range slices.Sorted(maps.Keys(lacking)) {
		for days := range parts(lacking[some], 4+windowRowBytes*bits.OnesCount16(uint16(some))) {
			reads.Go(func() error {
				read, err := src.readWindows(readCtx, some, starts, days)
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
		windowsBefore := slices.ContainsFunc(day.windows[:], func(read *standingWindow) bool { return read != nil })
		if windowsBefore && !slices.EqualFunc(day.rows, rows[at], func(a, b standingRow) bool {
			return a.series == b.series
		}) {
			src.days.Drop(at)
			return nil, &sql.ReadError{Statement: "backtest_market_rows",
				Err: fmt.Errorf("the series of %s differ from those that were read before: rows of the batch are "+
					"being deleted, or were lost", at)}
		}
		// the windows that were read before have the same order
		day.rows, day.equity = rows[at], values.Has(backtest.EquityValues)
		src.days.Keep(at, day)
	}
	for _, of := range windows {
		of.join(standing[of.day])
	}
	return standing, nil
}

// needStarts reports whether the days with which windows begin must be read. They say whether a return is of a
// history that was loaded later, or was unknown at a signal.
func (p *publications) needStarts(signals []backtest.Signal, then bool) bool {
	return p.anyLater || then && slices.ContainsFunc(signals, func(s backtest.Signal) bool {
		return len(p.unknownDays(s)) > 0
	})
}

// daysAtOnce returns how many days one statement reads, if a day has that many bytes. The number of statements is a
// multiple of standingReads, so that those that run side by side take equally long.
func daysAtOnce(days, bytes int) int {
	statements := (days*bytes + standingBytes - 1) / standingBytes
	if statements > 1 {
		statements = (statements + standingReads - 1) / standingReads * standingReads
	}
	return max(1, (days+statements-1)/max(1, statements))
}

// readRows reads the rows of some days, without windows. It reads them from the lists of each day. It reads them from
// the market if their equity is asked for, if a day has no lists, or if another version of the program built the
// batch, because that batch may lack the lists.
func (src *Source) readRows(ctx context.Context, days []model.Date, equity bool) (map[model.Date][]standingRow, error) {
	batch, err := src.describe(ctx)
	if err != nil {
		return nil, err
	}
	read := map[model.Date][]standingRow{}
	if batch.ownRules && !equity {
		if read, err = src.readLists(ctx, days); err != nil {
			return nil, err
		}
	}
	missing := slices.DeleteFunc(slices.Clone(days), func(day model.Date) bool { return len(read[day]) > 0 })
	if len(missing) == 0 {
		return read, nil
	}
	more, err := src.readMarketRows(ctx, missing)
	maps.Copy(read, more)
	return read, err
}

// readLists reads the rows of some days without their equity, from the lists that are stored of each day.
func (src *Source) readLists(ctx context.Context, days []model.Date) (map[model.Date][]standingRow, error) {
	type row struct {
		Day     time.Time `ch:"day"`
		Build   uint64    `ch:"build"`
		Columns string    `ch:"columns"`
	}
	built, err := src.builds(ctx)
	if err != nil {
		return nil, err
	}
	found, err := rows[row](ctx, src, "backtest_candidates", sql.Arg("days", texts(days)))
	if err != nil {
		return nil, err
	}
	read := make(map[model.Date][]standingRow, len(days))
	for _, f := range found {
		day := model.DateOf(f.Day)
		if f.Build != built.days[day].market {
			continue
		}
		err := readColumns("backtest_candidates", f.Columns, func(columns *rowbinary.Reader) {
			read[day] = takeLists(day, columns)
		})
		if err != nil {
			return nil, err
		}
	}
	return read, nil
}

// takeLists reads the lists of the series that stand on a day.
func takeLists(day model.Date, columns *rowbinary.Reader) []standingRow {
	ids := columns.Uint32s()
	rows := make([]standingRow, len(ids))
	for i, id := range ids {
		if i > 0 && id <= ids[i-1] {
			columns.Fail(fmt.Errorf("series %d of %s follows %d, but ids ascend", id, day, ids[i-1]))
			return nil
		}
		rows[i] = standingRow{series: id, date: day, quoted: true, currency: backtest.Pesos, equityCLP: math.NaN()}
	}
	each := func(some []uint32, set func(row *standingRow, i int)) {
		at := 0
		for i, id := range some {
			for at < len(rows) && rows[at].series < id {
				at++
			}
			if at == len(rows) || rows[at].series != id {
				columns.Fail(fmt.Errorf("series %d is not among those of %s", id, day))
				return
			}
			set(&rows[at], i)
		}
	}
	each(columns.Uint32s(), func(row *standingRow, _ int) { row.quoted = false })
	each(columns.Uint32s(), func(row *standingRow, _ int) { row.currency = backtest.Dollars })
	each(columns.Uint32s(), func(row *standingRow, _ int) { row.currency = backtest.OtherCurrency })
	earlier := columns.Uint32s()
	dates := make([]model.Date, len(earlier))
	columns.Column(len(dates), func(i int) { dates[i] = columns.Date() })
	each(earlier, func(row *standingRow, i int) { row.date = dates[i] })
	return rows
}

// readMarketRows reads the rows of some days from the market, always with their equity.
func (src *Source) readMarketRows(ctx context.Context, days []model.Date) (map[model.Date][]standingRow, error) {
	type row struct {
		Day     time.Time `ch:"day"`
		Date    time.Time `ch:"date"` // of the rows
		Build   uint64    `ch:"build"`
		Columns string    `ch:"columns"`
	}
	built, err := src.builds(ctx)
	if err != nil {
		return nil, err
	}
	found, err := rows[row](ctx, src, "backtest_market_rows", sql.Arg("days", texts(days)),
		sql.Arg("before", texts(standingBefore(days))))
	if err != nil {
		return nil, err
	}
	read := make(map[model.Date][]standingRow, len(days))
	for _, f := range found {
		day, date := model.DateOf(f.Day), model.DateOf(f.Date)
		if f.Build != built.days[date].market {
			continue
		}
		err := readColumns("backtest_market_rows", f.Columns, func(columns *rowbinary.Reader) {
			ids := columns.Uint32s()
			list := read[day]
			first := len(list)
			list = append(list, make([]standingRow, len(ids))...)
			some := list[first:]
			for i, id := range ids {
				some[i] = standingRow{series: id, date: date}
			}
			columns.Column(len(ids), func(i int) { some[i].quoted = columns.Bool() })
			columns.Column(len(ids), func(i int) {
				number := columns.Uint8()
				if int(number) >= len(currencies) {
					columns.Fail(fmt.Errorf("unknown number of a currency: %d", number))
					return
				}
				some[i].currency = currencies[number]
			})
			columns.Column(len(ids), func(i int) { some[i].equityCLP = columns.Float64() })
			read[day] = list
		})
		if err != nil {
			return nil, err
		}
	}
	for _, list := range read {
		slices.SortFunc(list, func(a, b standingRow) int { return cmp.Compare(a.series, b.series) })
	}
	return read, nil
}

// standingBefore returns the days whose rows can stand on some later days, ascending.
func standingBefore(days []model.Date) []model.Date {
	var before []model.Date
	for _, day := range days {
		for n := range standsDays {
			before = append(before, day.AddDays(-1-n))
		}
	}
	slices.SortFunc(before, model.Date.Compare)
	return slices.Compact(before)
}

// windowsOfDay is some windows of all series on a day, in the order of series.
type windowsOfDay struct {
	day     model.Date
	series  []uint32
	windows [8]*standingWindow // by series; nil if it was not asked for
}

// readWindows reads some windows of some days, with or without their starts. A day without windows has no series.
func (src *Source) readWindows(ctx context.Context, some backtest.Values, starts bool,
	days []model.Date) ([]windowsOfDay, error) {
	type row struct {
		Day     time.Time `ch:"day"`
		Build   uint64    `ch:"build"`
		Columns string    `ch:"columns"`
	}
	built, err := src.builds(ctx)
	if err != nil {
		return nil, err
	}
	args := []any{sql.Arg("days", texts(days))}
	var asked []int // places in model.Windows
	for window, name := range model.Windows {
		returns, begins := "no_returns", "no_starts"
		if some.Has(backtest.WindowValue(window)) {
			returns = "returns_" + name
			if starts {
				begins = "starts_" + name
			}
			asked = append(asked, window)
		}
		args = append(args, sql.Arg("returns_"+name, returns), sql.Arg("starts_"+name, begins))
	}
	read := make([]windowsOfDay, len(days))
	places := make(map[model.Date]int, len(days))
	for i, day := range days {
		read[i].day, places[day] = day, i
		for _, window := range asked {
			read[i].windows[window] = &standingWindow{}
			if starts {
				// not nil, also for a day without windows: they were asked for
				read[i].windows[window].starts = []model.Date{}
			}
		}
	}
	found, err := rows[row](ctx, src, "backtest_windows", args...)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		day := model.DateOf(f.Day)
		if f.Build != built.days[day].returns {
			continue
		}
		if err := readColumns("backtest_windows", f.Columns, read[places[day]].take); err != nil {
			return nil, err
		}
	}
	return read, nil
}

// take reads the series and the windows that were asked for.
func (of *windowsOfDay) take(columns *rowbinary.Reader) {
	of.series = columns.Uint32s()
	n := len(of.series)
	for _, window := range of.windows {
		if window == nil {
			columns.Column(0, nil)
			continue
		}
		if window.returns = columns.Floats(); len(window.returns) != n {
			columns.Fail(fmt.Errorf("%d returns of %d series", len(window.returns), n))
			return
		}
	}
	for _, window := range of.windows {
		if window == nil || window.starts == nil {
			columns.Column(0, nil)
			continue
		}
		window.starts = make([]model.Date, n)
		columns.Column(n, func(i int) { window.starts[i] = columns.Date() })
	}
}

// join adds the windows to the rows of their day. Series that do not stand on the day are left out.
func (of *windowsOfDay) join(day *dayOfRows) {
	places := make([]int, len(day.rows)) // of the rows, from 1; 0 for a row without windows
	row := 0
	for i, id := range of.series {
		if i > 0 && id < of.series[i-1] { // the few blocks of rows that the statement returns are each in order
			row, _ = slices.BinarySearchFunc(day.rows, id, func(row standingRow, id uint32) int {
				return cmp.Compare(row.series, id)
			})
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
		joined := &standingWindow{returns: make([]float64, len(day.rows))}
		if read.starts != nil {
			joined.starts = make([]model.Date, len(day.rows))
		}
		for row, place := range places {
			if joined.returns[row] = math.NaN(); place > 0 {
				joined.returns[row] = read.returns[place-1]
				if read.starts != nil {
					joined.starts[row] = read.starts[place-1]
				}
			}
		}
		day.windows[window] = joined
	}
}

// readColumns reads the columns of a row of a statement.
func readColumns(statement, text string, take func(columns *rowbinary.Reader)) error {
	columns := rowbinary.NewReader(text)
	if take(columns); columns.More() {
		columns.Fail(errors.New("more columns than are read"))
	}
	if columns.Err() != nil {
		return &sql.ReadError{Statement: statement, Err: columns.Err()}
	}
	return nil
}
