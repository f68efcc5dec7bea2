package projector_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// tacChange is a row of batch_tac_change, with the columns that tests check.
type tacChange struct {
	Run       string   `ch:"run"`
	Serie     string   `ch:"serie"`
	Class     *string  `ch:"investor_class"`
	Patrimony string   `ch:"patrimony"`
	Kind      string   `ch:"tac_kind"`
	TAC       float64  `ch:"tac"`
	Previous  float64  `ch:"previous"`
	Delta     float64  `ch:"delta"`
	Percent   *float64 `ch:"percent"`
}

// tacChanges returns the changes of a month. Rates are rounded, so that they equal the rates
// of daily costs in hundredths of a peso.
func tacChanges(t *testing.T, m *demotest.Market, batch uint64, month, direction, category string) (found []tacChange) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "month": month, "direction": direction, "category": category,
	}))
	if err := m.Conn.Select(ctx, &found, `
		SELECT run, serie, toString(investor_class) AS investor_class, ifNull(toString(patrimony), '') AS patrimony, toString(tac_kind) AS tac_kind,
		       round(tac, 6) AS tac, round(tac_previous, 6) AS previous, round(tac_delta, 6) AS delta, tac_delta_percent AS percent
		FROM batch_tac_change(batch = {batch:UInt64}, month = {month:Date}, direction = {direction:String}, category = {category:String})`); err != nil {
		t.Fatal(err)
	}
	return found
}

// rate returns the annual rate of daily costs in hundredths of a peso, on 1,000 pesos that
// bear them, with 365 days, rounded to 6 decimals.
var rate = map[float64]float64{0: 0, 0.03: 0.01095, 0.04: 0.014599, 0.05: 0.018249, 0.06: 0.021899}

