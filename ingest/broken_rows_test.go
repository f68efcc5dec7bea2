package ingest

import (
	"strings"
	"testing"

	"cuota/model"
)

// brokenRow is a change to a good file: it replaces the first occurrence of old.
type brokenRow struct{ name, old, new, reason string }

// eachBreaksOneRow expects that each change causes exactly one row to be rejected, for
// the stated reason, and that the manifest counts it.
func eachBreaksOneRow(t *testing.T, dataset model.Dataset, name string, broken []brokenRow) {
	t.Helper()
	good := fixture(t, name)
	h := newHarness(t)
	whole := h.ingest(t, dataset, fileOf(t, name, good))
	if whole.Refused || whole.Rejected != 0 {
		t.Fatalf("the fixture itself: %+v", whole)
	}
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			content := strings.Replace(good, test.old, test.new, 1)
			if content == good {
				t.Fatalf("%q is not in the fixture", test.old)
			}
			h := newHarness(t)
			report := h.ingest(t, dataset, fileOf(t, name, content))
			if report.Refused || report.Rejected != 1 || report.Published != whole.Published-1 ||
				report.Read != whole.Read {
				t.Fatalf("report %+v, want one row of %d rejected", report, whole.Read)
			}
			if reason := report.FirstRejects[0].Reason; !strings.Contains(reason, test.reason) {
				t.Errorf("rejected for %q, want %q", reason, test.reason)
			}
			if manifest := h.out.manifests(t)[0]; manifest.Rejected != 1 || manifest.Rows != whole.Read {
				t.Errorf("manifest %+v", manifest)
			}
		})
	}
}

// refusedFor returns the reason for which a file as a whole is refused.
func refusedFor(t *testing.T, dataset model.Dataset, name, content string) string {
	t.Helper()
	h := newHarness(t)
	report := h.ingest(t, dataset, fileOf(t, name, content))
	if !report.Refused || len(h.out.topics) != 1 {
		t.Fatalf("%s: report %+v, want the file refused", name, report)
	}
	return report.FirstRejects[0].Reason
}

// events returns all events of a file in which no row may be rejected.
func events[T any](t *testing.T, dataset model.Dataset, name, content string) []T {
	t.Helper()
	h := newHarness(t)
	report := h.ingest(t, dataset, fileOf(t, name, content))
	if report.Refused || report.Rejected != 0 {
		t.Fatalf("%s: report %+v, want nothing rejected", name, report)
	}
	var all []T
	for _, message := range h.out.topics[dataset.Topic()] {
		all = append(all, decoded[T](t, message))
	}
	if report.Keys != report.Published {
		t.Errorf("%s: %d keys of %d rows", name, report.Keys, report.Published)
	}
	return all
}
