package oracle

import "time"

// LatestDay is the day of a series' newest quote on or before the cutoff.
func (m *Market) LatestDay(run int, serie string, cutoff time.Time) (day time.Time, ok bool) {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	t := newest(quotes, midnight(cutoff))
	if t < 0 {
		return time.Time{}, false
	}
	return quotes[t].day, true
}

// DailyChange is the change in percent points of a series on its [Market.LatestDay]
// against the quote immediately before, with the factors that the cartola states
// (RULES 7). It is nil when that one is more than seven days older, either is
// invalid or of an unknown currency, or the currency changes, the series restarts
// or states a factor on that day that RULES 1 does not accept.
func (m *Market) DailyChange(run int, serie string, cutoff time.Time) *float64 {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	e := newest(quotes, midnight(cutoff))
	return change(quotes, e-1, e, toleranceDays)
}

// MonthlyChange is the change in percent points of a series from one month before
// its [Market.LatestDay], under the same conditions: the quote that stands for that
// date is at most seven days older, and nothing between breaks the series.
func (m *Market) MonthlyChange(run int, serie string, cutoff time.Time) *float64 {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	e := newest(quotes, midnight(cutoff))
	if e < 0 {
		return nil
	}
	target := monthsBefore(quotes[e].day, 1)
	return change(quotes, newest(quotes, target), e, daysApart(target, quotes[e].day)+toleranceDays)
}

// change is the change in percent points from one quote to another, at most so
// many days later.
func change(quotes []quote, s, e, days int) *float64 {
	if s < 0 || !quotes[s].valid() || !quotes[e].valid() || daysApart(quotes[s].day, quotes[e].day) > days || !oneStory(quotes[s:e+1]) {
		return nil
	}
	change := 100 * (quotes[e].quota/quotes[s].quota*factors(quotes[s+1:e+1]) - 1)
	if !finite(change) {
		return nil
	}
	return &change
}
