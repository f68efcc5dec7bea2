package synth

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"cuota/model"
)

// The first numbers of invented funds and companies. They can't be real: so far the regulator's
// RUNs have at most five digits, RUTs of people are below 30 million, and those of companies
// begin at 50 million.
const (
	firstRUN           model.RUN = 70_000_001
	firstInvestmentRUN model.RUN = 71_000_001
	firstRUT           model.RUT = 40_000_001
	firstIssuer        model.RUT = 41_000_001
)

// mark is part of the name of every invented manager and fund.
const mark = "SINTETICO"

// trees are the names of the managers.
var trees = []string{
	"ALERCE", "ARAUCARIA", "ARRAYAN", "AVELLANO", "BOLDO", "CANELO", "COIHUE", "ESPINO", "HUALO", "LENGA", "LITRE",
	"LUMA", "MAITEN", "MANIO", "MOLLE", "PEUMO", "QUILLAY", "RAULI", "ROBLE", "TEPA", "TINEO", "ULMO",
}

type manager struct {
	rut         model.RUT
	name, short string
	funds       int
	// pesoUnit is the unit to which the manager rounds costs, in 1/10,000 of a peso.
	pesoUnit int64
}

// fund is a fund with its series and its own random numbers.
type fund struct {
	run         model.RUN
	manager     *manager
	family      *family
	familyIndex int
	name, short string
	moneda      string // $$ or PROM
	drift       float64
	debts       float64 // debts of the fund, as a fraction of its equity
	series      []*series
	rng         *rand.Rand
	habits      habits
	prefix      []byte // the beginning of its cartola rows, up to the date
	ended       int    // day on which the whole fund ends, or -1
	assets      int64  // assets on the current day, in 1/10,000; 0 if no series has a row or a unit
	stated      int64  // what the rows state as its assets
	invested    int64  // what the rows state that it has in other funds
	bill        bill   // what is special about its costs on the current day
	positions   []position
}

func (f *fund) dollars() bool { return f.moneda == "PROM" }

// series is one series: its plan, and its state on the day that was last reached.
type series struct {
	fund    *fund
	serie   string
	class   *class
	rating  float64 // if it is above the class's share, the series is never rated
	story   story
	opening int64   // units at the start, in 1/10,000
	trace   *trace  // history for expected.json; nil if the series is not in the sample
	tac     float64 // TAC as a fraction a year

	exact                 float64 // quota before rounding
	quota, units, equity  int64   // 1/10,000
	contributed, redeemed int64
	cost                  charges    // of the day
	rates                 costRates  // of the day, as fractions
	month                 monthRates // of the current month
	fine                  bool       // its equity is stated with more decimals than that of others
	tiny                  bool       // it has a few hundredths of a unit, and no flows
	commission            int64      // commission on the redemptions of the day, in 1/10,000
	carried               float64    // rounding error of the cost, in cost units
	holders, institutions int64
	adjust                int64        // factor de ajuste of the day; 0 if none
	distribute            int64        // factor de reparto of the day, in 1/1,000,000,000; 0 if none
	distributed           int          // number of distributions so far
	gained                float64      // product of the factors so far
	shown                 bool         // the series has a row on the current day
	marks                 [5]milestone // states on the days of the comparators
}

type market struct {
	config   Config
	days     []day
	climate  *climate
	managers []manager
	funds    []*fund
	series   []*series
	examined []model.Date
	compared [5]int // days of the comparators, see comparedYears; -1 if outside the market

	factors     *file // file for the verified factors while the days are written
	damage      *damage
	corrections []correction
	rows        uint64
	rejected    uint64
	cartola     []CartolaFile
	rejects     []Reject
	registered  int // number of funds in the register
	investment  []*investmentFund
	exchanges   []exchange
	closes      []BenchmarkClose
	articles107 []article107
	portfolios  []Portfolio
}

func newMarket(config Config) *market {
	days := calendar(config.End.AddDays(1-config.Days), config.Days)
	m := &market{
		config: config, days: days, climate: newClimate(stream(config.Seed, climateStream), days),
		examined: examined(days),
	}
	m.compared = m.comparedDays()
	m.damage = newDamage(stream(config.Seed, damageStream), config.Bad)
	rng := stream(config.Seed, planStream)
	m.drawManagers(rng)
	for len(m.series) < config.Series {
		m.drawFund(rng)
	}
	m.drawStories(rng)
	m.drawInvestmentFunds()
	m.drawVehicles()
	m.drawArticles107()
	m.chooseTraces()
	return m
}

