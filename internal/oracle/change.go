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
// against the quote immediately before. It is nil when that one is more than
// seven days older, either is invalid, or the currency changes, the series
// restarts or is re-denominated on that day.
func (m *Market) DailyChange(run int, serie string, cutoff time.Time) *float64 {
	quotes := m.quotes[Series{run, SerieName(serie)}]
	t := newest(quotes, midnight(cutoff))
	if t < 1 {
		return nil
	}
	pair := quotes[t-1 : t+1]
	switch {
	case !pair[0].valid() || !pair[1].valid():
		return nil
	case daysApart(pair[0].day, pair[1].day) > toleranceDays:
		return nil
	case currencyChanges(pair) || discontinuous(pair) || m.brokenBetween(Series{run, SerieName(serie)}, pair[0].day, pair[1].day):
		return nil
	}
	change := 100 * (pair[1].quota/pair[0].quota - 1)
	if !finite(change) {
		return nil
	}
	return &change
}

// MonthlyChange is the 1m return, in percent points, that ends on the series'
// [Market.LatestDay]; nil when that return is unavailable.
func (m *Market) MonthlyChange(run int, serie string, cutoff time.Time) *float64 {
	day, ok := m.LatestDay(run, serie, cutoff)
	if !ok {
		return nil
	}
	p := m.Period(run, serie, day, "1m")
	if p.Value == nil {
		return nil
	}
	change := 100 * *p.Value
	return &change
}
