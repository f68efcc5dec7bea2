package clickhouse_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func TestCurlReadsWithoutCredentials(t *testing.T) {
	for name, c := range map[string]call{
		"parameter":         {parameters: pairs([]string{"query", "SELECT 1"})},
		"body":              {body: strings.NewReader("SELECT 1")},
		"parameter + body":  {parameters: pairs([]string{"query", "SELECT"}), body: strings.NewReader("1")},
		"default user":      {parameters: pairs([]string{"query", "SELECT 1", "user", "default"})},
		"default in header": {parameters: pairs([]string{"query", "SELECT 1"}), header: map[string]string{"X-ClickHouse-User": "default"}},
		"HTTP/1.1 form":     {body: strings.NewReader("SELECT 1"), header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}},
		"localhost":         {parameters: pairs([]string{"query", "SELECT 1"}), header: map[string]string{"Host": "localhost:8123"}},
		"IPv6 loopback":     {parameters: pairs([]string{"query", "SELECT 1"}), header: map[string]string{"Host": "[::1]:8123"}},
		"local page":        {parameters: pairs([]string{"query", "SELECT 1"}), header: map[string]string{"Origin": "http://localhost:3000"}},
	} {
		r := c.do(t)
		if r.status != http.StatusOK || r.body != "1\n" {
			t.Errorf("%s: %d %q", name, r.status, r.body)
		}
		if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: opens itself to other pages", name)
		}
	}
}

func TestPingAndOtherPaths(t *testing.T) {
	for path, want := range map[string]int{"ping": 200, "": 200, "replicas_status": 404, "play": 404, "x/../ping": 404} {
		r := call{path: path}.do(t)
		if r.status != want || want == 200 && r.body != "Ok.\n" {
			t.Errorf("/%s: %d %q", path, r.status, r.body)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch} {
		if r := (call{method: method}).do(t); r.status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, r.status)
		}
	}
}

