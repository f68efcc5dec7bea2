package account

import (
	"testing"
	"time"

	"cuota/internal/santiago"
)

// walk goes through time minute by minute. It calls changed for each minute at which the local
// date, read from the wall clock only, differs from that of the minute before.
func walk(from, to time.Time, changed func(at time.Time)) {
	before := from.In(santiago.Zone).Day()
	for at := from.Add(time.Minute); at.Before(to); at = at.Add(time.Minute) {
		if day := at.In(santiago.Zone).Day(); day != before {
			before = day
			changed(at)
		}
	}
}

func TestTheQuotaResetsAtTheFirstInstantOfTheNextLocalDate(t *testing.T) {
	from, to := time.Date(2015, 1, 1, 12, 0, 0, 0, time.UTC), time.Date(2035, 1, 1, 12, 0, 0, 0, time.UTC)
	start := from
	lengths := map[time.Duration]int{}
	days := 0
	walk(from, to, func(reset time.Time) {
		days++
		dateBefore, dateAfter := dayOf(reset.Add(-time.Nanosecond)), dayOf(reset)
		if dateBefore >= dateAfter {
			t.Fatalf("%v: date %s is followed by %s", reset, dateBefore, dateAfter)
		}
		// Every hour of the day, its first instant and its last have this reset time.
		for at := start; at.Before(reset); at = at.Add(time.Hour) {
			if got := santiago.NextDay(at); !got.Equal(reset) {
				t.Fatalf("NextDay(%v) = %v, want %v", at, got, reset)
			}
		}
		if got := santiago.NextDay(reset.Add(-time.Nanosecond)); !got.Equal(reset) {
			t.Fatalf("NextDay just before %v = %v", reset, got)
		}
		if start != from {
			lengths[reset.Sub(start)]++
		}
		start = reset
	})
	if days != 7305 {
		t.Errorf("%d dates, want 7305", days)
	}
	// Santiago kept summer time all through 2015, so 2016 to 2034 have both changes.
	if lengths[23*time.Hour] != 19 || lengths[25*time.Hour] != 19 || len(lengths) != 3 {
		t.Errorf("days by their length: %v, want 19 of 23 h and 19 of 25 h", lengths)
	}
}

func TestKnownResets(t *testing.T) {
	for _, known := range []struct{ at, date, reset string }{
		{"2026-09-05T23:59:59-04:00", "2026-09-05", "2026-09-06T01:00:00-03:00"}, // there is no 00:00
		{"2026-09-06T01:00:00-03:00", "2026-09-06", "2026-09-07T00:00:00-03:00"}, // 23 hours
		{"2026-04-04T00:00:00-03:00", "2026-04-04", "2026-04-05T00:00:00-04:00"}, // 25 hours
		{"2026-04-04T23:30:00-03:00", "2026-04-04", "2026-04-05T00:00:00-04:00"}, // the first 23:30
		{"2026-04-04T23:30:00-04:00", "2026-04-04", "2026-04-05T00:00:00-04:00"}, // the second
		{"2022-09-10T12:00:00-04:00", "2022-09-10", "2022-09-11T01:00:00-03:00"}, // a week late, for a plebiscite
		{"2026-12-31T12:00:00-03:00", "2026-12-31", "2027-01-01T00:00:00-03:00"},
		{"2028-02-28T12:00:00-03:00", "2028-02-28", "2028-02-29T00:00:00-03:00"},
	} {
		at, err := time.Parse(time.RFC3339, known.at)
		check(t, err)
		if got := dayOf(at); got != known.date {
			t.Errorf("dayOf(%s) = %s, want %s", known.at, got, known.date)
		}
		want, err := time.Parse(time.RFC3339, known.reset)
		check(t, err)
		if got := santiago.NextDay(at); !got.Equal(want) {
			t.Errorf("NextDay(%s) = %v, want %s", known.at, got, known.reset)
		}
	}
}