func TestTACChangesAreOneSeriesAFundOfBothMonthsAndOneKind(t *testing.T) {
	t.Parallel()
	from, to := date(t, "2025-04-30"), date(t, "2025-07-15")
	var rows []cartolaDay
	add := func(run int, serie string, equity, may, june float64, begin string) {
		for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
			if begin != "" && day.Before(date(t, begin)) {
				continue
			}
			cost := june
			if day.Month() == time.May {
				cost = may
			}
			rows = append(rows, cartolaDay{run: run, serie: serie, day: day, equity: equity, units: 100, cost: cost})
		}
	}
	add(60001, "A", 1000, 0.04, 0.05, "") // the same rise as B and C, with less equity
	add(60001, "B", 2000, 0.04, 0.05, "")
	add(60001, "C", 2000, 0.04, 0.05, "")
	add(60001, "D", 9000, 0.05, 0.04, "") // falls
	add(60002, "A", 1000, 0.05, 0.04, "")
	add(60002, "B", 1000, 0.05, 0.03, "") // falls more
	add(60003, "A", 1000, 0, 0.04, "")    // a rate of 0 in May, which is a known rate
	add(60004, "A", 1000, 0.04, 0.04, "")
	add(60005, "A", 1000, 0.04, 0.05, "2025-05-17") // has only 14 daily values in May
	add(60006, "A", 1000, 0.04, 0.05, "2025-05-16") // has 15 daily values in May
	add(60007, "A", 1000, 0.03, 0.06, "2025-07-01") // has no closed month of costs, but synthetic rates
	add(60009, "A", 1000, 0.05, 0.04, "")           // the same fall as B, with less equity
	add(60009, "B", 3000, 0.05, 0.04, "")
	path := cartolaOf(t, rows)
	m := demotest.New(t)
	if report := m.Ingest(t, model.Cartola, path, demotest.Clock); report.Rejected != 0 {
		t.Fatalf("rejected: %+v", report.FirstRejects)
	}
	// Synthetic rates of May, June and July, for 60007, which has no real rates, and for a
	// series that has real rates.
	for _, month := range []struct{ day, percent string }{{"20250531", "1.19"}, {"20250630", "1.32"},
		{"20250731", "1.25"}} {
		content := "fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf,serie_digital,tac_sintetica\n" +
			"60007,A,33.38," + month.day + ",$$,Retail,ALONE,SOYFOCUS,0," + month.percent + "\n" +
			"60004,A,33.38," + month.day + ",$$,APV,BOTH,SOYFOCUS,0," + month.percent + "\n"
		file := filepath.Join(t.TempDir(), "tac_"+month.day+".csv")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if report := m.Ingest(t, model.TACComparator, file, demotest.Clock); report.Published != 2 {
			t.Fatalf("published %d rates: %+v", report.Published, report.FirstRejects)
		}
	}
	batch := m.Build(t)

	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, month := range []string{"2025-05-31", "2025-06-30"} {
		if n := compareTAC(t, m.Conn, market, batch, date(t, month)); n < 8 {
			t.Errorf("%d rates in %s", n, month)
		}
	}
	if n := count(t, m, "SELECT count() FROM tac_month WHERE batch = $1 AND kind = 'real' AND month NOT IN "+
		"('2025-05-31', '2025-06-30')", batch); n != 0 {
		t.Errorf("%d real rates of months that are not closed or have no 15 days", n)
	}

	// B and C are equal except for their ids. The one with the lower id is expected.
	var lower string
	if err := m.Conn.QueryRow(context.Background(),
		"SELECT argMin(serie, id) FROM registry WHERE kind = 'series' AND run = 60001 AND serie IN ('B', 'C')").Scan(
		&lower); err != nil {
		t.Fatal(err)
	}
	percent := func(p float64) *float64 { return &p }
	retail := "Retail"
	run := func(n int) string { return fmt.Sprintf("%d-%s", n, oracle.CheckDigit(n)) }
	up := []tacChange{
		{run(60003), "A", nil, "0.001", "computed", rate[0.04], 0, 0.014599, nil},
		{run(60001), lower, nil, "0.002", "computed", rate[0.05], rate[0.04], 0.00365, percent(25)},
		{run(60006), "A", nil, "0.001", "computed", rate[0.05], rate[0.04], 0.00365, percent(25)},
		{run(60007), "A", &retail, "", "synthetic", 0.0132, 0.0119, 0.0013, percent(10.92)},
	}
	if diff := cmp.Diff(up, tacChanges(t, m, batch, "2025-06-30", "up", "")); diff != "" {
		t.Errorf("up (-want +got):\n%s", diff)
	}
	down := []tacChange{
		{run(60002), "B", nil, "0.001", "computed", rate[0.03], rate[0.05], -0.007299, percent(-40)},
		{run(60001), "D", nil, "0.009", "computed", rate[0.04], rate[0.05], -0.00365, percent(-20)},
		{run(60009), "B", nil, "0.003", "computed", rate[0.04], rate[0.05], -0.00365, percent(-20)},
	}
	if diff := cmp.Diff(down, tacChanges(t, m, batch, "2025-06-30", "down", "")); diff != "" {
		t.Errorf("down (-want +got):\n%s", diff)
	}
	if got := tacChanges(t, m, batch, "2025-06-30", "up", "equity"); len(got) != 0 {
		t.Errorf("unclassified series in a category: %+v", got)
	}
	if got := tacChanges(t, m, batch, "2025-05-31", "up", ""); len(got) != 0 {
		t.Errorf("changes against a month without rates: %+v", got)
	}
	if got := tacChanges(t, m, batch, "2025-07-31", "down", ""); len(got) != 1 || got[0].Run != run(60007) {
		t.Errorf("July has the stated rates of 60007 alone, got %+v", got)
	}
	var latest time.Time
	if err := m.Conn.QueryRow(context.Background(),
		fmt.Sprintf("SELECT assumeNotNull(month) FROM batch_tac_latest_month(batch = %d, until = '2149-06-06')",
			batch)).Scan(&latest); err != nil {
		t.Fatal(err)
	}
	if day(&latest) != "2025-07-31" {
		t.Errorf("the latest month is %s", day(&latest))
	}

	t.Run("a history is of one kind, the current rate is synthetic where there is one", func(t *testing.T) {
		for _, c := range []struct {
			run             int
			history         []string
			current, dated  string
			currentFraction float64
		}{
			{60004, []string{"2025-05-31 computed", "2025-06-30 computed"}, "synthetic", "2025-07-31", 0.0125},
			{60007, []string{"2025-05-31 synthetic", "2025-06-30 synthetic", "2025-07-31 synthetic"}, "synthetic",
				"2025-07-31", 0.0125},
			{60002, []string{"2025-05-31 computed", "2025-06-30 computed"}, "computed", "2025-06-30", rate[0.04]},
		} {
			var id uint32
			if err := m.Conn.QueryRow(context.Background(),
				"SELECT id FROM registry WHERE kind = 'series' AND serie = 'A' AND run = $1",
				c.run).Scan(&id); err != nil {
				t.Fatal(err)
			}
			var history []string
			if err := m.Conn.QueryRow(context.Background(), fmt.Sprintf(
				"SELECT arraySort(groupArray(format('{} {}', toString(month), tac_kind))) FROM "+
					"batch_tac_history(batch = %d, series = [%d], all_series = false)", batch,
				id)).Scan(&history); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.history, history); diff != "" {
				t.Errorf("%d:\n%s", c.run, diff)
			}
			var kind string
			var dated time.Time
			var tac float64
			if err := m.Conn.QueryRow(context.Background(),
				"SELECT assumeNotNull(tac_kind), assumeNotNull(tac_date), assumeNotNull(tac) FROM series WHERE batch "+
					"= $1 AND series_id = $2", batch, id).Scan(&kind, &dated, &tac); err != nil {
				t.Fatal(err)
			}
			if kind != c.current || day(&dated) != c.dated || abs(tac-c.currentFraction) > 1e-6 {
				t.Errorf("%d: current %v %s of %s, want %v %s of %s", c.run, tac, kind, day(&dated), c.currentFraction,
					c.current, c.dated)
			}
		}
	})
}

