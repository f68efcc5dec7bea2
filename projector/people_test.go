package projector_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
	"cuota/sql"
)

// peoplesMarket is a market for which every view has rows: with corrections, with several
// published batches, and with a batch that failed.
func peoplesMarket(t *testing.T) (m *demotest.Market, batch uint64) {
	t.Helper()
	m, _ = leavingMarket(t)
	for dataset, files := range map[model.Dataset][]string{
		model.Holdings:   {"naci_202506.txt", "extr_202506.txt", "portfolio_202506.csv"},
		model.Benchmarks: {"benchmarks.csv", "benchmark_prices.csv"}, model.Article107s: {"article107.csv"},
		model.TACMonthly: {"tac_monthly.csv"},
		model.Vehicles:   {"vehicles.csv"}, model.AAFM: {"sheet_20250720.csv"}, model.FIRegister: {"fi.csv"},
	} {
		for _, file := range files {
			m.Ingest(t, dataset, fixtures+file, demotest.Clock)
		}
	}
	// A family has an index from three series of two funds on.
	balanced := map[member]string{}
	for _, of := range []member{{run: 60004, serie: "PESOS"}, {run: 60006, serie: "S00"}, {run: 60006, serie: "S01"}} {
		balanced[of] = "Balanceado moderado"
	}
	ingestWhole(t, m, model.ReturnsComparator, comparator(t, "2025-05-31", balanced), demotest.Clock)
	series := func(name string) oracle.Series { return oracle.Series{Run: 60003, Name: name} }
	ingestWhole(t, m, model.Events, eventsOf(t, exchangeHeader, []string{exchangeRow(oracle.Exchange{
		Event: "gone", Revision: 1, Origin: series("GONE"), Destination: series("A"),
		Effective: date(t, "2025-06-01"), Valuation: date(t, "2025-05-31"), Factor: "1.5", // decimal text
	})}), demotest.Clock)
	ingestWhole(t, m, model.Events,
		eventsOf(t, "kind,run,previous_serie,current_serie,first_current_date,source_url,source_sha256",
			[]string{strings.TrimSpace(rename("60006", "S-OLD", "S00", "2025-05-10"))}), demotest.Clock)
	ingestWhole(t, m, model.Events, eventsOf(t, factorHeader, []string{factorRow(oracle.Factor{
		Run: 60006, Serie: "S06", Day: date(t, "2025-07-04"), Distribution: "1.02", Adjustment: "1", Quota: "1286.5",
		Currency: "PESOS", Document: evidence(1),
	})}), demotest.Clock)
	// The quotas of some days are corrected twice.
	for i := range 2 {
		var rows []cartolaDay
		for day := date(t, "2025-07-01"); !day.After(date(t, "2025-07-05")); day = day.AddDate(0, 0, 1) {
			for n := range 20 {
				row := cartolaDay{run: 60006, serie: fmt.Sprintf("S%02d", n), day: day, equity: 1e4, units: 10,
					quota: 1100.5 + float64(day.YearDay()+i)}
				if n == 5 && day.Day() == 3 {
					row.payout = "1.01"
				}
				rows = append(rows, row)
			}
		}
		// The name states a whole month, which is a finding.
		file := filepath.Join(t.TempDir(), "cartola_60006_20250701_20250731.txt")
		if err := os.Rename(cartolaOf(t, rows), file); err != nil {
			t.Fatal(err)
		}
		ingestWhole(t, m, model.Cartola, file, demotest.Clock.Add(time.Duration(i+1)*time.Hour))
		m.Build(t)
	}
	batch = m.Rebuild(t)
	// A batch that was interrupted, or is being built: some of its rows are stored.
	for _, statement := range []string{
		"INSERT INTO batch_attempt (batch, started_at) SELECT max(batch) + 1, now() FROM batch",
		"INSERT INTO series SELECT * REPLACE (batch + 1 AS batch) FROM (SELECT * FROM series WHERE batch = (SELECT " +
			"max(batch) FROM batch))",
		"INSERT INTO series_day SELECT * REPLACE (build + 1 AS build, quota * 2 AS quota) FROM (SELECT * FROM " +
			"series_day WHERE build = (SELECT max(batch) FROM batch))",
		"INSERT INTO series_day_version SELECT * REPLACE (build + 1 AS build) FROM (SELECT * FROM series_day_version " +
			"WHERE build = (SELECT max(batch) FROM batch))",
		"INSERT INTO market_day SELECT * REPLACE (build + 1 AS build) FROM (SELECT * FROM market_day WHERE build = " +
			"(SELECT max(batch) FROM batch))",
		"INSERT INTO market_day_version SELECT * REPLACE (build + 1 AS build) FROM (SELECT * FROM market_day_version " +
			"WHERE build = (SELECT max(batch) FROM batch))",
	} {
		if err := m.Conn.Exec(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return m, batch
}

func TestWhatPeopleRead(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, batch := peoplesMarket(t)
	t.Run("no current view holds two rows for one key", func(t *testing.T) { noRowTwice(t, m) })
	t.Run("a table that holds more than the current rows names the view that does not", func(t *testing.T) {
		doublingTablesNameTheirView(t, m)
	})
	t.Run("every column of a current view tells its meaning", func(t *testing.T) {
		for _, c := range column(t, m,
			"SELECT concat(table, '.', name) FROM system.columns WHERE database = currentDatabase() AND "+
				"startsWith(table, 'current_') AND comment = ''") {
			t.Errorf("%s has no comment", c)
		}
	})
	t.Run("a view gives the same in place of its call", func(t *testing.T) { viewsInPlaceGiveTheSame(t, m, batch) })
	t.Run("no setting that people may send changes what a view returns", func(t *testing.T) {
		longtest.Skip(t) // the views of their own database are checked in the same way
		settingsChangeNothing(t, m, batch)
	})
	t.Run("returns of every kind can be joined", func(t *testing.T) { returnsCanBeJoined(t, m, batch) })
	t.Run("an empty list of series gives no rows, and all series are asked for by name", func(t *testing.T) {
		allSeriesAreNamed(t, m, batch)
	})
	t.Run("in their own database", func(t *testing.T) { theirDatabase(t, m, batch) })
	t.Run("a batch that is not published is refused", func(t *testing.T) { unpublishedBatchesAreRefused(t, m, batch) })
}

func TestTheViewOfATableOfDaysReadsTheListOfItsBuilds(t *testing.T) {
	t.Parallel()
	conn := openConn(t, demotest.Schema(t))
	var tables []struct {
		Table string `ch:"table"`
		List  string `ch:"list"`
	}
	if err := conn.Select(t.Context(), &tables, "SELECT table, list FROM built_table WHERE kind = 'day'"); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, view := range sql.Views() {
		for _, of := range tables {
			if view.Name == "current_"+of.Table && strings.Contains(view.Text, "max(build)") {
				compared++
				if !strings.Contains(view.Text, "FROM "+of.List+"\n") {
					t.Errorf("%s does not read %s", view.Name, of.List)
				}
			}
		}
	}
	if compared < 9 {
		t.Errorf("only %d views were compared", compared)
	}
}

// keys has the key of each current view whose table has another sorting key, by table.
var keys = map[string]string{
	"discontinuity": "series_id, date, kind", // two kinds of break on one day
	"tac_month":     "series_id, month, tac_kind",
}

func noRowTwice(t *testing.T, m *demotest.Market) {
	doubled := 0
	for _, view := range column(t, m,
		"SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, 'current_') ORDER BY "+
			"name") {
		table := strings.TrimPrefix(view, "current_")
		key := keys[table]
		if key == "" {
			sorted := strings.Split(column(t, m,
				"SELECT sorting_key FROM system.tables WHERE database = currentDatabase() AND name = $1", table)[0],
				", ")
			key = strings.Join(slices.DeleteFunc(sorted, func(c string) bool {
				return c == "batch" || c == "build"
			}), ", ")
		}
		if rows, distinct := countOf(t, m, key, view); rows != distinct {
			t.Errorf("%s has %d rows for %d of (%s)", view, rows, distinct, key)
		}
		if keys[table] == "" {
			if rows, distinct := countOf(t, m, key, table); rows > distinct {
				doubled++
			}
		}
	}
	if doubled < 15 {
		t.Errorf("only %d tables hold a key twice: this proves too little", doubled)
	}
	// An independent check: a quota in the view comes from the file that corrected it last.
	if wrong := count(t, m, `
		SELECT count() FROM current_series_day AS days
		INNER JOIN registry ON registry.kind = 'series' AND registry.id = days.series_id
		WHERE run = 60006 AND serie < 'S20' AND date BETWEEN '2025-07-01' AND '2025-07-05' AND quota != 1101.5 + toDayOfYear(date)`); wrong != 0 {
		t.Errorf("%d quotas of current_series_day are not those that were corrected last", wrong)
	}
}

// countOf counts the rows of a table or view, and the different values of a key in them.
func countOf(t *testing.T, m *demotest.Market, key, from string) (rows, distinct uint64) {
	t.Helper()
	if err := m.Conn.QueryRow(context.Background(), "SELECT count(), uniqExact("+key+") FROM "+from).Scan(&rows,
		&distinct); err != nil {
		t.Fatal(err)
	}
	return rows, distinct
}

// single lists tables that have a column batch or build, and in which each key occurs only
// once.
var single = []string{
	"batch", "batch_attempt", "batch_failure", "retired_batch", "command_done", "batch_progress", "batch_table",
	"batch_damage", "publication",
	"registry", "registry_copy", "quota_series",
}

func doublingTablesNameTheirView(t *testing.T, m *demotest.Market) {
	tables := column(t, m, `
		SELECT DISTINCT table FROM system.columns
		WHERE database = currentDatabase() AND (name IN ('batch', 'build') OR startsWith(table, 'fact_'))
		  AND table NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'View')`)
	views := map[string]bool{}
	for _, view := range sql.Views() {
		views[view.Name] = true
	}
	named := regexp.MustCompile(`Holds (?:several batches|superseded days|every revision): read (\w+)`)
	for _, table := range tables {
		if slices.Contains(single, table) || table == "fact_risk_free" { // no statement reads it yet
			continue
		}
		comment := column(t, m, "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = $1",
			table)[0]
		if found := named.FindStringSubmatch(comment); found == nil || !views[found[1]] {
			t.Errorf("the comment of %s names no view to read: %s", table, comment)
		}
	}
	if len(tables) < 40 {
		t.Errorf("only %d tables were looked at", len(tables))
	}
}

func viewsInPlaceGiveTheSame(t *testing.T, m *demotest.Market, batch uint64) {
	ids := column(t, m, someSeries)[0] // if an argument is a query, the call is not replaced by the view's text
	for _, view := range longtest.Sample(t, viewCalls(t, batch), 30) {
		view = strings.ReplaceAll(view, "("+someSeries+")", ids)
		called := "SELECT toString((sum(cityHash64(toString(tuple(*)))), count())) FROM " + view
		inPlace, err := sql.InPlace(called)
		if err != nil {
			t.Fatal(err)
		}
		if want, got := hashWith(t, m, called, nil), hashWith(t, m, inPlace, nil); want != got {
			t.Errorf("%s gives %s, and %s in place", view, want, got)
		}
	}
}

// someSeries is the argument for views that have no parameter all_series.
const someSeries = "SELECT toString(groupArray(id)) FROM registry WHERE kind IN ('series', 'fi_series')"

// viewCalls returns a call of every view, with values for its parameters.
func viewCalls(t *testing.T, batch uint64) (calls []string) {
	t.Helper()
	values := map[string]string{
		"batch": fmt.Sprint(batch), "previous": fmt.Sprint(batch - 1), "since": "0", "states": "['unpublished']",
		"as_of": "'2025-07-20'", "until": "'2025-07-20'", "date": "'2025-07-20'", "from": "'2025-05-01'",
		"to": "'2025-07-20'", "month": "'2025-06-30'",
		"series": "[]", "all_series": "true", "symbols": "[]", "all_symbols": "true", "runs": "[]", "all_runs": "true",
		"investment": "[]",
		"known_at":   "'2100-01-01 00:00:00'", "family": "''", "category": "''", "direction": "'up'",
		"valuation": "'real_uf'", "current_only": "true",
		"months": "[]", "all_months": "true", "first": "0", "last": "4294967295",
	}
	const some = "(" + someSeries + ")"
	parameter := regexp.MustCompile(`\{(\w+):`)
	for _, view := range sql.Views() {
		arguments := map[string]string{}
		for _, found := range parameter.FindAllStringSubmatch(view.Text, -1) {
			value, given := values[found[1]]
			if !given {
				t.Fatalf("the view %s has a parameter %s, for which this test has no value", view.Name, found[1])
			}
			arguments[found[1]] = value
		}
		if arguments["series"] != "" && arguments["all_series"] == "" {
			arguments["series"] = some
		}
		if arguments["investment"] != "" {
			arguments["investment"] = some
		}
		if len(arguments) == 0 {
			calls = append(calls, view.Name)
			continue
		}
		var list []string
		for _, name := range slices.Sorted(maps.Keys(arguments)) {
			list = append(list, name+" = "+arguments[name])
		}
		calls = append(calls, view.Name+"("+strings.Join(list, ", ")+")")
	}
	return calls
}
