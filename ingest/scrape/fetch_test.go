package scrape

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

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
		"an error of the server": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
		}, "status 500"},
		"a refusal of the server": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
		}, "status 403"},
		"part of it": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(206)
			fmt.Fprint(w, good)
		}, "status 206"},
		"unchanged, which was unknown": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(304)
		}, "status 304"},
		"half of the announced length": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d", len(good)), good[:len(good)/2])
		}, "ended before the payload"},
		"half of its chunks": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
				fmt.Sprintf("%x\r\n%s\r\n", len(good)/2, good[:len(good)/2]))
		}, "ended before the payload"},
		"half without a length": {func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nConnection: close", good[:len(good)/2])
		}, "ends inside a row"},
		"a silent server": {func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}, "no complete answer within"},
		"a server that stalls inside": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, good[:100])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "no complete answer within"},
		"a connection that breaks": {func(w http.ResponseWriter, _ *http.Request) {
			panic(http.ErrAbortHandler)
		}, "the request failed"},
		"an endless body": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := fmt.Fprint(w, good); err != nil {
					return
				}
			}
		}, "more bytes than max_bytes"},
		"a giant": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99000000000")
		}, "has 99000000000 bytes, but max_bytes is"},
		"another encoding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, good)
		}, "encoding"},
		"an error page with status 200": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!DOCTYPE html>\n<html><body>Error</body></html>\n")
		}, "web page"},
		"an empty page": {func(http.ResponseWriter, *http.Request) {}, "the file is empty"},
		"no rows yet": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "fecha,valor\n")
		}, "has a header and no rows"},
		"rows of naught": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "fecha,valor\nx,y\n")
		}, "all of its 1 rows"},
		"too few rows": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, uf("2026-08-18", "1"))
		}, "min_rows is 2"},
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
			if got := h.once(); got.Published != 1 || got.Rows != 501 || got.Trouble != "" ||
				h.published[0].SHA256 != shaOf(good) {
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
	got := pauses(h.requests())
	if want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute}; !slices.Equal(got, want) {
		t.Errorf("pauses %v, want %v", got, want)
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
				t.Errorf("Retry-After %q with %d: %d requests, %v apart; want %s", header, status, len(requests),
					requests[len(requests)-1].at.Sub(requests[0].at), want)
			}
		}
	}
}

func TestRedirectsToListedHostsAreFollowed(t *testing.T) {
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
	if len(requests) != 2 || requests[1].at.Sub(requests[0].at) != time.Second ||
		requests[1].header.Get("Referer") != "" {
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
