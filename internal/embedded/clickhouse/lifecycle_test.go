package clickhouse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/waittest"
)

// parentVariable makes the test binary a parent that starts an engine over the
// directory named, tells its pid, and waits to be ended.
const parentVariable = "CUOTA_TEST_ENGINE_PARENT"

func beParent(dir string) {
	server, err := embedded.New(embedded.Config{Dir: dir}, zerolog.Nop())
	if err == nil {
		err = server.Start(context.Background())
	}
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(server.State())
	select {}
}

// runs tells whether a process is there and has not ended.
func runs(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestTheEngineEndsWithItsParentHoweverThatEnds(t *testing.T) {
	clickhousetest.Server(t) // skips without the library
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), parentVariable+"="+t.TempDir())
		out := must1(parent.StdoutPipe())
		must(t, parent.Start())
		var state embedded.State
		must(t, json.NewDecoder(out).Decode(&state))
		if !runs(state.PID) {
			t.Fatalf("the engine %d does not run", state.PID)
		}
		must(t, parent.Process.Signal(signal))
		_ = parent.Wait()
		waittest.Until(t, "the engine ends", func() bool { return !runs(state.PID) })
	}
}

func TestAnEngineThatIsKilledServesAgainOnTheSamePortsWithAllThatItAcknowledged(t *testing.T) {
	var log bytes.Buffer
	server := must1(embedded.New(embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30}, zerolog.New(zerolog.SyncWriter(&log))))
	clickhousetest.Server(t) // skips without the library
	must(t, server.Start(t.Context()))
	defer func() { must(t, server.Stop(context.Background())) }()
	conn := open(t, server.Options())
	must(t, conn.Exec(t.Context(), "CREATE TABLE kept (n UInt64) ENGINE = MergeTree ORDER BY n"))
	const kills, writers = 10, 4
	var acknowledged atomic.Int64
	stop := make(chan struct{})
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for n := w; ; n += writers {
				select {
				case <-stop:
					return
				default:
				}
				ctx := clickhousego.Context(t.Context(), clickhousego.WithParameters(clickhousego.Parameters{"n": strconv.Itoa(n)}))
				if conn.Exec(ctx, "INSERT INTO kept SELECT {n:UInt64}") == nil {
					acknowledged.Add(1)
				}
			}
		})
	}
	for kill := range kills {
		before := acknowledged.Load()
		waittest.Until(t, "rows are acknowledged", func() bool { return acknowledged.Load() > before+20 })
		must(t, syscall.Kill(server.State().PID, syscall.SIGKILL))
		waittest.Until(t, "the engine serves again", func() bool { s := server.State(); return s.Running && s.Restarts == kill+1 })
	}
	close(stop)
	writing.Wait()
	var rows, keys uint64
	must(t, conn.QueryRow(t.Context(), "SELECT count(), uniqExact(n) FROM kept").Scan(&rows, &keys))
	if rows < uint64(acknowledged.Load()) || keys < uint64(acknowledged.Load()) {
		t.Errorf("%d rows were acknowledged, and %d are there, %d of them different", acknowledged.Load(), rows, keys)
	}
	if state := server.State(); state.LastEnd == "" || !strings.Contains(log.String(), "serves again") {
		t.Errorf("%+v; the log says\n%s", state, &log)
	}
}

func TestADirectoryHasOneEngineAndNamesItsHolder(t *testing.T) {
	dir := t.TempDir()
	clickhousetest.Start(t, embedded.Config{Dir: dir})
	other := must1(embedded.New(embedded.Config{Dir: dir}, zerolog.Nop()))
	if err := other.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "in use by this process itself") {
		t.Errorf("%v", err)
	}
}

func TestStopDoesNotWaitForQueries(t *testing.T) {
	clickhousetest.Server(t) // skips without the library
	server := must1(embedded.New(embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30}, zerolog.Nop()))
	must(t, server.Start(t.Context()))
	conn := open(t, server.Options())
	over := make(chan error, 4)
	for range cap(over) { // one block that takes minutes
		go func() {
			over <- conn.Exec(context.Background(), "SELECT editDistance(repeat('ab', 90000), repeat('bc', 90000)) FORMAT Null")
		}()
	}
	watcher := open(t, server.Options())
	waittest.Until(t, "the queries run", func() bool {
		var n uint64
		return watcher.QueryRow(t.Context(), "SELECT count() FROM system.processes WHERE query LIKE '%editDistance%' AND query NOT LIKE '%processes%'").Scan(&n) == nil && n > 0
	})
	pid := server.State().PID
	must(t, server.Stop(context.Background()))
	if runs(pid) {
		t.Error("the engine runs on")
	}
	for range cap(over) {
		if err := <-over; err == nil {
			t.Error("a query of minutes ended well")
		}
	}
}

func TestAMissingLibraryIsToldWithItsRemedy(t *testing.T) {
	server := must1(embedded.New(embedded.Config{Dir: t.TempDir(), Library: filepath.Join(t.TempDir(), "libchdb.so")}, zerolog.Nop()))
	err := server.Start(t.Context())
	if !errors.Is(err, embedded.ErrNoLibrary) || !strings.Contains(err.Error(), "make engine") {
		t.Errorf("%v", err)
	}
}

// An installed ClickHouse is started with "server -C FILE". Where none is
// at hand, a script stands for it that runs the library over the same file.
func TestAnInstalledClickHouseIsStartedOverTheSameConfiguration(t *testing.T) {
	library, err := embedded.Locate("")
	if err != nil {
		clickhousetest.Server(t)
	}
	binary := filepath.Join(t.TempDir(), "clickhouse")
	script := "#!/bin/sh\n[ \"$1 $2\" = 'server -C' ] || exit 64\n" +
		"sleep 1000000000 | exec env CUOTA_ENGINE_CONFIG=\"$3\" CUOTA_ENGINE_BINARY= CUOTA_ENGINE_LIBRARY='" + library + "' '" + os.Args[0] + "'\n"
	must(t, os.WriteFile(binary, []byte(script), 0o700))
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), Binary: binary})
	conn := open(t, server.Options())
	var one uint8
	must(t, conn.QueryRow(t.Context(), "SELECT 1").Scan(&one))
}

func TestTheConfigurationIsReadableByItsOwnerAloneAndHoldsNoPassword(t *testing.T) {
	dir := t.TempDir()
	server := clickhousetest.Start(t, embedded.Config{Dir: dir})
	for _, name := range []string{"config.xml", "users.xml", "lock"} {
		info, err := os.Stat(filepath.Join(dir, name))
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		if bytes.Contains(must1(os.ReadFile(filepath.Join(dir, name))), []byte(server.Options().Auth.Password)) {
			t.Errorf("%s holds the owner's password", name)
		}
	}
}

func TestAnInvalidConfigurationIsRefused(t *testing.T) {
	for name, config := range map[string]embedded.Config{
		"no directory": {}, "little memory": {Dir: "x", MaxMemoryBytes: 1 << 20}, "a bad name": {Dir: "x", Database: "System"},
		"a reserved name": {Dir: "x", Database: "system"}, "no time": {Dir: "x", QueryTimeout: time.Millisecond},
	} {
		if _, err := embedded.New(config, zerolog.Nop()); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
