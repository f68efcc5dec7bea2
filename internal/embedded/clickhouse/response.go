package clickhouse

import (
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/ClickHouse/ch-go/compress"

	"cuota/internal/embedded/clickhouse/chdb"
)

// maxBufferedBytes of an answer are kept before any is sent. So a statement
// that fails early has its own HTTP status, a small answer has a length, and
// its session is free before a slow client has read it.
const maxBufferedBytes = 1 << 20

// reply writes the answer to one request.
type reply struct {
	w       http.ResponseWriter
	version string
	tag     string // marks a failure within an answer; random, so that no data can pretend to be one

	whole  bool  // keep everything until the end is known
	limit  int64 // of the answer in bytes, before compression; 0 is none
	gzip   bool
	native bool

	buffer   []byte
	size     int64 // of the answer so far
	started  bool  // headers are sent
	progress chdb.Progress
	out      io.Writer
	zip      *gzip.Writer
	blocks   *compress.Writer
}

func newReply(w http.ResponseWriter, version string) *reply {
	return &reply{w: w, version: version, tag: strings.ToLower(rand.Text()[:16])}
}

// describe sets the headers that tell what is answered.
func (a *reply) describe(q *request) {
	a.whole, a.gzip, a.native = q.wholeAnswer, q.gzip, q.nativeBlocks
	if q.who == people {
		// The engine's max_result_bytes holds for each chunk of a streamed
		// answer, not for their sum.
		a.limit = maxPeopleResultBytes
	}
	h := a.w.Header()
	h.Set("X-ClickHouse-Query-Id", q.queryID)
	h.Set("X-ClickHouse-Server-Display-Name", "embedded")
	h.Set("X-ClickHouse-Timezone", "UTC")
	h.Set("X-ClickHouse-Exception-Tag", a.tag)
	if q.data == nil {
		h.Set("X-ClickHouse-Format", q.format)
		h.Set("Content-Type", contentType(q.format))
	} else {
		h.Set("Content-Type", contentType("TabSeparated"))
	}
	if a.gzip {
		h.Set("Content-Encoding", "gzip")
	}
}

// Write adds to the answer.
func (a *reply) Write(b []byte) (int, error) {
	a.size += int64(len(b))
	if a.limit > 0 && a.size > a.limit {
		return 0, newException(codeResultTooLarge, "Limit for result exceeded, max bytes: %d", a.limit)
	}
	if !a.started {
		if a.whole || len(a.buffer)+len(b) <= maxBufferedBytes {
			a.buffer = append(a.buffer, b...)
			return len(b), nil
		}
		if err := a.start(); err != nil {
			return 0, err
		}
	}
	return len(b), a.send(b)
}

// start sends the headers and what was kept.
func (a *reply) start() error {
	a.started = true
	a.out = a.w
	if a.gzip {
		a.zip = gzip.NewWriter(a.w)
		a.out = a.zip
	}
	if a.native {
		a.blocks = compress.NewWriter(compress.LevelZero, compress.LZ4)
	}
	a.w.WriteHeader(http.StatusOK)
	kept := a.buffer
	a.buffer = nil
	return a.send(kept)
}

func (a *reply) send(b []byte) error {
	if a.blocks == nil {
		_, err := a.out.Write(b)
		return err
	}
	for len(b) > 0 {
		n := min(len(b), 1<<20)
		if err := a.blocks.Compress(b[:n]); err != nil {
			return fmt.Errorf("compress the answer: %w", err)
		}
		if _, err := a.out.Write(a.blocks.Data); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// finish ends an answer that is complete. What fails here is the client's
// connection, and there is nobody left to tell.
func (a *reply) finish() {
	if !a.started {
		a.w.Header().Set("X-ClickHouse-Summary", fmt.Sprintf(`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d"}`,
			a.progress.RowsRead, a.progress.BytesRead, a.progress.RowsWritten))
		if len(a.buffer) == 0 {
			// The driver takes an empty answer for one without rows only when
			// its length says so.
			a.w.Header().Del("Content-Encoding")
			a.w.Header().Set("Content-Length", "0")
			a.w.WriteHeader(http.StatusOK)
			return
		}
		if !a.gzip && !a.native {
			a.w.Header().Set("Content-Length", strconv.Itoa(len(a.buffer)))
		}
		if a.start() != nil {
			return
		}
	}
	if a.zip != nil {
		_ = a.zip.Close()
	}
}

// fail tells a failure: as the whole answer when nothing was sent yet, else
// framed behind what was sent, as ClickHouse servers do.
func (a *reply) fail(err error) {
	failure := asException(err)
	text := failure.text(a.version)
	if len(text) > 16<<10-256 {
		text = strings.ToValidUTF8(text[:16<<10-256], "")
	}
	if !a.started {
		h := a.w.Header()
		h.Del("Content-Encoding")
		h.Set("Content-Type", "text/plain; charset=UTF-8")
		h.Set("X-ClickHouse-Exception-Code", strconv.Itoa(failure.code))
		text += "\n"
		h.Set("Content-Length", strconv.Itoa(len(text)))
		a.w.WriteHeader(failure.status())
		_, _ = io.WriteString(a.w, text)
		return
	}
	text += "\n" // the length tells it too
	_, _ = fmt.Fprintf(a.out, "\r\n__exception__\r\n%s\r\n%s%d %s\r\n__exception__\r\n", a.tag, text, len(text), a.tag)
	if a.zip != nil {
		_ = a.zip.Close()
	}
}

// contentType is what ClickHouse sends for a format.
func contentType(format string) string {
	f := strings.ToLower(format)
	switch {
	case strings.HasSuffix(f, "eachrow") && strings.HasPrefix(f, "json"), f == "jsonlines", f == "ndjson":
		return "application/x-ndjson; charset=UTF-8"
	case strings.HasPrefix(f, "json"):
		return "application/json; charset=UTF-8"
	case strings.HasPrefix(f, "csv"):
		return "text/csv; charset=UTF-8; header=" + header(f)
	case strings.HasPrefix(f, "tabseparated"), strings.HasPrefix(f, "tsv"):
		return "text/tab-separated-values; charset=UTF-8"
	case f == "xml":
		return "application/xml; charset=UTF-8"
	case f == "native", strings.HasPrefix(f, "rowbinary"), f == "parquet", strings.HasPrefix(f, "arrow"), f == "orc", f == "avro", f == "msgpack":
		return "application/octet-stream"
	default:
		return "text/plain; charset=UTF-8"
	}
}

func header(format string) string {
	if strings.Contains(format, "withnames") {
		return "present"
	}
	return "absent"
}
