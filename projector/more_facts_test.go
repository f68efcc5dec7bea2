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
	"cuota/model"
)

// fixtures is the folder of the test files of package ingest, which have the layouts of
// their sources.
const fixtures = "../ingest/testdata/"

// published is when the sources published the fixtures.
var published = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

// column returns the values of a query with one column, as text.
func column(t *testing.T, m *demotest.Market, query string, args ...any) []string {
	t.Helper()
	rows, err := m.Conn.Query(context.Background(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		found = append(found, value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEveryDatasetsFilesBecomeFactsAndComplete(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0123456789abcdef", 4)
	m := demotest.New(t)
	var all []string
	for _, file := range []struct {
		dataset         model.Dataset
		name            string
		keys, rejected  uint64
		facts, expected string // a query that returns one text, and the expected text
	}{
		{model.TACMonthly, "tac_monthly.csv", 4, 0,
			`SELECT toString((date, manager, fund, fund_words, serie, fixed_percent, total_percent, moneda, source_line)) FROM fact_monthly_tac WHERE serie = 'APV'`,
			`('2026-05-31','BANCHILE ADMINISTRADORA GENERAL DE FONDOS S.A.','ACCIONES NACIONALES MÓVIL','ACCIONESNACIONALESMOVIL','APV',3.4875,3.5,'$$',6)`},
		{model.Holdings, "naci_202506.txt", 5, 0,
			`SELECT toString(groupArray((position, nemotecnico, issuer_rut, instrument, units, valuation_thousands, percent, moneda))) FROM (SELECT * FROM fact_holding WHERE run = 8011 AND month = '2025-06-30' AND market = 'N' ORDER BY position LIMIT 2)`,
			`[(1,'SNTANN050618',96667560,'PE',98775.125,98775,0.087,'$$'),(2,'FNEST-070218',97030000,'DPC',169918,169918,0.15,'$$')]`},
		{model.Holdings, "extr_202506.txt", 3, 0,
			`SELECT toString((month, market, position, nemotecnico, issuer, issuer_rut, country, percent)) FROM fact_holding WHERE run = 8684`,
			`('2025-06-30','E',1,'SUZB3 BZ Equity','SUZANO PAPEL E CELULOSE SA',0,'BR',1.474)`},
		{model.Holdings, "portfolio_202506.csv", 4, 0,
			`SELECT toString(groupArray((market, position, valuation_thousands, percent))) FROM (SELECT * FROM fact_holding WHERE run = 9278 ORDER BY source_line)`,
			`[('N',1,1234567.89,61.7284),('N',2,200000,10),('E',1,-1500.5,-0.075),('B',1,569325.25,28.3466)]`},
		{model.FIValues, "fi_9278_202506.csv", 3, 0,
			`SELECT toString((void, moneda, book_value, economic_value, equity, total_assets, contributors, institutional, agency)) FROM fact_investment_value WHERE source_sha256 = $1 AND serie = 'A' AND date = '2025-06-30'`,
			`(false,'$$',1234.5678,1240.12,1234567890,1334567890.5,1204,12,'')`},
		{model.FIValues, "fi_9278_page.html", 2, 1,
			`SELECT toString(groupArray((date, serie, void, book_value))) FROM (SELECT * FROM fact_investment_value WHERE source_sha256 = $1 ORDER BY date, serie)`,
			`[('2025-06-29','A',true,NULL),('2025-06-30','A',false,1234.5678),('2025-06-30','I',false,1.0021)]`},
		{model.Benchmarks, "benchmarks.csv", 3, 0,
			`SELECT toString((symbol, index_name, instrument_name, native_currency, asset_class, active)) FROM fact_benchmark WHERE family_rar = 'Accionario eeuu'`,
			`('SPY','S&P 500','SPDR S&P 500 ETF Trust','USD','equity',true)`},
		{model.Benchmarks, "benchmark_prices.csv", 3, 0,
			`SELECT toString(groupArray((date, close))) FROM (SELECT * FROM fact_benchmark_price WHERE symbol = 'SPY' ORDER BY date)`,
			`[('2026-05-28',588.380005),('2026-05-29',589.390015)]`},
		{model.Article107s, "article107.csv", 3, 0,
			`SELECT toString((status, assessed_at, updated_at, cmf_deposit_date, review_status, has_evidence, evidence_page, evidence_section, series_exception, rule_id)) FROM fact_article107 WHERE run = 8011`,
			`('declares_eligible','2026-05-31 18:00:00.123456','2026-06-01 13:00:00.000000','2025-11-03','approved',true,12,'3.1',false,'affirms-107')`},
		{model.Events, "factors.csv", 3, 0,
			`SELECT toString(groupArray((date, distribution_factor, adjustment_factor, quota, currency))) FROM (SELECT * FROM fact_factor FINAL WHERE run = 9809 ORDER BY date, source_line)`,
			`[('2025-06-29',1,1,1000.1234,'PESOS'),('2025-06-30',1.012345678,1,1001.5,'PESOS'),('2025-06-30',1.02,1,1001.5,'PESOS')]`},
		{model.Events, "exchanges.csv", 2, 0,
			`SELECT toString((event_id, event_revision, origin_run, origin_serie, destination_run, destination_serie, effective_date, valuation_date, factor, evidence_url, evidence_sha256)) FROM fact_exchange WHERE event_revision = 2`,
			`('fusion-2025-1',2,9809,'A',9810,'B','2025-06-30','2025-06-29',0.998878,'https://example.org/x/2','` +
				hash + `')`},
		{model.Events, "renames.csv", 1, 0,
			`SELECT toString((run, previous_serie, current_serie, first_current_date)) FROM fact_rename`,
			`(9809,'APV A','APV-A','2025-06-30')`},
		{model.Events, "discontinuities.csv", 1, 0,
			`SELECT toString((run, serie, date, note)) FROM fact_discontinuity`,
			`(9809,'A','2025-06-30','Quota divided by 1,000')`},
		{model.Events, "ends.csv", 3, 0,
			`SELECT toString(groupArray((run, serie, ended_on, note))) FROM (SELECT * FROM fact_end ORDER BY ended_on)`,
			`[(9809,'B','2025-07-01','Closed by the manager'),(9810,'','2025-07-02','Absorbed'),(0,'','2025-07-03','The source publishes no more')]`},
		{model.Events, "risk_free.csv", 2, 0,
			`SELECT toString(groupArray((name, date, annual_percent))) FROM (SELECT * FROM fact_risk_free ORDER BY date)`,
			`[('TPM','2025-06-30',5.25),('TPM','2025-07-30',4.75)]`},
		{model.Vehicles, "vehicles.csv", 2, 0,
			`SELECT toString(groupArray((run, is_etf, note))) FROM (SELECT * FROM fact_vehicle ORDER BY run)`,
			`[(9278,false,''),(10842,true,'Listed as an ETF')]`},
	} {
		report := m.Ingest(t, file.dataset, fixtures+file.name, published)
		if report.Refused || report.Keys != file.keys || report.Rejected != file.rejected {
			t.Errorf("%s: %d keys and %d rejected, want %d and %d: %+v", file.name, report.Keys, report.Rejected,
				file.keys, file.rejected, report.FirstRejects)
		}
		all = append(all, report.SHA256)
		defer func() {
			args := []any{}
			if strings.Contains(file.facts, "$1") {
				args = append(args, report.SHA256)
			}
			if diff := cmp.Diff([]string{file.expected}, column(t, m, file.facts, args...)); diff != "" {
				t.Errorf("facts of %s:\n%s", file.name, diff)
			}
		}()
	}
	m.Build(t)
	waiting := column(t, m, "SELECT file FROM manifest WHERE sha256 NOT IN (SELECT sha256 FROM complete_file) ORDER "+
		"BY file")
	if complete := column(t, m, "SELECT toString(count()) FROM complete_file WHERE sha256 IN $1",
		all); len(waiting) != 0 || complete[0] != fmt.Sprint(len(all)) {
		t.Errorf("%s of %d files are complete; waiting: %v", complete[0], len(all), waiting)
	}
}

func TestAMissingFactKeepsItsFileOutOfEveryBatch(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestPart(t, model.Events, fixtures+"factors.csv", published, 2)
	m.Build(t)
	if facts := column(t, m, "SELECT toString(count()) FROM fact_factor"); facts[0] != "2" {
		t.Fatalf("%s facts arrived, want 2", facts[0])
	}
	if complete := column(t, m, "SELECT toString(count()) FROM complete_file"); complete[0] != "0" {
		t.Errorf("%s files are complete, want none", complete[0])
	}
	m.Ingest(t, model.Events, fixtures+"factors.csv", published)
	m.Build(t)
	if complete := column(t, m, "SELECT toString(count()) FROM complete_file"); complete[0] != "1" {
		t.Errorf("%s files are complete, want one", complete[0])
	}
	if facts := column(t, m, "SELECT toString(count()) FROM fact_factor FINAL"); facts[0] != "3" {
		t.Errorf("%s facts after the rows came twice, want 3", facts[0])
	}
}

// newestHoldings is the query that the comment of fact_holding recommends.
const newestHoldings = `
	SELECT nemotecnico FROM fact_holding FINAL
	WHERE (run, month, market, revision, source_sha256) IN
	(
		SELECT run, month, market, max((revision, source_sha256)).1, max((revision, source_sha256)).2
		FROM fact_holding GROUP BY run, month, market
	)
	AND run = 8011 AND month = '2025-06-30' AND market = 'N' ORDER BY position`

func TestALaterPortfolioReplacesTheEarlierAsAWhole(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(fixtures + "naci_202506.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	shorter := filepath.Join(t.TempDir(), "naci_202506.txt")
	if err := os.WriteFile(shorter, []byte(lines[0]+lines[2]+strings.Join(lines[4:], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	m := demotest.New(t)
	m.Ingest(t, model.Holdings, shorter, published.AddDate(0, 0, 1))
	m.Ingest(t, model.Holdings, fixtures+"naci_202506.txt", published) // an older revision that arrives later
	m.Build(t)
	if diff := cmp.Diff([]string{"FNEST-070218"}, column(t, m, newestHoldings)); diff != "" {
		t.Errorf("the fund's portfolio:\n%s", diff)
	}
}

func TestNamesAreReducedAlikeInGoAndInSQL(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.TACMonthly, fixtures+"tac_monthly.csv", published)
	m.Ingest(t, model.Register, "../demo/files/register/fm_ident_20250721.txt", published)
	m.Build(t)
	if unlike := column(t, m,
		"SELECT fund FROM fact_monthly_tac WHERE cuota_words(fund) != fund_words OR cuota_words(manager) != "+
			"manager_words"); len(unlike) != 0 {
		t.Errorf("reduced in two ways: %v", unlike)
	}
	pairs := column(t, m, `
		SELECT concat(name, '|', cuota_words(name))
		FROM (SELECT name FROM fact_fund UNION DISTINCT SELECT manager FROM fact_fund UNION DISTINCT SELECT 'Ñandú İ ǆ 日本 n\u0303 – 3º')`)
	if len(pairs) < 1300 {
		t.Fatalf("only %d names", len(pairs))
	}
	for _, pair := range pairs {
		name, words, _ := strings.Cut(pair, "|")
		if words != model.Words(name) {
			t.Errorf("%q is %q in SQL and %q in Go", name, words, model.Words(name))
		}
	}
}
