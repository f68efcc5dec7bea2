// Package systemd tests the unit beside it.
package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestSystemdReadsTheUnitWithoutAWarning(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("systemd-analyze is not there")
	}
	text, err := os.ReadFile("cuota.service")
	if err != nil {
		t.Fatal(err)
	}
	// The program is not installed here, and the manager may not know the user.
	unit := regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllString(string(text), "ExecStart=/bin/true")
	path := filepath.Join(t.TempDir(), "cuota.service")
	if err := os.WriteFile(path, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", path).CombinedOutput()
	if err != nil || strings.Contains(string(out), "cuota.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}
