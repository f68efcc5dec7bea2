package projector_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/projector"
)

// lostRows gives, by table, the condition for rows that a test deletes.
type lostRows map[string]string

func (l lostRows) delete(t *testing.T, m *demotest.Market) {
	t.Helper()
	for table, rows := range l {
		if err := m.Conn.Exec(context.Background(), fmt.Sprintf("DELETE FROM %s WHERE %s", table, rows)); err != nil {
			t.Fatal(err)
		}
	}
}

func inspected(t *testing.T, m *demotest.Market) projector.Damage {
	t.Helper()
	found, err := m.Projector().Inspect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func damagedTables(d projector.Damage) []string {
	var names []string
	for _, table := range d.Tables {
		names = append(names, table.Table)
	}
	return names
}

func TestRowsThatComputedTablesLostAreMissedAndBuiltAnew(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	batch := m.Build(t)
	want := demotest.Checksums(t, m.Conn, batch)
	if found := inspected(t, m); !found.None() {
		t.Fatalf("a batch that was just published is damaged: %s", found)
	}
	for name, lost := range map[string]lostRows{
		"of days": {
			"series_day": "toDayOfMonth(date) = 3", "market_day": "toDayOfMonth(date) = 4", "family_day": "toDayOfMonth(date) = 5",
			"manager_day": "toDayOfMonth(date) = 6",
		},
		"of batches": {
			"screener": "series_id % 2 = 1", "series_return": "window = '1y'", "market_completeness": "true", "series_month": "true", "quota_manager": "run = 9809",
			"quota_series": "true", "batch_new_file": "dataset = 'uf'",
		},
		"of lists":      {"series_day_version": "toDayOfMonth(date) = 5", "market_day_version": "toDayOfMonth(date) = 6", "batch_attempt": "true"},
		"of what noted": {"batch_table": "true"},
	} {
		t.Run(name, func(t *testing.T) {
			lost.delete(t, m)
			found := inspected(t, m)
			for table := range lost {
				seen := map[string]string{"series_day_version": "series_day", "market_day_version": "market_day", "batch_attempt": "series_day"}[table]
				if seen == "" {
					seen = table
				}
				if !slices.Contains(damagedTables(found), seen) {
					t.Errorf("%s lost rows, and damaged are only %v", table, damagedTables(found))
				}
			}
			if count(t, m, "SELECT count() FROM batch_damage WHERE batch = $1", batch) == 0 {
				t.Error("the published batch is not said to be damaged")
			}
			before := batch
			batch = m.Build(t)
			if batch <= before {
				t.Fatalf("batch %d is followed by %d", before, batch)
			}
			if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, batch)); diff != "" {
				t.Errorf("projections differ (-before the damage; +built anew):\n%s", diff)
			}
			if found := inspected(t, m); !found.None() {
				t.Errorf("after the batch that was built anew: %s", found)
			}
		})
	}
}

func TestIdsThatOneCopyOfTheRegistryLostAreGivenBack(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, "cartola", historyOf(t)[0], demotest.Clock)
	m.Build(t)
	ids := func() uint64 {
		return count(t, m, "SELECT sum(cityHash64(kind, id, key, run, serie, batch)) FROM registry")
	}
	// The stored ids now differ from those that the facts alone would give, as they may if
	// two keys have the same hash.
	if err := m.Conn.Exec(context.Background(), "ALTER TABLE registry UPDATE batch = 7 WHERE kind = 'series' SETTINGS mutations_sync = 1"); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"TRUNCATE TABLE registry_copy",
		"INSERT INTO registry_copy SELECT * REPLACE (id + 1 AS id) FROM registry WHERE kind = 'series'",
		"INSERT INTO registry_copy SELECT * FROM registry WHERE kind != 'series'",
		"TRUNCATE TABLE registry",
		"INSERT INTO registry SELECT * FROM registry_copy",
	} {
		if err := m.Conn.Exec(context.Background(), change); err != nil {
			t.Fatal(err)
		}
	}
	want := ids()
	lostRows{"registry": "kind = 'series'"}.delete(t, m)
	inspected(t, m)
	if got := ids(); got != want {
		t.Errorf("the registry has other ids after it lost some")
	}
}

