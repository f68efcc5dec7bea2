package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
)

func TestAFailedRoleLeavesALogLineWhereLogsAreJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "no directory?")
	got := cuota(t, "up", "--data", dir, "--no-demo")
	if got.code != exit.Failed {
		t.Fatalf("it ended with %d: %s", got.code, got.stderr)
	}
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	var last struct{ Level, Error string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Level != "fatal" ||
		!strings.Contains(last.Error, "choose a path without") {
		t.Errorf("its last line is %s (%v)", lines[len(lines)-1], err)
	}
}
