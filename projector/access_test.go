package projector_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/projector/schema"
	"cuota/sql"
)

// migrated returns a connection to a database with the schema and no rows.
func migrated(t *testing.T) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(clickhousetest.Prepared(t, schema.Make))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// ownProjections returns the projections of the program, and what ClickHouse tells of them.
func ownProjections(t *testing.T, conn driver.Conn) ([]sql.Projection, []access) {
	t.Helper()
	list, err := sql.Projections()
	if err != nil {
		t.Fatal(err)
	}
	touched, err := accessOf(t.Context(), conn, list)
	if err != nil {
		t.Fatal(err)
	}
	return list, touched
}

// named returns the tables that a statement names after FROM, JOIN and IN, by its text.
func named(text string, tables map[string]bool) map[string]bool {
	text = regexp.MustCompile(`--[^\n]*`).ReplaceAllString(text, "")
	found := map[string]bool{}
	for _, name := range regexp.MustCompile(`\b(?:FROM|JOIN|IN)\s+(\w+)`).FindAllStringSubmatch(text, -1) {
		if tables[name[1]] {
			found[name[1]] = true
		}
	}
	return found
}

func TestClickHouseTellsEveryTableThatAStatementNames(t *testing.T) {
	t.Parallel()
	conn := migrated(t)
	tables := map[string]bool{}
	var rows []struct {
		Name string `ch:"name"`
	}
	if err := conn.Select(t.Context(), &rows,
		"SELECT name FROM system.tables WHERE database = currentDatabase() AND engine != 'View'"); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		tables[row.Name] = true
	}
	list, touched := ownProjections(t, conn)
	compared := 0
	for i, p := range list {
		texts := []string{p.Text}
		for _, query := range p.Queries() {
			texts = append(texts, sql.Query(query))
		}
		want := named(strings.Join(texts, "\n"), tables)
		compared += len(want)
		got := maps.Clone(touched[i].reads)
		delete(got, parameterName("as_of"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s reads other tables (-by its text, +by ClickHouse):\n%s", p.Name, diff)
		}
		if inserted := regexp.MustCompile(`INSERT INTO (\w+)`).FindStringSubmatch(
			p.Text); !touched[i].writes[inserted[1]] {
			t.Errorf("%s inserts into %s, and writes %v", p.Name, inserted[1], touched[i].writes)
		}
		if bound := strings.Contains(strings.Join(texts, "\n"),
			"{as_of:"); bound != touched[i].reads[parameterName("as_of")] {
			t.Errorf("%s has the parameter as_of: %v", p.Name, bound)
		}
	}
	if compared < 150 {
		t.Errorf("only %d names are found in the texts", compared)
	}
}

// Two projections conflict if one writes what the other reads. The one that reads has the greater number, or if it
// comes before, the smaller one.
func TestAProjectionComesAfterThoseThatFillWhatItReads(t *testing.T) {
	t.Parallel()
	list, touched := ownProjections(t, migrated(t))
	conflicts := 0
	for i, one := range list {
		for j, other := range list {
			for table := range touched[j].writes {
				if i == j || !touched[i].reads[table] {
					continue
				}
				conflicts++
				switch first := touched[i].before[table]; {
				case first && one.Number >= other.Number:
					t.Errorf("%s writes %s and needs a greater number than %s, which comes before it", other.Name,
						table, one.Name)
				case !first && one.Number <= other.Number:
					t.Errorf("%s reads %s and needs a greater number than %s, which writes it", one.Name, table,
						other.Name)
				}
			}
		}
	}
	if conflicts < 100 {
		t.Errorf("only %d conflicts", conflicts)
	}
}

// inserting makes a projection that inserts what a SELECT returns.
func inserting(table, selected string) sql.Projection {
	return sql.Projection{Script: sql.Script{Name: "p", Text: "INSERT INTO " + table + " (batch)\n" + selected},
		Table: table}
}

func TestWhatASubqueryReadsIsSeen(t *testing.T) {
	t.Parallel()
	conn := migrated(t)
	for selected, want := range map[string][]string{
		"SELECT 1": {},
		"SELECT batch FROM fund WHERE run IN (SELECT run FROM series WHERE batch IN batch_failure)": {"batch_failure",
			"fund", "series"},
		"SELECT batch FROM fund WHERE (SELECT count() FROM fx_uf_rate) > 0 AND EXISTS (SELECT 1 FROM " +
			"market_completeness)": {"fund", "fx_uf_rate", "market_completeness"},
		"WITH (SELECT groupArray(batch) FROM market_completeness) AS days SELECT number FROM (SELECT arrayJoin(days) " +
			"AS number)": {"market_completeness"},
		"SELECT if(true, 1, (SELECT max(batch) FROM market_completeness)) AS batch": {
			"market_completeness"},
		"WITH fx_uf_rate AS (SELECT batch FROM market_completeness) SELECT batch FROM fx_uf_rate": {
			"market_completeness"},
		"WITH unused AS (SELECT batch FROM market_completeness) SELECT 1": {},
		"WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n WHERE a < (SELECT count() FROM " +
			"market_completeness)) SELECT a FROM n": {"market_completeness"},
		"SELECT f.batch FROM fund AS f CROSS JOIN values('run UInt32', 1) AS v": {"fund"},
	} {
		touched, err := accessOf(t.Context(), conn, []sql.Projection{inserting("market_completeness", selected)})
		if err != nil {
			t.Errorf("%s: %v", selected, err)
			continue
		}
		if got := slices.Sorted(maps.Keys(touched[0].reads)); !slices.Equal(got, want) {
			t.Errorf("%s reads %v, want %v", selected, got, want)
		}
	}
}

func TestAStatementThatClickHouseDoesNotUnderstandIsAnError(t *testing.T) {
	t.Parallel()
	conn := migrated(t)
	comesBefore := inserting("market_completeness", "SELECT 1")
	comesBefore.Before = "fx_uf_rate"
	inChunks := inserting("market_completeness", "SELECT batch FROM market_completeness WHERE date > {from:Date}")
	for want, p := range map[string]sql.Projection{
		"no_table": inserting("market_completeness", "SELECT batch FROM no_table"),
		"no_column": inserting("market_completeness",
			"SELECT no_column FROM market_completeness"),
		"no_view": inserting("market_completeness",
			"SELECT batch FROM no_view(batch = {batch:UInt64})"),
		"fills no_table":                    inserting("no_table", "SELECT 1"),
		"fills current_market_completeness": inserting("current_market_completeness", "SELECT 1"),
		"reads the view batch_file": inserting("market_completeness",
			"SELECT 1 FROM batch_file(batch = (SELECT max(batch) FROM market_completeness))"),
		"reads the view current_manager_day": inserting("market_completeness",
			"SELECT 1 FROM current_manager_day"),
		"reads the table function merge": inserting("market_completeness",
			"SELECT batch FROM merge('^fund$')"),
		"comes before fx_uf_rate, but does not read": comesBefore,
		"`from` is not set":                          inChunks,
	} {
		if _, err := accessOf(t.Context(), conn, []sql.Projection{p}); err == nil ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "projection p") {
			t.Errorf("the error is %v, want one of projection p: %s", err, want)
		}
	}
}
