package oracle

import (
	"maps"
	"slices"
	"time"
)

// FamilyDay is what a family did in one currency on one day (RULES 7). Returns
// are fractions, nil when no series counts.
type FamilyDay struct {
	Previous string   // last day before on which it was quoted, at most seven days earlier
	Daily    *float64 // mean change weighted by opening equity
	Chained  *float64 // the same without spikes: what the index is made of
	Eligible int      // series in Daily
	Monthly  *float64 // mean monthly change weighted by the equity a month earlier
	Equity   float64  // of the quotes that stand for its series on the day, in units of the currency
	Series   int
	Funds    int
}

// FamilyDays gives all families on a day, by family and currency. What they hold
// is told by the quotes that stand for their series, what they did by those of the
// very day.
func (m *Market) FamilyDays(on time.Time) map[[2]string]FamilyDay {
	on = midnight(on)
	members := map[group][]Series{}
	market := m.Day(on)
	for _, series := range m.Series() { // always in one order: so is the sum
		quotes := m.quotes[series]
		if at := newest(quotes, on); at >= 0 && quotes[at].day.Equal(on) {
			if g, ok := m.groupOf(series, quotes[at]); ok {
				members[g] = append(members[g], series)
			}
		}
	}
	all := map[[2]string]FamilyDay{}
	for g, list := range members {
		f := FamilyDay{Previous: m.quotedBefore(g, on)}
		var daily, chained, monthly mean
		for _, series := range list {
			d := market[series]
			if d.Daily != nil && d.DailyOutlier == "" && d.Previous != "" && d.Previous == f.Previous && *d.PreviousEquity > 0 {
				daily.add(*d.PreviousEquity, *d.Daily/100)
				if !d.Spike {
					chained.add(*d.PreviousEquity, *d.Daily/100)
				}
			}
			if d.Monthly != nil && d.MonthlyOutlier == "" && *d.MonthEquity > 0 {
				monthly.add(*d.MonthEquity, *d.Monthly/100)
			}
		}
		f.Daily, f.Chained, f.Monthly, f.Eligible = daily.value(), chained.value(), monthly.value(), daily.n
		all[[2]string{g.family, g.currency}] = f
	}
	for g, holds := range m.sizes(on) {
		key := [2]string{g.family, g.currency}
		f := all[key]
		f.Equity, f.Series, f.Funds = holds.equity, holds.series, holds.funds
		all[key] = f
	}
	return all
}

// quotedBefore is the last day before a day, at most seven days earlier, on which
// any series of a group was quoted; empty when there is none.
func (m *Market) quotedBefore(g group, on time.Time) string {
	for age := 1; age <= toleranceDays; age++ {
		day := on.AddDate(0, 0, -age)
		for series, quotes := range m.quotes {
			if at := newest(quotes, day); at >= 0 && quotes[at].day.Equal(day) {
				if of, ok := m.groupOf(series, quotes[at]); ok && of == g {
					return iso(day)
				}
			}
		}
	}
	return ""
}

// mean is a weighted mean.
type mean struct {
	n            int
	weights, sum float64
}

func (m *mean) add(weight, value float64) {
	m.n++
	m.weights += weight
	m.sum += weight * value
}

func (m *mean) value() *float64 {
	if m.n == 0 {
		return nil
	}
	return ptr(m.sum / m.weights)
}

// Point is a point of a family index.
type Point struct {
	Day    time.Time
	Value  float64
	Change *float64 // percent points since the point before; nil on the first
}

// FamilyIndex is the index of a family in one currency (RULES 7): 100 on the
// first day on which it was quoted, then a point on each day with a series that
// counts.
func (m *Market) FamilyIndex(family, currency string) []Point {
	g := group{family, currency}
	if points, computed := m.indices[g]; computed {
		return points
	}
	quoted := map[time.Time]bool{}
	for series, quotes := range m.quotes {
		for _, q := range quotes {
			if of, ok := m.groupOf(series, q); ok && of == g {
				quoted[q.day] = true
			}
		}
	}
	var points []Point
	for i, day := range slices.SortedFunc(maps.Keys(quoted), time.Time.Compare) {
		if i == 0 {
			points = append(points, Point{Day: day, Value: 100})
		} else if chained := m.FamilyDays(day)[[2]string{family, currency}].Chained; chained != nil {
			points = append(points, Point{day, points[len(points)-1].Value * (1 + *chained), ptr(100 * *chained)})
		}
	}
	m.indices[g] = points
	return points
}

// levelAt is the level that stands for a month end: that of the last point on or
// before it, at most seven days older.
func levelAt(points []Point, monthEnd time.Time) (level float64, ok bool) {
	for _, p := range points {
		if !p.Day.After(monthEnd) {
			level, ok = p.Value, daysApart(p.Day, monthEnd) <= toleranceDays
		}
	}
	return level, ok
}
