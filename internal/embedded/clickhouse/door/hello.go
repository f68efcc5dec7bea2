package door

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// Client and server speak the lower one of their revisions of the protocol.
const (
	// minRevision is the first that has both an addendum and query parameters
	// (released in 2022).
	minRevision = 54459
	// maxRevision is offered to both sides in place of a higher one. Later
	// revisions add fields to the handshake that the door does not know, and from
	// 54470 on packets may be chunked.
	maxRevision = 54460
)

// maxTextBytes bounds each text of a handshake.
const maxTextBytes = 1 << 10

// errMalformed is what a client is told whose bytes are no handshake.
var errMalformed = &refusal{400, 101, "UNEXPECTED_PACKET_FROM_CLIENT",
	"This port speaks ClickHouse's native protocol, and the client did not send a valid hello packet. HTTP is on another port"}

// readClientHello reads the first packet of a client.
func readClientHello(r *bufio.Reader) (hello proto.ClientHello, err error) {
	d := decoder{r: r}
	if packet := d.number(); d.err == nil && packet != int(proto.ClientCodeHello) {
		return hello, errMalformed
	}
	hello.Name, hello.Major, hello.Minor, hello.ProtocolVersion = d.text(), d.number(), d.number(), d.number()
	hello.Database, hello.User, hello.Password = d.text(), d.text(), d.text()
	return hello, d.err
}

// readAddendum reads what a client says after the server's hello: a quota key.
func readAddendum(r *bufio.Reader) error {
	d := decoder{r: r}
	d.text()
	return d.err
}

// readServerHello reads what a server answers to a hello. An exception becomes
// the refusal.
func readServerHello(r *bufio.Reader) (hello proto.ServerHello, err error) {
	d := decoder{r: r}
	switch packet := d.number(); {
	case d.err != nil:
		return hello, d.err
	case packet == int(proto.ServerCodeException):
		code, _, message := d.bytes(4), d.text(), d.text()
		if d.err != nil {
			return hello, d.err
		}
		return hello, &refusal{code: int(binary.LittleEndian.Uint32(code)), message: strings.TrimPrefix(message, exceptionPrefix)}
	case packet != int(proto.ServerCodeHello):
		return hello, fmt.Errorf("packet %d instead of a hello", packet)
	}
	hello.Name, hello.Major, hello.Minor, hello.Revision = d.text(), d.number(), d.number(), d.number()
	hello.Timezone, hello.DisplayName, hello.Patch = d.text(), d.text(), d.number()
	if d.err == nil && hello.Revision < minRevision {
		return hello, fmt.Errorf("revision %d is too old", hello.Revision)
	}
	return hello, d.err
}

const exceptionPrefix = "DB::Exception: "

// packet is the refusal in the native protocol.
func (r *refusal) packet() []byte {
	var b proto.Buffer
	proto.ServerCodeException.Encode(&b)
	exception := proto.Exception{Code: proto.Error(r.code), Name: "DB::Exception", Message: exceptionPrefix + r.message}
	exception.EncodeAware(&b, minRevision)
	return b.Buf
}

// decoder reads bounded values of a handshake, none after the first error.
type decoder struct {
	r   *bufio.Reader
	err error
}

// number reads a number of at most 28 bits, plenty for a version or a length.
func (d *decoder) number() (number int) {
	for shift := 0; d.err == nil && shift < 28; shift += 7 {
		var b byte
		b, d.err = d.r.ReadByte()
		number |= int(b&0x7f) << shift
		if b < 0x80 {
			return number
		}
	}
	if d.err == nil {
		d.err = errMalformed
	}
	return 0
}

func (d *decoder) bytes(length int) []byte {
	if d.err != nil {
		return nil
	}
	b := make([]byte, length)
	_, d.err = io.ReadFull(d.r, b)
	return b
}

func (d *decoder) text() string {
	length := d.number()
	if d.err == nil && length > maxTextBytes {
		d.err = errMalformed
	}
	return string(d.bytes(length))
}
