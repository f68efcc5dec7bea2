package backtestoracle

import (
	"cmp"
	"math"
	"slices"
	"time"

	"cuota/internal/testkit/oracle"
)

// Signal is a date on which series are selected (section 1).
type Signal struct {
	Date  time.Time
	Day   time.Time // the day of the market that answers for it
	Order time.Time // what was published by the end of this day is known
}

// Candidate is a series on a signal date. NaN and the empty text mean unknown.
type Candidate struct {
	ID            uint32
	Series        oracle.Series
	FundName      string
	Manager       string
	ManagerID     int
	Category      string
	Family        string
	InvestorClass string
	RatedClass    string
	Currency      string
	Spheres       int
	TAC           float64
	TACKind       string
	EquityCLP     float64
	Returns       map[string]float64 // by window
	Volatility12  float64
	Volatility36  float64
	Drawdown36    float64
	FirstQuote    time.Time
	Alive         bool
	NotKnownThen  bool
	LaterHistory  bool
	Corrected     bool
}

// Answering returns the signals of dates, of which those with the same answering day are one.
func (p *Prepared) Answering(dates []time.Time, entryLag int) (signals []Signal) {
	for _, date := range dates {
		if date.After(p.Cutoff) {
			continue
		}
		day, asked := p.answers[date]
		if !asked {
			if found, ok := p.today.Answering(date, p.dolar()); ok {
				day = found
			}
			p.answers[date] = day
		}
		if day.IsZero() || len(signals) > 0 && signals[len(signals)-1].Day.Equal(day) {
			continue
		}
		signals = append(signals, Signal{date, day, plus(date, entryLag)})
	}
	return signals
}

// asked is what candidates are computed for.
type asked struct {
	Signal
	then, classifiedLater bool
}

// Candidates returns the universe of then on a signal, by ascending id (sections 2 and 3).
func (p *Prepared) Candidates(signal Signal, then, classifiedLater bool) []Candidate {
	key := asked{signal, then, classifiedLater}
	list, computed := p.candidates[key]
	if !computed {
		list = p.computeCandidates(signal, then, classifiedLater)
		p.candidates[key] = list
	}
	return list
}

func (p *Prepared) computeCandidates(signal Signal, then, classifiedLater bool) (list []Candidate) {
	order := time.Time{}
	known := p.today
	if then {
		order = signal.Order
		known = p.market(order, true)
	}
	lines, rates := p.linesBy(order), p.ratesBy(order)
	for _, series := range p.all {
		row, ok := p.today.Standing(series, signal.Day)
		if !ok {
			continue
		}
		c := Candidate{ID: p.ids[series], Series: series, FundName: p.Funds[series.Run],
			Manager: p.Managers[series.Run], ManagerID: p.ManagerIDs[series.Run], Alive: p.alive(series),
			TAC: math.NaN(), EquityCLP: math.NaN(), Returns: map[string]float64{}, Volatility12: math.NaN(),
			Volatility36: math.NaN(), Drawdown36: math.NaN()}
		for day, s := range p.rows[series] {
			if s.Quota > 0 && (c.FirstQuote.IsZero() || day.Before(c.FirstQuote)) {
				c.FirstQuote = day
			}
		}
		now := row
		if then {
			stated, laterHistory, there := p.said[series][row.Day].by(order)
			if c.LaterHistory = laterHistory; there {
				row = stated.Row
			} else {
				c.NotKnownThen = true
			}
			c.Corrected = row.Quota != now.Quota
		}
		if row.Quota == 0 { // void
			continue
		}
		c.Currency = currencyOf(row)
		switch {
		case c.Currency == "PESOS":
			c.EquityCLP = row.Equity
		case c.Currency == "DOLAR" && p.dollarOn(signal.Day) > 0:
			c.EquityCLP = row.Equity * p.dollarOn(signal.Day)
		}
		for _, w := range oracle.Windows {
			c.Returns[w] = math.NaN()
			is, was := p.today.Period(series.Run, series.Name, signal.Day, w),
				known.Period(series.Run, series.Name, signal.Day, w)
			// A window that begins or ends with a quote that was not known yet has no value.
			if was.Value != nil && was.EffectiveStart == is.EffectiveStart && was.EffectiveEnd == is.EffectiveEnd {
				c.Returns[w] = *was.Value
			}
		}
		p.classify(&c, signal, lines, classifiedLater)
		p.cost(&c, signal, rates, order)
		p.risk(&c, signal.Day, order)
		list = append(list, c)
	}
	return list
}

// alive reports whether a series is alive at the cutoff (RULES 7).
func (p *Prepared) alive(series oracle.Series) bool {
	if end, ended := p.Ended[series.Run]; ended && !end.After(p.Cutoff) {
		return false
	}
	_, ok := p.today.Standing(series, p.Cutoff)
	return ok
}