// stateMonthly ingests a monthly sheet with real rates of a month. The sheet has no RUN.
func stateMonthly(t *testing.T, m *demotest.Market, sha, month string, lines ...string) {
	t.Helper()
	ctx := context.Background()
	sha = hashOf(sha)
	for i, line := range lines {
		if err := m.Conn.Exec(ctx, fmt.Sprintf(`
			INSERT INTO fact_monthly_tac (date, manager, fund, manager_words, fund_words, serie, revision, source_sha256, source_line, total_percent)
			SELECT '%s', t.1, t.2, cuota_words(t.1), cuota_words(t.2), t.3, '2025-06-15 00:00:00', '%s', %d, t.4 FROM (SELECT %s AS t)`, month, sha, i+1, line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Conn.Exec(ctx,
		fmt.Sprintf("INSERT INTO complete_file (dataset, sha256, revision, rows, keys) VALUES ('tac-monthly', '%s', "+
			"'2025-06-15 00:00:00', %d, %d)", sha, len(lines), len(lines))); err != nil {
		t.Fatal(err)
	}
}

// hashOf makes the hash of a file of its first digits.
func hashOf(digits string) string { return digits + strings.Repeat("0", 64-len(digits)) }

func TestAStatedRealRateOutranksTheComputedOne(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	first := m.Build(t)
	stateMonthly(t, m, "5a7e", "2025-05-31",
		"('SOYFOCUS  Administradora General de Fondos S.A.', 'Fondo Mutuo Moderado Focus', 'B', 1.5)",
		"('SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'MODERADO FOCUS', 'APV', 0)",
		"('SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'FONDO CONSERVADOR', 'B', NULL)",
		"('SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'FONDO MUTUO CONSERVADOR FOCUS', 'NEW', 1)",
		"('OTHER ADMINISTRADORA GENERAL DE FONDOS S.A.', 'FONDO MUTUO CONSERVADOR FOCUS', 'B', 1)",
		"('SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'FONDO MUTUO ARRIESGADO', 'B', 1)",
		"('ADMINISTRADORA GENERAL DE FONDOS SECURITY S.A.', 'FONDO MUTUO SECURITY EXPLORER', 'B', 1)")
	second := m.Build(t)

	var reasons []string
	if err := m.Conn.QueryRow(context.Background(), fmt.Sprintf(
		"SELECT arraySort(groupArray(format('{} {}', reason, toString(n)))) FROM (SELECT reason, count() AS n FROM "+
			"batch_stated_tac(batch = %d) WHERE dataset = 'tac-monthly' GROUP BY reason)",
		second)).Scan(&reasons); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{" 2", "ambiguous_fund 1", "no_figure 1", "unknown_fund 2", "unknown_series 1"},
		reasons); diff != "" {
		t.Errorf("reasons:\n%s", diff)
	}
	for _, c := range []struct {
		batch  uint64
		serie  string
		source string
		rate   float64 // less than 0 means any
	}{{first, "B", "computed", -1}, {second, "B", "stated", 0.015}, {second, "APV", "stated", 0}} {
		var source string
		var rate float64
		if err := m.Conn.QueryRow(context.Background(), `
			SELECT history.source, assumeNotNull(tac) FROM batch_tac_history(batch = $1, series = [], all_series = true) AS history
			INNER JOIN registry ON registry.kind = 'series' AND registry.id = history.series_id
			WHERE month = '2025-05-31' AND run = 9809 AND serie = $2`, c.batch, c.serie).Scan(&source,
			&rate); err != nil {
			t.Fatal(err)
		}
		if source != c.source || c.rate >= 0 && rate != c.rate {
			t.Errorf("batch %d, %s: %v %s, want %v %s", c.batch, c.serie, rate, source, c.rate, c.source)
		}
	}
	if n := count(t, m, "SELECT count() FROM series_month_version WHERE batch = $1", second); n != 0 {
		t.Errorf("%d months were computed anew because of a stated rate", n)
	}
	if diff := cmp.Diff([]string{"APV tac-monthly " + hashOf("5a7e") + " 2", "B tac-monthly " + hashOf("5a7e") + " 1"},
		statedLines(t, m, second, 9809, "real", "2025-05-31")); diff != "" {
		t.Errorf("stated real rates and their lines:\n%s", diff)
	}
	if n := count(t, m, "SELECT countIf(source = 'stated' AND (source_sha256 = '' OR source_line = 0 OR revision IS "+
		"NULL) OR source = 'computed' AND (dataset != '' OR source_sha256 != '' OR source_line != 0 OR revision IS "+
		"NOT NULL)) FROM tac_month WHERE batch = $1", second); n != 0 {
		t.Errorf("%d stated rates without a line, or computed ones with one", n)
	}
	if n := count(t, m, "SELECT count() FROM (SELECT series_id, tac_kind FROM tac_month WHERE batch = $1 AND month = "+
		"'2025-05-31' AND kind = 'real' GROUP BY ALL) GROUP BY series_id HAVING count() = 2 LIMIT 1", second); n != 2 {
		t.Errorf("the computed rates beside the stated ones are gone")
	}
}

// The later sheet names the fund without FONDO MUTUO, so that it is no correction of the same row.
func TestASheetThatSaysNATakesBackTheRateOfAnOlderOne(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	stateMonthly(t, m, "5a7e", "2025-05-31",
		"('SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'FONDO MUTUO MODERADO FOCUS', 'B', 1.5)")
	first := m.Build(t)
	stateMonthly(t, m, "9a7e", "2025-05-31",
		"('SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'MODERADO FOCUS', 'B', NULL)")
	second := m.Build(t)
	if diff := cmp.Diff([]string{"B tac-monthly " + hashOf("5a7e") + " 1"},
		statedLines(t, m, first, 9809, "real", "2025-05-31")); diff != "" {
		t.Errorf("before:\n%s", diff)
	}
	if left := statedLines(t, m, second, 9809, "real", "2025-05-31"); len(left) != 0 {
		t.Errorf("after the sheet with NA: %v", left)
	}
	if n := count(t, m, `
		SELECT count() FROM batch_tac_history(batch = $1, series = [], all_series = true) AS history
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = history.series_id
		WHERE month = '2025-05-31' AND run = 9809 AND serie = 'B' AND history.source = 'computed'`, second); n != 1 {
		t.Errorf("%d computed rates are shown in its place, want 1", n)
	}
}

// statedLines returns the lines that state the rates of a fund for a month: series, dataset, file and line.
func statedLines(t *testing.T, m *demotest.Market, batch uint64, run int, kind, month string) []string {
	t.Helper()
	var lines []string
	if err := m.Conn.QueryRow(context.Background(), `
		SELECT arraySort(groupArray(format('{} {} {} {}', serie, dataset, source_sha256, toString(source_line))))
		FROM tac_month INNER JOIN registry ON registry.kind = 'series' AND registry.id = tac_month.series_id
		WHERE tac_month.batch = $1 AND run = $2 AND tac_month.kind = $3 AND source = 'stated' AND month = $4`, batch,
		run, kind, month).Scan(&lines); err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestAStatedCostRateKeepsTheLineOfItsFile(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	var rows []cartolaDay
	for _, serie := range []string{"A", "B"} {
		rows = append(rows, cartolaDay{run: 60001, serie: serie, day: date(t, "2025-06-30"), equity: 1000, units: 100})
	}
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	rates := func(published time.Time, lines ...string) string {
		content := "fo_run,fm_serie,pat_total,fm_fecha_num,moneda_funcional,clase_inversionista,nombre_fondo,nombre_agf,serie_digital,tac_sintetica\n" + strings.Join(lines, "")
		file := filepath.Join(t.TempDir(), "tac.csv")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if report := m.Ingest(t, model.TACComparator, file, published); report.Published != uint64(len(lines)) {
			t.Fatalf("published %d rates: %+v", report.Published, report.FirstRejects)
		}
		return fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
	}
	first := rates(demotest.Clock, "60001,A,33,20250531,$$,Retail,F,UNA,0,1.19\n",
		"60001,B,33,20250531,$$,Retail,F,UNA,0,1.2\n", "60001,B,33,20250430,$$,Retail,F,UNA,0,1.2\n")
	before := m.Build(t)
	second := rates(demotest.Clock.AddDate(0, 0, 1), "60001,B,33,20250531,$$,Retail,F,UNA,0,1.3\n")
	older := rates(demotest.Clock.AddDate(0, 0, -1), "60001,A,33,20250531,$$,Retail,F,UNA,0,1.1\n")
	after := m.Build(t)
	for _, c := range []struct {
		batch uint64
		month string
		want  []string
	}{
		{before, "2025-05-31", []string{"A tac-comparator " + first + " 2", "B tac-comparator " + first + " 3"}},
		{before, "2025-04-30", []string{"B tac-comparator " + first + " 4"}},
		{after, "2025-05-31", []string{"A tac-comparator " + first + " 2", "B tac-comparator " + second + " 2"}},
		{after, "2025-04-30", []string{"B tac-comparator " + first + " 4"}},
	} {
		if diff := cmp.Diff(c.want, statedLines(t, m, c.batch, 60001, "synthetic", c.month)); diff != "" {
			t.Errorf("batch %d, %s, where %s is older:\n%s", c.batch, c.month, older, diff)
		}
	}
}
