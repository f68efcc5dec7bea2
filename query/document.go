package query

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// The contract, written by hand, and the examples of its answers, which a test
// writes and keeps true. Tests hold the contract against the table of operations,
// and every reply against the contract.
//
//go:embed openapi.json
var contract []byte

//go:embed examples/*.json
var exampleFiles embed.FS

var document = withExamples(contract, exampleFiles)

// Document gives the contract with its examples, as the server serves it but for
// the address of the service.
func Document() []byte { return bytes.Clone(document) }

// examplesMark stands in openapi.json where the examples go. Each operation
// refers to its own by its operationId, which is the name of the file too.
var examplesMark = []byte(`"examples": {}`)

// withExamples fills in the examples. They are files of the binary, so that
// reading them cannot fail.
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

// baseURLMark stands in openapi.json where the address of the service goes.
var baseURLMark = []byte(`"{base_url}"`)

// documentOperation serves the contract.
func (s *Server) documentOperation() operation {
	return operation{method: http.MethodGet, path: "/openapi.json", answer: s.document}
}

func (s *Server) document(_ context.Context, c *call) (reply, error) {
	address, err := json.Marshal(s.baseURL(c.request))
	if err != nil {
		return reply{}, err
	}
	body := bytes.Replace(document, baseURLMark, address, 1)
	hash := sha256.Sum256(body)
	c.validity = hex.EncodeToString(hash[:16])
	return ok(body)
}

var hostForm = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]{1,253}$`)

// baseURL is the address under which the caller found the service.
func (s *Server) baseURL(r *http.Request) string {
	if s.config.BaseURL != "" {
		return s.config.BaseURL
	}
	if !hostForm.MatchString(r.Host) {
		return "/"
	}
	scheme := "http"
	peer := clientAddress(r, nil)
	if r.TLS != nil || trusted(peer, s.config.TrustedProxies) && r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
