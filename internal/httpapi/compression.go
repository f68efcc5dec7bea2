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

// variant returns the validator of a reply in this encoding. A strong validator identifies
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

// compressors make a writer for each encoding but identity. They drop the errors of the
// constructors, which can only be about the options, and these are constants.
var compressors = map[encoding]func(io.Writer) compressor{
	gzipped: func(to io.Writer) compressor {
		w, _ := gzip.NewWriterLevel(to, gzip.BestSpeed)
		return w
	},
	brotlied: func(to io.Writer) compressor { return brotli.NewWriterV2(to, brotliLevel) },
	zstded: func(to io.Writer) compressor {
		w, _ := zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		return w
	},
}

// idle keeps the writers of gzip and brotli that are not in use, because they are large.
var idle = map[encoding]*sync.Pool{gzipped: {}, brotlied: {}}

// take returns a writer that compresses into another one, and giveBack takes it back.
func (e encoding) take(to io.Writer) compressor {
	if pool := idle[e]; pool != nil {
		if kept, there := pool.Get().(compressor); there {
			kept.Reset(to)
			return kept
		}
	}
	return compressors[e](to)
}

func (e encoding) giveBack(w compressor) {
	if pool := idle[e]; pool != nil {
		w.Reset(io.Discard) // else the pool would keep the reply in memory
		pool.Put(w)
	}
}

// zstds compresses small bodies. EncodeAll may be called by several goroutines at once.
var zstds = sync.OnceValue(func() *zstd.Encoder { return compressors[zstded](nil).(*zstd.Encoder) })

// compress encodes a complete body. A body of streamFrom bytes or more may also be sent
// while it is made, by a writer. Both ways must give the same bytes, because they share a
// validator. So such a body goes through the same writer here, whose output does not depend
// on how the input is split.
func (e encoding) compress(body []byte) ([]byte, error) {
	if e == identity {
		return body, nil
	}
	if e == zstded && len(body) < streamFrom {
		return zstds().EncodeAll(body, make([]byte, 0, len(body)/4)), nil
	}
	var out bytes.Buffer
	w := e.take(&out)
	defer e.giveBack(w)
	var err error
	for part := range slices.Chunk(body, brotliStep) {
		_, failed := w.Write(part)
		err = errors.Join(err, failed)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("compress a reply: %w", err)
	}
	return out.Bytes(), nil
}
