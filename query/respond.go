package query

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
)

// validity is the strong validator of a reply (RULES 13): the same batch asked
// the same thing gives the same bytes, as long as the day is the same (ages in
// days are part of some replies) and so is the document that describes them.
func (s *Server) validity(op *operation, c *call) string {
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%s\n%s\n%s\n%s\n%s\n", s.documentHash, c.batch.ID, c.batch.InputFingerprint, s.today(), op.path)
	for _, p := range op.params {
		_, _ = fmt.Fprintf(hash, "%s=%q\n", p.name, fmt.Sprint(c.values[p.name]))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// sameAs tells whether If-None-Match names the validator. The form * is left to
// the time when there is a reply.
func sameAs(r *http.Request, validity string) bool {
	for _, listed := range strings.Split(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		if strings.TrimPrefix(strings.TrimSpace(listed), "W/") == `"`+validity+`"` {
			return true
		}
	}
	return false
}

// write sends a reply with the headers by which caches keep it.
func (s *Server) write(w http.ResponseWriter, r *http.Request, c *call, out reply) {
	header := w.Header()
	switch {
	case c.validity == "":
		header.Set("Cache-Control", "no-store")
	default:
		header.Set("ETag", `"`+c.validity+`"`)
		header.Set("Cache-Control", "private, max-age=300")
		header.Add("Vary", "X-Api-Key, Authorization, Accept")
		if out.status == http.StatusOK && (sameAs(r, c.validity) || strings.TrimSpace(r.Header.Get("If-None-Match")) == "*") {
			out = reply{status: http.StatusNotModified}
		}
	}
	if out.body == nil {
		w.WriteHeader(out.status)
		return
	}
	writeJSON(w, out.status, out.body)
}
