package savings

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"cuota/model"
)

// Figure is a number, or the reason why there is none.
type Figure struct {
	Value  *float64 `json:"value"`
	Reason *string  `json:"reason"`
}

func known(value float64) Figure {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return lacking(NonFinite)
	}
	return Figure{Value: &value}
}

func lacking(reason string) Figure { return Figure{Reason: &reason} }

// figureOf returns a figure, unless there is a reason against it.
func figureOf(value float64, reason string) Figure {
	if reason != "" {
		return lacking(reason)
	}
	return known(value)
}

// Comparison is what the same dated amounts would be in something else.
type Comparison struct {
	EndValue   Figure      `json:"end_value"`  // pesos
	Difference Figure      `json:"difference"` // pesos: the value less the end value
	RanOutOn   *model.Date `json:"ran_out_on"` // first day on which there was not enough of it for a sale
}

// Costs are the costs that the cost rates in force state.
type Costs struct {
	Amount Figure   `json:"amount"` // pesos
	Days   int      `json:"days"`   // on which something was held
	Rated  int      `json:"days_with_tac"`
	Kinds  []string `json:"tac_kinds"`
}

// Figures are what is said of one holding, and of all together. Amounts are in pesos, rates are fractions.
type Figures struct {
	Start            *model.Date `json:"start_date"` // first purchase
	End              *model.Date `json:"end_date"`   // day of the quota of the valuation, or of the last sale
	DaysHeld         int         `json:"days_held"`
	Invested         Figure      `json:"invested"`
	Withdrawn        Figure      `json:"withdrawn"`
	Value            Figure      `json:"value"`
	Gain             Figure      `json:"gain"`
	MoneyWeighted    Figure      `json:"money_weighted"`
	RealMoney        Figure      `json:"money_weighted_real_uf"`
	TimeWeighted     Figure      `json:"time_weighted"`
	TimeWeightedYear Figure      `json:"time_weighted_ann"`
	RealTime         Figure      `json:"time_weighted_real_uf"`
	RealTimeYear     Figure      `json:"time_weighted_real_uf_ann"`
	Costs            Costs       `json:"stated_costs"`
	UF               Comparison  `json:"uf"`
	Family           Comparison  `json:"family"`
	Cheapest         Comparison  `json:"cheapest"`
}

// Holding is one series of the portfolio.
type Holding struct {
	Of    *Series
	Units float64
	Quota float64 // by which it is valued, in the currency of the series; 0 if nothing is held
	// InCurrency is the value in the currency of the series.
	InCurrency       Figure
	Closed           *model.Date // day of the last quota, if the series has closed
	DistributionDays int         // days with a distribution while something was held
	Figures
}

// Result is what became of a portfolio.
type Result struct {
	Executions []Execution
	Holdings   []Holding // in the order of their first movements
	Total      Figures
}

// ledger is what happened in one series.
type ledger struct {
	of     *Series
	events []*Execution // by day, as they were executed
	// quoteDay is the day of the quota of the valuation if something is held, else of the last sale. lookupDay is the
	// day on which that quota is looked up: it may stand for days after its own.
	quoteDay, lookupDay int
	units               float64 // held at the end
	reason              string  // why there is no value: of the valuation, of a break, or of a rate
	broken              string  // why quotas before and after a day within the holding do not compare; the reason too
	ufReason            string  // why there is no UF on one of the days
}

// Compute returns what became of the portfolio.
func (p *Portfolio) Compute() Result {
	out := Result{Executions: p.Execute()}
	ledgers := p.ledgers(out.Executions)
	for _, l := range ledgers {
		out.Holdings = append(out.Holdings, p.holding(l))
	}
	out.Total = p.total(ledgers, out.Holdings)
	return out
}

// ledgers sorts the executions by series.
func (p *Portfolio) ledgers(executions []Execution) []*ledger {
	bySeries := map[*Series]*ledger{}
	var list []*ledger
	for i := range executions {
		e := &executions[i]
		if e.Reason != "" {
			continue
		}
		l := bySeries[e.Of]
		if l == nil {
			l = &ledger{of: e.Of}
			bySeries[e.Of] = l
			list = append(list, l)
		}
		l.events = append(l.events, e)
	}
	for _, l := range list {
		slices.SortStableFunc(l.events, func(a, b *Execution) int {
			return cmp.Or(cmp.Compare(a.Day, b.Day), -cmp.Compare(a.signed(), b.signed()), a.Date.Compare(b.Date))
		})
		p.close(l)
	}
	return list
}

