package demotest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/demo"
	"cuota/model"
)

// Renames is the file with the renames of [RenamedDemo]. One series is renamed twice. One is
// quoted under both names around the change. One changes its name on the last day, so that
// every catalogue still has the old name.
const Renames = `kind,run,previous_serie,current_serie,first_current_date,source_url,source_sha256
rename,9809,B-VIEJA,B MEDIA,2022-03-01,https://example.org/r/1,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
rename,9809,B MEDIA,B,2024-05-15,https://example.org/r/2,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
rename,9810,VIV,VIVIENDA,2024-01-01,https://example.org/r/3,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
rename,9809,APV,APV PLUS,2025-07-20,https://example.org/r/4,0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
`

// RenamedDemo writes the demo market as it would be if three of its series had changed their
// names, without the file that says so. If one is true, each series has its last name on all
// days instead. It returns the files with their full paths.
func RenamedDemo(t testing.TB, one bool) []demo.Source {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	sources, err := demo.Sources()
	must(t, err)
	for i, source := range sources {
		path := filepath.Join(dir, source.Path)
		sources[i].Path = path
		switch source.Dataset {
		case model.Cartola:
			rewrite(t, path, func(line string) []string {
				fields := strings.Split(line, ";")
				run, day, serie := fields[2], fields[3], fields[8]
				named := func(serie, quota string) string {
					other := append([]string(nil), fields...)
					other[8], other[12] = serie, quota
					return strings.Join(other, ";")
				}
				lines := []string{named(nameOn(run, serie, day, one), fields[12])}
				if run+serie == "9810VIVIENDA" && !one && day >= "20231229" && day <= "20240103" {
					// The other name is quoted too, with a quota that must be ignored.
					lines = append(lines, named(map[bool]string{true: "VIVIENDA", false: "VIV"}[day < "20240101"], "1"))
				}
				return lines
			})
		case model.TACComparator, model.ReturnsComparator, model.AAFM:
			rewrite(t, path, func(line string) []string {
				for _, apv := range []string{"9809,APV,", "9809-4,,FONDO MUTUO MODERADO,APV,"} {
					if one && strings.Contains(line, apv) {
						return []string{strings.Replace(line, ",APV,", ",APV PLUS,", 1)}
					}
				}
				for _, b := range []string{"9809,B,", "9809-4,,FONDO MUTUO MODERADO,B,"} {
					if !one && strings.Contains(line, b) {
						// The file also mentions an old name of the series. This row must be
						// ignored.
						other := strings.NewReplacer(",B,", ",B-VIEJA,", ",1.360745", ",7.5", ",4,Balanceado",
							",1,Balanceado",
							"Balanceado moderado", "Balanceado agresivo", "Balanceado Agresivo",
							"Balanceado Conservador").Replace(line)
						return []string{other, line}
					}
				}
				return []string{line}
			})
		}
	}
	return sources
}

// nameOn returns the name of a demo series on a day (YYYYMMDD).
func nameOn(run, serie, day string, one bool) string {
	switch {
	case run+serie == "9809APV" && (one || day >= "20250720"):
		return "APV PLUS"
	case one:
	case run+serie == "9809B" && day < "20220301":
		return "B-VIEJA"
	case run+serie == "9809B" && day < "20240515":
		return "B MEDIA"
	case run+serie == "9810VIVIENDA" && day < "20240101":
		return "VIV"
	}
	return serie
}

// rewrite replaces each line of a file except its header.
func rewrite(t testing.TB, path string, change func(line string) []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	out := lines[:1:1]
	for _, line := range lines[1:] {
		out = append(out, change(line)...)
	}
	must(t, os.WriteFile(path, []byte(strings.Join(out, "\n")+"\n"), 0o600))
}

// IngestRenames publishes a file of renames. It fails the test if any row is rejected.
func (m *Market) IngestRenames(t testing.TB, text string, published time.Time) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "renames.csv")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	if report := m.Ingest(t, model.Events, path, published); report.Rejected > 0 || report.Refused {
		t.Fatalf("the renames were not taken: %+v", report)
	}
}
