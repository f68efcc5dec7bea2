package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/rs/zerolog"

	"cuota/internal/loop"
)

const (
	// sessionPatience is how long a session may be idle. It equals the engine's
	// idle_connection_timeout.
	sessionPatience = time.Hour
	// acceptPause is the pause between attempts while the system has no free file descriptor.
	acceptPause = 50 * time.Millisecond
	// maxUnread is how many bytes the door still reads from a client that it has refused.
	maxUnread = 1 << 20
)

// Native is the proxy to the engine's native protocol.
//
// The library's engine aborts if anything fails in a handshake: a malformed packet, an unknown
// database, a connection that ends too early. So the door reads the client's whole hello packet
// and performs the handshake with the engine itself, independently of the client. Only then
// does it connect the two. After the handshake the engine tolerates any input.
type Native struct {
	target    string
	databases []string // of the user people
	account   Account
	log       zerolog.Logger
	waiting   *connLimit // clients that have not sent a hello packet
	served    *connLimit
	patience  time.Duration // timeout of one write to a client

	closing context.Context // done when Close begins
	close   context.CancelFunc
	mu      sync.Mutex // orders Serve and Close
	serving sync.WaitGroup
}

// NewNative makes a door to the engine's native port, target as host:port. The engine may be
// restarted on the same port. People may name one of the databases in their hello packet. All
// these databases must exist in the engine, and those of the account. So must the default
// databases of both users, which are used if a client names none. Without a user, the account
// admits nobody.
func NewNative(target string, databases []string, account Account, log zerolog.Logger) *Native {
	n := &Native{target: target, databases: databases, account: account, log: log,
		waiting: newConnLimit(maxWaiting), served: newConnLimit(maxServed), patience: writePatience}
	n.closing, n.close = context.WithCancel(context.Background())
	return n
}

// Serve serves the connections of a listener. It returns nil after Close, or the error of a
// listener that somebody else closed.
func (n *Native) Serve(listener net.Listener) error {
	defer context.AfterFunc(n.closing, func() { _ = listener.Close() })()
	n.mu.Lock()
	if n.closing.Err() == nil {
		n.serving.Add(1)
		defer n.serving.Done()
	}
	n.mu.Unlock()
	for n.closing.Err() == nil {
		conn, err := listener.Accept()
		switch {
		case err == nil:
			n.waiting.enter(conn)
			n.serving.Go(func() { n.serve(conn) })
		case n.closing.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default:
			n.log.Error().Err(err).Msg("the native ClickHouse port can't accept a connection")
			_ = loop.Pause(n.closing, acceptPause) // Close ends it
		}
	}
	return nil
}

// Close closes the listener and every connection, and waits until their goroutines have ended.
func (n *Native) Close() {
	n.mu.Lock()
	n.close()
	n.mu.Unlock()
	n.waiting.close()
	n.served.close()
	n.serving.Wait()
}

// serve performs the handshakes of one client and then copies bytes between the client and the
// engine.
func (n *Native) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	defer n.waiting.leave(conn)
	defer n.served.leave(conn)
	client := &session{patientConn{conn, n.patience}, n.served}
	fromClient := bufio.NewReader(client)

	hello, err := n.admit(conn, fromClient)
	if err != nil {
		n.refuse(client, fromClient, err)
		return
	}
	n.waiting.leave(conn)
	n.served.enter(conn)
	engine, err := dial(n.closing, n.closing, n.target)
	if err != nil {
		n.refuse(client, fromClient, fmt.Errorf("%w (%w)", errAway, err))
		return
	}
	defer func() { _ = engine.Close() }()
	fromEngine := bufio.NewReader(engine)
	answer, err := n.handshake(hello, engine, fromEngine)
	if err == nil {
		_, err = client.Write(answer)
	}
	if err == nil {
		err = readAddendum(fromClient) // some clients send the addendum only with their first query
	}
	if err != nil {
		n.refuse(client, fromClient, err)
		return
	}
	// If the client's, the engine's or the door's side ends, both connections are closed.
	defer context.AfterFunc(n.closing, func() { _ = engine.Close() })()
	var answers sync.WaitGroup
	answers.Go(func() {
		_, _ = io.Copy(client, fromEngine)
		_ = conn.Close()
		_ = engine.Close()
	})
	_, _ = io.Copy(&patientConn{engine, n.patience}, fromClient)
	_ = conn.Close()
	_ = engine.Close()
	answers.Wait()
}