// close finds what is held at the end, its valuation, and why there is none.
func (p *Portfolio) close(l *ledger) {
	bought := 0.
	for _, e := range l.events {
		if e.Kind == Buy {
			bought += e.Units
		}
		l.units += e.signed() * e.Units
		l.reason = cmp.Or(l.reason, e.RateGap)
		if e.UF == 0 {
			l.ufReason = MissingUF
		}
	}
	if l.units <= dust*bought {
		l.units = 0
	}
	l.quoteDay = l.events[len(l.events)-1].Day
	l.lookupDay = l.quoteDay
	end := p.AsOf.DaysSince(p.From)
	if l.units > 0 {
		l.lookupDay = end
		valued := cmp.Or(l.of.Reasons[end], l.of.RateReasons[end])
		if l.of.Ages[end] >= 0 {
			l.quoteDay = end - l.of.Ages[end]
		}
		l.reason = cmp.Or(valued, l.reason)
		if l.of.UFs[end] == 0 {
			l.ufReason = MissingUF
		}
	}
	for _, b := range l.of.Breaks {
		if b.Day <= end && l.before(b.Day) > 0 {
			l.reason, l.broken = b.Reason, b.Reason
			break
		}
	}
}

// before is what is held before a day begins.
func (l *ledger) before(day int) float64 { return l.heldAt(day - 1) }

// heldAt is what is held when a day has ended.
func (l *ledger) heldAt(day int) (units float64) {
	bought := 0.
	for _, e := range l.events {
		if e.Day > day {
			break
		}
		if e.Kind == Buy {
			bought += e.Units
		}
		units += e.signed() * e.Units
	}
	if units <= dust*bought {
		return 0
	}
	return units
}

// flows are the amounts in pesos, or in UF, with the value at the end.
func (l *ledger) flows(inUF bool) []flow {
	var list []flow
	add := func(day int, pesos, uf float64) {
		if inUF {
			pesos /= uf
		}
		list = append(list, flow{day, pesos})
	}
	for _, e := range l.events {
		add(e.Day, -e.signed()*e.Pesos, e.UF)
	}
	if l.units > 0 {
		add(l.quoteDay, l.units*l.of.Pesos[l.lookupDay], l.of.UFs[l.lookupDay])
	}
	return list
}

func (p *Portfolio) holding(l *ledger) Holding {
	h := Holding{Of: l.of, Units: l.units}
	h.Figures = p.figures([]*ledger{l})
	if l.units > 0 {
		h.Quota = l.of.Quotas[l.lookupDay]
		h.Closed = l.of.Closed
	}
	// In its own currency a value needs no rate.
	switch end := p.AsOf.DaysSince(p.From); {
	case l.units == 0:
		h.InCurrency = known(0)
	case l.of.Reasons[end] != "":
		h.InCurrency = lacking(l.of.Reasons[end])
	case l.broken != "":
		h.InCurrency = lacking(l.broken)
	default:
		h.InCurrency = known(l.units * h.Quota)
	}
	for _, day := range l.of.DistributionDays {
		if l.before(day) > 0 {
			h.DistributionDays++
		}
	}
	h.Costs = costsOf(l)
	h.UF = p.inUF(l)
	h.Family = p.compared(l, l.of.Family, l.of.NoFamily)
	h.Cheapest = p.compared(l, l.of.Cheapest, l.of.NoCheapest)
	return h
}

// figures are the amounts and returns of some holdings together.
func (p *Portfolio) figures(list []*ledger) (f Figures) {
	if len(list) == 0 {
		none := lacking(NothingBought)
		return Figures{Invested: known(0), Withdrawn: known(0), Value: none, Gain: none, MoneyWeighted: none,
			RealMoney: none, TimeWeighted: none, TimeWeightedYear: none, RealTime: none, RealTimeYear: none}
	}
	first, last := list[0].events[0].Day, list[0].quoteDay
	var invested, withdrawn, value float64
	var reason, ufReason, rateReason string
	for _, l := range list {
		first, last = min(first, l.events[0].Day), max(last, l.quoteDay)
		for _, e := range l.events {
			rateReason = cmp.Or(rateReason, e.RateGap)
			if e.Kind == Buy {
				invested += e.Pesos
			} else {
				withdrawn += e.Pesos
			}
		}
		reason, ufReason = cmp.Or(reason, l.reason), cmp.Or(ufReason, l.ufReason)
		if l.units > 0 {
			value += l.units * l.of.Pesos[l.lookupDay]
		}
	}
	f.Start, f.End = new(p.day(first)), new(p.day(last))
	f.Invested, f.Withdrawn = figureOf(invested, rateReason), figureOf(withdrawn, rateReason)
	f.Value, f.Gain = figureOf(value, reason), figureOf(value+withdrawn-invested, reason)
	money := func(inUF bool, reason string) Figure {
		if reason != "" {
			return lacking(reason)
		}
		var flows []flow
		for _, l := range list {
			flows = append(flows, l.flows(inUF)...)
		}
		return figureOf(moneyWeighted(flows))
	}
	f.MoneyWeighted, f.RealMoney = money(false, reason), money(true, cmp.Or(reason, ufReason))
	chained := chain(list, last)
	f.DaysHeld = chained.days
	f.TimeWeighted = figureOf(chained.growth-1, cmp.Or(reason, chained.reason))
	f.RealTime = figureOf(chained.real-1, cmp.Or(reason, chained.reason, ufReason))
	short := ""
	if chained.days <= 365 {
		short = UnderOneYear
	}
	f.TimeWeightedYear = figureOf(annual(chained.growth, chained.days), cmp.Or(reason, chained.reason, short))
	f.RealTimeYear = figureOf(annual(chained.real, chained.days), cmp.Or(reason, chained.reason, ufReason, short))
	return f
}

