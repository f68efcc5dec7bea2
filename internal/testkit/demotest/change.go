package demotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
)

// changePatience is how long one attempt of Change waits. Most take less than a second.
const changePatience = 30 * time.Second

// Change runs a statement that updates or deletes stored rows, and returns when it has ended. The statement must have
// the same result if it runs twice: ClickHouse 26.7 did not begin such a statement in 30 s (seen in three runs of
// many tests, before the engine was set to let deletes begin earlier; the cause is not proved). Then it is run again.
func (m *Market) Change(t testing.TB, statement string, args ...any) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), changePatience)
		err := m.Conn.Exec(ctx, statement, args...)
		unanswered := ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded)
		cancel()
		switch {
		case err == nil:
			return
		case !unanswered || attempt == 3:
			t.Fatalf("%s: %v; %s", statement, err, m.unfinished())
		}
		t.Logf("ClickHouse did not answer in attempt %d of %q; %s", attempt, statement, m.unfinished())
	}
}

// Lose takes stored rows of a table away, those for which a condition is true. It needs no mutation (Change), because
// ClickHouse replaces the partitions with copies that lack the rows.
func (m *Market) Lose(t testing.TB, table, condition string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	exec := func(statement string) {
		t.Helper()
		if err := m.Conn.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	kept := table + "_without_what_is_lost"
	exec("CREATE TABLE " + kept + " AS " + table)
	exec("INSERT INTO " + kept + " SELECT * FROM " + table + " WHERE NOT coalesce((" + condition + "), false)")
	var partitions []string
	if err := m.Conn.QueryRow(ctx, "SELECT groupUniqArray(partition_id) FROM system.parts WHERE database = "+
		"currentDatabase() AND table = $1 AND active", table).Scan(&partitions); err != nil {
		t.Fatal(err)
	}
	for _, id := range partitions {
		exec("ALTER TABLE " + table + " REPLACE PARTITION ID '" + id + "' FROM " + kept +
			" SETTINGS allow_replace_partition_from_empty_source = 1")
	}
	exec("DROP TABLE " + kept + " SYNC")
}

// unfinished says what ClickHouse still has to do in the database, for messages.
func (m *Market) unfinished() string {
	type row struct {
		Line string `ch:"line"`
	}
	ctx, cancel := context.WithTimeout(context.Background(), changePatience)
	defer cancel()
	var rows []row
	err := m.Conn.Select(ctx, &rows, `
		WITH unfinished AS (SELECT * FROM system.mutations WHERE database = currentDatabase() AND NOT is_done)
		SELECT concat('mutation ', mutation_id, ' of ', table, ', ', command, ', parts to do: ', toString(parts_to_do_names), ', postponed: ', toString(parts_postpone_reasons), ', ', latest_fail_reason) AS line
		FROM unfinished
		UNION ALL
		SELECT concat('part ', table, ' ', name, ', rows: ', toString(rows), ', active: ', toString(active), ', version: ', toString(data_version))
		FROM system.parts WHERE database = currentDatabase() AND table IN (SELECT table FROM unfinished)
		UNION ALL
		SELECT concat('metric ', metric, ' ', toString(value)) FROM system.metrics
		WHERE metric IN ('BackgroundMergesAndMutationsPoolTask', 'BackgroundSchedulePoolTask', 'MergesMutationsMemoryTracking', 'MemoryTracking')
		UNION ALL
		SELECT concat('merge ', database, '.', table, ' ', result_part_name, ', seconds: ', toString(elapsed)) FROM system.merges
		LIMIT 100`)
	return fmt.Sprintf("unfinished: %q (%v)", rows, err)
}
