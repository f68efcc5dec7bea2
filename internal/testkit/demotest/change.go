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
		SELECT concat('mutation ', mutation_id, ' of ', table, ', ', command, ', parts to do: ', toString(parts_to_do_names), ', ', latest_fail_reason) AS line
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
