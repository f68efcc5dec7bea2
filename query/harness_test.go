package query_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// patience limits how long a test waits. Nothing is expected to take this long.
const patience = 3 * time.Minute

// rig is a server over a real engine and a real store of accounts.
type rig struct {
	*query.Server
	conn   driver.Conn
	store  *account.Store
	key    string // of the tier internal, which has no limit
	issued int    // keys so far
	clock  *atomic.Pointer[time.Time]
	logged *bytes.Buffer // the server's log; read it only when no request is running
}

// unlimited is a configuration without a limit per address.
var unlimited = query.Config{HTTP: httpapi.Config{Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9}}}

// newRig makes a server on the database, at the time of the demo market. A statement may
// take as long as patience, unless cfg says otherwise.
func newRig(t testing.TB, options *clickhouse.Options, cfg query.Config) *rig {
	t.Helper()
	if cfg.ClickHouse == nil {
		cfg.ClickHouse = sql.NewHTTP(options, "http://"+clickhousetest.Server(t).HTTP())
	}
	return rigOver(t, connect(t, options), cfg)
}

func connect(t testing.TB, options *clickhouse.Options) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(options)
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	return conn
}

// watched is a connection that reports each statement before it is sent.
type watched struct {
	driver.Conn
	look func(statement string)
}

func (w watched) Select(ctx context.Context, to any, statement string, args ...any) error {
	w.look(statement)
	return w.Conn.Select(ctx, to, statement, args...)
}

func (w watched) Query(ctx context.Context, statement string, args ...any) (driver.Rows, error) {
	w.look(statement)
	return w.Conn.Query(ctx, statement, args...)
}

func (w watched) QueryRow(ctx context.Context, statement string, args ...any) driver.Row {
	w.look(statement)
	return w.Conn.QueryRow(ctx, statement, args...)
}

// rigOver makes a server on a connection.
func rigOver(t testing.TB, conn driver.Conn, cfg query.Config) *rig {
	t.Helper()
	var err error
	r := &rig{conn: conn, clock: &atomic.Pointer[time.Time]{}, logged: &bytes.Buffer{}}
	r.setClock(demotest.Clock)
	r.store, err = account.Open(t.Context(), "sqlite://"+t.TempDir()+"/accounts.db", bytes.Repeat([]byte{7}, 32),
		account.WithTimeout(patience),
		account.WithClock(func() time.Time { return *r.clock.Load() }))
	must(t, err)
	t.Cleanup(func() { _ = r.store.Close() }) // an error only means that the test closed it
	r.key = r.issue(t, account.Internal)
	if cfg.QueryTimeout == 0 {
		cfg.QueryTimeout = patience
	}
	if cfg.HTTP.Waiting == 0 {
		cfg.HTTP.Waiting = 1000 // tests may send any number of requests at once
	}
	cfg.HTTP.Now, cfg.HTTP.Links = func() time.Time { return *r.clock.Load() }, r.store
	r.Server, err = query.New(cfg, conn, r.store, zerolog.New(zerolog.SyncWriter(r.logged)))
	must(t, err)
	must(t, r.Refresh(t.Context()))
	return r
}

// making returns a server beside the rig's, on the same batches, with the operation /making.
func (r *rig) making(t testing.TB, make func(context.Context, io.Writer) error) *httpapi.Server {
	t.Helper()
	server, err := r.Making(r.store, zerolog.New(zerolog.SyncWriter(r.logged)), make)
	must(t, err)
	return server
}

func (r *rig) setClock(at time.Time) { r.clock.Store(&at) }

func (r *rig) issue(t testing.TB, tier account.Tier, opts ...account.KeyOption) string {
	t.Helper()
	r.issued++ // a new owner each time, because a second key of one owner revokes the first
	key, _, err := r.store.CreateKey(t.Context(), fmt.Sprintf("a%d@example.org", r.issued), tier, opts...)
	must(t, err)
	return key
}

// answer is a response that conforms to both contracts.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get sends a request with the unlimited key.
func (r *rig) get(t testing.TB, target string) answer {
	t.Helper()
	return r.do(t, r.request(http.MethodGet, target))
}

func (r *rig) request(method, target string) *http.Request {
	request := httptest.NewRequest(method, target, nil)
	request.Header.Set("X-Api-Key", r.key)
	return request
}

// do sends a request, and checks that the response conforms to both contracts.
func (r *rig) do(t testing.TB, request *http.Request) answer {
	t.Helper()
	got := serve(r.Handler(), request)
	conforms(t, request, got)
	return got
}

func serve(handler http.Handler, request *http.Request) answer {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return answer{recorder.Code, recorder.Result().Header, recorder.Body.Bytes()}
}

// decode reads the body of a successful response.
func decode[T any](t testing.TB, got answer) T {
	t.Helper()
	wantStatus(t, got, http.StatusOK)
	var body T
	must(t, json.Unmarshal(got.body, &body))
	return body
}

type failure struct {
	Detail    json.RawMessage `json:"detail"`
	Code      string          `json:"code"`
	RequestID string          `json:"request_id"`
}

func (got answer) failure(t testing.TB) failure {
	t.Helper()
	var body failure
	must(t, json.Unmarshal(got.body, &body))
	return body
}

type violation struct {
	Loc   []string `json:"loc"`
	Msg   string   `json:"msg"`
	Type  string   `json:"type"`
	Input string   `json:"input"`
}

// violations returns the items of a 422, as loc:type.
func (got answer) violations(t testing.TB) []string {
	t.Helper()
	wantStatus(t, got, http.StatusUnprocessableEntity)
	var body struct{ Detail []violation }
	must(t, json.Unmarshal(got.body, &body))
	found := make([]string, len(body.Detail))
	for i, v := range body.Detail {
		found[i] = strings.Join(v.Loc, ".") + ":" + v.Type
	}
	return found
}

func wantStatus(t testing.TB, got answer, status int) {
	t.Helper()
	if got.status != status {
		t.Fatalf("status %d, want %d: %.600s", got.status, status, got.body)
	}
}

func wantCode(t testing.TB, got answer, status int, code string) {
	t.Helper()
	wantStatus(t, got, status)
	if found := got.failure(t); found.Code != code || found.RequestID == "" ||
		found.RequestID != got.header.Get("X-Request-Id") {
		t.Fatalf("code %q, want %q, with the request id of the header: %s", found.Code, code, got.body)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func prefixes(t testing.TB, texts ...string) []netip.Prefix {
	t.Helper()
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		var err error
		list[i], err = netip.ParsePrefix(text)
		must(t, err)
	}
	return list
}

var discard = zerolog.Nop()

// decodeAs reads the body of a 422.
func decodeAs[T any](t testing.TB, got answer) T {
	t.Helper()
	wantStatus(t, got, http.StatusUnprocessableEntity)
	var body T
	must(t, json.Unmarshal(got.body, &body))
	return body
}
