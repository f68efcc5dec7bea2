package openapitest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write the examples of the document anew, from the answers")

// Operation is an operation of the document, with what its examples need.
type Operation struct {
	ID, Method, Path string
	Tags             []string
	// Body is the example of the request body; nil if there is none.
	Body json.RawMessage

	parameters []parameter
}

type parameter struct {
	Name, In string
	Example  any
}

// Operations returns the operations that have a matching tag, sorted by path and method.
func (d *Document) Operations(t testing.TB, tagged func(tag string) bool) []Operation {
	t.Helper()
	var parsed struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Tags        []string
			Parameters  []parameter
			RequestBody struct {
				Content map[string]struct{ Example json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(d.text, &parsed); err != nil {
		t.Fatal(err)
	}
	var list []Operation
	for path, methods := range parsed.Paths {
		for method, op := range methods {
			if slices.ContainsFunc(op.Tags, tagged) {
				list = append(list, Operation{ID: op.OperationID, Method: strings.ToUpper(method), Path: path,
					Tags: op.Tags,
					Body: op.RequestBody.Content["application/json"].Example, parameters: op.Parameters})
			}
		}
	}
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return list
}

// Takes reports whether the operation has a parameter of this name.
func (o Operation) Takes(name string) bool {
	return slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.Name == name })
}

// Target returns the path and query made from the parameters' examples. It leaves out parameters
// without an example.
func (o Operation) Target() string {
	target, query := o.Path, []string{}
	for _, p := range o.parameters {
		values, several := p.Example.([]any)
		if !several && p.Example != nil {
			values = []any{p.Example}
		}
		for _, value := range values {
			text := fmt.Sprint(value)
			if number, is := value.(float64); is {
				text = fmt.Sprintf("%.0f", number)
			}
			if p.In == "path" {
				target = strings.Replace(target, "{"+p.Name+"}", url.PathEscape(text), 1)
			} else {
				query = append(query, p.Name+"="+url.QueryEscape(text))
			}
		}
	}
	if len(query) > 0 {
		target += "?" + strings.Join(query, "&")
	}
	return target
}

// example is an Example Object of the document.
type example struct {
	Summary     string          `json:"summary"` // method and target of the request
	Description string          `json:"description,omitempty"`
	Value       json.RawMessage `json:"value"`
}

// shown is how many elements of a list an example contains.
const shown = 2

// IsExample compares the answer to an example request with the example in the document. The
// example must consist of the request, the note, and the answer with its lists cut. The last
// digits of floating-point sums differ between runs, so numbers are equal if they differ by at
// most 1e-9 of their size. With the flag -update, IsExample writes the example instead.
func (d *Document) IsExample(t testing.TB, o Operation, note string, answer []byte) {
	t.Helper()
	value, wasCut, err := cut(answer)
	if err != nil {
		t.Fatalf("%s answered %v: %.300s", o.Target(), err, answer)
	}
	if wasCut {
		note = strings.TrimSpace(fmt.Sprintf("%s Lists are cut to their first %d elements.", note, shown))
	}
	want := example{Summary: o.Method + " " + o.Target(), Description: note, Value: value}
	have, err := d.example(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	difference := gocmp.Diff(parsed(t, have), parsed(t, want), cmpopts.EquateApprox(1e-9, 0), fingerprints)
	if difference == "" {
		return
	}
	if !*update {
		t.Errorf("%s: the example in the document (-) is not the answer (+). If the answer is right, run the test "+
			"with -update.\n%s", o.ID, difference)
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(want); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.examples, o.ID+".json"), text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fingerprints compares fingerprints by their form alone: each change of a rule changes them, even if no
// answer changes.
var fingerprints = gocmp.FilterPath(func(path gocmp.Path) bool {
	at, is := path.Last().(gocmp.MapIndex)
	return is && at.Key().String() == "fingerprint"
}, gocmp.Comparer(func(a, b any) bool { return isFingerprint(a) && isFingerprint(b) }))

func isFingerprint(value any) bool {
	text, is := value.(string)
	sum, err := hex.DecodeString(text)
	return is && err == nil && len(sum) == sha256.Size
}

// example returns the example of an operation. With -update it reads the example's file, because
// the document in the binary may be older.
func (d *Document) example(id string) (example, error) {
	if *update {
		var e example
		text, err := os.ReadFile(filepath.Join(d.examples, id+".json"))
		if os.IsNotExist(err) {
			return e, nil
		} else if err != nil {
			return e, err
		}
		err = json.Unmarshal(text, &e)
		return e, err
	}
	var parsed struct {
		Components struct{ Examples map[string]example }
	}
	err := json.Unmarshal(d.text, &parsed) // in a statement of its own: in one return, the map could be read before
	return parsed.Components.Examples[id], err
}

// parsed decodes an example so that it can be compared.
func parsed(t testing.TB, e example) map[string]any {
	t.Helper()
	comparable := map[string]any{"summary": e.Summary, "description": e.Description}
	if len(e.Value) > 0 {
		var value any
		if err := json.Unmarshal(e.Value, &value); err != nil {
			t.Fatal(err)
		}
		comparable["value"] = value
	}
	return comparable
}

// cut shortens every list in a JSON text to its first elements. Object members keep their
// order. wasCut reports whether it left anything out.
func cut(text json.RawMessage) (short json.RawMessage, wasCut bool, err error) {
	switch text = bytes.TrimSpace(text); {
	case bytes.HasPrefix(text, []byte("[")):
		var elements []json.RawMessage
		if err := json.Unmarshal(text, &elements); err != nil {
			return nil, false, err
		}
		if len(elements) > shown {
			elements, wasCut = elements[:shown], true
		}
		for i, element := range elements {
			within := false
			if elements[i], within, err = cut(element); err != nil {
				return nil, false, err
			}
			wasCut = wasCut || within
		}
		return slices.Concat([]byte("["), bytes.Join(asBytes(elements), []byte(",")), []byte("]")), wasCut, nil
	case bytes.HasPrefix(text, []byte("{")):
		decoder := json.NewDecoder(bytes.NewReader(text))
		if _, err := decoder.Token(); err != nil {
			return nil, false, err
		}
		var members [][]byte
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, false, err
			}
			var member json.RawMessage
			if err := decoder.Decode(&member); err != nil {
				return nil, false, err
			}
			member, within, err := cut(member)
			if err != nil {
				return nil, false, err
			}
			wasCut = wasCut || within
			quoted, err := json.Marshal(name)
			if err != nil {
				return nil, false, err
			}
			members = append(members, slices.Concat(quoted, []byte(":"), member))
		}
		return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), wasCut, nil
	case !json.Valid(text):
		return nil, false, fmt.Errorf("no JSON")
	}
	return text, false, nil
}

func asBytes(texts []json.RawMessage) [][]byte {
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}
