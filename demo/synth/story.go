package synth

import (
	"math/rand/v2"
	"slices"
	"time"

	"cuota/model"
)

// story is what happens to one series beyond its ordinary days. Days are numbered from the
// market's first. A span includes its first day and excludes its last.
type story struct {
	kind       kind
	start, end int // first day of the series, and the day after its last

	gap span // days without rows
	// days without units; there are rows, and the quota does not change. At the end of a series: its winding-up
	zero          span
	empty         bool // the series never has any equity
	adjustOn      int  // day of a factor de ajuste, or -1
	distributions []distribution
	renamedOn     int // first day under the new name, or -1
	previous      string
	damaged       []int   // days with broken rows, in addition to random ones
	corrected     []int   // days whose quota is first published wrong
	into          *series // the series whose quotas its holders get when it closes, or nil
}

type span struct{ from, to int }

func (s span) holds(d int) bool { return d >= s.from && d < s.to }

// distribution is a payment to the holders. The quota falls by the factor, which is in
// 1/1,000,000,000.
type distribution struct {
	on     int
	factor int64
}

// kind is the story of a series. Each series has one.
type kind int

const (
	ordinary     kind = iota
	shortGap          // at most 7 days between the quotes around it
	mediumGap         // 8 to 31 days
	longGap           // more than 31 days: a discontinuity
	restart           // all units are redeemed, and new ones are issued later
	adjustment        // a factor de ajuste
	distributing      // quarterly distributions
	renamed
	closed    // ends before the market's end
	late      // begins after the market's beginning
	empty     // never any units
	damaged   // broken rows on days from which returns are measured
	corrected // rows whose wrong quotas a later file corrects
	kinds
)

var kindNames = [kinds]string{
	"ordinary", "short_gap", "medium_gap", "long_gap", "restart", "adjustment", "distributing", "renamed", "closed",
	"late", "empty", "damaged", "corrected",
}

// shares are the shares of the series with each story. Each story has at least one series if
// there are enough series. Only the share of empty is measured.
var shares = [kinds]float64{
	shortGap: .01, mediumGap: .01, longGap: .005, restart: .005, adjustment: .005, distributing: .01, renamed: .01,
	closed: .05, late: .15, empty: emptySeries, damaged: .005, corrected: .01,
}

const (
	// quiet is how many days before the market's end are without stories. All active series are
	// quoted on these days, so that the last day is complete.
	quiet = 9
	// room is the least length in days of a series with a story.
	room = 60

	adjustFactor = 10 // one quota becomes ten, each worth a tenth
	leastFactor  = 1_000_030_000
)

// draw chooses the details of the story. anchors are the days, ascending, from or to which some
// return is measured. Stories on these days are the most useful for tests. first reports whether
// this is the first series with the story.
func (s *story) draw(rng *rand.Rand, days []day, anchors []int, first bool) {
	last := len(days) - quiet // stories end before this day
	if last < room {
		s.kind = ordinary
		return
	}
	anywhere := func() int { return 2 + rng.IntN(last-room/2-2) }
	at := anywhere()
	if inside := slices.DeleteFunc(slices.Clone(anchors), func(d int) bool {
		return d < 2 || d >= last-1
	}); len(inside) > 0 && rng.IntN(4) > 0 {
		at = inside[rng.IntN(len(inside))]
	}
	// The distance is the number of days between the quotes around the gap. The first gap of
	// each kind has a distance at the limit of its kind.
	gap := func(least, most, edge int) {
		distance := least + rng.IntN(most-least+1)
		if first {
			distance = edge
		}
		missing := distance - 1
		from := max(1, at-rng.IntN(missing))
		from = min(from, last-missing)
		s.gap = span{from, from + missing}
	}
	switch s.kind {
	case shortGap:
		gap(2, 7, 7)
	case mediumGap:
		gap(8, 31, 31)
	case longGap:
		gap(32, 58, 32)
	case restart:
		from := anywhere()
		s.zero = span{from, from + 5 + rng.IntN(20)}
	case adjustment:
		s.adjustOn = anywhere()
	case distributing:
		next := 10 + rng.IntN(40)
		for on := range last {
			// Funds of Chilean shares pay on several days of December.
			if on != next && (days[on].date.Time().Month() != time.December || !days[on].working || on < 2 ||
				rng.IntN(6) > 0) {
				continue
			}
			if on == next {
				next += 85 + rng.IntN(14)
			}
			s.distributions = append(s.distributions, distribution{on, leastFactor + rng.Int64N(18_000_000)})
		}
	case renamed:
		s.renamedOn = anywhere()
	case closed:
		s.end = anywhere()
		if !first && rng.IntN(5) == 0 { // it lives for some days only
			s.start = max(0, s.end-5-rng.IntN(25))
		}
	case late:
		s.start = anywhere()
	case empty:
		s.empty = true
	case damaged:
		s.damaged = []int{at}
	case corrected:
		s.corrected = []int{at}
		if other := anywhere(); other != at {
			s.corrected = append(s.corrected, other)
			slices.Sort(s.corrected)
		}
	}
}

// held returns the day after the last on which the series has units.
func (s *story) held() int {
	if s.kind == closed && s.zero.to > 0 {
		return s.zero.from
	}
	return s.end
}

// present reports whether the series has a row on a day.
func (s *story) present(d int) bool {
	return d >= s.start && d < s.end && !s.gap.holds(d)
}

// fragile reports whether a row must not be broken because the story depends on it: rows beside a
// gap define its length, and rows at an event define the event.
func (s *story) fragile(d int) bool {
	near := func(on int) bool { return d >= on-1 && d <= on+1 }
	switch s.kind {
	case shortGap, mediumGap, longGap:
		return near(s.gap.from) || near(s.gap.to)
	case restart:
		return near(s.zero.from) || near(s.zero.to)
	case adjustment, distributing: // verified factors need a row on every day
		return true
	case renamed:
		return near(s.renamedOn)
	case closed:
		return near(s.end) || near(s.held())
	case corrected:
		return slices.Contains(s.corrected, d)
	}
	return false
}

// broken returns the day across which there is no price return, with the projections' word for
// the reason. on is -1 if there is none.
func (s *story) broken() (on int, word string) {
	switch s.kind {
	case longGap:
		return s.gap.to, "gap"
	case restart:
		return s.zero.to, "restart"
	case adjustment:
		return s.adjustOn, "adjustment"
	}
	return -1, ""
}

// multiplied returns the product of the factors after one day and up to another.
func (s *story) multiplied(from, to int) float64 {
	product := 1.
	if s.adjustOn > from && s.adjustOn <= to {
		product *= adjustFactor
	}
	for _, paid := range s.distributions {
		if paid.on > from && paid.on <= to {
			product *= float64(paid.factor) / factorScale
		}
	}
	return product
}

// name returns the name of the series on a day.
func (s *series) name(d int) string {
	if s.story.kind == renamed && d < s.story.renamedOn {
		return s.story.previous
	}
	return s.serie
}

// examined returns the dates for which expected.json has returns: the last day, a month end about
// a quarter of the market earlier, and a day in the middle.
func examined(days []day) []model.Date {
	last, first := days[len(days)-1].date, days[0].date
	var dates []model.Date
	for _, date := range []model.Date{last, monthEnd(last.AddDays(-len(days) / 4)), last.AddDays(-len(days) / 2)} {
		if date.Compare(first) >= 0 && !slices.Contains(dates, date) {
			dates = append(dates, date)
		}
	}
	return dates
}
