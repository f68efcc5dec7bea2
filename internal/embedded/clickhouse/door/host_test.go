package door

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
	"unsafe"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ebitengine/purego"
)

// hostVariable makes a process of this test binary the engine. Its value is the
// configuration file.
const hostVariable = "CUOTA_DOOR_TEST_ENGINE"

// patience bounds whatever a test waits for.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	if config := os.Getenv(hostVariable); config != "" {
		host(config)
		return
	}
	code := m.Run()
	shared.stop()
	os.Exit(code)
}

// host runs ClickHouse's own listeners until the standard input ends.
func host(config string) {
	runtime.LockOSThread()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	library, err := purego.Dlopen(os.Getenv("CHDB_LIB_PATH"), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var run func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	purego.RegisterLibFunc(&run, library, "chdb_query_cmdline")
	var failure func(unsafe.Pointer) string
	purego.RegisterLibFunc(&failure, library, "chdb_result_error")

	var pin runtime.Pinner
	defer pin.Unpin()
	var argv []*byte
	for _, argument := range []string{"clickhouse", "--config-file", config, "--query",
		"SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP; " +
			"SELECT sleep(3) FROM system.numbers SETTINGS max_block_size = 1 FORMAT Null"} {
		text := append([]byte(argument), 0)
		pin.Pin(&text[0])
		argv = append(argv, &text[0])
	}
	argc := int32(len(argv))
	argv = append(argv, nil)
	pin.Pin(&argv[0])
	result := run(argc, unsafe.Pointer(&argv[0]))
	fmt.Fprintln(os.Stderr, "the engine ended:", failure(result))
	os.Exit(1)
}

// server is an engine process and how to reach it.
type server struct {
	dir, http, native string // the addresses survive a restart
	password          string

	mu      sync.Mutex
	process *exec.Cmd
	stdin   io.Closer
	output  *bytes.Buffer
}

var shared = &server{}

// engine answers the engine of this test binary, with a database market that
// people may read and a database secret that they may not.
func engine(t testing.TB) *server {
	t.Helper()
	if _, err := os.Stat(os.Getenv("CHDB_LIB_PATH")); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CHDB_LIB_PATH does not name the engine's library: ", err)
		}
		t.Skip("CHDB_LIB_PATH does not name the engine's library: ", err)
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.dir == "" {
		must(t, shared.prepare())
		must(t, shared.start())
		owner := shared.owner(t)
		for _, statement := range []string{
			"CREATE DATABASE market ENGINE = Atomic", "CREATE DATABASE secret ENGINE = Atomic",
			"CREATE TABLE market.quote (day Date, value Float64) ORDER BY day AS SELECT toDate('2025-01-01') + number, number FROM numbers(100)",
			"CREATE TABLE secret.account (mail String) ORDER BY mail AS SELECT 'owner@example.org'",
		} {
			if err := owner.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	return shared
}

func (s *server) prepare() (err error) {
	if s.dir, err = os.MkdirTemp("", "cuota-door-"); err != nil {
		return err
	}
	ports := make([]string, 2)
	for i := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer func() { _ = listener.Close() }()
		ports[i] = listener.Addr().String()
	}
	s.http, s.native, s.password = ports[0], ports[1], rand.Text()
	_, httpPort, _ := net.SplitHostPort(s.http)
	_, nativePort, _ := net.SplitHostPort(s.native)
	config := fmt.Sprintf(`<clickhouse>
  <logger><level>none</level></logger>
  <path>%s</path>
  <listen_host>127.0.0.1</listen_host>
  <tcp_port>%s</tcp_port>
  <http_port>%s</http_port>
  <users_config>%s</users_config>
  <max_server_memory_usage>2000000000</max_server_memory_usage>
</clickhouse>`, filepath.Join(s.dir, "data"), nativePort, httpPort, filepath.Join(s.dir, "users.xml"))
	users := fmt.Sprintf(`<clickhouse>
  <profiles>
    <default/>
    <people>
      <readonly>1</readonly><max_memory_usage>500000000</max_memory_usage><max_execution_time>60</max_execution_time>
      <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
      <constraints>%s</constraints>
    </people>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default><no_password/><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota><grants><query>GRANT SYSTEM LISTEN ON *.*</query><query>GRANT SELECT ON system.numbers</query></grants></default>
    <owner><password_sha256_hex>%x</password_sha256_hex><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota><access_management>1</access_management></owner>
    <people><no_password/><networks><ip>127.0.0.1</ip></networks><profile>people</profile><quota>default</quota>
      <grants><query>GRANT SELECT ON market.*</query></grants></people>
  </users>
</clickhouse>`, changeable(), sha256.Sum256([]byte(s.password)))
	return errors.Join(os.WriteFile(filepath.Join(s.dir, "config.xml"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(s.dir, "users.xml"), []byte(users), 0o600))
}

// changeable are settings that the drivers of people send by default.
func changeable() string {
	var text bytes.Buffer
	for _, name := range []string{"max_block_size", "session_timezone", "send_progress_in_http_headers",
		"http_headers_progress_interval_ms", "enable_http_compression", "max_result_rows",
		"date_time_input_format", "date_time_output_format", "http_zlib_compression_level",
		"use_client_time_zone", "max_execution_time"} {
		fmt.Fprintf(&text, "<%s><changeable_in_readonly/></%s>", name, name)
	}
	return text.String()
}

// start starts the process and waits until it answers.
func (s *server) start() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s.output = new(bytes.Buffer)
	s.process = exec.Command(program)
	s.process.Env = append(os.Environ(), hostVariable+"="+filepath.Join(s.dir, "config.xml"), "TZ=UTC")
	s.process.Stdout, s.process.Stderr = s.output, s.output
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	// The HTTP port is the last to listen. The native one must not be tried: a
	// connection that says nothing ends the engine.
	if err := waitUntil(func() bool {
		answer, err := http.Get("http://" + s.http + "/ping")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}); err != nil {
		return fmt.Errorf("the engine does not answer: %w: %s", err, s.output)
	}
	return nil
}

// kill ends the process at once.
func (s *server) kill() {
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
}

func (s *server) stop() {
	if s.process != nil {
		_ = s.stdin.Close()
		_ = s.process.Wait()
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// owner opens a connection past the doors.
func (s *server) owner(t testing.TB) driver.Conn {
	return open(t, &driver.Options{Addr: []string{s.native}, Auth: driver.Auth{Username: "owner", Password: s.password}})
}

func open(t testing.TB, options *driver.Options) driver.Conn {
	t.Helper()
	conn, err := driver.Open(options)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// waitUntil asks until the answer is yes, giving others the processor between.
func waitUntil(yes func() bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !yes() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		runtime.Gosched()
	}
	return nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var _ = strconv.Itoa
