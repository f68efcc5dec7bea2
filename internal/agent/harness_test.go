package agent_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"cuota/client"
	"cuota/internal/account"
	"cuota/internal/agent"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/query"
	"cuota/sql"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// service is the API over the demo market, served over HTTP, with its tools.
type service struct {
	address string
	key     string
	store   *account.Store
	door    *agent.Door
	clock   func() time.Time
}

// patience limits how long a test waits. Nothing is expected to take this long.
const patience = 3 * time.Minute

// newService serves a market, whose tools are at /mcp.
func newService(t *testing.T, market *demotest.Market) *service {
	t.Helper()
	ctx := t.Context()
	s := &service{clock: func() time.Time { return demotest.Clock }}
	var err error
	s.store, err = account.Open(ctx, "sqlite://"+t.TempDir()+"/accounts.db", bytes.Repeat([]byte{7}, 32),
		account.WithTimeout(patience), account.WithClock(s.clock))
	must(t, err)
	t.Cleanup(func() { must(t, s.store.Close()) })
	s.key = s.issue(t, "unlimited@example.org", account.Internal)
	s.door = doorOf(t, market.Options)
	conn, err := clickhouse.Open(market.Options)
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close()) })
	var api *query.Server
	tools, err := agent.NewHandler(agent.HandlerConfig{Config: agent.Config{Version: "test", Door: s.door},
		BaseURL: "https://funds.example.org", API: func() http.Handler { return api.Handler() }})
	must(t, err)
	api, err = query.New(query.Config{Returns: []string{"clp", "real_uf"}, QueryTimeout: patience,
		ClickHouse: sql.NewHTTP(market.Options, "http://"+clickhousetest.Server(t).HTTP()),
		HTTP:       httpapi.Config{Area: tools, Now: s.clock, Burst: httpapi.Burst{PerSecond: 1e9, Size: 1e9}}},
		conn, s.store, zerolog.Nop())
	must(t, err)
	must(t, api.Refresh(ctx))
	t.Cleanup(func() { must(t, api.Stop(context.WithoutCancel(ctx))) })
	server := httptest.NewServer(api.Handler())
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

// doorOf returns the door to the database for people of a test's database, as people pass it.
func doorOf(t *testing.T, options *clickhouse.Options) *agent.Door {
	t.Helper()
	return doorAs(t, options, url.User("people"))
}

func doorAs(t *testing.T, options *clickhouse.Options, user *url.Userinfo) *agent.Door {
	t.Helper()
	at := url.URL{Scheme: "http", Host: clickhousetest.Server(t).HTTP(), User: user,
		RawQuery: url.Values{"database": {sql.PeoplesDatabase(options.Auth.Database)}}.Encode()}
	door, err := agent.NewDoor(at.String())
	must(t, err)
	return door
}

func (s *service) issue(t *testing.T, owner string, tier account.Tier, opts ...account.KeyOption) string {
	t.Helper()
	key, _, err := s.store.CreateKey(t.Context(), owner, tier, opts...)
	must(t, err)
	return key
}

// inMemory connects a client of the tools that ask the API over HTTP, as cuota mcp does.
func (s *service) inMemory(t *testing.T) *mcp.ClientSession {
	t.Helper()
	api, err := client.New(s.address, client.WithKey(s.key))
	must(t, err)
	here, there := mcp.NewInMemoryTransports()
	session, err := agent.NewServer(api, agent.Config{Version: "test", Door: s.door}).Connect(t.Context(), there, nil)
	must(t, err)
	t.Cleanup(func() { _ = session.Close() }) // the client has closed it
	return connected(t, here)
}

// overHTTP connects a client of /mcp with a key.
func (s *service) overHTTP(t *testing.T, key string) *mcp.ClientSession {
	t.Helper()
	return connected(t, &mcp.StreamableClientTransport{Endpoint: s.address + agent.Path, MaxRetries: -1,
		DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: keyed(key)}})
}

func connected(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), transport, nil)
	must(t, err)
	t.Cleanup(func() { _ = session.Close() }) // the server may have closed it
	return session
}

// keyed sends a key with each request.
type keyed string

func (key keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// call calls a tool and returns the text of its result.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	must(t, err)
	var out strings.Builder
	for _, part := range result.Content {
		out.WriteString(part.(*mcp.TextContent).Text)
	}
	return out.String(), result.IsError
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
