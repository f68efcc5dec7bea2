package projector_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// cartolaLines returns the header of a cartola and its rows for a fund and day.
func cartolaLines(t *testing.T, path string, run, day string) (header string, rows []string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for _, line := range lines[1:] {
		if columns := strings.Split(line, ";"); columns[2] == run && columns[3] == day {
			rows = append(rows, line)
		}
	}
	return lines[0], rows
}

// writeCartola writes a cartola file.
func writeCartola(t *testing.T, header string, rows ...string) string {
	t.Helper()
	return fileOf(t, "correction.txt", append([]string{header}, rows...)...)
}

// fileOf writes lines into a file of that name, in a folder of its own.
func fileOf(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// withQuota replaces the valor cuota of a row.
func withQuota(row, quota string) string {
	columns := strings.Split(row, ";")
	columns[12] = quota
	return strings.Join(columns, ";")
}

const history2024 = "../demo/files/cartola/cartola_9809_9810_20240101_20241231.txt"

func TestACorrectionChangesExactlyTheWindowsItShouldInANewBatch(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	first := m.Build(t)
	before := demotest.Checksums(t, m.Conn, first)
	windowsBefore := storedWindows(t, m, first)

	// The window ytd starts on 2024-12-31. No other window of the cutoff uses that day.
	header, rows := cartolaLines(t, history2024, "9809", "20241231")
	var corrected string
	for _, row := range rows {
		if strings.Split(row, ";")[8] == "B" {
			corrected = withQuota(row, "1700.5")
		}
	}
	report := m.Ingest(t, model.Cartola, writeCartola(t, header, corrected),
		time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	if report.Published != 1 {
		t.Fatalf("published %d rows of the correction: %+v", report.Published, report.FirstRejects)
	}
	second := m.Build(t)
	windowsAfter := storedWindows(t, m, second)

	var changed []string
	for key, window := range windowsAfter {
		if windowsBefore[key] != window {
			changed = append(changed, key)
		}
	}
	if want := []string{"9809:B:ytd"}; !cmp.Equal(want, changed) {
		t.Errorf("changed windows %v, want %v", changed, want)
	}
	// The file has the quota 1812.4835 on 2025-07-20.
	if got, want := windowsAfter["9809:B:ytd"].value, 1812.4835/1700.5-1; abs(got-want) > 1e-12 {
		t.Errorf("ytd is %v, want %v", got, want)
	}
	if diff := cmp.Diff(before, demotest.Checksums(t, m.Conn, first)); diff != "" {
		t.Errorf("the old batch answers differently now:\n%s", diff)
	}

	// An older revision that arrives late changes nothing, except that more rows have several statements (later_row).
	m.Ingest(t, model.Cartola, writeCartola(t, header, withQuota(corrected, "1.5")),
		time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC))
	want, got := demotest.Checksums(t, m.Conn, second), demotest.Checksums(t, m.Conn, m.Build(t))
	delete(want, "later_row")
	delete(got, "later_row")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an older revision changed the projections:\n%s", diff)
	}
}

func abs(x float64) float64 { return max(x, -x) }

func storedWindows(t *testing.T, m *demotest.Market, batch uint64) map[string]period {
	t.Helper()
	return periods(t, m.Conn, `
		SELECT run, serie, window, value, currency, reason, target_start, target_end, effective_start, effective_end
		FROM (SELECT * FROM series_return WHERE batch = {batch:UInt64}) AS returns
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = returns.series_id`, batch, "1970-01-02")
}

