// Package oracle computes returns, complete dates, changes, comparability, cost rates, risk,
// the daily market, family indices, managers and ids independently of the product. Only tests
// use it.
//
// The product computes these rules in SQL inside ClickHouse. Comparing that SQL with itself
// would prove nothing. So this package implements the text of the domain rules (RULES 1, 2, 4,
// 5, 7, 8 and 12 in the comments) in another way: plain Go, slices sorted by day, linear scans,
// explicit calendar arithmetic. It imports no other package of cuota, and only tests import it.
// Clear code is preferred to fast code.
//
// A test loads the same cartola files into a [Market] and into the product, makes the same
// corrections in both, and compares the results.
package oracle

import (
	"math"
	"math/big"
	"sort"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Series identifies one series of a fund by the RUN without check digit and by the series name
// as [SerieName] writes it.
type Series struct {
	Run  int
	Name string
}

// Row contains the fields of a cartola line that these rules need.
type Row struct {
	Run    int       // RUN_FM, no check digit
	Serie  string    // SERIE, as published
	Day    time.Time // FECHA_INF; the time of day is ignored
	Moneda string    // MONEDA as published: $$, PROM, EUR, ...
	Quota  float64   // VALOR_CUOTA, in units of Moneda
	Equity float64   // PATRIMONIO_NETO, in units of Moneda
	Adjust float64   // FACTOR DE AJUSTE; 0 means blank, which counts as 1
	Payout float64   // FACTOR DE REPARTO; 0 means blank, which counts as 1

	Outstanding, Redeemed, Contributed float64 // CUOTAS_EN_CIRCULACION, _RESCATADAS, _APORTADAS
	Costs                              float64 // sum of REM_FIJA, REM_VARIABLE, GASTOS_AFECTOS and GASTOS_NO_AFECTOS

	Manager      int // RUN_ADM, no check digit
	Shareholders int // NUM_PARTICIPES
}

// quote is one row of a series.
type quote struct {
	day    time.Time
	void   bool // rejected at ingest, so that only its day is known
	moneda string
	quota  float64
	equity float64
	adjust float64
	payout float64

	curated bool // a curated break lies between the previous quote and this one

	outstanding, redeemed, contributed float64
	costs                              float64

	manager, shareholders int
}

// Market holds the published quotes of every series, at most one for each series and day, and
// the other data from which returns are computed. It is not safe for concurrent use.
type Market struct {
	quotes     map[Series][]quote // ascending by day
	breaks     map[Series][]time.Time
	factors    map[Series][]Factor
	exchanges  map[string]Exchange // by event
	dolar, uf  map[time.Time]*big.Rat
	families   map[Series][]Classification  // ascending by day
	indices    map[group][]Point            // cache; cleared at each change
	openings   map[group][]Point            // the same with spikes
	wholes     map[time.Time]map[group]size // cache of sizes; cleared at each change
	quorum     quorum
	ended      map[int]time.Time      // funds that have ended according to the register, by RUN
	ends       map[Series][]time.Time // ends that a person stated; RUN 0 is every fund, a blank name every series
	judged     []report               // cache; nil after each change
	judgedWith Dolar
	stated     map[statedMonth]statedRate
	decimals   map[string]int // decimals with which each file publishes its rates
}

// New returns a market without quotes.
func New() *Market {
	return &Market{
		quotes: map[Series][]quote{}, breaks: map[Series][]time.Time{}, factors: map[Series][]Factor{},
		exchanges: map[string]Exchange{}, dolar: map[time.Time]*big.Rat{}, uf: map[time.Time]*big.Rat{},
		families: map[Series][]Classification{}, indices: map[group][]Point{}, openings: map[group][]Point{},
		wholes: map[time.Time]map[group]size{}, quorum: ruledQuorum,
		ended: map[int]time.Time{}, ends: map[Series][]time.Time{},
		stated: map[statedMonth]statedRate{}, decimals: map[string]int{},
	}
}

// Add adds a row. It replaces a row of the same series and day. A row whose quota is not above
// 0 is invalid and is added as void (RULES 1).
func (m *Market) Add(r Row) {
	if !(r.Quota > 0) {
		m.Void(r.Run, r.Serie, r.Day)
		return
	}
	m.put(r.Run, r.Serie, r.quote())
}

func (r Row) quote() quote {
	return quote{
		day:    midnight(r.Day),
		moneda: strings.TrimSpace(r.Moneda),
		quota:  r.Quota,
		equity: r.Equity,
		adjust: r.Adjust,
		payout: r.Payout,

		outstanding: r.Outstanding, redeemed: r.Redeemed, contributed: r.Contributed,
		costs: r.Costs,

		manager: r.Manager, shareholders: r.Shareholders,
	}
}

// Void adds a rejected row: the series has a row on that day, but its quota is invalid, and its
// currency, equity and factors are unknown.
func (m *Market) Void(run int, serie string, day time.Time) {
	m.put(run, serie, quote{day: midnight(day), void: true})
}

// Break adds a curated break of a series. No return may cover the time from before that day to
// that day or later.
func (m *Market) Break(run int, serie string, day time.Time) {
	key := Series{run, SerieName(serie)}
	m.breaks[key] = append(m.breaks[key], midnight(day))
	m.mark(key)
}

// mark sets curated for each quote of a series.
func (m *Market) mark(s Series) {
	for i, q := range m.quotes[s] {
		m.quotes[s][i].curated = i > 0 && m.brokenBetween(s, m.quotes[s][i-1].day, q.day)
	}
}

// brokenBetween reports whether a series has a curated break after one day and on or before
// another.
func (m *Market) brokenBetween(s Series, after, upTo time.Time) bool {
	for _, day := range m.breaks[s] {
		if day.After(after) && !day.After(upTo) {
			return true
		}
	}
	return false
}

// changed empties the caches.
func (m *Market) changed() {
	clear(m.indices)
	clear(m.openings)
	clear(m.wholes)
	m.judged = nil
}

func (m *Market) put(run int, serie string, q quote) {
	m.changed()
	key := Series{run, SerieName(serie)}
	if len(m.breaks[key]) > 0 {
		defer m.mark(key)
	}
	quotes := m.quotes[key]
	at := len(quotes)
	for at > 0 && !quotes[at-1].day.Before(q.day) {
		at--
	}
	if at < len(quotes) && quotes[at].day.Equal(q.day) {
		quotes[at] = q
		return
	}
	quotes = append(quotes, quote{})
	copy(quotes[at+1:], quotes[at:])
	quotes[at] = q
	m.quotes[key] = quotes
}

// Series returns every series with a row, sorted by RUN and name.
func (m *Market) Series() []Series {
	all := make([]Series, 0, len(m.quotes))
	for s := range m.quotes {
		all = append(all, s)
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].Run != all[j].Run {
			return all[i].Run < all[j].Run
		}
		return all[i].Name < all[j].Name
	})
	return all
}

// SerieName normalises a series name as ids and joins use it (RULES 12): trimmed, inner spaces
// collapsed, upper case, NFC. A blank name becomes UNICA.
func SerieName(published string) string {
	name := norm.NFC.String(strings.ToUpper(strings.Join(strings.Fields(published), " ")))
	if name == "" {
		return "UNICA"
	}
	return name
}

// currency returns the accounting currency of a quote, or "" if it is unknown. PROM means dollars
// at the dólar observado, not an average (RULES 6).
func (q quote) currency() string {
	switch q.moneda {
	case "$$":
		return "PESOS"
	case "PROM":
		return "DOLAR"
	}
	return ""
}

func (q quote) valid() bool {
	return !q.void && q.quota > 0 && !math.IsInf(q.quota, 0)
}

// newest returns the index of the last row on or before a day, or -1.
func newest(quotes []quote, on time.Time) int {
	found := -1
	for i, q := range quotes {
		if !q.day.After(on) {
			found = i
		}
	}
	return found
}
