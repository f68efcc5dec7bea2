package clickhouse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
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
	"cuota/internal/testkit/waittest"
)

// parentVariable makes the test binary a parent process that starts an engine over the named
// directory, prints its pid, and waits to be killed.
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

// runs reports whether a process exists and has not ended.
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
	clickhousetest.Server(t) // skips if the library is missing
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

func TestAKilledEngineServesAgainOnTheSamePorts(t *testing.T) {
	var log bytes.Buffer
	server := must1(embedded.New(embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30},
		zerolog.New(zerolog.SyncWriter(&log))))
	clickhousetest.Server(t) // skips if the library is missing
	must(t, server.Start(t.Context()))
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
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
				ctx := clickhousego.Context(t.Context(),
					clickhousego.WithParameters(clickhousego.Parameters{"n": strconv.Itoa(n)}))
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
		waittest.Until(t, "the engine is running again", func() bool {
			s := server.State()
			return s.Running && s.Restarts == kill+1
		})
	}
	close(stop)
	writing.Wait()
	var rows, keys uint64
	must(t, conn.QueryRow(t.Context(), "SELECT count(), uniqExact(n) FROM kept").Scan(&rows, &keys))
	if rows < uint64(acknowledged.Load()) || keys < uint64(acknowledged.Load()) {
		t.Errorf("%d rows were acknowledged, and %d are there, %d of them different", acknowledged.Load(), rows, keys)
	}
	state := server.State()
	must(t, server.Stop(context.Background())) // ends the writes to the log
	if state.LastEnd == "" || !strings.Contains(log.String(), "is running again") {
		t.Errorf("%+v; the log says\n%s", state, &log)
	}
}

func TestAServerWaitsForTheEngineOfAKilledProcess(t *testing.T) {
	clickhousetest.Server(t) // skips if the library is missing
	dir := t.TempDir()
	for range 5 {
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), parentVariable+"="+dir)
		out := must1(parent.StdoutPipe())
		must(t, parent.Start())
		var state embedded.State
		must(t, json.NewDecoder(out).Decode(&state))
		// The kernel continues a stopped process whose group has no other living parent in its
		// session. So a child of this test joins the group.
		member := exec.Command("cat")
		member.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: state.PID}
		lifeline := must1(member.StdinPipe())
		must(t, member.Start())
		must(t, syscall.Kill(state.PID, syscall.SIGSTOP)) // it ends when it continues
		waittest.Until(t, "every thread of the engine has stopped", func() bool { return isStopped(t, state.PID) })
		must(t, parent.Process.Kill())
		_ = parent.Wait()
		server := must1(embedded.New(embedded.Config{Dir: dir}, zerolog.Nop()))
		started := make(chan error, 1)
		go func() { started <- server.Start(context.Background()) }()
		select {
		case err := <-started:
			t.Fatalf("beside a stopped engine it started: %v", err)
		case <-time.After(100 * time.Millisecond): // long enough to find the data locked
		}
		must(t, syscall.Kill(state.PID, syscall.SIGCONT))
		must(t, <-started)
		must(t, server.Stop(context.Background()))
		must(t, lifeline.Close())
		must(t, member.Wait())
	}
}

