// Package agent answers language models over the Model Context Protocol (MCP): they call tools, and a tool asks the
// HTTP API through package client. It stands beside the API, not inside it: it knows no operation of query, and what
// a tool answers is what any caller of the API would get with the same key.
//
// agent.go makes the server of one client. tools.json has the definitions of the tools, and each tool has a file of its
// own: search.go, ask.go, screen.go, sql.go and backtest.go. arguments.go reads what a model sends, words.go translates
// the words that models and people use, and answer.go keeps answers short. http.go serves tools over HTTP, with the key
// of each caller.
package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuota/client"
)

// Config says what the tools of a server can do.
type Config struct {
	Version string // of the program
	Door    *Door  // for the tool sql; nil: there is no such tool
	// CountSQL makes each statement cost a request of the key, because the door asks for none.
	CountSQL bool
}

// instructions are sent once for each connection, not with the tools.
const instructions = "Figures of Chilean mutual funds. Every answer names its batch, its date and its source. In " +
	"answers of ask each figure has its own date, and a null its reason; screen has neither. Returns and cost rates " +
	"are fractions: 0.01 is 1 %."

// callTimeout bounds one call of a tool.
const callTimeout = time.Minute

// server holds what the tools of one client use.
type server struct {
	api    *client.Client
	config Config
}

// tool is a tool with what runs it. run returns the answer as a text.
type tool struct {
	name string
	run  func(ctx context.Context, arguments json.RawMessage) (string, error)
}

// NewServer makes a server whose tools ask the API with the key of the client.
func NewServer(api *client.Client, config Config) *mcp.Server {
	s := &server{api, config}
	out := mcp.NewServer(&mcp.Implementation{Name: "cuota", Version: config.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		// The list of tools never changes, and nothing is logged to the client.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	tools := []tool{s.search(), s.ask(), s.screen(), s.backtest()}
	if config.Door != nil {
		tools = append(tools, s.sql())
	}
	for _, t := range tools {
		defined, example := define(t.name)
		out.AddTool(defined, t.handler(example))
	}
	return out
}

// handler runs a tool. What goes wrong is told to the model in the result, so that it can ask again in another way.
func (t tool) handler(example string) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		text, err := t.run(ctx, request.Params.Arguments)
		if err == nil && len(text) > maxAnswer {
			err = fmt.Errorf("the answer has %d bytes, more than %d: ask for less", len(text), maxAnswer)
		}
		if err != nil {
			text = bounded(explain(err) + "\nExample of arguments: " + example)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: err != nil}, nil
	}
}

// explain returns an error as a sentence for a model.
func explain(err error) string {
	refused, is := errors.AsType[*client.Error](err)
	if !is {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Sprintf("The answer took longer than %v. Ask for less.", callTimeout)
		}
		return err.Error()
	}
	text := fmt.Sprintf("%s %s was answered with %d: %s", refused.Method, refused.Path, refused.Status,
		refused.Explanation())
	switch {
	case refused.Status == http.StatusUnauthorized:
		text += " The key is set in the configuration of this server, not in arguments."
	case refused.RetryAfter > 0:
		text += fmt.Sprintf(" Try again in %v.", refused.RetryAfter)
	case refused.CurrentBatch != "":
		text += " Begin again without batch_id."
	}
	return text
}
