package query

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/andybalholm/brotli/matchfinder"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// encoding is a content coding that replies are sent in; the empty one leaves
// them as they are.
type encoding string

const (
	identity encoding = ""
	gzipped  encoding = "gzip"
	brotlied encoding = "br"
	zstded   encoding = "zstd"
)

// encodings are the content codings that are offered. Of those that a caller likes
// equally it gets the last.
var encodings = []encoding{gzipped, brotlied, zstded}

// minCompressed is the size from which compressing is worth its time.
const minCompressed = 1 << 10

// variant is the validator of the reply in the encoding: a strong validator
// names bytes, not meanings.
func (e encoding) variant(validity string) string {
	if e == identity {
		return validity
	}
	return validity + "-" + string(e)
}

// negotiate chooses among the encodings that a request accepts: the one that it
// likes best and, of equals, zstd before br before gzip before none.
func negotiate(r *http.Request) encoding {
	accepted := strings.Join(r.Header.Values("Accept-Encoding"), ",")
	if accepted == "" {
		return identity
	}
	weights := map[string]float64{}
	for _, listed := range strings.Split(accepted, ",") {
		name, parameters, _ := strings.Cut(listed, ";")
		weight := 1.0
		if q, given := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(parameters), " ", ""), "q="); given {
			var err error
			if weight, err = strconv.ParseFloat(q, 64); err != nil || !(weight >= 0 && weight <= 1) {
				continue
			}
		}
		weights[strings.ToLower(strings.TrimSpace(name))] = weight
	}
	weightOf := func(e encoding) float64 {
		if weight, named := weights[string(e)]; named {
			return weight
		}
		return weights["*"]
	}
	best, most := identity, 0.0
	if weight, named := weights["identity"]; named {
		most = weight
	}
	for _, e := range encodings {
		if weight := weightOf(e); weight > 0 && weight >= most {
			best, most = e, weight
		}
	}
	return best
}

// brotliLevel is the one at which a page of the screener takes as long as with gzip,
// and 40 % fewer bytes (docs/decisions/0022). This writer compresses blocks of a fixed
// size: its bytes do not depend on how it is written to.
const brotliLevel = 1

// brotliStep is what is written at once: the writer keeps as much memory for later.
const brotliStep = 64 << 10

var (
	gzips = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is a valid one
		return w
	}}
	brotlis = sync.Pool{New: func() any { return brotli.NewWriterV2(io.Discard, brotliLevel) }}
	// EncodeAll may be called by many at once.
	zstds = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	})
)

// compress encodes a body that is whole. One that may also leave before it is
// whole is encoded as then, by a writer, which does not mind how it is cut into
// writes: a validator names bytes.
func (e encoding) compress(body []byte) ([]byte, error) {
	switch e {
	case zstded:
		if len(body) >= streamFrom {
			var out bytes.Buffer
			w, err := e.writer(&out)
			if err != nil {
				return nil, err
			}
			_, err = w.Write(body)
			if err = errors.Join(err, w.Close()); err != nil {
				return nil, fmt.Errorf("compress a reply: %w", err)
			}
			return out.Bytes(), nil
		}
		encoder, err := zstds()
		if err != nil {
			return nil, fmt.Errorf("make a zstd encoder: %w", err)
		}
		return encoder.EncodeAll(body, make([]byte, 0, len(body)/4)), nil
	case brotlied:
		w := brotlis.Get().(*matchfinder.Writer)
		defer brotlis.Put(w)
		var out bytes.Buffer
		w.Reset(&out)
		for part := range slices.Chunk(body, brotliStep) {
			if _, err := w.Write(part); err != nil {
				return nil, fmt.Errorf("compress a reply: %w", err)
			}
		}
		if err := w.Close(); err != nil {
			return nil, fmt.Errorf("compress a reply: %w", err)
		}
		return out.Bytes(), nil
	case gzipped:
		w := gzips.Get().(*gzip.Writer)
		defer gzips.Put(w)
		var out bytes.Buffer
		w.Reset(&out)
		if _, err := w.Write(body); err != nil {
			return nil, fmt.Errorf("compress a reply: %w", err)
		}
		if err := w.Close(); err != nil {
			return nil, fmt.Errorf("compress a reply: %w", err)
		}
		return out.Bytes(), nil
	}
	return body, nil
}
