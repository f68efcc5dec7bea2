package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/sql"
)

// Tables of earlier programs, with the rows of one file, written by scripts/old-schemas.
const (
	earlierSchemas   = "testdata/schemas/*.sql"
	earlierFile      = "testdata/schemas/cartola.txt"
	earlierPublished = "2019-12-01"
)

// earlierDirectory makes a data directory as an earlier program left it.
func earlierDirectory(t *testing.T, schema string) string {
	t.Helper()
	text, err := os.ReadFile(schema)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "earlier")
	dir, err := makeDirectory(path)
	if err != nil {
		t.Fatal(err)
	}
	restored := t.Run("restore", func(t *testing.T) {
		store := clickhousetest.Start(t, embedded.Config{Dir: dir.clickhouse()})
		conn, err := clickhouse.Open(store.Options())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		for _, statement := range strings.Split(string(text), ";\n") {
			if strings.TrimSpace(statement) == "" {
				continue
			}
			if err := conn.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v\n%.300s", schema, err, statement)
			}
		}
	})
	if !restored {
		t.FailNow()
	}
	return path
}

// publishedBy returns checksums of everything that an up has published, once this
// program has computed it by its own rules, and the columns of all tables and views.
func publishedBy(t *testing.T, r *running) map[string]string {
	t.Helper()
	conn := atDoor(t, r.greeting)
	var batch uint64
	waittest.Until(t, "a batch of these rules is published", func() bool {
		var rules string
		if err := conn.QueryRow(t.Context(), "SELECT max(batch), argMax(rules, batch) FROM batch").Scan(&batch, &rules); err != nil {
			t.Fatal(err)
		}
		return rules == sql.Rules()
	})
	sums := demotest.Checksums(t, conn, batch)
	var tables []struct {
		Name string `ch:"name"`
		Made string `ch:"made"`
	}
	// Comments are left out, because those of a table stay as they were when it was
	// created.
	err := conn.Select(t.Context(), &tables, `
		SELECT tables.name AS name, concat(any(engine_full), ': ', arrayStringConcat(groupArray(columns.name || ' ' || columns.type), ', ')) AS made
		FROM system.tables AS tables
		INNER JOIN (SELECT * FROM system.columns WHERE database = currentDatabase() ORDER BY table, position) AS columns ON columns.table = tables.name
		WHERE tables.database = currentDatabase()
		GROUP BY name`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		sums["columns of "+table.Name] = table.Made
	}
	return sums
}

// atDoor opens ClickHouse as other commands do, on the directory in a greeting.
func atDoor(t *testing.T, greeting string) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(tablesOf(t, greeting))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Each earlier schema with rows is upgraded, and the upgrade is killed at a random
// moment. The next start must complete it, with the results that a new directory gives
// from the same file.
func TestADirectoryOfAnEarlierSchemaStartsWheneverItsUpgradeWasKilled(t *testing.T) {
	longtest.Skip(t)
	schemas, err := filepath.Glob(earlierSchemas)
	if err != nil || len(schemas) < 6 {
		t.Fatalf("%d schemas, %v", len(schemas), err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	succeed(t, "ingest", "cartola", earlierFile, "--published", earlierPublished, "--data", fresh, "--wait")
	calm := up(t, fresh, "--no-demo")
	want := publishedBy(t, calm)
	calm.interrupt(t)

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 12))
	random.Shuffle(len(schemas), func(i, j int) { schemas[i], schemas[j] = schemas[j], schemas[i] })
	earlier := map[string]string{} // directories by schema
	for kill := range kills(t, 2) {
		schema := schemas[kill%len(schemas)]
		if earlier[schema] == "" {
			earlier[schema] = earlierDirectory(t, schema)
		}
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(dir, os.DirFS(earlier[schema])); err != nil {
			t.Fatal(err)
		}
		first := program(context.Background(), nil, "up", "--no-demo", "--data", dir, "--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0",
			"--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0")
		if err := first.Start(); err != nil {
			t.Fatal(err)
		}
		pause := time.Duration(random.Int64N(int64(2 * calm.startup))) // tables are changed first, and then a batch is built
		select {
		case <-t.Context().Done():
		case <-time.After(pause):
		}
		_ = first.Process.Kill()
		_ = first.Wait()
		next := up(t, dir, "--no-demo")
		if diff := cmp.Diff(want, publishedBy(t, next)); diff != "" {
			t.Errorf("%s, killed after %s (-new directory, +upgraded):\n%s", schema, pause, diff)
		}
		next.interrupt(t)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
}
