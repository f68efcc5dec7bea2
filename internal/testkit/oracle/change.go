package oracle

import "time"

// LatestDay returns the day of the last row of a series on or before the cutoff. ok is false if
// there is none.
func (m *Market) LatestDay(run int, serie string, cutoff time.Time) (day time.Time, ok bool) {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	t := newest(quotes, midnight(cutoff))
	if t < 0 {
		return time.Time{}, false
	}
	return quotes[t].day, true
}

// DailyChange returns the change of a series in percent points on its [Market.LatestDay], from
// the quote before it, with the factors that the cartola states (RULES 7). It is nil if the
// earlier quote is more than seven days older, if the row of the latest day has no valid quote,
// if a currency is unknown, or if, since the earlier quote, the currency changed, the series
// restarted, or a factor was stated that RULES 1 does not accept.
func (m *Market) DailyChange(run int, serie string, cutoff time.Time) *float64 {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	e := newest(quotes, midnight(cutoff))
	return change(quotes, quoteBefore(quotes, e), e, toleranceDays)
}

// MonthlyChange returns the change of a series in percent points over the month that ends on its
// [Market.LatestDay]. The conditions are those of DailyChange. The first quote may be up to
// seven days older than the date one month earlier, and nothing in between may break the
// series.
func (m *Market) MonthlyChange(run int, serie string, cutoff time.Time) *float64 {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	e := newest(quotes, midnight(cutoff))
	if e < 0 {
		return nil
	}
	target := monthsBefore(quotes[e].day, 1)
	return change(quotes, quoteBy(quotes, target), e, daysApart(target, quotes[e].day)+toleranceDays)
}

// In the daily market, a row without a valid quota is ignored (RULES 7). In the return windows
// of RULES 1, such a row makes a window invalid.

// quoteBefore returns the index of the last quote before a row, or -1.
func quoteBefore(quotes []quote, at int) int {
	for at--; at >= 0; at-- {
		if quotes[at].valid() {
			return at
		}
	}
	return -1
}

// quoteAfter returns the index of the first quote after a row, or -1.
func quoteAfter(quotes []quote, at int) int {
	for at++; at < len(quotes); at++ {
		if quotes[at].valid() {
			return at
		}
	}
	return -1
}

// quoteBy returns the index of the last quote on or before a day, or -1.
func quoteBy(quotes []quote, on time.Time) int {
	return quoteBefore(quotes, newest(quotes, on)+1)
}

// quoteOn returns the index of the quote of a day, or -1.
func quoteOn(quotes []quote, on time.Time) int {
	if at := quoteBy(quotes, on); at >= 0 && quotes[at].day.Equal(on) {
		return at
	}
	return -1
}

// change returns the change in percent points from one quote to another. It is nil if the second
// is more than the given number of days later, or if there is no valid change.
func change(quotes []quote, s, e, days int) *float64 {
	if s < 0 || e < 0 || !quotes[s].valid() || !quotes[e].valid() || daysApart(quotes[s].day, quotes[e].day) > days {
		return nil
	}
	span := quotes[s : e+1]
	if !oneStory(span) {
		return nil
	}
	change := 100 * (quotes[e].quota/quotes[s].quota*factors(span[1:]) - 1)
	if !finite(change) {
		return nil
	}
	return &change
}
