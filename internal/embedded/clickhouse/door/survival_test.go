package door

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

func TestClientsGetARetryableErrorWhileTheEngineIsDown(t *testing.T) {
	s := newEngine(t)
	t.Cleanup(s.stop)
	d := openDoors(t, s, nil)
	wantAnswers(t, d)
	ended := make(chan error, 1)
	conn := open(t, d.overNative())
	go func() { ended <- conn.Exec(t.Context(), long) }()
	untilRuns(t, s, long)

	s.kill()
	if err := <-ended; err == nil {
		t.Error("a query of a killed engine is answered")
	}
	got := ask(t, d.http, "SELECT 1")
	if got.status != 503 || got.code != "210" || got.header.Get("Retry-After") != "1" ||
		!strings.Contains(got.body, "try again") {
		t.Errorf("the HTTP door answers %+v", got)
	}
	var exception *driver.Exception
	if err := open(t, d.overNative()).Ping(t.Context()); !errors.As(err, &exception) || exception.Code != 210 ||
		!strings.Contains(exception.Message, "try again") {
		t.Errorf("the native door answers %v", err)
	}

	s.start(t)
	wantAnswers(t, d)
}

// The library's engine aborts if a handshake fails, or if a connection on which it waits is
// reset. No client may cause that.
func TestNothingThatAClientDoesEndsTheEngine(t *testing.T) {
	s := newEngine(t)
	t.Cleanup(s.stop)
	d := openDoors(t, s, nil)
	random := rand.New(rand.NewPCG(1, 2))
	visit := func(address string, said []byte, answered bool) {
		conn, err := net.Dial("tcp", address)
		must(t, err)
		must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = conn.Write(said)
		must(t, err)
		if answered && random.IntN(2) == 0 {
			_, _ = conn.Read(make([]byte, 1+random.IntN(200)))
		}
		must(t, conn.(*net.TCPConn).SetLinger([]int{-1, 0}[random.IntN(2)])) // 0 resets the connection
		must(t, conn.Close())
		select {
		case <-s.exited:
			t.Fatalf("the engine ended after somebody said %q", said)
		default:
		}
	}
	spoil := func(said []byte, bytes int) {
		for range bytes {
			said[random.IntN(len(said))] = byte(random.IntN(256))
		}
	}
	query := func(statement string) []byte {
		var packet bytes.Buffer
		nativeClient{Conn: recorder{w: &packet}}.send(t, statement, nil)
		return packet.Bytes()
	}
	for round := range 500 {
		// A hello packet that is changed or truncated anywhere.
		hello := append(greeting(nil), 0)
		spoil(hello, random.IntN(3))
		visit(d.native, hello[:random.IntN(len(hello)+1)], false)
		// A query whose response may not be read.
		whole := slices.Concat(greeting(nil), []byte{0}, query("SELECT 1"))
		visit(d.native, whole, true)
		if round%20 == 0 {
			visit(d.native, slices.Concat(greeting(nil), []byte{0}, query(endless)), true)
			visit(d.http, post(endless), true)
		}
		// A query that is changed or truncated anywhere.
		spoilt := query("SELECT number FROM numbers(10)")
		spoil(spoilt, random.IntN(4))
		visit(d.native, slices.Concat(greeting(nil), []byte{0}, spoilt[:random.IntN(len(spoilt)+1)]), true)
		// A valid packet type, followed by random bytes.
		garbage := make([]byte, 1+random.IntN(100))
		spoil(garbage, len(garbage))
		visit(d.native, slices.Concat(greeting(nil), []byte{0, byte(random.IntN(16))}, garbage), true)
		// The same over HTTP.
		request := post("SELECT 1")
		visit(d.http, request, true)
		visit(d.http, request[:random.IntN(len(request))], false)
	}
	wantAnswers(t, d)
}

// recorder is a connection whose writes are recorded.
type recorder struct {
	net.Conn
	w io.Writer
}

func (r recorder) Write(b []byte) (int, error) { return r.w.Write(b) }
