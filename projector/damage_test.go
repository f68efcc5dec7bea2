package projector_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/projector/inspect"
)

// lostRows has, by table, the condition for rows that a test deletes.
type lostRows map[string]string

func (l lostRows) delete(t *testing.T, m *demotest.Market) {
	t.Helper()
	for table, rows := range l {
		m.Lose(t, table, rows)
	}
}

func inspected(t *testing.T, m *demotest.Market) inspect.Damage {
	t.Helper()
	found, err := m.Projector().Inspect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// wantDamaged checks which tables are damaged.
func wantDamaged(t *testing.T, what string, found inspect.Damage, tables ...string) {
	t.Helper()
	if diff := cmp.Diff(tables, damagedTables(found)); diff != "" {
		t.Errorf("%s: damaged tables (-want +got):\n%s, files to restore: %v", what, diff, found.Files)
	}
}

// wantOneToRestore checks that one file must be restored, and that no batch is built without it.
func wantOneToRestore(t *testing.T, m *demotest.Market, found inspect.Damage) {
	t.Helper()
	if len(found.Files) != 1 {
		t.Errorf("files to restore: %v, want one", found.Files)
	}
	wantNoBatch(t, m)
}

func wantNoBatch(t *testing.T, m *demotest.Market) {
	t.Helper()
	if err := m.TryBuild(t); err == nil {
		t.Error("a batch was built of the facts that are left")
	}
}

func damagedTables(d inspect.Damage) []string {
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
			"series_day": "toDayOfMonth(date) = 3", "market_day": "toDayOfMonth(date) = 4",
			"family_day":  "toDayOfMonth(date) = 5",
			"manager_day": "toDayOfMonth(date) = 6",
		},
		"of batches": {
			"screener": "series_id % 2 = 1", "series_return": "window = '1y'", "market_completeness": "true",
			"series_month": "true", "quota_manager": "run = 9809",
			"quota_series": "true", "batch_new_file": "dataset = 'uf'",
		},
		"of lists": {"series_day_version": "toDayOfMonth(date) = 5",
			"market_day_version": "toDayOfMonth(date) = 6", "batch_attempt": "true"},
		"of what noted": {"batch_table": "true"},
	} {
		t.Run(name, func(t *testing.T) {
			lost.delete(t, m)
			found := inspected(t, m)
			for table := range lost {
				seen := map[string]string{"series_day_version": "series_day", "market_day_version": "market_day",
					"batch_attempt": "series_day"}[table]
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
			sameSums(t, m, "built anew", want, batch)
			if found := inspected(t, m); !found.None() {
				t.Errorf("after the batch that was built anew: %s", found)
			}
		})
	}
}

// An update of the program adds tables. The batch of the former version has no notes about them, and no rows.
func TestATableThatIsNewerThanTheBatchIsNotDamaged(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.IngestDemo(t)
	batch := m.Build(t)
	lostRows{"batch_table": "table IN ('summary_mover', 'flow_day', 'candidate_day', 'eligibility')"}.delete(t, m)
	wantDamaged(t, "rows without a note", inspected(t, m), "candidate_day", "eligibility", "flow_day", "summary_mover")
	lostRows{"batch_damage": "true"}.delete(t, m)
	lostRows{"summary_mover": "true", "flow_day": "true", "candidate_day": "true", "eligibility": "true"}.delete(t, m)
	if found := inspected(t, m); !found.None() {
		t.Errorf("neither notes nor rows: %s", found)
	}
	if n := count(t, m, "SELECT count() FROM batch_damage WHERE batch = $1", batch); n != 0 {
		t.Error("the batch is said to be damaged")
	}
	lostRows{"summary_family": "true"}.delete(t, m)
	wantDamaged(t, "a table that the batch knows", inspected(t, m), "summary_family")
}

func TestIdsThatOneCopyOfTheRegistryLostAreGivenBack(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, "cartola", historyOf(t)[0], demotest.Clock)
	m.Build(t)
	ids := func() uint64 {
		return count(t, m, "SELECT sum(cityHash64(kind, id, key, run, serie, batch)) FROM registry")
	}
	// The stored ids now differ from those that the facts alone would give, as they may if
	// two keys have the same hash.
	m.Change(t, "ALTER TABLE registry UPDATE batch = 7 WHERE kind = 'series' SETTINGS mutations_sync = 1")
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

func TestATableOfPeopleWithANaturalKeyDisturbsNothing(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	if err := m.Conn.Exec(t.Context(),
		"CREATE TABLE mine (natural_key String) ENGINE = MergeTree ORDER BY natural_key"); err != nil {
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
	wantDamaged(t, "manifests and notes are lost", found, "batch_table")
	if len(found.Files) != 0 {
		t.Errorf("files to restore: %v, want none", found.Files)
	}
	if after := count(t, m, manifests); after != before {
		t.Error("the manifests are not those of before")
	}
	sameSums(t, m, "after the damage", want, m.Build(t))
}
