package oracle

import (
	"slices"
	"time"
)

// Classification is the row of a series in one file of the regulator's return comparator.
type Classification struct {
	Run      int
	Serie    string
	Day      time.Time // fm_fecha: the date of the file
	Family   string    // familia_rar
	Category string    // category of the family by RULES 6; empty if unclassified
}

// Classify adds a classification.
func (m *Market) Classify(c Classification) {
	m.changed()
	key := Series{c.Run, SerieName(c.Serie)}
	c.Day = midnight(c.Day)
	m.families[key] = append(m.families[key], c)
	slices.SortStableFunc(m.families[key], func(a, b Classification) int { return a.Day.Compare(b.Day) })
}

// classified returns the classification that applies on a day: the latest on or before the day,
// else the first one after it. later reports whether it is after the day (RULES 7).
func (m *Market) classified(series Series, on time.Time) (c Classification, later bool) {
	all := m.families[series]
	if len(all) == 0 {
		return Classification{}, false
	}
	c, later = all[0], all[0].Day.After(on)
	for _, stated := range all {
		if !stated.Day.After(on) {
			c = stated
		}
	}
	return c, later
}

// group is the set of series that are compared with each other: those of one family in one
// currency.
type group struct{ family, currency string }

// groupOf returns the group of a quote. ok is false if the row has no valid quote, its currency
// is unknown or the series was never classified.
func (m *Market) groupOf(series Series, q quote) (g group, ok bool) {
	return m.groupOn(series, q, q.day)
}

// groupOn returns the group of a series on a day on which a quote stands for it. The quote may be
// older: its series is in the family of the day, not in that of the quote.
func (m *Market) groupOn(series Series, q quote, on time.Time) (g group, ok bool) {
	c, _ := m.classified(series, on)
	g = group{c.Family, q.currency()}
	return g, q.valid() && g.family != "" && g.currency != ""
}
