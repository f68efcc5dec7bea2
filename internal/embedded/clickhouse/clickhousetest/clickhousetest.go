// Package clickhousetest gives tests a real ClickHouse engine: one for each test binary,
// started by the first test that needs it, in a temporary directory.
//
//	func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }
//
//	func TestX(t *testing.T) {
//		db := clickhouse.OpenDB(clickhousetest.Database(t))
//
// Tests may use it in parallel.
package clickhousetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
)

// patience is the timeout of each start, stop and statement.
const patience = 2 * time.Minute

// memory is the limit of the tests' engine, in bytes. It allows several test binaries to run at
// the same time.
const memory = 2 << 30

var shared struct {
	sync.Mutex
	main   bool // Main runs the tests, and so will stop the engine
	dir    string
	server *clickhouse.Server
	err    error
}

// Main runs the tests of a binary, stops the engine if one was started, and returns the exit
// code.
func Main(m *testing.M) int {
	clickhouse.Host()
	shared.Lock()
	shared.main = true
	shared.Unlock()
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "clickhousetest:", err)
		code = max(code, 1)
	}
	return code
}

// Server returns the engine of the test binary, and starts it if necessary. If the engine's
// library is missing, it skips the test, or fails it if CI=true, because CI must have the
// library.
func Server(t testing.TB) *clickhouse.Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.main {
		t.Fatal("clickhousetest: the package needs func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }")
	}
	if shared.server == nil && shared.err == nil {
		shared.err = start()
	}
	if errors.Is(shared.err, clickhouse.ErrNoLibrary) && os.Getenv("CI") != "true" {
		t.Skip(shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// Database makes a new database for the test and returns options of clickhouse-go for it. The
// database is dropped when the test ends.
func Database(t testing.TB) *driver.Options {
	t.Helper()
	options := Lasting(t)
	t.Cleanup(func() {
		// The connections name the second one, so it must be there until the end.
		for _, name := range []string{"funds_" + options.Auth.Database, options.Auth.Database} {
			if err := run(options, "DROP DATABASE IF EXISTS "+name+" SYNC"); err != nil {
				t.Errorf("drop the test's database: %v", err)
			}
		}
	})
	return options
}

// Lasting makes a new database that is not dropped when the test ends, so that all tests of the
// binary can use it.
func Lasting(t testing.TB) *driver.Options {
	t.Helper()
	options := Server(t).Options()
	name := "test_" + strings.ToLower(rand.Text()[:12])
	if err := run(options, "CREATE DATABASE "+name+" ENGINE = Atomic"); err != nil {
		t.Fatalf("make the test's database: %v", err)
	}
	options.Auth.Database = name
	return options
}

// prepared holds the prepared databases that no test is using, and what they contained when
// they were prepared.
var prepared struct {
	sync.Mutex
	free  []string
	given []string
	mark  string // fingerprint of a database after prepare
}

// Prepared returns a database on which prepare was run. Creating tables and views takes a second
// or more. So a test that passes leaves its database to the next test, after the tables that
// were empty at first are emptied again. All tests of a binary must use the same prepare. They
// must not change the columns of a table or the rows that prepare wrote: the test fails if they
// do.
func Prepared(t testing.TB, prepare func(context.Context, *driver.Options) error) *driver.Options {
	t.Helper()
	options := Server(t).Options()
	prepared.Lock()
	last := len(prepared.free) - 1
	if last >= 0 {
		options.Auth.Database, prepared.free = prepared.free[last], prepared.free[:last]
	}
	prepared.Unlock()
	if last < 0 {
		options = Lasting(t)
		err := prepare(t.Context(), options)
		given, listed := filled(t.Context(), options)
		mark, marked := fingerprint(t.Context(), options)
		if err := errors.Join(err, listed, marked); err != nil {
			t.Fatal(err)
		}
		prepared.Lock()
		prepared.given, prepared.mark = given, mark
		prepared.Unlock()
	}
	name := options.Auth.Database
	t.Cleanup(func() {
		if t.Failed() {
			return // something may still be writing
		}
		if err := empty(name); err != nil {
			t.Errorf("empty the test's database: %v", err)
			return
		}
		prepared.Lock()
		defer prepared.Unlock()
		prepared.free = append(prepared.free, name)
	})
	return options
}

// empty removes the rows of all tables that were empty after prepare. It fails if the database
// then differs from its state after prepare.
func empty(name string) error {
	options := shared.server.Options()
	options.Auth.Database = name
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tables, err := filled(ctx, options)
	prepared.Lock()
	given, want := prepared.given, prepared.mark
	prepared.Unlock()
	for _, table := range tables {
		if !slices.Contains(given, table) {
			err = errors.Join(err, run(options, "TRUNCATE TABLE "+table+" SYNC"))
		}
	}
	if err != nil {
		return err
	}
	mark, err := fingerprint(ctx, options)
	if err == nil && mark != want {
		err = errors.New("a table or view is not what it was: a test that changes one needs Database")
	}
	return err
}

// fingerprint returns a hash of the definitions of a database's tables and views, and of the
// numbers of their rows.
func fingerprint(ctx context.Context, options *driver.Options) (hash string, err error) {
	conn, err := driver.Open(options)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// The name of the database is removed from the definitions.
	err = conn.QueryRow(ctx, `
		SELECT toString(sum(cityHash64(name, replaceAll(create_table_query, database, ''), if(engine LIKE '%View', 0, ifNull(total_rows, 0)))))
		FROM system.tables WHERE database = currentDatabase()`).Scan(&hash)
	return hash, err
}

// filled lists the tables of a database that have rows.
func filled(ctx context.Context, options *driver.Options) (tables []string, err error) {
	conn, err := driver.Open(options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var found []struct {
		Table string `ch:"table"`
	}
	err = conn.Select(ctx, &found,
		"SELECT DISTINCT table FROM system.parts WHERE database = currentDatabase() AND active")
	for _, one := range found {
		tables = append(tables, one.Table)
	}
	return tables, err
}

// run runs a statement over a connection of its own.
func run(options *driver.Options, statement string) error {
	conn, err := driver.Open(options)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return conn.Exec(ctx, statement)
}

// Start starts an engine for one test, which stops with the test. It is for tests that
// configure or stop the engine. Tests that only need a database should use Database.
func Start(t testing.TB, config clickhouse.Config) *clickhouse.Server {
	t.Helper()
	if _, err := clickhouse.Locate(""); errors.Is(err, clickhouse.ErrNoLibrary) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if config.MaxMemoryBytes == 0 {
		config.MaxMemoryBytes = memory
	}
	server, err := clickhouse.New(config, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Errorf("stop the engine: %v", err)
		}
	})
	return server
}

// admitPeople lets the user people of the tests' engine read every database for people, because
// each test has one of its own. The names of these databases begin with funds_.
func admitPeople(dir string) error {
	folder := filepath.Join(dir, "users.d")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "people.xml"), []byte(`<clickhouse><users><people><grants replace="1">
		<query>GRANT SHOW TABLES, SHOW COLUMNS, SELECT ON funds_*.*</query>
		<query>GRANT SELECT ON system.parts</query>
	</grants></people></users></clickhouse>`), 0o600)
}

func start() error {
	dir, err := os.MkdirTemp("", "cuota-clickhouse-")
	if err != nil {
		return err
	}
	shared.dir = dir
	if err := admitPeople(dir); err != nil {
		return err
	}
	server, err := clickhouse.New(clickhouse.Config{Dir: dir, MaxMemoryBytes: memory}, zerolog.Nop())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Start(ctx); err != nil {
		return err
	}
	shared.server = server
	return nil
}

func stop() error {
	shared.Lock()
	defer shared.Unlock()
	var err error
	if shared.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		err = shared.server.Stop(ctx)
	}
	if shared.dir != "" {
		err = errors.Join(err, os.RemoveAll(shared.dir))
	}
	return err
}
