package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// validator returns the strong validator of a reply (RULES 13). Two replies have the same
// validator, and the same bytes, if build, version, operation and parameters are the same.
func (s *Server) validator(c *Call, version string) string {
	text := make([]byte, 0, 512)
	for _, part := range []string{s.config.Build, version, c.op.Path} {
		text = strconv.AppendQuote(text, part)
	}
	for _, given := range c.values {
		if !given.given {
			text = append(text, '-')
			continue
		}
		text = strconv.AppendQuote(text, given.text)
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:16])
}

// sameAs returns the validator in If-None-Match that matches the reply in any encoding, and
// "" if none does. It does not handle *, which write checks once there is a reply.
func sameAs(r *http.Request, validator string) string {
	if len(r.Header["If-None-Match"]) == 0 {
		return ""
	}
	for _, listed := range strings.Split(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		tag := strings.TrimPrefix(strings.TrimSpace(listed), "W/")
		if tag == `"`+validator+`"` {
			return tag
		}
		for _, e := range encodings {
			if tag == `"`+e.variant(validator)+`"` {
				return tag
			}
		}
	}
	return ""
}

// write sends a reply with its cache headers, in the encoding that the caller prefers.
func (s *Server) write(w http.ResponseWriter, r *http.Request, c *Call, out *Reply) {
	header := w.Header()
	if c.Validator == "" {
		header.Set("Cache-Control", "no-store")
	} else {
		cacheable(header)
		tag := sameAs(r, c.Validator)
		unmade := tag != "" // the caller's validator was known before a reply was made
		if strings.TrimSpace(r.Header.Get("If-None-Match")) == "*" {
			tag = `"` + c.Validator + `"`
		}
		if tag != "" && c.weak {
			tag = "W/" + tag
		}
		if tag != "" {
			if unmade {
				s.refund(r.Context(), c)
			}
			header.Set("ETag", tag)
			out.status, out.Body, out.making, out.Listing = http.StatusNotModified, nil, nil, nil
		}
	}
	out.Listing.state(header)
	if out.source != "" {
		record := recordOf(r.Context())
		record.source = out.source
		header.Set("Server-Timing", string(out.source)+";dur="+
			strconv.FormatFloat(float64(time.Since(record.began).Microseconds())/1e3, 'f', 3, 64))
	}
	if out.status == 0 {
		out.status = http.StatusOK
	}
	switch {
	case out.making != nil:
		s.send(w, r, c, out)
	case out.Body == nil:
		w.WriteHeader(out.status)
	default:
		s.writeComplete(w, r, c, out)
	}
}

// writeComplete sends a complete body, compressed if it is large enough. For HEAD it
// compresses nothing, so the length of a compressed body is only known if it is in the cache.
func (s *Server) writeComplete(w http.ResponseWriter, r *http.Request, c *Call, out *Reply) {
	body, known := out.Body, true
	if c.Validator != "" {
		with := negotiate(r)
		if with != identity && len(body) >= minCompressed {
			var err error
			if r.Method == http.MethodHead {
				var reply cached
				reply, known = s.cache.cache.Known(with.variant(c.Validator))
				body = reply.body
			} else if body, err = s.cache.compressed(r.Context(), with, c.Validator, body); err != nil {
				s.failCall(w, r, c, err)
				return
			}
			out.release() // the cache keeps the compressed body, for all who want it
			w.Header().Set("Content-Encoding", string(with))
		} else {
			with = identity
		}
		w.Header().Set("ETag", `"`+with.variant(c.Validator)+`"`)
	}
	if !known {
		jsonByDefault(w.Header())
		w.WriteHeader(out.status)
		return
	}
	writeBody(w, out.status, body)
}
