// Package systemd tests the unit beside it.
package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/embedded/clickhouse"
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
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
		path).CombinedOutput()
	if err != nil || strings.Contains(string(out), "cuota.service") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

func TestTheServiceFindsTheEngineThatItsStepsFetch(t *testing.T) {
	library := os.Getenv("CHDB_LIB_PATH")
	if library == "" {
		t.Skip("CHDB_LIB_PATH does not name the engine")
	}
	text, err := os.ReadFile("cuota.service")
	if err != nil {
		t.Fatal(err)
	}
	step := regexp.MustCompile(
		`(?m)^#   .* env -i PATH="\$PATH" XDG_CACHE_HOME=(\S+) scripts/fetch-engine$`).FindSubmatch(text)
	service := regexp.MustCompile(`(?m)^Environment=XDG_CACHE_HOME=(\S+)$`).FindSubmatch(text)
	if step == nil || service == nil || string(step[1]) != string(service[1]) {
		t.Fatalf("the step fetches into %q, and the service looks in %q", step, service)
	}
	// The step runs with an empty environment, like the service. The engine was fetched
	// before: the script finds it, checks its hash, and says where it is.
	cache := t.TempDir()
	there := filepath.Join(cache, "cuota", "engine", clickhouse.Release, "libchdb.so")
	if err := os.MkdirAll(filepath.Dir(there), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(library, there); err != nil { // another disk
		if err := os.Symlink(library, there); err != nil {
			t.Fatal(err)
		}
	}
	fetch := exec.CommandContext(t.Context(), "../../scripts/fetch-engine")
	fetch.Env = []string{"PATH=" + os.Getenv("PATH"), "XDG_CACHE_HOME=" + cache}
	if out, err := fetch.Output(); err != nil || strings.TrimSpace(string(out)) != there {
		t.Errorf("the step says %q (%v), want %s", out, err, there)
	}
	t.Setenv("CHDB_LIB_PATH", "")
	t.Setenv("XDG_CACHE_HOME", cache)
	if found, err := clickhouse.Locate(""); err != nil || found != there {
		t.Errorf("the program looks for the engine at %q (%v), want %s", found, err, there)
	}
}
