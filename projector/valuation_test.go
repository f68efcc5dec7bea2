package projector_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

const (
	dolarFile = "../demo/files/macro/dolar_observado.csv"
	ufFile    = "../demo/files/macro/uf_diaria.csv"
)

// wholeHistory builds the demo market with the later history of RUN 9809 and 9810.
func wholeHistory(t *testing.T) (*demotest.Market, *oracle.Market) {
	t.Helper()
	m := demotest.New(t)
	m.IngestDemo(t)
	m.Ingest(t, model.Cartola, later, demotest.Clock)
	m.IngestEnd(t, "2025-07-21", demotest.Clock) // of the series that are not in it
	market, err := oracle.Load(append(historyOf(t), later)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := market.LoadRates(dolarFile, ufFile); err != nil {
		t.Fatal(err)
	}
	return m, market
}

var realDates = []string{"2025-08-31", "2025-06-30", "2024-02-29"}

func TestRealReturnsInPesosAndUFEqualTheIndependentComputation(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, market := wholeHistory(t)
	batch := m.Build(t)
	t.Run("and deflate like the official table", func(t *testing.T) { deflation(t, m.Conn, batch) })
	for _, asOf := range realDates {
		for _, valuation := range []string{"clp", "real_uf"} {
			t.Run(asOf+" "+valuation, func(t *testing.T) {
				reasons := map[string]int{}
				compareAdjusted(t, m.Conn, market, batch, asOf, valuation, reasons)
				t.Logf("windows by reason: %v", reasons)
				if reasons[""] < 20 {
					t.Errorf("only %d windows have a value", reasons[""])
				}
			})
		}
	}
}

// rates are the indicators of a generated market.
type rates map[string]string

func (r rates) file(t *testing.T, name string) string {
	t.Helper()
	lines := []string{"fecha,valor"}
	for day, value := range r {
		lines = append(lines, day+","+value)
	}
	slices.Sort(lines[1:])
	return fileOf(t, name, lines...)
}

// Two series, one of them in dollars, and rates with holes. Every reason that rates can
// cause occurs at some date, and no reason that the oracle does not have.
func TestEveryReasonThatRatesGiveEqualsTheIndependentComputation(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m, market := demotest.New(t), oracle.New()
	var rows []cartolaDay
	for d := date(t, "2024-06-01"); !d.After(date(t, "2025-06-30")); d = d.AddDate(0, 0, 1) {
		age := d.Sub(date(t, "2024-06-01")).Hours() / 24
		rows = append(rows,
			cartolaDay{run: 9809, serie: "PESOS", day: d, quota: 1000 + age/4, equity: 1000, units: 1},
			cartolaDay{run: 9809, serie: "DOLARES", day: d, moneda: "PROM", quota: 10 + age/64, equity: 1000, units: 1})
	}
	for _, r := range rows {
		market.Add(oracle.Row{Run: r.run, Serie: r.serie, Day: r.day,
			Moneda: map[string]string{"": "$$", "PROM": "PROM"}[r.moneda], Quota: r.quota, Equity: r.equity})
	}
	dolar, uf := rates{}, rates{}
	for d := date(t, "2024-09-01"); !d.After(date(t, "2025-06-30")); d = d.AddDate(0, 0, 1) {
		key := d.Format(time.DateOnly)
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday && (key < "2025-02-01" || key > "2025-03-31") {
			dolar[key] = fmt.Sprintf("9%d.%d", d.YearDay()%90+10, d.Day())
		}
		if key >= "2024-10-15" && key != "2025-05-30" {
			uf[key] = fmt.Sprintf("38%03d.%02d", d.YearDay(), d.Day())
		}
	}
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	m.Ingest(t, model.Dolar, dolar.file(t, "dolar.csv"), demotest.Clock)
	m.Ingest(t, model.UF, uf.file(t, "uf.csv"), demotest.Clock)
	dolar["2024-11-20"], uf["2024-11-25"] = "0", "0"
	for key, value := range dolar {
		market.Dolar(date(t, key), value)
	}
	for key, value := range uf {
		market.UF(date(t, key), value)
	}
	m.Build(t)
	// Ingest rejects a rate that isn't above 0. So these corrections are inserted as if an
	// ingest had accepted them, in files that the batch includes.
	for _, zero := range []struct{ code, day string }{{"dolar", "2024-11-20"}, {"uf", "2024-11-25"}} {
		if err := m.Conn.Exec(context.Background(),
			fmt.Sprintf(`INSERT INTO fact_indicator (code, date, revision, source_sha256, source_line, value)
			SELECT code, date, revision + toIntervalDay(1), source_sha256, source_line, 0 FROM fact_indicator WHERE code = '%s' AND date = '%s'`, zero.code, zero.day)); err != nil {
			t.Fatal(err)
		}
	}
	batch := m.Rebuild(t)

	reasons := map[string]int{}
	for _, asOf := range []string{
		"2025-06-30", "2025-05-30", "2025-06-15", "2025-03-15", "2025-02-07", "2025-02-08", "2025-04-20", "2024-11-20",
		"2024-12-20", "2024-11-25", "2024-12-25", "2024-11-10", "2024-08-20", "2024-10-01",
	} {
		for _, valuation := range []string{"clp", "real_uf"} {
			compareAdjusted(t, m.Conn, market, batch, asOf, valuation, reasons)
		}
	}
	for _, reason := range []string{
		"", "missing_end_fx", "missing_start_fx", "invalid_end_fx", "invalid_start_fx", "stale_end_fx",
		"stale_start_fx",
		"missing_end_uf", "missing_start_uf", "invalid_end_uf", "invalid_start_uf",
	} {
		if reasons[reason] == 0 {
			t.Errorf("no window has reason %q: %v", reason, reasons)
		}
	}
	if rows := adjusted(t, m.Conn, batch, "2025-06-30", "accounting"); len(rows) > 0 {
		t.Errorf("adjusted returns in accounting currency: %d", len(rows))
	}
}
