package projector_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/segmentio/kafka-go"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/sql"
)

func TestACopyWithOtherComputedRowsMendsItself(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies, history := demotest.Copies(t, time.Millisecond, "a", "b"), historyOf(t)
	for _, m := range copies {
		start(t, m)
	}
	for i, path := range history[:2] {
		copies[0].Ingest(t, model.Cartola, path, demotest.Clock)
		for _, m := range copies {
			holdsFiles(t, m, i+1)
		}
	}
	// Flows of later days are computed from these rows. Their number stays the same, so nothing is lost.
	copies[1].Change(t, "ALTER TABLE series_day UPDATE equity = equity * 2 WHERE true SETTINGS mutations_sync = 2")
	copies[0].Ingest(t, model.Cartola, history[2], demotest.Clock)
	var sums []map[string]string
	for _, m := range copies {
		waittest.Until(t, "a batch with every day built anew is published", func() bool {
			return count(t, m, "SELECT count() FROM batch_plan FINAL WHERE rebuild AND length(files) = 0 AND plan = "+
				"(SELECT max(plan) FROM plan_batch WHERE failure = '')") == 1
		})
		holdsFiles(t, m, 3)
		waittest.Until(t, "the copy is ready", func() bool { return m.Projector().Ready() == nil })
		sums = append(sums, demotest.Checksums(t, m.Conn, count(t, m, "SELECT max(batch) FROM batch")))
	}
	if diff := cmp.Diff(sums[0], sums[1]); diff != "" {
		t.Errorf("rows (-a, +b):\n%s", diff)
	}
	refused := 0
	for _, m := range copies {
		refused += len(column(t, m, "SELECT reason FROM batch_failure WHERE refused AND reason LIKE '%built other rows%'"))
	}
	if refused != 1 {
		t.Errorf("%d batches were refused, want one, in the copy that announced its rows later", refused)
	}
}

func TestCopiesStopIfMoreContradictTheFirst(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies, history := demotest.Copies(t, time.Millisecond, "wrong", "b", "c"), historyOf(t)
	wrong, others := copies[0], copies[1:]
	wrong.Ingest(t, model.Cartola, history[0], demotest.Clock)
	wrong.Settle(t)
	changed := column(t, wrong, "SELECT toString(max(date)) FROM fact_quota")[0]
	wrong.Change(t, "ALTER TABLE fact_quota UPDATE quota = quota + 1 WHERE date = $1 SETTINGS mutations_sync = 2", changed)
	start(t, wrong) // it is first
	holdsFiles(t, wrong, 1)
	wrong.Ingest(t, model.Cartola, history[1], demotest.Clock)
	holdsFiles(t, wrong, 2)
	for _, m := range others {
		start(t, m)
	}
	for _, m := range others {
		waittest.Until(t, "the batch that was to mend the copy is refused too", func() bool {
			return count(t, m, "SELECT uniqExact(plan) FROM plan_batch WHERE failure LIKE '%copy wrong built other rows%'") == 2
		})
		if batches := count(t, m, "SELECT count() FROM batch"); batches != 0 {
			t.Errorf("%d batches are published of rows that differ", batches)
		}
	}
	waittest.Until(t, "the first copy says that most contradict it", func() bool {
		err := wrong.Projector().Ready()
		return err != nil && strings.Contains(err.Error(), "more copies announced other rows for plan 3")
	})
	wrong.Ingest(t, model.Cartola, history[2], demotest.Clock)
	waittest.Until(t, "the first copy builds no later plan", func() bool {
		return count(t, wrong, "SELECT uniqExact(plan) FROM plan_batch WHERE plan = 4 AND failure != ''") == 1
	})
	// A person mends the facts, and asks for all days.
	wrong.Change(t, "ALTER TABLE fact_quota UPDATE quota = quota - 1 WHERE date = $1 SETTINGS mutations_sync = 2", changed)
	askForAllDays(t, others[0])
	var sums []map[string]string
	for _, m := range copies {
		holdsFiles(t, m, 3)
		waittest.Until(t, "the copy is ready", func() bool { return m.Projector().Ready() == nil })
		sums = append(sums, demotest.Checksums(t, m.Conn, count(t, m, "SELECT max(batch) FROM batch")))
	}
	for _, other := range sums[1:] {
		if diff := cmp.Diff(sums[0], other); diff != "" {
			t.Errorf("rows (-first, +other):\n%s", diff)
		}
	}
	if plans := plansOf(t, wrong); !slices.Equal(plans, []string{"1 false", "2 false", "3 true", "4 false", "5 true"}) {
		t.Errorf("plans %q, want one that was to mend the copies, and one that a person asked for", plans)
	}
}

