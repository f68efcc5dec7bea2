package backtesttest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"cuota/internal/testkit/oracle"
	"cuota/internal/testkit/oracle/backtestoracle"
)

// Market is what files stated, with what strategies are drawn from.
type Market struct {
	backtestoracle.Market
	First, Last time.Time
	Rows        map[oracle.Series][]oracle.Row // as stated last, under the newest name, by day
	Families    []string
}

// life is what happens to an invented series.
type life struct {
	series        oracle.Series
	from, until   time.Time
	formerly      string
	renamed       time.Time
	moneda        string
	switchOn      time.Time // the currency changes
	gapFrom       time.Time
	gapDays       int
	emptyFrom     time.Time // no equity for ten days
	payoutEvery   int
	payout        float64
	adjustOn      time.Time
	adjustQuota   float64 // by which the quota is divided on that day; the factor is 10
	drift, spread float64
	lateUntil     time.Time // rows up to this day were loaded years later
	neverLate     bool
}

// Invent returns a small market with everything that happens to series: they begin and close, are
// renamed and exchanged, have gaps, restarts, distributions, adjustments and void rows, and their
// rows are stated late, wrong and again.
func Invent(seed uint64) *Market {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &Market{Rows: map[oracle.Series][]oracle.Row{},
		Families: []string{"Accionario nacional", "Deuda < 90 dias", "Ñandú"}}
	m.Funds, m.Managers, m.ManagerIDs = map[int]string{}, map[int]string{}, map[int]int{}
	m.Dollar, m.UF, m.Ended = map[time.Time]float64{}, map[time.Time]float64{}, map[int]time.Time{}
	m.First = oracle.Date(2020, time.Month(1+rng.IntN(12)), 1+rng.IntN(28))
	length := 200 + rng.IntN(500)
	if rng.IntN(4) == 0 {
		length = 1250 // the figures of 36 months
	}
	m.Last = m.First.AddDate(0, 0, length)
	m.rates(rng)
	var lives []*life
	for fund := range 4 + rng.IntN(4) {
		run := 1000 + fund
		m.Funds[run] = fmt.Sprintf("FONDO %s %d", []string{"ÁGUILA", "Cóndor", "PUMA"}[rng.IntN(3)], fund)
		manager := rng.IntN(4) // the last two have one name
		m.Managers[run], m.ManagerIDs[run] = []string{"ALFA AGF", "BETA Ñuñoa", "GAMA", "GAMA"}[manager], 90+manager
		for n := range 1 + rng.IntN(3) {
			lives = append(lives, m.live(rng, run, string(rune('A'+n)), length))
		}
		if rng.IntN(12) == 0 {
			m.Ended[run] = m.First.AddDate(0, 0, length/2+rng.IntN(length/2))
		}
	}
	silent := map[time.Time]bool{} // days on which nothing is quoted
	for range rng.IntN(4) {
		from := rng.IntN(length - 20)
		for d := range 1 + rng.IntN(4) {
			silent[m.First.AddDate(0, 0, from+d)] = true
		}
	}
	for _, l := range lives {
		m.state(rng, l, silent)
	}
	m.exchange(rng, lives)
	m.compare(rng, lives)
	return m
}

// live draws what happens to a series.
func (m *Market) live(rng *rand.Rand, run int, serie string, length int) *life {
	at := func(from, to int) time.Time { return m.First.AddDate(0, 0, from+rng.IntN(max(1, to-from))) }
	l := &life{series: oracle.Series{Run: run, Name: serie}, from: m.First, until: m.Last.AddDate(0, 0, 1),
		moneda: "$$",
		drift:  .0004 * rng.NormFloat64(), spread: .02 * rng.Float64(), neverLate: rng.IntN(3) == 0}
	if rng.IntN(4) == 0 {
		l.moneda = "PROM"
	}
	if rng.IntN(4) == 0 {
		l.from = at(1, length/2)
	}
	if rng.IntN(3) == 0 {
		l.until = at(length/3, length-3)
	}
	switch rng.IntN(9) {
	case 0:
		l.formerly, l.renamed = "EX-"+serie, at(30, length-30)
	case 1:
		l.gapFrom, l.gapDays = at(20, length-60), []int{1, 3, 7, 8, 9, 20, 31, 40}[rng.IntN(8)]
	case 2:
		l.emptyFrom = at(20, length-30)
	case 3, 4:
		l.payoutEvery, l.payout = 20+rng.IntN(60), 1+.05*rng.Float64()
		if rng.IntN(4) == 0 {
			l.payout = []float64{1.5, 1.51, .99}[rng.IntN(3)]
		}
	case 5:
		l.adjustOn, l.adjustQuota = at(20, length-30), 10
		if rng.IntN(3) == 0 {
			l.adjustQuota = 1
		}
	case 6:
		l.switchOn = at(20, length-30)
	}
	if rng.IntN(5) == 0 {
		l.lateUntil = at(50, length)
	}
	return l
}

