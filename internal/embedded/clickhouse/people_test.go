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
)

func TestMain(m *testing.M) {
	embedded.Host()
	if dir := os.Getenv(parentVariable); dir != "" {
		beParent(dir)
	}
	os.Exit(clickhousetest.Main(m))
}

// attempt is a statement with which a person tries to leave the product's database, to change
// something or to lift a limit, and the code with which ClickHouse refuses it. FILE stands for
// a file of the machine, OUT for a file to be written.
type attempt struct {
	code int32
	sql  string
}

// Codes: 497 ACCESS_DENIED, 164 READONLY, 452 SETTING_CONSTRAINT_VIOLATION, 511
// UNKNOWN_ROLE, 62 SYNTAX_ERROR, 36, 43 and 582 of another kind, 76 CANNOT_OPEN_FILE (the kernel refuses it), 46 and
// 47 unknown function and identifier, 60 and 636 no such table, 701 no cluster, 80 and
// 344 not supported, 1000 from a library that can't open the file.
var attempts = []attempt{
	{76, "SELECT file('FILE')"},
	{46, "SELECT fIlE('FILE')"},
	{76, "SELECT file/**/('FILE')"},
	{76, "SELECT file\n('FILE')"},
	{76, "SELECT file -- c\n ('FILE')"},
	{76, "SELECT `file`('FILE')"},
	{76, "SELECT \"file\"('FILE')"},
	{76, "SELECT `fi\\x6ce`('FILE')"},
	{76, "SELECT `\\x66ile`('FILE')"},
	{62, "SELECT (file)('FILE')"},
	{76, "SELECT arrayMap(file, ['FILE'])"},
	{76, "SELECT arrayMap(`file`, ['FILE'])"},
	{76, "SELECT arrayMap(x -> file(x), ['FILE'])"},
	{76, "SELECT * APPLY(file) FROM (SELECT 'FILE')"},
	{76, "SELECT * APPLY file FROM (SELECT 'FILE')"},
	{76, "SELECT COLUMNS('.*') APPLY(`file`) FROM (SELECT 'FILE' AS x)"},
	{76, "SELECT arrayFold((acc, x) -> concat(acc, file(x)), ['FILE'], '')"},
	{76, "WITH x -> file(x) AS f SELECT f('FILE')"},
	{47, "WITH file AS f SELECT arrayMap(f, ['FILE'])"},
	{76, "WITH (SELECT file('FILE')) AS x SELECT x"},
	{76, "SELECT (SELECT file('FILE'))"},
	{76, "SELECT 1 WHERE file('FILE') = 'M'"},
	{76, "SELECT * FROM view(SELECT file('FILE') AS x)"},
	{76, "SELECT 1 UNION ALL SELECT file('FILE')"},
	{76, "SELECT a FROM t ORDER BY file('FILE')"},
	{164, "SELECT a FROM t SETTINGS additional_result_filter = 'file(\\'FILE\\') != 1'"},
	{76, "file('FILE')"},
	{43, "'FILE'.file"},
	{76, "EXPLAIN SELECT file('FILE')"},
	{497, "SELECT * FROM values('x String', file('FILE'))"},
	{76, "SELECT transform('a', ['a'], [file('FILE')])"},
	{76, "SELECT /* ' */ file('FILE') /* ' */"},
	{76, "SELECT $$'$$, file('FILE'), $$'$$"},
	{76, "SELECT '\\'', file('FILE')"},
	{76, "SELECT 'it''s', file('FILE')"},
	{76, "SELECT `a``b`, file('FILE') FROM (SELECT 1 AS `a``b`)"},
	{76, "SELECT # ' \n file('FILE')"},
	{497, "SELECT * FROM file('FILE', 'LineAsString')"},
	{497, "SELECT * FROM `file`('FILE', 'LineAsString')"},
	{701, "SELECT * FROM fileCluster('default', 'FILE', 'LineAsString')"},
	{497, "DESCRIBE file('FILE', 'CSV')"},
	{497, "DESCRIBE TABLE file('FILE', 'CSV')"},
	{497, "EXPLAIN SELECT * FROM file('FILE', 'LineAsString')"},
	{497, "SELECT * FROM filesystem('/')"},
	{497, "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')"},
	{701, "SELECT * FROM urlCluster('default', 'http://127.0.0.1:1/', 'LineAsString')"},
	{497, "SELECT * FROM s3('http://127.0.0.1:1/bucket/x.csv')"},
	{497, "SELECT * FROM gcs('http://127.0.0.1:1/bucket/x.csv')"},
	{497, "SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'CSV', 'x String')"},
	{497, "SELECT * FROM azureBlobStorage('http://127.0.0.1:1/', 'c', 'x')"},
	{497, "SELECT * FROM remote('127.0.0.1', system.one)"},
	{497, "SELECT * FROM remoteSecure('127.0.0.1', system.one)"},
	{701, "SELECT * FROM cluster('default', system.one)"},
	{701, "SELECT * FROM clusterAllReplicas('default', system.one)"},
	{497, "SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')"},
	{497, "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')"},
	{497, "SELECT * FROM mongodb('127.0.0.1:1', 'd', 't', 'u', 'p', 'x String')"},
	{497, "SELECT * FROM redis('127.0.0.1:1', 'k', 'k String')"},
	{481, "SELECT * FROM sqlite('FILE', 't')"},
	{497, "SELECT * FROM odbc('DSN=x', 't')"},
	{497, "SELECT * FROM jdbc('DSN=x', 't')"},
	{497, "SELECT * FROM executable('cat FILE', 'TSV', 'x String')"},
	{477, "SELECT * FROM input('x String')"},
	{497, "SELECT * FROM icebergLocal('FILE')"},
	{497, "SELECT * FROM deltaLakeLocal('FILE')"},
	{46, "SELECT * FROM arrowstream('0x10')"},
	{344, "SELECT * FROM eval('SELECT file(\\'FILE\\')')"},
	{497, "SELECT * FROM loop(system.one) LIMIT 1"},
	{636, "SELECT * FROM merge('system', 'processes')"},
	{636, "SELECT * FROM merge(REGEXP('.*'), 'processes')"},
	{636, "SELECT * FROM `merge`('system', '^processes$')"},
	{497, "SELECT * FROM viewExplain('EXPLAIN', '', (SELECT 1))"},
	{497, "SELECT * FROM dictionary('x')"},
	{497, "EXPLAIN PIPELINE INSERT INTO FUNCTION file('OUT', 'CSV', 'a Int8') SELECT 1"},
	{497, "INSERT INTO FUNCTION file('OUT', 'CSV', 'a Int8') SELECT 1"},
	{497, "INSERT INTO FUNCTION file('OUT', 'CSV', 'a Int8') VALUES (1)"},
	{60, "SELECT * FROM `FILE`"},
	{60, "SELECT * FROM 'FILE'"},
	{60, "SELECT * FROM default.`FILE`"},
	{60, "DESCRIBE `FILE`"},
	{164, "SELECT 1 FORMAT Template SETTINGS format_template_resultset = 'FILE'"},
	{164, "SELECT 1 FORMAT Protobuf SETTINGS output_format_schema = 'OUT'"},
	{62, "SELECT 1; SELECT 2"},
	{62, "SELECT 1; SET ROLE cuota_owner"},
	{62, "SELECT 1; garbage"},
	{80, "SELECT 1 PARALLEL WITH SELECT 2"},
	{80, "SELECT 1 PARALLEL WITH INSERT INTO t SELECT 1, ''"},
	{164, "SET readonly = 0"},
	{164, "SET max_threads = 8"},
	{511, "SET ROLE cuota_owner"},
	{344, "EXECUTE AS default SELECT 1"},
	{497, "KILL QUERY WHERE 1"},
	{497, "KILL QUERY WHERE 1 SYNC"},
	{497, "SYSTEM FLUSH LOGS"},
	{497, "SYSTEM SHUTDOWN"},
	{497, "ATTACH TABLE x FROM '/tmp/' (a String) ENGINE = File(LineAsString)"},
	{497, "CREATE TEMPORARY TABLE x (a Int8)"},
	{497, "CREATE TEMPORARY TABLE x ENGINE = File(LineAsString, 'FILE')"},
	{497, "CREATE TABLE x (a Int8) ENGINE = Memory"},
	{497, "CREATE VIEW x AS SELECT file('FILE')"},
	{497, "CREATE DICTIONARY x (a String) PRIMARY KEY a LAYOUT(COMPLEX_KEY_HASHED()) SOURCE(FILE(path 'FILE' format 'LineAsString')) LIFETIME(0)"},
	{497, "CREATE FUNCTION f AS x -> file(x)"},
	{497, "CREATE DATABASE x ENGINE = Filesystem('/')"},
	{497, "INSERT INTO t SELECT 1, ''"},
	{497, "INSERT INTO t VALUES (1, '')"},
	{497, "INSERT INTO t FROM INFILE 'FILE' FORMAT CSV"},
	{497, "WITH 1 AS x INSERT INTO t SELECT x, ''"},
	{497, "ALTER TABLE t DELETE WHERE 1"},
	{497, "DELETE FROM t WHERE 1"},
	{497, "TRUNCATE TABLE t"},
	{497, "DROP TABLE t"},
	{497, "DROP DATABASE cuota"},
	{497, "RENAME TABLE t TO x"},
	{497, "OPTIMIZE TABLE t"},
	{497, "BACKUP TABLE t TO File('OUT')"},
	{497, "BACKUP TABLE t TO File('below-the-folder-of-backups')"},
	{497, "BACKUP TABLE t TO Memory('x')"},
	{497, "BACKUP TABLE t TO Null"},
	{497, "RESTORE TABLE t FROM File('FILE')"},
	{497, "RESTORE TABLE t AS x FROM File('below-the-folder-of-backups')"},
	{497, "GRANT ALL ON *.* TO default"},
	{497, "CREATE USER x"},
	{48, "BEGIN TRANSACTION"},
	{164, "SELECT 1 SETTINGS readonly = 0"},
	{452, "SELECT 1 SETTINGS max_execution_time = 0"},
	{164, "SELECT 1 SETTINGS max_memory_usage = 0"},
	{164, "SELECT 1 UNION ALL (SELECT 2 settings max_threads = 64)"},
	{497, "SELECT addressToSymbol(1)"},
	{497, "SELECT query FROM system.processes"},
	{497, "SELECT query FROM system . processes"},
	{497, "SELECT query FROM `system`.`processes`"},
	{497, "SELECT query FROM \"system\".\"processes\""},
	{497, "SELECT query FROM `sys\\x74em`.processes"},
	{497, "SELECT * FROM system/**/./**/stack_trace"},
	{497, "SELECT 1 IN (SELECT count() FROM system.stack_trace)"},
	{497, "SELECT 1 IN system.server_settings"},
	{497, "SELECT * FROM system.user_processes"},
	{497, "SELECT * FROM system.users"},
	{497, "SELECT * FROM system.grants"},
	{497, "SELECT * FROM system.named_collections"},
	{497, "SELECT * FROM system.disks"},
	{497, "SELECT * FROM system.errors"},
	{497, "SELECT * FROM {d:Identifier}.{t:Identifier}"},
	{497, "DESCRIBE system.processes"},
	{497, "SHOW PROCESSLIST"},
	{62, "SHOW FULL PROCESSLIST"},
	{1000, "SELECT showCertificate()"},
	{1000, "SELECT catboostEvaluate('FILE', 1)"},
	{344, "SELECT aiGenerate('x')"},
	{497, "SELECT s FROM other.secret"},
	// The product's own database, of which people read only what a view of theirs shows.
	{497, "SELECT a FROM cuota.t"},
	{497, "DESCRIBE cuota.t"},
	{497, "SHOW CREATE TABLE cuota.t"},
	{497, "CHECK TABLE cuota.t"},
	{497, "SELECT 1 IN cuota.t"},
	{497, "SELECT * FROM cuota.asked(least = 1)"},
	{636, "SELECT * FROM merge('cuota', 't')"},
	{636, "SELECT * FROM merge(REGEXP('cuota'), 't')"},
	{497, "SELECT * FROM mergeTreeIndex('cuota', 't')"},
	{582, "SELECT * FROM mergeTreeProjection('cuota', 't', 'p')"}, // there is none
	{43, "SELECT joinGet('cuota.t', 's', 1)"},
	{36, "SELECT dictGet('cuota.t', 's', 1)"},
	{497, "EXPLAIN SELECT a FROM cuota.t"},
	{497, "EXPLAIN ESTIMATE SELECT a FROM cuota.t"},
	{636, "SELECT * FROM merge('other', 'secret')"},
	{76, "SELECT arrayMap({f:Identifier}, ['FILE'])"},
	{62, "SELECT * APPLY({f:Identifier}) FROM (SELECT 'FILE')"},
	{60, "SELECT * FROM {p:Identifier}"},
	{497, "SELECT * FROM system.metrics LIMIT 1"},
	{497, "SELECT * FROM system.build_options LIMIT 1"},
	{497, "SELECT * FROM system.clusters"},
	{497, "SHOW ACCESS"},
	{497, "SELECT * FROM system.macros"},
}