func TestARefusedCopyBuildsFirstIfSomebodyAsks(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, history := demotest.Copies(t, time.Millisecond, "b")[0], historyOf(t)
	m.Ingest(t, model.Cartola, history[0], demotest.Clock)
	start(t, m)
	holdsFiles(t, m, 1)
	if err := m.Projector().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, model.Cartola, history[1], demotest.Clock)
	m.Settle(t)
	// Another copy had planned the next batch and built it, and was lost.
	next := &model.BatchPlan{Number: 2, Previous: 1, ID: "gone", PlannedAt: demotest.Clock.UnixMilli(), Rules: sql.Rules(),
		Files: column(t, m, "SELECT sha256 FROM complete_file WHERE sha256 NOT IN (SELECT arrayJoin(files) FROM batch_plan)"),
		Copy:  "gone"}
	m.Send(t, model.BatchesTopic, kafka.Message{Value: record(t, model.BatchRecord{Plan: next}, 0).Value})
	contradict(t, m, "gone", 2)
	m.Settle(t)
	start(t, m)
	waittest.Until(t, "the copy waits for the other one", func() bool {
		err := m.Projector().Ready()
		return err != nil && strings.Contains(err.Error(), "it waits until another copy has built plan 3")
	})
	askForAllDays(t, m)
	holdsFiles(t, m, 2)
	waittest.Until(t, "the copy is ready", func() bool { return m.Projector().Ready() == nil })
	if plans := plansOf(t, m); !slices.Equal(plans, []string{"1 false", "2 false", "3 true", "4 true"}) {
		t.Errorf("plans %q, want the one that waited and the one that somebody asked for", plans)
	}
}

// askForAllDays is what cuota rebuild sends.
func askForAllDays(t *testing.T, m *demotest.Market) {
	t.Helper()
	command, err := json.Marshal(model.Control{Project: &model.ProjectCommand{ID: "anew", Rebuild: true}})
	if err != nil {
		t.Fatal(err)
	}
	m.Send(t, model.ControlTopic, kafka.Message{Value: command})
}

func TestACopyThatMostContradictAfterARebuildStops(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m, history := demotest.Copies(t, time.Millisecond, "a")[0], historyOf(t)
	m.Ingest(t, model.Cartola, history[0], demotest.Clock)
	askForAllDays(t, m)
	m.Settle(t)
	start(t, m)
	holdsFiles(t, m, 1)
	contradict(t, m, "b", 1)
	m.Settle(t)
	m.Ingest(t, model.Cartola, history[1], demotest.Clock)
	holdsFiles(t, m, 2) // one copy against one
	contradict(t, m, "c", 1)
	waittest.Until(t, "the copy says that most contradict it", func() bool {
		err := m.Projector().Ready()
		return err != nil && strings.Contains(err.Error(), "more copies announced other rows for plan 1")
	})
	m.Ingest(t, model.Cartola, history[2], demotest.Clock)
	waittest.Until(t, "the next batch is refused", func() bool {
		return count(t, m, "SELECT uniqExact(plan) FROM plan_batch WHERE failure LIKE '%more copies announced other rows%'") == 1
	})
	if plans := plansOf(t, m); !slices.Equal(plans, []string{"1 true", "2 false", "3 false"}) {
		t.Errorf("plans %q, want no other that builds every day anew", plans)
	}
}

// contradict lets another copy announce other rows for a plan.
func contradict(t *testing.T, m *demotest.Market, name string, plan uint64) {
	t.Helper()
	tables := column(t, m, "SELECT DISTINCT arrayJoin(tables) FROM plan_built")
	built := &model.BatchBuilt{Plan: plan, Copy: name, BuiltAt: demotest.Clock.UnixMilli() + int64(plan),
		Tables: tables, Checksums: make([]uint64, len(tables))}
	m.Send(t, model.BatchesTopic, kafka.Message{Value: record(t, model.BatchRecord{Built: built}, 0).Value})
}

// plansOf lists the plans of a log, and whether they build every day anew.
func plansOf(t *testing.T, m *demotest.Market) []string {
	t.Helper()
	return column(t, m, "SELECT concat(toString(plan), ' ', toString(rebuild)) FROM batch_plan FINAL ORDER BY plan")
}