// No batch has noted how many facts this file has. Only its manifest says so.
func TestAFileThatLosesFactsBeforeItsFirstBatchWaitsUntilTheyComeAgain(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	files := historyOf(t)
	m.Ingest(t, "cartola", files[0], demotest.Clock)
	before := demotest.Checksums(t, m.Conn, m.Build(t))
	m.Ingest(t, "cartola", files[1], demotest.Clock)
	m.Settle(t)
	second := fmt.Sprintf("source_sha256 IN (SELECT sha256 FROM complete_file WHERE file = '%s') AND toDayOfMonth(date) = 7", filepath.Base(files[1]))
	lostRows{"fact_quota": second}.delete(t, m)
	if found := inspected(t, m); !found.None() {
		t.Errorf("the published batch is damaged by facts that it does not hold: %s", found)
	}
	if diff := cmp.Diff(before, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
		t.Errorf("a batch holds a part of a file (-without the file; +now):\n%s", diff)
	}
	m.Ingest(t, "cartola", files[1], demotest.Clock)
	undisturbed := demotest.New(t)
	for _, file := range files[:2] {
		undisturbed.Ingest(t, "cartola", file, demotest.Clock)
	}
	want := demotest.Checksums(t, undisturbed.Conn, undisturbed.Build(t))
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
		t.Errorf("projections differ (-undisturbed; +after the facts came again):\n%s", diff)
	}
}

func TestFactsThatAreMissingStopEveryBatchUntilTheirFilesCome(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	file := historyOf(t)[0]
	m.Ingest(t, "cartola", file, demotest.Clock)
	want := demotest.Checksums(t, m.Conn, m.Build(t))
	lostRows{"fact_quota": "toDayOfMonth(date) = 7", "complete_file": "true", "manifest": "true"}.delete(t, m)
	found := inspected(t, m)
	if diff := cmp.Diff([]string{"fact_quota"}, damagedTables(found)); diff != "" || len(found.Files) != 1 {
		t.Fatalf("damaged tables (-want +got):\n%s, files to restore: %v", diff, found.Files)
	}
	if err := m.TryBuild(t); err == nil {
		t.Error("a batch was built of the facts that are left")
	}
	m.Ingest(t, "cartola", file, demotest.Clock)
	batch := m.Build(t)
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, batch)); diff != "" {
		t.Errorf("projections differ (-before the damage; +after):\n%s", diff)
	}
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
	if diff := cmp.Diff([]string{"batch_table"}, damagedTables(inspected(t, m))); diff != "" {
		t.Errorf("only the notes are lost: damaged tables (-want +got):\n%s", diff)
	}
	one := fmt.Sprintf("source_sha256 IN (SELECT sha256 FROM complete_file WHERE file = '%s')", filepath.Base(files[1]))
	lostRows{"fact_quota": one}.delete(t, m)
	found := inspected(t, m)
	if diff := cmp.Diff([]string{"batch_table", "cartola"}, damagedTables(found)); diff != "" || len(found.Files) != 1 {
		t.Errorf("damaged tables (-want +got):\n%s, files to restore: %v", diff, found.Files)
	}
	if err := m.TryBuild(t); err == nil {
		t.Error("a batch was built of the facts that are left")
	}
	m.Ingest(t, "cartola", files[1], demotest.Clock)
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
		t.Errorf("projections differ (-before the damage; +after):\n%s", diff)
	}
	if found := inspected(t, m); !found.None() {
		t.Errorf("after the facts were restored: %s", found)
	}
	lostRows{"fact_quota": one}.delete(t, m)
	if diff := cmp.Diff([]string{"fact_quota"}, damagedTables(inspected(t, m))); diff != "" {
		t.Errorf("the new batch did not note facts of earlier files: damaged tables (-want +got):\n%s", diff)
	}
}

