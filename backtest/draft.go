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
	*walk
	signal   Signal
	then     bool
	standing *standingDay
	rows     []int32      // by candidate: index of its row in standing
	months   []*riskMonth // by candidate, as the batch has it: nil if there is none; no list if it was not asked for
	costs    []*costRate  // by candidate, the one that counts at the signal: nil if there is none; no list if it was not asked for
}

// universe makes the universe of a signal from the rows that stand on its day. differing has what was known of a series
// then, where that is not what the batch has.
func (w *walk) universe(standing *standingDay, differing map[uint32]knownRow, s Signal, then bool) *Universe {
	n := len(standing.rows)
	u := &draft{
		Universe: &Universe{roster: w.roster, place: make([]int32, 0, n), traits: make([]trait, 0, n)},
		walk:     w, signal: s, then: then, standing: standing, rows: make([]int32, 0, n),
	}
	type change struct {
		candidate int32
		known     knownRow
	}
	var changes []change
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
		for place < len(w.ids) && w.ids[place] < row.series {
			place++
		}
		if place == len(w.ids) || w.ids[place] != row.series { // quoted only after the cutoff
			continue
		}
		if changed {
			changes = append(changes, change{int32(u.size()), other})
		}
		u.add(int32(i), int32(place), row)
	}
	u.fill()
	for i := range changes {
		u.apply(changes[i].candidate, &changes[i].known)
	}
	if then {
		u.forget(w.published.unknownDays(s))
	}
	return u.Universe
}

// add adds the series at a place of the roster, with the row that stands for it.
func (u *draft) add(at, place int32, row *standingRow) {
	of := row.currency
	if u.alive[place] {
		of |= alive
	}
	if u.then {
		if published := u.published.on(row.date); !published.later && published.on.Compare(u.signal.Order) > 0 {
			of |= unknownThen
		}
	}
	u.place, u.rows, u.traits = append(u.place, place), append(u.rows, at), append(u.traits, of)
}

// fill writes the values that are asked for, as the batch has them, with what catalogues had said.
func (u *draft) fill() {
	if u.published.anyLater {
		for i, at := range u.rows {
			if u.published.on(u.standing.rows[at].date).later {
				u.markLater(int32(i), RowValues)
			}
		}
	}
	for window, read := range u.standing.windows {
		if u.values.has(windowValue(window)) {
			u.fillWindow(window, read)
		}
	}
	if u.values.has(EquityValues) {
		u.columns[byEquity] = make([]float64, u.size())
		for i, at := range u.rows {
			u.columns[byEquity][i] = u.standing.rows[at].equityCLP
		}
	}
	if u.values.has(RiskValues) {
		u.fillRisks()
	}
	if u.values.has(CostValues) {
		u.fillCosts()
	}
	if u.values.has(RatingValues) {
		u.fillClasses()
	}
}

func (u *draft) fillWindow(window int, read *standingWindow) {
	column := make([]float64, u.size())
	for i, at := range u.rows {
		column[i] = read.returns[at]
	}
	u.columns[window] = column
	if !u.published.anyLater {
		return
	}
	for i, at := range u.rows {
		if !math.IsNaN(column[i]) && u.published.on(read.starts[at]).later {
			u.markLater(int32(i), windowValue(window))
		}
	}
}

func (u *draft) fillRisks() {
	u.months = make([]*riskMonth, u.size())
	volatility12, volatility36, drawdown36 := make([]float64, u.size()), make([]float64, u.size()), make([]float64, u.size())
	for i, place := range u.place {
		month := u.risk(int(place), u.signal.Day)
		u.months[i] = month
		if month == nil {
			month = &noRisk
		}
		volatility12[i], volatility36[i], drawdown36[i] = month.volatility12, month.volatility36, month.drawdown36
	}
	u.columns[byVolatility12], u.columns[byVolatility36], u.columns[byDrawdown36] = volatility12, volatility36, drawdown36
}

func (u *draft) fillCosts() {
	u.costs, u.kind = make([]*costRate, u.size()), make([]uint8, u.size())
	column := make([]float64, u.size())
	for i, place := range u.place {
		cost := u.cost(int(place), u.signal, u.then)
		u.costs[i], u.kind[i], column[i] = cost, noKind, math.NaN()
		if cost != nil {
			u.kind[i], column[i] = cost.kind, cost.rate
		}
	}
	u.columns[byTAC] = column
}

// fillClasses comes after fillCosts: an investor class that no catalogue states is that of the cost rate.
func (u *draft) fillClasses() {
	inForce := u.inForce(u.signal, u.then)
	u.class = make([]int32, u.size())
	for i, place := range u.place {
		class := ""
		if u.costs != nil && u.costs[i] != nil {
			class = u.costs[i].class
		}
		u.class[i] = u.classify(int(place), u.standing.rows[u.rows[i]].date, u.signal, u.then, inForce, class)
	}
	u.classes = u.stated
}