// state states the rows of a series.
func (m *Market) state(rng *rand.Rand, l *life, silent map[time.Time]bool) {
	quota, units, index := 1000+500*rng.Float64(), 1e5*(1+rng.Float64()), 0
	if l.moneda == "PROM" {
		quota /= 800
	}
	if l.formerly != "" {
		m.Renames = append(m.Renames, oracle.Rename{Run: l.series.Run, Previous: l.formerly, Current: l.series.Name,
			From: l.renamed})
	}
	for day := l.from; day.Before(l.until); day = day.AddDate(0, 0, 1) {
		row := oracle.Row{Run: l.series.Run, Serie: l.series.Name, Day: day, Moneda: l.moneda,
			Manager: 9000 + l.series.Run%3}
		if !l.switchOn.IsZero() && !day.Before(l.switchOn) {
			row.Moneda = "$$"
			if l.moneda == "$$" {
				row.Moneda = "PROM"
			}
		}
		if rng.IntN(50) > 0 { // else it is constant for a day
			quota *= 1 + l.drift + l.spread*rng.NormFloat64()/4
		}
		index++
		if l.payoutEvery > 0 && index%l.payoutEvery == 0 {
			row.Payout = l.payout
			quota /= l.payout
		} else if rng.IntN(2) == 0 {
			row.Payout, row.Adjust = 1, 1
		}
		if day.Equal(l.adjustOn) {
			row.Adjust = 10
			quota /= l.adjustQuota
		}
		held := units
		if !l.emptyFrom.IsZero() && !day.Before(l.emptyFrom) && day.Before(l.emptyFrom.AddDate(0, 0, 10)) {
			held = 0
		}
		row.Quota, row.Equity = round(quota, 4), round(quota*held, 0)
		row.Outstanding, row.Costs = held, round(quota*held*.00004, 0)
		if silent[day] || l.gapDays > 0 && !day.Before(l.gapFrom) && day.Before(l.gapFrom.AddDate(0, 0, l.gapDays)) {
			continue
		}
		if rng.IntN(150) == 0 {
			row = oracle.Row{Run: row.Run, Serie: row.Serie, Day: day} // void
		}
		m.Rows[l.series] = append(m.Rows[l.series], row)
		if l.formerly != "" && day.Before(l.renamed) {
			row.Serie = l.formerly
		}
		m.publish(rng, l, row)
	}
}

// publish states a row once or several times; the last statement is the row.
func (m *Market) publish(rng *rand.Rand, l *life, row oracle.Row) {
	published := row.Day.Add(time.Duration(15+rng.IntN(20)) * time.Hour)
	switch {
	case !row.Day.After(l.lateUntil):
		published = published.AddDate(0, 0, 63+rng.IntN(900))
	case !l.neverLate && rng.IntN(60) == 0:
		published = published.AddDate(0, 0, rng.IntN(62))
	}
	for !l.neverLate && rng.IntN(30) == 0 {
		wrong := row
		wrong.Quota = round(row.Quota*(1+.1*rng.NormFloat64()), 4)
		m.Statements = append(m.Statements, backtestoracle.Statement{Row: wrong, Published: published})
		published = published.Add(time.Duration(1+rng.IntN(60*24)) * time.Hour)
	}
	m.Statements = append(m.Statements, backtestoracle.Statement{Row: row, Published: published})
}

