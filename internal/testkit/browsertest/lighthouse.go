package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const lighthousePackage = "lighthouse@12.8.2"

// Lighthouse checks pages with the program of this name, which starts a browser for each.
type Lighthouse struct {
	t       testing.TB
	program string
	browser string
}

// NewLighthouse installs Lighthouse with npm in a directory of the test. Without npm the test is skipped, or fails if
// CI=true.
func NewLighthouse(t testing.TB) *Lighthouse {
	t.Helper()
	npm := npm(t)
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), npm, "install", "--no-audit", "--no-fund", "--ignore-scripts",
		lighthousePackage)
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", lighthousePackage, err, out)
	}
	return &Lighthouse{t, filepath.Join(dir, "node_modules", ".bin", "lighthouse"), Path(t)}
}

// Faults returns the checks of accessibility and of best practices that a page does not pass, with what they name.
// The arguments are added to those of the program: it shows the page as on a telephone, with --preset=desktop as on
// a large screen.
func (l *Lighthouse) Faults(address string, args ...string) (faults []string) {
	l.t.Helper()
	command := exec.CommandContext(l.t.Context(), l.program, append([]string{address, "--quiet", "--output=json",
		"--output-path=stdout", "--only-categories=accessibility,best-practices",
		"--chrome-flags=--headless=new --no-sandbox"}, args...)...)
	command.Env = append(os.Environ(), "CHROME_PATH="+l.browser)
	out, err := command.Output()
	if err != nil {
		l.t.Fatalf("Lighthouse on %s: %v\n%s", address, err, out)
	}
	var report struct {
		Categories map[string]struct {
			Refs []struct {
				ID     string
				Weight float64
			} `json:"auditRefs"`
		}
		Audits map[string]struct {
			Title   string
			Score   *float64
			Details struct{ Items json.RawMessage }
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		l.t.Fatalf("Lighthouse on %s: %v", address, err)
	}
	if len(report.Categories) != 2 {
		l.t.Fatalf("Lighthouse on %s answers with %d categories", address, len(report.Categories))
	}
	for _, category := range report.Categories {
		for _, ref := range category.Refs {
			audit := report.Audits[ref.ID]
			if ref.Weight > 0 && audit.Score != nil && *audit.Score < 1 { // without a score it does not apply
				faults = append(faults, fmt.Sprintf("%s: %s: %.500s", ref.ID, audit.Title, audit.Details.Items))
			}
		}
	}
	slices.Sort(faults)
	return faults
}