// noRisk is the risk of a series that has none.
var noRisk = riskMonth{volatility12: math.NaN(), volatility36: math.NaN(), drawdown36: math.NaN()}

// markLater says that values of a candidate are from a history that was loaded later.
func (u *draft) markLater(i int32, values Values) { mark(&u.laterHistory, u.size(), i, values) }

// markCorrected says that values of a candidate were corrected later.
func (u *draft) markCorrected(i int32, values Values) { mark(&u.corrected, u.size(), i, values) }

// mark adds values to those of a candidate, in a list that is made when it has the first ones.
func mark(list *[]Values, size int, i int32, values Values) {
	if *list == nil {
		*list = make([]Values, size)
	}
	(*list)[i] |= values
}

// apply gives a candidate the values that were known, of those that are asked for.
func (u *draft) apply(i int32, k *knownRow) {
	if k.NotKnownThen {
		u.traits[i] |= unknownThen
	}
	if k.LaterRow {
		u.markLater(i, RowValues)
	}
	if k.RowDiffers {
		u.correct(i, byEquity, k.EquityCLPThen)
		then, now := traitOf(k.CurrencyThen), u.traits[i]&(inPesos|inDollars)
		if then != now {
			u.markCorrected(i, RowValues)
		}
		u.traits[i] = u.traits[i]&^now | then
	}
	for window := range model.Windows {
		if !u.values.has(windowValue(window)) {
			continue
		}
		if k.LaterStarts[window] != 0 {
			u.markLater(i, windowValue(window))
		}
		if k.Touched[window] != 0 {
			u.correct(i, sortPlace(window), k.Returns[window])
		}
	}
	days := make([]model.Date, len(k.Changed))
	for n, at := range k.Changed {
		days[n] = model.DateOf(at)
	}
	u.forgetFigures(i, days)
}

// correct replaces a value and marks it as corrected, if it was asked for and differs.
func (u *draft) correct(i int32, by sortPlace, value float64) {
	if u.columns[by] == nil {
		return
	}
	of := &u.columns[by][i]
	if *of != value && !(math.IsNaN(*of) && math.IsNaN(value)) {
		*of = value
		u.markCorrected(i, by.values())
	}
}

// forget makes the values unknown that were computed from the rows of days that were unknown.
func (u *draft) forget(unknown []model.Date) {
	if len(unknown) == 0 {
		return
	}
	for i := range u.rows {
		u.forgetWindows(int32(i), unknown)
		u.forgetFigures(int32(i), unknown)
	}
}

// forgetWindows makes the returns of a candidate unknown whose windows begin or end on days that were unknown.
func (u *draft) forgetWindows(i int32, unknown []model.Date) {
	at := u.signal.Day.AddDays(1).Time()
	monthEnd := model.NewDate(at.Year(), at.Month(), 0) // with which the last closed month ends
	for window, read := range u.standing.windows {
		last := window == len(u.standing.windows)-1
		if u.columns[window] != nil && (slices.Contains(unknown, read.starts[u.rows[i]]) || last && slices.Contains(unknown, monthEnd)) {
			u.correct(i, sortPlace(window), math.NaN())
		}
	}
}

// forgetFigures makes the risk and the cost rate of a candidate unknown that were computed from the rows of some
// days.
func (u *draft) forgetFigures(i int32, days []model.Date) {
	var month *riskMonth
	var cost *costRate
	if u.months != nil {
		month = u.months[i]
	}
	if u.costs != nil {
		cost = u.costs[i]
	}
	for _, day := range days {
		if month != nil && day.Compare(month.month) <= 0 {
			if day.Compare(monthsBefore(month.month, 12).AddDays(-7)) >= 0 {
				u.correct(i, byVolatility12, math.NaN())
			}
			if day.Compare(monthsBefore(month.month, 36).AddDays(-7)) >= 0 {
				u.correct(i, byVolatility36, math.NaN())
				u.correct(i, byDrawdown36, math.NaN())
			}
		}
		// The costs of a day are a part of the equity of the day before.
		if cost != nil && tacKinds[cost.kind] == "computed" && day.Compare(cost.month) <= 0 && day.Compare(monthsBefore(cost.month, 1)) >= 0 {
			u.correct(i, byTAC, math.NaN())
			u.kind[i] = noKind
		}
	}
}

// monthsBefore gives the end of the month n months before a month end.
func monthsBefore(end model.Date, n int) model.Date {
	at := end.Time()
	return model.NewDate(at.Year(), at.Month()+1-time.Month(n), 0)
}
