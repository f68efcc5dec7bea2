package cookbook_test

import (
	"math"
	"slices"
	"testing"
	"time"
)

// rawDay is a row of the daily file. quota is 0 where the row was rejected. paid and unit are the
// factors of a distribution and of a change of the quota's unit, 1 where none is stated.
type rawDay struct {
	date                                  time.Time
	quota, equity, contributed, withdrawn float64
	paid, unit                            float64
	manager                               string
}

type rawHistory struct {
	run, serie, fund           string
	currency, category, family string
	alive, dollars             bool
	days                       []rawDay
	breaks                     []time.Time
	lasting                    []time.Time // breaks without those that are changes of the quota's unit
}

type rawDays struct {
	series       map[string]*rawHistory // by id
	uf, dollar   map[string]float64     // of a day, as YYYY-MM-DD
	first, until time.Time
}

func readDays(t *testing.T, people database) rawDays {
	t.Helper()
	raw := rawDays{series: map[string]*rawHistory{}, uf: map[string]float64{}, dollar: map[string]float64{},
		first: day(t, "2020-05-31"), until: day(t, "2025-06-30")}
	for _, row := range people.ask(t,
		"SELECT series_id, serie, currency, last_category, last_family, current, run, fund FROM funds.series WHERE "+
			"vehicle = 'mutual_fund'").rows {
		raw.series[row[0]] = &rawHistory{serie: row[1], currency: row[2], category: row[3], family: row[4],
			alive: row[5] == "true", dollars: row[2] == "DOLAR", run: row[6], fund: row[7]}
	}
	for _, row := range people.ask(t,
		"SELECT series_id, date, quota, equity, units_contributed, units_redeemed, manager_rut, "+
			"ifNull(distribution_factor, 1), ifNull(adjustment_factor, 1) FROM funds.cartola_daily ORDER BY "+
			"series_id, date").rows {
		history := raw.series[row[0]]
		d := rawDay{date: day(t, row[1]), manager: row[6], paid: number(t, row[7]), unit: number(t, row[8])}
		if row[2] != "" {
			d.quota, d.equity, d.contributed, d.withdrawn = number(t, row[2]), number(t, row[3]), number(t, row[4]),
				number(t, row[5])
		}
		history.days = append(history.days, d)
	}
	for _, row := range people.ask(t, "SELECT series_id, date, kind FROM funds.discontinuities").rows {
		if history := raw.series[row[0]]; history != nil {
			history.breaks = append(history.breaks, day(t, row[1]))
			if row[2] != "adjustment" {
				history.lasting = append(history.lasting, day(t, row[1]))
			}
		}
	}
	for _, row := range people.ask(t,
		"SELECT date, uf_clp, dollar_clp FROM funds.rates WHERE uf_clp IS NOT NULL AND dollar_clp IS NOT NULL").rows {
		raw.uf[row[0]], raw.dollar[row[0]] = number(t, row[1]), number(t, row[2])
	}
	return raw
}

func day(t *testing.T, text string) time.Time {
	t.Helper()
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return date
}

// at returns the newest row up to a day, at most seven days old.
func (h *rawHistory) at(on time.Time) (rawDay, bool) {
	i, found := slices.BinarySearchFunc(h.days, on, func(d rawDay, on time.Time) int { return d.date.Compare(on) })
	if !found {
		i--
	}
	if i < 0 || on.Sub(h.days[i].date) > 7*24*time.Hour {
		return rawDay{}, false
	}
	return h.days[i], true
}

// month is the multiple by which a quota grew in a month, in its currency, in pesos and beyond
// the growth of the UF, and the equity at the end. known is false if the month has a break. adjusted
// is the multiple in its currency with distributions reinvested, and 0 across a break.
type month struct {
	plain, pesos, real, equity float64
	known                      bool
	adjusted                   float64
}

// months returns the months of a year, from January.
func (r rawDays) months(h *rawHistory, year int) (list [12]month) {
	for i := range list {
		end := time.Date(year, time.Month(i+2), 0, 0, 0, 0, 0, time.UTC)
		start := time.Date(year, time.Month(i+1), 0, 0, 0, 0, 0, time.UTC)
		if end.After(r.until) {
			continue
		}
		from, began := h.at(start)
		to, ended := h.at(end)
		if !began || !ended || from.quota == 0 || to.quota == 0 {
			continue
		}
		m := month{plain: to.quota / from.quota, equity: to.equity, known: !anyBetween(h.breaks, from, to),
			adjusted: h.adjusted(from, to)}
		m.pesos = m.plain
		if h.dollars {
			m.pesos *= r.dollar[to.date.Format(time.DateOnly)] / r.dollar[from.date.Format(time.DateOnly)]
		}
		m.real = m.pesos / (r.uf[to.date.Format(time.DateOnly)] / r.uf[from.date.Format(time.DateOnly)])
		list[i] = m
	}
	return list
}

// anyBetween reports whether a break lies after the first row and not after the second.
func anyBetween(breaks []time.Time, from, to rawDay) bool {
	return slices.ContainsFunc(breaks, func(on time.Time) bool { return on.After(from.date) && !on.After(to.date) })
}

// adjusted returns the multiple by which an investment grew that reinvested every distribution. A
// factor that is not believed is a break (RULES 1).
func (h *rawHistory) adjusted(from, to rawDay) float64 {
	if anyBetween(h.lasting, from, to) {
		return 0
	}
	held, before := 1., from.quota // quotas held, and the quote before
	for _, d := range h.days {
		if !d.date.After(from.date) || d.date.After(to.date) || d.quota == 0 {
			continue
		}
		if moved := d.quota * d.unit / before; d.paid < 1 || d.paid > 1.5 ||
			d.unit != 1 && (moved < .8 || moved > 1.2) {
			return 0
		}
		held, before = held*d.paid*d.unit, d.quota
	}
	return held * to.quota / from.quota
}

// threeYears returns the adjusted return per year of the 36 months to June 2025, if all are known and
// have equity.
func (r rawDays) threeYears(h *rawHistory) (yearly float64, known bool) {
	grown := 1.
	for year := 2022; year <= 2025; year++ {
		for i, m := range r.months(h, year) {
			if year == 2022 && i < 6 || year == 2025 && i >= 6 {
				continue
			}
			if m.adjusted == 0 || m.equity == 0 {
				return 0, false
			}
			grown *= m.adjusted
		}
	}
	return math.Cbrt(grown) - 1, true
}

// year returns the multiples of a calendar year if all its months are known and have equity.
func (r rawDays) year(h *rawHistory, year int) (whole month, known bool) {
	whole = month{plain: 1, pesos: 1, real: 1}
	for _, m := range r.months(h, year) {
		if !m.known || m.equity == 0 {
			return month{}, false
		}
		whole.plain, whole.pesos, whole.real = whole.plain*m.plain, whole.pesos*m.pesos, whole.real*m.real
	}
	return whole, true
}

// pesos converts an amount of a day.
func (r rawDays) pesos(h *rawHistory, amount float64, on time.Time) float64 {
	if h.dollars {
		return amount * r.dollar[on.Format(time.DateOnly)]
	}
	return amount
}
