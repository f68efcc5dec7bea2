package scrape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func shaOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestAPayloadIsArchivedAndPublishedOnceAndOnlyWhatChangedAgain(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	first, second := uf("2026-08-18", "39000.1"), uf("2026-08-18", "39000.2")

	h.serve(first)
	if got := h.once(); got.Published != 1 || got.Rows != 1 || got.Trouble != "" {
		t.Fatalf("first: %+v, want one published", got)
	}
	if got := h.once(); got.Fetched != 0 {
		t.Errorf("in the same hour: %+v, want nothing asked", got)
	}
	h.clock.pass(time.Hour)
	if got := h.once(); got.Fetched != 1 || got.Unchanged != 1 || got.Published != 0 {
		t.Errorf("an hour later, same bytes: %+v, want them unchanged", got)
	}
	h.serve(second)
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 {
		t.Errorf("changed bytes: %+v, want them published", got)
	}
	if len(h.published) != 2 || h.published[0].SHA256 != shaOf(first) || h.published[1].SHA256 != shaOf(second) ||
		h.published[0].Revision >= h.published[1].Revision || h.published[0].FirstDate != h.published[1].FirstDate {
		t.Errorf("manifests %+v, want both, the second with a later revision of the same day", h.published)
	}
	if !h.archived(shaOf(first)) || !h.archived(shaOf(second)) || h.ingesters != 2 {
		t.Errorf("archived %t and %t, an ingester opened %d times; want both and twice", h.archived(shaOf(first)), h.archived(shaOf(second)), h.ingesters)
	}
}

func TestASourceThatGoesBackIsToldAndItsLaterBytesKeepCounting(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	for i, body := range []string{"1", "2", "1", "1", "3", "2"} {
		h.serve(uf("2026-08-18", body))
		got := h.once()
		if reverted := i == 2 || i == 5; (got.Reverted == 1) != reverted || got.Trouble != "" {
			t.Errorf("look %d: %+v, want reverted %t", i, got, reverted)
		}
		h.clock.pass(time.Hour)
	}
	if len(h.published) != 3 {
		t.Errorf("%d published, want each of the three payloads once", len(h.published))
	}
	if !strings.Contains(h.log.String(), "serves an earlier version") {
		t.Error("nothing told that the source went back")
	}
}

func TestConditionalRequestsSpareThePayload(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	const modified = "Tue, 18 Aug 2026 20:00:00 GMT"
	etag := `"one"`
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == etag && r.Header.Get("If-Modified-Since") == modified {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", etag)
		w.Header().Set("Last-Modified", modified)
		fmt.Fprint(w, uf("2026-08-18", etag[1:2]+"1"))
	})
	etag = `"1"`
	h.once()
	h.clock.pass(time.Hour)
	if got := h.once(); got.Unchanged != 1 || got.Fetched != 0 {
		t.Errorf("second look: %+v, want a 304", got)
	}
	etag = `"2"`
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 {
		t.Errorf("third look: %+v, want the new payload", got)
	}
	requests := h.requests()
	if requests[0].header.Get("If-None-Match") != "" || requests[2].header.Get("If-None-Match") != `"1"` {
		t.Errorf("validators sent: %q, then %q", requests[0].header.Get("If-None-Match"), requests[2].header.Get("If-None-Match"))
	}
	for _, r := range requests {
		if got := r.header.Get("User-Agent"); got != "cuota-test (+mailto:tests@example.org)" {
			t.Errorf("User-Agent %q, want the configured one", got)
		}
	}
}

