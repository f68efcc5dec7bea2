package query

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"cuota/internal/httpapi"
)

// contract is the OpenAPI document, written by hand. exampleFiles are the examples of its
// replies, which a test writes and checks. Tests compare the contract with the table of
// operations, and every reply with the contract.
//
//go:embed openapi.json
var contract []byte

//go:embed examples/*.json
var exampleFiles embed.FS

var document = withExamples(contract, exampleFiles)

// Document returns a copy of the OpenAPI document with its examples. It is what the server
// serves, except that the address of the service is not filled in.
func Document() []byte { return bytes.Clone(document) }

// examplesMark is the place in openapi.json where the examples go. An operation refers to
// its example by its operationId, which is also the name of the file.
var examplesMark = []byte(`"examples": {}`)

// withExamples fills the examples into the document. The files are embedded in the program,
// so reading them cannot fail.
func withExamples(contract []byte, files embed.FS) []byte {
	entries, err := files.ReadDir("examples")
	if err != nil {
		panic(err)
	}
	members := make([][]byte, len(entries))
	for i, entry := range entries {
		example, err := files.ReadFile("examples/" + entry.Name())
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(entry.Name(), ".json")
		members[i] = append([]byte(`"`+name+`": `), bytes.TrimSpace(example)...)
	}
	filled := slices.Concat([]byte("\"examples\": {\n"), bytes.Join(members, []byte(",\n")), []byte("}"))
	return bytes.Replace(contract, examplesMark, filled, 1)
}

// baseURLMark is the place in openapi.json where the address of the service goes.
var baseURLMark = []byte(`"{base_url}"`)

// documentOperation serves the OpenAPI document.
func (s *Server) documentOperation() httpapi.Operation {
	return httpapi.NewOperation(http.MethodGet, "/openapi.json", httpapi.Open, nil, func(_ context.Context, c *httpapi.Call, _ *struct{}) (httpapi.Answer, error) {
		return httpapi.Answer{Make: func(context.Context) (httpapi.Reply, error) { return s.document(c) }}, nil
	})
}

func (s *Server) document(c *httpapi.Call) (httpapi.Reply, error) {
	address, err := json.Marshal(s.BaseURL(c.Request))
	if err != nil {
		return httpapi.Reply{}, err
	}
	body := bytes.Replace(document, baseURLMark, address, 1)
	hash := sha256.Sum256(body)
	c.Validator = hex.EncodeToString(hash[:16])
	return httpapi.Reply{Body: body}, nil
}
