package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/model"
)

func TestOfTwoRowsWithOneKeyTheLastCountsAndTheReportShowsBoth(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(fixture(t, "cartola.txt"), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	first := lines[1]
	changed := strings.Replace(strings.Replace(first, ";1421.0319;", ";1421.0320;", 1), ";12749951;", ";12749952;", 1)
	// Line 3 repeats line 2, line 4 states other values, and so does line 5, which is line 2 again.
	content := strings.Join(append([]string{lines[0], first, first, changed, first}, lines[2:]...), "")
	h := newHarness(t)
	report := h.ingest(t, model.Cartola, fileOf(t, "twice.txt", content))
	if report.Published != 9 || report.Keys != 6 || report.Repeated != 1 || report.Conflicting != 2 {
		t.Errorf("%+v, want 9 rows, 6 keys, 1 repeated, 2 conflicting", report)
	}
	want := []Conflict{
		{Line: 3, Later: 4, Columns: []ConflictColumn{{"VALOR_CUOTA", "1421.0319", "1421.0320"},
			{"PATRIMONIO_NETO", "12749951", "12749952"}}},
		{Line: 4, Later: 5, Columns: []ConflictColumn{{"VALOR_CUOTA", "1421.0320", "1421.0319"},
			{"PATRIMONIO_NETO", "12749952", "12749951"}}},
	}
	if diff := cmp.Diff(want, report.FirstConflicts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := want[0].String(); !strings.Contains(text, `VALOR_CUOTA "1421.0319" and then "1421.0320"`) {
		t.Error(text)
	}
}

func TestRepeatedLinesOfTheRegisterAreNoConflicts(t *testing.T) {
	h := newHarness(t)
	report := h.ingest(t, model.Register, "../demo/files/register/fm_ident_20250721.txt")
	if report.Conflicting != 0 || report.Repeated != report.Published-report.Keys || report.Repeated == 0 {
		t.Errorf("%+v", report)
	}
}

func TestTheReportShowsFiveConflictsAndCountsAll(t *testing.T) {
	var b strings.Builder
	b.WriteString("fecha,valor\n")
	for n := range 20_000 {
		fmt.Fprintf(&b, "%s,%d.25\n", model.NewDate(1990, time.January, 1).AddDays(n/2), n)
	}
	h := newHarness(t)
	report := h.ingest(t, model.UF, fileOf(t, "uf.csv", b.String()))
	if report.Conflicting != 10_000 || len(report.FirstConflicts) != firstConflicts ||
		report.FirstConflicts[4].Later != 11 {
		t.Errorf("%d conflicts, %+v", report.Conflicting, report.FirstConflicts)
	}
}

func TestARowDatedAfterItsFilesPublicationIsRejected(t *testing.T) {
	content := fixture(t, "cartola.txt") // the newest of its days is 2026-02-01
	for _, test := range []struct {
		published time.Time
		rejected  uint64
	}{
		{time.Time{}, 0},
		{time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC), 0},
		{time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), 0}, // the day after is accepted
		{time.Date(2026, 1, 30, 23, 59, 59, 0, time.UTC), 3},
	} {
		h := newHarness(t)
		path := fileOf(t, "dated.txt", content)
		for attempt := range 2 {
			report, err := h.File(t.Context(), Request{Dataset: model.Cartola, Path: path, Published: test.published})
			if err != nil || report.Rejected != test.rejected {
				t.Errorf("published %s, attempt %d: %d rejected, want %d: %v", test.published, attempt, report.Rejected,
					test.rejected, err)
			}
			h.clock = h.clock.AddDate(1, 0, 0)
		}
	}
}
