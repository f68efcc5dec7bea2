package query_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"cuota/internal/account"
	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestHeadIsGetWithoutTheBodyAndCounts(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	server := httptest.NewServer(r.Handler())
	defer server.Close()
	key := r.issue(t, account.Free)
	ask := func(method string) *http.Response {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/screener", nil)
		must(t, err)
		request.Header.Set("X-Api-Key", key)
		request.Header.Set("Accept-Encoding", "identity")
		response, err := server.Client().Do(request)
		must(t, err)
		must(t, response.Body.Close())
		return response
	}
	get, head := ask(http.MethodGet), ask(http.MethodHead)
	if head.StatusCode != http.StatusOK || head.ContentLength != get.ContentLength || head.ContentLength < 1000 ||
		head.Header.Get("ETag") != get.Header.Get("ETag") {
		t.Errorf("%d, %d bytes, want %d", head.StatusCode, head.ContentLength, get.ContentLength)
	}
	if left := head.Header.Get("X-RateLimit-Remaining"); left != "298" {
		t.Errorf("%s requests left, want 298", left)
	}
}

func TestWhatIsNotThereIsReportedInJSON(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for _, target := range []string{
		"/", "/api", "/api/screener/", "/API/screener", "/api//screener", "/api/real_assets/201/none", "/api/../health",
		"/health%2F", "/api%2Fbenchmarks", "/api/fi%2finstruments", "%2Fhealth", "/api%252Fbenchmarks",
		"/api/%2E%2E/health", "/api/screener%3Flimit=1", "/api/screener;x",
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		var err error
		request.URL, err = url.Parse(target)
		must(t, err)
		got := r.do(t, request)
		wantCode(t, got, http.StatusNotFound, "not_found")
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodTrace, "PROPFIND"} {
		got := r.do(t, httptest.NewRequest(method, "/api/screener", strings.NewReader("{}")))
		wantCode(t, got, http.StatusMethodNotAllowed, "method_not_allowed")
		ours.Conforms(t, httptest.NewRequest(http.MethodGet, "/api/screener", nil), got.status, got.header, got.body)
		if got.header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: Allow %q", method, got.header.Get("Allow"))
		}
	}
}

func TestBrowsersOfAnyOriginMayCallWithAKeyAndReadTheQuota(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	preflight := httptest.NewRequest(http.MethodOptions, "/api/screener", nil)
	preflight.Header.Set("Origin", "https://app.example")
	preflight.Header.Set("Access-Control-Request-Method", "GET")
	preflight.Header.Set("Access-Control-Request-Headers", "x-api-key")
	got := r.do(t, preflight)
	wantStatus(t, got, http.StatusNoContent)
	if !strings.Contains(got.header.Get("Access-Control-Allow-Headers"), "X-Api-Key") ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "GET") {
		t.Errorf("%v", got.header)
	}
	for _, answer := range []answer{r.get(t, "/api/screener"), r.get(t, "/nope"),
		r.do(t, httptest.NewRequest(http.MethodGet, "/api/screener", nil))} {
		exposed := answer.header.Get("Access-Control-Expose-Headers")
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
			"Retry-After"} {
			if !strings.Contains(exposed, name) {
				t.Errorf("%s is not exposed: %s", name, exposed)
			}
		}
		if answer.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Error("credentials are allowed")
		}
	}
	plain := r.do(t, httptest.NewRequest(http.MethodOptions, "/api/screener", nil))
	if plain.status != http.StatusNoContent || plain.header.Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("%d %v", plain.status, plain.header)
	}
}