func (m *market) drawManagers(rng *rand.Rand) {
	order := rng.Perm(len(trees))
	m.managers = make([]manager, len(fundsOfManager))
	for i := range m.managers {
		short := trees[order[i]] + " " + mark
		m.managers[i] = manager{
			rut: firstRUT + model.RUT(1009*i), pesoUnit: scale,
			name: short + " ADMINISTRADORA GENERAL DE FONDOS S.A.", short: short,
		}
		if rng.IntN(5) == 0 {
			m.managers[i].pesoUnit = 1 // this manager states its costs with decimals
		}
		if i%3 == 1 { // the files have two spaces in the names of such managers
			m.managers[i].name = strings.Replace(m.managers[i].name, " ADMINISTRADORA", "  ADMINISTRADORA", 1)
		}
	}
}

func (m *market) managersInUse() int {
	n := 0
	for i := range m.managers {
		if m.managers[i].funds > 0 {
			n++
		}
	}
	return n
}

// drawFund adds a fund with its series, but no more series than are still wanted.
func (m *market) drawFund(rng *rand.Rand) {
	number := len(m.funds)
	index := pick(rng, len(families), func(i int) int { return families[i].funds })
	f := &fund{
		run: firstRUN + model.RUN(number), manager: &m.managers[pick(rng, len(m.managers), func(i int) int {
			return fundsOfManager[i]
		})],
		familyIndex: index, family: &families[index], moneda: "$$", ended: -1,
		drift: .01 * rng.NormFloat64(), debts: .0005 + .003*rng.Float64(),
		rng: stream(m.config.Seed, fundStream+uint64(number)),
	}
	if rng.Float64() < f.family.dollars {
		f.moneda = "PROM"
	}
	f.manager.funds++
	f.habits = drawHabits(stream(m.config.Seed, habitStream+uint64(number)), f)
	f.positions = positions(stream(m.config.Seed, positionStream+uint64(number)), f.family)
	f.short = fmt.Sprintf("%s %s %d", mark, shortFamily(f.family), number+1)
	f.name = "FONDO MUTUO " + f.short
	f.prefix = fmt.Appendf(nil, "%d;%s;%d;", f.manager.rut, f.manager.name, f.run)
	taken := map[string]bool{}
	wanted := 1 + pick(rng, len(seriesOfFund), func(i int) int { return seriesOfFund[i] })
	for range min(wanted, m.config.Series-len(m.series)) {
		s := m.drawSeries(rng, f, taken)
		f.series = append(f.series, s)
		m.series = append(m.series, s)
	}
	if len(f.series) == 1 {
		f.series[0].serie = model.SoleSerie
	}
	m.funds = append(m.funds, f)
}

func (m *market) drawSeries(rng *rand.Rand, f *fund, taken map[string]bool) *series {
	c := &classes[pick(rng, len(classes), func(i int) int { return classes[i].series })]
	s := &series{
		fund: f, class: c, rating: rng.Float64(), story: story{end: len(m.days), adjustOn: -1, renamedOn: -1},
		gained: 1,
	}
	at := int(math.Abs(rng.NormFloat64()) * 5) // the first names are the most common ones
	for s.serie == "" || taken[s.serie] {
		s.serie = c.names[at%len(c.names)]
		at++
	}
	taken[s.serie] = true
	s.tac = f.family.tac / 100 * c.cost * min(c.most, math.Exp(c.spread*rng.NormFloat64()))
	if c.word == "" && rng.IntN(3) == 0 {
		s.tac = 0
	}
	size := min(max(f.family.size+f.family.spread*rng.NormFloat64(), 13), 27) // half a million to half a billion pesos
	s.exact = openingQuota(rng, f.dollars())
	s.quota = fixed(s.exact)
	s.exact = float64(s.quota) / scale
	pesos := math.Exp(size)
	if f.dollars() {
		pesos /= float64(firstDolar) / 100
	}
	s.opening = fixed(pesos / s.exact)
	s.holders = max(1, int64(math.Pow(10, holderPower*size/math.Ln10+holderOffset)*math.Exp(.8*rng.NormFloat64())))
	s.institutions = min(s.holders, int64(max(0, rng.IntN(12)-8)))
	f.habits.draw(s)
	return s
}

// openingQuota returns about 1,000 with some growth; in dollars also about 1, 10 and 100.
//
//	SELECT currency, quantiles(.05, .25, .5, .75, .95)(price) FROM current_screener GROUP BY currency
//	PESOS 1000 1227 1503 2014 5137, DOLAR 1.05 9.9 120 1054 1438
func openingQuota(rng *rand.Rand, dollars bool) float64 {
	if dollars {
		return math.Pow10(rng.IntN(4)) * (1 + .5*rng.Float64())
	}
	return 1000 * math.Exp(math.Abs(.5*rng.NormFloat64()))
}