// isStopped reports whether every thread of a process has stopped. A signal reaches the threads one
// after another, some time after it was sent.
func isStopped(t *testing.T, pid int) bool {
	t.Helper()
	threads := must1(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)))
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it ended meanwhile
		}
		must(t, err)
		_, afterName, _ := bytes.Cut(stat, []byte(") ")) // "12 (name) T …"
		if !bytes.HasPrefix(afterName, []byte("T")) {
			return false
		}
	}
	return len(threads) > 0
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
	clickhousetest.Server(t) // skips if the library is missing
	server := must1(embedded.New(embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30}, zerolog.Nop()))
	must(t, server.Start(t.Context()))
	conn := open(t, server.Options())
	over := make(chan error, 4)
	for range cap(over) { // one block that takes minutes
		go func() {
			over <- conn.Exec(context.Background(),
				"SELECT sum(editDistance(repeat('ab', 30000), concat(repeat('bc', 30000), toString(number)))) FROM "+
					"numbers(60) FORMAT Null")
		}()
	}
	watcher := open(t, server.Options())
	waittest.Until(t, "the queries run", func() bool {
		var n uint64
		return watcher.QueryRow(t.Context(),
			"SELECT count() FROM system.processes WHERE query LIKE '%editDistance%' AND query NOT LIKE '%processes%'").Scan(&n) == nil && n > 0
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

func TestManyQueriesThatDoNotEndEndWithTheEngine(t *testing.T) {
	clickhousetest.Server(t) // skips if the library is missing
	listener := must1(net.Listen("tcp", "127.0.0.1:0"))
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), HTTP: listener, QueryTimeout: time.Second})
	ask := func(ctx context.Context, statement string) error {
		request := must1(http.NewRequestWithContext(ctx, http.MethodPost, "http://"+listener.Addr().String(),
			strings.NewReader(statement)))
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			err = errors.Join(err, response.Body.Close())
		}
		return err
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for range 20 { // one block that takes minutes and that no time limit can end
		asking.Go(func() {
			_ = ask(ctx, "SELECT sum(editDistance(repeat('ab', 30000), concat(repeat('bc', 30000), "+
				"toString(number)))) FROM numbers(60)")
		})
	}
	waittest.Until(t, "the engine is started again", func() bool { return server.State().Restarts > 0 })
	leave()
	waittest.Until(t, "people are answered", func() bool { return ask(t.Context(), "SELECT 1") == nil })
}

func TestAMissingLibraryIsReportedWithItsRemedy(t *testing.T) {
	server := must1(embedded.New(embedded.Config{Dir: t.TempDir(), Library: filepath.Join(t.TempDir(), "libchdb.so")},
		zerolog.Nop()))
	err := server.Start(t.Context())
	if !errors.Is(err, embedded.ErrNoLibrary) || !strings.Contains(err.Error(), "make engine") {
		t.Errorf("%v", err)
	}
}

// An installed ClickHouse is started with "server -C FILE". If none is installed, a script
// replaces it, which runs the library with the same file.
func TestAnInstalledClickHouseIsStartedOverTheSameConfiguration(t *testing.T) {
	library, err := embedded.Locate("")
	if err != nil {
		clickhousetest.Server(t)
	}
	binary := filepath.Join(t.TempDir(), "clickhouse")
	// The replacement server ends with the script, and the script ends with its parent.
	script := "#!/bin/sh\n[ \"$1 $2\" = 'server -C' ] || exit 64\n" +
		"mkfifo \"$0.input\" && exec 3<>\"$0.input\" && exec env CUOTA_ENGINE_CONFIG=\"$3\" CUOTA_ENGINE_BINARY= " +
		"CUOTA_ENGINE_LIBRARY='" + library + "' '" + os.Args[0] + "' <&3\n"
	must(t, os.WriteFile(binary, []byte(script), 0o700))
	dir := t.TempDir()
	server := clickhousetest.Start(t, embedded.Config{Dir: dir, Binary: binary})
	conn := open(t, server.Options())
	var one uint8
	must(t, conn.QueryRow(t.Context(), "SELECT 1").Scan(&one))
	// It keeps its configuration, which only its owner may read.
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
		"no directory": {}, "little memory": {Dir: "x", MaxMemoryBytes: 1 << 20},
		"a bad name":            {Dir: "x", Database: "System"},
		"a reserved name":       {Dir: "x", Database: "system"},
		"a bad name for people": {Dir: "x", PeoplesDatabase: "default"},
		"one name for both":     {Dir: "x", Database: "market", PeoplesDatabase: "market"},
		"no time":               {Dir: "x", QueryTimeout: time.Millisecond},
	} {
		if _, err := embedded.New(config, zerolog.Nop()); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
