// Package clickhousetest gives tests a real ClickHouse engine: one per test
// binary, started by the first test that asks, in a directory of its own.
//
//	func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }
//
//	func TestX(t *testing.T) {
//		db := clickhouse.OpenDB(clickhousetest.Database(t))
//
// Tests may use it side by side.
package clickhousetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
)

// patience bounds each step of starting, stopping and dropping.
const patience = 2 * time.Minute

// memory is what the tests' engine may use, so that several test binaries can
// run side by side.
const memory = 2 << 30

var shared struct {
	sync.Mutex
	main   bool // Main is running the tests, so the engine will be stopped
	dir    string
	server *clickhouse.Server
	err    error
}

// Main runs the tests of a binary, stops the engine if one was started, and
// answers the exit code.
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

// Server answers the binary's engine, started when it wasn't. Without the
// engine's library the test is skipped, or fails where CI=true says that it
// must be there.
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

// Database makes a new database for the test and answers options of
// clickhouse-go that have it as the current one. It is dropped, its tables
// with it, when the test ends.
func Database(t testing.TB) *driver.Options {
	t.Helper()
	server := Server(t)
	name := "test_" + strings.ToLower(rand.Text()[:12])
	run := func(statement string) error {
		conn, err := driver.Open(server.Options())
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return conn.Exec(ctx, statement)
	}
	if err := run("CREATE DATABASE " + name + " ENGINE = Atomic"); err != nil {
		t.Fatalf("make the test's database: %v", err)
	}
	t.Cleanup(func() {
		if err := run("DROP DATABASE " + name + " SYNC"); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	options := server.Options()
	options.Auth.Database = name
	return options
}

// Start starts an engine for one test alone, which ends with the test: for tests that
// configure it, or end it. Those that need but a database ask for Database.
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

func start() error {
	dir, err := os.MkdirTemp("", "cuota-clickhouse-")
	if err != nil {
		return err
	}
	shared.dir = dir
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
