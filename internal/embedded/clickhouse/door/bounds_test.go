package door

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/waittest"
)

// endless is a statement whose result never ends.
const endless = "SELECT repeat('x', 100) FROM numbers(1000000000000)"

// long is a statement that runs for very long without sending a result.
const long = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)"

// runs reports whether the engine is running a statement of people.
func runs(t *testing.T, owner driver.Conn, statement string) bool {
	t.Helper()
	var count uint64
	must(t, owner.QueryRow(t.Context(), "SELECT count() FROM system.processes WHERE user = 'people' AND query = ?",
		statement).Scan(&count))
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

// post returns the bytes of an HTTP request with a statement.
func post(statement string) []byte {
	return fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(statement),
		statement)
}

// wantAnswers checks that both doors answer ordinary requests.
func wantAnswers(t *testing.T, d *doors) {
	t.Helper()
	if got := ask(t, d.http, "SELECT count() FROM quote"); got.body != "100\n" {
		t.Errorf("the HTTP door answers %d %q", got.status, got.body)
	}
	var count uint64
	if err := open(t, d.overNative()).QueryRow(t.Context(), "SELECT count() FROM quote").Scan(&count); err != nil ||
		count != 100 {
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
		_, err := io.WriteString(connect(t, d.http),
			[]string{"", "POST / HT", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nSELE"}[i%3])
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
