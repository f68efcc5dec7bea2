package clickhousetest_test

import (
	"os"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	names := map[string]bool{}
	for range 2 {
		options := clickhousetest.Database(t)
		conn, err := driver.Open(options)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		var current string
		var tables uint64
		if err := conn.QueryRow(t.Context(),
			"SELECT currentDatabase(), (SELECT count() FROM system.tables WHERE database = currentDatabase())").Scan(
			&current, &tables); err != nil {
			t.Fatal(err)
		}
		if current != options.Auth.Database || tables != 0 || names[current] {
			t.Fatalf("current database %q with %d tables, want an empty one %q, not one of %v", current, tables,
				options.Auth.Database, names)
		}
		names[current] = true
		if err := conn.Exec(t.Context(), "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a"); err != nil {
			t.Fatal(err)
		}
	}
}