// chained is the product of the growth between flows.
type chained struct {
	growth, real float64
	days         int    // on which something was held
	reason       string // why a value between flows is not known
}

// chain multiplies the growth between the days with flows. What was held before a flow is valued at the quotas of its
// day, as the daily growth would be. A holding ends on the day of its last quota, with what it was worth then.
func chain(list []*ledger, last int) chained {
	ufs := map[int]float64{}
	for _, l := range list {
		for _, e := range l.events {
			ufs[e.Day] = e.UF
		}
		ufs[l.quoteDay] = l.of.UFs[l.lookupDay]
	}
	days := slices.Sorted(maps.Keys(ufs))
	out := chained{growth: 1, real: 1}
	for i := 1; i < len(days); i++ {
		from, to := days[i-1], days[i]
		var before, after float64
		for _, l := range list {
			// A closed series is worth its last quota; after that day it has no part in the growth.
			units := l.heldAt(from)
			if units == 0 || from >= l.quoteDay && l.quoteDay < last && l.of.Closed != nil {
				continue
			}
			out.reason = cmp.Or(out.reason, l.of.Reasons[from], l.of.RateReasons[from], l.of.Reasons[to],
				l.of.RateReasons[to])
			before += units * l.of.Pesos[from]
			after += units * l.of.Pesos[to]
		}
		if before == 0 {
			continue
		}
		out.growth *= after / before
		out.real *= after / before * ufs[from] / ufs[to]
		out.days += to - from
	}
	return out
}

// costsOf adds up, for each day on which something was held, its value times the cost rate in force / 365.
func costsOf(l *ledger) Costs {
	out, sum := Costs{Kinds: []string{}}, 0.
	units := 0.
	next := 0
	for day := l.events[0].Day; day < l.quoteDay; day++ {
		for next < len(l.events) && l.events[next].Day <= day {
			next++
			units = l.heldAt(day)
		}
		if units == 0 {
			continue
		}
		out.Days++
		rate, kind := l.of.Cost(day)
		if kind == "" || l.of.Reasons[day] != "" || l.of.RateReasons[day] != "" {
			continue
		}
		out.Rated++
		sum += units * l.of.Pesos[day] * rate / 365
		if !slices.Contains(out.Kinds, kind) {
			out.Kinds = append(out.Kinds, kind)
		}
	}
	slices.Sort(out.Kinds)
	out.Amount = known(sum)
	if out.Rated == 0 && out.Days > 0 {
		out.Amount = lacking(NoCost)
	}
	if l.reason != "" {
		out.Amount = lacking(l.reason)
	}
	return out
}

// inUF puts the amounts in pesos into UF.
func (p *Portfolio) inUF(l *ledger) Comparison {
	if reason := cmp.Or(l.reason, l.ufReason); reason != "" {
		return lackingComparison(reason)
	}
	var c Comparison
	units, bought := 0., 0.
	for _, e := range l.events {
		units += e.signed() * e.Pesos / e.UF
		if e.Kind == Buy {
			bought += e.Pesos / e.UF
		}
		c.ranOut(p, units, bought, e)
	}
	uf := l.of.UFs[l.lookupDay]
	if l.leaves(units, bought) {
		if uf = l.of.End.UF; uf == 0 {
			return lackingComparison(MissingUF)
		}
	}
	c.ends(units*uf, l)
	return c
}

// leaves reports whether the holding was sold out, and its comparison was not. The rest, or the debt, is then valued
// on the last day, as other holdings are.
func (l *ledger) leaves(units, bought float64) bool {
	return l.units == 0 && math.Abs(units) > dust*bought
}

func lackingComparison(reason string) Comparison {
	return Comparison{EndValue: lacking(reason), Difference: lacking(reason)}
}

