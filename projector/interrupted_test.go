package projector_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/projector"
	"cuota/sql"
)

// migration is one file of the schema.
type migration struct {
	version    int64
	name       string
	statements []string // the statements of Up
}

// endOfStatement is a semicolon, with what may follow it on the line.
var endOfStatement = regexp.MustCompile(`;[ ]*(--[^\n]*)?\n`)

func migrations(t *testing.T) (list []migration) {
	t.Helper()
	names, err := fs.Glob(sql.Schema, "schema/*.sql")
	if err != nil || len(names) < 15 {
		t.Fatalf("%d migrations, %v", len(names), err)
	}
	for _, name := range names {
		text, err := sql.Schema.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(name, "schema/"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(strings.TrimPrefix(string(text), "-- +goose Up"), "-- +goose Down")
		statements := endOfStatement.Split(up, -1)
		list = append(list, migration{version, name, statements[:len(statements)-1]})
	}
	return list
}

// upgraded migrates a database at an earlier version of the schema, with rows in every
// table, and interrupts the next migration after some statements. It runs the migrations
// again, and gives checksums of all tables.
func upgraded(t *testing.T, before []migration, next migration, statements int) map[string]string {
	t.Helper()
	options := clickhousetest.Database(t)
	if len(before) > 0 {
		migrateTo(t, options, before[len(before)-1].version)
	}
	conn := openConn(t, options)
	fill(t, conn)
	for _, statement := range next.statements[:statements] {
		if err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v\n%s", next.name, err, statement)
		}
	}
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatalf("%s, interrupted after %d statements: %v", next.name, statements, err)
	}
	return contents(t, conn)
}

// migrateTo creates the tables of a version of the schema, without functions and views.
func migrateTo(t *testing.T, options *clickhouse.Options, version int64) {
	t.Helper()
	db := clickhouse.OpenDB(options)
	defer func() { _ = db.Close() }()
	files, err := sql.Cluster("").Migrations()
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectClickHouse, db, files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
}

// fill inserts a few rows into every table, except those that the schema fills. The rows
// are always the same.
func fill(t *testing.T, conn driver.Conn) {
	t.Helper()
	var tables []struct {
		Table     string `ch:"table"`
		Structure string `ch:"structure"`
	}
	err := conn.Select(t.Context(), &tables, `
		SELECT table, arrayStringConcat(groupArray(concat(name, ' ', type)), ', ') AS structure
		FROM (SELECT * FROM system.columns WHERE database = currentDatabase() ORDER BY table, position)
		WHERE table != 'goose_db_version' AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')
		GROUP BY table`)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		structure := strings.ReplaceAll(table.Structure, "'", `\'`)
		insert := fmt.Sprintf("INSERT INTO %s SELECT * FROM generateRandom('%s', 26, 5, 3) LIMIT 10 SETTINGS max_partitions_per_insert_block = 0", table.Table, structure)
		if err := conn.Exec(t.Context(), insert); err != nil {
			t.Fatalf("%s: %v", table.Table, err)
		}
	}
}

// contents returns a checksum of each table, over its rows and its definition.
func contents(t *testing.T, conn driver.Conn) map[string]string {
	t.Helper()
	var tables []struct {
		Name string `ch:"name"`
		Made string `ch:"made"`
	}
	err := conn.Select(t.Context(), &tables, `
		SELECT name, replaceAll(create_table_query, database, '') AS made FROM system.tables WHERE database = currentDatabase()`)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, table := range tables {
		found[table.Name] = table.Made
		if strings.HasPrefix(table.Made, "CREATE VIEW") {
			continue
		}
		columns := "*"
		if table.Name == "goose_db_version" {
			columns = "DISTINCT version_id, is_applied"
		}
		var sum string
		query := fmt.Sprintf("SELECT toString((count(), sum(cityHash64(toString(tuple(*)))))) FROM (SELECT %s FROM %s)", columns, table.Name)
		if err := conn.QueryRow(t.Context(), query).Scan(&sum); err != nil {
			t.Fatal(err)
		}
		found[table.Name] += " " + sum
	}
	return found
}

func openConn(t *testing.T, options *clickhouse.Options) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestAnInterruptedMigrationGoesOnAndLosesOrDoublesNothing(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	all := migrations(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 12))
	// Each run checks some of the migrations, and prefers those that write rows.
	for n, next := range all {
		writes := strings.Contains(strings.Join(next.statements, ""), "INSERT INTO") || strings.Contains(strings.Join(next.statements, ""), "UPDATE ")
		if oneOf := map[bool]int{true: 3, false: 12}[writes]; random.IntN(oneOf) != 0 {
			continue
		}
		want := upgraded(t, all[:n], next, 0)
		statements := 1 + random.IntN(len(next.statements))
		if diff := cmp.Diff(want, upgraded(t, all[:n], next, statements)); diff != "" {
			t.Errorf("%s (-whole, +interrupted after %d statements):\n%s", next.name, statements, diff)
		}
	}
}

// killsVariable is the environment variable with the number of times that the engine is
// killed while it migrates. The default is fewKills.
const (
	killsVariable = "CUOTA_TEST_KILLS"
	fewKills      = 2
)

func TestAnEngineThatIsKilledWhileItMigratesIsMigratedAtTheNextStart(t *testing.T) {
	kills := fewKills
	if told := os.Getenv(killsVariable); told != "" {
		var err error
		if kills, err = strconv.Atoi(told); err != nil {
			t.Fatal(err)
		}
	}
	calm := clickhousetest.Database(t)
	if err := projector.Migrate(t.Context(), calm); err != nil {
		t.Fatal(err)
	}
	want := contents(t, openConn(t, calm))
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 12))
	for kill := range kills {
		options := server.Options()
		name := fmt.Sprintf("killed_%d", kill)
		if err := openConn(t, options).Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
			t.Fatal(err)
		}
		options.Auth.Database = name
		before := server.State()
		over := make(chan struct{})
		go func() {
			defer close(over)
			_ = projector.Migrate(context.Background(), options) // fails if the engine is killed before its end
		}()
		pause := time.Duration(random.IntN(1500)) * time.Millisecond // any moment during the migrations
		select {
		case <-over:
		case <-time.After(pause):
		}
		if err := syscall.Kill(before.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-over
		waittest.Until(t, "the engine serves again", func() bool {
			now := server.State()
			return now.Running && now.Restarts > before.Restarts
		})
		if err := projector.Migrate(t.Context(), options); err != nil {
			t.Fatalf("killed after %s: %v", pause, err)
		}
		got := contents(t, openConn(t, options))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("killed after %s (-calm, +killed):\n%s", pause, diff)
		}
		if err := openConn(t, options).Exec(t.Context(), "DROP DATABASE "+name+" SYNC"); err != nil {
			t.Fatal(err)
		}
	}
}
