package oracle

import (
	"slices"
	"time"
)

// Ended says that, according to the register, a fund no longer exists from a day on.
func (m *Market) Ended(run int, day time.Time) {
	m.ended[run] = midnight(day)
	m.changed()
}

// End says that a person has stated that a series no longer exists from a day on, unless it has a
// row on that day or later. A blank name means every series of the fund, RUN 0 every fund.
func (m *Market) End(run int, serie string, day time.Time) {
	key := Series{Run: run}
	if serie != "" {
		key.Name = SerieName(serie)
	}
	m.ends[key] = append(m.ends[key], midnight(day))
	m.changed()
}

// endedAfter reports whether an exchange or a stated end lies after a row of a series, and on or
// before a day.
func (m *Market) endedAfter(series Series, row quote, on time.Time) bool {
	between := func(end time.Time) bool { return end.After(row.day) && !end.After(on) }
	for _, x := range m.exchanges {
		if x.Origin == series && between(midnight(x.Effective)) {
			return true
		}
	}
	return slices.ContainsFunc(m.ends[series], between) ||
		slices.ContainsFunc(m.ends[Series{Run: series.Run}], between) ||
		slices.ContainsFunc(m.ends[Series{}], between)
}

// standing returns the quote that stands for a series on a day: its newest row on the day or in
// the seven days before, even if it is void. If the series has no row on the day itself, ok is
// false if its fund has ended by then, or if its quotas were exchanged for those of another
// series, or a person stated its end, since its newest row.
func (m *Market) standing(series Series, on time.Time) (q quote, ok bool) {
	on = midnight(on)
	at := newest(m.quotes[series], on)
	if at < 0 {
		return quote{}, false
	}
	q = m.quotes[series][at]
	if q.day.Equal(on) {
		return q, true
	}
	if end, ended := m.ended[series.Run]; ended && !end.After(on) {
		return quote{}, false
	}
	if m.endedAfter(series, q, on) {
		return quote{}, false
	}
	return q, daysApart(q.day, on) <= toleranceDays
}

// size is the size of a family in one currency.
type size struct {
	equity        float64
	series, funds int
}

// sizes returns the size of each family on a day, from the quotes that stand for its series. If only
// is not nil, only the series in it count.
func (m *Market) sizes(on time.Time, only map[Series]bool) map[group]size {
	all, seen := map[group]size{}, map[group]map[int]bool{}
	for _, series := range m.Series() { // in a fixed order, so that the sums are reproducible
		q, ok := m.standing(series, on)
		if !ok || only != nil && !only[series] {
			continue
		}
		g, ok := m.groupOn(series, q, on)
		if !ok {
			continue
		}
		if seen[g] == nil {
			seen[g] = map[int]bool{}
		}
		seen[g][series.Run] = true
		all[g] = size{all[g].equity + q.equity, all[g].series + 1, len(seen[g])}
	}
	return all
}