// drawStories ends a few whole funds, and gives some of the other series one story each.
func (m *market) drawStories(rng *rand.Rand) {
	anchors := m.anchors()
	if len(m.funds) > 5 && len(m.days) > room+quiet {
		for range max(1, len(m.funds)/50) {
			f := m.funds[rng.IntN(len(m.funds))]
			f.ended = room/2 + rng.IntN(len(m.days)-quiet-room/2)
			emptied := span{m.payday(f.ended-rng.IntN(13), 1), f.ended}
			for _, s := range f.series {
				s.story.kind, s.story.end, s.story.zero = closed, f.ended, emptied
			}
		}
		m.beginFunds(rng)
	}
	order := rng.Perm(len(m.series))
	next := 0
	for k := ordinary + 1; k < kinds; k++ {
		for drawn := range max(1, int(math.Round(shares[k]*float64(len(m.series))))) {
			for next < len(order) && m.series[order[next]].story.kind != ordinary {
				next++
			}
			if next == len(order) {
				return
			}
			s := m.series[order[next]]
			next++
			s.story.kind = k
			s.story.draw(rng, m.days, anchors, drawn == 0)
			if s.story.kind == renamed {
				s.story.previous = "EX-" + s.serie
			}
			if s.story.start > 0 {
				m.open(s, rng)
			}
			if s.story.kind == closed {
				s.story.into = m.successor(s)
				if s.story.into == nil || rng.IntN(2) == 0 {
					s.story.into = nil
					from := m.payday(s.story.end-1-rng.IntN(12), s.story.start+1)
					s.story.zero = span{from, s.story.end}
				}
			}
			if s.story.kind == distributing {
				s.payWith(rng)
			}
			if s.story.empty {
				s.class, s.opening, s.holders, s.institutions = &classes[len(classes)-1], 0, 0, 0
			}
		}
	}
}

// payday returns the last day up to d, but not before least, on which redemptions are paid.
func (m *market) payday(d, least int) int {
	for d > least && !m.days[d].due[0] {
		d--
	}
	return max(d, least)
}

// beginFunds begins a few whole funds after the market's first day. Some of their series begin
// on a later day.
func (m *market) beginFunds(rng *rand.Rand) {
	for range len(m.funds) / 50 {
		f := m.funds[rng.IntN(len(m.funds))]
		if f.ended >= 0 || f.series[0].story.kind != ordinary {
			continue
		}
		began := 2 + rng.IntN(len(m.days)-quiet-room/2)
		for i, s := range f.series {
			s.story.kind, s.story.start = late, began
			if i > 0 {
				s.story.start += rng.IntN(20)
			}
			m.open(s, rng)
		}
	}
}

// payWith lets most of the other series of the fund pay on the days on which the series pays.
// Their factors differ a little, as in the files.
func (s *series) payWith(rng *rand.Rand) {
	for _, other := range s.fund.series {
		if other.story.kind != ordinary || rng.IntN(4) == 0 {
			continue
		}
		other.story.kind = distributing
		for _, paid := range s.story.distributions {
			paid.factor = max(leastFactor, paid.factor-40_000+rng.Int64N(80_000))
			other.story.distributions = append(other.story.distributions, paid)
		}
	}
}

// successor returns the series whose quotas the holders of a closing series get: a series of the
// same fund without a story, or nil. That series may get a story later that leaves it without a
// row on the day of the exchange. Then no exchange is stated.
func (m *market) successor(closing *series) *series {
	for _, s := range closing.fund.series {
		if s != closing && s.story.kind == ordinary {
			return s
		}
	}
	return nil
}

// open makes a series that begins late start at a round quota.
func (m *market) open(s *series, rng *rand.Rand) {
	equity := float64(s.opening) * s.exact
	s.exact = 1000
	if s.fund.dollars() {
		s.exact = math.Pow10(rng.IntN(4))
	}
	s.quota = fixed(s.exact)
	s.opening = int64(math.Round(equity / s.exact))
}

// anchors are the days on which the return windows of the examined dates begin or end.
func (m *market) anchors() []int {
	var list []int
	for _, asOf := range m.examined {
		for _, w := range windows(asOf) {
			for _, date := range []model.Date{w.start, w.end} {
				if d := m.index(date); d >= 0 {
					list = append(list, d)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// index returns the number of a day, or -1 if it is outside the market.
func (m *market) index(date model.Date) int {
	d := between(m.days[0].date, date)
	if d < 0 || d >= len(m.days) {
		return -1
	}
	return d
}

// pick draws an index at random by weight.
func pick(rng *rand.Rand, n int, weight func(int) int) int {
	total := 0
	for i := range n {
		total += weight(i)
	}
	at := rng.IntN(total)
	for i := range n {
		if at -= weight(i); at < 0 {
			return i
		}
	}
	return n - 1
}

// shortFamily returns the family's name as it is used in the names of funds.
func shortFamily(f *family) string {
	if f.display == "Estructurados" {
		return "ESTRUCTURADO"
	}
	return strings.ToUpper(f.rar)
}

// byRUN orders corrections by RUN, date and series.
func byRUN(a, b correction) int {
	return cmp.Or(cmp.Compare(a.run, b.run), a.date.Compare(b.date), cmp.Compare(a.serie, b.serie))
}
