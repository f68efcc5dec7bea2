package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"cuota/internal/testkit/waittest"
)

// endless is a statement whose result never ends.
const endless = "SELECT repeat('x', 100) FROM numbers(1000000000000)"

// long is a statement that runs for very long without sending a result.
const long = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)"

// runs tells whether the engine is running a statement of people.
func runs(t *testing.T, owner driver.Conn, statement string) bool {
	t.Helper()
	var count uint64
	must(t, owner.QueryRow(t.Context(), "SELECT count() FROM system.processes WHERE user = 'people' AND query = ?", statement).Scan(&count))
	return count > 0
}

func untilRuns(t *testing.T, s *server, statement string) {
	t.Helper()
	owner := s.owner(t)
	defer func() { _ = owner.Close() }()
	waittest.Until(t, statement+" runs", func() bool { return runs(t, owner, statement) })
}

func untilEnds(t *testing.T, s *server, statement string) {
	t.Helper()
	owner := s.owner(t)
	defer func() { _ = owner.Close() }()
	waittest.Until(t, statement+" ends", func() bool { return !runs(t, owner, statement) })
}

// post gives the bytes of an HTTP request with a statement.
func post(statement string) []byte {
	return fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(statement), statement)
}

// wantAnswers checks that both doors answer ordinary requests.
func wantAnswers(t *testing.T, d *doors) {
	t.Helper()
	if got := ask(t, d.http, "SELECT count() FROM quote"); got.body != "100\n" {
		t.Errorf("the HTTP door answers %d %q", got.status, got.body)
	}
	var count uint64
	if err := open(t, d.overNative()).QueryRow(t.Context(), "SELECT count() FROM quote").Scan(&count); err != nil || count != 100 {
		t.Errorf("the native door answers %d: %v", count, err)
	}
}

func TestACancelledQueryEndsInTheEngine(t *testing.T) {
	s := engine(t)
	d := openDoors(t, s, nil)
	for name, options := range map[string]*driver.Options{"HTTP": d.overHTTP(), "native": d.overNative()} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			conn := open(t, options)
			go func() { ended <- conn.Exec(ctx, long) }()
			untilRuns(t, s, long)
			cancel()
			if err := <-ended; err == nil {
				t.Error("the query is answered")
			}
			untilEnds(t, s, long)
		})
	}
}

func TestAClientThatReadsNoMoreIsCut(t *testing.T) {
	s := engine(t)
	d := openDoors(t, s, func(h *HTTP, n *Native) { h.patience, n.patience = time.Second, time.Second })
	overHTTP := connect(t, d.http)
	_, err := overHTTP.Write(post(endless))
	must(t, err)
	untilRuns(t, s, endless)
	wantAnswers(t, d)
	untilEnds(t, s, endless)

	join(t, d.native).send(t, endless, nil)
	untilRuns(t, s, endless)
	wantAnswers(t, d)
	untilEnds(t, s, endless)
}

