package clickhouse_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

const marker = "CONTENT-OF-A-FILE-OF-THE-HOST"

// hostFile makes a file that no statement of people may ever show.
func hostFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "marker.csv")
	if err := os.WriteFile(path, []byte(marker+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// peopleTable makes a table in the database that people may read.
func peopleTable(t *testing.T) string {
	t.Helper()
	owner := openWith(t, clickhousetest.Server(t).Options())
	name := "people_" + strings.ToLower(strings.ReplaceAll(t.Name(), "/", "_"))
	execute(t, owner, "CREATE TABLE "+name+" (a UInt32, s String) ENGINE = MergeTree ORDER BY a")
	execute(t, owner, "INSERT INTO "+name+" SELECT number, toString(number) FROM numbers(10)")
	t.Cleanup(func() {
		if err := owner.Exec(context.Background(), "DROP TABLE "+name+" SYNC"); err != nil {
			t.Error(err)
		}
	})
	return name
}

// The views of the product count on it: people may send join_use_nulls, and readonly
// must not keep a view's own settings from holding.
func TestTheSettingsOfAViewHoldForPeopleWhateverTheySend(t *testing.T) {
	table := peopleTable(t)
	owner := openWith(t, clickhousetest.Server(t).Options())
	const joined = "SELECT count(b.s) AS found FROM %[1]s AS a LEFT JOIN (SELECT * FROM %[1]s WHERE a < 3) AS b ON b.a = a.a"
	for view, settings := range map[string]string{table + "_open": "", table + "_shut": " SETTINGS join_use_nulls = 0"} {
		execute(t, owner, "CREATE VIEW "+view+" AS "+fmt.Sprintf(joined, table)+settings)
		t.Cleanup(func() {
			if err := owner.Exec(context.Background(), "DROP VIEW "+view); err != nil {
				t.Error(err)
			}
		})
	}
	for _, c := range []struct{ view, nulls, want string }{
		{table + "_shut", "0", "10\n"}, {table + "_shut", "1", "10\n"},
		{table + "_open", "1", "3\n"}, // so the setting was sent and counts
	} {
		if r := ask(t, "SELECT found FROM "+c.view, "join_use_nulls", c.nulls); r.status != http.StatusOK || r.body != c.want {
			t.Errorf("%s with join_use_nulls = %s answers %d %q, want %q", c.view, c.nulls, r.status, r.body, c.want)
		}
	}
}

func TestPeopleReadTheProductsDatabase(t *testing.T) {
	table := peopleTable(t)
	for statement, want := range map[string]string{
		"SELECT sum(a) FROM " + table:                                                         "45\n",
		"SELECT sum(a) FROM cuota." + table + " FORMAT JSONEachRow":                           `{"sum(a)":45}` + "\n",
		"WITH x AS (SELECT a FROM " + table + ") SELECT max(a) FROM x":                        "9\n",
		"SELECT s FROM " + table + " WHERE s = 'file(' OR a = 1 -- file('x')":                 "1\n",
		"SELECT count() FROM numbers(5)":                                                      "5\n",
		"SELECT * FROM view(SELECT 1)":                                                        "1\n",
		"SELECT format('{}-{}', 'a', 'b')":                                                    "a-b\n",
		"SELECT name FROM system.tables WHERE name = '" + table + "'":                         table + "\n",
		"SELECT table_name FROM information_schema.tables WHERE table_name = '" + table + "'": table + "\n",
		"EXISTS TABLE " + table:                                                               "1\n",
		"SHOW TABLES LIKE '" + table + "'":                                                    table + "\n",
		"DESCRIBE TABLE " + table:                                                             "a\tUInt32\t\t\t\t\t\ns\tString\t\t\t\t\t\n",
		"SELECT name FROM system.settings WHERE name = 'readonly'":                            "readonly\n",
		"SELECT 1;": "1\n",
		"1 + 2":     "3\n",
	} {
		if r := ask(t, statement); r.status != http.StatusOK || r.body != want {
			t.Errorf("%s: %d %q, want %q", statement, r.status, r.body, want)
		}
	}
	if r := ask(t, "EXPLAIN SELECT * FROM "+table); r.status != http.StatusOK || !strings.Contains(r.body, "ReadFromMergeTree") {
		t.Errorf("EXPLAIN: %d %s", r.status, r.body)
	}
	if r := ask(t, "SELECT {x:UInt32} + 1", "param_x", "41"); r.body != "42\n" {
		t.Errorf("parameter: %s", r.body)
	}
	if r := ask(t, "SELECT sum(a) FROM {t:Identifier}", "param_t", table); r.body != "45\n" {
		t.Errorf("name as a parameter: %s", r.body)
	}
}

// Each of these reaches outside the database, changes something or lifts a
// limit, at least on an engine without the policy.
func TestPeopleCannotLeaveTheDatabase(t *testing.T) {
	table := peopleTable(t)
	file := hostFile(t)
	out := filepath.Join(t.TempDir(), "written")
	other := openWith(t, clickhousetest.Database(t))
	execute(t, other, "CREATE TABLE secret (s String) ENGINE = MergeTree ORDER BY s")
	execute(t, other, "INSERT INTO secret SELECT '"+marker+"'")
	otherName := scalar[string](t, other, "SELECT currentDatabase()")

	statements := []string{
		// The function file(), which the engine's grants don't cover.
		"SELECT file('FILE')",
		"SELECT fIlE('FILE')",
		"SELECT file/**/('FILE')",
		"SELECT file\n('FILE')",
		"SELECT file -- c\n ('FILE')",
		"SELECT `file`('FILE')",
		"SELECT \"file\"('FILE')",
		"SELECT `fi\\x6ce`('FILE')",
		"SELECT `\\x66ile`('FILE')",
		"SELECT (file)('FILE')",
		"SELECT arrayMap(file, ['FILE'])",
		"SELECT arrayMap(`file`, ['FILE'])",
		"SELECT arrayMap(x -> file(x), ['FILE'])",
		"SELECT * APPLY(file) FROM (SELECT 'FILE')",
		"SELECT * APPLY file FROM (SELECT 'FILE')",
		"SELECT COLUMNS('.*') APPLY(`file`) FROM (SELECT 'FILE' AS x)",
		"SELECT arrayFold((acc, x) -> concat(acc, file(x)), ['FILE'], '')",
		"WITH x -> file(x) AS f SELECT f('FILE')",
		"WITH file AS f SELECT arrayMap(f, ['FILE'])",
		"WITH (SELECT file('FILE')) AS x SELECT x",
		"SELECT (SELECT file('FILE'))",
		"SELECT 1 WHERE file('FILE') = '" + marker + "'",
		"SELECT * FROM view(SELECT file('FILE') AS x)",
		"SELECT 1 UNION ALL SELECT file('FILE')",
		"SELECT a FROM " + table + " ORDER BY file('FILE')",
		"SELECT a FROM " + table + " SETTINGS additional_result_filter = 'file(\\'FILE\\') != 1'",
		"file('FILE')",
		"'FILE'.file",
		"EXPLAIN SELECT file('FILE')",
		"SELECT * FROM values('x String', file('FILE'))",
		"SELECT transform('a', ['a'], [file('FILE')])",
		"SELECT /* ' */ file('FILE') /* ' */",
		"SELECT $$'$$, file('FILE'), $$'$$",
		"SELECT '\\'', file('FILE')",
		"SELECT 'it''s', file('FILE')",
		"SELECT `a``b`, file('FILE') FROM (SELECT 1 AS `a``b`)",
		"SELECT # ' \n file('FILE')",

		// Table functions that read the host or the network.
		"SELECT * FROM file('FILE', 'LineAsString')",
		"SELECT * FROM `file`('FILE', 'LineAsString')",
		"SELECT * FROM fileCluster('default', 'FILE', 'LineAsString')",
		"DESCRIBE file('FILE', 'CSV')",
		"DESCRIBE TABLE file('FILE', 'CSV')",
		"EXPLAIN SELECT * FROM file('FILE', 'LineAsString')",
		"SELECT * FROM filesystem('/')",
		"SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
		"SELECT * FROM urlCluster('default', 'http://127.0.0.1:1/', 'LineAsString')",
		"SELECT * FROM s3('http://127.0.0.1:1/bucket/x.csv')",
		"SELECT * FROM gcs('http://127.0.0.1:1/bucket/x.csv')",
		"SELECT * FROM hdfs('hdfs://127.0.0.1:1/x', 'CSV', 'x String')",
		"SELECT * FROM azureBlobStorage('http://127.0.0.1:1/', 'c', 'x')",
		"SELECT * FROM remote('127.0.0.1', system.one)",
		"SELECT * FROM remoteSecure('127.0.0.1', system.one)",
		"SELECT * FROM cluster('default', system.one)",
		"SELECT * FROM clusterAllReplicas('default', system.one)",
		"SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
		"SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
		"SELECT * FROM mongodb('127.0.0.1:1', 'd', 't', 'u', 'p', 'x String')",
		"SELECT * FROM redis('127.0.0.1:1', 'k', 'k String')",
		"SELECT * FROM sqlite('FILE', 't')",
		"SELECT * FROM odbc('DSN=x', 't')",
		"SELECT * FROM jdbc('DSN=x', 't')",
		"SELECT * FROM executable('cat FILE', 'TSV', 'x String')",
		"SELECT * FROM input('x String')",
		"SELECT * FROM icebergLocal('FILE')",
		"SELECT * FROM deltaLakeLocal('FILE')",
		"SELECT * FROM arrowstream('0x10')",
		"SELECT * FROM eval('SELECT file(\\'FILE\\')')",
		"SELECT * FROM loop(system.one) LIMIT 1",
		"SELECT * FROM merge('system', 'processes')",
		"SELECT * FROM merge(REGEXP('.*'), 'processes')",
		"SELECT * FROM `merge`('system', '^processes$')",
		"SELECT * FROM mergeTreeIndex('cuota', '" + table + "')",
		"SELECT * FROM fuzzQuery('SELECT 1') LIMIT 1",
		"SELECT * FROM viewExplain('EXPLAIN', '', (SELECT 1))",
		"SELECT * FROM viewIfPermitted(SELECT * FROM system.processes ELSE null('x String'))",
		"SELECT * FROM dictionary('x')",
		"EXPLAIN PIPELINE INSERT INTO FUNCTION file('OUT', 'CSV', 'a Int8') SELECT 1",
		"INSERT INTO FUNCTION file('OUT', 'CSV', 'a Int8') SELECT 1",
		"INSERT INTO FUNCTION file('OUT', 'CSV', 'a Int8') VALUES (1)",

		// Files as tables, which the engine's own default database offers.
		"SELECT * FROM `FILE`",
		"SELECT * FROM 'FILE'",
		"SELECT * FROM default.`FILE`",
		"DESCRIBE `FILE`",

		// Writing files, or having formats read them.
		"SELECT 1 INTO OUTFILE 'OUT'",
		"SELECT 1 into/**/outfile 'OUT' FORMAT CSV",
		"SELECT 1 INTO OUTFILE 'OUT' TRUNCATE",
		"SELECT 1 UNION ALL SELECT 2 INTO OUTFILE 'OUT'",
		"EXPLAIN SELECT 1 INTO OUTFILE 'OUT'",
		"SHOW TABLES INTO OUTFILE 'OUT'",
		"DESCRIBE TABLE " + table + " INTO OUTFILE 'OUT'",
		"SELECT 1 FORMAT Template SETTINGS format_template_resultset = 'FILE'",
		"SELECT 1 FORMAT Protobuf SETTINGS output_format_schema = 'OUT'",

		// Other statements.
		"SELECT 1; SELECT 2",
		"SELECT 1; SET ROLE " + "cuota_owner",
		"SELECT 1; garbage",
		"SELECT 1 PARALLEL WITH SELECT 2",
		"SELECT 1 PARALLEL WITH INSERT INTO " + table + " SELECT 1, ''",
		"SET readonly = 0",
		"SET max_threads = 8",
		"SET ROLE cuota_owner",
		"SET ROLE DEFAULT",
		"EXECUTE AS default SELECT 1",
		"USE system",
		"KILL QUERY WHERE 1",
		"KILL QUERY WHERE 1 SYNC",
		"SYSTEM FLUSH LOGS",
		"SYSTEM SHUTDOWN",
		"ATTACH TABLE x FROM '/tmp/' (a String) ENGINE = File(LineAsString)",
		"CREATE TEMPORARY TABLE x (a Int8)",
		"CREATE TEMPORARY TABLE x ENGINE = File(LineAsString, 'FILE')",
		"CREATE TABLE x (a Int8) ENGINE = Memory",
		"CREATE VIEW x AS SELECT file('FILE')",
		"CREATE DICTIONARY x (a String) PRIMARY KEY a LAYOUT(COMPLEX_KEY_HASHED()) SOURCE(FILE(path 'FILE' format 'LineAsString')) LIFETIME(0)",
		"CREATE FUNCTION f AS x -> file(x)",
		"CREATE DATABASE x ENGINE = Filesystem('/')",
		"INSERT INTO " + table + " SELECT 1, ''",
		"INSERT INTO " + table + " VALUES (1, '')",
		"INSERT INTO " + table + " FROM INFILE 'FILE' FORMAT CSV",
		"WITH 1 AS x INSERT INTO " + table + " SELECT x, ''",
		"ALTER TABLE " + table + " DELETE WHERE 1",
		"DELETE FROM " + table + " WHERE 1",
		"TRUNCATE TABLE " + table,
		"DROP TABLE " + table,
		"DROP DATABASE cuota",
		"RENAME TABLE " + table + " TO x",
		"OPTIMIZE TABLE " + table,
		"BACKUP TABLE " + table + " TO File('OUT')",
		"GRANT ALL ON *.* TO default",
		"CREATE USER x",
		"BEGIN TRANSACTION",

		// Settings within a statement.
		"SELECT 1 SETTINGS readonly = 0",
		"SELECT 1 SETTINGS max_execution_time = 0",
		"SELECT 1 SETTINGS max_memory_usage = 0",
		"SELECT * FROM (SELECT 1 SETTINGS readonly = 0)",
		"WITH x AS (SELECT 1 SETTINGS max_memory_usage = 0) SELECT * FROM x",
		"SELECT 1 UNION ALL (SELECT 2 settings max_threads = 64)",
		"SELECT * FROM (SELECT 1 SETTINGS allow_introspection_functions = 1)",
		"SELECT addressToSymbol(1)",

		// What others do, and what the process and the host are.
		"SELECT query FROM system.processes",
		"SELECT query FROM system . processes",
		"SELECT query FROM `system`.`processes`",
		"SELECT query FROM \"system\".\"processes\"",
		"SELECT query FROM `sys\\x74em`.processes",
		"SELECT * FROM system/**/./**/stack_trace",
		"SELECT 1 IN (SELECT count() FROM system.stack_trace)",
		"SELECT 1 IN system.server_settings",
		"SELECT * FROM system.user_processes",
		"SELECT * FROM system.users",
		"SELECT * FROM system.grants",
		"SELECT * FROM system.named_collections",
		"SELECT * FROM system.disks",
		"SELECT * FROM system.errors",
		"SELECT * FROM {d:Identifier}.{t:Identifier}",
		"DESCRIBE system.processes",
		"SHOW PROCESSLIST",
		"SHOW FULL PROCESSLIST",
		"SELECT getServerSetting('path')",
		"SELECT showCertificate()",
		"SELECT catboostEvaluate('FILE', 1)",
		"SELECT aiGenerate('x')",
		"SELECT s FROM " + otherName + ".secret",
		"SELECT * FROM merge('" + otherName + "', 'secret')",

		// Names given as parameters.
		"SELECT arrayMap({f:Identifier}, ['FILE'])",
		"SELECT * APPLY({f:Identifier}) FROM (SELECT 'FILE')",
		"SELECT * FROM {p:Identifier}",
	}
	for _, statement := range statements {
		statement = strings.NewReplacer("FILE", file, "OUT", out).Replace(statement)
		if strings.Contains(statement, "INTO "+out) || strings.Contains(statement, "IN"+file) {
			// The words OUTFILE and INFILE hold the placeholders.
			statement = strings.NewReplacer("INTO "+out+file, "INTO OUTFILE", "IN"+file, "INFILE").Replace(statement)
		}
		r := ask(t, statement, "param_f", "file", "param_d", "system", "param_t", "processes", "param_p", "system.processes")
		if r.status == http.StatusOK || r.code() == "" {
			t.Errorf("%s: answered %d: %.200s", statement, r.status, r.body)
		}
		if strings.Contains(r.body, marker) {
			t.Errorf("%s: shows what it must not: %.200s", statement, r.body)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: wrote a file", statement)
		}
	}
	// All of it left the table as it was.
	if r := ask(t, "SELECT count(), sum(a) FROM "+table); r.body != "10\t45\n" {
		t.Errorf("after all: %s", r.body)
	}
	if r := ask(t, "SELECT currentRoles(), getSetting('readonly')"); r.body != "['cuota_people']\t1\n" {
		t.Errorf("after all: %s", r.body)
	}
}

func TestPeopleCannotLiftLimitsThroughTheURL(t *testing.T) {
	for _, x := range [][2]string{
		{"readonly", "0"}, {"max_memory_usage", "0"}, {"max_execution_time", "0"},
		{"max_execution_time", "-1"}, {"max_execution_time", "nan"}, {"max_result_bytes", "0"}, {"max_threads", "64"},
		{"format_schema", "/etc/passwd"}, {"format_template_row", "/etc/passwd"}, {"output_format_schema", "/tmp/x"},
		{"allow_introspection_functions", "1"}, {"allow_experimental_eval_table_function", "1"}, {"dialect", "kusto"},
		{"allow_ddl", "1"}, {embedded.TagSetting, "session1"}, {"additional_result_filter", "1"},
		{"promql_database", "x"}, {"nosuchsetting", "1"}, {"role", "cuota_owner"}, {"session_id", "x"},
	} {
		if r := ask(t, "SELECT 1", x[0], x[1]); r.status == http.StatusOK || r.code() == "" {
			t.Errorf("%s=%s: answered %d %s", x[0], x[1], r.status, r.body)
		}
	}
	for _, x := range [][2]string{{"readonly", "1"}, {"max_execution_time", "5"}, {"max_execution_time", "1e9"}, {"output_format_json_quote_64bit_integers", "1"}, {"log_comment", "x"}} {
		if r := ask(t, "SELECT 1", x[0], x[1]); r.status != http.StatusOK {
			t.Errorf("%s=%s: answered %d %s", x[0], x[1], r.status, r.body)
		}
	}
	// Making it the current database would spare its name in the statement.
	for _, database := range []string{"system", "SYSTEM", "information_schema"} {
		if r := ask(t, "SELECT 1", "database", database); r.status == http.StatusOK {
			t.Errorf("database=%s: answered %s", database, r.body)
		}
	}
}

// The lists of policy.go can only be right for the functions that were looked
// at, so every function of the engine is called with a file's name in each
// place it may have.
func TestNoFunctionShowsAFileToPeople(t *testing.T) {
	file := hostFile(t)
	owner := openWith(t, clickhousetest.Server(t).Options())
	names := func(query string) (list []string) {
		rows, err := owner.Query(within(t), query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			list = append(list, name)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return list
	}
	try := func(statement string) {
		t.Helper()
		if r := ask(t, statement); strings.Contains(r.body, marker) {
			t.Errorf("%s shows the file", statement)
		}
	}
	functions := names("SELECT name FROM system.functions WHERE NOT is_aggregate AND alias_to = ''")
	if len(functions) < 1000 {
		t.Fatalf("only %d functions", len(functions))
	}
	// Many functions in one statement would fail together, so each is asked
	// alone; the shared session makes it cheap.
	for _, f := range functions {
		try(fmt.Sprintf("SELECT `%s`('%s')", f, file))
		try(fmt.Sprintf("SELECT `%s`('%s', 'CSV')", f, file))
		try(fmt.Sprintf("SELECT arrayMap(`%s`, ['%s'])", f, file))
	}
	tables := names("SELECT name FROM system.table_functions")
	for _, f := range tables {
		try(fmt.Sprintf("SELECT * FROM `%s`('%s')", f, file))
		try(fmt.Sprintf("SELECT * FROM `%s`('%s', 'LineAsString')", f, file))
		try(fmt.Sprintf("SELECT * FROM `%s`('%s', 'LineAsString', 'x String')", f, file))
	}
	for i := range tables {
		tables[i] = strings.ToLower(tables[i])
	}
	slices.Sort(tables)
	if reviewed := embedded.TableFunctions(); !slices.Equal(tables, reviewed) {
		t.Errorf("the engine's table functions are not those reviewed in policy.go:\n%v\n%v", tables, reviewed)
	}
}

func TestPeoplesAnswersAreBounded(t *testing.T) {
	for statement, code := range map[string]string{
		"SELECT number, repeat('x', 1000) FROM numbers(1000000)":              "396", // result size, mid-stream or not
		"SELECT number, repeat('x', 1000) FROM numbers(1000000) FORMAT JSON":  "241",
		"SELECT length(groupArray(toString(number))) FROM numbers(100000000)": "241", // memory
		"SELECT '" + strings.Repeat("x", 300<<10) + "'":                       "223", // statement size
	} {
		r := ask(t, statement)
		if r.code() != code && !strings.Contains(r.body, "\r\nCode: "+code+".") {
			t.Errorf("%.60s: %d, code %q, want %s; %d bytes end with %q", statement, r.status, r.code(), code, len(r.body), r.body[max(0, len(r.body)-300):])
		}
	}
}

// What is made to break a parser ends in an error or an answer, and the server
// is still there.
func TestHostileStatementsDoNotEndTheServer(t *testing.T) {
	deep := func(open, middle, end string, n int) string {
		return "SELECT " + strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	for name, statement := range map[string]string{
		"brackets":    deep("(", "1", ")", 100000),
		"arrays":      deep("[", "1", "]", 50000),
		"functions":   deep("toString(", "1", ")", 20000),
		"subqueries":  deep("(SELECT ", "1", ")", 20000),
		"negations":   deep("NOT ", "1", "", 50000),
		"minus":       deep("- ", "1", "", 100000),
		"sums":        deep("1+", "1", "", 100000),
		"lambdas":     deep("x -> ", "1", "", 20000),
		"ternaries":   deep("1 ? ", "1", " : 0", 20000),
		"cases":       deep("CASE WHEN 1 THEN ", "1", " END", 10000),
		"list":        "SELECT 1 IN (" + strings.Repeat("1,", 100000) + "1)",
		"unions":      strings.Repeat("SELECT 1 UNION ALL ", 10000) + "SELECT 1",
		"joins":       "SELECT 1 FROM system.one" + strings.Repeat(" CROSS JOIN system.one", 5000),
		"withs":       "WITH 1 AS a" + strings.Repeat(", a + a AS a", 5000) + " SELECT a",
		"doubling":    "WITH 1 AS a0" + doubling(200) + " SELECT a200",
		"comments":    "SELECT 1 " + strings.Repeat("/* */", 50000),
		"heredocs":    "SELECT " + strings.Repeat("$a$", 50001),
		"quotes":      "SELECT '" + strings.Repeat("\\'", 100000),
		"identifiers": "SELECT " + strings.Repeat("a.", 50000) + "a",
		"NUL bytes":   "SELECT 1\x00\x00; \x00",
		"no UTF-8":    "SELECT '\xff\xfe', \xff",
		"regexp":      "SELECT match('" + strings.Repeat("a", 1000) + "', '" + strings.Repeat("(a*)*", 1000) + "b')",
		"big string":  "SELECT repeat(repeat(repeat('x', 1000000), 1000000), 1000000)",
		"big number":  "SELECT range(1000000000000)",
		"big array":   "SELECT arrayJoin(range(100000000)) x, arrayJoin(range(100000000)) y ORDER BY x, y",
		"any bytes":   "\x01\x02\x03",
	} {
		r := ask(t, statement)
		if r.status != http.StatusOK && r.code() == "" {
			t.Errorf("%s: %d %.200s", name, r.status, r.body)
		}
		if r := ask(t, "SELECT 1"); r.body != "1\n" {
			t.Fatalf("after %s: %d %s", name, r.status, r.body)
		}
	}
}

func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", a%d + a%d AS a%d", i, i, i+1)
	}
	return b.String()
}
