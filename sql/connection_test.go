package sql_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/statementtest"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

func recorder(t *testing.T) *statementtest.Recorder {
	t.Helper()
	conn, err := clickhouse.Open(clickhousetest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &statementtest.Recorder{Conn: conn}
}

func heard(t *testing.T, r *statementtest.Recorder) []statementtest.Statement {
	t.Helper()
	list, err := r.Heard()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestANameGoesWithTheParametersAndSettingsOfAStatement(t *testing.T) {
	r := recorder(t)
	conn := sql.Named(r, "query")
	ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"value": "7"}))
	ctx = sql.WithSettings(ctx, clickhouse.Settings{"max_result_bytes": 12345})
	var value, most uint64
	if err := conn.QueryRow(ctx, "SELECT {value:UInt64}, toUInt64(getSetting('max_result_bytes'))").Scan(&value,
		&most); err != nil {
		t.Fatal(err)
	}
	if value != 7 || most != 12345 {
		t.Errorf("the parameter is %d and the setting %d", value, most)
	}
	if list := heard(t, r); list[0].Comment != "query/unnamed" {
		t.Errorf("a statement that is no file is called %q", list[0].Comment)
	}
}

func TestAJoinHasEmptyValuesForMissingRowsWhateverTheProfileSays(t *testing.T) {
	options := clickhousetest.Database(t)
	options.Settings = clickhouse.Settings{"join_use_nulls": 1}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for named, want := range map[driver.Conn]int64{conn: -1, sql.Named(conn, "query"): 0} {
		var missing int64
		if err := named.QueryRow(t.Context(), "SELECT toInt64(ifNull(b.n, -1)) FROM (SELECT 1 AS n) AS a "+
			"LEFT JOIN (SELECT 2 AS n) AS b ON a.n = b.n").Scan(&missing); err != nil || missing != want {
			t.Errorf("a missing row has %d, want %d: %v", missing, want, err)
		}
	}
}

func TestRequestsOfOneIDHaveStatementsOfTheirOwn(t *testing.T) {
	r := recorder(t)
	conn := sql.Named(r, "query")
	ctx := sql.ForRequest(t.Context(), "the-same", "")
	for range 3 {
		if err := conn.Exec(ctx, "SELECT 1"); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]bool{}
	for _, one := range heard(t, r) {
		ids[one.ID] = true
		if !strings.HasPrefix(one.ID, "the-same-") {
			t.Errorf("the id %q does not begin with that of the request", one.ID)
		}
	}
	if len(ids) != 3 {
		t.Errorf("three statements have the ids %v", ids)
	}
}

func TestASlowStatementIsLoggedWithItsNameAndRequest(t *testing.T) {
	var log bytes.Buffer
	var told []string
	watch := sql.Watch{Slow: 1, Log: zerolog.New(&log), Ran: func(name string, how sql.Outcome) {
		if how.Slow {
			told = append(told, name)
		}
	}}
	conn := sql.Named(sql.Watched(recorder(t).Conn, watch), "query")
	if err := conn.Exec(sql.ForRequest(t.Context(), "abc", "def"), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 {
		t.Errorf("a statement has ended before its rows are read: %v", told)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	var line struct {
		Statement string  `json:"statement"`
		Request   string  `json:"request_id"`
		Trace     string  `json:"trace_id"`
		Took      float64 `json:"took_ms"`
	}
	if err := json.NewDecoder(&log).Decode(&line); err != nil {
		t.Fatal(err)
	}
	if line.Statement != "query/unnamed" || line.Request != "abc" || line.Trace != "def" || line.Took <= 0 || len(told) != 2 {
		t.Errorf("the log says %+v, and %v were told", line, told)
	}
}

func TestNoStatementIsLoggedAsSlowWithoutALimit(t *testing.T) {
	var log bytes.Buffer
	conn := sql.Named(sql.Watched(recorder(t).Conn, sql.Watch{Log: zerolog.New(&log)}), "query")
	if err := conn.Exec(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if log.Len() > 0 {
		t.Errorf("it logs %s", &log)
	}
}

// The test finds the files by walking the folders, and gets the texts as the program does.
func TestEveryStatementOfPackageSQLHasAName(t *testing.T) {
	texts := map[string]string{}
	paths, err := filepath.Glob("queries/*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v, %v", paths, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".sql")
		texts[sql.Query(name)], texts[sql.QueryAsWritten(name)] = name, name
	}
	for folder, scripts := range map[string][]sql.Script{
		"checks": sql.Checks(), "garbage": slices.Concat(sql.RetiredGarbage(), sql.AbandonedGarbage(),
			sql.SupersededGarbage(), sql.DoubledGarbage()),
		"tables": sql.Tables(), "functions": sql.Functions(), "views": sql.Views(),
	} {
		for _, script := range scripts {
			texts[script.Text] = folder + "/" + script.Name
		}
	}
	projections, err := sql.Projections()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range projections {
		texts[p.Text] = "projections/" + p.Name
	}
	texts[sql.Insert("batch_failure")] = "inserts/batch_failure"
	texts[sql.InsertInto("fact_quota", []string{"run", "serie"})] = "inserts/fact_quota"
	for text, want := range texts {
		if name, known := sql.NameOf(text); !known || name != want {
			t.Errorf("%s is called %q", want, name)
		}
	}
}

// ending is a connection on which every statement ends with an error of ClickHouse.
type ending struct {
	driver.Conn
	code int32
}

func (e ending) Exec(context.Context, string, ...any) error {
	return &clickhouse.Exception{Code: e.code}
}

func TestStatementsThatClickHouseEndedAreCounted(t *testing.T) {
	for code, want := range map[int32]bool{159: true, 241: true, 394: true, 60: false} {
		var how sql.Outcome
		conn := sql.Watched(ending{code: code}, sql.Watch{Ran: func(_ string, ended sql.Outcome) { how = ended }})
		if err := conn.Exec(t.Context(), "SELECT 1"); err == nil || how.Killed != want {
			t.Errorf("code %d: %v, killed is %t", code, err, how.Killed)
		}
	}
}

// preparing is a connection that records the context of each batch. Its batches store nothing.
type preparing struct {
	driver.Conn
	given context.Context
}

func (p *preparing) PrepareBatch(ctx context.Context, _ string, _ ...driver.PrepareBatchOption) (driver.Batch, error) {
	p.given = ctx
	return stored{}, ctx.Err()
}

type stored struct{ driver.Batch }

func (stored) Send() error  { return nil }
func (stored) Abort() error { return nil }

// The driver closes the connection of a batch when it notices that the context has ended, and may
// notice it when another statement already has the connection.
func TestABatchThatWasSentOrAbortedIsNoLongerBoundToItsContext(t *testing.T) {
	for name, finish := range map[string]func(driver.Batch) error{"sent": driver.Batch.Send,
		"aborted": driver.Batch.Abort} {
		t.Run(name, func(t *testing.T) {
			conn := &preparing{}
			ctx, cancel := context.WithCancel(t.Context())
			batch, err := sql.Named(conn, "projector").PrepareBatch(ctx, "INSERT INTO t")
			if err != nil {
				t.Fatal(err)
			}
			if err := finish(batch); err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := conn.given.Err(); err != nil {
				t.Errorf("the context of a batch that is over ended: %v", err)
			}
		})
	}
	t.Run("still open", func(t *testing.T) {
		conn := &preparing{}
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := sql.Named(conn, "projector").PrepareBatch(ctx, "INSERT INTO t"); err != nil {
			t.Fatal(err)
		}
		cancel()
		<-conn.given.Done() // or the test does not end
	})
}