// harmless are statements that look like attempts but reveal nothing that the person may not
// see. INTO OUTFILE is executed by the client.
var harmless = []string{
	"SELECT * FROM fuzzQuery('SELECT 1') LIMIT 1",
	"SELECT * FROM viewIfPermitted(SELECT * FROM system.processes ELSE null('x String'))",
	"SELECT 1 INTO OUTFILE 'OUT'",
	"EXPLAIN SELECT 1 INTO OUTFILE 'OUT'",
	"SHOW TABLES INTO OUTFILE 'OUT'",
	"EXPLAIN indexes = 1 SELECT a FROM t", // names the tables of the product, and how they are read
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
		"CREATE TABLE t (a UInt32, s String) ENGINE = MergeTree ORDER BY a", "INSERT INTO t SELECT number, toString(number) FROM numbers(10)",
		"CREATE VIEW asked AS SELECT a FROM t WHERE a > {least:UInt32}",
		"CREATE VIEW funds.t (a UInt32, s String) SQL SECURITY DEFINER AS SELECT a, s FROM t",
		"CREATE DATABASE other", "CREATE TABLE other.secret (s String) ENGINE = MergeTree ORDER BY s",
	} {
		must(t, owner.Exec(t.Context(), statement))
	}
	overHTTP, native := server.Doors()
	return owner, map[string]driver.Conn{
		"native": open(t, &clickhousego.Options{Addr: []string{native}, Auth: clickhousego.Auth{Database: "funds"}}),
		"http":   open(t, &clickhousego.Options{Addr: []string{overHTTP}, Protocol: clickhousego.HTTP, Auth: clickhousego.Auth{Database: "funds"}}),
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

// ask runs a statement to its end and gives its first column as text.
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
	return strings.NewReplacer("OUTFILE", "OUTFILE", "INFILE", "INFILE", "FILE(path", "FILE(path", "FILE", file, "'OUT'", "'"+out+"'").Replace, out
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
	must(t, owner.QueryRow(t.Context(), "SELECT count() FROM system.tables WHERE database IN ('cuota', 'funds', 'other')").Scan(&tables))
	if rows != 10 || sum != 45 || tables != 4 {
		t.Errorf("after all the table has %d rows with the sum %d, and there are %d tables", rows, sum, tables)
	}
}

