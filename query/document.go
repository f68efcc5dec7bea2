package query

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"cuota/internal/httpapi"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/origin"
	"cuota/query/portfolio"
)

// contract is the part of the OpenAPI document that is written by hand: texts and schemas.
// exampleFiles are the examples of its replies, which a test writes and checks. The parameters
// come from the endpoints. Tests compare the document with the operations, and every reply
// with the document.
//
//go:embed openapi.json
var contract []byte

//go:embed examples/*.json
var exampleFiles embed.FS

var document = sync.OnceValue(func() []byte { return withParameters(withExamples(contract, exampleFiles)) })

// Document returns a copy of the OpenAPI document with its parameters and examples. It is
// what the server serves, except that the address of the service is not filled in.
func Document() []byte { return bytes.Clone(document()) }

// withParameters fills in the parameters of the operations, and the bodies that have parameters as members. The place
// of the parameters of one operation is "parameters": ["GET /its/path"], and that of a body ["body POST /its/path"].
func withParameters(contract []byte) []byte {
	documented := []httpapi.Operation{(*Server)(nil).changesOperation(), (*Server)(nil).backtestsOperation(),
		portfolio.Operation(nil), market.Screens(nil), market.CompareMany(nil), origin.Batches(nil)}
	for _, e := range endpoints {
		documented = append(documented, e.Operation(nil))
	}
	for _, op := range documented {
		parameters, err := json.Marshal(op.Parameters)
		if err != nil {
			panic(err) // they are maps and texts, which can be encoded
		}
		contract = bytes.Replace(contract, []byte(`["`+op.Method+" "+op.Path+`"]`), parameters, 1)
	}
	for place, schema := range map[string]httpapi.Schema{
		`["body POST ` + market.ScreensPath + `"]`:  market.ScreenSchema(),
		`["body POST ` + market.Compare.Path + `"]`: market.CompareSchema(),
	} {
		described, err := json.Marshal(schema)
		if err != nil {
			panic(err)
		}
		contract = bytes.Replace(contract, []byte(place), described, 1)
	}
	return contract
}

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

// documentOperation serves the OpenAPI document. It names the configured address of the
// service, or else /, which is relative to the address of the document (OpenAPI 3.1, Server
// Object). It does not repeat the Host of a request: anyone may send any number of them, and
// each would take memory and a place in the response cache.
func (s *Server) documentOperation() httpapi.Operation {
	type served struct {
		body      []byte
		validator string
	}
	made := sync.OnceValues(func() (served, error) {
		address, err := json.Marshal(cmp.Or(strings.TrimRight(s.config.HTTP.BaseURL, "/"), "/"))
		if err != nil {
			return served{}, err
		}
		body := bytes.Replace(document(), baseURLMark, address, 1)
		hash := sha256.Sum256(body)
		return served{body, hex.EncodeToString(hash[:16])}, nil
	})
	return operation.ServiceOperation("/openapi.json", httpapi.Open, func(c *httpapi.Call) (httpapi.Reply, error) {
		once, err := made()
		c.Validator = once.validator
		return httpapi.Reply{Body: once.body}, err
	})
}
