package synth

import "math"

// costRates are what a series pays on a day, as fractions of its equity; or, as a mean, in a year.
type costRates struct{ fixed, variable, affected, unaffected float64 }

func (r costRates) total() float64 { return r.fixed + r.variable + r.affected + r.unaffected }

// charges are what a series pays on a day, in 1/10,000.
type charges struct{ fixed, variable, affected, unaffected int64 }

// bill is what is special about the costs of a fund on a day.
type bill struct {
	free    bool    // no fee is charged
	lump    float64 // how many times the ordinary expenses are charged in addition
	success float64 // fee on the day's gain, as a fraction
}

// expenses is the share of the ordinary cost that is not a fee.
const expenses = .05

// draw draws the bill of a day on which the fund gained gross.
func (b *bill) draw(h *habits, on day, gross float64) {
	*b = bill{free: h.waives && h.rng.Float64() < waiving}
	if on.working && h.rng.Float64() < lumpy {
		b.lump = 20 + 200*h.rng.Float64()
	}
	if on.working && gross > 0 {
		b.success = h.performance * gross
	}
}

// costs returns the rates of the day. They follow from the TAC of the series and the bill of its
// fund.
func (s *series) costs(on day) costRates {
	of := &s.fund.bill
	if s.tac == 0 {
		return costRates{}
	}
	daily := s.tac / on.yearDays
	r := costRates{
		fixed: (1 - expenses) * daily, variable: of.success,
		affected: (.6 + of.lump) * expenses * daily, unaffected: .4 * expenses * daily,
	}
	if of.free {
		r.fixed = 0
	}
	return r
}

// charge takes the cost of the day from the units of the previous day. The rounding error is
// carried to the next day.
func (s *series) charge() {
	rate := s.rates.total()
	if rate == 0 {
		return
	}
	unit := s.costUnit()
	before := float64(s.units) / scale * float64(s.quota) // 1/10,000
	due := before*rate/(1-rate)/float64(unit) + s.carried
	whole := math.Round(due)
	s.carried = due - whole
	left := max(0, int64(whole))
	take := func(of float64) int64 {
		part := min(left, int64(math.Round(max(0, whole)*of/rate)))
		left -= part
		return part * unit
	}
	s.cost.fixed = take(s.rates.fixed)
	s.cost.variable = take(s.rates.variable)
	s.cost.affected = take(s.rates.affected)
	s.cost.unaffected = left * unit
}

// costUnit returns the unit to which costs are rounded, in 1/10,000.
func (s *series) costUnit() int64 {
	if s.fund.dollars() {
		return min(scale/100, s.fund.manager.pesoUnit)
	}
	return s.fund.manager.pesoUnit
}

// monthRates sums the yearly rates of the days of a month on which the series had units.
type monthRates struct {
	sum  costRates
	days int
}

func (m *monthRates) add(r costRates, yearDays float64) {
	m.sum.fixed += r.fixed * yearDays
	m.sum.variable += r.variable * yearDays
	m.sum.affected += r.affected * yearDays
	m.sum.unaffected += r.unaffected * yearDays
	m.days++
}

func (m *monthRates) mean() costRates {
	n := float64(max(1, m.days))
	return costRates{m.sum.fixed / n, m.sum.variable / n, m.sum.affected / n, m.sum.unaffected / n}
}
