package projector_test

import (
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
)

// newer and older stand for the rules of programs of other versions.
var newer, older = strings.Repeat("e", 64), strings.Repeat("0", 64)

// waitsFor reports whether a copy says that it plans nothing because of the rules of another one.
func waitsFor(m *demotest.Market, other string) bool {
	err := m.Projector().Ready()
	return err != nil && strings.Contains(err.Error(), "these run other rules than this one: "+other)
}

func TestNoCopyPlansWhileAnotherOneRunsNewerRules(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies, history := demotest.Copies(t, time.Millisecond, "a", "b"), historyOf(t)
	for _, m := range copies {
		start(t, m)
	}
	a, b := copies[0], copies[1]
	a.Ingest(t, model.Cartola, history[0], demotest.Clock)
	for _, m := range copies {
		holdsFiles(t, m, 1)
	}
	plans := func() uint64 { return count(t, a, "SELECT max(plan) FROM batch_plan") }
	// A copy does not look at its own group, so this one would plan.
	if err := b.Projector().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	end := a.RunProgram(t, "b", newer)
	before := plans()
	a.Ingest(t, model.Cartola, history[1], demotest.Clock)
	waittest.Until(t, "the copy waits, and says for which one", func() bool { return waitsFor(a, "b") })
	if plans() != before {
		t.Error("a batch was planned that the upgraded copy can't build")
	}
	end()
	a.Ingest(t, model.Cartola, history[2], demotest.Clock)
	holdsFiles(t, a, 3)
}

func TestNoCopyWaitsForOneWithRulesOfThePast(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies, history := demotest.Copies(t, time.Millisecond, "a", "b"), historyOf(t)
	for _, m := range copies {
		start(t, m)
	}
	a, b := copies[0], copies[1]
	a.Ingest(t, model.Cartola, history[0], demotest.Clock)
	for _, m := range copies {
		holdsFiles(t, m, 1)
	}
	if err := b.Projector().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Ingest(t, model.Cartola, history[1], demotest.Clock)
	holdsFiles(t, a, 2)
	// As if the first plan, the last one that the other copy has built, had been of an older program.
	a.Change(t, "ALTER TABLE batch_plan UPDATE rules = $1 WHERE plan = (SELECT min(plan) FROM batch_plan) "+
		"SETTINGS mutations_sync = 2", older)
	a.RunProgram(t, "b", older)
	a.Ingest(t, model.Cartola, history[2], demotest.Clock)
	holdsFiles(t, a, 3)
}

func TestAnUpgradedCopyPlansNothingBeforeTheOthers(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	copies, history := demotest.Copies(t, time.Millisecond, "a", "b"), historyOf(t)
	for _, m := range copies {
		start(t, m)
	}
	a, b := copies[0], copies[1]
	a.Ingest(t, model.Cartola, history[0], demotest.Clock)
	for _, m := range copies {
		holdsFiles(t, m, 1)
		if err := m.Projector().Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// As if the batch had been planned and built by an older program, which still runs in the other copy.
	for _, table := range []string{"batch_plan", "batch"} {
		a.Change(t, "ALTER TABLE "+table+" UPDATE rules = $1 WHERE true SETTINGS mutations_sync = 2", older)
	}
	end := b.RunProgram(t, "b", older)
	before := count(t, a, "SELECT max(plan) FROM batch_plan")
	start(t, a)
	waittest.Until(t, "the upgraded copy waits for the other one", func() bool { return waitsFor(a, "b") })
	if count(t, a, "SELECT max(plan) FROM batch_plan") != before {
		t.Error("a batch was planned that the other copy can't build")
	}
	end()
	a.Ingest(t, model.Cartola, history[1], demotest.Clock)
	holdsFiles(t, a, 2)
	if rebuilt := count(t, a, "SELECT toUInt64(argMax(rebuilt_days, batch)) FROM batch"); rebuilt == 0 {
		t.Error("the first batch by new rules did not build every day anew")
	}
}
