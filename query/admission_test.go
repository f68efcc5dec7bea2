package query_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

func TestWithoutAValidKeyNobodyComesIn(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	free := r.issue(t, account.Free)
	mistyped := r.key[:len(r.key)-1] + map[bool]string{true: "b", false: "a"}[strings.HasSuffix(r.key, "a")]
	for name, c := range map[string]struct {
		target string
		header http.Header
		code   string // empty: the request is admitted
	}{
		"none":           {"", http.Header{}, "missing_key"},
		"empty":          {"", http.Header{"X-Api-Key": {" "}}, "missing_key"},
		"mistyped":       {"", http.Header{"X-Api-Key": {mistyped}}, "invalid_key"},
		"something else": {"", http.Header{"X-Api-Key": {"password"}}, "invalid_key"},
		"huge": {"", http.Header{"X-Api-Key": {strings.Repeat("k", 10_000)}},
			"invalid_key"},
		"good":                          {"", http.Header{"X-Api-Key": {r.key}}, ""},
		"bearer":                        {"", http.Header{"Authorization": {"Bearer " + r.key}}, ""},
		"bearer in small letters":       {"", http.Header{"Authorization": {"bearer " + r.key}}, ""},
		"bearer without the key prefix": {"", http.Header{"Authorization": {"Bearer eyJhbGciOi"}}, "missing_key"},
		"bearer that only has the prefix": {"", http.Header{"Authorization": {"Bearer " + account.KeyPrefix + "_x"}},
			"invalid_key"},
		"the key as a basic password": {"", http.Header{"Authorization": {"Basic " + r.key}}, "missing_key"},
		"good, beside somebody's bearer": {"",
			http.Header{"X-Api-Key": {r.key}, "Authorization": {"Bearer eyJhbGciOi"}}, ""},
		"the same twice": {"",
			http.Header{"X-Api-Key": {r.key}, "Authorization": {"Bearer " + r.key}}, ""},
		"two different": {"", http.Header{"X-Api-Key": {r.key}, "Authorization": {"Bearer " + free}},
			"conflicting_keys"},
		"two different of the same header": {"", http.Header{"X-Api-Key": {r.key, free, r.key}}, "conflicting_keys"},
		"in the query":                     {"?api_key=" + r.key, http.Header{}, "key_in_query"},
		"in the query by another name":     {"?Token=" + r.key, http.Header{}, "key_in_query"},
		"in the query beside a bad one":    {"?api_key=" + r.key, http.Header{"X-Api-Key": {mistyped}}, "key_in_query"},
		"in the query beside a good one":   {"?q=" + free, http.Header{"X-Api-Key": {r.key}}, "key_in_query"},
	} {
		request := httptest.NewRequest(http.MethodGet, "/api/asset_providers"+c.target, nil)
		request.Header = c.header
		got := r.do(t, request)
		if c.code == "" {
			wantStatus(t, got, http.StatusOK)
			continue
		}
		if got.status != http.StatusUnauthorized || got.failure(t).Code != c.code ||
			got.header.Get("WWW-Authenticate") != "Bearer" || got.header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("%s: %d %s %v, want %s", name, got.status, got.body, got.header, c.code)
		}
	}
	t.Run("a revoked key is as good as none", func(t *testing.T) {
		old, _, err := r.store.CreateKey(t.Context(), "rotates@example.org", account.Free)
		must(t, err)
		_, _, err = r.store.CreateKey(t.Context(), "rotates@example.org", account.Free)
		must(t, err)
		request := httptest.NewRequest(http.MethodGet, "/api/asset_providers", nil)
		request.Header.Set("X-Api-Key", old)
		wantCode(t, r.do(t, request), http.StatusUnauthorized, "invalid_key")
	})
	t.Run("open operations ask for none", func(t *testing.T) {
		for _, path := range []string{"/health", "/openapi.json"} {
			wantStatus(t, r.do(t, httptest.NewRequest(http.MethodGet, path, nil)), http.StatusOK)
		}
	})
	t.Run("every other operation asks for one", func(t *testing.T) {
		for _, op := range query.Operations() {
			path := strings.NewReplacer("{provider_id}", "1", "{concept_id}", "1", "{asset_id}", "1").Replace(op.Path)
			got := r.do(t, httptest.NewRequest(op.Method, path, nil))
			if (got.status == http.StatusUnauthorized) != (op.Access != httpapi.Open) {
				t.Errorf("%s %s: %d", op.Method, op.Path, got.status)
			}
		}
	})
}