// exchange turns some of the series that close into others.
func (m *Market) exchange(rng *rand.Rand, lives []*life) {
	for i, l := range lives {
		rows := m.Rows[l.series]
		into := lives[rng.IntN(len(lives))]
		if l.until.After(m.Last) || into == l || rng.IntN(2) == 0 || len(rows) == 0 {
			continue
		}
		valuation := rows[len(rows)-1].Day
		at := slices.IndexFunc(m.Rows[into.series], func(r oracle.Row) bool {
			return r.Day.Equal(valuation) && r.Quota > 0
		})
		if at < 0 {
			continue
		}
		m.Exchanges = append(m.Exchanges, oracle.Exchange{
			Event: strconv.Itoa(i), Revision: 1, Origin: l.series, Destination: into.series,
			Effective: valuation.AddDate(0, 0, 1+rng.IntN(4)*rng.IntN(12)), Valuation: valuation,
			Factor: strconv.FormatFloat(round(.5+rng.Float64(), 6), 'f', -1, 64),
		})
	}
}

// compare states comparators and cost rates.
func (m *Market) compare(rng *rand.Rand, lives []*life) {
	month := oracle.Date(m.First.Year(), m.First.Month()+1, 1).AddDate(0, 0, -1)
	family := map[int]string{}
	for n := 0; month.Before(m.Last); n++ {
		for _, l := range lives {
			if family[l.series.Run] == "" || rng.IntN(40) == 0 {
				family[l.series.Run] = m.Families[rng.IntN(len(m.Families))]
			}
			published := month.AddDate(0, 0, rng.IntN(30)).Add(12 * time.Hour)
			if l.from.After(month) || l.until.Before(month) || rng.IntN(10) == 0 {
				continue
			}
			class := []string{"Retail", "APV", "Alto Patrimonio"}[rng.IntN(3)]
			if n%3 == 0 {
				m.Lines = append(m.Lines, backtestoracle.Line{Run: l.series.Run, Serie: l.series.Name, Day: month,
					Family:   family[l.series.Run],
					Category: []string{"equity", "money_market", ""}[slices.Index(m.Families, family[l.series.Run])],
					Class:    class, Spheres: rng.IntN(6), Published: published})
			}
			if rng.IntN(3) > 0 {
				m.Rates = append(m.Rates, backtestoracle.Rate{Run: l.series.Run, Serie: l.series.Name, Month: month,
					Kind: []string{"synthetic", "stated"}[rng.IntN(2)], Value: round(.04*rng.Float64(), 6),
					Class: class, Published: published})
			}
		}
		month = oracle.Date(month.Year(), month.Month()+2, 1).AddDate(0, 0, -1)
	}
}

// rates draws the dollar, the UF and two benchmarks.
func (m *Market) rates(rng *rand.Rand) {
	ipsa, spx := map[time.Time]float64{}, map[time.Time]float64{}
	dollar, uf, local, abroad := 800.0, 30000.0, 4000.0, 3000.0
	for day := m.First.AddDate(0, 0, -10); !day.After(m.Last.AddDate(0, 0, 20)); day = day.AddDate(0, 0, 1) {
		uf *= 1 + .0003*rng.Float64()
		if rng.IntN(20) > 0 {
			m.UF[day] = round(uf, 2)
		}
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			continue
		}
		dollar, local, abroad = dollar*(1+.008*rng.NormFloat64()), local*(1+.01*rng.NormFloat64()),
			abroad*(1+.01*rng.NormFloat64())
		m.Dollar[day] = round(dollar, 2)
		if rng.IntN(20) > 0 {
			ipsa[day], spx[day] = round(local, 2), round(abroad, 2)
		}
	}
	m.Symbols = map[string]backtestoracle.Symbol{"IPSA": {Currency: "PESOS", Prices: ipsa},
		"SPX": {Currency: "DOLAR", Prices: spx}}
}

func round(x float64, decimals int) float64 {
	power := math.Pow10(decimals)
	return math.Round(x*power) / power
}