func TestARequestIsFoundAgainByItsIDAndTheLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	r.logged.Reset()
	ask := func(id, target string) string {
		request := r.request(http.MethodGet, target)
		request.Header.Set("X-Request-Id", id)
		request.Header.Set("Cookie", "session=s3cret")
		return r.do(t, request).header.Get("X-Request-Id")
	}
	if got := ask("mine-1", "/api/real_assets/201/returns?as_of_date=2026-07-31&token=s3cret"); got != "mine-1" {
		t.Errorf("id %q, want the caller's own", got)
	}
	for _, hostile := range []string{"", "a b", strings.Repeat("x", 65), "a\x01", `"}{"`} {
		if got := ask(hostile, "/health"); got == hostile || len(got) < 20 {
			t.Errorf("id %q for %q", got, hostile)
		}
	}
	line, _, _ := strings.Cut(r.logged.String(), "\n")
	var entry map[string]any
	must(t, json.Unmarshal([]byte(line), &entry))
	for name, want := range map[string]any{
		"request_id": "mine-1", "method": "GET", "route": "/api/real_assets/{asset_id}/returns", "status": 200.0,
		"key_last4": r.key[len(r.key)-4:],
	} {
		if entry[name] != want {
			t.Errorf("%s is %v, want %v", name, entry[name], want)
		}
	}
	if entry["bytes"].(float64) < 1000 || entry["took_ms"] == nil || entry["key"] == "" {
		t.Errorf("%v", entry)
	}
	for _, secret := range []string{r.key, "s3cret", "as_of_date"} {
		if strings.Contains(r.logged.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// panicking is a store of accounts that panics.
type panicking struct{ httpapi.Keys }

func (panicking) Authenticate(context.Context, string) (account.Key, error) { panic("a fault") }

func TestAFaultIsAnsweredAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	conn, err := clickhouse.Open(demotest.Schema(t))
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	var logged bytes.Buffer
	server, err := query.New(unlimited, conn, panicking{}, zerolog.New(&logged))
	must(t, err)
	request := httptest.NewRequest(http.MethodGet, "/api/screener", nil)
	request.Header.Set("X-Api-Key", "x")
	got := serve(server.Handler(), request)
	wantCode(t, got, http.StatusInternalServerError, "internal")
	conforms(t, request, got)
	if !strings.Contains(logged.String(), "a fault") || !strings.Contains(logged.String(), got.failure(t).RequestID) ||
		strings.Contains(string(got.body), "a fault") {
		t.Errorf("%s\n%s", logged.String(), got.body)
	}
	wantStatus(t, serve(server.Handler(), httptest.NewRequest(http.MethodGet, "/health", nil)), http.StatusOK)
}

// wireTo listens on an address of its own and forwards to another one, until cut is called.
func wireTo(t *testing.T, to string) (address string, cut func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	var mu sync.Mutex
	var ends []net.Conn
	cut = func() {
		_ = listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, end := range ends {
			_ = end.Close()
		}
	}
	t.Cleanup(cut)
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			mu.Lock()
			ends = append(ends, near, far)
			mu.Unlock()
			for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
	return listener.Addr().String(), cut
}

func TestWhenTheEngineIsTakenAwayCallersAreAskedToComeAgain(t *testing.T) {
	t.Parallel()
	r, options := publishedBy(t)

	through := *options
	through.Addr = []string{""}
	var takeAway func()
	through.Addr[0], takeAway = wireTo(t, options.Addr[0])
	conn := connect(t, &through)
	server, err := query.New(query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1}, conn, r.store, zerolog.New(r.logged))
	must(t, err)
	must(t, server.Refresh(t.Context()))
	r.Server = server
	const before = "/api/asset_providers?scope=etf"
	wantStatus(t, r.get(t, "/api/screener?limit=1"), http.StatusOK)
	wantStatus(t, r.get(t, before), http.StatusOK)

	takeAway()
	for _, target := range []string{
		"/api/screener", "/api/compare?series=201", "/api/asset_providers", "/api/asset_providers/11/conceptual_assets",
		"/api/conceptual_assets/101/real_assets",
		"/api/real_assets/201/days", "/api/real_assets/201/returns",
		"/api/real_assets/201/returns?as_of_date=2026-07-31", "/api/screener?batch_id=another",
	} {
		got := r.get(t, target)
		wantCode(t, got, http.StatusServiceUnavailable, "data_unavailable")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%v", got.header)
		}
	}
	wantStatus(t, r.get(t, before), http.StatusOK) // a cached reply is still valid
	wantStatus(t, r.get(t, "/api/key/info"), http.StatusOK)
	if err := server.Refresh(t.Context()); err == nil {
		t.Error("Refresh found a batch")
	}
	health := decode[map[string]any](t, r.get(t, "/health"))
	if diff := cmp.Diff(map[string]any{"status": "degraded", "state": "clickhouse_unreachable",
		"last_scraped_date": "2026-08-05", "total_records": 1001.0}, health); diff != "" {
		t.Error(diff)
	}
}