func TestOnlyTheOwnersPasswordOpensTheOwner(t *testing.T) {
	auth := clickhousetest.Server(t).Options().Auth
	if len(auth.Password) < 32 {
		t.Fatalf("the password has %d characters", len(auth.Password))
	}
	basic := func(user, password string) map[string]string {
		return map[string]string{"Authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
	}
	const query = "SELECT currentRoles()"
	for name, c := range map[string]call{
		"headers":    {header: ownerHeader(t)},
		"basic":      {header: basic(auth.Username, auth.Password)},
		"parameters": {parameters: pairs([]string{"user", auth.Username, "password", auth.Password})},
	} {
		c.body = strings.NewReader(query)
		if r := c.do(t); r.body != "['cuota_owner']\n" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	for name, c := range map[string]call{
		"wrong":              {header: map[string]string{"X-ClickHouse-User": auth.Username, "X-ClickHouse-Key": "x"}},
		"none":               {header: map[string]string{"X-ClickHouse-User": auth.Username}},
		"cut":                {header: basic(auth.Username, auth.Password[1:])},
		"unknown user":       {header: basic("admin", "")},
		"default + password": {parameters: pairs([]string{"user", "default", "password", auth.Password})},
		"other case":         {header: basic(strings.ToUpper(auth.Username), auth.Password)},
	} {
		c.body = strings.NewReader(query)
		if r := c.do(t); r.status != http.StatusForbidden || r.code() != "516" || !strings.HasPrefix(r.body, "Code: 516. DB::Exception: ") || strings.Contains(r.body, auth.Password[1:]) {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

func TestPagesOfTheWebAreRefused(t *testing.T) {
	for name, header := range map[string]map[string]string{
		"rebound name":   {"Host": "evil.example:8123"},
		"rebound name 2": {"Host": "localhost.evil.example"},
		"rebound name 3": {"Host": "127.0.0.1.evil.example"},
		"public address": {"Host": "192.0.2.1"},
		"foreign page":   {"Origin": "https://evil.example"},
		"file or frame":  {"Origin": "null"},
	} {
		for _, path := range []string{"", "ping"} {
			r := call{path: path, parameters: pairs([]string{"query", "SELECT 1"}), header: header}.do(t)
			if r.status != http.StatusForbidden || strings.Contains(r.body, "1\n") {
				t.Errorf("%s: %d %s", name, r.status, r.body)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	query := "SELECT number AS n FROM numbers(2)"
	for format, want := range map[string]string{
		"":                   "0\n1\n",
		"TabSeparated":       "0\n1\n",
		"CSVWithNames":       "\"n\"\n0\n1\n",
		"JSONEachRow":        "{\"n\":0}\n{\"n\":1}\n",
		"JSONCompactEachRow": "[0]\n[1]\n",
		"Values":             "(0),(1)",
		"RowBinary":          "\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00",
		"Null":               "",
	} {
		for name, r := range map[string]response{
			"clause":    ask(t, query+cut(" FORMAT ", format)),
			"parameter": ask(t, query, "default_format", format),
			"header":    call{body: strings.NewReader(query), header: map[string]string{"X-ClickHouse-Format": format}}.do(t),
		} {
			if r.body != want {
				t.Errorf("%s by %s: %q, want %q", format, name, r.body, want)
			}
		}
	}
	if r := ask(t, query+" FORMAT JSONCompact"); !strings.Contains(r.body, `"data":`) || !strings.HasPrefix(r.header.Get("Content-Type"), "application/json") || r.header.Get("X-ClickHouse-Format") != "JSONCompact" {
		t.Errorf("JSON: %s %v", r.body, r.header)
	}
	// A document is one, however many blocks it comes from.
	if r := ask(t, "SELECT number FROM numbers(200000) FORMAT CSVWithNames"); strings.Count(r.body, `"number"`) != 1 || strings.Count(r.body, "\n") != 200001 {
		t.Errorf("CSVWithNames: %d names, %d lines", strings.Count(r.body, `"number"`), strings.Count(r.body, "\n"))
	}
	if r := ask(t, "SELECT number FROM numbers(200000) FORMAT JSONEachRow", "output_format_json_array_of_rows", "1"); strings.Count(r.body, "[") != 1 || !strings.HasSuffix(r.body, "]\n") {
		t.Error("an array of rows is not one")
	}
	if r := ask(t, "SELECT number % 2 AS k, count() FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k"); r.body != "0\t5\n1\t5\n\n0\t10\n" {
		t.Errorf("totals: %q", r.body)
	}
	if r := ask(t, query+" FORMAT Nonsense"); r.status != http.StatusNotFound || r.code() != "73" {
		t.Errorf("unknown format: %d %s", r.status, r.body)
	}
}

func cut(clause, value string) string {
	if value == "" {
		return ""
	}
	return clause + value
}

func TestCompressionOfBodiesAndAnswers(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte("SELECT count() FROM numbers(7)"))
	_ = w.Close()
	if r := (call{body: bytes.NewReader(zipped.Bytes()), header: map[string]string{"Content-Encoding": "gzip"}}).do(t); r.body != "7\n" {
		t.Errorf("gzip body: %d %s", r.status, r.body)
	}
	if r := (call{body: bytes.NewReader(zipped.Bytes()[:zipped.Len()-6]), header: map[string]string{"Content-Encoding": "gzip"}}).do(t); r.status != http.StatusBadRequest {
		t.Errorf("cut gzip body: %d %s", r.status, r.body)
	}
	if r := (call{body: strings.NewReader("SELECT 1"), header: map[string]string{"Content-Encoding": "br"}}).do(t); r.status != http.StatusBadRequest {
		t.Errorf("unknown encoding: %d %s", r.status, r.body)
	}
	for _, x := range []struct {
		accept, enable string
		zipped         bool
	}{{"gzip", "1", true}, {"br, gzip;q=0.8", "1", true}, {"gzip", "0", false}, {"gzip", "", false}, {"br", "1", false}, {"", "1", false}, {"gzip;q=0", "1", false}} {
		r := call{body: strings.NewReader("SELECT number FROM numbers(300000)"), parameters: pairs([]string{"enable_http_compression", x.enable}),
			header: map[string]string{"Accept-Encoding": x.accept}}.do(t)
		text := r.body
		if (r.header.Get("Content-Encoding") == "gzip") != x.zipped {
			t.Errorf("%+v: Content-Encoding %q", x, r.header.Get("Content-Encoding"))
			continue
		}
		if x.zipped {
			reader, err := gzip.NewReader(strings.NewReader(r.body))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(reader)
			if err != nil {
				t.Fatal(err)
			}
			text = string(plain)
		}
		if strings.Count(text, "\n") != 300000 {
			t.Errorf("%+v: %d lines", x, strings.Count(text, "\n"))
		}
	}
}

func TestAnswersTellTheirQuery(t *testing.T) {
	r := ask(t, "SELECT count() FROM numbers(3)", "query_id", "my-id")
	if got := r.header.Get("X-ClickHouse-Query-Id"); got != "my-id" {
		t.Errorf("query id %q", got)
	}
	if got := r.header.Get("X-ClickHouse-Summary"); !strings.Contains(got, `"read_rows":"3"`) {
		t.Errorf("summary %s", got)
	}
	if r.header.Get("X-ClickHouse-Timezone") != "UTC" || r.header.Get("Content-Length") != "2" {
		t.Errorf("headers %v", r.header)
	}
	if a, b := ask(t, "SELECT 1").header, ask(t, "SELECT 1").header; a.Get("X-ClickHouse-Query-Id") == b.Get("X-ClickHouse-Query-Id") || a.Get("X-ClickHouse-Query-Id") == "" {
		t.Errorf("query ids %q and %q", a.Get("X-ClickHouse-Query-Id"), b.Get("X-ClickHouse-Query-Id"))
	} else if a.Get("X-ClickHouse-Exception-Tag") == b.Get("X-ClickHouse-Exception-Tag") || len(a.Get("X-ClickHouse-Exception-Tag")) != 16 {
		t.Errorf("tags %q and %q", a.Get("X-ClickHouse-Exception-Tag"), b.Get("X-ClickHouse-Exception-Tag"))
	}
	for _, id := range []string{"a b", "a\r\nX-Injected: 1", strings.Repeat("x", 129)} {
		if r := ask(t, "SELECT 1", "query_id", id); r.status != http.StatusBadRequest || r.header.Get("X-Injected") != "" {
			t.Errorf("query id %q: %d %v", id, r.status, r.header)
		}
	}
}

func TestFailureWithinAnAnswerIsFramedWithItsTag(t *testing.T) {
	query := "SELECT number, throwIf(number = 3000000) FROM numbers(10000000)"
	r := ask(t, query)
	tag := r.header.Get("X-ClickHouse-Exception-Tag")
	_, frame, framed := strings.Cut(r.body, "\r\n__exception__\r\n"+tag+"\r\n")
	// Clients find the message from the end, by its length with its line end.
	text, ending := frame[:strings.LastIndex(frame, "\n"+"__exception__")+1], ""
	if i := strings.LastIndex(strings.TrimSuffix(text, "\r\n"), "\n") + 1; i > 0 {
		text, ending = text[:i], frame[i:]
	}
	if r.status != http.StatusOK || r.err != nil || !framed || !strings.HasPrefix(text, "Code: 395. ") ||
		ending != fmt.Sprintf("%d %s\r\n__exception__\r\n", len(text), tag) {
		t.Errorf("%d: ends with %q", r.status, r.body[max(0, len(r.body)-400):])
	}
	// With wait_end_of_query nothing is sent before the end is known.
	if r := ask(t, query, "wait_end_of_query", "1"); r.status != http.StatusInternalServerError || r.code() != "395" || !strings.HasPrefix(r.body, "Code: 395. ") {
		t.Errorf("%d %.300s", r.status, r.body)
	}
}

func TestWhatTheEndpointLacksIsRefusedClearly(t *testing.T) {
	for name, c := range map[string]call{
		"session":         {parameters: pairs([]string{"session_id", "x"}), body: strings.NewReader("SELECT 1")},
		"role":            {parameters: pairs([]string{"role", "x"}), body: strings.NewReader("SELECT 1")},
		"external tables": {header: map[string]string{"Content-Type": "multipart/form-data; boundary=x"}, body: strings.NewReader("--x--")},
		"empty":           {body: strings.NewReader(" \n ")},
		"comment":         {body: strings.NewReader("-- nothing")},
		"repeated":        {path: "?max_block_size=1&max_block_size=2", body: strings.NewReader("SELECT 1")},
		"bad escape":      {path: "?query=%zz"},
	} {
		if r := c.do(t); r.status != http.StatusBadRequest || !strings.HasPrefix(r.body, "Code: ") {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	for name, c := range map[string]call{
		"unknown setting":  {parameters: pairs([]string{"nosuchsetting", "1"})},
		"bad setting name": {parameters: pairs([]string{"max_threads = 1, readonly", "0"})},
	} {
		c.body, c.header = strings.NewReader("SELECT 1"), ownerHeader(t)
		if r := c.do(t); r.status != http.StatusNotFound || r.code() != "115" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	if r := askOwner(t, "SELECT '"+strings.Repeat("x", 2<<20)+"'"); r.status != http.StatusRequestEntityTooLarge {
		t.Errorf("long statement: %d %.200s", r.status, r.body)
	}
	if r := askOwner(t, "SELECT 1; SELECT 2"); r.status != http.StatusBadRequest || r.code() != "62" {
		t.Errorf("two statements: %d %s", r.status, r.body)
	}
	if r := askOwner(t, "CREATE TABLE one (a UInt8) ENGINE = Memory; CREATE TABLE two (a UInt8) ENGINE = Memory"); r.status != http.StatusBadRequest || r.code() != "62" {
		t.Errorf("two definitions: %d %s", r.status, r.body)
	}
	if r := askOwner(t, "SELECT count() FROM system.tables WHERE database = 'cuota' AND name IN ('one', 'two')"); r.body != "0\n" {
		t.Errorf("of two definitions in one text %s were run", r.body)
	}
	if r := askOwner(t, "SELECT 1; garbage"); r.status != http.StatusBadRequest || r.code() != "62" {
		t.Errorf("two statements: %d %s", r.status, r.body)
	}
}

func TestGetNeverWrites(t *testing.T) {
	owner := openWith(t, clickhousetest.Database(t))
	database := scalar[string](t, owner, "SELECT currentDatabase()")
	execute(t, owner, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
	for _, query := range []string{"INSERT INTO t VALUES (1)", "INSERT INTO t SELECT 1", "DROP TABLE t", "SYSTEM FLUSH LOGS"} {
		r := call{parameters: pairs([]string{"query", query, "database", database}), header: ownerHeader(t)}.do(t)
		if r.status != http.StatusForbidden || r.code() != "164" {
			t.Errorf("%s: %d %s", query, r.status, r.body)
		}
	}
	if n := scalar[uint64](t, owner, "SELECT count() FROM t"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestSettingsOfOneRequestDoNotReachTheNext(t *testing.T) {
	for range 3 {
		if r := askOwner(t, "SELECT getSetting('max_block_size')", "max_block_size", "1234"); r.body != "1234\n" {
			t.Fatalf("setting is not applied: %s", r.body)
		}
		if r := askOwner(t, "SET max_block_size = 4321"); r.status != http.StatusOK {
			t.Fatalf("SET: %s", r.body)
		}
		for _, format := range []string{"TSV", "JSON"} { // streamed and not
			if r := askOwner(t, "SELECT getSetting('max_block_size'), {x:UInt8} SETTINGS max_block_size = 4321 FORMAT "+format, "param_x", "1"); !strings.Contains(r.body, "4321") {
				t.Fatalf("SETTINGS: %s", r.body)
			}
			if r := askOwner(t, "SELECT throwIf(1) SETTINGS max_block_size = 4321 FORMAT "+format); r.code() != "395" {
				t.Fatalf("SETTINGS: %s", r.body)
			}
		}
		if r := askOwner(t, "SELECT {x:UInt8}"); r.status == http.StatusOK {
			t.Fatalf("parameter left behind: %s", r.body)
		}
		if r := askOwner(t, "USE system"); r.status != http.StatusOK {
			t.Fatalf("USE: %s", r.body)
		}
		if r := askOwner(t, "CREATE TEMPORARY TABLE temporary (a UInt8)"); r.status != http.StatusOK {
			t.Fatalf("temporary table: %s", r.body)
		}
		if r := askOwner(t, "SELECT getSetting('max_block_size') IN (1234, 4321), currentDatabase()"); r.body != "0\tcuota\n" {
			t.Fatalf("left behind: %s", r.body)
		}
		if r := askOwner(t, "SELECT * FROM temporary"); r.code() != "60" {
			t.Fatalf("left behind: %d %s", r.status, r.body)
		}
	}
}

// More kinds of sessions than are kept must neither fail nor mix.
func TestManySettingsShareABoundedPool(t *testing.T) {
	for round := range 2 {
		for i := range 100 {
			if r := askOwner(t, "SELECT getSetting('max_block_size')", "max_block_size", fmt.Sprint(1000+i)); r.body != fmt.Sprintf("%d\n", 1000+i) {
				t.Fatalf("round %d, %d: %s", round, i, r.body)
			}
		}
	}
}

func TestSystemLogsAreOff(t *testing.T) {
	if r := askOwner(t, "SELECT count() FROM system.tables WHERE database = 'system' AND name LIKE '%\\_log'"); r.body != "0\n" {
		t.Errorf("%s log tables", r.body)
	}
}

func TestOwnerBacksUpAndRestoresWithinTheDirectoryOnly(t *testing.T) {
	conn := open(t)
	database := scalar[string](t, conn, "SELECT currentDatabase()")
	backup := "File('" + database + "')" // the name of no other run of this test
	exec := func(statement string) string {
		t.Helper()
		return askOwner(t, statement, "database", database).body
	}
	execute(t, conn, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
	execute(t, conn, "INSERT INTO t SELECT 7")
	if body := exec("BACKUP TABLE t TO " + backup); !strings.Contains(body, "BACKUP_CREATED") {
		t.Errorf("backup: %s", body)
	}
	if body := exec("RESTORE TABLE t AS restored FROM " + backup); !strings.Contains(body, "RESTORED") {
		t.Errorf("restore: %s", body)
	}
	if got := scalar[uint8](t, conn, "SELECT a FROM restored"); got != 7 {
		t.Errorf("restored %d", got)
	}
	outside := t.TempDir() + "/backup"
	if body := exec("BACKUP TABLE t TO File('" + outside + "')"); !strings.HasPrefix(body, "Code: ") {
		t.Errorf("backup elsewhere: %s", body)
	}
}