func TestEveryAdmittedRequestCountsExceptKeyInfo(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	key := r.issue(t, account.Free, account.OwnQuota(7))
	ask := func(target string) answer {
		request := httptest.NewRequest(http.MethodGet, target, nil)
		request.Header.Set("X-Api-Key", key)
		return r.do(t, request)
	}
	type info struct {
		Name          *string
		Tier          string
		DailyQuota    *int   `json:"daily_quota"`
		QuotaEnforced bool   `json:"quota_enforced"`
		RequestsToday int    `json:"requests_today"`
		CreatedAt     string `json:"created_at"`
	}
	// Midnight in Santiago, in winter time, is 04:00 UTC.
	reset := time.Date(2026, 8, 21, 4, 0, 0, 0, time.UTC)

	spent := 0
	for _, target := range []string{
		"/api/screener", "/api/screener?limit=0", "/api/compare?series=77", "/api/asset_providers/77/conceptual_assets",
		"/api/real_assets/201/returns?valuation=clp", "/api/screener?limit=1",
	} {
		got := ask(target)
		spent++
		want := map[string]string{
			"X-RateLimit-Limit": "7", "X-RateLimit-Remaining": strconv.Itoa(7 - spent),
			"X-RateLimit-Reset": strconv.FormatInt(reset.Unix(), 10),
			"RateLimit-Policy":  `"day";q=7;w=86400`, "RateLimit": fmt.Sprintf(`"day";r=%d;t=46800`, 7-spent),
		}
		for name, value := range want {
			if got.header.Get(name) != value {
				t.Errorf("%s (%d): %s is %q, want %q", target, got.status, name, got.header.Get(name), value)
			}
		}
		for range 2 {
			keyInfo := ask("/api/key/info")
			if body := decode[info](t, keyInfo); body.RequestsToday != spent || *body.DailyQuota != 7 ||
				!body.QuotaEnforced || body.Tier != "free" || body.Name != nil || body.CreatedAt == "" {
				t.Errorf("%s: %+v", target, body)
			}
			if keyInfo.header.Get("Cache-Control") != "no-store" || keyInfo.header.Get("ETag") != "" {
				t.Errorf("%v", keyInfo.header)
			}
		}
	}
	t.Run("the answer that nothing changed does not count", func(t *testing.T) {
		request := httptest.NewRequest(http.MethodGet, "/api/screener?limit=1", nil)
		request.Header.Set("X-Api-Key", key)
		request.Header.Set("If-None-Match", r.get(t, "/api/screener?limit=1").header.Get("ETag"))
		got := r.do(t, request)
		wantStatus(t, got, http.StatusNotModified)
		if got.header.Get("X-RateLimit-Remaining") != "1" {
			t.Errorf("%v", got.header)
		}
		if body := decode[info](t, ask("/api/key/info")); body.RequestsToday != 6 {
			t.Errorf("%+v", body)
		}
		wantStatus(t, ask("/api/screener"), http.StatusOK) // the seventh
	})
	t.Run("then it is refused until the day ends, and refusals do not count", func(t *testing.T) {
		for range 3 {
			got := ask("/api/screener")
			wantCode(t, got, http.StatusTooManyRequests, "quota_exhausted")
			if got.header.Get("Retry-After") != "46800" || got.header.Get("X-RateLimit-Remaining") != "0" ||
				got.header.Get("X-RateLimit-Limit") != "7" {
				t.Errorf("%v", got.header)
			}
		}
		if body := decode[info](t, ask("/api/key/info")); body.RequestsToday != 7 {
			t.Errorf("%+v", body)
		}
		r.setClock(reset)
		wantStatus(t, ask("/api/screener"), http.StatusOK)
	})
	t.Run("a key that nothing limits has no quota headers", func(t *testing.T) {
		got := r.get(t, "/api/screener?limit=1")
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit",
			"RateLimit-Policy"} {
			if got.header.Get(name) != "" {
				t.Errorf("%s: %s", name, got.header.Get(name))
			}
		}
		if body := decode[info](t, r.get(t, "/api/key/info")); body.DailyQuota != nil || body.QuotaEnforced {
			t.Errorf("%+v", body)
		}
	})
	t.Run("other methods of a path count nothing", func(t *testing.T) {
		before := decode[info](t, ask("/api/key/info")).RequestsToday
		request := httptest.NewRequest(http.MethodPost, "/api/screener", nil)
		request.Header.Set("X-Api-Key", key)
		wantCode(t, r.do(t, request), http.StatusMethodNotAllowed, "method_not_allowed")
		if after := decode[info](t, ask("/api/key/info")).RequestsToday; after != before {
			t.Errorf("%d, then %d", before, after)
		}
	})
}

