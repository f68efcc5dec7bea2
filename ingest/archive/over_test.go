package archive

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/model"
)

func TestAnArchiveOverAnotherSeesItsNotesAndLeavesItAsItIs(t *testing.T) {
	t.Parallel()
	enter := func(into *Archive, name, content string) Entry {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		entry, err := into.Keep(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		entry.Dataset, entry.Published = model.UF, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
		if entry, err = into.Enter(entry); err != nil {
			t.Fatal(err)
		}
		return entry
	}
	under := New(filepath.Join(t.TempDir(), "archive"), time.Now)
	known := enter(under, "known.csv", "fecha,valor\n2026-01-01,39000.25\n")
	before, err := under.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	over := under.Over(t.TempDir())
	if again := enter(over, "renamed.csv", "fecha,valor\n2026-01-01,39000.25\n"); again.File != "known.csv" ||
		!again.FirstSeen.Equal(known.FirstSeen) {
		t.Errorf("the note of known bytes is not seen: %+v", again)
	}
	added := enter(over, "new.csv", "fecha,valor\n2026-01-01,39000.26\n")
	if _, err := over.Note(added.SHA256); err != nil {
		t.Error(err)
	}
	after, err := under.Kept(t.Context())
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("files of the archive under it (%v):\n%s", err, diff)
	}
	if _, err := under.Note(added.SHA256); err == nil {
		t.Error("the archive under it has got a note")
	}
}