// compared puts the amounts into something that has a value on each day, in the currency of the executions. It has no
// value if they are in several currencies.
func (p *Portfolio) compared(l *ledger, into *History, none string) Comparison {
	if into == nil {
		return lackingComparison(cmp.Or(none, l.reason))
	}
	reason := cmp.Or(l.reason, p.endOf(into, l, l.quoteDay))
	inDollars := l.of.Dollars[l.events[0].Day]
	for _, e := range l.events {
		reason = cmp.Or(reason, into.Reasons[e.Day])
		if l.of.Dollars[e.Day] != inDollars {
			reason = cmp.Or(reason, CurrencyChange)
		}
	}
	if reason != "" {
		return lackingComparison(reason)
	}
	var c Comparison
	units, bought := 0., 0.
	for _, e := range l.events {
		units += e.signed() * e.InCurrency / into.Quotas[e.Day]
		if e.Kind == Buy {
			bought += e.InCurrency / into.Quotas[e.Day]
		}
		c.ranOut(p, units, bought, e)
	}
	if !l.leaves(units, bought) {
		c.ends(units*into.Quotas[l.quoteDay]*l.of.Pesos[l.lookupDay]/l.of.Quotas[l.lookupDay], l)
		return c
	}
	end := p.AsOf.DaysSince(p.From)
	// The series itself may have no row on the last day, or one in another currency.
	unit, noUnit := 1., ""
	if inDollars {
		unit, noUnit = l.of.End.Dolar, l.of.End.Reason
	}
	if reason := cmp.Or(p.endOf(into, l, end), noUnit); reason != "" {
		return lackingComparison(reason)
	}
	c.ends(units*into.Quotas[end]*unit, l)
	return c
}

// endOf says why there is no comparison of a holding up to a day; "" if there is one.
func (p *Portfolio) endOf(into *History, l *ledger, day int) (reason string) {
	if into.Closed != nil && into.Closed.Compare(p.day(day)) < 0 {
		return CheapestClosed
	}
	reason = into.Reasons[day]
	for _, b := range into.Breaks {
		if b.Day > l.events[0].Day && b.Day <= day {
			reason = cmp.Or(reason, b.Reason)
		}
	}
	return reason
}

// ranOut notes the first day on which a sale took more than there was. units is what it left of all that was bought,
// both counted in what the amounts are put into.
func (c *Comparison) ranOut(p *Portfolio, units, bought float64, e *Execution) {
	if c.RanOutOn == nil && e.Kind == Sell && units < -dust*bought {
		c.RanOutOn = new(p.day(e.Day))
	}
}

func (c *Comparison) ends(value float64, l *ledger) {
	c.EndValue = known(value)
	own := 0.
	if l.units > 0 {
		own = l.units * l.of.Pesos[l.lookupDay]
	}
	c.Difference = known(own - value)
}

// total is what is said of all holdings together.
func (p *Portfolio) total(ledgers []*ledger, holdings []Holding) Figures {
	f := p.figures(ledgers)
	if len(holdings) == 0 {
		none := lackingComparison(NothingBought)
		f.UF, f.Family, f.Cheapest = none, none, none
		f.Costs = Costs{Amount: lacking(NothingBought), Kinds: []string{}}
		return f
	}
	sum := func(of func(*Holding) Figure) Figure {
		total := 0.
		for i := range holdings {
			part := of(&holdings[i])
			if part.Value == nil {
				return part
			}
			total += *part.Value
		}
		return known(total)
	}
	both := func(of func(*Holding) *Comparison) Comparison {
		c := Comparison{
			EndValue:   sum(func(h *Holding) Figure { return of(h).EndValue }),
			Difference: sum(func(h *Holding) Figure { return of(h).Difference }),
		}
		for i := range holdings {
			if on := of(&holdings[i]).RanOutOn; on != nil && (c.RanOutOn == nil || on.Compare(*c.RanOutOn) < 0) {
				c.RanOutOn = on
			}
		}
		return c
	}
	f.UF = both(func(h *Holding) *Comparison { return &h.UF })
	f.Family = both(func(h *Holding) *Comparison { return &h.Family })
	f.Cheapest = both(func(h *Holding) *Comparison { return &h.Cheapest })
	f.Costs = Costs{Amount: sum(func(h *Holding) Figure { return h.Costs.Amount }), Kinds: []string{}}
	for _, h := range holdings {
		f.Costs.Days += h.Costs.Days
		f.Costs.Rated += h.Costs.Rated
		for _, kind := range h.Costs.Kinds {
			if !slices.Contains(f.Costs.Kinds, kind) {
				f.Costs.Kinds = append(f.Costs.Kinds, kind)
			}
		}
	}
	slices.Sort(f.Costs.Kinds)
	return f
}
