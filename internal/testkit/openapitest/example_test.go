package openapitest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refusals counts the errors that a check reports.
type refusals struct {
	testing.TB
	n int
}

func (r *refusals) Helper()               {}
func (r *refusals) Errorf(string, ...any) { r.n++ }

const little = `{
	"paths": {"/of/{name}/it": {"get": {"operationId": "get_it", "tags": ["T"], "parameters": [
		{"name": "name", "in": "path", "example": "a/b <c>"},
		{"name": "many", "in": "query", "example": ["x y", "z"]},
		{"name": "id", "in": "query", "example": 4294967295},
		{"name": "unused", "in": "query"}]}}},
	"components": {"examples": {"get_it": {
		"summary": "GET /of/a%2Fb%20%3Cc%3E/it?many=x+y&many=z&id=4294967295",
		"description": "Noted. Lists are cut to their first 2 elements.",
		"value": {"z": [{"b": 1}, 2], "a": 0.3333333333333333, "text": "<"}
	}}}
}`

func TestAnExampleIsTheAnswerWithItsListsCut(t *testing.T) {
	d := New([]byte(little), t.TempDir())
	operations := d.Operations(t, func(tag string) bool { return tag == "T" })
	if len(operations) != 1 {
		t.Fatalf("%+v", operations)
	}
	for answer, right := range map[string]bool{
		`{"z": [{"b": 1}, 2, 3], "a": 0.3333333333333333, "text": "<"}`:             true,
		`{"a": 0.33333333333333337, "z": [{"b": 1}, 2, "x", []], "text": "\u003c"}`: true,
		`{"z": [{"b": 1}, 2], "a": 0.3333333333333333, "text": "<"}`:                false, // nothing was cut
		`{"z": [{"b": 2}, 2, 3], "a": 0.3333333333333333, "text": "<"}`:             false,
		`{"z": [{"b": 1}, 2, 3], "a": 0.3333334, "text": "<"}`:                      false,
		`{"z": [{"b": 1}, 2, 3], "a": 0.3333333333333333, "text": "<", "more": 1}`:  false,
		`{"z": [{"b": 1}, 2, 3], "a": null, "text": "<"}`:                           false,
	} {
		seen := &refusals{TB: t}
		d.IsExample(seen, operations[0], "Noted.", []byte(answer))
		if accepted := seen.n == 0; accepted != right {
			t.Errorf("%s: accepted %t", answer, accepted)
		}
	}
}

// The first example of a new operation is written by a test that parses the document, so the
// document must parse before the example exists.
func TestADocumentMayReferToAnExampleThatIsNotWrittenYet(t *testing.T) {
	text := `{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/it": {"get": {"operationId": "get_it", "tags": ["T"],
		"responses": {"200": {"description": "It", "content": {"application/json": {"schema": {"type": "object"}, "examples": {"demo": {"$ref": "#/components/examples/get_it"}}}}}}}}},
		"components": {"examples": {}}}`
	dir := t.TempDir()
	d := New([]byte(text), dir)
	d.Conforms(t, httptest.NewRequest(http.MethodGet, "/it", nil), http.StatusOK,
		http.Header{"Content-Type": {"application/json"}}, []byte(`{"a": 1}`))
	seen := &refusals{TB: t}
	if d.IsExample(seen, d.Operations(t, func(string) bool { return true })[0], "", []byte(`{"a": 1}`)); seen.n != 1 {
		t.Errorf("the missing example was reported %d times", seen.n)
	}
	*update = true
	defer func() { *update = false }()
	d.IsExample(t, d.Operations(t, func(string) bool { return true })[0], "", []byte(`{"a": 1}`))
	if written, err := os.ReadFile(filepath.Join(dir, "get_it.json")); err != nil ||
		!strings.Contains(string(written), `"summary": "GET /it"`) {
		t.Errorf("%s, %v", written, err)
	}
}

func TestACutAnswerKeepsTheOrderOfItsMembers(t *testing.T) {
	short, wasCut, err := cut([]byte(` {"z": [[1, 2, 3], {"y": 1, "b": "<&"}, 4], "a": 10000000000000000000000 } `))
	if want := `{"z":[[1,2],{"y":1,"b":"<&"}],"a":10000000000000000000000}`; string(short) != want || !wasCut ||
		err != nil {
		t.Errorf("%s, %t, %v", short, wasCut, err)
	}
	if _, _, err := cut([]byte(`{"a": nothing}`)); err == nil {
		t.Error("what is no JSON was cut")
	}
}
