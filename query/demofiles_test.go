package query_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/demo"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// quote is a line of a cartola, with the columns that the market endpoints use.
type quote struct {
	manager, run   int
	serie, date    string // YYYY-MM-DD
	currency       string
	price, equity  float64
	shareholders   int
	previous       *quote // the previous quote of the series, however old
	previousInDays int
}

// demoFiles extracts the demo market.
func demoFiles(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	return dir
}

// cartolas reads the lines of the demo market's cartolas, by series and day. The
// regulator's own files replace lines of the derived day.
func cartolas(t testing.TB, dir string) []*quote {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "cartola", "*.txt"))
	must(t, err)
	slices.SortFunc(files, func(a, b string) int { // the derived file first, because later lines replace earlier ones
		return cmp.Or(-cmp.Compare(strings.Count(a, "derived"), strings.Count(b, "derived")), cmp.Compare(a, b))
	})
	byKey := map[string]*quote{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for _, line := range strings.Split(string(text), "\n")[1:] {
			if line = strings.TrimRight(line, "\r"); line == "" {
				continue
			}
			f := strings.Split(line, ";")
			q := &quote{manager: whole(t, f[0]), run: whole(t, f[2]), serie: oracle.SerieName(f[8]),
				date:     f[3][:4] + "-" + f[3][4:6] + "-" + f[3][6:],
				currency: map[string]string{"$$": "PESOS", "PROM": "DOLAR"}[f[5]], price: number(t, f[12]),
				equity: number(t, f[13]), shareholders: whole(t, f[14])}
			if f[23] != "" || f[24] != "" {
				t.Fatalf("%s: a factor, which these computations leave out: %s", file, line)
			}
			byKey[fmt.Sprint(q.run, "|", q.serie, "|", q.date)] = q
		}
	}
	all := slices.SortedFunc(maps.Values(byKey), func(a, b *quote) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.serie, b.serie), cmp.Compare(a.date, b.date))
	})
	for i, q := range all[1:] {
		if before := all[i]; before.run == q.run && before.serie == q.serie {
			q.previous, q.previousInDays = before, daysApart(t, before.date, q.date)
		}
	}
	return all
}

func whole(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	must(t, err)
	return x
}

func daysApart(t testing.TB, from, to string) int {
	t.Helper()
	a, err := model.ParseDate(from)
	must(t, err)
	b, err := model.ParseDate(to)
	must(t, err)
	return int(b.Time().Sub(a.Time()).Hours() / 24)
}

// table reads a CSV into rows by column name.
func table(t testing.TB, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	rows := make([]map[string]string, len(lines)-1)
	for i, line := range lines[1:] {
		rows[i] = map[string]string{}
		for j, column := range lines[0] {
			rows[i][strings.TrimPrefix(column, "\ufeff")] = line[j]
		}
	}
	return rows
}

// dolarOn is the last dólar observado on or before a day.
func dolarOn(t testing.TB, dir, date string) float64 {
	t.Helper()
	last, rate := "", 0.0
	for _, row := range table(t, filepath.Join(dir, "macro", "dolar_observado.csv")) {
		if row["fecha"] <= date && row["fecha"] > last {
			last, rate = row["fecha"], number(t, row["valor"])
		}
	}
	if daysApart(t, last, date) > 7 {
		t.Fatalf("the dólar of %s is too old for %s", last, date)
	}
	return rate
}

func almost(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }
