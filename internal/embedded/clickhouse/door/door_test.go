package door

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
)

// doors are both doors of an engine.
type doors struct {
	http, native string // addresses
	httpDoor     *HTTP
	nativeDoor   *Native
	served       chan error
}

// openDoors opens the doors of an engine until the test ends. change may alter them before
// that.
func openDoors(t testing.TB, s *server, change func(*HTTP, *Native)) *doors {
	t.Helper()
	d := &doors{httpDoor: NewHTTP(s.http, Account{}, zerolog.Nop()),
		nativeDoor: NewNative(s.native, []string{"market", "system"}, Account{}, zerolog.Nop())}
	if change != nil {
		change(d.httpDoor, d.nativeDoor)
	}
	d.open(t)
	t.Cleanup(func() { d.close(t) })
	return d
}

func (d *doors) open(t testing.TB) {
	t.Helper()
	d.served = make(chan error, 2)
	listen := func(serve func(net.Listener) error) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		go func() { d.served <- serve(listener) }()
		return listener.Addr().String()
	}
	d.http, d.native = listen(d.httpDoor.Serve), listen(d.nativeDoor.Serve)
}

func (d *doors) close(t testing.TB) {
	t.Helper()
	d.httpDoor.Close()
	d.nativeDoor.Close()
	must(t, <-d.served)
	must(t, <-d.served)
}

// connect opens a connection to a door, with a deadline, so that a hung test ends.
func connect(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

// answer is an HTTP response of a door or of the engine behind it.
type answer struct {
	status     int
	code, body string
	header     http.Header
}

// exchange sends a request as text with Go's line ends, and returns the response.
func exchange(t testing.TB, address, request string) answer {
	t.Helper()
	conn := connect(t, address)
	_, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n"))
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return answer{response.StatusCode, response.Header.Get("X-ClickHouse-Exception-Code"), string(body),
		response.Header}
}

// ask sends a statement to an HTTP port.
func ask(t testing.TB, address, statement string) answer {
	t.Helper()
	response, err := http.Post("http://"+address, "text/plain", strings.NewReader(statement))
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return answer{response.StatusCode, response.Header.Get("X-ClickHouse-Exception-Code"), string(body),
		response.Header}
}

// greeting returns the hello packet of a client without credentials.
func greeting(change func(*proto.ClientHello)) []byte {
	hello := proto.ClientHello{Name: "test", Major: 1, ProtocolVersion: maxRevision}
	if change != nil {
		change(&hello)
	}
	var b proto.Buffer
	hello.Encode(&b)
	return b.Buf
}

// nativeClient is the client's side of a native connection.
type nativeClient struct {
	net.Conn
	*proto.Reader
}

func (c nativeClient) Read(b []byte) (int, error) { return c.Reader.Read(b) }

func say(t testing.TB, address string, hello []byte) nativeClient {
	t.Helper()
	conn := connect(t, address)
	_, err := conn.Write(hello)
	must(t, err)
	return nativeClient{conn, proto.NewReader(conn)}
}

// code reads the response to a hello packet: 0 for a hello, else the code of the exception.
func (c nativeClient) code(t testing.TB) int {
	t.Helper()
	packet, err := c.UVarInt()
	must(t, err)
	switch proto.ServerCode(packet) {
	case proto.ServerCodeHello:
		var hello proto.ServerHello
		must(t, hello.DecodeAware(c.Reader, maxRevision))
		if hello.Revision > maxRevision {
			t.Errorf("the client is told revision %d", hello.Revision)
		}
		return 0
	case proto.ServerCodeException:
		var exception proto.Exception
		must(t, exception.DecodeAware(c.Reader, maxRevision))
		if exception.Name != "DB::Exception" || !strings.HasPrefix(exception.Message, exceptionPrefix) ||
			exception.Stack != "" {
			t.Errorf("the exception is %+v", exception)
		}
		return int(exception.Code)
	}
	t.Fatalf("the client is sent packet %d", packet)
	return -1
}

// join performs the whole handshake as a client.
func join(t testing.TB, address string) nativeClient {
	t.Helper()
	c := say(t, address, greeting(nil))
	if code := c.code(t); code != 0 {
		t.Fatalf("the door refuses a client with code %d", code)
	}
	_, err := c.Write([]byte{0}) // the addendum
	must(t, err)
	return c
}

// send sends a query and the end of its external tables.
func (c nativeClient) send(t testing.TB, statement string, change func(*proto.Query)) {
	t.Helper()
	query := proto.Query{
		ID: rand.Text(), Body: statement, Stage: proto.StageComplete, Compression: proto.CompressionDisabled,
		Info: proto.ClientInfo{ProtocolVersion: maxRevision, Interface: proto.InterfaceTCP,
			Query: proto.ClientQueryInitial, InitialAddress: "127.0.0.1:1"},
	}
	if change != nil {
		change(&query)
	}
	var b proto.Buffer
	query.EncodeAware(&b, maxRevision)
	proto.ClientCodeData.Encode(&b)
	proto.ClientData{}.EncodeAware(&b, maxRevision)
	must(t, proto.Block{}.EncodeBlock(&b, maxRevision, nil))
	_, err := c.Write(b.Buf)
	must(t, err)
}

// until reads until one of the texts was received, and returns that text.
func (c nativeClient) until(t testing.TB, texts ...string) string {
	t.Helper()
	var read bytes.Buffer
	for {
		if _, err := io.CopyN(&read, c, 1); err != nil {
			t.Fatalf("%v after %q", err, read.String())
		}
		for _, text := range texts {
			if bytes.HasSuffix(read.Bytes(), []byte(text)) {
				return text
			}
		}
	}
}

// overNative and overHTTP give options for clickhouse-go.
func (d *doors) overNative() *driver.Options { return &driver.Options{Addr: []string{d.native}} }
func (d *doors) overHTTP() *driver.Options {
	return &driver.Options{Addr: []string{d.http}, Protocol: driver.HTTP}
}

// exceptionOf returns the bytes of an exception with a code.
func exceptionOf(code uint32) string {
	return string(binary.LittleEndian.AppendUint32([]byte{byte(proto.ServerCodeException)}, code))
}