// ClickHouse accepts settings in a subquery without checking the constraints. Such settings
// change only how the subquery is computed; the limits are those of the whole statement.
func TestALimitCannotBeLiftedInASubqueryNorByAnotherProfile(t *testing.T) {
	const timeoutExceeded, memoryLimitExceeded, readOnly = 159, 241, 164
	for _, c := range []struct {
		statement string
		code      int32
		timeout   time.Duration
	}{
		{"SELECT count() FROM (SELECT number FROM system.numbers SETTINGS max_execution_time = 0, readonly = 0)", timeoutExceeded, time.Second},
		{"SELECT length(groupArray(number)) FROM numbers(1000000000) SETTINGS profile = 'default'", readOnly, time.Hour},
		{"SELECT length(x) FROM (SELECT groupArray(number) AS x FROM numbers(1000000000) SETTINGS max_memory_usage = 0, max_memory_usage_for_user = 0)", memoryLimitExceeded, time.Hour},
	} {
		server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30, QueryTimeout: c.timeout})
		person := open(t, asPerson(server.Options()))
		var exception *clickhousego.Exception
		if err := person.Exec(t.Context(), c.statement); !errors.As(err, &exception) || exception.Code != c.code {
			t.Errorf("%s: %v, want code %d", c.statement, err, c.code)
		}
	}
}

