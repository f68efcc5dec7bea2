package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A program starts cuota mcp and speaks with it over its standard input and output, as desktop clients do.
func TestModelsAskAServiceThroughItsCommandAndOverHTTP(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := up(t, dir, "--no-demo", "--mcp")
	keyFile := filepath.Join(t.TempDir(), "key")
	key := succeed(t, "key", "create", "--data", dir, "--email", "a@example.org")
	if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	connect := func(transport mcp.Transport) *mcp.ClientSession {
		t.Helper()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
			Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	command := func(env []string, more ...string) *mcp.CommandTransport {
		return &mcp.CommandTransport{
			Command: program(t.Context(), env, append([]string{"mcp", "--url", r.api}, more...)...),
		}
	}
	for name, of := range map[string]struct {
		transport mcp.Transport
		tools     int
	}{
		"with the key in a file": {command(nil, "--key-file", keyFile), 4},
		"with the key in a variable": {command([]string{"CUOTA_API_KEY=" + strings.TrimSpace(key)}, "--sql",
			r.clickhouse), 5},
		"over HTTP": {&mcp.StreamableClientTransport{Endpoint: r.api + "/mcp", DisableStandaloneSSE: true,
			MaxRetries: -1,
			HTTPClient: &http.Client{Transport: withKey(strings.TrimSpace(key))}}, 4},
	} {
		session := connect(of.transport)
		list, err := session.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != of.tools {
			t.Fatalf("%s: %+v, %v", name, list, err)
		}
		result, err := session.CallTool(
			t.Context(),
			&mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "x"}},
		)
		if err != nil || !result.IsError ||
			!strings.Contains(result.Content[0].(*mcp.TextContent).Text, "was answered with 503") {
			t.Errorf("%s: without a batch the answer is %+v, %v", name, result, err)
		}
		if err := session.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	response, err := http.Post(r.api+"/mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close() // only its status counts
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key the status is %d", response.StatusCode)
	}
	r.interrupt(t)
	if log := r.stderr.String(); strings.Contains(log, strings.TrimSpace(key)) {
		t.Error("the key is in the log")
	}
}

// withKey sends a key with each request.
type withKey string

func (key withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Api-Key", string(key))
	return http.DefaultTransport.RoundTrip(r)
}

func TestWrongFlagsOfToolsAreToldWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mcp", "--url", "http://user:hidden@host"}, {"mcp", "--sql", "clickhouse://user:hidden@host:9000"},
		{"mcp", "--key-file", empty}, {"mcp", "--key-file", empty + "-missing"},
		{"up", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--clickhouse-listen", "127.0.0.1:0",
			"--clickhouse-native-listen", "127.0.0.1:0", "--kafka-listen", "127.0.0.1:0", "--admin", "none",
			"--no-demo",
			"--mcp-sql", "http://user:hidden@127.0.0.1:8123"},
	} {
		if r := cuota(t, args...); r.code != 1 || strings.Contains(r.stdout+r.stderr, "hidden") ||
			!strings.Contains(r.stderr, args[len(args)-2]) {
			t.Errorf("%v ended with %d: %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}
