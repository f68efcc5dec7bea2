package query

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// streamFrom is the size from which a streamed reply leaves before it is whole.
// What is smaller is sent like any other, and a failure by then is still told.
const streamFrom = 64 << 10

// stream sends a reply while it is made, and keeps it for who asks next where
// the cache has room for it. A failure after the first bytes left cuts the
// connection off, so that nobody takes a part for the whole.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, c *call, out reply) {
	body := &growing{limit: s.config.CacheBytes / 8}
	body.leave = func() (io.WriteCloser, error) {
		with := negotiate(r)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("ETag", `"`+with.variant(c.validity)+`"`)
		if with != identity {
			header.Set("Content-Encoding", string(with))
		}
		w.WriteHeader(out.status)
		return with.writer(w)
	}
	err := out.stream(body)
	switch {
	case body.leaving == nil && err != nil:
		s.fail(w, r, err)
	case body.leaving == nil:
		s.replies.keep(c.validity, body.text.Bytes())
		s.writeWhole(w, r, c, out.status, body.text.Bytes())
	default:
		if err == nil {
			err = body.leaving.Close()
		}
		if err != nil {
			recordOf(r.Context()).log.Warn().Err(err).Msg("a reply was cut off")
			panic(http.ErrAbortHandler)
		}
		if !body.shed {
			s.replies.keep(c.validity, body.text.Bytes())
		}
	}
}

// growing holds a reply until it is large enough to leave, and then passes it on;
// a copy stays as long as it is within the limit.
type growing struct {
	limit   int
	leave   func() (io.WriteCloser, error)
	leaving io.WriteCloser // nil before
	text    bytes.Buffer
	shed    bool // the copy outgrew the limit
}

// Write implements io.Writer.
func (g *growing) Write(p []byte) (int, error) {
	if g.leaving != nil {
		if g.shed = g.shed || g.text.Len()+len(p) > g.limit; g.shed {
			g.text = bytes.Buffer{}
		} else {
			g.text.Write(p)
		}
		return g.leaving.Write(p)
	}
	g.text.Write(p)
	if g.text.Len() < streamFrom {
		return len(p), nil
	}
	var err error
	if g.leaving, err = g.leave(); err != nil {
		return 0, err
	}
	if _, err := g.leaving.Write(g.text.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writer compresses what is written to it, until it is closed.
func (e encoding) writer(to io.Writer) (io.WriteCloser, error) {
	switch e {
	case zstded:
		w, err := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("make a zstd encoder: %w", err)
		}
		return w, nil
	case gzipped:
		w, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err != nil {
			return nil, fmt.Errorf("make a gzip encoder: %w", err)
		}
		return w, nil
	}
	return plain{to}, nil
}

// plain passes on what is written to it.
type plain struct{ io.Writer }

// Close implements io.Closer.
func (plain) Close() error { return nil }
