package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"cuota/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const manyRows = "../demo/files/macro/uf_diaria.csv" // has more than two batches

func TestEventsKeepTheOrderOfTheFile(t *testing.T) {
	h := newHarness(t)
	h.ingest(t, model.UF, manyRows)
	events := h.out.topics[model.UF.Topic()]
	line := uint32(1)
	for _, message := range events {
		event := decoded[model.Indicator](t, message)
		if line++; event.Line != line || string(message.Key) != event.Key() {
			t.Fatalf("line %d with key %s comes as number %d", event.Line, message.Key, line)
		}
	}
}

func TestManifestGoesLastAndOnlyWhenAllIsAcknowledged(t *testing.T) {
	refused := errors.New("broker is away")
	for failing := range 3 { // number of batches in the file
		h := newHarness(t)
		calls := 0
		h.out.fail = func(topic string) error {
			if calls++; calls == failing+1 {
				return refused
			}
			return nil
		}
		report, err := h.File(t.Context(), Request{Dataset: model.UF, Path: manyRows})
		if !errors.Is(err, refused) {
			t.Fatalf("call %d fails: %v, want the publisher's error", failing, err)
		}
		if len(h.out.topics[model.ControlTopic]) != 0 {
			t.Errorf("call %d fails and a manifest was sent; report %+v", failing, report)
		}
		h.out.fail = nil
		first := h.out.topics[model.UF.Topic()]
		h.out.topics = nil
		h.ingest(t, model.UF, manyRows)
		same := func(a, b Message) bool { return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) }
		if again := h.out.topics[model.UF.Topic()]; len(first) > len(again) ||
			!slices.EqualFunc(first, again[:len(first)], same) {
			t.Errorf("call %d fails and the next attempt gives other events", failing)
		}
	}
}

func TestPublishingEndsWithItsContext(t *testing.T) {
	h := newHarness(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.out.fail = func(string) error { cancel(); return nil }
	_, err := h.File(ctx, Request{Dataset: model.UF, Path: manyRows})
	if !errors.Is(err, context.Canceled) || len(h.out.topics[model.ControlTopic]) != 0 {
		t.Errorf("%v with %d manifests, want the context's error and none", err, len(h.out.topics[model.ControlTopic]))
	}
}

func TestProgressReachesTheWholeFile(t *testing.T) {
	h := newHarness(t)
	var steps []Progress
	report, err := h.File(t.Context(), Request{Dataset: model.UF, Path: manyRows, Progress: func(p Progress) {
		steps = append(steps, p)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 || !slices.IsSortedFunc(steps, func(a, b Progress) int { return int(a.Bytes - b.Bytes) }) {
		t.Fatalf("progress %+v, want three growing steps", steps)
	}
	if last := steps[2]; last.Bytes != last.Size || last.Published != report.Published {
		t.Errorf("the last step is %+v, want all of the file", last)
	}
}

func TestReportNamesAtMostFiveRejects(t *testing.T) {
	h := newHarness(t)
	report := h.ingest(t, model.UF, fileOf(t, "uf.csv", "fecha,valor\na\nb\nc\nd\ne\nf\ng\n"))
	if report.Rejected != 7 || len(report.FirstRejects) != 5 || report.FirstRejects[4].Line != 6 {
		t.Errorf("report %+v, want 7 rejected and the first five named", report)
	}
	if n := len(h.out.topics[model.UF.RejectTopic()]); n != 7 {
		t.Errorf("%d rejections published, want all 7", n)
	}
	if manifests := h.out.manifests(t); len(manifests) != 1 || manifests[0].Rows != 7 || manifests[0].Keys != 0 {
		t.Errorf("manifests %+v, want one that counts 7 rows and no key", manifests)
	}
}

func TestFilesExpandsDirectoriesByName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.csv", "a.txt", "README.md", ".hidden", "c"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	hidden := filepath.Join(dir, ".hidden")
	got, err := Files([]string{hidden, dir})
	want := []string{hidden, filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.csv"), filepath.Join(dir, "c")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("files %v, %v; want %v", got, err, want)
	}
	for _, path := range []string{filepath.Join(dir, "sub"), filepath.Join(dir, "absent")} {
		if got, err := Files([]string{path}); err == nil {
			t.Errorf("%s gives %v, want an error", path, got)
		}
	}
}
