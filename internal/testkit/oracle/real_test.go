package oracle

import (
	"encoding/csv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// realMarket returns the complete history of funds 9809 and 9810, from 2019-10-14 to 2025-08-31.
func realMarket(t *testing.T) *Market {
	t.Helper()
	var paths []string
	for _, pattern := range []string{
		"../../../demo/files/cartola/cartola_9809_9810_*.txt",
		"../../../testdata/later/cartola/cartola_9809_9810_*.txt",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no file matches %s (%v)", pattern, err)
		}
		paths = append(paths, found...)
	}
	m, err := Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// table reads a CSV file into one map for each line, by column name.
func table(t *testing.T, path string) []map[string]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(text(raw))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTheWholeRealHistoryLoads(t *testing.T) {
	m := realMarket(t)
	rows := 0
	for _, quotes := range m.quotes {
		rows += len(quotes)
		if !slices.IsSortedFunc(quotes, func(a, b quote) int { return a.day.Compare(b.day) }) {
			t.Error("a series isn't in order of day")
		}
	}
	if rows != 16214 || len(m.Series()) != 11 {
		t.Errorf("%d rows of %d series, want 16214 of 11", rows, len(m.Series()))
	}
	if day, ok := m.LatestComplete(nil); !ok || iso(day) != "2025-08-31" {
		t.Errorf("latest complete %v %v", day, ok)
	}
}

// The expected values are the quotas of series B on the seven start dates and on 2025-08-31,
// divided by hand to 18 places.
func TestRealReturnsOfOneSeries(t *testing.T) {
	m := realMarket(t)
	for window, want := range map[string]float64{
		"1m":                0.009408219612089537,
		"3m":                0.064819002540844865,
		"6m":                0.081099069629438649,
		"1y":                0.153942650475852061,
		"ytd":               0.073451735025465166,
		"3y_ann":            0.147183444047515929,
		"5y_ann":            0.105911774095323160,
		"last_closed_month": 0.009408219612089537,
	} {
		p := m.Period(9809, "B", on(t, "2025-08-31"), window)
		if p.Value == nil || math.Abs(*p.Value-want) > 1e-14 || p.Currency != "PESOS" {
			t.Errorf("%s: %+v, want %v", window, p, want)
		}
	}
}

// Series APV-FREE of 9810 had no equity until 2024-07-22 and then 15 million. Series FREE of
// 9809 had its first quote on 2020-12-22.
func TestRealSeriesWithoutReturns(t *testing.T) {
	m := realMarket(t)
	asOf := on(t, "2025-08-31")
	for _, c := range []struct {
		run                   int
		serie, window, reason string
	}{
		{9810, "APV-FREE", "1y", ""},
		{9810, "APV-FREE", "3y_ann", "known_discontinuity"},
		{9809, "FREE", "3y_ann", ""},
		{9809, "FREE", "5y_ann", "missing_start_quote"},
		{9809, "A", "1y", "stale_end_quote"}, // its last quote is of 2020-08-10
	} {
		if p := m.Period(c.run, c.serie, asOf, c.window); p.Reason != c.reason {
			t.Errorf("%d %s %s: %+v, want %q", c.run, c.serie, c.window, p, c.reason)
		}
	}
}

// The regulator's comparator gives returns up to 2025-09-30, but the known quotas end on
// 2025-08-31, so the end quota is unknown. One end quota must explain all returns of a series.
// The test computes it from the published 1-year return and adds it. Then it computes the 3-
// and 5-year returns from the quotas of 2022-09-30 and 2020-09-30. This checks the start dates,
// the choice of quotes and the exponent, but not the 1-year return itself. Published values are
// percentages with four decimals.
func TestOneEndQuotaExplainsAllReturnsTheRegulatorPublished(t *testing.T) {
	m := realMarket(t)
	asOf := on(t, "2025-09-30")
	compared := map[string]int{}
	for _, row := range table(t, "../../../demo/files/comparator/cmf_rentabilidades_20250930.csv") {
		run, err := strconv.Atoi(row["fo_run"])
		if err != nil {
			t.Fatal(err)
		}
		if run != 9809 && run != 9810 {
			continue
		}
		serie := row["fm_serie"]
		p := m.Period(run, serie, asOf, "1y")
		if p.Reason != "stale_end_quote" || p.EffectiveStart != "2024-09-30" || p.EffectiveEnd != "2025-08-31" {
			t.Fatalf("%d %s: %+v", run, serie, p)
		}
		oneYear, err := strconv.ParseFloat(row["rent_nominal_1a"], 64)
		if err != nil {
			t.Fatal(err)
		}
		quotes := m.quotes[Series{run, serie}]
		start, last := quotes[newest(quotes, on(t, p.EffectiveStart))], quotes[len(quotes)-1]
		m.Add(Row{
			Run: run, Serie: serie, Day: asOf, Moneda: last.moneda,
			Quota: start.quota * (1 + oneYear/100), Equity: last.equity,
		})
		for window, column := range map[string]string{
			"1y": "rent_nominal_1a", "3y_ann": "rent_nominal_3a_ann", "5y_ann": "rent_nominal_5a_ann",
		} {
			p := m.Period(run, serie, asOf, window)
			if row[column] == "" {
				if p.Status == "available" {
					t.Errorf("%d %s %s: not published, ours %v", run, serie, window, *p.Value)
				}
				continue
			}
			published, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			if p.Value == nil || math.Abs(100**p.Value-published) > 1e-4 {
				t.Errorf("%d %s %s: %+v, published %v %%", run, serie, window, p, published)
				continue
			}
			compared[window]++
		}
	}
	if want := map[string]int{"1y": 7, "3y_ann": 7, "5y_ann": 4}; !maps.Equal(compared, want) {
		t.Errorf("compared %v, want %v", compared, want)
	}
}

// Three series were empty on 2025-08-31. An empty series keeps its quota, so their published
// returns to 2025-09-30 equal the returns to the last known quota. So here the 1-year return
// can be compared too.
func TestReturnsOfEmptySeriesAreTheRegulatorsOwn(t *testing.T) {
	m := realMarket(t)
	asOf := on(t, "2025-09-30")
	for _, c := range []struct {
		run                int
		serie              string
		oneYear, threeYear float64 // percent, from the comparator
	}{
		{9809, "FREE", 8.0123, 13.9324},
		{9809, "APV-FREE", 7.7535, 13.8414},
		{9810, "FREE", 1.492, 5.561},
	} {
		quotes := m.quotes[Series{c.run, c.serie}]
		last := quotes[len(quotes)-1]
		if last.equity != 0 {
			t.Fatalf("%d %s wasn't empty: %v", c.run, c.serie, last.equity)
		}
		m.Add(Row{Run: c.run, Serie: c.serie, Day: asOf, Moneda: last.moneda, Quota: last.quota})
		for window, published := range map[string]float64{"1y": c.oneYear, "3y_ann": c.threeYear} {
			p := m.Period(c.run, c.serie, asOf, window)
			if p.Value == nil || math.Abs(100**p.Value-published) > 1e-4 {
				t.Errorf("%d %s %s: %+v, published %v %%", c.run, c.serie, window, p, published)
			}
		}
	}
}

// The association's daily sheet contains RUNs with their check digits. One of them is wrong:
// 9430-3, on five lines.
func TestCheckDigitsOfTheRealMarket(t *testing.T) {
	right, wrong := 0, map[string]int{}
	for _, row := range table(t, "../../../demo/files/aafm/aafm_resumen_diario_20250720.csv") {
		if _, err := ParseRUN(row["run"]); err != nil {
			wrong[row["run"]]++
			continue
		}
		right++
	}
	if right != 2896 || !maps.Equal(wrong, map[string]int{"9430-3": 5}) {
		t.Errorf("%d right, wrong %v", right, wrong)
	}
}
