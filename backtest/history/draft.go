package history

import (
	"math"
	"slices"
	"time"

	"cuota/backtest"
	"cuota/model"
)

// draft is a universe that is being made. It is filled value by value, and then changed where something else was known.
type draft struct {
	*backtest.Draft
	from     *walk
	signal   backtest.Signal
	sight    backtest.Sight
	standing *dayOfRows
	rows     []int32      // by candidate: index of its row in standing
	riskOf   []*riskMonth // by candidate, as the batch has it: nil if there is none; no list if it was not asked for
	// by candidate, the cost rate that counts at the signal: nil if there is none; no list if it was not asked for
	rateOf []*costRate
}

// universe makes the universe of a signal from the rows that stand on its day. differing has what was known of a series
// then, where that is not what the batch has.
func (w *walk) universe(standing *dayOfRows, differing map[uint32]knownRow, s backtest.Signal,
	sight backtest.Sight) *backtest.Universe {
	n := len(standing.rows)
	d := &draft{
		Draft: backtest.NewDraft(w.Roster, n),
		from:  w, signal: s, sight: sight, standing: standing, rows: make([]int32, 0, n),
	}
	ids, place := w.IDs(), 0
	for i := range standing.rows {
		row := &standing.rows[i]
		if !d.quoted(row, differing) {
			continue
		}
		for place < len(ids) && ids[place] < row.series {
			place++
		}
		if place < len(ids) && ids[place] == row.series { // else it is quoted only after the cutoff
			d.add(int32(i), int32(place), row)
		}
	}
	d.fill()
	if len(differing) > 0 {
		for i, at := range d.rows {
			if known, changed := differing[standing.rows[at].series]; changed {
				d.apply(int32(i), &known)
			}
		}
	}
	if sight.Then {
		d.forget(w.published.unknownDays(s))
	}
	return d.Universe()
}

// quoted reports whether a row had a quote, as it was known. Otherwise it was void.
func (d *draft) quoted(row *standingRow, differing map[uint32]knownRow) bool {
	if len(differing) > 0 {
		if known, changed := differing[row.series]; changed {
			return known.QuotedThen || row.quoted && !known.RowDiffers
		}
	}
	return row.quoted
}

// add adds the series at a place of the roster, with the row that stands for it.
func (d *draft) add(at, place int32, row *standingRow) {
	i := d.Add(place, row.currency)
	if d.sight.Then {
		if published := d.from.published.on(row.date); !published.later && published.on.Compare(d.signal.Order) > 0 {
			d.MarkUnknownThen(i)
		}
	}
	d.rows = append(d.rows, at)
}

// fill writes the values that are asked for, as the batch has them, with what catalogues had said.
func (d *draft) fill() {
	if d.from.published.anyLater {
		for i, at := range d.rows {
			if d.from.published.on(d.standing.rows[at].date).later {
				d.MarkLater(int32(i), backtest.RowValues)
			}
		}
	}
	for window, read := range d.standing.windows {
		if d.from.values.Has(backtest.WindowValue(window)) {
			d.fillWindow(window, read)
		}
	}
	if d.from.values.Has(backtest.EquityValues) {
		column := make([]float64, len(d.rows))
		for i, at := range d.rows {
			column[i] = d.standing.rows[at].equityCLP
		}
		d.SetColumn(backtest.ByEquity, column)
	}
	if d.from.values.Has(backtest.RiskValues) {
		d.fillRisks()
	}
	if d.from.values.Has(backtest.CostValues) {
		d.fillCosts()
	}
	if d.from.values.Has(backtest.RatingValues) {
		d.fillClasses()
	}
}

func (d *draft) fillWindow(window int, read *standingWindow) {
	column := make([]float64, len(d.rows))
	for i, at := range d.rows {
		column[i] = read.returns[at]
	}
	d.SetColumn(backtest.SortPlace(window), column)
	if !d.from.published.anyLater {
		return
	}
	for i, at := range d.rows { // the starts were read, because some day was loaded later (needStarts)
		if !math.IsNaN(column[i]) && d.from.published.on(read.starts[at]).later {
			d.MarkLater(int32(i), backtest.WindowValue(window))
		}
	}
}

func (d *draft) fillRisks() {
	d.riskOf = make([]*riskMonth, len(d.rows))
	volatility12, volatility36, drawdown36 := make([]float64, len(d.rows)), make([]float64, len(d.rows)),
		make([]float64, len(d.rows))
	for i, place := range d.Places() {
		month := d.from.risk(int(place), d.signal.Day)
		d.riskOf[i] = month
		if month == nil {
			month = &noRisk
		}
		volatility12[i], volatility36[i], drawdown36[i] = month.volatility12, month.volatility36, month.drawdown36
	}
	d.SetColumn(backtest.ByVolatility12, volatility12)
	d.SetColumn(backtest.ByVolatility36, volatility36)
	d.SetColumn(backtest.ByDrawdown36, drawdown36)
}

