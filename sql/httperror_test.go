package sql_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/sql"
)

// A statement that was worked on until it was killed is not given back to the quota of a key.
func TestAStatementThatIsKilledOverHTTPCountsAsKilled(t *testing.T) {
	for text, killed := range map[string]bool{
		"Code: 159. DB::Exception: Timeout exceeded: elapsed 60 seconds. (TIMEOUT_EXCEEDED)\n": true,
		"Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)":             true,
		"Code: 62. DB::Exception: Syntax error. (SYNTAX_ERROR)":                                false,
		"Code: 99999999999999999999. Nonsense":                                                 false,
		"Bad gateway":                                                                          false,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, text)
		}))
		var outcomes []sql.Outcome
		conn := sql.Watched(nil, sql.Watch{Ran: func(_ string, how sql.Outcome) { outcomes = append(outcomes, how) }})
		reader := sql.NewReader(conn, "query", time.Minute, false,
			nil).Over(sql.NewHTTP(&clickhouse.Options{}, server.URL))
		err := reader.Stream(context.Background(), io.Discard, sql.CSV,
			sql.Bounds{Rows: 1, Bytes: 1, Time: time.Minute}, "benchmarks", sql.Arg("batch", uint64(1)))
		server.Close()
		var failed *sql.ReadError
		if !errors.As(err, &failed) || failed.Worked() != killed || len(outcomes) != 1 || outcomes[0].Killed != killed {
			t.Errorf("%q: %v, outcomes %v", text, err, outcomes)
		}
	}
}