func TestWhatIsNoWholeAnswerIsTriedAgainAndNeverTaken(t *testing.T) {
	good := uf("2026-08-18", "39000.1") + strings.Repeat("2026-08-17,39000.1\n", 500)
	hijack := func(w http.ResponseWriter, head, body string) {
		conn, buffer, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = buffer.WriteString(head + "\r\n\r\n" + body)
		_ = buffer.Flush()
		_ = conn.Close()
	}
	cases := map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		reason string
	}{
		"an error of the server":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "status 500"},
		"a refusal of the server":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }, "status 403"},
		"part of it":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(206); fmt.Fprint(w, good) }, "status 206"},
		"unchanged, which was unknown": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, "status 304"},
		"half of the announced length": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d", len(good)), good[:len(good)/2])
		}, "ended before the payload"},
		"half of its chunks": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n", len(good)/2, good[:len(good)/2]))
		}, "ended before the payload"},
		"half without a length": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nConnection: close", good[:len(good)/2])
		}, "ends inside a row"},
		"a silent server": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no complete answer within"},
		"a server that stalls inside": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, good[:100])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "no complete answer within"},
		"a connection that breaks": {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "the request failed"},
		"an endless body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, good); err != nil {
					return
				}
			}
		}, "more bytes than max_bytes"},
		"a giant": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99000000000") }, "has 99000000000 bytes, but max_bytes is"},
		"another encoding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, good)
		}, "encoding"},
		"an error page with status 200": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!DOCTYPE html>\n<html><body>Error</body></html>\n")
		}, "web page"},
		"an empty page":   {func(http.ResponseWriter, *http.Request) {}, "the file is empty"},
		"no rows yet":     {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fecha,valor\n") }, "has a header and no rows"},
		"rows of naught":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fecha,valor\nx,y\n") }, "all of its 1 rows"},
		"too few rows":    {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, uf("2026-08-18", "1")) }, "min_rows is 2"},
		"it is not there": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "does not exist"},
		"redirected elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example.org/login?secret=x", http.StatusFound)
		}, "redirects to http://elsewhere.example.org/login?…"},
		"redirected to a file": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		}, "redirects from https to an address without https"},
		"redirected for ever": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}, "more than 5 times"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.configure("max_bytes = 1000000\nretries = 2" + oneDocument + "min_rows = 2\n")
			h.adjust = func(s *Scraper) {
				// Only a server that never answers needs the real clock.
				if strings.Contains(c.reason, "no complete answer") {
					s.sources[0].timeout = 100 * time.Millisecond
				}
			}
			h.serves(c.answer)
			got := h.once()
			if got.Published != 0 || h.messages != 0 || !strings.Contains(got.Trouble, c.reason) {
				t.Errorf("%+v with %d messages, want trouble about %q and nothing published", got, h.messages, c.reason)
			}
			if tries := got.Failed + got.Refused; tries != 3 {
				t.Errorf("%d attempts, want the first and two more", tries)
			}
			// It waits until its schedule comes again, and then succeeds.
			h.requests()
			if h.once(); len(h.requests()) != 0 {
				t.Error("it was asked again while it rests")
			}
			h.adjust = nil
			h.serve(good)
			h.clock.pass(time.Hour)
			if got := h.once(); got.Published != 1 || got.Rows != 501 || got.Trouble != "" || h.published[0].SHA256 != shaOf(good) {
				t.Errorf("then %+v, want the whole payload", got)
			}
		})
	}
}

func TestAFailureIsOvercomeByTheNextAttemptAndPausesDouble(t *testing.T) {
	h := newHarness(t)
	h.configure(strings.Replace(oneDocument, `backoff = "1s"`, `backoff = "30s"`, 1))
	failures := 0
	h.serves(func(w http.ResponseWriter, _ *http.Request) {
		if failures++; failures <= 3 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, uf("2026-08-18", "1"))
	})
	if got := h.once(); got.Failed != 3 || got.Published != 1 || got.Trouble != "" {
		t.Errorf("%+v, want three failures and then the payload", got)
	}
	var pauses []time.Duration
	requests := h.requests()
	for i := 1; i < len(requests); i++ {
		pauses = append(pauses, requests[i].at.Sub(requests[i-1].at))
	}
	if want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute}; !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
}