func TestAThousandSilentConnectionsKeepNobodyOut(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	halfHello := greeting(nil)[:5]
	for i := range 1000 {
		_, err := io.WriteString(connect(t, d.http), []string{"", "POST / HT", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nSELE"}[i%3])
		must(t, err)
		_, err = connect(t, d.native).Write([][]byte{nil, halfHello}[i%2])
		must(t, err)
	}
	wantAnswers(t, d)
	for _, c := range []*connLimit{d.httpDoor.waiting, d.nativeDoor.waiting} {
		c.mu.Lock()
		if len(c.active) > maxWaiting {
			t.Errorf("%d connections wait", len(c.active))
		}
		c.mu.Unlock()
	}
}

func TestIdleSessionsKeepNobodyOut(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	first := join(t, d.native)
	for range 2 * maxServed {
		join(t, d.native)
	}
	wantAnswers(t, d)
	if _, err := first.ReadByte(); err == nil {
		t.Error("the session that was silent longest is not closed")
	}
}

func TestRequestsBeyondMaxServedGet503(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	for range cap(d.httpDoor.slots) {
		d.httpDoor.slots <- struct{}{}
	}
	got := ask(t, d.http, "SELECT 1")
	if got.status != 503 || got.code != "202" || got.header.Get("Retry-After") != "1" {
		t.Errorf("the door answers %+v", got)
	}
	for range cap(d.httpDoor.slots) {
		<-d.httpDoor.slots
	}
	wantAnswers(t, d)
}

func TestAHeaderWithoutAnEndIsCut(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	conn := connect(t, d.http)
	line := strings.Repeat("X-Long: x\r\n", 1000)
	for sent := 0; ; sent += len(line) {
		if _, err := io.WriteString(conn, line); err != nil {
			break
		}
		if sent > 64<<20 {
			t.Fatal("the door takes a header of 64 MiB")
		}
	}
}

// A few hundred megabytes pass each door, and the process allocates only a fraction of that.
func TestALargeAnswerPassesInLittleMemory(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	const size = 300 << 20
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	overHTTP := connect(t, d.http)
	_, err := overHTTP.Write(post(endless))
	must(t, err)
	_, err = io.CopyN(io.Discard, overHTTP, size)
	must(t, err)
	must(t, overHTTP.Close())

	native := join(t, d.native)
	native.send(t, endless, nil)
	_, err = io.CopyN(io.Discard, native.Conn, size)
	must(t, err)
	must(t, native.Close())
	if grown := allocated() - before; grown > size/10 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}

func TestAnAnswerIsPassedOnBeforeItsEnd(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	response, err := http.Post("http://"+d.http+"/", "text/plain", strings.NewReader(endless))
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	_, err = io.ReadFull(response.Body, make([]byte, 1))
	must(t, err)
}

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
	if got.status != 503 || got.code != "210" || got.header.Get("Retry-After") != "1" || !strings.Contains(got.body, "try again") {
		t.Errorf("the HTTP door answers %+v", got)
	}
	var exception *driver.Exception
	if err := open(t, d.overNative()).Ping(t.Context()); !errors.As(err, &exception) || exception.Code != 210 || !strings.Contains(exception.Message, "try again") {
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

func TestCloseEndsEverything(t *testing.T) {
	s := engine(t)
	before := goleak.IgnoreCurrent()
	d := &doors{httpDoor: NewHTTP(s.http, Account{}, zerolog.Nop()), nativeDoor: NewNative(s.native, nil, Account{}, zerolog.Nop())}
	d.open(t)
	// Silent connections, incomplete requests, idle sessions, running queries, and clients that
	// do not read.
	clients := []net.Conn{connect(t, d.http), connect(t, d.native), say(t, d.native, greeting(nil)[:5]), join(t, d.native)}
	for _, statement := range []string{long, endless} {
		overHTTP := connect(t, d.http)
		_, err := overHTTP.Write(post(statement))
		must(t, err)
		overNative := join(t, d.native)
		overNative.send(t, statement, nil)
		clients = append(clients, overHTTP, overNative)
		untilRuns(t, s, statement)
	}
	d.close(t)
	untilEnds(t, s, long)
	untilEnds(t, s, endless)
	for i, client := range clients {
		if _, err := io.Copy(io.Discard, client); errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("client %d is not closed", i)
		}
		must(t, client.Close())
	}
	for _, address := range []string{d.http, d.native} {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			t.Errorf("%s still listens", address)
		}
	}
	d.httpDoor.Close() // closing twice does no harm
	d.nativeDoor.Close()
	goleak.VerifyNone(t, before)
}

func TestADoorThatWasClosedServesNobody(t *testing.T) {
	for name, d := range map[string]interface {
		Serve(net.Listener) error
		Close()
	}{"HTTP": NewHTTP("127.0.0.1:1", Account{}, zerolog.Nop()), "native": NewNative("127.0.0.1:1", nil, Account{}, zerolog.Nop())} {
		d.Close()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		must(t, d.Serve(listener))
		if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the listener is open: %v", name, err)
		}
	}
}

func TestNoSecretIsLogged(t *testing.T) {
	var text bytes.Buffer
	log := zerolog.New(zerolog.SyncWriter(&text))
	d := &doors{httpDoor: NewHTTP("127.0.0.1:1", Account{}, log), nativeDoor: NewNative("127.0.0.1:1", nil, Account{}, log)}
	d.open(t)
	exchange(t, d.http, "GET /?user=owner&password=secret1&query=secret2 HTTP/1.0\nHost: localhost\nX-ClickHouse-Key: secret3\n\n")
	exchange(t, d.http, "GET /?query=secret4 HTTP/1.0\nHost: localhost\nCookie: secret5\n\n")
	say(t, d.native, greeting(func(h *proto.ClientHello) { h.User, h.Password = "owner", "secret6" })).code(t)
	say(t, d.native, greeting(nil)).code(t)
	d.close(t)
	got := text.String()
	if !strings.Contains(got, "connection refused") || !strings.Contains(got, "516") {
		t.Errorf("the reasons are not logged: %s", got)
	}
	if strings.Contains(got, "secret") {
		t.Errorf("a secret is logged: %s", got)
	}
}
