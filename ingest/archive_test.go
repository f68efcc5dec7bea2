package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/unfinished"
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
		t.Errorf("another date: %v, %d topics; want a refusal that names the revision and nothing published", err, len(h.out.topics))
	}
}

func TestPublicationDateInTheFutureIsRefused(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", fixture(t, "cartola.txt"))
	for _, published := range []time.Time{today.AddDate(0, 0, 2), time.Unix(-1, 0)} {
		if _, err := h.File(t.Context(), Request{Dataset: model.Cartola, Path: path, Published: published}); err == nil {
			t.Errorf("published %s is taken", published)
		}
	}
	if len(h.out.topics) != 0 {
		t.Errorf("something was published")
	}
}

func TestSameBytesAreOfOneDataset(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "valor.csv", fixture(t, "uf.csv"))
	h.ingest(t, model.UF, path)
	h.out.topics = nil
	_, err := h.File(t.Context(), Request{Dataset: model.Dolar, Path: path})
	if err == nil || !strings.Contains(err.Error(), "ingested before as dataset uf") || len(h.out.topics) != 0 {
		t.Errorf("as dolar: %v, want a refusal and nothing published", err)
	}
}

func TestRefusedFileMayBeIngestedUnderItsRightDataset(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", fixture(t, "cartola.txt"))
	if report := h.ingest(t, model.Register, path); !report.Refused {
		t.Fatalf("report %+v, want a refusal", report)
	}
	if report := h.ingest(t, model.Register, path); !report.Refused {
		t.Fatalf("the second time: %+v, want a refusal", report)
	}
	h.clock = h.clock.Add(time.Hour)
	report := h.ingest(t, model.Cartola, path)
	if report.Published != 6 || report.Revision != today.UnixMilli() {
		t.Errorf("report %+v, want six rows with the first sight as revision", report)
	}
	if _, err := h.File(t.Context(), Request{Dataset: model.Register, Path: path}); err == nil {
		t.Error("the wrong dataset is taken again after the right one")
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

func TestPayloadIsArchivedWholeBeforeAnythingIsPublished(t *testing.T) {
	h := newHarness(t)
	content := fixture(t, "cartola.txt")
	checked := 0
	h.out.fail = func(string) error {
		checked++
		notes, err := filepath.Glob(filepath.Join(h.archive.dir, "??", "*.json"))
		if err != nil || len(notes) != 1 {
			t.Fatalf("notes %v, %v; want one", notes, err)
		}
		note, err := os.ReadFile(notes[0])
		if err != nil {
			t.Fatal(err)
		}
		var entry Entry
		if err := json.Unmarshal(note, &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Dataset != model.Cartola || entry.File != "f.txt" || entry.Size != int64(len(content)) || !entry.FirstSeen.Equal(today) || entry.Revision != today.UnixMilli() {
			t.Errorf("the archive notes %+v", entry)
		}
		sha := strings.TrimSuffix(filepath.Base(notes[0]), ".json")
		if filepath.Base(filepath.Dir(notes[0])) != sha[:2] {
			t.Errorf("%s is not in the folder of its first two digits", notes[0])
		}
		payload, err := h.archive.Open(t.Context(), sha)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := io.ReadAll(payload)
		if err != nil || !bytes.Equal(kept, []byte(content)) {
			t.Errorf("the archive gives %d bytes, %v; want the file", len(kept), err)
		}
		return payload.Close()
	}
	h.ingest(t, model.Cartola, fileOf(t, "f.txt", content))
	if checked != 2 {
		t.Errorf("published in %d calls, want events and manifest", checked)
	}
	left, err := filepath.Glob(filepath.Join(h.archive.dir, ".incoming-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files %v, %v; want none", left, err)
	}
}

func TestWhatKilledProcessesWereWritingIsRemovedBeforeTheNextFile(t *testing.T) {
	h := newHarness(t)
	if err := os.MkdirAll(h.archive.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := os.WriteFile(filepath.Join(h.archive.dir, incoming+strconv.Itoa(i)), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writing, err := unfinished.Create(h.archive.dir, incoming) // held open, as by another running process
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writing.Close() }()
	h.ingest(t, model.Cartola, fileOf(t, "f.txt", fixture(t, "cartola.txt")))
	left, err := filepath.Glob(filepath.Join(h.archive.dir, incoming+"*"))
	if err != nil || len(left) != 1 || left[0] != writing.Name() {
		t.Errorf("temporary files %v, %v; want the one that is being written", left, err)
	}
}

func TestDamagedArchiveIsNoticedAndMendedByTheOriginal(t *testing.T) {
	h := newHarness(t)
	content := fixture(t, "cartola.txt")
	path := fileOf(t, "f.txt", content)
	sha := h.ingest(t, model.Cartola, path).SHA256
	other := h.ingest(t, model.UF, fileOf(t, "uf.csv", fixture(t, "uf.csv"))).SHA256
	stored := h.archive.path(sha, ".zst")

	whole, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := os.ReadFile(h.archive.path(other, ".zst"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{"flipped": flipped, "cut": whole[:len(whole)/2], "swapped": swapped, "empty": {}} {
		if err := os.WriteFile(stored, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if payload, err := h.archive.Open(t.Context(), sha); err == nil {
			_ = payload.Close()
			t.Errorf("%s: the damaged payload opens", name)
		}
	}
	h.ingest(t, model.Cartola, path)
	payload, err := h.archive.Open(t.Context(), sha)
	if err != nil {
		t.Fatalf("after ingesting the original again: %v", err)
	}
	if err := payload.Close(); err != nil {
		t.Error(err)
	}
}

func TestFileAboveTheSizeLimitIsRefused(t *testing.T) {
	h := newHarness(t)
	content := fixture(t, "cartola.txt")
	h.archive.limit = int64(len(content)) - 1
	if _, err := h.File(t.Context(), Request{Dataset: model.Cartola, Path: fileOf(t, "f.txt", content)}); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("one byte too many: %v, want a refusal", err)
	}
	h.archive.limit++
	h.ingest(t, model.Cartola, fileOf(t, "f.txt", content))
}

func TestOneOfManyFirstSightsStands(t *testing.T) {
	h := newHarness(t)
	path := fileOf(t, "f.txt", fixture(t, "cartola.txt"))
	var mu sync.Mutex
	clock := today
	h.archive.now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(time.Second)
		return clock
	}
	var group sync.WaitGroup
	revisions := make([]int64, 8)
	for i := range revisions {
		group.Go(func() {
			report, err := h.File(context.Background(), Request{Dataset: model.Cartola, Path: path})
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

func TestOnlyRegularFilesAreRead(t *testing.T) {
	h := newHarness(t)
	for _, path := range []string{t.TempDir(), "/dev/null", filepath.Join(t.TempDir(), "absent")} {
		if _, err := h.File(t.Context(), Request{Dataset: model.Cartola, Path: path}); err == nil {
			t.Errorf("%s is read", path)
		}
	}
	if _, err := h.File(t.Context(), Request{Dataset: "bonds", Path: fileOf(t, "f", "")}); err == nil {
		t.Error("an unknown dataset is read")
	}
}

func TestArchivingEndsWithItsContext(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.File(ctx, Request{Dataset: model.Cartola, Path: fileOf(t, "f.txt", fixture(t, "cartola.txt"))})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}