func TestARejectedRowMakesItsDayInvalid(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	// A quota of zero and a negative one take the same path.
	unsound := longtest.Sample(t, []string{"quota of zero", "negative quota"}, 1)
	spoils := map[string]func(string) string{
		"quota of zero":  func(row string) string { return withQuota(row, "0.0000") },
		"negative quota": func(row string) string { return withQuota(row, "-1812.4835") },
		"comma decimals": func(row string) string { return withQuota(row, "1812,4835") },
		"blank currency": func(row string) string { return strings.Replace(row, ";$$;", "; ;", 1) },
	}
	for _, name := range append(unsound, "comma decimals", "blank currency") {
		spoil := spoils[name]
		t.Run(name, func(t *testing.T) {
			m := demotest.New(t)
			history := historyOf(t)[4:]
			for _, path := range history {
				m.Ingest(t, model.Cartola, path, demotest.Clock.AddDate(0, 0, -10))
			}
			header, rows := cartolaLines(t, "../demo/files/cartola/cartola_9809_9810_20250101_20250720.txt", "9809",
				"20250720")
			for i, row := range rows {
				if strings.Split(row, ";")[8] == "B" {
					rows[i] = spoil(row)
				}
			}
			report := m.Ingest(t, model.Cartola, writeCartola(t, header, rows...), demotest.Clock.AddDate(0, 0, -5))
			if report.Rejected != 1 {
				t.Fatalf("rejected %d rows, want 1", report.Rejected)
			}
			market, err := oracle.Load(history...)
			if err != nil {
				t.Fatal(err)
			}
			market.Void(9809, "B", time.Date(2025, 7, 20, 0, 0, 0, 0, time.UTC))
			batch := m.Build(t)
			compareWindows(t, m.Conn, market, batch, "2025-07-20")
			compareWindows(t, m.Conn, market, batch, "2025-07-19")
		})
	}
}

func TestDiscontinuitiesAndUnknownCurrenciesEqualTheOracle(t *testing.T) {
	t.Parallel()
	header, _ := cartolaLines(t, history2024, "9809", "20241231")
	line := func(run int, serie, day, moneda string, quota, equity any, adjustment string) string {
		return fmt.Sprintf("77057272;SOYFOCUS;%d;%s;1000;%s;N;0;%s;0;0;10;%v;%v;5;0;N;0;0;0;0;0;0;%s;", run, day,
			moneda, serie, quota, equity, adjustment)
	}
	rows := []string{
		line(9809, "GAP31", "20250601", "$$", 100, 50, ""), line(9809, "GAP31", "20250702", "$$", 101, 50, ""),
		line(9809, "GAP32", "20250531", "$$", 100, 50, ""), line(9809, "GAP32", "20250702", "$$", 101, 50, ""),
		line(9809, "RESTART", "20250601", "$$", 100, 50, ""), line(9809, "RESTART", "20250610", "$$", 100, 0, ""),
		line(9809, "RESTART", "20250702", "$$", 101, 50, ""),
		line(9809, "EMPTIED", "20250601", "$$", 100, 50, ""), line(9809, "EMPTIED", "20250702", "$$", 101, 0, ""),
		line(9809, "ADJUSTED", "20250601", "$$", 100, 50, ""), line(9809, "ADJUSTED", "20250615", "$$", 100, 50, "2"),
		line(9809, "ADJUSTED", "20250702", "$$", 101, 50, ""),
		line(9809, "UNADJUSTED", "20250601", "$$", 100, 50, "2"),
		line(9809, "UNADJUSTED", "20250615", "$$", 100, 50, "1"),
		line(9809, "UNADJUSTED", "20250702", "$$", 101, 50, ""),
		line(9809, "SWITCHED", "20250601", "$$", 100, 50, ""), line(9809, "SWITCHED", "20250615", "PROM", 1, 50, ""),
		line(9809, "SWITCHED", "20250702", "$$", 101, 50, ""),
		line(9809, "EURO", "20250601", "EUR", 100, 50, ""), line(9809, "EURO", "20250702", "EUR", 101, 50, ""),
		line(9809, "DOLLAR", "20250601", "PROM", 1.5, 50, ""), line(9809, "DOLLAR", "20250702", "PROM", 1.6, 50, ""),
		line(9809, "ZERO", "20250601", "$$", 0, 50, ""), line(9809, "ZERO", "20250702", "$$", 101, 50, ""),
		line(9809, "YOUNG", "20250702", "$$", 101, 50, ""),
		line(9809, "SEVEN", "20250525", "$$", 100, 50, ""), line(9809, "SEVEN", "20250625", "$$", 101, 50, ""),
		line(9809, "EIGHT", "20250524", "$$", 100, 50, ""), line(9809, "EIGHT", "20250624", "$$", 101, 50, ""),
	}
	path := writeCartola(t, header, rows...)
	m := demotest.New(t)
	// the series is ZERO
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock.AddDate(0, 0, -1)); report.Rejected != 1 {
		t.Fatalf("rejected %d: %+v", report.Rejected, report.FirstRejects)
	}
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	batch := m.Build(t)
	all := map[string]bool{}
	for _, asOf := range []string{"2025-07-02", "2025-07-01", "2025-06-30", "2025-06-15", "2026-02-28"} {
		compareWindows(t, m.Conn, market, batch, asOf)
		for _, series := range market.Series() {
			day, _ := time.Parse(time.DateOnly, asOf)
			all[market.Period(series.Run, series.Name, day, "1m").Reason] = true
		}
	}
	var reasons []string
	for reason := range all {
		reasons = append(reasons, reason)
	}
	sort.Strings(reasons)
	want := []string{"", "currency_change", "invalid_end_quote", "invalid_start_quote", "known_discontinuity",
		"missing_end_quote", "missing_start_quote", "stale_end_quote", "stale_start_quote", "unknown_currency"}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("the cases do not cover the reasons:\n%s", diff)
	}
}

