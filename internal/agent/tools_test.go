package agent_test

import (
	"encoding/json"
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
