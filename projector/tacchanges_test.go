package projector_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// stateSynthetic ingests a comparator with the rates of series A of some funds, and adds
// the same rates to the oracle.
func stateSynthetic(t *testing.T, m *demotest.Market, market *oracle.Market, name string, month time.Time,
	percents map[int]string) {
	t.Helper()
	content := "fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf,serie_digital,tac_sintetica\n"
	for run, percent := range percents {
		content += fmt.Sprintf("%d,A,33.38,%s,$$,Retail,FUND,SOYFOCUS,0,%s\n", run, month.Format("20060102"), percent)
		if err := market.State(oracle.Statement{Run: run, Serie: "A", Month: month, Kind: oracle.SyntheticTAC,
			Percent: percent, File: name}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), name+".csv")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if report := m.Ingest(t, model.TACComparator, file, demotest.Clock); report.Published != uint64(len(percents)) {
		t.Fatalf("published %d rates: %+v", report.Published, report.FirstRejects)
	}
}

func TestTACChangesCompareLikeWithLikeAndLeaveRoundingOut(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	may, june, cutoff := date(t, "2025-05-31"), date(t, "2025-06-30"), date(t, "2025-07-15")
	// a fund without a cartola, whose rate only decides with how many decimals a file is published
	const elsewhere = 60999

	// Funds with only a synthetic rate: the percentages in May and June, and what else each
	// of the two files has.
	synthetic := []struct {
		rule                      string
		may, mayElse, june, june2 string
		changes                   bool
	}{
		{"a hundredth between files of two decimals", "1.31", "0.77", "1.32", "0.77", true},
		{"the same figure, rounded", "1.319958", "0.77", "1.32", "0.77", false},
		{"just below half of the last decimal", "1.315001", "0.77", "1.32", "0.77", false},
		{"half of the last decimal", "1.315", "0.77", "1.32", "0.77", true},
		{"a file that drops zeros", "1.53", "0.77", "1.5", "0.77", true},
		{"a file of two rates that drops all zeros", "1.53", "0.77", "1.5", "2", true},
		{"the sixth decimal where both files have six", "2.037158", "0.77", "2.037159", "0.77", true},
		{"the noise of a 32-bit float", "1.3200000524520874", "0.77", "1.32", "0.77", false},
		{"the noise of one that leaves five decimals", "22.299999237060547", "2.037158", "22.3", "2.037158", false},
	}
	// Funds whose daily costs rise from May to June, and the rates of the two months in the
	// monthly sheet.
	stated := []struct{ rule, may, june, kind string }{
		{"nothing is stated", "", "", "computed"},
		{"one month is stated", "", "9", "computed"},
		{"the other month is stated", "9", "", "computed"},
		{"both are stated", "8", "9.5", "stated"},
		{"both are stated, and the same", "9", "9", ""},
		{"a rate is restated with fewer decimals", "8.994999", "8.99", ""},
	}

	var rows []cartolaDay
	quoted := func(run int, from string, cost func(time.Time) float64) {
		for day := date(t, from); !day.After(cutoff); day = day.AddDate(0, 0, 1) {
			rows = append(rows, cartolaDay{run: run, serie: "A", day: day, equity: 1000, units: 100, cost: cost(day)})
		}
	}
	for i := range synthetic {
		quoted(60100+i, "2025-07-05", func(time.Time) float64 { return 0.04 })
	}
	for i := range stated {
		quoted(60200+i, "2025-04-30", func(day time.Time) float64 {
			if day.Month() == time.May {
				return 0.04
			}
			return 0.05
		})
	}
	path := cartolaOf(t, rows)
	m := demotest.New(t)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock); report.Rejected != 0 {
		t.Fatalf("rejected: %+v", report.FirstRejects)
	}
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for i, c := range synthetic {
		run := 60100 + i
		stateSynthetic(t, m, market, fmt.Sprintf("may_%d", i), may, map[int]string{run: c.may, elsewhere: c.mayElse})
		stateSynthetic(t, m, market, fmt.Sprintf("june_%d", i), june,
			map[int]string{run: c.june, elsewhere + 1 + i: c.june2})
		if c.changes {
			want[c.rule] = "synthetic"
		}
	}
	var funds []string
	sheets := map[string][]string{}
	for i, c := range stated {
		run := 60200 + i
		funds = append(funds, fmt.Sprintf("(%d, '2025-01-01 00:00:00', '%s', %d, 1, 'MANAGER', 'FUND %d')", run, hashOf("fade"), i+1,
			run))
		for month, percent := range map[string]string{"2025-05-31": c.may, "2025-06-30": c.june} {
			if percent == "" {
				continue
			}
			sheets[month] = append(sheets[month], fmt.Sprintf("('MANAGER', 'FUND %d', 'A', %s)", run, percent))
			if err := market.State(oracle.Statement{Run: run, Serie: "A", Month: date(t, month), Kind: oracle.StatedTAC,
				Percent: percent, File: "sheet " + month}); err != nil {
				t.Fatal(err)
			}
		}
		if c.kind != "" {
			want[c.rule] = c.kind
		}
	}
	if err := m.Conn.Exec(context.Background(),
		"INSERT INTO fact_fund (run, revision, source_sha256, source_line, manager_rut, manager, name) VALUES "+
			strings.Join(funds, ", ")); err != nil {
		t.Fatal(err)
	}
	if err := m.Conn.Exec(context.Background(),
		"INSERT INTO complete_file (dataset, sha256, revision, rows, keys) VALUES ('register', '"+
			hashOf("fade")+"', '2025-01-01 00:00:00', 6, 6)"); err != nil {
		t.Fatal(err)
	}
	stateMonthly(t, m, "5a7e05", "2025-05-31", sheets["2025-05-31"]...)
	stateMonthly(t, m, "5a7e06", "2025-06-30", sheets["2025-06-30"]...)
	batch := m.Build(t)

	shown := map[string]tacChange{} // by RUN
	for _, direction := range []string{"up", "down"} {
		for _, change := range tacChanges(t, m, batch, "2025-06-30", direction, "") {
			shown[change.Run] = change
		}
	}
	found := map[string]string{}
	look := func(run int, rule string) {
		t.Helper()
		change, there := shown[fmt.Sprintf("%d-%s", run, oracle.CheckDigit(run))]
		if there {
			found[rule] = change.Kind
		}
		expected, ok := market.TACChange(run, "A", june, cutoff)
		if there != ok || ok && (change.Kind != expected.Kind || abs(change.TAC-expected.After) > 1e-6 ||
			abs(change.Previous-expected.Before) > 1e-6) {
			t.Errorf("%s: %+v, the independent computation has %+v (%t)", rule, change, expected, ok)
		}
	}
	for i, c := range synthetic {
		look(60100+i, c.rule)
	}
	for i, c := range stated {
		look(60200+i, c.rule)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("changes by rule (-want +got):\n%s", diff)
	}
}
