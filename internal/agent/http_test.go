package agent_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuota/client"
	"cuota/demo"
	"cuota/internal/account"
	"cuota/internal/agent"
	"cuota/internal/testkit/demotest"
	"cuota/model"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// post sends a message to an address of the service. change prepares the request.
func (s *service) post(t *testing.T, path, body string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+path, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("X-Api-Key", s.key)
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	must(t, err)
	must(t, response.Body.Close())
	return response, string(text)
}

// used returns how many requests a key has made today.
func (s *service) used(t *testing.T, presented string) int64 {
	t.Helper()
	key, err := s.store.Authenticate(t.Context(), presented)
	must(t, err)
	usage, err := s.store.Usage(t.Context(), key, s.clock())
	must(t, err)
	return usage.Used
}

func TestToolsOverHTTPKeepTheRulesOfTheAPI(t *testing.T) {
	t.Parallel()
	market := demotest.New(t)
	s := newService(t, market) // it has no batch
	t.Run("without a valid key the answer is that of the API", func(t *testing.T) {
		for name, key := range map[string]string{"none": "", "an unknown one": "cuota_live_unknown"} {
			set := func(r *http.Request) { r.Header.Set("X-Api-Key", key) }
			want, wantText := s.post(t, "/api/backtests", "{}", set)
			got, text := s.post(t, agent.Path, listTools, set)
			if got.StatusCode != http.StatusUnauthorized || want.StatusCode != got.StatusCode ||
				codeOf(t, text) != codeOf(t, wantText) || got.Header.Get("WWW-Authenticate") != "Bearer" ||
				got.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("with %s: %d %s, want %d %s", name, got.StatusCode, text, want.StatusCode, wantText)
			}
		}
	})
	t.Run("a key with scopes needs that of the tools", func(t *testing.T) {
		for scopes, want := range map[account.Scopes]int{"read": http.StatusForbidden, "mcp": http.StatusOK,
			"read bulk backtests": http.StatusForbidden, "read mcp": http.StatusOK} {
			key := s.issue(t, "scopes@example.org", account.Institutional, account.ForScopes(scopes))
			got, text := s.post(t, agent.Path, listTools, func(r *http.Request) { r.Header.Set("X-Api-Key", key) })
			if got.StatusCode != want || want == http.StatusForbidden && codeOf(t, text) != "missing_scope" {
				t.Errorf("with %q: %d %s, want %d", scopes, got.StatusCode, text, want)
			}
		}
	})
	t.Run("another host or origin is refused", func(t *testing.T) {
		for host, taken := range map[string]bool{"evil.example": false, "evil.example:80": false,
			"funds.example.org.evil.com": false,
			"funds.example.org":          true, "FUNDS.example.org:443": true, "localhost:8080": true,
			"127.0.0.1":     true,
			"[::1]:80":      true,
			"10.0.0.7:8080": true, "127.0.0.1.evil.com": false} {
			got, text := s.post(t, agent.Path, listTools, func(r *http.Request) { r.Host = host })
			if (got.StatusCode == http.StatusOK) != taken || !taken && codeOf(t, text) != "wrong_host" {
				t.Errorf("host %s: %d %s", host, got.StatusCode, text)
			}
		}
		for origin, taken := range map[string]bool{"https://evil.example": false, "null": false,
			"http://funds.example.org":  false,
			"https://funds.example.org": true, "https://funds.example.org.evil.com": false, s.address: true,
			"": false} {
			got, text := s.post(t, agent.Path, listTools, func(r *http.Request) { r.Header.Set("Origin", origin) })
			if (got.StatusCode == http.StatusOK) != taken || !taken && codeOf(t, text) != "wrong_origin" {
				t.Errorf("origin %q: %d %s", origin, got.StatusCode, text)
			}
		}
	})
	t.Run("there are no sessions, and no streams", func(t *testing.T) {
		got, text := s.post(
			t,
			agent.Path,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
				`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
			nil,
		)
		if got.StatusCode != http.StatusOK || got.Header.Get("Mcp-Session-Id") != "" ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%d %v %s", got.StatusCode, got.Header, text)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if got, _ := s.post(t, agent.Path, "",
				func(r *http.Request) { r.Method = method }); got.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d", method, got.StatusCode)
			}
		}
		if got, text := s.post(t, agent.Path+"/more", listTools, nil); got.StatusCode != http.StatusNotFound {
			t.Errorf("%d %s", got.StatusCode, text)
		}
	})
	t.Run("a body that is too large or no message is refused", func(t *testing.T) {
		large := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x", 64<<10) + `"}}`
		for _, chunked := range []bool{false, true} {
			got, text := s.post(t, agent.Path, large, func(r *http.Request) {
				if chunked {
					r.ContentLength = -1
				}
			})
			if got.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("chunked %v: %d %s", chunked, got.StatusCode, text)
			}
		}
		for _, wrong := range []string{"", "{", "[]", `{"jsonrpc":"2.0"}`, "[" + listTools + "]",
			" \r\n\t[" + listTools + "," + listTools + "]", strings.Repeat(" ", 5000) + listTools} {
			if got, text := s.post(t, agent.Path, wrong, nil); got.StatusCode != http.StatusBadRequest {
				t.Errorf("%q: %d %s", wrong, got.StatusCode, text)
			}
		}
	})
	t.Run("a call fails as the API does while there is no batch", func(t *testing.T) {
		text, failed := call(t, s.overHTTP(t, s.key), "screen", map[string]any{"limit": 1})
		if !failed || !strings.Contains(text, "GET /api/screener was answered with 503") {
			t.Errorf("%v %s", failed, text)
		}
	})

	market.Ingest(t, model.Cartola, oneDay(t), demotest.Clock)
	market.Build(t)
	s = newService(t, market)
	t.Run("a call counts as the requests that it makes, and the quota ends it", func(t *testing.T) {
		key := s.issue(t, "counted@example.org", account.Free, account.OwnQuota(5))
		session := s.overHTTP(t, key)
		if _, err := session.ListTools(t.Context(), nil); err != nil || s.used(t, key) != 0 {
			t.Errorf("the list of tools counts as %d requests: %v", s.used(t, key), err)
		}
		for _, step := range []struct {
			tool      string
			arguments any
			requests  int64
		}{
			{"screen", map[string]any{"limit": 1}, 1},
			{"ask", map[string]any{"series": "9809-4 B", "figures": "quota"}, 2}, // it searches first
			{"ask", map[string]any{"series": "1161378270", "figures": "quota"}, 1},
			{"sql", map[string]any{"statement": "SELECT 1"}, 1},
			{"screen", map[string]any{"sort": "wrong"}, 0},
		} {
			before := s.used(t, key)
			text, _ := call(t, session, step.tool, step.arguments)
			if got := s.used(t, key) - before; got != step.requests {
				t.Errorf(
					"%s %v counts as %d requests, want %d: %s",
					step.tool,
					step.arguments,
					got,
					step.requests,
					text,
				)
			}
		}
		for tool, arguments := range map[string]any{"screen": map[string]any{},
			"sql": map[string]any{"statement": "SELECT 1"}} {
			if text, failed := call(t, session, tool, arguments); !failed ||
				!strings.Contains(text, "has used its 5 requests") ||
				!strings.Contains(text, "Try again in") {
				t.Errorf("%s: %v %s", tool, failed, text)
			}
		}
	})
	t.Run("each caller has the key of his own request", func(t *testing.T) {
		var callers sync.WaitGroup
		for _, owner := range []string{"a@example.org", "b@example.org", "c@example.org"} {
			key := s.issue(t, owner, account.Institutional)
			session := s.overHTTP(t, key)
			callers.Go(func() {
				const calls = 20
				for range calls {
					if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "screen",
						Arguments: map[string]any{"limit": 1}}); err != nil || result.IsError {
						t.Errorf("%v %v", result, err)
					}
				}
				if used := s.used(t, key); used != calls {
					t.Errorf("the key of %s made %d requests, want %d", owner, used, calls)
				}
			})
		}
		callers.Wait()
	})
	t.Run("statements only read, and their rows are bounded", func(t *testing.T) {
		session := s.overHTTP(t, s.key)
		for _, statement := range []string{"CREATE TABLE x (a UInt8) ENGINE = Memory", "INSERT INTO screener SELECT 1",
			"SELECT 1; SELECT 2", "SYSTEM SHUTDOWN", "SELECT 1 FORMAT CSV", "SELECT 1 INTO OUTFILE 'x'", "",
			"SELECT '" + strings.Repeat("x", 9000) + "'", "SELECT sleepEachRow(3) FROM numbers(100)",
			"SELECT throwIf(number = 100000) FROM numbers(200000)"} {
			if text, failed := call(t, session, "sql", map[string]any{"statement": statement}); !failed &&
				!strings.Contains(text,
					"only the first") {
				t.Errorf("%.100s is answered with %.300s", statement, text)
			}
		}
		text, failed := call(
			t,
			session,
			"sql",
			map[string]any{"statement": "SELECT number, repeat('x', 100) FROM numbers(1000000)"},
		)
		if failed || len(text) > maxAnswer || !strings.Contains(text, "only the first") {
			t.Errorf("%v, %d bytes: %.300s", failed, len(text), text)
		}
	})
}

