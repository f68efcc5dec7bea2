package scrape

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		eachDay("1")(w, r)
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
		t.Errorf("%+v after %d requests, want the five that were missing fetched and all nine published", got,
			len(requests))
	}
}

func TestKilledAtAnyPointTheNextProcessCompletesTheWork(t *testing.T) {
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
	answer := eachDay("1")
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

func TestWhatCouldNotBePublishedIsPublishedLater(t *testing.T) {
	h := newHarness(t)
	h.configure(everyDay)
	h.serves(eachDay("1"))
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
