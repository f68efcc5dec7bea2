// Package backtestoracle runs strategies over the history of the market independently of the
// product. Only tests use it.
//
// It implements docs/backtests.md ("section n" in the comments) over [oracle.Market], in another
// way than the product: it walks through every calendar day with all positions, and what was known
// on a day is a second market, built only from the statements that had been published by then. It
// imports no other package of cuota than the oracle. Clear code is preferred to fast code.
package backtestoracle

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"cuota/internal/testkit/oracle"
)

// Statement is a row of the cartola as one file stated it. A void one has the quota 0.
type Statement struct {
	oracle.Row
	Published time.Time
}

// Line is the line of a series in one file of the return comparator.
type Line struct {
	Run       int
	Serie     string
	Day       time.Time // date of the file
	Family    string    // familia_rar
	Category  string
	Class     string // investor class
	Spheres   int    // 0: none
	Published time.Time
}

// Rate is a cost rate that a file states, as a fraction of a year.
type Rate struct {
	Run       int
	Serie     string
	Month     time.Time // its last day
	Kind      string    // synthetic or stated
	Value     float64
	Class     string
	Published time.Time
}

// Symbol is a loaded benchmark.
type Symbol struct {
	Currency string
	Prices   map[time.Time]float64
}

// Market is everything that files stated. The slices are in any order.
type Market struct {
	Statements []Statement
	Lines      []Line
	Rates      []Rate
	Renames    []oracle.Rename
	Exchanges  []oracle.Exchange
	Ended      map[int]time.Time // funds that have ended, by RUN
	Dollar, UF map[time.Time]float64
	Symbols    map[string]Symbol
	Funds      map[int]string               // names of funds by RUN
	Managers   map[int]string               // names of the managers of funds, by RUN of the fund
	ManagerIDs map[int]int                  // RUT of these managers: several may have the same name
	ID         func(s oracle.Series) uint32 // id of a series; nil: as RULES 12 gives it
	Cutoff     time.Time                    // latest complete day; zero: computed
}

// later is the number of days after which a first statement is of a history that was loaded later
// (section 2).
const later = 62

// dayOf returns the day of a publication. Sources state days, which are midnights UTC.
func dayOf(published time.Time) time.Time { return oracle.Date(published.UTC().Date()) }

func days(from, to time.Time) int { return int(to.Sub(from) / (24 * time.Hour)) }

func plus(day time.Time, n int) time.Time { return day.AddDate(0, 0, n) }

// said is what the files stated about a series on a day, in the order of publication.
type said []Statement

// knownFrom returns the day from whose end on a statement counts. first reports whether it is the first
// one about its day (section 2).
func knownFrom(about, published time.Time, first bool) (on time.Time, laterHistory bool) {
	on = dayOf(published)
	if first && days(about, on) > later {
		return about, true
	}
	return on, false
}

// by returns the statement that counts at the end of a day. ok is false if there is none yet. A zero
// day means today.
func (s said) by(order time.Time) (st Statement, laterHistory, ok bool) {
	for i, each := range s {
		from, old := knownFrom(each.Day, each.Published, i == 0)
		if order.IsZero() || !from.After(order) {
			st, ok = each, true
			laterHistory = laterHistory || old
		}
	}
	return st, laterHistory, ok
}

// Prepared is a market with its renamed series joined.
type Prepared struct {
	Market
	said       map[oracle.Series]map[time.Time]said
	today      *oracle.Market
	plain      *oracle.Market // without comparators, for risk
	newest     map[oracle.Series]oracle.Series
	all        []oracle.Series // by id
	ids        map[oracle.Series]uint32
	rows       map[oracle.Series]map[time.Time]Statement // as they are today
	risks      map[time.Time]map[oracle.Series]oracle.Risk
	candidates map[asked][]Candidate
	costs      map[seriesMonth]float64 // NaN: none
	histories  map[oracle.Series]history
	answers    map[time.Time]time.Time // the day that answers for a date; zero: none
}

