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
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/openapitest"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/santhosh-tekuri/jsonschema/v6"
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
	r.store, err = account.Open(t.Context(), "sqlite://"+t.TempDir()+"/accounts.db", bytes.Repeat([]byte{7}, 32), account.WithTimeout(patience),
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
	cfg.HTTP.Now = func() time.Time { return *r.clock.Load() }
	r.Server, err = query.New(cfg, conn, r.store, zerolog.New(zerolog.SyncWriter(r.logged)))
	must(t, err)
	must(t, r.Refresh(t.Context()))
	return r
}

// making gives a server beside the rig's, on the same batches, with the operation /making.
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

// violations gives the items of a 422, as loc:type.
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
	if found := got.failure(t); found.Code != code || found.RequestID == "" || found.RequestID != got.header.Get("X-Request-Id") {
		t.Fatalf("code %q, want %q, with the request id of the header: %s", found.Code, code, got.body)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ours is the document of this server, to check replies against it.
var ours = openapitest.New(query.Document(), "examples")

// exampleTargets gives the request in the example of each endpoint: everything that is answered
// from a batch. The ids in them are of the demo market.
func exampleTargets(t testing.TB) (targets []string) {
	t.Helper()
	for _, o := range ours.Operations(t, func(tag string) bool { return tag != "Account" && tag != "Service" && tag != "Bulk" }) {
		targets = append(targets, o.Target())
	}
	if len(targets) < 20 {
		t.Fatalf("the document has examples of %d endpoints only", len(targets))
	}
	return targets
}

// theirs holds the schemas of the public interface, by path and status.
var theirs = sync.OnceValue(func() map[string]*jsonschema.Schema {
	text, err := os.ReadFile("testdata/contract-schemas.json")
	if err != nil {
		panic(err)
	}
	contract, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseRegexpEngine(ecmaPattern)
	if err := compiler.AddResource("contract.json", contract); err != nil {
		panic(err)
	}
	var outline struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Schema *json.RawMessage `json:"schema"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &outline); err != nil {
		panic(err)
	}
	schemas := map[string]*jsonschema.Schema{}
	for path, methods := range outline.Paths {
		for method, op := range methods {
			for status, response := range op.Responses {
				if response.Schema == nil {
					continue
				}
				pointer := fmt.Sprintf("contract.json#/paths/%s/%s/responses/%s/schema", strings.ReplaceAll(path, "/", "~1"), method, status)
				schemas[method+" "+path+" "+status] = compiler.MustCompile(pointer)
			}
		}
	}
	return schemas
})

// ecmaPattern compiles a pattern of JSON Schema. One pattern of the contract begins with a
// negative look-ahead, which Go's regular expressions do not have. It is compiled as a
// second expression that must not match.
func ecmaPattern(pattern string) (jsonschema.Regexp, error) {
	text := patternText(pattern)
	var without *regexp.Regexp
	if rest, found := strings.CutPrefix(pattern, "^(?!"); found {
		ahead, after, _ := strings.Cut(rest, ")")
		unwanted, err := regexp.Compile(ahead)
		if err != nil {
			return nil, err
		}
		without, pattern = unwanted, "^"+after
	}
	wanted, err := regexp.Compile(pattern)
	return lookahead{text, wanted, without}, err
}

type patternText string

type lookahead struct {
	patternText
	wanted, unwanted *regexp.Regexp
}

func (p patternText) String() string { return string(p) }

func (l lookahead) MatchString(s string) bool {
	return l.wanted.MatchString(s) && (l.unwanted == nil || !l.unwanted.MatchString(s))
}

// conforms checks a response against the public interface and against our own document. It
// skips responses to requests that no operation answers, because they are in neither.
func conforms(t testing.TB, request *http.Request, got answer) {
	t.Helper()
	if got.header.Get("X-Request-Id") == "" || got.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("no request id or no cross-origin header: %v", got.header)
	}
	if kind := got.header.Get("Content-Type"); got.status == http.StatusOK && query.IsTable(kind) {
		return // a table, whose rows the tests of formats compare with those in JSON
	} else if len(got.body) > 0 && kind != "application/json" {
		t.Fatalf("content type %q", kind)
	}
	path := operationPath(t, request.URL)
	if path == "" || request.Method != http.MethodGet {
		return
	}
	if schema := theirs()[fmt.Sprintf("get %s %d", path, got.status)]; schema != nil {
		// The public interface lacks only this word, the quota source of book values.
		published := bytes.Replace(got.body, []byte(`"quota_source":"cmf_valor_libro"`), []byte(`"quota_source":"CMF"`), 1)
		body, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
		must(t, err)
		if err := schema.Validate(body); err != nil {
			t.Fatalf("%s against the public interface: %v\n%.800s", request.URL, err, got.body)
		}
	}
	asked := *request
	asked.URL = segmented(t, request.URL)
	ours.Conforms(t, &asked, got.status, got.header, got.body)
}

// partsOf gives the segments of a path.
func partsOf(t testing.TB, of *url.URL) []string {
	t.Helper()
	parts := strings.Split(of.EscapedPath(), "/")
	for i, part := range parts {
		var err error
		parts[i], err = url.PathUnescape(part)
		must(t, err)
	}
	return parts
}

// segmented gives an address in which only what must be escaped is escaped.
func segmented(t testing.TB, of *url.URL) *url.URL {
	t.Helper()
	parts := partsOf(t, of)
	out := *of
	out.Path = strings.Join(parts, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	out.RawPath = strings.Join(parts, "/")
	return &out
}

// operationPath gives the path of the document that matches the path of a request. An
// escaped slash does not separate segments.
func operationPath(t testing.TB, of *url.URL) string {
	t.Helper()
	parts := partsOf(t, of)
	for _, op := range query.Operations() {
		pattern := strings.Split(op.Path, "/")
		if len(pattern) != len(parts) {
			continue
		}
		matches := true
		for i := range parts {
			if strings.HasPrefix(pattern[i], "{") && parts[i] != "" {
				continue
			}
			matches = matches && pattern[i] == parts[i]
		}
		if matches {
			return op.Path
		}
	}
	return ""
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