func TestAUserWhoCouldLiftLimitsIsRefusedForSQL(t *testing.T) {
	t.Parallel()
	options := demotest.Published(t)
	api, err := client.New("http://127.0.0.1:1") // nothing is asked
	must(t, err)
	for user, taken := range map[*url.Userinfo]bool{url.User("people"): true,
		url.UserPassword(options.Auth.Username, options.Auth.Password): false} {
		here, there := mcp.NewInMemoryTransports()
		config := agent.Config{Door: doorAs(t, options, user)}
		server, err := agent.NewServer(api, config).Connect(t.Context(), there, nil)
		must(t, err)
		t.Cleanup(func() { _ = server.Close() }) // the client has closed it
		text, failed := call(t, connected(t, here), "sql", map[string]any{"statement": "SELECT 1"})
		if failed == taken || failed && !strings.Contains(text, "readonly = 1") {
			t.Errorf("%s: %v %s", user.Username(), failed, text)
		}
	}
}

// oneDay returns the file with the last day of the demo.
func oneDay(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	return filepath.Join(dir, "cartola", "cartola_market_20250720_derived.txt")
}

func codeOf(t *testing.T, text string) string {
	t.Helper()
	var body struct {
		Code string `json:"code"`
	}
	must(t, json.Unmarshal([]byte(text), &body))
	return body.Code
}

