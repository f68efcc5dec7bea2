package scrape

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// everyDay asks for each day since 10 August, and again for the last 3.
const everyDay = `
[[source]]
name = "uf"
dataset = "uf"
url = "SERVER/uf/{yyyy}/{mm}/{dd}.csv"
period = "daily"
first = "2026-08-10"
again = 3
at = "07:00"
`

// day returns the day that a request of everyDay asks for.
func day(r *http.Request) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/uf/"), ".csv"), "/", "-")
}

// eachDay answers a request of everyDay with the value of its day.
func eachDay(value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, uf(day(r), value)) }
}

// pauses returns the times between requests.
func pauses(requests []asked) []time.Duration {
	var list []time.Duration
	for i := 1; i < len(requests); i++ {
		list = append(list, requests[i].at.Sub(requests[i-1].at))
	}
	return list
}

func TestAHistoryIsFetchedOnceAndThenOnlyItsEnd(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(eachDay("1"))
	if got := h.once(); got.Published != 9 {
		t.Errorf("%+v, want the 10th to the 18th", got)
	}
	requests := h.requests()
	if requests[0].path != "/uf/2026/08/18.csv" || requests[8].path != "/uf/2026/08/10.csv" {
		t.Errorf("asked from %s to %s, want the newest first", requests[0].path, requests[8].path)
	}
	for i, pause := range pauses(requests) {
		if pause != 10*time.Second {
			t.Errorf("request %d came %s after the one before, want the polite 10s", i+1, pause)
		}
	}
	h.clock.pass(24 * time.Hour)
	h.serves(eachDay("2"))
	if got := h.once(); got.Published != 3 {
		t.Errorf("a day later: %+v, want the newest three looked at again", got)
	}
	var paths []string
	for _, r := range h.requests() {
		paths = append(paths, r.path)
	}
	if want := []string{"/uf/2026/08/19.csv", "/uf/2026/08/18.csv", "/uf/2026/08/17.csv"}; !slices.Equal(paths, want) {
		t.Errorf("asked for %v, want %v", paths, want)
	}
}

func TestSourcesOfOneHostShareItsPace(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay + strings.Replace(strings.Replace(everyDay, `"uf"`, `"again"`, 1), `at = "07:00"`,
		`every = "1h"`, 1) + `interval = "7s"`)
	h.serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	h.once()
	requests := h.requests()
	if len(requests) != 18 {
		t.Fatalf("%d requests, want 9 of each source", len(requests))
	}
	for i, pause := range pauses(requests) {
		if pause < 7*time.Second {
			t.Errorf("request %d came %s after the one before", i+1, pause)
		}
	}
}

func TestARecentDayThatIsNotThereIsNotYetAndAnOldOneIsAbsent(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if day(r) < "2026-08-17" && day(r) != "2026-08-12" {
			fmt.Fprint(w, uf(day(r), "1"))
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	if got := h.once(); got.NotYet != 2 || got.Absent != 1 || got.Published != 6 || got.Trouble != "" {
		t.Errorf("%+v, want the 17th and 18th not yet, the 12th absent and no trouble", got)
	}
	h.requests()
	h.clock.pass(24 * time.Hour)
	h.serves(eachDay("1"))
	if got := h.once(); got.Published != 3 || len(h.requests()) != 3 {
		t.Errorf("a day later: %+v, want the 17th to the 19th alone", got)
	}
}

func TestADayThatNeverCameIsAskedForOnceMoreWhenItIsOld(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	asks := 0
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if day(r) == "2026-08-18" {
			asks++
			w.WriteHeader(http.StatusGone)
			return
		}
		eachDay("1")(w, r)
	})
	for range 7 {
		h.once()
		h.clock.pass(24 * time.Hour)
	}
	if asks != 4 {
		t.Errorf("asked %d times, want three as a recent day and one as an old one", asks)
	}
}

func TestOneBadDocumentKeepsNoOtherWaiting(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if day(r) == "2026-08-18" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		eachDay("1")(w, r)
	})
	got := h.once()
	if got.Published != 8 || got.Failed != 6 ||
		!strings.Contains(got.Trouble, "2026-08-18: the site answered with status 500") {
		t.Errorf("%+v, want eight published and trouble with the 18th alone", got)
	}
}

func TestADeadHostIsLeftAloneUntilTheScheduleComesAgain(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	if got := h.once(); got.Failed != 5 {
		t.Errorf("%+v, want five attempts in all for nine documents", got)
	}
	h.clock.pass(24 * time.Hour)
	if got := h.once(); got.Failed != 5 {
		t.Errorf("a day later: %+v, want five more", got)
	}
}
