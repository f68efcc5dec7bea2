// Package openapitest lets tests compare responses with an OpenAPI document. Only tests import
// it.
package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	liberrors "github.com/pb33f/libopenapi-validator/errors"
)

// Document is an OpenAPI document. It is parsed at its first use.
type Document struct {
	text     []byte
	examples string
	parse    func() (validator.Validator, error)
}

// New makes a document from its text. examples is the directory of its examples. An operation
// may refer to an example that does not exist yet.
func New(text []byte, examples string) *Document {
	return &Document{text, examples, sync.OnceValues(func() (validator.Validator, error) {
		complete, err := withMissingExamples(text)
		if err != nil {
			return nil, err
		}
		parsed, err := libopenapi.NewDocument(complete)
		if err != nil {
			return nil, fmt.Errorf("parse the document: %w", err)
		}
		checked, errs := validator.NewValidator(parsed, config.WithFormatAssertions())
		if len(errs) > 0 {
			return nil, fmt.Errorf("build the schemas of the document: %w", errors.Join(errs...))
		}
		return checked, nil
	})}
}

// reference finds the examples to which a document refers.
var reference = regexp.MustCompile(`"#/components/examples/(\w+)"`)

// withMissingExamples adds an empty example wherever the document refers to one that it does not
// have. The parser refuses such references, but the first example of a new operation can only be
// written once the document was parsed.
func withMissingExamples(text []byte) ([]byte, error) {
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("parse the document: %w", err)
	}
	components, _ := document["components"].(map[string]any)
	examples, _ := components["examples"].(map[string]any)
	have := len(examples)
	for _, found := range reference.FindAllSubmatch(text, -1) {
		if name := string(found[1]); examples != nil && examples[name] == nil {
			examples[name] = map[string]any{}
		}
	}
	if len(examples) == have {
		return text, nil
	}
	return json.Marshal(document)
}

// IsValid fails the test if the text is not a valid OpenAPI document.
func (d *Document) IsValid(t testing.TB) {
	t.Helper()
	if ok, found := d.validator(t).ValidateDocument(); !ok {
		d.fail(t, found)
	}
}

// Conforms fails the test if a response does not match the document's schema for the operation
// and the status.
func (d *Document) Conforms(t testing.TB, request *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	response := &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Request: request}
	if ok, found := d.validator(t).ValidateHttpResponse(request, response); !ok {
		t.Errorf("%s %s: %d %.800s", request.Method, request.URL, status, body)
		d.fail(t, found)
	}
}

func (d *Document) validator(t testing.TB) validator.Validator {
	t.Helper()
	v, err := d.parse()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (d *Document) fail(t testing.TB, found []*liberrors.ValidationError) {
	t.Helper()
	for _, e := range found {
		t.Errorf("against the document: %s: %s %v", e.Message, e.Reason, e.SchemaValidationErrors)
	}
	t.FailNow()
}
