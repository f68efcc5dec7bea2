package clickhouse_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func insertTable(t *testing.T) (driver.Conn, string) {
	t.Helper()
	conn := open(t)
	execute(t, conn, "CREATE TABLE t (a UInt64, s String DEFAULT 'none') ENGINE = MergeTree ORDER BY a")
	return conn, scalar[string](t, conn, "SELECT currentDatabase()")
}

func TestInsertFormsOfTheHTTPInterface(t *testing.T) {
	for name, x := range map[string]struct{ query, body, want string }{
		"values in the body":        {"", "INSERT INTO t VALUES (1, 'a'), (2, 'b')", "1a 2b"},
		"values, columns":           {"", "INSERT INTO t (s, a) VALUES ('x;y', 3)", "3x;y"},
		"values, comment":           {"", "INSERT /* ( */ INTO t -- VALUES\n (a) VALUES (4)", "4none"},
		"query and body":            {"INSERT INTO t FORMAT CSV", "5,\"c d\"\n6,e\n", "5c d 6e"},
		"values by query and body":  {"INSERT INTO t (a) VALUES", "(7),(8)", "7none 8none"},
		"format in the body":        {"", "INSERT INTO t FORMAT TSV\n9\tx\n", "9x"},
		"JSON":                      {"", "INSERT INTO t FORMAT JSONEachRow {\"a\":10,\"s\":\"FORMAT\"}\n{\"a\":11}", "10FORMAT 11none"},
		"settings":                  {"", "INSERT INTO t SETTINGS async_insert = 0 FORMAT TSV\n12\tx\n", "12x"},
		"quoted table":              {"", "INSERT INTO TABLE `t` (`a`, \"s\") FORMAT Values (13, 'VALUES')", "13VALUES"},
		"line ends of Windows":      {"INSERT INTO t FORMAT CSV", "14,x\r\n15,y\r\n", "14x 15y"},
		"select":                    {"", "INSERT INTO t SELECT 16, 'values format'", "16values format"},
		"binary with leading bytes": {"INSERT INTO t (a, s) FORMAT RowBinary", "\x20\x0a\x00\x00\x00\x00\x00\x00\x02\n ", "2592\n "},
		"nothing":                   {"INSERT INTO t FORMAT CSV", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			conn, database := insertTable(t)
			parameters := pairs([]string{"database", database})
			if x.query != "" {
				parameters.Set("query", x.query)
			}
			r := call{method: http.MethodPost, parameters: parameters, body: strings.NewReader(x.body), header: ownerHeader(t)}.do(t)
			if r.status != http.StatusOK || r.body != "" {
				t.Fatalf("%d %s", r.status, r.body)
			}
			got := scalar[string](t, conn, "SELECT arrayStringConcat(arrayMap(x -> concat(toString(x.1), x.2), arraySort(groupArray((a, s)))), ' ') FROM t")
			if got != x.want {
				t.Errorf("stored %q, want %q", got, x.want)
			}
			if n := len(strings.Fields(x.want)); n > 0 && !strings.Contains(r.header.Get("X-ClickHouse-Summary"), `"written_rows"`) {
				t.Errorf("summary %s", r.header.Get("X-ClickHouse-Summary"))
			}
		})
	}
}

func TestInsertOfBadDataStoresNothing(t *testing.T) {
	conn, database := insertTable(t)
	for _, body := range []string{
		"INSERT INTO t FORMAT CSV\n1,a\nx,b\n", "INSERT INTO t VALUES (1, 'a'), (", "INSERT INTO missing FORMAT CSV\n1,a\n",
		"INSERT INTO t FORMAT `CSV SETTINGS x = 1`\n1,a\n",
		"INSERT INTO t FORMAT Nonsense\n1", "INSERT INTO t FORMAT Native\n\x01\x01", "INSERT INTO t (missing) VALUES (1)", "INSERT INTO t",
	} {
		r := askOwner(t, body, "database", database)
		if r.status == http.StatusOK || r.code() == "" {
			t.Errorf("%q: %d %s", body, r.status, r.body)
		}
	}
	if n := scalar[uint64](t, conn, "SELECT count() FROM t"); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestWhatFollowsTheDataOfAnInsertIsNotRun(t *testing.T) {
	conn, database := insertTable(t)
	if r := askOwner(t, "INSERT INTO t VALUES (1, 'a'); DROP TABLE t", "database", database); r.status != http.StatusOK {
		t.Errorf("%d %s", r.status, r.body)
	}
	if n := scalar[uint64](t, conn, "SELECT count() FROM t"); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// A client that dies within its body, however much it had sent and whatever
// the framing, leaves no row behind.
func TestInsertWhoseBodyIsCutOffStoresNothing(t *testing.T) {
	conn, database := insertTable(t)
	auth := clickhousetest.Server(t).Options().Auth
	head := func(framing string) string {
		return "POST /?database=" + database + "&query=INSERT+INTO+t+FORMAT+CSV HTTP/1.1\r\nHost: localhost\r\n" +
			"X-ClickHouse-User: " + auth.Username + "\r\nX-ClickHouse-Key: " + auth.Password + "\r\n" + framing + "\r\n\r\n"
	}
	few := "1,a\n2,b\n"
	var many strings.Builder // more than a block of the engine and than what is kept in memory
	for i := range 1_500_000 {
		fmt.Fprintf(&many, "%d,abc\n", i)
	}
	for name, sent := range map[string]string{
		"with a length, few":  head("Content-Length: 100") + few,
		"with a length, many": head(fmt.Sprintf("Content-Length: %d", many.Len()+100)) + many.String(),
		"chunked, few":        head("Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n", len(few), few),
		"chunked, many":       head("Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n", many.Len(), many.String()),
	} {
		socket, err := net.Dial("tcp", clickhousetest.Server(t).Addr())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := socket.Write([]byte(sent)); err != nil {
			t.Fatal(err)
		}
		// Half-closed, the endpoint's answer can still be read: when it has
		// come, the request is over.
		if err := socket.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(socket), nil)
		if err == nil {
			if answer.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: acknowledged with %d", name, answer.StatusCode)
			}
			_ = answer.Body.Close()
		}
		_ = socket.Close()
		if n := scalar[uint64](t, conn, "SELECT count() FROM t"); n != 0 {
			t.Errorf("%s: %d rows are stored", name, n)
		}
	}
	// The same bodies with their ends are stored, so the above could fail.
	whole := call{parameters: pairs([]string{"database", database, "query", "INSERT INTO t FORMAT CSV"}), body: strings.NewReader(many.String()), header: ownerHeader(t)}
	if r := whole.do(t); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if n := scalar[uint64](t, conn, "SELECT count() FROM t"); n != 1_500_000 {
		t.Errorf("%d rows", n)
	}
}
