package agent_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuota/client"
	"cuota/internal/agent"
)

// maxBytes bounds what the definitions of all tools cost a model before it asks anything: 900 tokens of four bytes. The
// tests of the Python client count the tokens.
const maxBytes = 3600

func TestTheDefinitionsOfAllToolsAreSmall(t *testing.T) {
	t.Parallel()
	door, err := agent.NewDoor("http://127.0.0.1:8123")
	must(t, err)
	for _, config := range []agent.Config{{Version: "test"}, {Version: "test", Door: door}} {
		definitions := definitionsOf(t, config)
		want := []string{"ask", "backtest", "screen", "search"}
		if config.Door != nil {
			want = append(want, "sql")
		}
		var names []string
		for _, tool := range definitions {
			names = append(names, tool["name"].(string))
		}
		if strings.Join(names, " ") != strings.Join(want, " ") {
			t.Errorf("the tools are %v, want %v", names, want)
		}
		text, err := json.Marshal(definitions)
		must(t, err)
		t.Logf("%d tools: %d bytes", len(definitions), len(text))
		if len(text) >= maxBytes {
			t.Errorf("the definitions have %d bytes, want fewer than %d", len(text), maxBytes)
		}
	}
}

func TestATruthValueOfAScreenReachesTheAPI(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Query().Encode()
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(service.Close)
	api, err := client.New(service.URL)
	must(t, err)
	here, there := mcp.NewInMemoryTransports()
	server, err := agent.NewServer(api, agent.Config{Version: "test"}).Connect(t.Context(), there, nil)
	must(t, err)
	t.Cleanup(func() { _ = server.Close() }) // the client has closed it
	session := connected(t, here)
	call := func(arguments map[string]any) string {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "screen", Arguments: arguments})
		must(t, err)
		return result.Content[0].(*mcp.TextContent).Text
	}
	call(map[string]any{"apv": true, "digital": false})
	if got := <-asked; !strings.Contains(got, "apv=true&digital=false&") || strings.Contains(got, "qualified") {
		t.Errorf("the API was asked for %s", got)
	}
	if got := call(map[string]any{"qualified": "sí"}); !strings.Contains(got, "must be true or false") {
		t.Errorf("a text in place of a truth value: %s", got)
	}
}

// definitionsOf returns the tools as tools/list sends them.
func definitionsOf(t *testing.T, config agent.Config) (tools []map[string]any) {
	t.Helper()
	api, err := client.New("http://127.0.0.1:1")
	must(t, err)
	here, there := mcp.NewInMemoryTransports()
	server, err := agent.NewServer(api, config).Connect(t.Context(), there, nil)
	must(t, err)
	t.Cleanup(func() { _ = server.Close() }) // the client has closed it
	list, err := connected(t, here).ListTools(t.Context(), nil)
	must(t, err)
	text, err := json.Marshal(list.Tools)
	must(t, err)
	must(t, json.Unmarshal(text, &tools))
	return tools
}
