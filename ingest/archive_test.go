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
	"testing"
	"time"

	"cuota/ingest/archive"
	"cuota/internal/unfinished"
	"cuota/model"
)

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

func TestPayloadIsArchivedWholeBeforeAnythingIsPublished(t *testing.T) {
	h := newHarness(t)
	content := fixture(t, "cartola.txt")
	checked := 0
	h.out.fail = func(string) error {
		checked++
		notes, err := filepath.Glob(filepath.Join(h.dir, "??", "*.json"))
		if err != nil || len(notes) != 1 {
			t.Fatalf("notes %v, %v; want one", notes, err)
		}
		note, err := os.ReadFile(notes[0])
		if err != nil {
			t.Fatal(err)
		}
		var entry archive.Entry
		if err := json.Unmarshal(note, &entry); err != nil {
			t.Fatal(err)
		}
		if entry.Dataset != model.Cartola || entry.File != "f.txt" || entry.Size != int64(len(content)) ||
			!entry.FirstSeen.Equal(today) || entry.Revision != today.UnixMilli() {
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
	left, err := filepath.Glob(filepath.Join(h.dir, ".incoming-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files %v, %v; want none", left, err)
	}
}

func TestUnfinishedFilesOfKilledProcessesAreRemoved(t *testing.T) {
	h := newHarness(t)
	if err := os.MkdirAll(h.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := os.WriteFile(filepath.Join(h.dir, ".incoming-"+strconv.Itoa(i)), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writing, err := unfinished.Create(h.dir, ".incoming-") // held open, as by another running process
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writing.Close() }()
	h.ingest(t, model.Cartola, fileOf(t, "f.txt", fixture(t, "cartola.txt")))
	left, err := filepath.Glob(filepath.Join(h.dir, ".incoming-"+"*"))
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
	stored := h.path(sha, ".zst")

	whole, err := os.ReadFile(stored)
	if err != nil {
		t.Fatal(err)
	}
	swapped, err := os.ReadFile(h.path(other, ".zst"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{"flipped": flipped, "cut": whole[:len(whole)/2], "swapped": swapped,
		"empty": {}} {
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