func TestWhenTheStoreIsTakenAwayTheKeyIsNotLetThrough(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	wantStatus(t, r.get(t, "/api/asset_providers"), http.StatusOK)
	must(t, r.store.Close())
	for _, target := range []string{"/api/asset_providers", "/api/key/info", "/api/screener?limit=0"} {
		got := r.get(t, target)
		wantCode(t, got, http.StatusServiceUnavailable, "key_unchecked")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%v", got.header)
		}
	}
	wantStatus(t, r.get(t, "/health"), http.StatusOK)
}

// uncountable accepts every key and can't count requests.
type uncountable struct{ httpapi.Keys }

func (uncountable) Authenticate(context.Context, string) (account.Key, error) {
	return account.Key{ID: "key-1", Last4: "abcd"}, nil
}

func (uncountable) Refund(context.Context, account.Key, time.Time) error { return nil }

func (uncountable) Spend(context.Context, account.Key, time.Time) (account.Usage, error) {
	return account.Usage{}, context.DeadlineExceeded
}

func TestARequestThatCanNotBeCountedIsNotLetThrough(t *testing.T) {
	t.Parallel()
	conn, err := clickhouse.Open(demotest.Schema(t))
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	server, err := query.New(unlimited, conn, uncountable{}, zerolog.Nop())
	must(t, err)
	request := httptest.NewRequest(http.MethodGet, "/api/asset_providers", nil)
	request.Header.Set("X-Api-Key", "x")
	wantCode(t, serve(server.Handler(), request), http.StatusServiceUnavailable, "key_unchecked")
}

func TestRequestsOfAnAddressAreLimited(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Schema(t), query.Config{HTTP: httpapi.Config{Burst: httpapi.Burst{Addresses: 3}}})
	from := func(address string) answer {
		request := httptest.NewRequest(http.MethodGet, "/health", nil)
		request.RemoteAddr = address
		return r.do(t, request)
	}
	allowed := func(address string, most int) int {
		for n := range most {
			if from(address).status != http.StatusOK {
				return n
			}
		}
		return most
	}

	if n := allowed("192.0.2.1:1000", 30); n != 20 {
		t.Errorf("%d at once, want 20", n)
	}
	got := from("192.0.2.1:2000") // another port is the same caller
	wantCode(t, got, http.StatusTooManyRequests, "too_many_requests")
	if got.header.Get("Retry-After") != "1" || got.header.Get("X-RateLimit-Limit") != "" {
		t.Errorf("%v", got.header)
	}
	r.setClock(r.clock.Load().Add(time.Second))
	if n := allowed("[::ffff:192.0.2.1]:1000", 30); n != 10 {
		t.Errorf("%d after a second, want 10", n)
	}
	if n := allowed("[2001:db8:1:2::1]:1", 15) + allowed("[2001:db8:1:2:ffff::9%eth0]:1", 30); n != 20 {
		t.Errorf("%d from one /64, want 20", n)
	}
	if n := allowed("[2001:db8:1:3::1]:1", 30); n != 20 {
		t.Errorf("%d from another /64, want 20", n)
	}
	if n := allowed("127.0.0.1:1", 30); n != 20 {
		t.Errorf("%d from this machine, want 20: it is not exempt by itself", n)
	}
	if n := allowed("192.0.2.1:1000", 30); n != 20 { // three other addresses came meanwhile, so this one was forgotten
		t.Errorf("%d from an address that was forgotten, want 20", n)
	}
}

