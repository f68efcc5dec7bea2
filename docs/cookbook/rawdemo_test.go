package cookbook_test

import (
	"cmp"
	"encoding/csv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/demo"
	"cuota/model"
)

// The files of the demo market, read a second time without the program: what follows knows
// nothing of ClickHouse.

// rawQuote is a row of a cartola.
type rawQuote struct {
	run, serie, manager string
	date                string // YYYYMMDD
	dollars             bool
	quota, equity       float64
	holders             float64
}

// rawSeries is what the comparators and the market's last day say of a series.
type rawSeries struct {
	rawQuote
	clp                              float64 // equity in pesos
	class, family, display, category string
	listed                           string  // category that the association's sheet gives
	tac, nominal3, real1             float64 // NaN where not stated
	spheres                          int
}

type rawDemo struct {
	quotes map[string][]rawQuote // by RUN and series, in the order of days
	series []rawSeries
	uf     map[string]float64 // by YYYY-MM-DD
}

const cutoff = "20250720"

func readDemo(t *testing.T) rawDemo {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Extract(dir); err != nil {
		t.Fatal(err)
	}
	sources, err := demo.Sources()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]rawQuote{} // by series and day
	uf, dollar, taken := map[string]float64{}, 0., map[string][]string{}
	stated := map[string][]string{}
	listed := map[string]string{}
	for _, source := range sources {
		path := filepath.Join(dir, source.Path)
		switch source.Dataset {
		case model.Cartola:
			for _, f := range lines(t, path, ';') {
				q := rawQuote{
					run: rol(t, f[2]), serie: named(f[8]), manager: f[0], date: f[3], dollars: f[5] == "PROM",
					quota: number(t, f[12]), equity: number(t, f[13]), holders: number(t, f[14]),
				}
				key := q.run + " " + q.serie
				if rows[key] == nil {
					rows[key] = map[string]rawQuote{}
				}
				rows[key][q.date] = q // the files of single funds were published later, and come later
			}
		case model.UF:
			for _, f := range lines(t, path, ',') {
				uf[f[0]] = number(t, f[1])
			}
		case model.Dolar:
			for _, f := range lines(t, path, ',') {
				if strings.ReplaceAll(f[0], "-", "") <= cutoff {
					dollar = number(t, f[1]) // in the order of days
				}
			}
		case model.TACComparator:
			for _, f := range lines(t, path, ',') {
				taken[rol(t, f[0])+" "+named(f[1])] = f
			}
		case model.ReturnsComparator:
			for _, f := range lines(t, path, ',') {
				stated[rol(t, f[0])+" "+named(f[1])] = f
			}
		case model.AAFM:
			for _, f := range lines(t, path, ',') {
				if word := strings.TrimPrefix(f[11], "Fondos de "); categoryOf(word, "") != "other" {
					listed[f[1]+" "+named(f[4])] = categoryOf(word, "")
				}
			}
		}
	}
	raw := rawDemo{quotes: map[string][]rawQuote{}, uf: uf}
	for key, days := range rows {
		raw.quotes[key] = slices.SortedFunc(maps.Values(days), func(a, b rawQuote) int {
			return cmp.Compare(a.date, b.date)
		})
		last, found := days[cutoff]
		if !found {
			continue
		}
		s := rawSeries{rawQuote: last, clp: last.equity, tac: math.NaN(), nominal3: math.NaN(), real1: math.NaN()}
		if s.dollars {
			s.clp *= dollar
		}
		s.listed = listed[s.run+" "+s.serie[:min(12, len(s.serie))]] // the sheet cuts the names of series
		if f := taken[key]; f != nil && f[9] != "" {
			s.tac = number(t, f[9]) / 100
		}
		if f := stated[key]; f != nil {
			s.class, s.family, s.display = f[14], f[13], f[12]
			s.category = categoryOf(s.family, s.display)
			s.real1, s.nominal3 = optional(t, f[3])/100, optional(t, f[4])/100
			s.spheres, _ = strconv.Atoi(f[10])
		}
		raw.series = append(raw.series, s)
	}
	slices.SortFunc(raw.series, func(a, b rawSeries) int {
		return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.serie, b.serie))
	})
	if len(raw.series) < 2800 {
		t.Fatalf("the demo has %d series", len(raw.series))
	}
	return raw
}

// lines reads a file without its header.
func lines(t *testing.T, path string, comma rune) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes = comma, true
	rows, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// named returns the name of a series. A series without one is called UNICA.
func named(text string) string {
	if text == "" {
		return "UNICA"
	}
	return text
}

func optional(t *testing.T, text string) float64 {
	if text == "" {
		return math.NaN()
	}
	return number(t, text)
}

// rol writes a RUN with its check digit (modulo 11).
func rol(t *testing.T, digits string) string {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	sum, factor := 0, 2
	for rest := n; rest > 0; rest /= 10 {
		sum += rest % 10 * factor
		if factor++; factor > 7 {
			factor = 2
		}
	}
	return digits + "-" + string("0K987654321"[sum%11])
}

func categoryOf(family, display string) string {
	for _, rule := range [][2]string{{"Deuda < 90", "money_market"}, {"Deuda", "fixed_income"},
		{"Balanceado", "balanced"}, {"Accionario", "equity"}} {
		if strings.HasPrefix(family, rule[0]) {
			return rule[1]
		}
	}
	if display == "Estructurados" {
		return "structured"
	}
	return "other"
}

// earlier returns the day some years before, or the last one of its month.
func earlier(t *testing.T, date string, years int) string {
	t.Helper()
	day, err := time.Parse("20060102", date)
	if err != nil {
		t.Fatal(err)
	}
	before := day.AddDate(-years, 0, 0)
	if before.Month() != day.Month() { // from February 29
		before = before.AddDate(0, 0, -before.Day())
	}
	return before.Format("20060102")
}

// inclusive returns a quantile by linear interpolation between the values.
func inclusive(values []float64, p float64) float64 {
	values = slices.Sorted(slices.Values(values))
	at := p * float64(len(values)-1)
	low := int(at)
	return values[low] + (at-float64(low))*(values[min(low+1, len(values)-1)]-values[low])
}

// middle returns the median: the mean of the two values in the middle of an even number.
func middle(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

func mean(values []float64) (sum float64) {
	for _, value := range values {
		sum += value / float64(len(values))
	}
	return sum
}
