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
	waits := func(m *demotest.Market) bool {
		err := m.Projector().Ready()
		return err != nil && strings.Contains(err.Error(), "other rules than here are in copies b")
	}
	plans := func() uint64 { return count(t, a, "SELECT max(plan) FROM batch_plan") }
	// A copy does not look at its own group, so this one would plan.
	if err := b.Projector().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	end := a.RunProgram(t, "b", newer)
	before := plans()
	a.Ingest(t, model.Cartola, history[1], demotest.Clock)
	waittest.Until(t, "the copy waits, and says which one it waits for", func() bool { return waits(a) })
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
	for i, path := range history[:2] {
		a.Ingest(t, model.Cartola, path, demotest.Clock)
		for _, m := range copies {
			holdsFiles(t, m, i+1)
		}
	}
	// As if the first plan had been of an older program.
	a.Change(t, "ALTER TABLE batch_plan UPDATE rules = $1 WHERE plan = (SELECT min(plan) FROM batch_plan) "+
		"SETTINGS mutations_sync = 2", older)
	if err := b.Projector().Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.RunProgram(t, "b", older)
	a.Ingest(t, model.Cartola, history[2], demotest.Clock)
	holdsFiles(t, a, 3)
}
