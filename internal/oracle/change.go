package oracle

import (
	"slices"
	"time"
)

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
// against the quote before, with the factors that the cartola states (RULES 7). It
// is nil when that quote is more than seven days older, the row of the latest day is
// no quote, a currency is unknown, or the currency changes, the series restarts or
// states a factor since that RULES 1 does not accept.
func (m *Market) DailyChange(run int, serie string, cutoff time.Time) *float64 {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	e := newest(quotes, midnight(cutoff))
	return change(quotes, quoteBefore(quotes, e), e, toleranceDays)
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
	return change(quotes, quoteBy(quotes, target), e, daysApart(target, quotes[e].day)+toleranceDays)
}

// For the daily market a row without a valid quota is no quote (RULES 7), unlike
// for the windows of RULES 1, which it makes invalid.

// quoteBefore is the index of the last quote before a row, or -1.
func quoteBefore(quotes []quote, at int) int {
	for at--; at >= 0; at-- {
		if quotes[at].valid() {
			return at
		}
	}
	return -1
}

// quoteAfter is the index of the first quote after a row, or -1.
func quoteAfter(quotes []quote, at int) int {
	for at++; at < len(quotes); at++ {
		if quotes[at].valid() {
			return at
		}
	}
	return -1
}

// quoteBy is the index of the last quote on or before a day, or -1.
func quoteBy(quotes []quote, on time.Time) int {
	return quoteBefore(quotes, newest(quotes, on)+1)
}

// quoteOn is the index of the quote of a day, or -1.
func quoteOn(quotes []quote, on time.Time) int {
	if at := quoteBy(quotes, on); at >= 0 && quotes[at].day.Equal(on) {
		return at
	}
	return -1
}

// change is the change in percent points from one quote to another, at most so
// many days later.
func change(quotes []quote, s, e, days int) *float64 {
	if s < 0 || e < 0 || !quotes[s].valid() || !quotes[e].valid() || daysApart(quotes[s].day, quotes[e].day) > days {
		return nil
	}
	span := quotes[s : e+1]
	stated := slices.DeleteFunc(slices.Clone(span), func(q quote) bool { return !q.valid() })
	if !unbroken(span) || !believed(stated) {
		return nil
	}
	change := 100 * (quotes[e].quota/quotes[s].quota*factors(stated[1:]) - 1)
	if !finite(change) {
		return nil
	}
	return &change
}