func TestRetryAfterIsHonouredWithinBounds(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"90":                            90 * time.Second,
		"99999999":                      time.Hour,
		"Wed, 19 Aug 2026 12:05:00 GMT": 5 * time.Minute,
		"Wed, 19 Aug 2020 12:05:00 GMT": time.Second,
		"soon":                          time.Second,
		"-5":                            time.Second,
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			h := newHarness(t)
			h.configure(oneDocument)
			first := true
			h.serves(func(w http.ResponseWriter, _ *http.Request) {
				if first {
					w.Header().Set("Retry-After", header)
					w.WriteHeader(status)
				} else {
					fmt.Fprint(w, uf("2026-08-18", "1"))
				}
				first = false
			})
			h.once()
			requests := h.requests()
			if len(requests) != 2 || requests[1].at.Sub(requests[0].at) != want {
				t.Errorf("Retry-After %q with %d: %d requests, %v apart; want %s", header, status, len(requests), requests[len(requests)-1].at.Sub(requests[0].at), want)
			}
		}
	}
}

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

func TestAHistoryIsFetchedAtThePaceOfTheHostAndThenOnlyItsEndAgain(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, uf(day(r), "1")) })
	if got := h.once(); got.Published != 9 {
		t.Errorf("%+v, want the 10th to the 18th", got)
	}
	requests := h.requests()
	if requests[0].path != "/uf/2026/08/18.csv" || requests[8].path != "/uf/2026/08/10.csv" {
		t.Errorf("asked from %s to %s, want the newest first", requests[0].path, requests[8].path)
	}
	for i := 1; i < len(requests); i++ {
		if pause := requests[i].at.Sub(requests[i-1].at); pause != 10*time.Second {
			t.Errorf("request %d came %s after the one before, want the polite 10s", i, pause)
		}
	}
	h.clock.pass(24 * time.Hour)
	h.serves(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, uf(day(r), "2")) })
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
	h.configure(everyDay + strings.Replace(strings.Replace(everyDay, `"uf"`, `"again"`, 1), `at = "07:00"`, `every = "1h"`, 1) + `interval = "7s"`)
	h.serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	h.once()
	requests := h.requests()
	if len(requests) != 18 {
		t.Fatalf("%d requests, want 9 of each source", len(requests))
	}
	for i := 1; i < len(requests); i++ {
		if pause := requests[i].at.Sub(requests[i-1].at); pause < 7*time.Second {
			t.Errorf("request %d came %s after the one before", i, pause)
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
	h.serves(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, uf(day(r), "1")) })
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
		fmt.Fprint(w, uf(day(r), "1"))
	})
	for range 7 {
		h.once()
		h.clock.pass(24 * time.Hour)
	}
	if asks != 4 {
		t.Errorf("asked %d times, want three as a recent day and one as an old one", asks)
	}
}

func TestAStopResumesWithoutAskingForWhatIsDone(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	// The process is killed during the fifth request.
	ctx, kill := context.WithCancel(t.Context())
	n := 0
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if n++; n == 5 {
			fmt.Fprint(w, uf(day(r), "1")[:5])
			_ = http.NewResponseController(w).Flush()
			kill()
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, uf(day(r), "1"))
	})
	killed := h.start()
	if err := killed.Once(ctx, h.withIngester); !errors.Is(err, context.Canceled) {
		t.Fatalf("the killed run ended with %v", err)
	}
	if err := killed.lock.Close(); err != nil { // the kernel does only this when a process dies
		t.Fatal(err)
	}
	killed.fetcher.close()
	if len(h.published) != 0 || len(h.requests()) != 5 {
		t.Fatalf("%d published before the kill", len(h.published))
	}
	got := h.once()
	requests := h.requests()
	if got.Fetched != 5 || got.Published != 9 || len(requests) != 5 || requests[0].path != "/uf/2026/08/14.csv" {
		t.Errorf("%+v after %d requests, want the five that were missing fetched and all nine published", got, len(requests))
	}
}

