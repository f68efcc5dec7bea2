package door

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/ClickHouse/ch-go/proto"
)

// The protocol revision of a connection is the lower of the client's and the server's.
const (
	// minRevision is the first revision that has both the addendum to the handshake and query
	// parameters (released in 2022).
	minRevision = 54459
	// maxRevision is the highest revision that the door offers to both sides. Later revisions
	// add fields to the handshake that the door does not know, and from 54470 on packets may be
	// chunked.
	maxRevision = 54460
)

// maxTextBytes limits each text of a handshake, in bytes.
const maxTextBytes = 1 << 10

// errMalformed is sent to a client that did not send a valid handshake.
var errMalformed = &refusal{400, 101, "UNEXPECTED_PACKET_FROM_CLIENT",
	"This port uses ClickHouse's native protocol, but the client did not send a valid hello packet. HTTP has another " +
		"port"}

// readClientHello reads the first packet of a client. It returns errMalformed if that is not a
// hello packet.
func readClientHello(r *bufio.Reader) (hello proto.ClientHello, err error) {
	d := decoder{r: r}
	if packet := d.number(); d.err == nil && packet != int(proto.ClientCodeHello) {
		return hello, errMalformed
	}
	hello.Name, hello.Major, hello.Minor, hello.ProtocolVersion = d.text(), d.number(), d.number(), d.number()
	hello.Database, hello.User, hello.Password = d.text(), d.text(), d.text()
	return hello, d.err
}

// readAddendum reads the addendum that a client sends after the server's hello: a quota key.
func readAddendum(r *bufio.Reader) error {
	d := decoder{r: r}
	d.text()
	return d.err
}

// readServerHello reads the server's response to a hello. If the response is an exception, the
// error is a *refusal with its code and message.
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
		return hello, &refusal{code: int(binary.LittleEndian.Uint32(code)),
			message: strings.TrimPrefix(message, exceptionPrefix)}
	case packet != int(proto.ServerCodeHello):
		return hello, fmt.Errorf("received packet %d instead of a hello", packet)
	}
	hello.Name, hello.Major, hello.Minor, hello.Revision = d.text(), d.number(), d.number(), d.number()
	hello.Timezone, hello.DisplayName, hello.Patch = d.text(), d.text(), d.number()
	if d.err == nil && hello.Revision < minRevision {
		return hello, fmt.Errorf("protocol revision %d is too old", hello.Revision)
	}
	return hello, d.err
}

const exceptionPrefix = "DB::Exception: "

// packet returns the refusal as an exception packet of the native protocol.
func (r *refusal) packet() []byte {
	var b proto.Buffer
	proto.ServerCodeException.Encode(&b)
	exception := proto.Exception{Code: proto.Error(r.code), Name: "DB::Exception", Message: exceptionPrefix + r.message}
	exception.EncodeAware(&b, minRevision)
	return b.Buf
}

// decoder reads the values of a handshake, with limited lengths. After the first error it reads
// nothing more.
type decoder struct {
	r   *bufio.Reader
	err error
}

// number reads a number of at most 28 bits, which is enough for a version or a length.
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
