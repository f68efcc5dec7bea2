package query

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
)

// The contract, written by hand. A test holds it against the table of
// operations, and others hold every reply against it.
//
//go:embed openapi.json
var document []byte

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
