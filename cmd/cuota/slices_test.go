package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Columns of the cartola.
const (
	columnRUN, columnDay, columnSeries, columnQuota = 2, 3, 8, 12
)

// sliced is the real history of two funds in many small files, some of which correct
// quotas of others.
type sliced struct {
	first, corrections string // directories
	files              []slicedFile
	// quotas holds the last stated quota of each RUN, series and day.
	quotas map[string]string
}

type slicedFile struct{ path, published string }

// Instants at which the files and their corrections were published.
const (
	slicesPublished      = "2025-09-01"
	correctionsPublished = "2025-09-02"
)

// cut writes the first rows of the history as so many files of a week each, and a
// correction of every seventh file.
func cut(t *testing.T, weeks int) sliced {
	t.Helper()
	paths, err := filepath.Glob("../../demo/files/cartola/cartola_9809_9810_*.txt")
	if err != nil || len(paths) != 7 {
		t.Fatalf("%d files (%v)", len(paths), err)
	}
	slices.Sort(paths) // which also sorts the days
	var header string
	byDay := map[string][]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		header = lines[0]
		for _, line := range lines[1:] {
			day := strings.Split(line, ";")[columnDay]
			byDay[day] = append(byDay[day], line)
		}
	}
	days := make([]string, 0, len(byDay))
	for day := range byDay {
		days = append(days, day)
	}
	slices.Sort(days)

	root := t.TempDir()
	s := sliced{first: filepath.Join(root, "first"), corrections: filepath.Join(root, "corrections"),
		quotas: map[string]string{}}
	for _, dir := range []string{s.first, s.corrections} {
		if err := os.Mkdir(dir, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	write := func(dir string, week int, lines []string, published string) {
		path := filepath.Join(dir, fmt.Sprintf("cartola_%03d.txt", week))
		if err := os.WriteFile(path, []byte(header+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.files = append(s.files, slicedFile{path, published})
		for _, line := range lines {
			fields := strings.Split(line, ";")
			s.quotas[fields[columnRUN]+";"+fields[columnSeries]+";"+fields[columnDay]] = fields[columnQuota]
		}
	}
	week := 0
	for some := range slices.Chunk(days, 7) {
		if week == weeks {
			break
		}
		var lines []string
		for _, day := range some {
			lines = append(lines, byDay[day]...)
		}
		write(s.first, week, lines, slicesPublished)
		if week%7 == 3 {
			for i, line := range lines {
				fields := strings.Split(line, ";")
				fields[columnQuota] = otherLastDigit(fields[columnQuota])
				lines[i] = strings.Join(fields, ";")
			}
			write(s.corrections, week, lines, correctionsPublished)
		}
		week++
	}
	if week < weeks {
		t.Fatalf("%d weeks of %d", week, weeks)
	}
	return s
}

// otherLastDigit changes the last decimal of a number that has decimals.
func otherLastDigit(number string) string {
	last := len(number) - 1
	if !strings.Contains(number, ".") || number[last] < '0' || number[last] > '9' {
		return number
	}
	return number[:last] + string('0'+(number[last]-'0'+5)%10)
}

// whole returns the arguments of the commands that ingest everything.
func (s sliced) whole() [][]string {
	return [][]string{
		{"ingest", "cartola", s.first, "--published", slicesPublished, "--wait"},
		{"ingest", "cartola", s.corrections, "--published", correctionsPublished, "--wait"},
	}
}
