package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/longtest"
)

// The archive of a data directory of the last program before 0.1.0: two cartolas, one of them with a
// publication date, and a file that was refused.
const archiveOfBefore = "testdata/archive_of_another"

// notesOf returns the notes of an archive by their path.
func notesOf(t *testing.T, archive string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(archive, "*", "*.json"))
	if err != nil || len(paths) != 3 {
		t.Fatalf("%d notes in %s (%v)", len(paths), archive, err)
	}
	notes := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		notes[filepath.Base(path)] = string(text)
	}
	return notes
}

func TestTheArchiveOfAnotherDirectoryIsTakenOverWithItsDates(t *testing.T) {
	longtest.InTurns(t)
	dir := filepath.Join(t.TempDir(), "data")
	const refused = 2 // the exit status if a file was refused
	for range 2 {     // it may be run again
		if r := cuota(t, "ingest", "--archive", archiveOfBefore, "--data", dir, "--wait"); r.code != refused {
			t.Fatalf("exit status %d, want %d: %s", r.code, refused, r.stderr)
		}
		if diff := cmp.Diff(notesOf(t, archiveOfBefore), notesOf(t, filepath.Join(dir, "archive"))); diff != "" {
			t.Errorf("notes (-of before, +taken over):\n%s", diff)
		}
	}
	r := up(t, dir, "--no-demo")
	const revisions = "SELECT arrayStringConcat(arraySort(groupUniqArray(toString(toUnixTimestamp64Milli(revision)) " +
		"|| ' ' || toString(rows))), ', ') FROM complete_file FINAL"
	// 2019-12-01, and when the other file was first seen, as its note says
	if got, want := sqlOver(t, r, revisions), "1575158400000 60, 1795771999523 31"; got != want {
		t.Errorf("revisions and rows: %s, want %s", got, want)
	}
	r.interrupt(t)
}

func TestATakeOverWithoutFilesSaysWhatToGive(t *testing.T) {
	for _, c := range []struct {
		says string
		args []string
	}{
		{"give a data directory, or its folder archive", []string{"--archive", t.TempDir()}},
		{"give no other files", []string{"cartola", "f.txt", "--archive", archiveOfBefore}},
	} {
		r := cuota(t, append([]string{"ingest", "--data", filepath.Join(t.TempDir(), "data")}, c.args...)...)
		if r.code != 1 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%v ends with %d: %s", c.args, r.code, r.stderr)
		}
	}
}