func (d *draft) fillCosts() {
	d.rateOf = make([]*costRate, len(d.rows))
	kinds, column := make([]uint8, len(d.rows)), make([]float64, len(d.rows))
	for i, place := range d.Places() {
		rate := d.from.cost(int(place), d.signal, d.sight.Then)
		d.rateOf[i], kinds[i], column[i] = rate, backtest.NoTACKind, math.NaN()
		if rate != nil {
			kinds[i], column[i] = rate.kind, rate.rate
		}
	}
	d.SetColumn(backtest.ByTAC, column)
	d.SetTACKinds(kinds)
}

// fillClasses comes after fillCosts: an investor class that no catalogue states is that of the cost rate.
func (d *draft) fillClasses() {
	inForce := d.from.inForce(d.signal, d.sight.Then)
	classes := make([]int32, len(d.rows))
	for i, place := range d.Places() {
		class := ""
		if d.rateOf != nil && d.rateOf[i] != nil {
			class = d.rateOf[i].class
		}
		classes[i] = d.from.classify(int(place), d.signal, d.sight, inForce, class)
	}
	d.SetClasses(classes, d.from.classes)
}

// noRisk is the risk of a series that has none.
var noRisk = riskMonth{volatility12: math.NaN(), volatility36: math.NaN(), drawdown36: math.NaN()}

// apply replaces values of a candidate by those that were known, as far as they are asked for.
func (d *draft) apply(i int32, k *knownRow) {
	if k.NotKnownThen {
		d.MarkUnknownThen(i)
	}
	if k.LaterRow {
		d.MarkLater(i, backtest.RowValues)
	}
	if k.RowDiffers {
		d.Correct(i, backtest.ByEquity, k.EquityCLPThen)
		d.CorrectCurrency(i, backtest.CurrencyOf(k.CurrencyThen))
	}
	for window := range model.Windows {
		if !d.from.values.Has(backtest.WindowValue(window)) {
			continue
		}
		if k.LaterStarts[window] != 0 {
			d.MarkLater(i, backtest.WindowValue(window))
		}
		if k.Touched[window] != 0 {
			d.Correct(i, backtest.SortPlace(window), k.Returns[window])
		}
	}
	days := make([]model.Date, len(k.Changed))
	for n, at := range k.Changed {
		days[n] = model.DateOf(at)
	}
	d.forgetFigures(i, days)
}

// forget makes the values unknown that were computed from the rows of days that were unknown.
func (d *draft) forget(unknown []model.Date) {
	if len(unknown) == 0 {
		return
	}
	for i := range d.rows {
		d.forgetWindows(int32(i), unknown)
		d.forgetFigures(int32(i), unknown)
	}
}

// forgetWindows makes the returns of a candidate unknown whose windows begin or end on days that were unknown.
func (d *draft) forgetWindows(i int32, unknown []model.Date) {
	at := d.signal.Day.AddDays(1).Time()
	monthEnd := model.NewDate(at.Year(), at.Month(), 0) // with which the last closed month ends
	for window, read := range d.standing.windows {
		last := window == len(d.standing.windows)-1
		if d.from.values.Has(backtest.WindowValue(window)) &&
			(slices.Contains(unknown, read.starts[d.rows[i]]) || last && slices.Contains(unknown, monthEnd)) {
			d.Correct(i, backtest.SortPlace(window), math.NaN())
		}
	}
}

// forgetFigures makes the risk and the cost rate of a candidate unknown that were computed from the rows of some
// days.
func (d *draft) forgetFigures(i int32, days []model.Date) {
	var month *riskMonth
	var cost *costRate
	if d.riskOf != nil {
		month = d.riskOf[i]
	}
	if d.rateOf != nil {
		cost = d.rateOf[i]
	}
	for _, day := range days {
		if month != nil && day.Compare(month.month) <= 0 {
			if day.Compare(monthsBefore(month.month, 12).AddDays(-7)) >= 0 {
				d.Correct(i, backtest.ByVolatility12, math.NaN())
			}
			if day.Compare(monthsBefore(month.month, 36).AddDays(-7)) >= 0 {
				d.Correct(i, backtest.ByVolatility36, math.NaN())
				d.Correct(i, backtest.ByDrawdown36, math.NaN())
			}
		}
		// The costs of a day are a part of the equity of the day before.
		if cost != nil && backtest.TACKinds[cost.kind] == "computed" && day.Compare(cost.month) <= 0 &&
			day.Compare(monthsBefore(cost.month, 1)) >= 0 {
			d.ForgetTAC(i)
		}
	}
}

// monthsBefore returns the end of the month n months before a month end.
func monthsBefore(end model.Date, n int) model.Date {
	at := end.Time()
	return model.NewDate(at.Year(), at.Month()+1-time.Month(n), 0)
}
