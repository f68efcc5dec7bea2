package query_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Versions of the client generators, and of what their output needs.
const (
	pythonGenerator     = "openapi-python-client==0.29.1"
	typeScriptGenerator = "openapi-typescript@7.13.0"
	typeScriptCompiler  = "typescript@5.9.3"
	typeScriptFetch     = "openapi-fetch@0.17.0"
)

// readByClient is what both client programs print.
type readByClient struct {
	Total    int     `json:"total"`
	Best     [][]any `json:"best"` // RUN, series, return of one year
	Days     [][]any `json:"days"` // date, quota value
	Unknown  []any   `json:"unknown"`
	Invalid  []any   `json:"invalid"`
	Examples int     `json:"examples"`
}

const (
	clientSeries = "1161378270" // RUN 9809, series B
	clientDay    = "2025-07-18"
)

// readDirectly reads what the clients must print, without a client.
func (r *rig) readDirectly(t *testing.T) readByClient {
	page := decode[struct {
		items
		Meta struct{ Total int }
	}](t, r.get(t, "/api/screener?currency=PESOS&sort=1y&order=desc&limit=3"))
	want := readByClient{Total: page.Meta.Total, Unknown: []any{404.0, "not_found"}, Invalid: []any{422.0, "limit"}}
	for _, item := range page.Data {
		year := object(item.Attributes).in("returns", "periods", "1y")
		want.Best = append(want.Best, []any{item.Attributes["run"], item.Attributes["serie"], year["value"]})
	}
	for _, item := range decode[items](t,
		r.get(t, "/api/real_assets/"+clientSeries+"/days?from_date="+clientDay)).Data {
		want.Days = append(want.Days, []any{item.Attributes["date"], item.Attributes["price"]})
	}
	eachOperation(t, func(_, _ string, op object) {
		for status := range op.in("responses") {
			want.Examples += len(op.in("responses", status, "content", "application/json", "examples"))
		}
	})
	if len(want.Best) != 3 || len(want.Days) != 3 || want.Examples < 30 {
		t.Fatalf("too little to read: %+v", want)
	}
	return want
}

// listen serves on a socket, and writes the document into a file.
func (r *rig) listen(t *testing.T, dir string) (address, document string) {
	t.Helper()
	server := httptest.NewServer(r.Handler())
	t.Cleanup(server.Close)
	request := httptest.NewRequest("GET", "/openapi.json", nil)
	request.Host = strings.TrimPrefix(server.URL, "http://")
	document = filepath.Join(dir, "document.json")
	must(t, os.WriteFile(document, serve(r.Handler(), request).body, 0o600))
	return server.URL, document
}

// aPythonClientReads generates a client from the document in Python and runs a
// program with it.
func aPythonClientReads(t *testing.T, r *rig) {
	python := tool(t, "python3")
	dir := t.TempDir()
	address, document := r.listen(t, dir)
	install(t, dir, python, "-m", "venv", "venv")
	bin := filepath.Join(dir, "venv", "bin")
	install(t, dir, filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check", pythonGenerator)

	must(t, os.WriteFile(filepath.Join(dir, "generator.yml"), []byte("post_hooks: []\n"), 0o600))
	output := run(t, r, dir, filepath.Join(bin, "openapi-python-client"), "generate", "--path", document,
		"--config", "generator.yml", "--meta", "none", "--output-path", "generated", "--fail-on-warning")
	if strings.Contains(output, "arning") {
		t.Errorf("the generator warns of the document: %s", output)
	}
	copyFile(t, "testdata/clients/client.py", dir)
	wantRead(t, r, run(t, r, dir, filepath.Join(bin, "python"), "client.py", address, clientSeries, clientDay,
		document))
}

// typeScriptTypesFit generates types from the document. It type-checks a program and every
// example against them, and runs the program.
func typeScriptTypesFit(t *testing.T, r *rig) {
	npm, node := tool(t, "npm"), tool(t, "node")
	dir := t.TempDir()
	address, document := r.listen(t, dir)
	must(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true, "type": "module"}`), 0o600))
	install(t, dir, npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", typeScriptGenerator,
		typeScriptCompiler, typeScriptFetch)

	bin := filepath.Join(dir, "node_modules", ".bin")
	run(t, r, dir, filepath.Join(bin, "openapi-typescript"), document, "--output", "api.ts")
	must(t, os.WriteFile(filepath.Join(dir, "examples.ts"), typedExamples(t), 0o600))
	copyFile(t, "testdata/clients/client.ts", dir)
	run(t, r, dir, filepath.Join(bin, "tsc"), "--strict", "--noUncheckedIndexedAccess", "--target", "es2022",
		"--module", "nodenext", "--lib", "es2022,dom", "client.ts")
	wantRead(t, r, run(t, r, dir, node, "client.js", address, clientSeries, clientDay))
}

// typedExamples declares each example as one of the answers of its operation.
func typedExamples(t *testing.T) []byte {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("import type { paths } from \"./api.js\";\nexport const examples: unknown[] = [];\n")
	examples := theDocument(t).in("components", "examples")
	eachOperation(t, func(name, method string, op object) {
		for status := range op.in("responses") {
			if len(op.in("responses", status, "content", "application/json", "examples")) == 0 {
				continue
			}
			value, err := json.Marshal(examples.in(op.text("operationId"))["value"])
			must(t, err)
			_, path, _ := strings.Cut(name, " ")
			fmt.Fprintf(&text, "{\n  const example: "+
				"paths[%q][%q][\"responses\"][%s][\"content\"][\"application/json\"] = %s;\n  "+
				"examples.push(example);\n}\n", path, method, status, value)
		}
	})
	return text.Bytes()
}

func wantRead(t *testing.T, r *rig, printed string) {
	t.Helper()
	var got readByClient
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if diff := cmp.Diff(r.readDirectly(t), got); diff != "" {
		t.Errorf("the service (-) and what the client read (+):\n%s", diff)
	}
}

// tool returns the path of a program. If the program is missing, the test is skipped, but
// fails in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skipOutsideCI(t, "there is no "+name)
	}
	return path
}

// install runs a command that downloads packages. If that is not possible, the test is
// skipped, but fails in CI.
func install(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	if output, err := execute(t, dir, nil, program, args...); err != nil {
		skipOutsideCI(t, fmt.Sprintf("%s %s: %v: %s", filepath.Base(program), strings.Join(args, " "), err, output))
	}
}

func skipOutsideCI(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// run runs a program that must succeed, and returns its output. The program finds the API key
// in its environment.
func run(t *testing.T, r *rig, dir, program string, args ...string) string {
	t.Helper()
	output, err := execute(t, dir, []string{"CUOTA_KEY=" + r.key}, program, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, output)
	}
	return output
}

func execute(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	output, err := command.CombinedOutput()
	return string(output), err
}

func copyFile(t *testing.T, from, dir string) {
	t.Helper()
	text, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, filepath.Base(from)), text, 0o600))
}
