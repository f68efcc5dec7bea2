package httpapi

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
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// encoding is the content coding of a reply. The empty one leaves the reply as it is.
type encoding string

const (
	identity encoding = ""
	gzipped  encoding = "gzip"
	brotlied encoding = "br"
	zstded   encoding = "zstd"
)

// encodings are the content codings that the server offers. If a caller accepts several
// equally, it gets the last of them.
var encodings = []encoding{gzipped, brotlied, zstded}

// minCompressed is the size in bytes from which a reply is compressed. Less is not worth
// the time.
const minCompressed = 1 << 10

// variant gives the validator of a reply in this encoding. A strong validator identifies
// bytes, so each encoding needs its own.
func (e encoding) variant(validator string) string {
	if e == identity {
		return validator
	}
	return validator + "-" + string(e)
}

// negotiate chooses the encoding that a request prefers. If it prefers several equally, the
// order is zstd, br, gzip, none.
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

// brotliLevel is the level at which compressing a page of the screener takes as long as
// with gzip and gives 40 % fewer bytes (docs/decisions/0022). This writer compresses blocks
// of a fixed size, so its output does not depend on how the input is split into writes.
const brotliLevel = 1

// brotliStep is how many bytes are written at once. The writer keeps a buffer as large as
// its largest write.
const brotliStep = 64 << 10

// compressor is a writer that compresses, and can be used again.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// compressors keeps the writers of gzip and brotli, because they are large.
var compressors = map[encoding]*sync.Pool{
	gzipped: {New: func() any {
		w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // the level is a valid one
		return w
	}},
	brotlied: {New: func() any { return brotli.NewWriterV2(io.Discard, brotliLevel) }},
}

// zstds compresses small bodies. EncodeAll may be called by several goroutines at once.
var zstds = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
})

// compress encodes a complete body. A body of streamFrom bytes or more may also be sent
// while it is made, by a writer. Both ways must give the same bytes, because they share a
// validator. So such a body goes through the same writer here, whose output does not depend
// on how the input is split.
func (e encoding) compress(body []byte) (_ []byte, err error) {
	if e == identity {
		return body, nil
	}
	if e == zstded && len(body) < streamFrom {
		encoder, err := zstds()
		if err != nil {
			return nil, fmt.Errorf("make a zstd encoder: %w", err)
		}
		return encoder.EncodeAll(body, make([]byte, 0, len(body)/4)), nil
	}
	var out bytes.Buffer
	var w io.WriteCloser
	if pool := compressors[e]; pool != nil {
		kept := pool.Get().(compressor)
		defer pool.Put(kept)
		kept.Reset(&out)
		w = kept
	} else if w, err = e.writer(&out); err != nil {
		return nil, err
	}
	for part := range slices.Chunk(body, brotliStep) {
		_, failed := w.Write(part)
		err = errors.Join(err, failed)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("compress a reply: %w", err)
	}
	return out.Bytes(), nil
}
