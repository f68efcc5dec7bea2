package ingest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/ingest/archive"
	"cuota/model"
)

func TestSameBytesGiveTheSameMessagesWheneverIngested(t *testing.T) {
	h := newHarness(t)
	content := fixture(t, "cartola.txt") + "broken\n"
	h.ingest(t, model.Cartola, fileOf(t, "first.txt", content))
	first := h.out.topics

	h.clock = h.clock.AddDate(3, 0, 0)
	h.out.topics = nil
	report := h.ingest(t, model.Cartola, fileOf(t, "second.txt", content))
	if diff := cmp.Diff(first, h.out.topics); diff != "" {
		t.Errorf("messages differ the second time:\n%s", diff)
	}
	if report.File != "first.txt" || report.Revision != today.UnixMilli() {
		t.Errorf("report %+v, want the first name and the first sight", report)
	}
}

func TestVerdictOnAFutureDayDoesNotChangeWithTime(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", strings.Replace(fixture(t, "cartola.txt"), ";20260201;", ";20260910;", 1))
	before := h.ingest(t, model.Cartola, path)
	h.clock = h.clock.AddDate(1, 0, 0)
	after := h.ingest(t, model.Cartola, path)
	if before.Rejected != 1 || after.Rejected != 1 {
		t.Errorf("rejected %d, then %d; want 1 both times", before.Rejected, after.Rejected)
	}
}

func TestTomorrowIsSantiagos(t *testing.T) {
	h := newHarness(t)
	h.clock = time.Date(2026, 6, 2, 3, 30, 0, 0, time.UTC) // in Santiago it is still the 1st
	content := strings.Replace(fixture(t, "cartola.txt"), ";20260201;", ";20260602;", 1)
	content = strings.Replace(content, ";20260201;", ";20260603;", 1)
	report := h.ingest(t, model.Cartola, fileOf(t, "f.txt", content))
	if report.Rejected != 1 || report.FirstRejects[0].Line != 3 {
		t.Errorf("report %+v, want line 3 rejected and line 2 taken", report)
	}
}

func TestRevisionIsThePublicationDateWhereStated(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", fixture(t, "cartola.txt"))
	published := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	request := Request{Dataset: model.Cartola, Path: path, Published: published}
	if report, err := h.File(t.Context(), request); err != nil || report.Revision != published.UnixMilli() {
		t.Fatalf("revision %d, %v; want that of %s", report.Revision, err, published)
	}
	if report := h.ingest(t, model.Cartola, path); report.Revision != published.UnixMilli() {
		t.Errorf("without the date, revision %d; want the archived one", report.Revision)
	}
	if _, err := h.File(t.Context(), request); err != nil {
		t.Errorf("with the same date again: %v", err)
	}
	published2 := published.AddDate(0, 0, 1)
	h.out.topics = nil
	_, err := h.File(t.Context(), Request{Dataset: model.Cartola, Path: path, Published: published2})
	if err == nil || !strings.Contains(err.Error(), "2026-02-03T12:00:00Z") || len(h.out.topics) != 0 {
		t.Errorf("another date: %v, %d topics; want a refusal that names the revision and nothing published", err,
			len(h.out.topics))
	}
}

func TestPublicationDateInTheFutureIsRefused(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", fixture(t, "cartola.txt"))
	for _, published := range []time.Time{today.AddDate(0, 0, 2), time.Unix(-1, 0)} {
		if _, err := h.File(t.Context(),
			Request{Dataset: model.Cartola, Path: path, Published: published}); err == nil {
			t.Errorf("published %s is taken", published)
		}
	}
	if len(h.out.topics) != 0 {
		t.Errorf("something was published")
	}
}

func TestSheetKeepsItsDayUnderALaterName(t *testing.T) {
	h := newHarness(t)
	content := fixture(t, "sheet_20250720.csv")
	h.ingest(t, model.AAFM, fileOf(t, "sheet_20250720.csv", content))
	first := h.out.topics
	for _, name := range []string{"sheet_20250721.csv", "sheet.csv"} {
		h.out.topics = nil
		h.ingest(t, model.AAFM, fileOf(t, name, content))
		if diff := cmp.Diff(first, h.out.topics); diff != "" {
			t.Errorf("as %s the messages differ:\n%s", name, diff)
		}
	}
}

func TestOneOfManyFirstSightsStands(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", fixture(t, "cartola.txt"))
	var mu sync.Mutex
	clock := today
	seen := archive.New(h.dir, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Second)
		return clock
	})
	ingester := New(seen, h.out, zerolog.Nop())
	var group sync.WaitGroup
	revisions := make([]int64, 8)
	for i := range revisions {
		group.Go(func() {
			report, err := ingester.File(context.Background(), Request{Dataset: model.Cartola, Path: path})
			if err != nil {
				t.Error(err)
			}
			revisions[i] = report.Revision
		})
	}
	group.Wait()
	for _, revision := range revisions {
		if revision != revisions[0] {
			t.Fatalf("revisions %v, want one", revisions)
		}
	}
}
