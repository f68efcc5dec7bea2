package door

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/google/go-cmp/cmp"
)

// FuzzClientHello checks that a hello packet is refused, is truncated, or, written again, is
// read in the same way by another decoder.
func FuzzClientHello(f *testing.F) {
	f.Add(greeting(nil))
	f.Add(greeting(func(h *proto.ClientHello) { h.User, h.Password, h.Database = "owner", "x", "market" }))
	f.Add(greeting(func(h *proto.ClientHello) { h.ProtocolVersion = 1 << 30 }))
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	f.Add([]byte("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, said []byte) {
		hello, err := readClientHello(bufio.NewReader(bytes.NewReader(said)))
		wantReadOrRefused(t, said, err)
		if err != nil {
			return
		}
		var b proto.Buffer
		hello.Encode(&b)
		r := proto.NewReader(bytes.NewReader(b.Buf[1:]))
		var again proto.ClientHello
		must(t, again.Decode(r))
		if diff := cmp.Diff(hello, again); diff != "" {
			t.Errorf("the hello (-) is another to the engine (+):\n%s", diff)
		}
	})
}

func FuzzAddendum(f *testing.F) {
	f.Add([]byte("\x00"))
	f.Add([]byte("\x03key\x01"))
	f.Add([]byte("\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, said []byte) {
		wantReadOrRefused(t, said, readAddendum(bufio.NewReader(bytes.NewReader(said))))
	})
}

func FuzzServerHello(f *testing.F) {
	var b proto.Buffer
	(&proto.ServerHello{Name: "ClickHouse", Major: 26, Minor: 7, Revision: 54485, Timezone: "UTC"}).EncodeAware(&b,
		maxRevision)
	f.Add(b.Buf)
	f.Add((&refusal{code: 516, message: "no"}).packet())
	f.Fuzz(func(t *testing.T, said []byte) {
		hello, err := readServerHello(bufio.NewReader(bytes.NewReader(said)))
		if err == nil && hello.Revision < minRevision {
			t.Errorf("a server of revision %d is taken", hello.Revision)
		}
	})
}

// wantReadOrRefused checks that an error is a refusal, or the end of an input that is too
// short.
func wantReadOrRefused(t *testing.T, said []byte, err error) {
	t.Helper()
	var refused *refusal
	switch {
	case err == nil, errors.As(err, &refused):
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		if len(said) > 5*maxTextBytes {
			t.Errorf("%d bytes are too few", len(said))
		}
	default:
		t.Errorf("neither read nor refused: %v", err)
	}
}
