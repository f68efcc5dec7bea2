package clickhouse_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/waittest"
)

func TestABackupRestoredInAnotherDirectoryHoldsTheSameRows(t *testing.T) {
	from := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	owner := open(t, from.Options())
	for _, statement := range []string{
		"CREATE TABLE plain (a UInt32, s Nullable(String), d Array(Nullable(Float64))) ENGINE = MergeTree ORDER BY a",
		"INSERT INTO plain SELECT number, if(number % 2 = 0, NULL, toString(number)), [number, NULL] FROM numbers(1000)",
		"DELETE FROM plain WHERE a < 10",
		"CREATE TABLE replacing (a UInt32, version UInt32) ENGINE = ReplacingMergeTree(version) ORDER BY a",
		"INSERT INTO replacing SELECT number, 1 FROM numbers(100)",
		"INSERT INTO replacing SELECT number, 2 FROM numbers(50)",
		"CREATE TABLE empty (a UInt32) ENGINE = MergeTree ORDER BY a",
		"CREATE VIEW above AS SELECT count() AS c FROM plain WHERE a > {least:UInt32}",
	} {
		must(t, owner.Exec(t.Context(), statement))
	}
	backup, err := from.Backup(t.Context())
	must(t, err)
	for i, want := range []embedded.Table{{Name: "empty"}, {Name: "plain", Rows: 990}, {Name: "replacing", Rows: 100}} {
		got := backup.Tables[i]
		if got.Name != want.Name || got.Rows != want.Rows || (got.Checksum == 0) != (want.Rows == 0) {
			t.Errorf("table %d of the backup is %+v, want %d rows of %s", i, got, want.Rows, want.Name)
		}
	}
	// Replaced rows are merged: the sums do not change.
	must(t, owner.Exec(t.Context(), "OPTIMIZE TABLE replacing FINAL"))
	again, err := from.Backup(t.Context())
	must(t, err)
	if !slices.Equal(again.Tables, backup.Tables) {
		t.Errorf("after a merge the tables are\n%v, before\n%v", again.Tables, backup.Tables)
	}

	to := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	restored, err := to.Restore(t.Context(), func(dir string) error { return os.CopyFS(dir, os.DirFS(backup.Dir)) })
	must(t, err)
	if !slices.Equal(restored, backup.Tables) {
		t.Errorf("restored\n%v\nof a backup of\n%v", restored, backup.Tables)
	}
	var above uint64
	must(t, open(t, to.Options()).QueryRow(t.Context(), "SELECT c FROM above(least = 500)").Scan(&above))
	if above != 499 {
		t.Errorf("the restored view counts %d", above)
	}
	must(t, backup.Remove())
	if _, err := os.Stat(backup.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a removed backup is still there: %v", err)
	}
}

func TestTheEngineBacksUpToItsOwnFolderAlone(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "backups", "left", "by-a-process-that-was-killed")
	must(t, os.MkdirAll(left, 0o700))
	owner := open(t, clickhousetest.Start(t, embedded.Config{Dir: dir}).Options())
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy of an interrupted backup is still there: %v", err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	// Codes: 36 BAD_ARGUMENTS, 318 INVALID_CONFIG_PARAMETER.
	for statement, code := range map[string]int32{
		"BACKUP DATABASE cuota TO File('" + elsewhere + "')": 36,
		"BACKUP DATABASE cuota TO File('../../elsewhere')":   36,
		"BACKUP DATABASE cuota TO Disk('default', 'x')":      318,
		"RESTORE DATABASE cuota FROM File('/etc')":           36,
		"RESTORE DATABASE cuota FROM Disk('default', 'x')":   318,
	} {
		var exception *clickhousego.Exception
		if err := owner.Exec(t.Context(), statement); !errors.As(err, &exception) || exception.Code != code {
			t.Errorf("%s: %v, want code %d", statement, err, code)
		}
	}
	if _, err := os.Stat(elsewhere); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was written elsewhere: %v", err)
	}
}

// ClickHouse accepts such a statement from everybody and checks the grants afterwards.
func TestABackupThatAPersonStartsInTheBackgroundIsRefusedThere(t *testing.T) {
	owner, doors := peoplesEngine(t, "")
	var started uint64
	for _, person := range doors {
		for _, statement := range []string{
			"BACKUP DATABASE cuota TO File('x') ASYNC", "BACKUP TABLE t TO Memory('x') ASYNC",
			"RESTORE TABLE t AS u FROM File('x') ASYNC",
		} {
			if _, err := ask(t, person, statement); err == nil {
				started++
			}
		}
	}
	var failures []string
	waittest.Until(t, "they have ended", func() bool {
		var under uint64
		must(t, owner.QueryRow(t.Context(),
			"SELECT countIf(status IN ('CREATING_BACKUP', 'RESTORING')), groupArray(error) FROM system.backups").Scan(
			&under, &failures))
		return under == 0
	})
	if started == 0 || len(failures) < int(started) {
		t.Fatalf("%d were started, and %d failed", started, len(failures))
	}
	for _, failure := range failures {
		if !strings.Contains(failure, "ACCESS_DENIED") && !strings.Contains(failure, "BACKUP_NOT_FOUND") {
			t.Errorf("one ended with: %.200q", failure)
		}
	}
}
