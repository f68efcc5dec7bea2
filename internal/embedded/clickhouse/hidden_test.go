package clickhouse_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/waittest"
)

// The function file() of the library needs no grant. What it may not read, the kernel keeps from
// the engine, or it is not there.
func TestPeopleReadNoConfigurationWithTheFunctionFile(t *testing.T) {
	dir := t.TempDir()
	server := clickhousetest.Start(t, embedded.Config{Dir: dir, HTTP: listen(t), Native: listen(t)})
	_, native := server.Doors()
	hidden := func() {
		t.Helper()
		person := open(t, &clickhousego.Options{Addr: []string{native}})
		for _, name := range []string{
			filepath.Join(dir, "users.xml"), filepath.Join(dir, "config.xml"), "../users.xml", "../config.xml",
			filepath.Join(dir, "data", "preprocessed_configs", "users.xml"),
			filepath.Join(dir, "data", "preprocessed_configs", "config.xml"),
			"/proc/self/maps", "/proc/self/environ", "/proc/self/mem", "/proc/self/cmdline", "/proc/self/fd/0",
			"/proc/self/smaps", "/proc/self/auxv",
			"/proc/1/environ", "/etc/passwd",
		} {
			var exception *clickhousego.Exception
			if err := person.Exec(t.Context(), "SELECT file('"+name+"')"); !errors.As(err, &exception) {
				t.Errorf("%s: %v, want an error of ClickHouse", name, err)
			}
		}
		for _, pattern := range []string{"*.xml", "data/*/*.xml"} {
			if found, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || len(found) > 0 {
				t.Errorf("the directory of the engine has %v (%v)", found, err)
			}
		}
	}
	hidden()
	before := server.State()
	must(t, syscall.Kill(before.PID, syscall.SIGKILL))
	waittest.Until(t, "the engine runs again", func() bool {
		return server.State().Running && server.State().PID != before.PID
	})
	must(t, open(t, server.Options()).Exec(t.Context(), "CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a"))
	hidden()
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		t.Error(err)
	}
}