func TestForwardedAddressesAreBelievedOfTrustedProxiesAlone(t *testing.T) {
	t.Parallel()
	proxies := prefixes(t, "10.0.0.0/8", "fd00::/8")
	r := newRig(t, demotest.Schema(t),
		query.Config{HTTP: httpapi.Config{Burst: httpapi.Burst{Size: 1, PerSecond: 1e-9}, TrustedProxies: proxies}})
	ask := func(peer, forwarded string) int {
		request := httptest.NewRequest(http.MethodGet, "/health", nil)
		request.RemoteAddr = peer
		request.Header.Set("X-Forwarded-For", forwarded)
		return r.do(t, request).status
	}
	var got []int
	for _, step := range [][2]string{
		{"10.0.0.1:1", "198.51.100.1"},              // a client behind the proxy
		{"10.0.0.1:1", "198.51.100.2"},              // another one
		{"10.0.0.2:1", "203.0.113.9, 198.51.100.1"}, // the first client again, which sends a forged address
		{"198.51.100.2:9", "203.0.113.9"},           // the second client, without the proxy
		{"[fd00::1]:1", "198.51.100.3, 10.9.9.9"},   // a third client, behind two proxies
		{"10.0.0.1:1", "nonsense"},                  // the proxy itself
		{"10.0.0.1:1", ""},
	} {
		got = append(got, ask(step[0], step[1]))
	}
	if want := []int{200, 200, 429, 429, 200, 200, 429}; !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAKeyWithScopesIsForThemOnly(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	// An independent statement of what each scope is for.
	scopeOf := func(method, path string) account.Scope {
		switch {
		case strings.HasPrefix(path, "/api/bulk"):
			return account.BulkScope
		case method+" "+path == "POST /api/backtests":
			return account.BacktestsScope
		case path == "/api/key/info":
			return ""
		}
		return account.ReadScope
	}
	keys := map[account.Scopes]string{}
	for _, scopes := range []account.Scopes{"", "read", "bulk", "backtests", "mcp", "read bulk backtests"} {
		keys[scopes] = r.issue(t, account.Institutional, account.ForScopes(scopes))
	}
	asked := 0
	for _, op := range query.Operations() {
		if op.Access == httpapi.Open {
			continue
		}
		needed := scopeOf(op.Method, op.Path)
		path := strings.NewReplacer("{provider_id}", "1", "{concept_id}", "1", "{asset_id}", "1").Replace(op.Path)
		for scopes, key := range keys {
			request := httptest.NewRequest(op.Method, path, nil)
			request.Header.Set("X-Api-Key", key)
			got := r.do(t, request)
			allowed := needed == "" || scopes == "" || strings.Contains(string(scopes), string(needed))
			if allowed == (got.status == http.StatusForbidden) {
				t.Errorf("%s %s with the scopes %q: %d %.200s", op.Method, path, scopes, got.status, got.body)
			}
			if asked++; allowed {
				continue
			}
			detail := string(got.failure(t).Detail)
			if got.failure(t).Code != "missing_scope" || !strings.Contains(detail, "needs the scope "+string(needed)) ||
				!strings.Contains(detail, "--scopes") || got.header.Get("X-RateLimit-Limit") == "" {
				t.Errorf("%s %s with the scopes %q: %s %v", op.Method, path, scopes, got.body, got.header)
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d requests were made", asked)
	}
	t.Run("also where the caller has the reply, and by a link", func(t *testing.T) {
		tag := r.get(t, "/api/screener?limit=1").header.Get("ETag")
		request := httptest.NewRequest(http.MethodGet, "/api/screener?limit=1", nil)
		request.Header.Set("X-Api-Key", keys["bulk"])
		request.Header.Set("If-None-Match", tag)
		wantCode(t, r.do(t, request), http.StatusForbidden, "missing_scope")
		token, _, err := r.store.CreateAddressLink(t.Context(), keys["bulk"][len(keys["bulk"])-4:], "/api/screener", time.Hour)
		must(t, err)
		wantCode(t, serve(r.Handler(), httptest.NewRequest(http.MethodGet, httpapi.LinkPath+token, nil)),
			http.StatusForbidden, "missing_scope")
	})
	t.Run("a refused request counts, and the key says its scopes", func(t *testing.T) {
		key := r.issue(t, account.Institutional, account.ForScopes("read mcp"), account.Named("reports"))
		ask := func(target string) answer {
			request := httptest.NewRequest(http.MethodGet, target, nil)
			request.Header.Set("X-Api-Key", key)
			return r.do(t, request)
		}
		wantCode(t, ask("/api/bulk"), http.StatusForbidden, "missing_scope")
		type info struct {
			Name          string
			Scopes        []string
			ExpiresAt     *time.Time `json:"expires_at"`
			RequestsToday int        `json:"requests_today"`
		}
		if diff := cmp.Diff(info{"reports", []string{"read", "mcp"}, nil, 1},
			decode[info](t, ask("/api/key/info"))); diff != "" {
			t.Error(diff)
		}
		_, _, old, err := r.store.RotateKey(t.Context(), "reports", time.Hour)
		must(t, err)
		if got := decode[info](t, ask("/api/key/info")); got.ExpiresAt == nil || !got.ExpiresAt.Equal(*old.ExpiresAt) {
			t.Errorf("after a rotation: %+v, want the end %s", got, old.ExpiresAt)
		}
	})
}
