package httpapi

import (
	"bytes"
	"runtime"
	"strconv"
	"testing"
	"weak"
)

// numbered returns a body of at least size bytes that compresses a little.
func numbered(size int) []byte {
	var body []byte
	for n := 0; len(body) < size; n++ {
		body = strconv.AppendInt(append(body, ','), int64(n)*7919, 36)
	}
	return body
}

// A weak pointer becomes nil once nothing refers to its value. One collection empties no
// sync.Pool completely, so the writer that made the reply is still there.
func TestAWriterThatWaitsForItsNextUseKeepsNoReplyInMemory(t *testing.T) {
	for _, with := range encodings {
		made, err := with.compress(numbered(streamFrom))
		if err != nil {
			t.Fatal(err)
		}
		reply := weak.Make(&made[0])
		runtime.GC()
		if reply.Value() != nil {
			t.Errorf("%s: the reply is still in memory", with)
		}
	}
}

func TestALongReplyIsCompressedToTheSameBytesInOnePieceAndInMany(t *testing.T) {
	for _, with := range encodings {
		body := numbered(3 * streamFrom)
		for range 2 { // the second time with a writer that was used before
			whole, err := with.compress(body)
			if err != nil {
				t.Fatal(err)
			}
			var parts bytes.Buffer
			to := with.writer(&parts)
			for rest := body; len(rest) > 0; {
				n := min(len(rest), 1+len(rest)/3)
				if _, err := to.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(whole, parts.Bytes()) {
				t.Errorf("%s: %d bytes in one piece, %d in many", with, len(whole), parts.Len())
			}
		}
	}
}
