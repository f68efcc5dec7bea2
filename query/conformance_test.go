package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"cuota/internal/testkit/openapitest"
	"cuota/query"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ours is the document of this server, to check replies against it.
var ours = openapitest.New(query.Document(), "examples")

// exampleTargets returns the request in the example of each endpoint: everything that is answered
// from a batch. The ids in them are of the demo market.
func exampleTargets(t testing.TB) (targets []string) {
	t.Helper()
	for _, o := range ours.Operations(t, func(tag string) bool {
		return tag != "Account" && tag != "Service" && tag != "Bulk" && tag != "Backtests" && tag != "Portfolio" &&
			tag != "Many answers"
	}) {
		targets = append(targets, o.Target())
	}
	if len(targets) < 20 {
		t.Fatalf("the document has examples of %d endpoints only", len(targets))
	}
	return targets
}

// theirs holds the schemas of the public interface, by path and status.
var theirs = sync.OnceValue(func() map[string]*jsonschema.Schema {
	text, err := os.ReadFile("testdata/contract-schemas.json")
	if err != nil {
		panic(err)
	}
	contract, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseRegexpEngine(ecmaPattern)
	if err := compiler.AddResource("contract.json", contract); err != nil {
		panic(err)
	}
	var outline struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Schema *json.RawMessage `json:"schema"`
			} `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &outline); err != nil {
		panic(err)
	}
	schemas := map[string]*jsonschema.Schema{}
	for path, methods := range outline.Paths {
		for method, op := range methods {
			for status, response := range op.Responses {
				if response.Schema == nil {
					continue
				}
				pointer := fmt.Sprintf("contract.json#/paths/%s/%s/responses/%s/schema",
					strings.ReplaceAll(path, "/", "~1"), method, status)
				schemas[method+" "+path+" "+status] = compiler.MustCompile(pointer)
			}
		}
	}
	return schemas
})

// ecmaPattern compiles a pattern of JSON Schema. One pattern of the contract begins with a
// negative look-ahead, which Go's regular expressions do not have. It is compiled as a
// second expression that must not match.
func ecmaPattern(pattern string) (jsonschema.Regexp, error) {
	text := patternText(pattern)
	var without *regexp.Regexp
	if rest, found := strings.CutPrefix(pattern, "^(?!"); found {
		ahead, after, _ := strings.Cut(rest, ")")
		unwanted, err := regexp.Compile(ahead)
		if err != nil {
			return nil, err
		}
		without, pattern = unwanted, "^"+after
	}
	wanted, err := regexp.Compile(pattern)
	return lookahead{text, wanted, without}, err
}

type patternText string

type lookahead struct {
	patternText
	wanted, unwanted *regexp.Regexp
}

func (p patternText) String() string { return string(p) }

func (l lookahead) MatchString(s string) bool {
	return l.wanted.MatchString(s) && (l.unwanted == nil || !l.unwanted.MatchString(s))
}

// chosenType is the Content-Type of replies with chosen attributes, which the public interface does not have.
const chosenType = "application/vnd.cuota.fields+json"

// periodType is that of returns between two days.
const periodType = "application/vnd.cuota.period+json"

// conforms checks a response against the public interface and against our own document. It
// skips responses to requests that no operation answers, because they are in neither.
func conforms(t testing.TB, request *http.Request, got answer) {
	t.Helper()
	if got.header.Get("X-Request-Id") == "" || got.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("no request id or no cross-origin header: %v", got.header)
	}
	kind := got.header.Get("Content-Type")
	if got.status == http.StatusOK && query.IsTable(kind) {
		return // a table, whose rows the tests of formats compare with those in JSON
	} else if len(got.body) > 0 && kind != "application/json" && kind != chosenType && kind != periodType {
		t.Fatalf("content type %q", kind)
	}
	path := operationPath(t, request.URL)
	if path == "" || request.Method != http.MethodGet {
		return
	}
	schema := theirs()[fmt.Sprintf("get %s %d", path, got.status)]
	if schema != nil && kind != chosenType && kind != periodType {
		// The public interface lacks only this word, the quota source of book values.
		published := bytes.Replace(got.body, []byte(`"quota_source":"cmf_valor_libro"`), []byte(`"quota_source":"CMF"`),
			1)
		body, err := jsonschema.UnmarshalJSON(bytes.NewReader(published))
		must(t, err)
		if err := schema.Validate(body); err != nil {
			t.Fatalf("%s against the public interface: %v\n%.800s", request.URL, err, got.body)
		}
	}
	asked := *request
	asked.URL = segmented(t, request.URL)
	ours.Conforms(t, &asked, got.status, got.header, got.body)
}

// partsOf returns the segments of a path.
func partsOf(t testing.TB, of *url.URL) []string {
	t.Helper()
	parts := strings.Split(of.EscapedPath(), "/")
	for i, part := range parts {
		var err error
		parts[i], err = url.PathUnescape(part)
		must(t, err)
	}
	return parts
}

// segmented returns an address in which only what must be escaped is escaped.
func segmented(t testing.TB, of *url.URL) *url.URL {
	t.Helper()
	parts := partsOf(t, of)
	out := *of
	out.Path = strings.Join(parts, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	out.RawPath = strings.Join(parts, "/")
	return &out
}

// operationPath returns the path of the document that matches the path of a request. An
// escaped slash does not separate segments.
func operationPath(t testing.TB, of *url.URL) string {
	t.Helper()
	parts := partsOf(t, of)
	for _, op := range query.Operations() {
		pattern := strings.Split(op.Path, "/")
		if len(pattern) != len(parts) {
			continue
		}
		matches := true
		for i := range parts {
			if strings.HasPrefix(pattern[i], "{") && parts[i] != "" {
				continue
			}
			matches = matches && pattern[i] == parts[i]
		}
		if matches {
			return op.Path
		}
	}
	return ""
}
