package projector_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/projector/inspect"
)

// No batch has noted how many facts this file has. Only its manifest says so.
func TestAFileThatLosesFactsWaitsUntilTheyComeAgain(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	files := historyOf(t)
	m.Ingest(t, "cartola", files[0], demotest.Clock)
	before := demotest.Checksums(t, m.Conn, m.Build(t))
	m.Ingest(t, "cartola", files[1], demotest.Clock)
	m.Settle(t)
	second := fmt.Sprintf("source_sha256 IN (SELECT sha256 FROM complete_file WHERE file = '%s') AND "+
		"toDayOfMonth(date) = 7", filepath.Base(files[1]))
	lostRows{"fact_quota": second}.delete(t, m)
	if found := inspected(t, m); !found.None() {
		t.Errorf("the published batch is damaged by facts that it does not hold: %s", found)
	}
	sameSums(t, m, "without the file, of which only a part is there", before, m.Build(t))
	m.Ingest(t, "cartola", files[1], demotest.Clock)
	undisturbed := demotest.New(t)
	for _, file := range files[:2] {
		undisturbed.Ingest(t, "cartola", file, demotest.Clock)
	}
	want := demotest.Checksums(t, undisturbed.Conn, undisturbed.Build(t))
	sameSums(t, m, "after the facts came again", want, m.Build(t))
}

func TestFactsThatAreMissingStopEveryBatchUntilTheirFilesCome(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	file := historyOf(t)[0]
	m.Ingest(t, "cartola", file, demotest.Clock)
	want := demotest.Checksums(t, m.Conn, m.Build(t))
	lostRows{"fact_quota": "toDayOfMonth(date) = 7", "complete_file": "true", "manifest": "true"}.delete(t, m)
	found := inspected(t, m)
	wantDamaged(t, "the facts of a day are lost", found, "fact_quota")
	wantOneToRestore(t, m, found)
	m.Ingest(t, "cartola", file, demotest.Clock)
	sameSums(t, m, "after the damage", want, m.Build(t))
	if found := inspected(t, m); !found.None() {
		t.Errorf("after the facts were restored: %s", found)
	}
}

// Without the notes, the manifest of a file says how many facts it must have.
func TestFactsThatAreLostTogetherWithTheNotesAreMissed(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	files := historyOf(t)
	for _, file := range files[:2] {
		m.Ingest(t, "cartola", file, demotest.Clock)
	}
	want := demotest.Checksums(t, m.Conn, m.Build(t))
	lostRows{"batch_table": "true"}.delete(t, m)
	wantDamaged(t, "only the notes are lost", inspected(t, m), "batch_table")
	one := fmt.Sprintf("source_sha256 IN (SELECT sha256 FROM complete_file WHERE file = '%s')", filepath.Base(files[1]))
	lostRows{"fact_quota": one}.delete(t, m)
	found := inspected(t, m)
	wantDamaged(t, "the facts are lost too", found, "batch_table", "cartola")
	wantOneToRestore(t, m, found)
	m.Ingest(t, "cartola", files[1], demotest.Clock)
	sameSums(t, m, "after the damage", want, m.Build(t))
	if found := inspected(t, m); !found.None() {
		t.Errorf("after the facts were restored: %s", found)
	}
	lostRows{"fact_quota": one}.delete(t, m)
	wantDamaged(t, "the new batch notes facts of earlier files", inspected(t, m), "fact_quota")
}

// The newest batch lost its notes, and an older batch's note about a file is still there.
func TestFactsOfAnEarlierBatchAreMissed(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	files := historyOf(t)
	var newest uint64
	for _, file := range files[:2] {
		m.Ingest(t, "cartola", file, demotest.Clock)
		newest = m.Build(t)
	}
	first := fmt.Sprintf("source_sha256 IN (SELECT sha256 FROM complete_file WHERE file = '%s') AND "+
		"toDayOfMonth(date) = 7", filepath.Base(files[0]))
	lostRows{"fact_quota": first, "batch_table": fmt.Sprintf("batch = %d", newest)}.delete(t, m)
	found := inspected(t, m)
	wantDamaged(t, "facts and the newest notes are lost", found, "batch_table", "fact_quota")
	wantOneToRestore(t, m, found)
	_, missing, err := inspect.Missing(t.Context(), m.Conn)
	if err != nil || len(missing) != 1 || !missing[0].Fact || missing[0].Piece != found.Files[0] {
		t.Errorf("a repair restores %v (%v), want the one file", missing, err)
	}
}

// A batch that was never published may have noted too few facts, because it read a damaged
// table.
func TestANoteOfABatchThatWasNotPublishedHidesNoLoss(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	files := historyOf(t)
	m.Ingest(t, "cartola", files[0], demotest.Clock)
	published := m.Build(t)
	lostRows{"batch_table": "true"}.delete(t, m)
	for _, statement := range []string{
		"INSERT INTO batch_attempt (batch, started_at, claim) VALUES (%d, now(), 'killed')",
		"INSERT INTO batch_table (batch, table, piece, rows) SELECT %d, 'fact_quota', sha256, 1 FROM complete_file",
	} {
		if err := m.Conn.Exec(t.Context(), fmt.Sprintf(statement, published+1)); err != nil {
			t.Fatal(err)
		}
	}
	lostRows{"fact_quota": "toDayOfMonth(date) = 7"}.delete(t, m)
	wantDamaged(t, "facts and their notes are lost", inspected(t, m), "batch_table", "cartola")
	wantNoBatch(t, m)
	m.Ingest(t, "cartola", files[0], demotest.Clock)
	m.Build(t)
	lostRows{"fact_quota": "toDayOfMonth(date) = 7"}.delete(t, m)
	wantDamaged(t, "the published batch notes the facts itself", inspected(t, m), "fact_quota")
}

func TestAFileThatLosesEveryTraceStopsEveryBatch(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	file := historyOf(t)[0]
	m.Ingest(t, "cartola", file, demotest.Clock)
	want := demotest.Checksums(t, m.Conn, m.Build(t))
	lostRows{"fact_quota": "toDayOfMonth(date) = 7", "complete_file": "true", "manifest": "true",
		"batch_table": "true"}.delete(t, m)
	found := inspected(t, m)
	wantDamaged(t, "facts, manifest and notes are lost", found, "batch_table", "manifest")
	wantOneToRestore(t, m, found)
	m.Ingest(t, "cartola", file, demotest.Clock)
	sameSums(t, m, "after the damage", want, m.Build(t))
}