// Prepare joins renamed series and sorts what was stated.
func (m Market) Prepare() *Prepared {
	p := &Prepared{Market: m, said: map[oracle.Series]map[time.Time]said{}, newest: map[oracle.Series]oracle.Series{},
		ids:  map[oracle.Series]uint32{},
		rows: map[oracle.Series]map[time.Time]Statement{}, risks: map[time.Time]map[oracle.Series]oracle.Risk{},
		candidates: map[asked][]Candidate{}, costs: map[seriesMonth]float64{},
		histories: map[oracle.Series]history{}, answers: map[time.Time]time.Time{}}
	labels := oracle.New()
	for _, s := range m.Statements {
		labels.Add(s.Row)
	}
	next := map[oracle.Series]oracle.Rename{}
	for r, refusal := range labels.Refusals(m.Renames) {
		if refusal == "" {
			next[oracle.Series{Run: r.Run, Name: r.Previous}] = r
		}
	}
	// Of the names of a series, the one that is valid on the day counts, else the newest.
	type name struct {
		series oracle.Series
		behind int
		valid  func(time.Time) bool
	}
	names := map[oracle.Series]name{}
	for _, label := range labels.Series() {
		n := name{series: label}
		began := time.Time{}
		for _, r := range next {
			if r.Run == label.Run && r.Current == label.Name {
				began = r.From
			}
		}
		first, renamed := next[label]
		n.valid = func(day time.Time) bool { return !day.Before(began) && (!renamed || day.Before(first.From)) }
		for r, more := next[n.series]; more; r, more = next[n.series] {
			n.series, n.behind = oracle.Series{Run: r.Run, Name: r.Current}, n.behind+1
		}
		names[label] = n
		p.newest[label] = n.series
	}
	rank := func(label oracle.Series, day time.Time) int {
		if names[label].valid(day) {
			return -1
		}
		return names[label].behind
	}
	best := map[oracle.Series]map[time.Time]int{}
	labelOf := func(s Statement) oracle.Series { return oracle.Series{Run: s.Run, Name: oracle.SerieName(s.Serie)} }
	for _, s := range m.Statements {
		series, at := names[labelOf(s)].series, rank(labelOf(s), s.Day)
		if best[series] == nil {
			best[series] = map[time.Time]int{}
		}
		if held, there := best[series][s.Day]; !there || at < held {
			best[series][s.Day] = at
		}
	}
	for _, s := range m.Statements {
		series := names[labelOf(s)].series
		if rank(labelOf(s), s.Day) != best[series][s.Day] {
			continue
		}
		s.Serie = series.Name
		if p.said[series] == nil {
			p.said[series] = map[time.Time]said{}
		}
		p.said[series][s.Day] = append(p.said[series][s.Day], s)
	}
	for series, byDay := range p.said {
		p.all = append(p.all, series)
		p.rows[series] = map[time.Time]Statement{}
		for day, list := range byDay {
			slices.SortStableFunc(list, func(a, b Statement) int { return a.Published.Compare(b.Published) })
			p.rows[series][day], _, _ = list.by(time.Time{})
		}
		p.ids[series] = oracle.ID(oracle.SeriesKey(series.Run, series.Name))
		if m.ID != nil {
			p.ids[series] = m.ID(series)
		}
	}
	slices.SortFunc(p.all, func(a, b oracle.Series) int { return cmp.Compare(p.ids[a], p.ids[b]) })
	p.today, p.plain = p.market(time.Time{}, true), p.market(time.Time{}, false)
	if p.Cutoff.IsZero() {
		p.Cutoff, _ = p.today.LatestComplete(p.dolar())
	}
	return p
}

// market builds the market from the statements that were known at the end of a day; the zero day
// means all of them.
func (p *Prepared) market(order time.Time, classified bool) *oracle.Market {
	m := oracle.New()
	for _, series := range p.all {
		var list []Statement
		for _, about := range p.said[series] {
			if s, _, ok := about.by(order); ok {
				list = append(list, s)
			}
		}
		slices.SortFunc(list, func(a, b Statement) int { return a.Day.Compare(b.Day) })
		for _, s := range list {
			m.Add(s.Row)
		}
	}
	for run, day := range p.Ended {
		m.Ended(run, day)
	}
	for _, x := range p.Exchanges {
		x.Origin, x.Destination = p.joined(x.Origin), p.joined(x.Destination)
		m.AddExchange(x)
	}
	if classified {
		for _, l := range p.linesBy(order) {
			series := p.joined(oracle.Series{Run: l.Run, Name: oracle.SerieName(l.Serie)})
			m.Classify(oracle.Classification{Run: series.Run, Serie: series.Name, Day: l.Day, Family: l.Family,
				Category: l.Category})
		}
	}
	return m
}

// joined returns the series under its newest name.
func (p *Prepared) joined(label oracle.Series) oracle.Series {
	if series, known := p.newest[label]; known {
		return series
	}
	return label
}

