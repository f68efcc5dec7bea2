package kafka

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/segmentio/kafka-go/compress"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxExpandedBatch limits the size of a decompressed batch, in bytes. Producers fill a batch to
// about a megabyte before compression.
const maxExpandedBatch = 16 << 20

var expandBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// checkBatch accepts a record batch (magic 2) only if it decodes to as many well-formed records
// as its header declares, numbered from 0. The engine stores batches without reading them, and
// readers allocate what the header declares. The engine itself checks everything else, such as
// the checksum, and answers with the right error.
func checkBatch(raw []byte) error {
	var b kmsg.RecordBatch
	if err := b.ReadFrom(raw); err != nil {
		return refuse("record batch can't be decoded: %v", err)
	}
	if b.Magic != 2 {
		return refuse("record batch of format %d, but only format 2 is supported", b.Magic)
	}
	if b.NumRecords < 1 || b.LastOffsetDelta != b.NumRecords-1 {
		return refuse("record batch of %d records with last offset %d", b.NumRecords, b.LastOffsetDelta)
	}
	codec := compress.Compression(b.Attributes & 7)
	if codec == compress.None {
		return checkRecords(b.Records, int(b.NumRecords))
	}
	if codec > compress.Zstd {
		return refuse("record batch in unknown compression %d", codec)
	}
	buf := expandBuffers.Get().(*bytes.Buffer)
	defer expandBuffers.Put(buf)
	buf.Reset()
	if err := expand(buf, codec, b.Records); err != nil {
		return err
	}
	return checkRecords(buf.Bytes(), int(b.NumRecords))
}

func expand(dst *bytes.Buffer, codec compress.Compression, src []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse("record batch can't be decompressed: %v", p)
		}
	}()
	r := codec.Codec().NewReader(bytes.NewReader(src))
	defer func() { _ = r.Close() }()
	n, err := dst.ReadFrom(io.LimitReader(r, maxExpandedBatch+1))
	if err != nil {
		return refuse("record batch can't be decompressed: %v", err)
	}
	if n > maxExpandedBatch {
		return refuse("record batch expands to more than %d bytes", maxExpandedBatch)
	}
	return nil
}

// checkRecords checks that b consists of exactly n records. A record has a length, attributes,
// timestamp delta, offset delta, key, value and headers. All numbers except the attributes are
// zigzag varints, and a length of -1 means null.
func checkRecords(b []byte, n int) error {
	all := reader{b: b, ok: true}
	for i := range n {
		rec := reader{b: all.bytes(all.varint()), ok: all.ok}
		rec.bytes(1) // attributes
		rec.varint() // timestamp delta
		if delta := rec.varint(); rec.ok && delta != int64(i) {
			return refuse("record %d of a batch has the number %d", i, delta)
		}
		rec.nullable()
		rec.nullable()
		headers := rec.varint()
		if headers < 0 || headers > int64(len(rec.b)) {
			rec.ok = false
		}
		for ; rec.ok && headers > 0; headers-- {
			rec.bytes(rec.varint())
			rec.nullable()
		}
		if !rec.ok || len(rec.b) != 0 {
			return refuse("record %d of a batch of %d is malformed", i, n)
		}
	}
	if len(all.b) != 0 {
		return refuse("%d bytes after the last record of a batch", len(all.b))
	}
	return nil
}

// reader takes values from the front of b. After a value that does not fit, ok is false and it
// takes nothing more.
type reader struct {
	b  []byte
	ok bool
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes(n int64) []byte {
	if n < 0 || n > int64(len(r.b)) {
		r.fail()
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) nullable() {
	if n := r.varint(); n != -1 {
		r.bytes(n)
	}
}

func (r *reader) fail() { r.b, r.ok = nil, false }
