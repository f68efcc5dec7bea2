package projector_test

import (
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

func TestABatchNotesHowManyOfItsProjectionsAreDone(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	batch := m.Build(t)
	if noted := count(t, m, "SELECT count() FROM batch_progress WHERE batch = $1 AND done BETWEEN 1 AND projections",
		batch); noted == 0 {
		t.Error("no progress is noted")
	}
	projections, err := sql.Projections()
	if err != nil {
		t.Fatal(err)
	}
	if other := count(t, m, "SELECT count() FROM batch_progress WHERE projections != $1",
		len(projections)); other != 0 {
		t.Errorf("%d notes count other projections than those that run", other)
	}
}
