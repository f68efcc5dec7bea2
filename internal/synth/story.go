package synth

import (
	"math/rand/v2"
	"slices"

	"cuota/model"
)

// story is what happens to one series beyond its ordinary days. Days are
// counted from the market's first; a span holds its first day and not its last.
type story struct {
	kind       kind
	start, end int // days on which the series exists

	gap           span // no rows
	zero          span // no equity; the rows stay, the quota stands still
	empty         bool // never any equity
	adjustOn      int  // day of a change of unit, or -1
	distributions []distribution
	renamedOn     int // first day under the new name, or -1
	previous      string
	damaged       []int   // days whose rows are broken, beside those that chance breaks
	corrected     []int   // days first published wrong
	into          *series // what its holders have quotas of once it is closed, or nil
}

type span struct{ from, to int }

func (s span) holds(d int) bool { return d >= s.from && d < s.to }

// distribution is a payment to the holders: the quota falls by the factor, which
// the file states in parts of a million.
type distribution struct {
	on     int
	factor int64
}

// kind is the one story that a series has.
type kind int

const (
	ordinary     kind = iota
	shortGap          // at most 7 days from quote to quote
	mediumGap         // 8 to 31
	longGap           // more: a discontinuity
	restart           // all units are redeemed, and later new ones are issued
	adjustment        // a change of unit
	distributing      // quarterly distributions
	renamed
	closed    // ends before the market does
	late      // begins after the market did
	empty     // never any units
	damaged   // broken rows on days that returns are measured from
	corrected // rows that a later file corrects
	kinds
)

var kindNames = [kinds]string{
	"ordinary", "short_gap", "medium_gap", "long_gap", "restart", "adjustment", "distributing", "renamed", "closed",
	"late", "empty", "damaged", "corrected",
}

// shares of the series that have each story; at least one has, if there are
// enough of them. Only that of empty ones is measured.
var shares = [kinds]float64{
	shortGap: .01, mediumGap: .01, longGap: .005, restart: .005, adjustment: .005, distributing: .03, renamed: .01,
	closed: .05, late: .15, empty: emptySeries, damaged: .005, corrected: .01,
}

const (
	// quiet is how many days the market has none of this before its end: all
	// series that live are quoted there, so that the last day is a complete one.
	quiet = 9
	// room is the least number of days of a series with a story.
	room = 60

	adjustFactor = 10 // a quota becomes ten of a tenth
)

// draw fills the story in. anchors are days that some return is measured from or
// to, ascending, on which a story shows best.
func (s *story) draw(rng *rand.Rand, days int, anchors []int, first bool) {
	last := days - quiet // stories are told before it
	if last < room {
		s.kind = ordinary
		return
	}
	anywhere := func() int { return 2 + rng.IntN(last-room/2-2) }
	at := anywhere()
	if inside := slices.DeleteFunc(slices.Clone(anchors), func(d int) bool { return d < 2 || d >= last-1 }); len(inside) > 0 && rng.IntN(4) > 0 {
		at = inside[rng.IntN(len(inside))]
	}
	// distance is that between the quotes around the gap; the first gap of each
	// kind has the longest that is still of its kind, or the shortest.
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
		for on := 10 + rng.IntN(40); on < last; on += 85 + rng.IntN(14) {
			s.distributions = append(s.distributions, distribution{on, 1_002_000 + rng.Int64N(18_000)})
		}
	case renamed:
		s.renamedOn = anywhere()
	case closed:
		s.end = anywhere()
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

// present tells whether the series has a row on the day.
func (s *story) present(d int) bool {
	return d >= s.start && d < s.end && !s.gap.holds(d)
}

// fragile tells whether a row must stay whole for the story to be what it is:
// those beside a gap tell its length, those of an event tell the event.
func (s *story) fragile(d int) bool {
	near := func(on int) bool { return d >= on-1 && d <= on+1 }
	switch s.kind {
	case shortGap, mediumGap, longGap:
		return near(s.gap.from) || near(s.gap.to)
	case restart:
		return near(s.zero.from) || near(s.zero.to)
	case adjustment, distributing: // verified factors stand for every day
		return true
	case renamed:
		return near(s.renamedOn)
	case closed:
		return near(s.end)
	case corrected:
		return slices.Contains(s.corrected, d)
	}
	return false
}

// broken gives the days across which no price return is known, with the words
// that the projections have for them.
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

// multiplied is the product of the factors after one day and up to another.
func (s *story) multiplied(from, to int) float64 {
	product := 1.
	if s.adjustOn > from && s.adjustOn <= to {
		product *= adjustFactor
	}
	for _, paid := range s.distributions {
		if paid.on > from && paid.on <= to {
			product *= float64(paid.factor) / 1e6
		}
	}
	return product
}

// name is the series' at the day.
func (s *series) name(d int) string {
	if s.story.kind == renamed && d < s.story.renamedOn {
		return s.story.previous
	}
	return s.serie
}

// examined lists the dates to which expected.json gives returns: the last day, a
// month end some time before, and a day further back.
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
