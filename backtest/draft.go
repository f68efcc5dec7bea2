package backtest

import (
	"math"
	"slices"
	"time"

	"cuota/model"
)

// draft is a universe that is being made. It is filled value by value, and then changed where something else was known.
type draft struct {
	*Universe
	from     *walk
	signal   Signal
	sight    Sight
	standing *dayOfRows
	rows     []int32      // by candidate: index of its row in standing
	riskOf   []*riskMonth // by candidate, as the batch has it: nil if there is none; no list if it was not asked for
	rateOf   []*costRate  // by candidate, the cost rate that counts at the signal: nil if there is none; no list if it was not asked for
}

// universe makes the universe of a signal from the rows that stand on its day. differing has what was known of a series
// then, where that is not what the batch has.
func (w *walk) universe(standing *dayOfRows, differing map[uint32]knownRow, s Signal, sight Sight) *Universe {
	n := len(standing.rows)
	d := &draft{
		Universe: &Universe{roster: w.roster, place: make([]int32, 0, n), traits: make([]trait, 0, n)},
		from:     w, signal: s, sight: sight, standing: standing, rows: make([]int32, 0, n),
	}
	place := 0
	for i := range standing.rows {
		row := &standing.rows[i]
		if !d.quoted(row, differing) {
			continue
		}
		for place < len(w.ids) && w.ids[place] < row.series {
			place++
		}
		if place < len(w.ids) && w.ids[place] == row.series { // else it is quoted only after the cutoff
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
	return d.Universe
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
	of := row.currency
	if d.roster.alive[place] {
		of |= alive
	}
	if d.sight.Then {
		if published := d.from.published.on(row.date); !published.later && published.on.Compare(d.signal.Order) > 0 {
			of |= unknownThen
		}
	}
	d.place, d.rows, d.traits = append(d.place, place), append(d.rows, at), append(d.traits, of)
}

// fill writes the values that are asked for, as the batch has them, with what catalogues had said.
func (d *draft) fill() {
	if d.from.published.anyLater {
		for i, at := range d.rows {
			if d.from.published.on(d.standing.rows[at].date).later {
				d.markLater(int32(i), RowValues)
			}
		}
	}
	for window, read := range d.standing.windows {
		if d.from.values.has(windowValue(window)) {
			d.fillWindow(window, read)
		}
	}
	if d.from.values.has(EquityValues) {
		d.columns[byEquity] = make([]float64, d.size())
		for i, at := range d.rows {
			d.columns[byEquity][i] = d.standing.rows[at].equityCLP
		}
	}
	if d.from.values.has(RiskValues) {
		d.fillRisks()
	}
	if d.from.values.has(CostValues) {
		d.fillCosts()
	}
	if d.from.values.has(RatingValues) {
		d.fillClasses()
	}
}

func (d *draft) fillWindow(window int, read *standingWindow) {
	column := make([]float64, d.size())
	for i, at := range d.rows {
		column[i] = read.returns[at]
	}
	d.columns[window] = column
	if !d.from.published.anyLater {
		return
	}
	for i, at := range d.rows { // the starts were read, because some day was loaded later (needStarts)
		if !math.IsNaN(column[i]) && d.from.published.on(read.starts[at]).later {
			d.markLater(int32(i), windowValue(window))
		}
	}
}

func (d *draft) fillRisks() {
	d.riskOf = make([]*riskMonth, d.size())
	volatility12, volatility36, drawdown36 := make([]float64, d.size()), make([]float64, d.size()), make([]float64, d.size())
	for i, place := range d.place {
		month := d.from.risk(int(place), d.signal.Day)
		d.riskOf[i] = month
		if month == nil {
			month = &noRisk
		}
		volatility12[i], volatility36[i], drawdown36[i] = month.volatility12, month.volatility36, month.drawdown36
	}
	d.columns[byVolatility12], d.columns[byVolatility36], d.columns[byDrawdown36] = volatility12, volatility36, drawdown36
}

func (d *draft) fillCosts() {
	d.rateOf, d.kind = make([]*costRate, d.size()), make([]uint8, d.size())
	column := make([]float64, d.size())
	for i, place := range d.place {
		rate := d.from.cost(int(place), d.signal, d.sight.Then)
		d.rateOf[i], d.kind[i], column[i] = rate, noKind, math.NaN()
		if rate != nil {
			d.kind[i], column[i] = rate.kind, rate.rate
		}
	}
	d.columns[byTAC] = column
}

// fillClasses comes after fillCosts: an investor class that no catalogue states is that of the cost rate.
func (d *draft) fillClasses() {
	inForce := d.from.inForce(d.signal, d.sight.Then)
	d.class = make([]int32, d.size())
	for i, place := range d.place {
		class := ""
		if d.rateOf != nil && d.rateOf[i] != nil {
			class = d.rateOf[i].class
		}
		d.class[i] = d.from.classify(int(place), d.signal, d.sight, inForce, class)
	}
	d.classes = d.from.classes
}

// noRisk is the risk of a series that has none.
var noRisk = riskMonth{volatility12: math.NaN(), volatility36: math.NaN(), drawdown36: math.NaN()}

// markLater says that values of a candidate are from a history that was loaded later.
func (d *draft) markLater(i int32, values Values) { mark(&d.laterHistory, d.size(), i, values) }

// markCorrected says that values of a candidate were corrected later.
func (d *draft) markCorrected(i int32, values Values) { mark(&d.corrected, d.size(), i, values) }

// mark adds values to those of a candidate, in a list that is made when it has the first ones.
func mark(list *[]Values, size int, i int32, values Values) {
	if *list == nil {
		*list = make([]Values, size)
	}
	(*list)[i] |= values
}

// apply gives a candidate the values that were known, of those that are asked for.
func (d *draft) apply(i int32, k *knownRow) {
	if k.NotKnownThen {
		d.traits[i] |= unknownThen
	}
	if k.LaterRow {
		d.markLater(i, RowValues)
	}
	if k.RowDiffers {
		d.correct(i, byEquity, k.EquityCLPThen)
		then, now := traitOf(k.CurrencyThen), d.traits[i]&(inPesos|inDollars)
		if then != now {
			d.markCorrected(i, RowValues)
		}
		d.traits[i] = d.traits[i]&^now | then
	}
	for window := range model.Windows {
		if !d.from.values.has(windowValue(window)) {
			continue
		}
		if k.LaterStarts[window] != 0 {
			d.markLater(i, windowValue(window))
		}
		if k.Touched[window] != 0 {
			d.correct(i, sortPlace(window), k.Returns[window])
		}
	}
	days := make([]model.Date, len(k.Changed))
	for n, at := range k.Changed {
		days[n] = model.DateOf(at)
	}
	d.forgetFigures(i, days)
}

// correct replaces a value and marks it as corrected, if it was asked for and differs.
func (d *draft) correct(i int32, by sortPlace, value float64) {
	if d.columns[by] == nil {
		return
	}
	of := &d.columns[by][i]
	if *of != value && !(math.IsNaN(*of) && math.IsNaN(value)) {
		*of = value
		d.markCorrected(i, by.values())
	}
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
		if d.columns[window] != nil && (slices.Contains(unknown, read.starts[d.rows[i]]) || last && slices.Contains(unknown, monthEnd)) {
			d.correct(i, sortPlace(window), math.NaN())
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
				d.correct(i, byVolatility12, math.NaN())
			}
			if day.Compare(monthsBefore(month.month, 36).AddDays(-7)) >= 0 {
				d.correct(i, byVolatility36, math.NaN())
				d.correct(i, byDrawdown36, math.NaN())
			}
		}
		// The costs of a day are a part of the equity of the day before.
		if cost != nil && tacKinds[cost.kind] == "computed" && day.Compare(cost.month) <= 0 && day.Compare(monthsBefore(cost.month, 1)) >= 0 {
			d.correct(i, byTAC, math.NaN())
			d.kind[i] = noKind
		}
	}
}

// monthsBefore returns the end of the month n months before a month end.
func monthsBefore(end model.Date, n int) model.Date {
	at := end.Time()
	return model.NewDate(at.Year(), at.Month()+1-time.Month(n), 0)
}
