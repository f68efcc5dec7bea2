package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/model"
)

// ufFile returns a file with so many good rows followed by so many bad ones.
func ufFile(t *testing.T, good, bad int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("fecha,valor\n")
	day := model.DateOf(today).AddDays(-good)
	for range good {
		fmt.Fprintf(&b, "%s,39000.25\n", day)
		day = day.AddDays(1)
	}
	b.WriteString(strings.Repeat("x\n", bad))
	return fileOf(t, fmt.Sprintf("uf_%d_%d.csv", good, bad), b.String())
}

func TestAFileIsRefusedAsAWholeOnlyIfItsRowsAreNotOfTheDataset(t *testing.T) {
	for _, c := range []struct {
		good, bad int
		reason    string // empty: the file is accepted
	}{
		{1, 32 << 20, "100001 of 100002 rows are not rows of the dataset"}, // 64 MiB
		{10_001, 10_002, "10002 of 20003 rows are not rows of the dataset"},
		{10_001, 10_001, ""},
		{100, 101, "101 of 201 rows are not rows of the dataset"},
		{101, 101, ""},
		{1, 100, ""}, // as a file made by hand may be
	} {
		t.Run(fmt.Sprintf("%d good rows and %d bad ones", c.good, c.bad), func(t *testing.T) {
			h := newHarness(t)
			report := h.ingest(t, model.UF, ufFile(t, c.good, c.bad))
			events, rejects := h.out.topics[model.UF.Topic()], h.out.topics[model.UF.RejectTopic()]
			if c.reason == "" {
				if report.Refused || len(events) != c.good || len(rejects) != c.bad || len(h.out.manifests(t)) != 1 {
					t.Fatalf("%d events and %d rejections of %+v, want the file taken", len(events), len(rejects),
						report)
				}
				return
			}
			if !report.Refused || len(events) != 0 || len(rejects) != 1 || len(h.out.topics) != 1 {
				t.Fatalf("%d events and %d rejections on %d topics of %+v, want one rejection and nothing else",
					len(events), len(rejects), len(h.out.topics), report)
			}
			reject := decoded[model.Reject](t, rejects[0])
			if line := fmt.Sprintf("the first on line %d (", c.good+2); !strings.Contains(reject.Reason, c.reason) ||
				!strings.Contains(reject.Reason, line) ||
				!strings.Contains(reject.Reason, "so the whole file was refused") || reject.Raw != "x" {
				t.Errorf("the rejection is %+v, want %q and %q", reject, c.reason, line)
			}
			h.out.topics = nil
			if again := h.ingest(t, model.UF, ufFile(t, c.good, c.bad)); !again.Refused ||
				len(h.out.topics[model.UF.Topic()]) != 0 {
				t.Errorf("the second time: %+v", again)
			}
		})
	}
}

// Of such rows is known which quota can't be used. The rest of the file is right.
func TestRowsOfTheDatasetThatCanNotBeReadDoNotCostTheOthers(t *testing.T) {
	good := strings.SplitAfter(fixture(t, "cartola.txt"), "\n")
	cartola := func(sound, broken int) string {
		var b strings.Builder
		b.WriteString(good[0])
		for n := range sound + broken {
			row := strings.Replace(good[1], ";I;", fmt.Sprintf(";S%d;", n), 1)
			if n >= sound {
				row = strings.Replace(row, ";1421.0319;", ";1421,0319;", 1)
			}
			b.WriteString(row)
		}
		return fileOf(t, "many.txt", b.String())
	}
	h := newHarness(t)
	if report := h.ingest(t, model.Cartola, cartola(100, 899)); report.Refused || report.Published != 100 ||
		report.Rejected != 899 {
		t.Errorf("with a tenth of the rows right: %+v", report)
	}
	report := h.ingest(t, model.Cartola, cartola(10, 900))
	if !report.Refused || !strings.Contains(report.FirstRejects[0].Reason, "900 of 910 rows can't be read") {
		t.Errorf("with hardly any row right: %+v", report)
	}
}

func TestAFullArchiveTakesNoNewFileAndLosesNone(t *testing.T) {
	h := newHarness(t)
	first, second := ufFile(t, 40, 0), ufFile(t, 50, 0)
	h.ingest(t, model.UF, first)
	used, _, err := h.archive.Usage()
	if err != nil || used == 0 {
		t.Fatalf("the archive takes %d bytes: %v", used, err)
	}
	h.archive.Limit(used + 10)
	h.out.topics = nil
	_, err = h.File(t.Context(), Request{Dataset: model.UF, Path: second})
	if err == nil || !strings.Contains(err.Error(), "is full") || !strings.Contains(err.Error(), "CUOTA_ARCHIVE_GIB") {
		t.Fatalf("a file beyond the limit ended with %v", err)
	}
	if len(h.out.topics) != 0 {
		t.Errorf("something of it was published: %v", h.out.topics)
	}
	if now, limit, err := h.archive.Usage(); err != nil || now != used || limit != used+10 {
		t.Errorf("the archive takes %d of %d bytes, want %d: %v", now, limit, used, err)
	}
	if report := h.ingest(t, model.UF, first); report.Published != 40 {
		t.Errorf("a file that it holds is not taken again: %+v", report)
	}
	// Another process deletes files that are no longer needed.
	notes, err := filepath.Glob(filepath.Join(h.dir, "*", "*.zst"))
	if err != nil || len(notes) != 1 {
		t.Fatalf("%v: %v", notes, err)
	}
	if err := os.Remove(notes[0]); err != nil {
		t.Fatal(err)
	}
	h.archive.Limit(used + 600) // enough for the note of the second file
	if report := h.ingest(t, model.UF, second); report.Published != 50 {
		t.Errorf("with room again: %+v", report)
	}
}
