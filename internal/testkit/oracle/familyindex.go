package oracle

import (
	"maps"
	"slices"
	"time"
)

// FamilyDay describes a family in one currency on one day, with its change since the last day
// on which it was quoted (RULES 7). Returns are fractions; nil if too few series count.
type FamilyDay struct {
	Previous string        // last earlier day on which the family was quoted, at most seven days before
	Daily    *float64      // mean change, weighted by opening equity
	Chained  *float64      // the same without spikes
	Eligible GroupCoverage // of Daily, also if that is nil
	Unspiked GroupCoverage // of Chained
	Monthly  *float64      // mean monthly change, weighted by the equity one month earlier
	InMonth  GroupCoverage // of Monthly
	Equity   float64       // sum over the quotes that stand for its series on the day, in units of the currency
	Series   int
	Funds    int
}

// FamilyDays returns all families on a day, by family and currency. Equity and counts use the
// quotes that stand for the series on the day. Returns use only quotes of the day itself.
func (m *Market) FamilyDays(on time.Time) map[[2]string]FamilyDay {
	on = midnight(on)
	members := map[group][]Series{}
	market := m.Day(on)
	for _, series := range m.Series() { // in a fixed order, so that the sums are reproducible
		if at := quoteOn(m.quotes[series], on); at >= 0 {
			if g, ok := m.groupOf(series, m.quotes[series][at]); ok {
				members[g] = append(members[g], series)
			}
		}
	}
	all, sizes := map[[2]string]FamilyDay{}, m.sizes(on, nil)
	for g, list := range members {
		var f FamilyDay
		var monthly mean
		for _, series := range list {
			d := market[series]
			if d.Monthly != nil && d.MonthlyOutlier == "" && *d.MonthEquity > 0 {
				held := m.quotes[series][quoteOn(m.quotes[series], on)].equity
				monthly.add(series, held, *d.MonthEquity, *d.Monthly/100)
			}
		}
		if previous := m.quotedBefore(g, on); !previous.IsZero() {
			daily, chained := m.step(g, previous, on, nil)
			f.Previous = iso(previous)
			f.Daily, f.Eligible = m.quorum.shown(daily, sizes[g].equity), daily.coverage(sizes[g].equity)
			f.Chained, f.Unspiked = m.quorum.shown(chained, sizes[g].equity), chained.coverage(sizes[g].equity)
		}
		f.Monthly, f.InMonth = m.quorum.shown(monthly, sizes[g].equity), monthly.coverage(sizes[g].equity)
		all[[2]string{g.family, g.currency}] = f
	}
	for g, holds := range sizes {
		key := [2]string{g.family, g.currency}
		f, quoted := all[key]
		if !quoted {
			f.InMonth = (&mean{}).coverage(holds.equity)
		}
		f.Equity, f.Series, f.Funds = holds.equity, holds.series, holds.funds
		all[key] = f
	}
	return all
}