// The attempts must be real: with the owner's rights and without readonly, most attempts that
// are refused for lack of rights succeed.
func TestWithoutTheGrantsAndLimitsOfPeopleTheAttemptsWouldSucceed(t *testing.T) {
	_, doors := peoplesEngine(t, `<clickhouse>
		<profiles><people replace="1"></people></profiles>
		<users><people><grants replace="1"><query>GRANT ALL ON *.*</query></grants></people></users>
	</clickhouse>`)
	name, _ := files(t)
	refused, answered := 0, 0
	for _, a := range attempts {
		if !slices.Contains([]int32{497, 164, 452}, a.code) || strings.HasPrefix(a.sql, "KILL") || strings.HasPrefix(a.sql, "SYSTEM SHUTDOWN") || strings.HasPrefix(a.sql, "DROP DATABASE") {
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
		"SELECT a FROM t": 10, "SELECT a FROM funds.t WHERE a IN (SELECT number FROM numbers(3))": 3, "SHOW TABLES": 1, "DESCRIBE t": 2, "EXISTS TABLE t": 1,
		"SELECT table_name FROM information_schema.tables WHERE table_name = 't'": 1, "SELECT name FROM system.tables WHERE name = 't'": 1,
		"SELECT name FROM system.columns WHERE table = 't'": 2, "SELECT name FROM system.settings WHERE name = 'readonly'": 1,
		"SELECT 1 FROM system.tables WHERE name = 'secret'": 0, "SELECT 1 FROM system.parts WHERE table = 'secret'": 0,
		"SELECT s FROM t SETTINGS max_execution_time = 5": 10, "SHOW CREATE TABLE t": 1,
		// Of the product's own database they see nothing.
		"SHOW TABLES FROM cuota": 0, "SHOW DATABASES": 4, // funds, system, and two of information_schema
		"SELECT 1 FROM system.tables WHERE database = 'cuota'": 0, "SELECT 1 FROM system.columns WHERE database = 'cuota'": 0,
		"SELECT 1 FROM system.databases WHERE name = 'cuota'": 0, "SELECT 1 FROM system.parts WHERE database = 'cuota'": 0,
		"SELECT 1 FROM information_schema.tables WHERE table_schema = 'cuota'": 0, "SELECT 1 FROM information_schema.columns WHERE table_schema = 'cuota'": 0,
	} {
		for door, person := range doors {
			if got, err := ask(t, person, statement); err != nil || len(got) != rows {
				t.Errorf("%s, %s: %d rows, want %d (%v)", door, statement, len(got), rows, err)
			}
		}
	}
}

// The product's views depend on this. People may send join_use_nulls, and readonly must not
// disable the settings of a view.
func TestTheSettingsOfAViewHoldForPeopleWhateverTheySend(t *testing.T) {
	owner, doors := peoplesEngine(t, "")
	const joined = "SELECT count(b.s) AS found FROM t AS a LEFT JOIN (SELECT * FROM t WHERE a < 3) AS b ON b.a = a.a"
	must(t, owner.Exec(t.Context(), "CREATE VIEW funds.open (found UInt64) SQL SECURITY DEFINER AS "+joined))
	must(t, owner.Exec(t.Context(), "CREATE VIEW funds.shut (found UInt64) SQL SECURITY DEFINER AS "+joined+" SETTINGS join_use_nulls = 0"))
	for _, c := range []struct {
		view  string
		nulls int
		want  uint64
	}{{"shut", 0, 10}, {"shut", 1, 10}, {"open", 1, 3}} { // of the last: the setting was sent and counts
		var found uint64
		ctx := clickhousego.Context(t.Context(), clickhousego.WithSettings(clickhousego.Settings{"join_use_nulls": c.nulls}))
		must(t, doors["native"].QueryRow(ctx, "SELECT found FROM "+c.view).Scan(&found))
		if found != c.want {
			t.Errorf("%s with join_use_nulls = %d gives %d, want %d", c.view, c.nulls, found, c.want)
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

// A view for people is read with the rights of the owner, and with the limits of people.
func TestTheLimitsOfPeopleHoldInsideTheirViews(t *testing.T) {
	const timeoutExceeded, memoryLimitExceeded = 159, 241
	for _, c := range []struct {
		view    string
		code    int32
		timeout time.Duration
	}{
		{"SELECT count() AS n FROM system.numbers", timeoutExceeded, time.Second},
		{"SELECT toUInt64(length(groupArray(number))) AS n FROM numbers(1000000000)", memoryLimitExceeded, time.Hour},
	} {
		server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), MaxMemoryBytes: 1 << 30, QueryTimeout: c.timeout})
		must(t, open(t, server.Options()).Exec(t.Context(), "CREATE VIEW funds.v (n UInt64) SQL SECURITY DEFINER AS "+c.view))
		var exception *clickhousego.Exception
		if err := open(t, asPerson(server.Options())).Exec(t.Context(), "SELECT n FROM v"); !errors.As(err, &exception) || exception.Code != c.code {
			t.Errorf("%s: %v, want code %d", c.view, err, c.code)
		}
	}
}

// Other processes of the product read its tables over the same door, with a password.
func TestCommandsReadTheProductsDatabaseWithTheKeyAndPeopleDoNot(t *testing.T) {
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), HTTP: listen(t), Native: listen(t)})
	must(t, open(t, server.Options()).Exec(t.Context(), "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a"))
	_, native := server.Doors()
	command := open(t, embedded.CommandOptions(native, "cuota", server.Key()))
	for _, statement := range []string{"SELECT a FROM t", "SELECT name FROM system.parts WHERE database = 'cuota'", "SHOW TABLES FROM funds"} {
		must(t, command.Exec(t.Context(), statement))
	}
	for _, statement := range []string{"INSERT INTO t VALUES (1)", "SELECT * FROM file('/etc/passwd', 'LineAsString')", "SET max_threads = 64"} {
		var exception *clickhousego.Exception
		if err := command.Exec(t.Context(), statement); !errors.As(err, &exception) || !slices.Contains([]int32{164, 497}, exception.Code) {
			t.Errorf("%s: %v, want a refusal", statement, err)
		}
	}
	for name, options := range map[string]*clickhousego.Options{
		"a wrong key": embedded.CommandOptions(native, "cuota", "x"), "no key": embedded.CommandOptions(native, "cuota", ""),
		"people": {Addr: []string{native}, Auth: clickhousego.Auth{Database: "cuota"}},
	} {
		if err := open(t, options).Ping(t.Context()); err == nil {
			t.Errorf("%s is let in", name)
		}
	}
}
