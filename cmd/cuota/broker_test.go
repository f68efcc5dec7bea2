package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/exit"
	"cuota/internal/embedded/kafka"
)

// The test binary can also run as a broker that can be killed. The first variable names
// the directory of its log, the second the address that it advertises to clients.
const (
	asBroker     = "CUOTA_TEST_AS_BROKER"
	brokerSaysAt = "CUOTA_TEST_BROKER_SAYS_AT"
)

// brokerServes matches what the broker prints, with the address at which it serves.
var brokerServes = regexp.MustCompile(`the broker serves at (\S+)\n`)

// saysAt is a listener that states another address as its own, to which clients then
// connect.
type saysAt struct {
	net.Listener
	address net.Addr
}

func (l saysAt) Addr() net.Addr { return l.address }

// runBroker serves until a signal arrives.
func runBroker(dir string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := func() error {
		address, err := net.ResolveTCPAddr("tcp", os.Getenv(brokerSaysAt))
		if err != nil {
			return err
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		server, err := kafka.New(kafka.Config{Dir: dir, Listener: saysAt{listener, address}, MaxBytes: 4 << 30},
			zerolog.New(os.Stderr))
		if err != nil {
			return err
		}
		if err := server.Start(ctx); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "the broker serves at %s\n", listener.Addr())
		<-ctx.Done()
		return exit.ShutDown(ctx, exit.StopPatience, server.Stop)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "broker:", err)
		return exit.Failed
	}
	return 0
}

// brokenNetwork is a proxy between a broker and its clients. It can cut, delay and
// refuse connections.
type brokenNetwork struct {
	listener net.Listener
	broker   func() string // the broker's address now; "" while there is none
	open     sync.WaitGroup

	mu       sync.Mutex
	refusing bool
	slow     time.Duration // delay of each piece of data
	held     chan struct{} // nothing passes before it is closed; nil: everything passes
	conns    map[net.Conn]bool
}

// newBrokenNetwork listens at an address and connects clients to the address that broker
// returns.
func newBrokenNetwork(t *testing.T, at string, broker func() string) *brokenNetwork {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	n := &brokenNetwork{listener: listener, broker: broker, conns: map[net.Conn]bool{}}
	n.open.Go(n.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		n.hold(false)
		n.cut()
		n.open.Wait()
	})
	return n
}

func (n *brokenNetwork) address() string { return n.listener.Addr().String() }

func (n *brokenNetwork) accept() {
	for {
		client, err := n.listener.Accept()
		if err != nil {
			return
		}
		n.open.Go(func() { n.join(client) })
	}
}

// join passes data between a client and the broker until either disconnects or the proxy
// cuts them.
func (n *brokenNetwork) join(client net.Conn) {
	defer n.forget(client)
	if !n.keep(client) {
		_ = client.(*net.TCPConn).SetLinger(0) // the client then sees a reset
		return
	}
	address := n.broker()
	if address == "" {
		return
	}
	server, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return
	}
	defer n.forget(server)
	if !n.keep(server) {
		return
	}
	var both sync.WaitGroup
	for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
		both.Go(func() {
			n.pass(from, to)
			_, _ = from.Close(), to.Close() // end the other direction too
		})
	}
	both.Wait()
}

// pass copies data until either side closes, and holds or delays each piece.
func (n *brokenNetwork) pass(from io.Reader, to io.Writer) {
	piece := make([]byte, 16<<10)
	for {
		read, err := from.Read(piece)
		n.awaitPassage()
		if read > 0 {
			if late := n.late(); late > 0 {
				<-time.After(late)
			}
			if _, err := to.Write(piece[:read]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (n *brokenNetwork) late() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.slow
}

// awaitPassage waits while the network holds everything.
func (n *brokenNetwork) awaitPassage() {
	n.mu.Lock()
	held := n.held
	n.mu.Unlock()
	if held != nil {
		<-held
	}
}

// keep registers a connection. It is false while the network refuses connections.
func (n *brokenNetwork) keep(conn net.Conn) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.refusing {
		return false
	}
	n.conns[conn] = true
	return true
}

func (n *brokenNetwork) forget(conn net.Conn) {
	n.mu.Lock()
	delete(n.conns, conn)
	n.mu.Unlock()
	_ = conn.Close() // it may be closed already
}

// cut ends every connection. Clients can connect again.
func (n *brokenNetwork) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.conns {
		_ = conn.Close()
	}
}

// refuse ends every connection and refuses new ones, or accepts them again.
func (n *brokenNetwork) refuse(refusing bool) {
	n.mu.Lock()
	n.refusing = refusing
	n.mu.Unlock()
	if refusing {
		n.cut()
	}
}

// delay delays each piece of data from now on.
func (n *brokenNetwork) delay(by time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.slow = by
}

// hold lets nothing pass from now on, as if packets were lost, or lets everything pass that was held. Neither side
// learns of it.
func (n *brokenNetwork) hold(holding bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held != nil {
		close(n.held)
		n.held = nil
	}
	if holding {
		n.held = make(chan struct{})
	}
}
