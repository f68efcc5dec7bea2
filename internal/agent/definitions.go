package agent

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolsJSON has the definition of each tool, as models read it, and examples of arguments for errors.
//
//go:embed tools.json
var toolsJSON []byte

// definition is one of tools.json.
type definition struct {
	Description string            `json:"description"`
	InputSchema json.RawMessage   `json:"inputSchema"`
	Examples    []json.RawMessage `json:"examples"`
}

// definitions are those of tools.json by name. Every server needs them, and over HTTP each request has a server.
var definitions = sync.OnceValue(func() map[string]definition {
	read := map[string]definition{}
	if err := json.Unmarshal(toolsJSON, &read); err != nil {
		panic("agent: tools.json: " + err.Error()) // every test of this package would fail
	}
	return read
})

// define returns the tool of a name, without what runs it, and examples of its arguments.
func define(name string) (*mcp.Tool, string) {
	of := definitions()[name]
	var examples []string
	for _, example := range of.Examples {
		examples = append(examples, compact(example))
	}
	return &mcp.Tool{Name: name, Description: of.Description, InputSchema: json.RawMessage(compact(of.InputSchema)),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, strings.Join(examples, " or ")
}

// compact returns JSON without spaces and line feeds.
func compact(text json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		panic("agent: tools.json: " + err.Error())
	}
	return out.String()
}
