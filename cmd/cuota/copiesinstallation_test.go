//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl/plain"
)

// programOfCopies names the program that scripts/copies runs.
const programOfCopies = "PROGRAM"

// againAfterKill is how many seconds scripts/copies waits before it starts a process again that has ended.
const againAfterKill = 2

// copiesInstallation is an installation of several copies that scripts/copies runs: three Kafka brokers, PostgreSQL,
// nginx, and for each copy a ClickHouse server, a projector and a query server.
type copiesInstallation struct {
	dir     string
	port    int      // of the balancer; the others follow it
	copies  []string // names
	script  *exec.Cmd
	log     *transcript
	ended   chan struct{} // closed when the script has ended
	failure error         // how it ended
	secrets map[string]string
	probe   *http.Client
	// networks are between processes that can be cut off from each other.
	networks map[string][]*brokenNetwork
	// smallDisk is the directory of a ClickHouse server that has a small disk of its own; "" if that is not allowed.
	smallDisk string
}

// brokers is how many Kafka brokers there are.
const brokers = 3

// startCopies starts an installation that ingests the files of a directory, and returns when it serves.
func startCopies(t *testing.T, market string) *copiesInstallation {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, folder := range []string{filepath.Dir(dir), dir} { // the user of PostgreSQL must reach it
		if err := os.Chmod(folder, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	c := &copiesInstallation{dir: dir, port: freePorts(t, 2*behindPorts), copies: []string{"a", "b", "c"},
		log: &transcript{}, ended: make(chan struct{}), secrets: map[string]string{},
		probe: &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}}
	c.script = exec.CommandContext(context.Background(), "../../scripts/copies")
	c.script.Stdout, c.script.Stderr = c.log, c.log
	c.script.Env = slices.DeleteFunc(os.Environ(), func(set string) bool {
		return strings.HasPrefix(set, "CUOTA_") // settings of the test are not for the installation
	})
	c.script.Env = append(c.script.Env, programOfCopies+"="+self, asProgram+"=1", "DATA="+dir, "MARKET="+market,
		fmt.Sprintf("BEHIND=%d", behindPorts),
		fmt.Sprintf("COPIES=%d", len(c.copies)), fmt.Sprintf("PORT=%d", c.port),
		fmt.Sprintf("RESTART=%d", againAfterKill))
	c.script.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	c.makeDiskSmall(t)
	c.joinNetworks(t)
	started := make(chan error)
	go func() {
		defer close(c.ended)
		runtime.LockOSThread() // the kernel sends that signal when the thread ends that has started the script
		defer runtime.UnlockOSThread()
		err := c.script.Start()
		started <- err
		if err == nil {
			c.failure = c.script.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.tellLogs(t)
		}
		c.end()
	})
	c.awaitStart(t)
	c.readSecrets(t)
	return c
}

// freePorts returns the first of so many ports in a row that nobody uses. They are lower than those that the kernel
// gives to connections.
func freePorts(t *testing.T, number int) int {
	t.Helper()
	for range 100 {
		first := 20_000 + rand.IntN(10_000)
		free := true
		for port := first; free && port < first+number; port++ {
			listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if free = err == nil; free {
				_ = listener.Close()
			}
		}
		if free {
			return first
		}
	}
	t.Fatalf("no %d ports in a row are free", number)
	return 0
}

// awaitStart waits until the script says how to stop what it has started.
func (c *copiesInstallation) awaitStart(t *testing.T) {
	t.Helper()
	// Maven may have to fetch Apache Kafka first.
	often, late := time.NewTicker(50*time.Millisecond), time.After(3*patience)
	defer often.Stop()
	for !strings.Contains(c.log.String(), "Ctrl-C stops all of them") {
		select {
		case <-often.C:
		case <-c.ended:
			t.Fatalf("scripts/copies ended with %v:\n%s", c.failure, c.log)
		case <-late:
			t.Fatalf("the copies do not serve:\n%s", c.log)
		}
	}
}

// readSecrets reads the passwords that the script has made.
func (c *copiesInstallation) readSecrets(t *testing.T) {
	t.Helper()
	for _, file := range []string{"env", "kafka-password"} {
		text, err := os.ReadFile(filepath.Join(c.dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if name, value, set := strings.Cut(strings.TrimSpace(line), "="); set {
				c.secrets[name] = value
			} else {
				c.secrets[file] = name
			}
		}
	}
}

// end stops everything, also what is paused.
func (c *copiesInstallation) end() {
	for _, name := range c.processes() {
		c.signal(name, syscall.SIGCONT)
	}
	_ = c.script.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-c.ended:
	case <-time.After(patience):
		_ = c.script.Process.Kill() // then the kernel ends what it has started
		<-c.ended
	}
}

// processes returns the names of all processes that a fault may hit.
func (c *copiesInstallation) processes() (names []string) {
	for _, name := range c.copies {
		names = append(names, "project-"+name, "clickhouse-"+name, "query-"+name)
	}
	for n := range brokers {
		names = append(names, fmt.Sprintf("kafka-%d", n+1))
	}
	return names
}

// pid returns the process id of a process; 0 while it does not run.
func (c *copiesInstallation) pid(name string) int {
	text, err := os.ReadFile(filepath.Join(c.dir, "pids", name))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	// Another process may have the number by now. The script is the parent of ours.
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // the process may have ended
	_, after, _ := strings.Cut(string(stat), ") ")
	state := strings.Fields(after)
	if len(state) < 2 || state[0] == "Z" || state[1] != strconv.Itoa(c.script.Process.Pid) {
		return 0
	}
	return pid
}

