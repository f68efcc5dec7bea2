package door

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"
)

func TestCloseEndsEverything(t *testing.T) {
	s := engine(t)
	before := goleak.IgnoreCurrent()
	d := &doors{httpDoor: NewHTTP(s.http, Account{}, zerolog.Nop()),
		nativeDoor: NewNative(s.native, nil, Account{}, zerolog.Nop())}
	d.open(t)
	// Silent connections, incomplete requests, idle sessions, running queries, and clients that
	// do not read.
	clients := []net.Conn{connect(t, d.http), connect(t, d.native), say(t, d.native, greeting(nil)[:5]),
		join(t, d.native)}
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
	}{"HTTP": NewHTTP("127.0.0.1:1", Account{}, zerolog.Nop()),
		"native": NewNative("127.0.0.1:1", nil, Account{}, zerolog.Nop())} {
		d.Close()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		must(t, d.Serve(listener))
		if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the listener is open: %v", name, err)
		}
	}
}
