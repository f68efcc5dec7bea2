package clickhouse_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	embedded "cuota/internal/embedded/clickhouse"
)

// children are what processes started by these tests do: a process has one
// engine, so what needs an engine of its own needs a process of its own.
var children = map[string]func(arguments []string) error{
	"serve":       serveChild,
	"two servers": twoServersChild,
	"restart":     restartChild,
	"timeout":     timeoutChild,
	"stop":        stopChild,
}

// child starts a process that runs the function called name, and answers the
// lines it writes. What it writes to standard error belongs to the test's log.
func child(t *testing.T, name string, environment []string, arguments ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	if _, err := embedded.Locate(""); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	command := exec.CommandContext(within(t), os.Args[0], arguments...)
	command.Env = append(append(os.Environ(), childVariable+"="+name), environment...)
	command.Stderr = testLog{t}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, bufio.NewReader(output)
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Logf("child: %s", p)
	return len(p), nil
}

// runChild runs a child to its end, which must be a good one.
func runChild(t *testing.T, name string, arguments ...string) {
	t.Helper()
	command, output := child(t, name, nil, arguments...)
	_, _ = io.Copy(io.Discard, output)
	if err := command.Wait(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

func startServer(dir string, change func(*embedded.Config)) (*embedded.Server, error) {
	config := embedded.Config{Dir: dir, Listen: "127.0.0.1:0", MaxMemoryBytes: 1 << 30}
	if change != nil {
		change(&config)
	}
	server, err := embedded.New(config, zerolog.Nop())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return server, server.Start(ctx)
}

func stopServer(server *embedded.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return server.Stop(ctx)
}

// access is what a child tells of the server it runs.
type access struct{ Addr, Password, Zone string }

// serveChild serves dir until SIGTERM and then stops in good order. It tells
// each signal that it gets.
func serveChild(arguments []string) error {
	// Before the engine boots: it must not take these over.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	server, err := startServer(arguments[0], nil)
	if err != nil {
		return err
	}
	if !recovers() {
		return errors.New("a nil pointer is no Go panic any more")
	}
	if err := json.NewEncoder(os.Stdout).Encode(access{server.Addr(), server.Options().Auth.Password, time.Local.String()}); err != nil {
		return err
	}
	for s := range signals {
		fmt.Println(s)
		if s == syscall.SIGTERM {
			break
		}
	}
	return stopServer(server)
}

// recovers tells whether the Go runtime still turns SIGSEGV into a panic.
func recovers() (did bool) {
	defer func() { did = recover() != nil }()
	var nothing *access
	return nothing.Addr == "" && false
}

func (a access) options() *driver.Options {
	return &driver.Options{Protocol: driver.HTTP, Addr: []string{a.Addr}, Auth: driver.Auth{Database: "cuota", Username: "owner", Password: a.Password}}
}

func serve(t *testing.T, dir string, environment ...string) (*exec.Cmd, *bufio.Reader, access) {
	t.Helper()
	command, output := child(t, "serve", environment, dir)
	line, err := output.ReadBytes('\n')
	if err != nil {
		_ = command.Wait()
		t.Fatalf("the child told no address: %v", err)
	}
	var a access
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatal(err)
	}
	return command, output, a
}

func TestSignalsReachTheProgramAndItEndsInGoodOrder(t *testing.T) {
	command, output, a := serve(t, t.TempDir())
	conn := openWith(t, a.options())
	execute(t, conn, "SELECT 1")
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		if err := command.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		if line, err := output.ReadString('\n'); line != s.String()+"\n" {
			t.Errorf("the program did not see %s: %q %v", s, line, err)
		}
	}
	if err := command.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestTimeZoneIsUTCWhateverTheHosts(t *testing.T) {
	command, _, a := serve(t, t.TempDir(), "TZ=America/Santiago")
	conn := openWith(t, a.options())
	if zone := scalar[string](t, conn, "SELECT timezone() || serverTimezone()"); zone != "UTCUTC" {
		t.Errorf("time zone %s", zone)
	}
	if text := scalar[string](t, conn, "SELECT toString(toDateTime(1725768000))"); text != "2024-09-08 04:00:00" {
		t.Errorf("formatted as %s", text)
	}
	if a.Zone != "America/Santiago" {
		t.Errorf("Go's local zone became %s", a.Zone)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

func TestDataDirectoryIsHeldByOneProcessAndItsHolderNamed(t *testing.T) {
	dir := t.TempDir()
	command, _, _ := serve(t, dir)
	server, err := startServer(dir, nil)
	if err == nil {
		_ = stopServer(server)
		t.Fatal("two processes hold one directory")
	}
	if want := fmt.Sprintf("in use by process %d", command.Process.Pid); !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q in it", err, want)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()
	// A dead holder holds nothing.
	command, _, _ = serve(t, dir)
	_ = command.Process.Signal(syscall.SIGTERM)
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}

func TestKilledProcessLosesNothingThatWasAcknowledged(t *testing.T) {
	const rounds, writers, size = 4, 4, 100
	dir := t.TempDir()
	var next atomic.Int64
	var mu sync.Mutex
	acknowledged := map[uint64]bool{}
	for round := range rounds + 1 {
		command, _, a := serve(t, dir)
		conn := openWith(t, a.options())
		execute(t, conn, "CREATE TABLE IF NOT EXISTS t (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
		stored := map[uint64]bool{}
		var list []uint64
		rows, err := conn.Query(within(t), "SELECT a FROM t")
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var n uint64
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			list = append(list, n)
			stored[n] = true
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		for n := range acknowledged {
			if !stored[n] {
				t.Fatalf("round %d: the acknowledged row %d is gone", round, n)
			}
		}
		if len(list) != len(stored) {
			t.Errorf("round %d: %d rows, %d different", round, len(list), len(stored))
		}
		if round == rounds {
			if len(acknowledged) < rounds*size {
				t.Errorf("only %d rows were acknowledged", len(acknowledged))
			}
			_ = command.Process.Signal(syscall.SIGTERM)
			if err := command.Wait(); err != nil {
				t.Error(err)
			}
			return
		}
		var group sync.WaitGroup
		enough := make(chan struct{})
		var batches atomic.Int64
		for range writers {
			group.Go(func() {
				for {
					first := int(next.Add(size)) - size
					if tryFill(within(t), conn, "t", first, size) != nil {
						return
					}
					mu.Lock()
					for n := range size {
						acknowledged[uint64(first+n)] = true
					}
					mu.Unlock()
					if batches.Add(1) == 20 {
						close(enough)
					}
				}
			})
		}
		<-enough // so the kill falls between an acknowledgement and the next
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		_ = command.Wait()
	}
}

// twoServersChild proves that one process refuses a second engine, and takes
// another directory after the first has stopped.
func TestOneEngineAtATimeAndAnotherDirectoryAfterIt(t *testing.T) {
	runChild(t, "two servers", t.TempDir())
}

func twoServersChild(arguments []string) error {
	a, b := filepath.Join(arguments[0], "a"), filepath.Join(arguments[0], "b")
	first, err := startServer(a, nil)
	if err != nil {
		return err
	}
	if _, err := startServer(b, nil); err == nil || !strings.Contains(err.Error(), "already runs an engine") {
		return fmt.Errorf("a second engine in one process: %v", err)
	}
	if _, err := startServer(a, nil); err == nil || !strings.Contains(err.Error(), "in use by this process") {
		return fmt.Errorf("the same directory twice in one process: %v", err)
	}
	if err := put(first, "a"); err != nil {
		return err
	}
	if err := stopServer(first); err != nil {
		return err
	}
	second, err := startServer(b, nil)
	if err != nil {
		return err
	}
	if n, err := found(second); err == nil {
		return fmt.Errorf("another directory shows %q of the first", n)
	}
	if err := stopServer(second); err != nil {
		return err
	}
	again, err := startServer(a, nil)
	if err != nil {
		return err
	}
	if s, err := found(again); s != "a" || err != nil {
		return fmt.Errorf("the first directory shows %q, %v", s, err)
	}
	return stopServer(again)
}

// restartChild starts and stops one server many times: Stop leaves nothing
// that keeps Start from working.
func TestServerStartsAgainAfterStop(t *testing.T) { runChild(t, "restart", t.TempDir()) }

func restartChild(arguments []string) error {
	server, err := startServer(arguments[0], nil)
	if err != nil {
		return err
	}
	if err := put(server, "kept"); err != nil {
		return err
	}
	for range 5 {
		if err := stopServer(server); err != nil {
			return err
		}
		if err := stopServer(server); err != nil {
			return fmt.Errorf("stop twice: %w", err)
		}
		if err := server.Start(context.Background()); err != nil {
			return err
		}
		if s, err := found(server); s != "kept" || err != nil {
			return fmt.Errorf("after a restart: %q, %v", s, err)
		}
	}
	return stopServer(server)
}

func put(server *embedded.Server, text string) error {
	return with(server, func(conn driver.Conn) error {
		if err := conn.Exec(context.Background(), "CREATE TABLE kept (s String) ENGINE = MergeTree ORDER BY s"); err != nil {
			return err
		}
		return conn.Exec(context.Background(), "INSERT INTO kept SELECT ?", text)
	})
}

func found(server *embedded.Server) (s string, err error) {
	return s, with(server, func(conn driver.Conn) error {
		return conn.QueryRow(context.Background(), "SELECT s FROM kept").Scan(&s)
	})
}

func with(server *embedded.Server, do func(driver.Conn) error) error {
	conn, err := driver.Open(server.Options())
	if err != nil {
		return err
	}
	return errors.Join(do(conn), conn.Close())
}

// timeoutChild proves that people's time is bounded, waiting and all, and the
// owner's is not.
func TestPeoplesTimeIsBounded(t *testing.T) { runChild(t, "timeout", t.TempDir()) }

func timeoutChild(arguments []string) error {
	server, err := startServer(arguments[0], func(c *embedded.Config) { c.QueryTimeout = time.Second })
	if err != nil {
		return err
	}
	for _, query := range []string{
		"SELECT sum(sipHash64(number)) FROM numbers(1000000000000)",
		"SELECT number FROM numbers(1000000000000) WHERE sipHash64(number) = 1",
		"SELECT number FROM numbers(1000000000000) WHERE sipHash64(number) = 1 FORMAT JSON",
	} {
		answer, err := http.Post("http://"+server.Addr(), "text/plain", strings.NewReader(query))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return err
		}
		if !strings.Contains(string(text), "Code: 159.") {
			return fmt.Errorf("%s: %d %s", query, answer.StatusCode, text)
		}
	}
	// One who doesn't read gives the place back too: both places are taken by
	// such, and a third query is answered.
	for range 2 {
		socket, err := net.Dial("tcp", server.Addr())
		if err != nil {
			return err
		}
		defer func() { _ = socket.Close() }()
		if _, err := io.WriteString(socket, "GET /?query=SELECT+number+FROM+numbers(20000000) HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			return err
		}
		if _, err := socket.Read(make([]byte, 1)); err != nil {
			return err
		}
	}
	for deadline := time.Now().Add(patience); ; {
		answer, err := http.Get("http://" + server.Addr() + "/?query=SELECT+1")
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("people's places stay taken: %s", answer.Status)
		}
	}
	err = with(server, func(conn driver.Conn) error {
		return conn.Exec(context.Background(), "SELECT sleep(1.5)")
	})
	return errors.Join(err, stopServer(server))
}

// stopChild proves that Stop lets a request end, and cancels it when its own
// context ends.
func TestStopLetsRequestsEndAndCancelsThoseThatDoNot(t *testing.T) { runChild(t, "stop", t.TempDir()) }

func stopChild(arguments []string) error {
	server, err := startServer(arguments[0], nil)
	if err != nil {
		return err
	}
	conn, err := driver.Open(server.Options())
	if err != nil {
		return err
	}
	run := func(statement string) chan error {
		failed := make(chan error, 1)
		go func() { failed <- conn.Exec(context.Background(), statement) }()
		for n := uint64(0); n == 0; {
			if err := conn.QueryRow(context.Background(), "SELECT count() FROM system.processes WHERE query LIKE '%sleep%' AND query NOT LIKE '%processes%'").Scan(&n); err != nil {
				failed <- err
				break
			}
		}
		return failed
	}
	ending := run("SELECT sleep(3)") // long enough to be seen while it runs
	if err := stopServer(server); err != nil {
		return fmt.Errorf("stop with a request that ends: %w", err)
	}
	if err := <-ending; err != nil {
		return fmt.Errorf("the request that could end: %w", err)
	}
	if err := server.Start(context.Background()); err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		return err
	}
	if conn, err = driver.Open(server.Options()); err != nil {
		return err
	}
	endless := run("SELECT 'sleep', sum(sipHash64(number)) FROM numbers(1000000000000)")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := server.Stop(ctx); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("stop with an endless request: %v", err)
	}
	if err := <-endless; err == nil {
		return errors.New("the endless request ended well")
	}
	if server.Addr() != "" {
		return errors.New("a stopped server has an address")
	}
	return conn.Close()
}
