package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
)

func TestACommandThatReadsADataDirectoryNeverMakesOne(t *testing.T) {
	folder := t.TempDir() // it exists but is not a data directory
	missing := filepath.Join(folder, "mistyped")
	for _, command := range [][]string{
		{"status"}, {"status", "--json"}, {"project", "--now"}, {"rebuild"},
		{"key", "create", "--email", "someone@example.org"}, {"key", "list"}, {"key", "revoke", "abcd"},
		{"key", "replace-pepper", "--revoke-all"}, {"backup", filepath.Join(t.TempDir(), "backups")},
	} {
		for _, path := range []string{missing, folder} {
			r := cuota(t, append(command, "--data", path)...)
			if r.code != exit.Failed || r.stdout != "" || !strings.Contains(r.stderr, "no data directory at "+path) ||
				!strings.Contains(r.stderr, "--data") {
				t.Errorf("cuota %s on %s ended with %d:\n%s%s", strings.Join(command, " "), path, r.code, r.stdout,
					r.stderr)
			}
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("the commands left %v (%v)", left, err)
	}
	// The same holds if $CUOTA_DATA names the directory.
	if r := cuotaIn(t, []string{"CUOTA_DATA=" + missing}, "status"); r.code != exit.Failed ||
		!strings.Contains(r.stderr, missing) {
		t.Errorf("status with CUOTA_DATA ended with %d: %s", r.code, r.stderr)
	}
}
