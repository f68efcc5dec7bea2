package door

import (
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
	"sync"
	"testing"
	"unsafe"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ebitengine/purego"

	"cuota/internal/testkit/waittest"
)

// hostVariable turns a process of this test binary into the engine. Its value is the path of
// the configuration file.
const hostVariable = "CUOTA_DOOR_TEST_ENGINE"

func TestMain(m *testing.M) {
	if config := os.Getenv(hostVariable); config != "" {
		host(config)
		return
	}
	code := m.Run()
	if shared.server != nil {
		shared.stop()
	}
	os.Exit(code)
}

// host runs ClickHouse's own listeners until standard input ends.
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
	dir, http, native string // the addresses stay the same after a restart
	password          string

	process *exec.Cmd
	stdin   io.Closer
	exited  chan struct{}
}

var shared struct {
	sync.Mutex
	*server
}

// engine returns the engine of this test binary, and starts it if necessary. It has a database
// market that people may read, and a database secret that they may not read.
func engine(t testing.TB) *server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		shared.server = newEngine(t)
	}
	return shared.server
}

// newEngine starts an engine.
func newEngine(t testing.TB) *server {
	t.Helper()
	if _, err := os.Stat(os.Getenv("CHDB_LIB_PATH")); err != nil {
		skipOutsideCI(t, "CHDB_LIB_PATH does not name the engine's library")
	}
	s := &server{password: rand.Text()}
	must(t, s.configure())
	s.start(t)
	owner := s.owner(t)
	for _, statement := range []string{
		"CREATE DATABASE market ENGINE = Atomic",
		"CREATE TABLE market.quote (day Date, value Float64) ORDER BY day AS SELECT toDate('2025-01-01') + number, " +
			"number FROM numbers(100)",
		"CREATE DATABASE secret ENGINE = Atomic",
		"CREATE TABLE secret.account (mail String) ORDER BY mail AS SELECT 'owner@example.org'",
	} {
		must(t, owner.Exec(t.Context(), statement))
	}
	return s
}

// configure creates the directory and the configuration of an engine.
func (s *server) configure() (err error) {
	if s.dir, err = os.MkdirTemp("", "cuota-door-"); err != nil {
		return err
	}
	var ports [2]string
	for i, address := range []*string{&s.http, &s.native} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer func() { _ = listener.Close() }()
		*address = listener.Addr().String()
		_, ports[i], _ = net.SplitHostPort(*address)
	}
	config := fmt.Sprintf(`<clickhouse>
  <logger><level>none</level></logger>
  <path>%s</path>
  <listen_host>127.0.0.1</listen_host>
  <http_port>%s</http_port>
  <tcp_port>%s</tcp_port>
  <users_config>%s</users_config>
  <max_server_memory_usage>2000000000</max_server_memory_usage>
</clickhouse>`, filepath.Join(s.dir, "data"), ports[0], ports[1], filepath.Join(s.dir, "users.xml"))
	users := fmt.Sprintf(`<clickhouse>
  <profiles>
    <default/>
    <people>
      <readonly>1</readonly>
      <max_memory_usage>500000000</max_memory_usage>
      <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
      <constraints>%s</constraints>
    </people>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <no_password/><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query><query>GRANT SELECT ON system.numbers</query></grants>
    </default>
    <owner>
      <password_sha256_hex>%x</password_sha256_hex><networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile><quota>default</quota><access_management>1</access_management>
    </owner>
    <people>
      <no_password/><networks><ip>127.0.0.1</ip></networks><profile>people</profile><quota>default</quota>
      <default_database>market</default_database>
      <grants><query>GRANT SELECT ON market.*</query></grants>
    </people>
  </users>
</clickhouse>`, changeable, sha256.Sum256([]byte(s.password)))
	return errors.Join(os.WriteFile(filepath.Join(s.dir, "config.xml"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(s.dir, "users.xml"), []byte(users), 0o600))
}

// changeable are the settings that drivers send by themselves, and those that the tests send.
// No statement may wait for longer than ten minutes.
const changeable = `
        <max_execution_time><changeable_in_readonly/><min>1</min><max>600</max></max_execution_time>
        <network_compression_method><changeable_in_readonly/></network_compression_method>
        <send_progress_in_http_headers><changeable_in_readonly/></send_progress_in_http_headers>
        <http_headers_progress_interval_ms><changeable_in_readonly/></http_headers_progress_interval_ms>
      `

// start starts the process and waits until it answers.
func (s *server) start(t testing.TB) {
	t.Helper()
	program, err := os.Executable()
	must(t, err)
	s.process = exec.Command(program)
	s.process.Env = append(os.Environ(), hostVariable+"="+filepath.Join(s.dir, "config.xml"), "TZ=UTC")
	s.process.Stderr = os.Stderr
	s.stdin, err = s.process.StdinPipe()
	must(t, err)
	must(t, s.process.Start())
	process, exited := s.process, make(chan struct{})
	s.exited = exited
	go func() {
		_ = process.Wait()
		close(exited)
	}()
	waittest.Until(t, "the engine answers", s.answers)
}

// answers pings the HTTP port, which is the last one to listen. It must not use the native
// port: a connection that ends within a handshake ends the engine.
func (s *server) answers() bool {
	answer, err := http.Get("http://" + s.http + "/ping")
	return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
}

// kill ends the process with SIGKILL.
func (s *server) kill() {
	_ = s.process.Process.Kill()
	<-s.exited
}

// stop ends the process by closing its standard input, and removes its directory.
func (s *server) stop() {
	_ = s.stdin.Close()
	<-s.exited
	_ = os.RemoveAll(s.dir)
}

// owner opens a connection that bypasses the doors.
func (s *server) owner(t testing.TB) driver.Conn {
	return open(t, &driver.Options{Addr: []string{s.native}, DialContext: Dial,
		Auth: driver.Auth{Username: "owner", Password: s.password}})
}

func open(t testing.TB, options *driver.Options) driver.Conn {
	t.Helper()
	conn, err := driver.Open(options)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func skipOutsideCI(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
