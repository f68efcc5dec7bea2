package clickhouse_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/longtest"
)

func TestMain(m *testing.M) {
	embedded.Host()
	if dir := os.Getenv(parentVariable); dir != "" {
		beParent(dir)
	}
	os.Exit(clickhousetest.Main(m))
}

// peoplesEngine starts an engine with a view of ten rows that people may read, its table in the
// product's database, and a table in another database. They may read neither of these.
func peoplesEngine(t *testing.T, moreUsers string) (owner driver.Conn, doors map[string]driver.Conn) {
	t.Helper()
	dir := t.TempDir()
	if moreUsers != "" {
		must(t, os.Mkdir(filepath.Join(dir, "users.d"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "users.d", "more.xml"), []byte(moreUsers), 0o600))
	}
	server := clickhousetest.Start(t, embedded.Config{Dir: dir, HTTP: listen(t), Native: listen(t)})
	owner = open(t, server.Options())
	for _, statement := range []string{
		"CREATE TABLE t (a UInt32, s String) ENGINE = MergeTree ORDER BY a",
		"INSERT INTO t SELECT number, toString(number) FROM numbers(10)",
		"CREATE VIEW asked AS SELECT a FROM t WHERE a > {least:UInt32}",
		"CREATE VIEW funds.t (a UInt32, s String) SQL SECURITY DEFINER AS SELECT a, s FROM t",
		"CREATE DATABASE other", "CREATE TABLE other.secret (s String) ENGINE = MergeTree ORDER BY s",
	} {
		must(t, owner.Exec(t.Context(), statement))
	}
	overHTTP, native := server.Doors()
	return owner, map[string]driver.Conn{
		"native": open(t, &clickhousego.Options{Addr: []string{native}, Auth: clickhousego.Auth{Database: "funds"}}),
		"http": open(t, &clickhousego.Options{Addr: []string{overHTTP}, Protocol: clickhousego.HTTP,
			Auth: clickhousego.Auth{Database: "funds"}}),
	}
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func asPerson(options *clickhousego.Options) *clickhousego.Options {
	options.Auth = clickhousego.Auth{Username: "people"}
	options.Settings = nil
	return options
}

func open(t testing.TB, options *clickhousego.Options) driver.Conn {
	t.Helper()
	conn, err := clickhousego.Open(options)
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

// askPatience is the timeout of a statement that may never end.
const askPatience = 3 * time.Second

// ask runs a statement to its end and returns its first column as text.
func ask(t testing.TB, conn driver.Conn, statement string) ([]string, error) {
	t.Helper()
	limited, cancel := context.WithTimeout(t.Context(), askPatience)
	defer cancel()
	ctx := clickhousego.Context(limited, clickhousego.WithParameters(clickhousego.Parameters{
		"f": "file", "d": "system", "t": "processes", "p": "system.processes"}))
	rows, err := conn.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []string
	for rows.Next() {
		list = append(list, "")
	}
	return list, rows.Err()
}

// files replaces FILE and OUT in a statement by file names. OUT must never be created.
func files(t *testing.T) (name func(statement string) string, out string) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "of-the-machine.csv"), filepath.Join(dir, "written")
	must(t, os.WriteFile(file, []byte("a line\n"), 0o644))
	return strings.NewReplacer("OUTFILE", "OUTFILE", "INFILE", "INFILE", "FILE(path", "FILE(path", "FILE", file,
		"'OUT'", "'"+out+"'").Replace, out
}