// The newest batch lost its notes, and an older batch's note about a file is still there.
func TestFactsOfAnEarlierBatchAreMissedAlsoIfTheNewestBatchLostItsNotes(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	files := historyOf(t)
	var newest uint64
	for _, file := range files[:2] {
		m.Ingest(t, "cartola", file, demotest.Clock)
		newest = m.Build(t)
	}
	first := fmt.Sprintf("source_sha256 IN (SELECT sha256 FROM complete_file WHERE file = '%s') AND toDayOfMonth(date) = 7", filepath.Base(files[0]))
	lostRows{"fact_quota": first, "batch_table": fmt.Sprintf("batch = %d", newest)}.delete(t, m)
	found := inspected(t, m)
	if diff := cmp.Diff([]string{"batch_table", "fact_quota"}, damagedTables(found)); diff != "" || len(found.Files) != 1 {
		t.Errorf("damaged tables (-want +got):\n%s, files to restore: %v", diff, found.Files)
	}
	if err := m.TryBuild(t); err == nil {
		t.Error("a batch was built of the facts that are left")
	}
	_, missing, err := projector.Missing(t.Context(), m.Conn)
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
	if diff := cmp.Diff([]string{"batch_table", "cartola"}, damagedTables(inspected(t, m))); diff != "" {
		t.Errorf("damaged tables (-want +got):\n%s", diff)
	}
	if err := m.TryBuild(t); err == nil {
		t.Error("a batch was built of the facts that are left")
	}
	m.Ingest(t, "cartola", files[0], demotest.Clock)
	m.Build(t)
	lostRows{"fact_quota": "toDayOfMonth(date) = 7"}.delete(t, m)
	if diff := cmp.Diff([]string{"fact_quota"}, damagedTables(inspected(t, m))); diff != "" {
		t.Errorf("the published batch did not note the facts itself: damaged tables (-want +got):\n%s", diff)
	}
}

func TestAFileThatLosesItsFactsItsManifestAndItsNoteStopsEveryBatch(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	file := historyOf(t)[0]
	m.Ingest(t, "cartola", file, demotest.Clock)
	want := demotest.Checksums(t, m.Conn, m.Build(t))
	lostRows{"fact_quota": "toDayOfMonth(date) = 7", "complete_file": "true", "manifest": "true", "batch_table": "true"}.delete(t, m)
	found := inspected(t, m)
	if diff := cmp.Diff([]string{"batch_table", "manifest"}, damagedTables(found)); diff != "" || len(found.Files) != 1 {
		t.Errorf("damaged tables (-want +got):\n%s, files to restore: %v", diff, found.Files)
	}
	if err := m.TryBuild(t); err == nil {
		t.Error("a batch was built of the facts that are left")
	}
	m.Ingest(t, "cartola", file, demotest.Clock)
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
		t.Errorf("projections differ (-before the damage; +after):\n%s", diff)
	}
}

func TestATableOfPeopleWithANaturalKeyDisturbsNothing(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	if err := m.Conn.Exec(t.Context(), "CREATE TABLE mine (natural_key String) ENGINE = MergeTree ORDER BY natural_key"); err != nil {
		t.Fatal(err)
	}
	m.Ingest(t, "cartola", historyOf(t)[0], demotest.Clock)
	m.Build(t)
	if found := inspected(t, m); !found.None() {
		t.Errorf("damaged: %s", found)
	}
	if err := m.Conn.Exec(t.Context(), "DROP TABLE mine"); err != nil {
		t.Error(err)
	}
}

// The list of complete files has all that a manifest says.
func TestLostManifestsOfCompleteFilesComeBack(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, "cartola", historyOf(t)[0], demotest.Clock)
	want := demotest.Checksums(t, m.Conn, m.Build(t))
	const manifests = "SELECT sum(cityHash64(*)) FROM manifest FINAL"
	before := count(t, m, manifests)
	lostRows{"manifest": "true", "batch_table": "true"}.delete(t, m)
	found := inspected(t, m)
	if diff := cmp.Diff([]string{"batch_table"}, damagedTables(found)); diff != "" || len(found.Files) != 0 {
		t.Errorf("damaged tables (-want +got):\n%s, files to restore: %v", diff, found.Files)
	}
	if after := count(t, m, manifests); after != before {
		t.Error("the manifests are not those of before")
	}
	if diff := cmp.Diff(want, demotest.Checksums(t, m.Conn, m.Build(t))); diff != "" {
		t.Errorf("projections differ (-before the damage; +after):\n%s", diff)
	}
}