func TestTooManyCallsAtOnceAreRefused(t *testing.T) {
	t.Parallel()
	const most = 32
	entered, leave := make(chan struct{}, most), make(chan struct{})
	handler, err := agent.NewHandler(agent.HandlerConfig{API: func() http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/api/key/info" {
				entered <- struct{}{}
				<-leave
			}
			_, _ = io.WriteString(w, "{}") // in memory
		})
	}})
	must(t, err)
	ask := func() *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, agent.Path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"screen","arguments":{}}}`))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	var callers sync.WaitGroup
	for range most {
		callers.Go(func() { ask() })
	}
	for range most {
		<-entered
	}
	if w := ask(); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
		codeOf(t, w.Body.String()) != "overloaded" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	close(leave)
	callers.Wait()
}

func TestAnAddressWithoutAServiceIsTold(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	api, err := client.New(closed.URL)
	must(t, err)
	door, err := agent.NewDoor(strings.Replace(closed.URL, "http://", "http://user:hidden@", 1))
	must(t, err)
	here, there := mcp.NewInMemoryTransports()
	server, err := agent.NewServer(api, agent.Config{Door: door}).Connect(t.Context(), there, nil)
	must(t, err)
	t.Cleanup(func() { _ = server.Close() }) // the client has closed it
	session := connected(t, here)
	for tool, of := range map[string]struct {
		arguments map[string]any
		want      string
	}{
		"screen": {map[string]any{"limit": 1}, "connection refused"},
		"sql":    {map[string]any{"statement": "SELECT 1"}, "ClickHouse does not answer"},
	} {
		if text, failed := call(t, session, tool, of.arguments); !failed || !strings.Contains(text, of.want) ||
			strings.Contains(text, "hidden") {
			t.Errorf("%s: %v %s", tool, failed, text)
		}
	}
	for _, wrong := range []string{"", "8123", "clickhouse://host:9000", "http://user:hidden@host:port\x7f"} {
		if _, err := agent.NewDoor(wrong); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