// linesBy returns the lines of the comparators that counted at the end of a day: of each series and
// date the one published last.
func (p *Prepared) linesBy(order time.Time) []Line {
	type about struct {
		run   int
		serie string
		day   time.Time
	}
	stated := map[about][]Line{}
	for _, l := range p.Lines {
		key := about{l.Run, oracle.SerieName(l.Serie), l.Day}
		stated[key] = append(stated[key], l)
	}
	var known []Line
	for _, list := range stated {
		slices.SortStableFunc(list, func(a, b Line) int { return a.Published.Compare(b.Published) })
		at := -1
		for i, l := range list {
			if from, _ := knownFrom(l.Day, l.Published, i == 0); order.IsZero() || !from.After(order) {
				at = i
			}
		}
		if at >= 0 {
			known = append(known, list[at])
		}
	}
	slices.SortFunc(known, func(a, b Line) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Run, b.Run), cmp.Compare(a.Serie, b.Serie))
	})
	return known
}

// ratesBy returns the stated cost rates that counted at the end of a day.
func (p *Prepared) ratesBy(order time.Time) []Rate {
	stated := map[string][]Rate{}
	for _, r := range p.Rates {
		key := strconv.Itoa(r.Run) + ";" + oracle.SerieName(r.Serie) + ";" + r.Kind + r.Month.Format(time.DateOnly)
		stated[key] = append(stated[key], r)
	}
	var known []Rate
	for _, list := range stated {
		slices.SortStableFunc(list, func(a, b Rate) int { return a.Published.Compare(b.Published) })
		at := -1
		for i, r := range list {
			if from, _ := knownFrom(r.Month, r.Published, i == 0); order.IsZero() || !from.After(order) {
				at = i
			}
		}
		if at >= 0 {
			known = append(known, list[at])
		}
	}
	return known
}

func (p *Prepared) dolar() oracle.Dolar {
	all := oracle.Dolar{}
	for day, value := range p.Dollar {
		all[day.Format(time.DateOnly)] = value
	}
	return all
}

// dollarOn returns the pesos for a dollar on a day: those of the day or of the last one of the seven
// days before; 0 if there are none (RULES 1).
func (p *Prepared) dollarOn(day time.Time) float64 {
	for age := range 8 {
		if value, there := p.Dollar[plus(day, -age)]; there {
			return value
		}
	}
	return 0
}

// currencyOf returns the currency of a row, or "" if it is unknown.
func currencyOf(r oracle.Row) string {
	switch r.Moneda {
	case "$$":
		return "PESOS"
	case "PROM":
		return "DOLAR"
	}
	return ""
}

// IDs returns the ids of all series.
func (p *Prepared) IDs() map[oracle.Series]uint32 { return p.ids }

// FamilyIndex returns the points of a family index.
func (p *Prepared) FamilyIndex(family, currency string) []oracle.Point {
	return p.today.FamilyIndex(family, currency)
}

// Rows returns the rows of each series as they are today, by day. A void one has the quota 0.
func (p *Prepared) Rows() map[oracle.Series][]oracle.Row {
	all := map[oracle.Series][]oracle.Row{}
	for series, byDay := range p.rows {
		for _, s := range byDay {
			all[series] = append(all[series], s.Row)
		}
		slices.SortFunc(all[series], func(a, b oracle.Row) int { return a.Day.Compare(b.Day) })
	}
	return all
}

// Until returns the market without all statements about series that did not count yet at the end of
// a day (section 2).
func (m Market) Until(order time.Time) Market {
	type row struct {
		series oracle.Series
		day    time.Time
	}
	first := map[row]time.Time{}
	of := func(s Statement) row { return row{oracle.Series{Run: s.Run, Name: oracle.SerieName(s.Serie)}, s.Day} }
	for _, s := range m.Statements {
		if at, there := first[of(s)]; !there || s.Published.Before(at) {
			first[of(s)] = s.Published
		}
	}
	m.Statements = slices.DeleteFunc(slices.Clone(m.Statements), func(s Statement) bool {
		from, _ := knownFrom(s.Day, s.Published, s.Published.Equal(first[of(s)]))
		return from.After(order)
	})
	m.Lines = slices.DeleteFunc(slices.Clone(m.Lines), func(l Line) bool { return dayOf(l.Published).After(order) })
	m.Rates = slices.DeleteFunc(slices.Clone(m.Rates), func(r Rate) bool { return dayOf(r.Published).After(order) })
	return m
}
