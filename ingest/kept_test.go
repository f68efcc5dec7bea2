package ingest

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/model"
)

func TestAnArchivedPayloadGivesItsMessagesAgain(t *testing.T) {
	h := newHarness(t)
	report := h.ingest(t, model.Cartola, fileOf(t, "first.txt", fixture(t, "cartola.txt")+"broken\n"))
	first := h.out.topics
	h.clock = h.clock.AddDate(3, 0, 0)
	h.out.topics = nil
	kept, err := h.archive.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{report.SHA256}, kept); diff != "" {
		t.Fatalf("kept payloads (-want +got):\n%s", diff)
	}
	if _, err := New(h.archive, h.out, zerolog.Nop()).Again(t.Context(), report.SHA256, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, h.out.topics); diff != "" {
		t.Errorf("messages differ the second time:\n%s", diff)
	}
}

func TestADamagedPayloadOrNoteIsNotPublishedAgain(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		".zst":  func(path string) error { return flip(path) },
		".json": func(path string) error { return os.Truncate(path, 5) },
	} {
		for how, harm := range map[string]func(path string) error{"damaged": damage, "deleted": os.Remove} {
			t.Run(how+name, func(t *testing.T) {
				h := newHarness(t)
				report := h.ingest(t, model.Cartola, fileOf(t, "first.txt", fixture(t, "cartola.txt")))
				h.out.topics = nil
				if err := harm(h.path(report.SHA256, name)); err != nil {
					t.Fatal(err)
				}
				if _, err := h.archive.Check(t.Context(), report.SHA256); err == nil {
					t.Error("the archive finds nothing")
				}
				if _, err := New(h.archive, h.out, zerolog.Nop()).Again(t.Context(), report.SHA256, nil); err == nil {
					t.Error("it was published")
				}
				if len(h.out.topics) > 0 {
					t.Errorf("messages went to %d topics", len(h.out.topics))
				}
			})
		}
	}
}

// flip changes one bit in the middle of a file.
func flip(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[len(text)/2] ^= 1
	return os.WriteFile(path, text, 0o600)
}
