package scrape

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cuota/model"
)

func TestATimeOfDayIsSantiagosInSummerAndWinter(t *testing.T) {
	s := schedule{hour: 21, minute: 30}
	for now, want := range map[string][2]string{
		"2026-08-19T12:00:00Z": {"2026-08-19T01:30:00Z", "2026-08-20T01:30:00Z"},
		"2026-08-20T01:30:00Z": {"2026-08-20T01:30:00Z", "2026-08-21T01:30:00Z"},
		"2026-01-10T00:29:59Z": {"2026-01-09T00:30:00Z", "2026-01-10T00:30:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		latest, next := s.latest(at).UTC().Format(time.RFC3339), s.next(at).UTC().Format(time.RFC3339)
		if latest != want[0] || next != want[1] {
			t.Errorf("at %s: latest %s and next %s, want %s", now, latest, next, want)
		}
	}
}

func TestScheduleMomentsFollowEachOtherWhateverTheClocksDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := schedule{}
		if rapid.Bool().Draw(t, "of day") {
			s.hour, s.minute = rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(0, 59).Draw(t, "minute")
		} else {
			s.every = time.Duration(rapid.Int64Range(60, 31*86400).Draw(t, "every")) * time.Second
		}
		// The hours around both changes of 2026: 4 to 5 April and 5 to 6 September.
		start := rapid.SampledFrom([]time.Time{
			time.Date(2026, 4, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 9, 5, 0, 0, 0, 0, time.UTC),
		}).Draw(t, "start")
		now := start.Add(time.Duration(rapid.Int64Range(0, 3*86400).Draw(t, "seconds")) * time.Second)
		latest, next := s.latest(now), s.next(now)
		if latest.After(now) || !next.After(now) {
			t.Fatalf("at %s: latest %s, next %s", now, latest, next)
		}
		if !s.next(latest).Equal(next) || !s.latest(next).Equal(next) {
			t.Fatalf("at %s a moment lies between %s and %s", now, latest, next)
		}
		if s.every == 0 && next.Sub(latest) > 26*time.Hour {
			t.Fatalf("no moment between %s and %s", latest, next)
		}
	})
}

func TestPeriodsAreWholeDisjointAndEndInTime(t *testing.T) {
	day := func(text string) model.Date {
		d, err := model.ParseDate(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct {
		cadence     cadence
		first       string
		after       int
		names, last []string
	}{
		{daily, "2026-02-27", 1, []string{"2026-02-27", "2026-02-28", "2026-03-01"},
			[]string{"2026-02-27", "2026-02-28", "2026-03-01"}},
		{daily, "2026-03-02", 0, []string{"2026-03-02"}, []string{"2026-03-02"}},
		{daily, "2026-03-02", 1, nil, nil},
		{monthly, "2025-12-15", 1, []string{"2025-12-01", "2026-01-01", "2026-02-01"},
			[]string{"2025-12-31", "2026-01-31", "2026-02-28"}},
		{monthly, "2025-12-15", 3, []string{"2025-12-01", "2026-01-01"}, []string{"2025-12-31", "2026-01-31"}},
		{quarterly, "2025-08-15", 1, []string{"2025-07-01", "2025-10-01"}, []string{"2025-09-30", "2025-12-31"}},
	} {
		periods := c.cadence.until(day("2026-03-02"), day(c.first), c.after)
		var names, last []string
		for _, p := range periods {
			names, last = append(names, p.name()), append(last, p.last.String())
		}
		if len(names) != len(c.names) {
			t.Errorf("%s from %s: %v, want %v", c.cadence, c.first, names, c.names)
			continue
		}
		for i := range names {
			if names[i] != c.names[i] || last[i] != c.last[i] {
				t.Errorf("%s from %s: %v to %v, want %v to %v", c.cadence, c.first, names, last, c.names, c.last)
				break
			}
		}
	}
}

func TestByScheduleTheSiteMayFailAndIsTriedAgain(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	h.serve(uf("2026-08-18", "1"))
	h.publishFails = errors.New("the brokers are away")
	s := h.start()
	defer h.stop(s)
	withIngester := func(ctx context.Context, work func(Ingester) error) error {
		if h.ingesters == 3 {
			h.publishFails = nil
		}
		return h.withIngester(ctx, work)
	}
	h.clock.end = morning.Add(30 * time.Minute)
	if err := s.Run(t.Context(), withIngester); !errors.Is(err, errEnd) {
		t.Fatal(err)
	}
	if len(h.published) != 1 || h.ingesters != 4 || len(h.requests()) != 1 {
		t.Errorf("%d published at attempt %d after %d requests, want one at the fourth after one", len(h.published),
			h.ingesters, len(h.requests()))
	}
}

func TestByScheduleASourceIsAskedAtItsTimeOfDay(t *testing.T) {
	h := newHarness(t)
	h.configure(strings.Replace(oneDocument, `every = "1h"`, `at = "21:30"`, 1))
	h.serve(uf("2026-08-18", "1"))
	s := h.start()
	defer h.stop(s)
	h.clock.end = morning.Add(50 * time.Hour)
	if err := s.Run(t.Context(), h.withIngester); !errors.Is(err, errEnd) {
		t.Fatal(err)
	}
	var times []string
	for _, r := range h.requests() {
		times = append(times, r.at.UTC().Format("02 15:04"))
	}
	// 21:30 in winter in Santiago is 01:30 UTC. The first request is for the evening
	// before the start.
	if want := []string{"19 12:00", "20 01:30", "21 01:30"}; !slices.Equal(times, want) {
		t.Errorf("asked at %v, want %v", times, want)
	}
}

func TestNowAsksWhateverTheSchedule(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	h.serve(uf("2026-08-18", "1"))
	h.once()
	h.clock.pass(time.Minute)
	s := h.start()
	defer h.stop(s)
	s.Now()
	if err := s.Once(t.Context(), h.withIngester); err != nil || len(h.requests()) != 2 {
		t.Errorf("%v; want a second request within the hour", err)
	}
}