// admit reads the hello packet of a client and returns the hello for the engine. It fails with a
// *refusal if the client may not connect.
func (n *Native) admit(conn net.Conn, r *bufio.Reader) (proto.ClientHello, error) {
	_ = conn.SetReadDeadline(time.Now().Add(helloPatience))
	hello, err := readClientHello(r)
	user, databases := people, n.databases
	if n.account.admits(hello.User, hello.Password) {
		user, databases = n.account.User, n.account.Databases
	}
	switch {
	case err != nil:
		return hello, err
	case hello.ProtocolVersion < minRevision:
		return hello, &refusal{code: 3, message: fmt.Sprintf(
			"This client uses revision %d of the protocol, which is too old: update it to a version that uses "+
				"revision %d or later", hello.ProtocolVersion, minRevision)}
	case user == people && !anonymous(hello.User, hello.Password):
		return hello, errIdentity
	case hello.Database == unnamed:
		hello.Database = ""
	case hello.Database != "" && !slices.Contains(databases, hello.Database):
		return hello, &refusal{code: 81,
			message: "This database does not exist, or you may not use it: connect without a database, or to " +
				strings.Join(databases, " or ")}
	}
	hello.User, hello.ProtocolVersion = user, min(hello.ProtocolVersion, maxRevision)
	return hello, nil
}

// handshake performs the handshake with the engine, and returns the server's hello for the
// client. It sends a ping after the addendum: the response to the ping shows that the engine
// has completed the handshake.
func (n *Native) handshake(client proto.ClientHello, engine net.Conn, r *bufio.Reader) ([]byte, error) {
	_ = engine.SetDeadline(time.Now().Add(helloPatience))
	defer context.AfterFunc(n.closing, func() { _ = engine.SetDeadline(time.Now().Add(closePatience)) })()
	var b proto.Buffer
	client.Encode(&b)
	b.PutString("") // the addendum
	proto.ClientCodePing.Encode(&b)
	_, err := engine.Write(b.Buf)
	var server proto.ServerHello
	if err == nil {
		server, err = readServerHello(r)
	}
	if err == nil {
		var pong byte
		if pong, err = r.ReadByte(); err == nil && pong != byte(proto.ServerCodePong) {
			err = fmt.Errorf("received packet %d instead of the reply to a ping", pong)
		}
	}
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused != errMalformed:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w (%w)", errAway, err)
	}
	_ = engine.SetDeadline(time.Time{})
	b.Reset()
	server.Revision = min(server.Revision, maxRevision)
	server.EncodeAware(&b, client.ProtocolVersion)
	return b.Buf, nil
}

// refuse sends the client the reason of a refusal. It does nothing for other errors.
func (n *Native) refuse(client *session, r io.Reader, err error) {
	var refused *refusal
	if !errors.As(err, &refused) {
		return
	}
	n.log.Debug().Err(err).Msg("refused a native client of ClickHouse")
	if _, err := client.Write(refused.packet()); err != nil {
		return
	}
	// Closing the connection over unread bytes would discard the response to a client that is
	// still sending. So the rest is read first.
	if half, ok := client.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = client.SetReadDeadline(time.Now().Add(helloPatience))
	_, _ = io.CopyN(io.Discard, r, maxUnread)
}

// session is the connection of a client. Once it is served, every read and write marks it as
// active.
type session struct {
	patientConn
	served *connLimit
}

func (s *session) Read(b []byte) (int, error) {
	count, err := s.patientConn.Read(b)
	s.touch()
	return count, err
}

func (s *session) Write(b []byte) (int, error) {
	s.touch()
	return s.patientConn.Write(b)
}

func (s *session) touch() {
	if s.served.touch(s.Conn) {
		_ = s.SetReadDeadline(time.Now().Add(sessionPatience))
	}
}
