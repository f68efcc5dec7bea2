package query

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// validity gives the strong validator of a reply (RULES 13). Two replies have the same
// validator, and the same bytes, if batch, parameters, edition and Santiago day are the
// same. The day counts because some replies have ages in days.
func (s *Server) validity(op *operation, c *call) string {
	text := make([]byte, 0, 512)
	for _, part := range []string{s.edition, c.batch.ID, c.batch.InputFingerprint, s.today().String(), op.path} {
		text = strconv.AppendQuote(text, part)
	}
	for _, p := range op.params {
		switch value := c.values[p.name].(type) {
		case nil:
			text = append(text, '-')
		case string:
			text = strconv.AppendQuote(text, value)
		case int64:
			text = strconv.AppendInt(append(text, '#'), value, 10)
		default:
			text = strconv.AppendQuote(append(text, '='), fmt.Sprint(value))
		}
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:16])
}

// sameAs gives the validator in If-None-Match that matches the reply in any encoding, and
// "" if none does. It does not handle *, which write checks once there is a reply.
func sameAs(r *http.Request, validity string) string {
	if len(r.Header["If-None-Match"]) == 0 {
		return ""
	}
	for _, listed := range strings.Split(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		tag := strings.TrimPrefix(strings.TrimSpace(listed), "W/")
		if tag == `"`+validity+`"` {
			return tag
		}
		for _, e := range encodings {
			if tag == `"`+e.variant(validity)+`"` {
				return tag
			}
		}
	}
	return ""
}

// write sends a reply with its cache headers, in the encoding that the caller prefers.
func (s *Server) write(w http.ResponseWriter, r *http.Request, c *call, out reply) {
	header := w.Header()
	if c.validity == "" {
		header.Set("Cache-Control", "no-store")
	} else {
		header.Set("Cache-Control", "private, max-age=300")
		header.Add("Vary", "X-Api-Key, Authorization, Accept, Accept-Encoding")
		if tag := sameAs(r, c.validity); tag != "" {
			header.Set("ETag", tag)
			out = reply{status: http.StatusNotModified, source: out.source}
		} else if strings.TrimSpace(r.Header.Get("If-None-Match")) == "*" {
			header.Set("ETag", `"`+c.validity+`"`)
			out = reply{status: http.StatusNotModified, source: out.source}
		}
	}
	if out.source != "" {
		record := recordOf(r.Context())
		record.source = out.source
		header.Set("Server-Timing", string(out.source)+";dur="+strconv.FormatFloat(float64(time.Since(record.began).Microseconds())/1e3, 'f', 3, 64))
	}
	switch {
	case out.making != nil:
		s.send(w, r, c, out)
	case out.body == nil:
		w.WriteHeader(out.status)
	default:
		body, err := encoded(out.body)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.writeWhole(w, r, c, out.status, body)
	}
}

// writeWhole sends a complete body, compressed if it is large enough.
func (s *Server) writeWhole(w http.ResponseWriter, r *http.Request, c *call, status int, body []byte) {
	if c.validity != "" {
		with := negotiate(r)
		if with != identity && len(body) >= minCompressed {
			var err error
			if body, err = s.replies.compressed(r.Context(), with, c.validity, body); err != nil {
				s.fail(w, r, err)
				return
			}
			w.Header().Set("Content-Encoding", string(with))
		} else {
			with = identity
		}
		w.Header().Set("ETag", `"`+with.variant(c.validity)+`"`)
	}
	writeBody(w, status, body)
}
