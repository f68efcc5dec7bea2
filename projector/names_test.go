package projector_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/projector"
)

func TestTheViewsOfFormerNamesAreDroppedAndThoseOfOthersKept(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn := openConn(t, options)
	for _, view := range []string{"quota_of", "price_return_at", "quote_pick_at", "mine", "mine_of"} {
		if err := conn.Exec(t.Context(), "CREATE VIEW "+view+" AS SELECT batch FROM batch"); err != nil {
			t.Fatal(err)
		}
	}
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	var left []string
	const query = `SELECT arraySort(groupArray(name)) FROM system.tables
		WHERE database = currentDatabase() AND name IN ('quota_of', 'price_return_at', 'quote_pick_at', 'mine', 'mine_of')`
	if err := conn.QueryRow(t.Context(), query).Scan(&left); err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 || left[0] != "mine" || left[1] != "mine_of" {
		t.Errorf("%v are left, want mine and mine_of", left)
	}
}

// formerTables has the names of tables in the version before they were renamed.
var formerTables = map[string]string{
	"source": "complete_file", "batch_source": "batch_new_file", "day": "market_completeness", "rate": "fx_uf_rate",
	"series_break": "discontinuity", "fact_sheet": "fact_aafm_daily", "day_build": "series_day_version",
	"fi_day_build": "fi_day_version", "market_build": "market_day_version", "month_build": "series_month_version",
}

// noted are rows of batch_table about a table.
func noted(table string) string {
	return fmt.Sprintf("INSERT INTO batch_table (batch, table, piece, rows) VALUES (7, '%[1]s', '', 1), (8, '%[1]s', '', 2), (7, '%[1]s', '2025-07-20', 3)", table)
}

// The name of a table is in the catalogue and in the notes about its rows. An upgrade that
// was interrupted leaves any number of tables, and of notes, under the former names.
func TestRenamedTablesKeepTheirRowsAndNotesWheneverTheUpgradeIsInterrupted(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	all := migrations(t)
	former := slices.Sorted(maps.Keys(formerTables))
	upgraded := func(renamed int, copied bool) map[string]string {
		t.Helper()
		options := clickhousetest.Database(t)
		migrateTo(t, options, all[len(all)-1].version)
		conn := openConn(t, options)
		run := func(statement string) {
			t.Helper()
			if err := conn.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%v\n%s", err, statement)
			}
		}
		fill(t, conn)
		run(noted("market_day"))
		for i, name := range former {
			if i >= renamed {
				run(fmt.Sprintf("RENAME TABLE %s TO %s", formerTables[name], name))
			}
			if renamed <= len(former) {
				run(noted(name))
			}
			if copied || renamed > len(former) {
				run(noted(formerTables[name]))
			}
		}
		if err := projector.Migrate(t.Context(), options); err != nil {
			t.Fatal(err)
		}
		return contents(t, conn)
	}
	want := upgraded(len(former)+1, false) // nothing has a former name
	for _, one := range []struct {
		renamed int
		copied  bool
	}{{0, false}, {3, false}, {len(former), false}, {len(former), true}} {
		if diff := cmp.Diff(want, upgraded(one.renamed, one.copied)); diff != "" {
			t.Errorf("interrupted after %d tables, notes copied: %v (-names of today, +upgraded):\n%s", one.renamed, one.copied, diff)
		}
	}
}

func TestATableOfSomebodyElseWithAFormerNameIsKept(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	options := clickhousetest.Database(t)
	conn := openConn(t, options)
	if err := conn.Exec(t.Context(), "CREATE TABLE rate (bank String, percent Float64) ENGINE = MergeTree ORDER BY bank"); err != nil {
		t.Fatal(err)
	}
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "SELECT bank FROM rate"); err != nil {
		t.Error(err)
	}
}

func TestATableUnderBothItsNamesStopsTheStart(t *testing.T) {
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn := openConn(t, options)
	if err := conn.Exec(t.Context(), "CREATE TABLE source AS complete_file"); err != nil {
		t.Fatal(err)
	}
	err := projector.Migrate(t.Context(), options)
	if err == nil || !strings.Contains(err.Error(), "source and complete_file; drop") {
		t.Errorf("the start gives: %v", err)
	}
	if err := conn.Exec(t.Context(), "DROP TABLE complete_file"); err != nil {
		t.Fatal(err)
	}
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Errorf("after one of them was dropped: %v", err)
	}
}

// A table or view with a former name would be renamed or dropped at the next start.
func TestNothingOfTodayHasAFormerName(t *testing.T) {
	t.Parallel()
	conn := openConn(t, demotest.Schema(t))
	var again []string
	if err := conn.QueryRow(t.Context(), `SELECT groupArray(name) FROM system.tables
		WHERE database = currentDatabase() AND name IN (SELECT former FROM former_name)`).Scan(&again); err != nil {
		t.Fatal(err)
	}
	if len(again) > 0 {
		t.Errorf("%v are names of today and former names", again)
	}
}
