package projector_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/projector"
)

// lasting lists tables with a batch number from which nothing is dropped: what they say
// about facts, ids and batches is valid for every batch.
var lasting = map[string]bool{
	"batch": true, "batch_attempt": true, "batch_failure": true, "retired_batch": true, "command_done": true,
	"batch_progress": true, // ClickHouse deletes its rows after a week
	"publication":    true, // says for good when each batch was published
	"batch_new_file": true, "registry": true, "registry_copy": true, "quota_series": true, "quota_manager": true,
	"batch_table": true, // later batches read the notes about files; retirement drops the other notes
}

// tablesOfBatches returns the tables whose rows belong to a batch, and the column with the
// number of the batch.
func tablesOfBatches(t *testing.T, m *demotest.Market) map[string]string {
	t.Helper()
	tables := map[string]string{}
	for _, found := range column(t, m, `
		SELECT concat(table, ' ', name) FROM system.columns
		WHERE database = currentDatabase() AND name IN ('batch', 'build')
		  AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')`) {
		table, name, _ := strings.Cut(found, " ")
		if !lasting[table] {
			tables[table] = name
		}
	}
	if len(tables) < 25 {
		t.Fatalf("only %d tables are known", len(tables))
	}
	return tables
}

// rowsOf counts the rows that a batch has in each of those tables.
func rowsOf(t *testing.T, m *demotest.Market, batch uint64) map[string]uint64 {
	t.Helper()
	rows := map[string]uint64{}
	for table, name := range tablesOfBatches(t, m) {
		if n := count(t, m, fmt.Sprintf("SELECT count() FROM %s WHERE %s = %d", table, name, batch)); n > 0 {
			rows[table] = n
		}
	}
	return rows
}

// begin leaves the state of a program that was killed while it built every day: the lists
// of days, a few of their rows, and rows of the batch in every other table.
func begin(t *testing.T, m *demotest.Market, published uint64) (batch uint64) {
	t.Helper()
	batch = count(t, m, "SELECT max(batch) + 1 FROM batch_attempt")
	statements := []string{fmt.Sprintf(
		"INSERT INTO batch_attempt (batch, started_at, claim) VALUES (%d, now(), 'killed')", batch)}
	for table, name := range tablesOfBatches(t, m) {
		limit := ""
		if name == "build" && !strings.HasSuffix(table, "_version") {
			limit = "LIMIT 3"
		}
		statements = append(statements,
			fmt.Sprintf("INSERT INTO %s SELECT * REPLACE (%d AS %s) FROM (SELECT * FROM %[1]s WHERE %[3]s = %d %s)",
				table, batch, name, published, limit))
	}
	for _, statement := range statements {
		if err := m.Conn.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if left := rowsOf(t, m, batch); len(left) < 18 {
		t.Fatalf("the batch leaves rows in %v only: this proves too little", left)
	}
	return batch
}

func TestABatchAfterAKilledOneIsAsIfThatHadNeverBegun(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m, untroubled := demotest.New(t), demotest.New(t)
	for _, market := range []*demotest.Market{m, untroubled} {
		market.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
		market.Ingest(t, model.FIValues, fixtures+"fi_values.csv", demotest.Clock)
	}
	published := m.Build(t)
	untroubled.Build(t)
	var killed []uint64
	for range 2 {
		killed = append(killed, begin(t, m, published))
	}
	m.Ingest(t, model.Cartola, historyOf(t)[1], demotest.Clock)
	untroubled.Ingest(t, model.Cartola, historyOf(t)[1], demotest.Clock)
	got, want := demotest.Checksums(t, m.Conn, m.Build(t)), demotest.Checksums(t, untroubled.Conn, untroubled.Build(t))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("projections differ (-untroubled; +after killed batches):\n%s", diff)
	}
	for _, batch := range killed {
		if left := rowsOf(t, m, batch); len(left) > 0 {
			t.Errorf("batch %d, which was never published, leaves %v", batch, left)
		}
	}
}

func TestASweepKeepsTheRowsOfABatchThatMayBeUnderConstruction(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	published := m.Build(t)
	killed, building := begin(t, m, published),
		[]uint64{begin(t, m, published), begin(t, m, published), begin(t, m, published)}
	// The newest attempt noted all the others as failed, and one of them failed by itself.
	if err := m.Conn.Exec(t.Context(),
		"INSERT INTO batch_failure (batch, failed_at, reason) SELECT DISTINCT batch, now(), '' FROM batch_attempt "+
			"WHERE batch BETWEEN $1 AND $2", killed, building[1]); err != nil {
		t.Fatal(err)
	}
	kept := rowsOf(t, m, published)
	want := map[uint64]map[string]uint64{}
	for _, batch := range building {
		want[batch] = rowsOf(t, m, batch)
	}

	p := projector.New(projector.Config{Keep: 1}, m.Conn, zerolog.Nop())
	if err := p.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := rowsOf(t, m, killed); len(left) > 0 {
		t.Errorf("a batch after which three others have begun leaves %v", left)
	}
	for batch, rows := range want {
		if diff := cmp.Diff(rows, rowsOf(t, m, batch)); diff != "" {
			t.Errorf("rows of batch %d, which may be under construction (-before; +after the sweep):\n%s", batch, diff)
		}
	}
	if diff := cmp.Diff(kept, rowsOf(t, m, published)); diff != "" {
		t.Errorf("rows of the published batch (-before; +after the sweep):\n%s", diff)
	}
}

func TestAProjectorSweepsAtItsStartAndAtIntervalsWhateverIsBuilt(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	for range 3 {
		m.Rebuild(t) // each batch builds every day, which supersedes the older builds
	}
	attempts := count(t, m, "SELECT count() FROM batch_attempt")

	p := projector.New(projector.Config{Keep: 2, SweepEvery: 200 * time.Millisecond}, m.Conn, zerolog.Nop())
	p.Lead(true)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	waittest.Until(t, "the batch beyond those that are kept is retired at the start", func() bool {
		return count(t, m, "SELECT count() FROM retired_batch") == 1 && len(rowsOf(t, m, 1)) == 0
	})
	// A day that was built before the oldest kept batch. No batch reads that build.
	rows := count(t, m, "SELECT count() FROM series_day")
	for _, statement := range []string{
		"INSERT INTO series_day_version (date, build) SELECT min(date), 0 FROM series_day_version",
		"INSERT INTO series_day (date, series_id, build) SELECT min(date), 1, 0 FROM series_day_version",
	} {
		if err := m.Conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	waittest.Until(t, "superseded days are dropped while the projector runs", func() bool {
		return count(t, m, "SELECT (SELECT count() FROM series_day_version WHERE build = 0) + (SELECT count() FROM "+
			"series_day WHERE build = 0)") == 0
	})
	if kept := count(t, m, "SELECT count() FROM series_day"); kept != rows {
		t.Errorf("%d rows are left of %d that batches see", kept, rows)
	}
	if now := count(t, m, "SELECT count() FROM batch_attempt"); now != attempts {
		t.Errorf("%d batches were begun: this does not prove that a sweep needs none", now-attempts)
	}
}