// quotedDays returns the days on which any series of a group was quoted, in order.
func (m *Market) quotedDays(g group) []time.Time {
	quoted := map[time.Time]bool{}
	for series, quotes := range m.quotes {
		for _, q := range quotes {
			if of, ok := m.groupOf(series, q); ok && of == g {
				quoted[q.day] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(quoted), time.Time.Compare)
}

// quotedBefore returns the last day before a day, at most seven days earlier, on which any series
// of a group was quoted. It returns the zero time if there is none.
func (m *Market) quotedBefore(g group, on time.Time) time.Time {
	for _, day := range slices.Backward(m.quotedDays(g)) {
		if day.Before(on) {
			if daysApart(day, on) <= toleranceDays {
				return day
			}
			break
		}
	}
	return time.Time{}
}

// step returns the mean change of a group between two days that are at most seven days apart,
// with spikes (daily) and without them (chained). A series counts if
//   - it has a quote on both days, and equity on the first,
//   - it belonged to the group with every quote since the first day,
//   - its change is known and is not an outlier among all changes of the group on that day.
//     For this comparison, the change of a series without a quote on the first day is taken
//     from its own previous quote.
//
// A series whose quote on either day is a spike counts in daily only. If only is not nil, the
// mean is taken over the series in it; outliers are still found among all series.
func (m *Market) step(g group, from, to time.Time, only map[Series]bool) (daily, chained mean) {
	candidates, weights := map[Series]candidate{}, map[Series]float64{}
	spiked := map[Series]bool{}
	for _, series := range m.Series() {
		quotes := m.quotes[series]
		e := quoteOn(quotes, to)
		if e < 0 || !m.belongs(series, quotes[e:e+1], g) {
			continue
		}
		c, _ := m.classified(series, to)
		s := quoteOn(quotes, from)
		r := change(quotes, s, e, toleranceDays)
		if s < 0 || !m.belongs(series, quotes[s+1:e+1], g) {
			r = m.DailyChange(series.Run, series.Name, to)
		} else if r != nil && quotes[s].equity > 0 {
			weights[series] = quotes[s].equity
			spiked[series] = leaps(quotes, s) || leaps(quotes, e)
		}
		if r != nil {
			candidates[series] = candidate{*r, capOf(c.Category)[0], g, true}
		}
	}
	reasons := outliers(candidates, dailyFloor)
	for _, series := range m.Series() { // in a fixed order, so that the sums are reproducible
		weight, counts := weights[series]
		if !counts || reasons[series] != "" || only != nil && !only[series] {
			continue
		}
		held := m.quotes[series][quoteOn(m.quotes[series], to)].equity
		daily.add(series, held, weight, candidates[series].change/100)
		if !spiked[series] {
			chained.add(series, held, weight, candidates[series].change/100)
		}
	}
	return daily, chained
}

// belongs reports whether a series was in a group with each valid quote among some rows.
func (m *Market) belongs(series Series, rows []quote, g group) bool {
	for _, q := range rows {
		if of, ok := m.groupOf(series, q); q.valid() && (!ok || of != g) {
			return false
		}
	}
	return true
}

// mean is a weighted mean, with the funds of the series that give it and the equity that these hold.
type mean struct {
	n            int
	weights, sum float64
	funds        map[int]bool
	held         float64
}

func (m *mean) add(series Series, held, weight, value float64) {
	if m.funds == nil {
		m.funds = map[int]bool{}
	}
	m.funds[series.Run] = true
	m.n++
	m.weights += weight
	m.sum += weight * value
	m.held += held
}

// Point is one point of a family index.
type Point struct {
	Day           time.Time
	Previous      time.Time // the previous point of the chain; zero if Change is nil
	Value         float64
	Change        *float64 // percent points since Previous; nil if the index begins here or continues after a gap
	GroupCoverage          // of Change; empty if that is nil
}

// FamilyIndex returns the index of a family in one currency (RULES 7), day by day. A day within
// seven days of the last point becomes a point if enough series count since that point;
// otherwise it is skipped. A day after a longer gap, or before the first point, becomes a point
// if enough series count since an earlier day of that gap, at most seven days before.
// The earliest such day then becomes a point too, with the value 100 or the level of the last
// point.
func (m *Market) FamilyIndex(family, currency string) []Point {
	g := group{family, currency}
	if points, computed := m.indices[g]; computed {
		return points
	}
	points := m.walk(g, m.quotedDays(g), func(from, to time.Time) (*float64, GroupCoverage) {
		_, chained := m.step(g, from, to, nil)
		equity := m.equityOf(g, to, nil)
		return m.quorum.shown(chained, equity), chained.coverage(equity)
	})
	m.indices[g] = points
	return points
}

// walk chains the days of a group into points. step returns the fraction by which the group
// changed between two days, or nil.
func (m *Market) walk(g group, days []time.Time,
	step func(from, to time.Time) (*float64, GroupCoverage)) (points []Point) {
	level := 100.0
	point := func(day, previous time.Time, step *float64, from GroupCoverage) {
		p := Point{Day: day, Value: level}
		if step != nil {
			level *= 1 + *step
			p = Point{day, previous, level, ptr(100 * *step), from}
		}
		points = append(points, p)
	}
	for i, day := range days {
		if len(points) > 0 {
			if last := points[len(points)-1].Day; daysApart(last, day) <= toleranceDays {
				if s, coverage := step(last, day); s != nil {
					point(day, last, s, coverage)
				}
				continue
			}
		}
		for _, start := range days[:i] {
			if daysApart(start, day) > toleranceDays ||
				len(points) > 0 && daysApart(points[len(points)-1].Day, start) <= toleranceDays {
				continue
			}
			if s, coverage := step(start, day); s != nil {
				point(start, time.Time{}, nil, GroupCoverage{})
				point(day, start, s, coverage)
				break
			}
		}
	}
	return points
}

// FamilyChange returns what market-summary shows for a family in one currency on a day: the mean
// change, as a fraction, of the series in alive since the previous index date. The previous
// index date is the one that was known on that day: spikes become visible only later, so they
// count here, and no later data is used. If the day is not a point, there is no previous index
// date and the change is nil.
func (m *Market) FamilyChange(family, currency string, on time.Time,
	alive map[Series]bool) (previous string, change *float64) {
	g := group{family, currency}
	points, computed := m.openings[g]
	if !computed {
		points = m.walk(g, m.quotedDays(g), func(from, to time.Time) (*float64, GroupCoverage) {
			daily, _ := m.step(g, from, to, nil)
			equity := m.equityOf(g, to, nil)
			return m.quorum.shown(daily, equity), daily.coverage(equity)
		})
		m.openings[g] = points
	}
	for _, p := range points {
		if p.Day.Equal(midnight(on)) && p.Change != nil {
			daily, _ := m.step(g, p.Previous, p.Day, alive)
			return iso(p.Previous), m.quorum.shown(daily, m.equityOf(g, p.Day, alive))
		}
	}
	return "", nil
}

// levelAt returns the index level for a month end: that of the last point on or before it, at
// most seven days older.
func levelAt(points []Point, monthEnd time.Time) (level float64, ok bool) {
	for _, p := range points {
		if !p.Day.After(monthEnd) {
			level, ok = p.Value, daysApart(p.Day, monthEnd) <= toleranceDays
		}
	}
	return level, ok
}
