package query_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/loop"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// longTable is a request whose table is longer than what fits into the buffers on its way.
const longTable = "/api/returns?from_date=2025-05-31&to_date=2025-06-30&format=ndjson"

// running counts the statements of the database that ClickHouse runs for longTable.
func running(t testing.TB, conn driver.Conn) uint64 {
	t.Helper()
	var count uint64
	must(t, conn.QueryRow(t.Context(),
		"SELECT count() FROM system.processes WHERE current_database = currentDatabase() AND Settings['log_comment'] "+
			"= 'query/rows_returns'").Scan(&count))
	return count
}

// slow is a proxy to ClickHouse's HTTP interface that passes on the first bytes of an answer and
// then does what a test wants.
func slow(t *testing.T, then func(w http.ResponseWriter, rest io.Reader)) string {
	t.Helper()
	target := "http://" + clickhousetest.Server(t).HTTP()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequestWithContext(r.Context(), r.Method, target+r.URL.String(), r.Body)
		if err != nil {
			panic(err)
		}
		request.Header = r.Header
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = response.Body.Close() }()
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		_, _ = io.CopyN(w, response.Body, 100<<10)
		w.(http.Flusher).Flush()
		then(w, response.Body)
		_, _ = io.Copy(io.Discard, response.Body) // the library's engine must not see a reset
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// download asks a server for the long table. It returns the error with which the body ended.
func download(ctx context.Context, t *testing.T, r *rig, begun func()) (int, error) {
	t.Helper()
	server := httptest.NewServer(r.Handler())
	defer server.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+longTable, nil)
	must(t, err)
	request.Header.Set("X-Api-Key", r.key)
	request.Header.Set("Accept-Encoding", "identity") // compressed, the table may fit into the buffers
	response, err := server.Client().Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.ReadFull(response.Body, make([]byte, 1000)); err != nil {
		return response.StatusCode, err
	}
	begun()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

// ClickHouse dies, or fails, when a part of the table was sent. The client must not take that
// part for all rows.
func TestATableThatFailsMidwayIsCutOff(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	for name, then := range map[string]func(http.ResponseWriter, io.Reader){
		"the connection ends": func(http.ResponseWriter, io.Reader) { panic(http.ErrAbortHandler) },
		"ClickHouse fails": func(w http.ResponseWriter, _ io.Reader) {
			_, _ = io.WriteString(w, "\r\n__exception__\r\ntag\r\nCode: 241. DB::Exception: Memory limit exceeded\r\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
	} {
		config := unlimited
		config.ClickHouse = sql.NewHTTP(options, slow(t, then))
		r := newRig(t, options, config)
		status, err := download(t.Context(), t, r, func() {})
		if status != http.StatusOK || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: status %d, the body ends with %v", name, status, err)
		}
		if !strings.Contains(r.logged.String(), "interrupted") ||
			name == "ClickHouse fails" && !strings.Contains(r.logged.String(), "Memory limit exceeded") {
			t.Errorf("%s: the log does not tell: %s", name, r.logged)
		}
	}
}

// A server that does not mark results that fail midway is not used, because a part of a table
// would look like all of it.
func TestAServerThatDoesNotMarkFailuresIsNotUsed(t *testing.T) {
	t.Parallel()
	options := demotest.Published(t)
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}\n")
	}))
	defer old.Close()
	config := unlimited
	config.ClickHouse = sql.NewHTTP(options, old.URL)
	wantCode(t, newRig(t, options, config).get(t, longTable), http.StatusServiceUnavailable, "data_unavailable")
}

// ClickHouse was restarted while rows were sent, and its tables are not inspected yet: some rows may
// be missing.
func TestATableIsCutOffIfReadsWereStoppedMeanwhile(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	var r *rig
	config := unlimited
	config.ClickHouse = sql.NewHTTP(options, slow(t, func(w http.ResponseWriter, rest io.Reader) {
		r.Gate().Close()
		_, _ = io.Copy(w, rest)
	}))
	r = newRig(t, options, config)
	if status, err := download(t.Context(), t, r, func() {}); status != http.StatusOK ||
		!errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("status %d, the body ends with %v", status, err)
	}
}

func TestAStatementEndsWhenItsClientLeaves(t *testing.T) {
	t.Parallel()
	options := demotest.Published(t)
	r := newRig(t, options, unlimited)
	ctx, leave := context.WithCancel(t.Context())
	if _, err := download(ctx, t, r, leave); !errors.Is(err, context.Canceled) {
		t.Errorf("the download ended with %v", err)
	}
	waiting, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, loop.Until(waiting, 20*time.Millisecond, func() (bool, error) {
		return running(t, r.conn) == 0 && r.Load().Requests == 0, nil
	}))
}

// Clients that read nothing hold no more than the places for streams, and JSON is still answered.
func TestSlowClientsOfTablesDoNotKeepOthersFromJSON(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	hold := make(chan struct{})
	config := unlimited
	config.ClickHouse = sql.NewHTTP(options, slow(t, func(w http.ResponseWriter, rest io.Reader) {
		<-hold
		_, _ = io.Copy(w, rest)
	}))
	config.HTTP.Streams = 1
	r := newRig(t, options, config)
	server := httptest.NewServer(r.Handler())
	defer server.Close()
	ask := func() chan int {
		status := make(chan int, 1)
		go func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+longTable, nil)
			if err != nil {
				panic(err)
			}
			request.Header.Set("X-Api-Key", r.key)
			response, err := server.Client().Do(request)
			if err != nil {
				status <- 0
				return
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			status <- response.StatusCode
		}()
		return status
	}
	asked := []chan int{ask(), ask(), ask()} // one runs, two wait
	must(t, loop.Until(t.Context(), 10*time.Millisecond, func() (bool, error) { return r.Load().Requests == 3, nil }))
	wantCode(t, r.get(t, longTable), http.StatusServiceUnavailable, "overloaded")
	wantStatus(t, r.get(t, "/api/real_assets/1161378270/days"), http.StatusOK)
	close(hold)
	for _, status := range asked {
		if got := <-status; got != http.StatusOK {
			t.Errorf("status %d", got)
		}
	}
}