func TestKilledAtAnyRequestOrPublicationTheNextProcessCompletesTheWork(t *testing.T) {
	h := newHarness(t)
	h.configure(strings.Replace(everyDay, "2026-08-10", "2026-08-15", 1))
	// A kill -9 leaves what is on disk at that moment.
	type moment struct {
		archive string
		asked   int
	}
	var moments []moment
	snapshot := func() {
		archive := filepath.Join(t.TempDir(), "archive")
		if err := os.CopyFS(archive, os.DirFS(h.archive)); err != nil {
			t.Error(err)
		}
		moments = append(moments, moment{archive, len(h.asked)})
	}
	answer := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, uf(day(r), "1")) }
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		snapshot()
		answer(w, r)
	})
	h.onPublish = snapshot
	h.once()
	h.onPublish = nil
	if len(moments) != 4+4+4 { // requests, messages of events, manifests
		t.Fatalf("%d moments", len(moments))
	}
	want := map[string]bool{}
	for _, manifest := range h.published {
		want[manifest.SHA256] = true
	}
	h.serves(answer)
	for i, m := range moments {
		h.requests()
		h.published, h.archive = nil, m.archive
		got := h.once()
		// The request that was under way is repeated; earlier ones are not.
		repeats := len(h.requests())
		if limit := 4 - m.asked + 1; m.asked < 4 && repeats > limit || i >= 4 && repeats != 0 {
			t.Errorf("moment %d: %d requests after %d", i, repeats, m.asked)
		}
		published := map[string]bool{}
		for _, manifest := range h.published {
			published[manifest.SHA256] = true
		}
		// Messages that were published just before the kill may be published again. They
		// hold the same events.
		missing := 0
		for sha := range want {
			if !published[sha] {
				missing++
			}
		}
		if done := max(0, (i-4)/2); missing != done || got.Trouble != "" {
			t.Errorf("moment %d: %+v, %d payloads not published, want %d that were before", i, got, missing, done)
		}
		if again := h.once(); again.Fetched+again.Published != 0 {
			t.Errorf("moment %d: a third process did %+v", i, again)
		}
	}
}

func TestWhatCouldNotBePublishedIsPublishedLaterWithoutFetchingAgain(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, uf(day(r), "1")) })
	h.publishFails = errors.New("the brokers are away")
	s := h.start()
	if err := s.Once(t.Context(), h.withIngester); !errors.Is(err, h.publishFails) {
		t.Fatalf("%v, want the error of publishing", err)
	}
	h.stop(s)
	h.requests()
	h.publishFails = nil
	if got := h.once(); got.Published != 9 || len(h.requests()) != 0 || h.published[0].File != "uf_20260810.csv" {
		t.Errorf("%+v, want all nine published from the archive under their names", got)
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
		t.Errorf("%d published at attempt %d after %d requests, want one at the fourth after one", len(h.published), h.ingesters, len(h.requests()))
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

func TestOneBadDocumentKeepsNoOtherWaiting(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if day(r) == "2026-08-18" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, uf(day(r), "1"))
	})
	got := h.once()
	if got.Published != 8 || got.Failed != 6 || !strings.Contains(got.Trouble, "2026-08-18: the site answered with status 500") {
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

func TestASiteThatGivesOtherDaysThanAskedForIsRefused(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 0\n" + everyDay)
	h.serve(uf("2026-08-18", "1"))
	got := h.once()
	if got.Published != 1 || got.Refused != 1 || !strings.Contains(got.Trouble, "the request was for 2026-08-17 to 2026-08-17, but the rows are of 2026-08-18 to 2026-08-18") {
		t.Errorf("%+v, want the 18th published and the 17th refused", got)
	}
}

func TestTheSameBytesForTwoPeriodsAreRefused(t *testing.T) {
	h := newHarness(t)
	h.configure(`
retries = 0
[[source]]
name = "naci"
dataset = "register"
url = "SERVER/r.csv"
form = { aa = "{yyyy}", mm = "{mm}", cartera = "NACI" }
file = "naci_{yyyy}{mm}.txt"
period = "monthly"
first = "2026-06-01"
at = "07:00"
`)
	h.serve(register)
	got := h.once()
	if got.Published != 1 || got.Refused != 1 || !strings.Contains(got.Trouble, "it equals the document of 2026-07-01") {
		t.Errorf("%+v, want July published and June refused", got)
	}
	first := h.requests()[0]
	if first.method != http.MethodPost || first.form != "aa=2026&cartera=NACI&mm=07" || h.published[0].File != "naci_202607.txt" {
		t.Errorf("asked by %s with %s, archived as %s", first.method, first.form, h.published[0].File)
	}
}

// register is a file whose rows have no dates.
const register = "RUT Administradora;Raz. Social Administradora;RUN Fondo;Nombre Fondo;Nombre Corto;Fecha Res. Aprobación del RI;Nro. Res. Aprobación del RI;Tipo de Fondo Mutuo;Fecha Inicio Operaciones;Fecha Término Operaciones;Moneda\n" +
	"96667040;SANTANDER ASSET MANAGEMENT S.A. ADMINISTRADORA GENERAL DE FONDOS;8057;FONDO MUTUO UNIVERSO;UNIVERSO;01/01/2000;1;1;02/01/2000;;$$\n"

func TestRedirectsWithinTheHostAndToListedOnesAreFollowedAtItsPace(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/uf.csv" {
			http.Redirect(w, r, "/moved.csv", http.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, uf("2026-08-18", "1"))
	})
	if got := h.once(); got.Published != 1 {
		t.Errorf("within the host: %+v", got)
	}
	requests := h.requests()
	if len(requests) != 2 || requests[1].at.Sub(requests[0].at) != time.Second || requests[1].header.Get("Referer") != "" {
		t.Errorf("requests %+v, want the second a second later and without Referer", requests)
	}

	other := newHarness(t)
	other.serve(uf("2026-08-18", "2"))
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.server.URL+"/there", http.StatusTemporaryRedirect)
	})
	h.configure(oneDocument + `redirect_hosts = ["` + strings.TrimPrefix(other.server.URL, "http://") + `"]`)
	h.clock.pass(time.Hour)
	if got := h.once(); got.Published != 1 || len(other.requests()) != 1 {
		t.Errorf("to a listed host: %+v", got)
	}
}