func TestTheCutoffEqualsTheIndependentComputation(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dolar := loadDolar(t)
	m := demotest.New(t)
	m.IngestDemo(t)
	paths := append(historyOf(t), "../demo/files/cartola/cartola_market_20250720_derived.txt")
	// The derived market day also has RUN 9809 and 9810, with the same equity and quota.
	// Its rows are outranked.
	for _, step := range []struct{ file, want string }{
		{"", "2025-07-20"},
		{later, "2025-07-20"}, // two funds go on alone
		{"../testdata/later/cartola/cartola_excerpt_9_funds.txt", "2025-07-20"}, // a few series have rows in 2026
		// the others are closed, and these few are more than the two funds, which are silent for more than 95 days
		{"end", "2026-02-01"},
	} {
		if step.file == "end" {
			m.IngestEnd(t, "2025-07-21", demotest.Clock)
		} else if step.file != "" {
			m.Ingest(t, model.Cartola, step.file, demotest.Clock)
			paths = append(paths, step.file)
		}
		market, err := oracle.Load(paths...)
		if err != nil {
			t.Fatal(err)
		}
		if step.file == "end" {
			market.End(0, "", date(t, "2025-07-21"))
		}
		want, ok := market.LatestComplete(dolar)
		if !ok || want.Format(time.DateOnly) != step.want {
			t.Errorf("after %q the oracle says %s, %t; expected %s", step.file, want.Format(time.DateOnly), ok,
				step.want)
		}
		batch := m.Build(t)
		var got time.Time
		if err := m.Conn.QueryRow(context.Background(), "SELECT assumeNotNull(as_of_date) FROM batch WHERE batch = $1",
			batch).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if !got.Equal(want) {
			t.Errorf("after %q the cutoff is %s, want %s", step.file, got.Format(time.DateOnly),
				want.Format(time.DateOnly))
		}
	}
}

func loadDolar(t *testing.T) oracle.Dolar {
	t.Helper()
	content, err := os.ReadFile("../demo/files/macro/dolar_observado.csv")
	if err != nil {
		t.Fatal(err)
	}
	dolar := oracle.Dolar{}
	for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n")[1:] {
		var value float64
		date, number, _ := strings.Cut(line, ",")
		if _, err := fmt.Sscan(number, &value); err != nil {
			t.Fatal(err)
		}
		dolar[date] = value
	}
	return dolar
}
