package door

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// makeViews makes views with parameters in the database of people, until the test ends.
func makeViews(t *testing.T, s *server) {
	t.Helper()
	owner := s.owner(t)
	for name, statement := range map[string]string{
		"since": "CREATE VIEW market.since (day Date, value Float64) SQL SECURITY DEFINER AS " +
			"SELECT day, value FROM market.quote WHERE day >= {first:Date} AND value < {below:Float64} " +
			"COMMENT 'Quotes below a value: since(first = ''2025-01-03'', below = 5). Key: day.'",
		"some_of": "CREATE VIEW market.some_of (day Date, value Float64) SQL SECURITY DEFINER AS " +
			"SELECT day, value FROM market.quote WHERE day IN {days:Array(Date)}",
	} {
		must(t, owner.Exec(t.Context(), statement))
		t.Cleanup(func() { _ = owner.Exec(context.Background(), "DROP VIEW market."+name+" SYNC") })
	}
}

const sinceHint = ". since is a table with arguments, write all of them: first Date, below Float64. " +
	"For example: SELECT * FROM market.since(first = '2025-01-03', below = 5)"

func TestATableWithArgumentsSaysWhatToWriteWhereTheyAreMissing(t *testing.T) {
	s := engine(t)
	makeViews(t, s)
	d := openDoors(t, s, nil)
	for _, statement := range []string{
		"SELECT * FROM since", "select day from market.since limit 1", "SELECT count() FROM since",
		"SELECT 1 FROM `since`",
		"SELECT s.day FROM since AS s JOIN quote USING day", "WITH a AS (SELECT * FROM since) SELECT * FROM a",
		"SELECT * FROM quote WHERE day IN (SELECT day FROM since)", "SELECT * FROM quote WHERE day IN since",
		"SELECT * FROM quote, since",
		"SELECT * FROM since()", "SELECT * FROM since(first = '2025-01-03')", "SELECT * FROM since (below = 5)",
		"SELECT * FROM since('2025-01-03', 5)",
		"SELECT value FROM since FORMAT JSON",
	} {
		plain, got := ask(t, s.http+"/?user=owner&password="+s.password+"&database=market", statement),
			ask(t, d.http, statement)
		if got.status != plain.status || got.code != plain.code {
			t.Errorf("%s: the door answers %d with code %s, the engine %d with %s", statement, got.status, got.code,
				plain.status, plain.code)
		}
		if strings.Count(got.body, sinceHint) != 1 || strings.Replace(got.body, sinceHint, "", 1) != plain.body {
			t.Errorf("%s: the door says\n%s\nthe engine\n%s", statement, got.body, plain.body)
		}
	}

	got := exchange(t, d.http, "GET /?query="+url.QueryEscape("SELECT * FROM since")+" HTTP/1.0\nHost: localhost\n\n")
	if !strings.Contains(got.body, sinceHint) {
		t.Errorf("of a statement in the address: %s", got.body)
	}
	for _, encoding := range []string{"gzip", "deflate", "br", "lz4", "zstd", "gzip, deflate, br"} {
		got := exchange(t, d.http, "GET /?query="+url.QueryEscape("SELECT * FROM since")+
			" HTTP/1.0\nHost: localhost\nAccept-Encoding: "+encoding+"\n\n")
		if !strings.Contains(got.body, sinceHint) || got.header.Get("Content-Encoding") != "" {
			t.Errorf("to a client that reads %s: %v %s", encoding, got.header, got.body)
		}
	}
	err := open(t, d.overHTTP()).Exec(t.Context(), "SELECT * FROM since")
	if err == nil || !strings.Contains(err.Error(), sinceHint) {
		t.Errorf("clickhouse-go says %v", err)
	}
	_, example, _ := strings.Cut(sinceHint, "For example: ")
	if got := ask(t, d.http, example); got.status != http.StatusOK ||
		got.body != "2025-01-03\t2\n2025-01-04\t3\n2025-01-05\t4\n" {
		t.Errorf("the example is answered with %d %s", got.status, got.body)
	}
	const without = ". some_of is a table with arguments, write all of them: days Array(Date). " +
		"(EMPTY_LIST_OF_COLUMNS_QUERIED)"
	if got := ask(t, d.http, "SELECT * FROM some_of"); !strings.Contains(got.body, without) {
		t.Errorf("of a view whose comment has no call: %s", got.body)
	}
}

func TestNoOtherReplyIsCompletedWithArguments(t *testing.T) {
	s := engine(t)
	makeViews(t, s)
	d := openDoors(t, s, nil)
	for _, statement := range []string{
		"SELECT unknown FROM quote", "SELECT * FROM sinces",
		"SELECT nothing FROM since(first = '2025-01-03', below = 5)",
		"SELECT * FROM since(first = 'no', below = 5)", "SELECT throwIf(1, 'since')", "SELECT {first:Date}",
		"SELECT * FROM since(first = '2025-01-03', below = 5)",
		"SELECT 'Code: 51. DB::Exception: since. (X) (version 1)'",
	} {
		plain, got := ask(t, s.http+"/?user=owner&password="+s.password+"&database=market", statement),
			ask(t, d.http, statement)
		if got.status != plain.status || got.code != plain.code || got.body != plain.body {
			t.Errorf("%s: the door says %d\n%s\nthe engine %d\n%s", statement, got.status, got.body, plain.status,
				plain.body)
		}
	}
	t.Run("an error longer than the door completes", func(t *testing.T) {
		statement := "SELECT * FROM since WHERE '" + strings.Repeat("x", maxErrorBytes) + "' = ''"
		plain, got := ask(t, s.http+"/?user=owner&password="+s.password+"&database=market", statement),
			ask(t, d.http, statement)
		if got.body != plain.body || len(got.body) <= maxErrorBytes {
			t.Errorf("%d bytes, of the engine %d", len(got.body), len(plain.body))
		}
	})
	var value float64
	must(t, open(t, &driver.Options{Addr: []string{d.http}, Protocol: driver.HTTP,
		Compression: &driver.Compression{Method: driver.CompressionGZIP}}).
		QueryRow(t.Context(), "SELECT sum(value) FROM since(first = '2025-01-03', below = 5)").Scan(&value))
	if value != 9 {
		t.Errorf("the sum is %v", value)
	}
}