func TestPeopleCannotLeaveTheirDatabaseNorChangeAnything(t *testing.T) {
	owner, doors := peoplesEngine(t, "")
	name, out := files(t)
	for door, person := range doors {
		for _, a := range attempts {
			_, err := ask(t, person, name(a.sql))
			var exception *clickhousego.Exception
			if !errors.As(err, &exception) || exception.Code != a.code {
				t.Errorf("%s, %s: %v, want code %d", door, a.sql, err, a.code)
			}
		}
		for _, statement := range harmless {
			if _, err := ask(t, person, name(statement)); err != nil && door == "native" {
				t.Errorf("%s, %s: %v", door, statement, err)
			}
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Errorf("a file was written (%v)", err)
	}
	var rows, sum, tables uint64
	must(t, owner.QueryRow(t.Context(), "SELECT count(), sum(a) FROM t").Scan(&rows, &sum))
	must(t, owner.QueryRow(t.Context(),
		"SELECT count() FROM system.tables WHERE database IN ('cuota', 'funds', 'other')").Scan(&tables))
	if rows != 10 || sum != 45 || tables != 4 {
		t.Errorf("after all the table has %d rows with the sum %d, and there are %d tables", rows, sum, tables)
	}
}

// The attempts must be real: with the owner's rights and without readonly, most attempts that
// are refused for lack of rights succeed.
func TestWithoutGrantsAndLimitsTheAttemptsWouldSucceed(t *testing.T) {
	longtest.InTurns(t)
	_, doors := peoplesEngine(t, `<clickhouse>
		<profiles><people replace="1"></people></profiles>
		<users><people><grants replace="1"><query>GRANT ALL ON *.*</query></grants></people></users>
	</clickhouse>`)
	name, _ := files(t)
	refused, answered := 0, 0
	for _, a := range attempts {
		if !slices.Contains([]int32{497, 164, 452}, a.code) || strings.HasPrefix(a.sql, "KILL") ||
			strings.HasPrefix(a.sql, "SYSTEM SHUTDOWN") || strings.HasPrefix(a.sql, "DROP DATABASE") {
			continue // refused for another reason, or it would end the test
		}
		refused++
		_, err := ask(t, doors["native"], name(a.sql))
		var exception *clickhousego.Exception
		if !errors.As(err, &exception) || !slices.Contains([]int32{497, 164, 452}, exception.Code) {
			answered++
		}
	}
	if refused < 60 || answered < refused*9/10 {
		t.Errorf("%d of %d attempts are not refused for want of rights any more", answered, refused)
	}
}

func TestPeopleReadTheirDatabaseAndWhatDescribesIt(t *testing.T) {
	_, doors := peoplesEngine(t, "")
	for statement, rows := range map[string]int{
		"SELECT a FROM t": 10, "SELECT a FROM funds.t WHERE a IN (SELECT number FROM numbers(3))": 3, "SHOW TABLES": 1,
		"DESCRIBE t": 2, "EXISTS TABLE t": 1,
		"SELECT table_name FROM information_schema.tables WHERE table_name = 't'": 1,
		"SELECT name FROM system.tables WHERE name = 't'":                         1,
		"SELECT name FROM system.columns WHERE table = 't'":                       2,
		"SELECT name FROM system.settings WHERE name = 'readonly'":                1,
		"SELECT 1 FROM system.tables WHERE name = 'secret'":                       0,
		"SELECT 1 FROM system.parts WHERE table = 'secret'":                       0,
		"SELECT s FROM t SETTINGS max_execution_time = 5":                         10, "SHOW CREATE TABLE t": 1,
		// Of the product's own database they see nothing.
		"SHOW TABLES FROM cuota": 0, "SHOW DATABASES": 4, // funds, system, and two of information_schema
		"SELECT 1 FROM system.tables WHERE database = 'cuota'":                  0,
		"SELECT 1 FROM system.columns WHERE database = 'cuota'":                 0,
		"SELECT 1 FROM system.databases WHERE name = 'cuota'":                   0,
		"SELECT 1 FROM system.parts WHERE database = 'cuota'":                   0,
		"SELECT 1 FROM information_schema.tables WHERE table_schema = 'cuota'":  0,
		"SELECT 1 FROM information_schema.columns WHERE table_schema = 'cuota'": 0,
	} {
		for door, person := range doors {
			if got, err := ask(t, person, statement); err != nil || len(got) != rows {
				t.Errorf("%s, %s: %d rows, want %d (%v)", door, statement, len(got), rows, err)
			}
		}
	}
}

func TestNobodyElseCanSignInAsDefault(t *testing.T) {
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir()})
	for user, password := range map[string]string{"default": "", "": "", "owner": "", "root": "root"} {
		options := server.Options()
		options.Auth.Username, options.Auth.Password = user, password
		conn := open(t, options)
		if err := conn.Ping(t.Context()); err == nil {
			t.Errorf("%q is let in", user)
		}
	}
}

// Other processes of the product read its tables over the same door, with a password.
func TestCommandsReadTheProductsDatabaseWithTheKeyAndPeopleDoNot(t *testing.T) {
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), HTTP: listen(t), Native: listen(t)})
	must(t, open(t, server.Options()).Exec(t.Context(), "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a"))
	_, native := server.Doors()
	command := open(t, embedded.CommandOptions(native, "cuota", server.Key()))
	for _, statement := range []string{"SELECT a FROM t", "SELECT name FROM system.parts WHERE database = 'cuota'",
		"SHOW TABLES FROM funds"} {
		must(t, command.Exec(t.Context(), statement))
	}
	for _, statement := range []string{"INSERT INTO t VALUES (1)", "SELECT * FROM file('/etc/passwd', 'LineAsString')",
		"SET max_threads = 1000"} {
		var exception *clickhousego.Exception
		if err := command.Exec(t.Context(), statement); !errors.As(err, &exception) ||
			!slices.Contains([]int32{164, 452, 497}, exception.Code) {
			t.Errorf("%s: %v, want a refusal", statement, err)
		}
	}
	for name, options := range map[string]*clickhousego.Options{
		"a wrong key": embedded.CommandOptions(native, "cuota", "x"),
		"no key":      embedded.CommandOptions(native, "cuota", ""),
		"people":      {Addr: []string{native}, Auth: clickhousego.Auth{Database: "cuota"}},
	} {
		if err := open(t, options).Ping(t.Context()); err == nil {
			t.Errorf("%s is let in", name)
		}
	}
}
