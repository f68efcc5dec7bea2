package scrape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsSavedIsLoadedAndWhatWasBeingWrittenIsPassedOver(t *testing.T) {
	s := store{filepath.Join(t.TempDir(), "s")}
	_, documents, err := s.load()
	if err != nil || len(documents) != 0 {
		t.Fatal(documents, err)
	}
	about := rest{Failures: 2, Retry: morning, Looked: morning}
	want := map[string]*document{}
	for _, name := range []string{"2026-08-19", current, "../../a b\x00.csv", strings.Repeat("n", 255)} {
		want[name] = &document{
			Name: name, Asked: "q", Looked: morning.Add(time.Nanosecond), SHA256: "a", Waiting: "b",
			Earlier: []string{"c"},
			ETag:    `"é"`, Failures: 1, Trouble: "t", Refused: "d", Size: 7, Modified: morning, Taken: true,
		}
		if err := s.saveDocument(want[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.saveRest(about); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "document-2026-08-19.json.next"), []byte(`{"docu`), 0o600); err != nil {
		t.Fatal(err)
	}
	gotRest, got, err := s.load()
	if diff := cmp.Diff(want, got); diff != "" || gotRest != about || err != nil {
		t.Errorf("loaded %+v, %v:\n%s", gotRest, err, diff)
	}
	if err := s.remove(current); err != nil {
		t.Fatal(err)
	}
	if _, got, err = s.load(); err != nil || got[current] != nil || len(got) != 3 {
		t.Errorf("after removing one: %d, %v", len(got), err)
	}
}

func TestADamagedStateIsReportedWithTheRemedy(t *testing.T) {
	s := store{t.TempDir()}
	if err := os.WriteFile(filepath.Join(s.dir, "document-current.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.load(); err == nil ||
		!strings.Contains(err.Error(), "remove the file, and the scraper fetches its document again") {
		t.Errorf("a damaged file gives %v", err)
	}
}
