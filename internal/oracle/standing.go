package oracle

import "time"

// Ended says that a fund ended on a day by the register: on that day it is no more.
func (m *Market) Ended(run int, day time.Time) { m.ended[run] = midnight(day) }

// standing is the quote that stands for a series on a day: its newest of the day or
// of the seven days before, a void one too. Nothing stands for a series that is not
// quoted on the very day and whose fund has ended by then, or whose quotas have been
// exchanged for another's since its newest quote.
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
	for _, x := range m.exchanges {
		if effective := midnight(x.Effective); x.Origin == series && effective.After(q.day) && !effective.After(on) {
			return quote{}, false
		}
	}
	return q, daysApart(q.day, on) <= toleranceDays
}

// size is what a family holds in one currency.
type size struct {
	equity        float64
	series, funds int
}

// sizes gives the size of each family on a day, from the quotes that stand for its
// series.
func (m *Market) sizes(on time.Time) map[group]size {
	all, seen := map[group]size{}, map[group]map[int]bool{}
	for _, series := range m.Series() { // always in one order: so is the sum
		q, ok := m.standing(series, on)
		if !ok {
			continue
		}
		g, ok := m.groupOf(series, q)
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