// classify sets what the comparators say: the family and category are those of the newest line of
// the series up to the answering day, the rating and its group those of the newest comparator. If
// classifiedLater is true, a series without such a line has the family and category of its first one.
func (p *Prepared) classify(c *Candidate, signal Signal, lines []Line, classifiedLater bool) {
	newest, stated := time.Time{}, false
	for _, l := range lines {
		if !l.Day.After(signal.Date) {
			newest = l.Day // they are ascending
		}
	}
	for _, l := range lines {
		if p.joined(oracle.Series{Run: l.Run, Name: oracle.SerieName(l.Serie)}) != c.Series {
			continue
		}
		if !l.Day.After(signal.Day) || classifiedLater && !stated {
			c.Family, c.Category, stated = l.Family, l.Category, true
		}
		if l.Day.Equal(newest) {
			c.RatedClass, c.Spheres = l.Class, l.Spheres
			c.InvestorClass = l.Class
		}
	}
}

// cost sets the current cost rate (RULES 2): the newest synthetic one if its month is less than a
// year before the newest month with a rate, else the newest real one, stated before computed.
func (p *Prepared) cost(c *Candidate, signal Signal, rates []Rate, order time.Time) {
	var all []Rate
	for _, r := range rates {
		if p.joined(oracle.Series{Run: r.Run, Name: oracle.SerieName(r.Serie)}) == c.Series &&
			!r.Month.After(signal.Date) {
			all = append(all, r)
		}
	}
	months := map[time.Time]bool{}
	for day := range p.rows[c.Series] {
		if end := endOfMonth(day); !end.After(signal.Date) && !end.After(p.Cutoff) {
			months[end] = true
		}
	}
	for end := range months {
		if value, ok := p.computed(c.Series, end); ok {
			all = append(all, Rate{Month: end, Kind: "computed", Value: value})
		}
	}
	newest := time.Time{}
	for _, r := range all {
		if r.Month.After(newest) {
			newest = r.Month
		}
	}
	leads := func(r Rate) bool { return r.Kind == "synthetic" && yearAfter(r.Month).After(newest) }
	slices.SortFunc(all, func(a, b Rate) int {
		place := func(r Rate) int { return slices.Index([]string{"stated", "computed", "synthetic"}, r.Kind) }
		return cmp.Or(-cmp.Compare(number(leads(a)), number(leads(b))), b.Month.Compare(a.Month),
			cmp.Compare(place(a), place(b)))
	})
	if len(all) == 0 {
		return
	}
	first := oracle.Date(all[0].Month.Year(), all[0].Month.Month(), 1)
	if all[0].Kind != "computed" || !p.changedAfter(c.Series, plus(first, -1), all[0].Month, order) {
		c.TAC, c.TACKind = all[0].Value, all[0].Kind
	}
	if c.InvestorClass == "" {
		c.InvestorClass = all[0].Class
	}
}

// computed returns the cost rate of a month from its daily costs.
func (p *Prepared) computed(series oracle.Series, month time.Time) (rate float64, ok bool) {
	key := seriesMonth{series, month}
	if _, known := p.costs[key]; !known {
		p.costs[key] = math.NaN()
		if rate, _, ok := p.today.RealTAC(series.Run, series.Name, month); ok {
			p.costs[key] = rate
		}
	}
	return p.costs[key], !math.IsNaN(p.costs[key])
}

type seriesMonth struct {
	series oracle.Series
	month  time.Time
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// yearAfter returns the same day of the next year, or 28 February for the 29th.
func yearAfter(day time.Time) time.Time {
	if day.Month() == time.February && day.Day() == 29 {
		day = plus(day, -1)
	}
	return day.AddDate(1, 0, 0)
}

// changedAfter reports whether a row of a series from one day to another was not known at the end of
// the order day, or was known with other values. The zero order day means that all are known.
func (p *Prepared) changedAfter(series oracle.Series, from, to, order time.Time) bool {
	if order.IsZero() {
		return false
	}
	for day, list := range p.said[series] {
		if day.Before(from) || day.After(to) {
			continue
		}
		if was, _, there := list.by(order); !there || was.Row != p.rows[series][day].Row {
			return true
		}
	}
	return false
}

// risk sets the newest risk figures up to the answering day. Those with a statement inside their
// period that was not known yet are unknown (section 2).
func (p *Prepared) risk(c *Candidate, on, order time.Time) {
	var first time.Time
	for day := range p.rows[c.Series] {
		if first.IsZero() || day.Before(first) {
			first = day
		}
	}
	end := endOfMonth(on)
	if !end.Equal(on) {
		end = oracle.Date(on.Year(), on.Month(), 1).AddDate(0, 0, -1)
	}
	for ; !end.Before(first); end = oracle.Date(end.Year(), end.Month(), 1).AddDate(0, 0, -1) {
		if p.risks[end] == nil {
			p.risks[end] = p.plain.Risk(end)
		}
		r, there := p.risks[end][c.Series]
		if !there {
			continue
		}
		known := func(months int) bool {
			return !p.changedAfter(c.Series,
				plus(endOfMonth(oracle.Date(end.Year(), end.Month()-time.Month(months), 1)), -7), end, order)
		}
		if r.Annual12 != nil && known(12) {
			c.Volatility12 = *r.Annual12
		}
		if r.Annual36 != nil && known(36) {
			c.Volatility36 = *r.Annual36
		}
		if r.Drawdown36 != nil && known(36) {
			c.Drawdown36 = *r.Drawdown36
		}
		return
	}
}

func endOfMonth(day time.Time) time.Time {
	return oracle.Date(day.Year(), day.Month()+1, 1).AddDate(0, 0, -1)
}
