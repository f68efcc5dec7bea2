package projector_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/projector/inspect"
)

// The rows that a batch sees are named here by hand: those of its own tables, and those that
// the views of days give.
func TestASumIsThatOfTheRowsThatABatchSees(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m, _ := peoplesMarket(t)
	batch := m.Rebuild(t)
	rows := map[string]string{
		// batch_series_day lacks a column, and standing quotes have no view. The batch has built every day anew.
		"series_day":     fmt.Sprintf("(SELECT * FROM series_day WHERE build = %d)", batch),
		"standing_quote": fmt.Sprintf("(SELECT * FROM standing_quote WHERE build = %d)", batch),
		"fi_day":         fmt.Sprintf("batch_fi_day(batch = %d, series = [], all_series = true)", batch),
		// batch_manager_day adds a column.
		"manager_day": fmt.Sprintf(
			"(SELECT * EXCEPT (equity_clp) FROM batch_manager_day(batch = %d, from = '1971-01-01', to = '2149-06-06'))",
			batch),
	}
	for _, table := range []string{"market_day", "candidate_day", "family_day", "family_long_step", "return_day"} {
		rows[table] = fmt.Sprintf("batch_%s(batch = %d, from = '1971-01-01', to = '2149-06-06')", table, batch)
	}
	for _, table := range []string{"flow_day", "later_row"} {
		rows[table] = fmt.Sprintf("batch_%s(batch = %d)", table, batch)
	}
	for _, table := range []string{
		"discontinuity", "continuation", "continued_history", "fx_uf_rate", "market_completeness", "classification",
		"eligibility", "manager", "fund", "series", "series_latest", "series_return", "window_target",
		"screener", "series_month", "tac_month", "risk_month", "series_rename", "series_label", "fi_instrument",
		"index_day",
		"series_step", "summary_family", "summary_mover",
	} {
		rows[table] = fmt.Sprintf("(SELECT * EXCEPT (batch) FROM %s WHERE batch = %d)", table, batch)
	}
	want := map[string]inspect.TableSum{}
	var empty []string
	for table, from := range rows {
		sum := inspect.TableSum{Table: table}
		// The order of columns counts, as in the table.
		columns := column(t, m, "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = $1 "+
			"AND name NOT IN ('batch', 'build') ORDER BY position", table)
		query := fmt.Sprintf("SELECT count(), sum(cityHash64(toString(tuple(%s)))) FROM %s",
			strings.Join(columns, ", "), from)
		if err := m.Conn.QueryRow(context.Background(), query).Scan(&sum.Rows, &sum.Checksum); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if sum.Rows == 0 {
			empty = append(empty, table)
		}
		want[table] = sum
	}
	sums, err := inspect.Sums(t.Context(), m.Conn, batch)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]inspect.TableSum{}
	for _, sum := range sums {
		got[sum.Table] = sum
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sums differ (-by hand; +Sums). If a table is new, add it to the lists of tables in this test:\n%s",
			diff)
	}
	if len(empty) > 2 {
		t.Errorf("the tables %v have no row: this proves too little", empty)
	}
	if !slices.IsSortedFunc(sums, func(a, b inspect.TableSum) int { return strings.Compare(a.Table, b.Table) }) {
		t.Error("the sums are not sorted by table")
	}
}

// A table of batches and a table of days that are in no list of the program.
func TestAnAddedTableIsInspectedAndDroppedUnnamed(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	run := func(statement string, args ...any) {
		t.Helper()
		if err := m.Conn.Exec(context.Background(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("CREATE TABLE added (batch UInt64, x UInt32) ENGINE = MergeTree PARTITION BY batch ORDER BY (batch, x)")
	run("CREATE TABLE added_day (date Date, x UInt32, build UInt64) ENGINE = MergeTree PARTITION BY toYear(date) " +
		"ORDER BY (date, x, build)")
	t.Cleanup(func() {
		run("DROP TABLE added SYNC")
		run("DROP TABLE added_day SYNC")
	})
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Ingest(t, model.FIValues, fixtures+"fi_values.csv", demotest.Clock)
	m.Settle(t)
	// fill puts two rows into each table for a batch that is about to be built.
	fill := func(batch uint64) {
		run("INSERT INTO added (batch, x) SELECT $1, number FROM numbers(2)", batch)
		run("INSERT INTO added_day (date, x, build) SELECT (SELECT max(date) FROM fact_quota), number, $1 FROM "+
			"numbers(2)", batch)
	}
	fill(1)
	if batch := m.Build(t); batch != 1 {
		t.Fatalf("the first batch is %d", batch)
	}
	sums, err := inspect.Sums(t.Context(), m.Conn, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"added", "added_day"} {
		if !slices.ContainsFunc(sums, func(s inspect.TableSum) bool {
			return s.Table == table && s.Rows == 2 && s.Checksum != 0
		}) {
			t.Errorf("the sums are %v, without the two rows of %s", sums, table)
		}
	}
	if found := inspected(t, m); !found.None() {
		t.Fatalf("nothing was lost yet: %s", found)
	}

	for table, where := range map[string]string{"added": "x = 1", "added_day": "x = 0"} {
		m.Change(t, "ALTER TABLE "+table+" DELETE WHERE "+where+" SETTINGS mutations_sync = 2")
	}
	if got := damagedTables(inspected(t, m)); !slices.Equal(got, []string{"added", "added_day"}) {
		t.Errorf("damaged are %v", got)
	}

	fill(2)
	published := m.Build(t)
	killed := []uint64{begin(t, m, published), begin(t, m, published)}
	for range demotest.Keep + 1 {
		m.Rebuild(t)
	}
	for table, number := range map[string]string{"added": "batch", "added_day": "build"} {
		if left := count(t, m, fmt.Sprintf("SELECT count() FROM %s WHERE %s IN (%d, %d)", table, number, killed[0],
			killed[1])); left != 0 {
			t.Errorf("%s has %d rows of batches that were never published", table, left)
		}
		if left := count(t, m, fmt.Sprintf("SELECT count() FROM %s WHERE %s <= 2", table, number)); left != 0 {
			t.Errorf("%s has %d rows of batches that are retired", table, left)
		}
	}
}