func TestNoSecretOfAnAddressIsLoggedOrKept(t *testing.T) {
	h := newHarness(t)
	for _, answer := range []func(http.ResponseWriter, *http.Request){
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://[bad/?token=hunter2")
			w.WriteHeader(http.StatusFound)
		},
		func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, uf("2026-08-18", "1")) },
	} {
		h.configure(strings.Replace(oneDocument, "SERVER/uf.csv", strings.Replace(h.server.URL, "://", "://me:s3cret@", 1)+"/uf.csv?token=hunter2", 1))
		h.serves(answer)
		got := h.once()
		h.clock.pass(time.Hour)
		for _, secret := range []string{"hunter2", "s3cret"} {
			if strings.Contains(h.log.String()+got.Trouble+stateOf(t, h), secret) {
				t.Fatalf("%s is told:\n%s\n%s", secret, h.log.String(), got.Trouble)
			}
		}
	}
	if len(h.published) != 1 || !strings.HasPrefix(h.requests()[0].header.Get("Authorization"), "Basic ") {
		t.Error("the address with a password did not work at all")
	}
}

func TestAChangedQuestionIsAskedAnew(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	h.serves(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		fmt.Fprint(w, uf("2026-08-18", "1"))
	})
	h.once()
	h.configure(strings.Replace(oneDocument, "/uf.csv", "/other.csv", 1))
	h.once()
	requests := h.requests()
	if len(requests) != 2 || requests[1].header.Get("If-None-Match") != "" {
		t.Errorf("%d requests, want the new address asked at once and without the old validator", len(requests))
	}
}

func TestRefusedPayloadsAreKeptAsEvidence(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 0\n" + oneDocument)
	page := "<html>maintenance</html>\n"
	h.serve(page)
	if got := h.once(); got.Refused != 1 || !strings.Contains(got.Trouble, shaOf(page)) || !h.archived(shaOf(page)) {
		t.Errorf("%+v, want the page archived and its sha256 told", got)
	}
}

func TestOneProcessWorksOnTheStateAtATime(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	s := h.start()
	config, err := parseConfig(h.config, "")
	if err != nil {
		t.Fatal(err)
	}
	second := New(config, h.archive, h.clock, s.log)
	if err := second.Start(); err == nil || !strings.Contains(err.Error(), "another cuota scrape") {
		t.Errorf("a second start gives %v", err)
	}
	h.stop(second)
	h.stop(s)
	h.stop(h.start())
}