// signal sends a signal to a process. It is false if the process does not run.
func (c *copiesInstallation) signal(name string, signal syscall.Signal) bool {
	pid := c.pid(name)
	return pid != 0 && syscall.Kill(pid, signal) == nil
}

// api is the address of the balancer.
func (c *copiesInstallation) api() string { return fmt.Sprintf("http://127.0.0.1:%d", c.port) }

// These are the ports of a copy, in the order in which scripts/copies numbers them.
const (
	queryPort = iota
	queryAdminPort
	projectAdminPort
	nativePort
	httpPort
	kafkaPort // of the first broker for this copy; the others follow
)

// at is an address of a copy.
func (c *copiesInstallation) at(name string, what int) string {
	return fmt.Sprintf("127.0.0.1:%d", c.port+20+10*slices.Index(c.copies, name)+what)
}

// copyAt is the copy whose query server has an address; "" if none has.
func (c *copiesInstallation) copyAt(address string) string {
	for _, name := range c.copies {
		if c.at(name, queryPort) == address {
			return name
		}
	}
	return ""
}

// broker is the address of a broker, from 1 on.
func (c *copiesInstallation) broker(number int) string {
	return fmt.Sprintf("127.0.0.1:%d", c.port+10+2*number)
}

// clickhouse is the address of the tables of a copy.
func (c *copiesInstallation) clickhouse(name, user, password string) string {
	return fmt.Sprintf("clickhouse://%s:%s@%s/cuota", user, c.secrets[password], c.at(name, nativePort))
}

// tables are the options with which a test reads the tables of a copy.
func (c *copiesInstallation) tables(t *testing.T, name string) *clickhouse.Options {
	t.Helper()
	options, err := clickhouse.ParseDSN(c.clickhouse(name, "admin", "CLICKHOUSE_PASSWORD"))
	if err != nil {
		t.Fatal(err)
	}
	return options
}

// env is the environment of commands that work on a copy.
func (c *copiesInstallation) env(name string) installation {
	var at []string
	for n := range brokers {
		at = append(at, c.broker(n+1))
	}
	return installation{
		"CUOTA_COPY=" + name, "CUOTA_KAFKA=" + strings.Join(at, ","), "CUOTA_KAFKA_SASL=plain",
		"CUOTA_KAFKA_USER=cuota", "CUOTA_KAFKA_PASSWORD=" + c.secrets["kafka-password"],
		"CUOTA_CLICKHOUSE=" + c.clickhouse(name, "project", "CLICKHOUSE_PROJECT_PASSWORD"),
		"CUOTA_ARCHIVE=" + filepath.Join(c.dir, "archive"),
		fmt.Sprintf("CUOTA_ACCOUNTS=postgres://accounts:%s@127.0.0.1:%d/cuota?sslmode=disable",
			c.secrets["ACCOUNTS_PASSWORD"], c.port+1),
		"CUOTA_PEPPER=" + filepath.Join(c.dir, "accounts", "pepper"),
	}
}

// ready reports whether the processes of a copy run, and its query server and its projector say that they work. A query
// server without ClickHouse says "degraded" with status 200, and a projector does not say anything at once.
func (c *copiesInstallation) ready(name string) bool {
	for _, role := range []string{"project-", "clickhouse-", "query-"} {
		if c.pid(role+name) == 0 {
			return false
		}
	}
	for _, what := range []int{queryPort, projectAdminPort} {
		response, err := c.probe.Get("http://" + c.at(name, what) + "/readyz")
		if err != nil {
			return false
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK ||
			what == queryPort && !strings.HasPrefix(string(body), `{"status":"ok"`) {
			return false
		}
	}
	return true
}

// inspections returns how often the projector of a copy has inspected its tables and noted what is damaged.
func (c *copiesInstallation) inspections(name string) int {
	return strings.Count(c.logs()["project-"+name], "inspected the tables")
}

// inSync reports whether every broker says that all brokers have every message.
func (c *copiesInstallation) inSync(ctx context.Context) bool {
	within, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	dialer := &kafka.Dialer{
		SASLMechanism: plain.Mechanism{Username: "cuota", Password: c.secrets["kafka-password"]},
		DialFunc: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err == nil {
				context.AfterFunc(within, func() { _ = conn.Close() }) // a broker that starts may not answer
			}
			return conn, err
		},
	}
	for n := range brokers {
		conn, err := dialer.DialContext(within, "tcp", c.broker(n+1))
		if err != nil {
			return false
		}
		partitions, err := conn.ReadPartitions()
		if err != nil || len(partitions) == 0 ||
			slices.ContainsFunc(partitions, func(p kafka.Partition) bool { return len(p.Isr) < brokers }) {
			return false
		}
	}
	return true
}

// whole reports whether everything works.
func (c *copiesInstallation) whole(ctx context.Context) bool {
	return !slices.ContainsFunc(c.copies, func(name string) bool { return !c.ready(name) }) && c.inSync(ctx)
}

// logs returns what each process has written.
func (c *copiesInstallation) logs() map[string]string {
	found := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(c.dir, "logs", "*.log")) // the pattern is right
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil {
			found[strings.TrimSuffix(filepath.Base(path), ".log")] = string(text)
		}
	}
	return found
}

// tellLogs logs the ends of all logs, and keeps the logs.
func (c *copiesInstallation) tellLogs(t *testing.T) {
	kept, err := os.MkdirTemp("", "copies-logs-")
	if err == nil {
		err = os.CopyFS(kept, os.DirFS(filepath.Join(c.dir, "logs")))
	}
	t.Logf("the logs are kept in %s (%v)", kept, err)
	for name, log := range c.logs() {
		t.Logf("%s:\n%s", name, tail(log))
	}
	t.Logf("scripts/copies:\n%s", tail(c.log.String()))
}
