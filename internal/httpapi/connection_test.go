package httpapi_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener that accepts the connections sent on the channel.
type pipes chan net.Conn

func (l pipes) Accept() (net.Conn, error) {
	if conn, open := <-l; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (pipes) Close() error   { return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestClientsBeyondTheLimitAreAllCountedButLoggedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		meter := newMeasured()
		config := unlimited
		config.Connections, config.Meter = 1, meter
		server, log := newServer(t, config)
		accepting := make(pipes)
		go func() { _ = server.Serve(accepting) }() // it ends with the listener
		idle, other := net.Pipe()
		accepting <- other
		refuse := func() {
			t.Helper()
			client, refused := net.Pipe()
			accepting <- refused
			if reply, err := io.ReadAll(client); err != nil ||
				!strings.Contains(string(reply), "too_many_connections") {
				t.Errorf("%v: %s", err, reply)
			}
			must(t, client.Close())
		}
		for second := 1; second <= 2; second++ {
			for range 10 {
				refuse()
			}
			if log.lines("too_many_connections") != second || log.lines("no operation") != 0 {
				t.Errorf("after %d seconds:\n%s", second, log.text.String())
			}
			time.Sleep(time.Second)
		}
		if counted := meter.of(meter.refused, "5xx"); counted != 20 {
			t.Errorf("counted %d", counted)
		}
		must(t, idle.Close())
		close(accepting)
	})
}
