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
)

const (
	// sessionPatience is the engine's own idle_connection_timeout.
	sessionPatience = time.Hour
	// acceptPause spaces attempts while the system has no file descriptor left.
	acceptPause = 50 * time.Millisecond
	// maxUnread is how much the door still reads of a client that it refuses.
	maxUnread = 1 << 20
)

// Native is the door to the native protocol of the engine.
//
// The library's engine aborts when anything fails in a handshake: a malformed
// packet, an unknown database, a connection that ends too early. So the door
// reads the client's hello whole, performs the handshake with the engine by
// itself whatever the client does meanwhile, and only then joins the two. After
// the handshake the engine survives whatever it is sent.
type Native struct {
	target    string
	databases []string
	log       zerolog.Logger
	waiting   *connLimit // clients that have not said a hello
	served    *connLimit
	patience  time.Duration // over a write

	closing context.Context // done when Close begins
	close   context.CancelFunc
	mu      sync.Mutex // orders Serve and Close
	serving sync.WaitGroup
}

// NewNative makes a door to the engine's native port, a host:port, on which the
// engine may go and come again. Clients may name one of the databases in their
// hello. Each must exist in the engine, and so must the default database of the
// user people, which the others get.
func NewNative(target string, databases []string, log zerolog.Logger) *Native {
	n := &Native{target: target, databases: databases, log: log,
		waiting: newConnLimit(maxWaiting), served: newConnLimit(maxServed), patience: writePatience}
	n.closing, n.close = context.WithCancel(context.Background())
	return n
}

// Serve serves the connections of a listener until Close, and then returns nil.
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
			n.log.Error().Err(err).Msg("the native door can't accept a connection")
			select {
			case <-time.After(acceptPause):
			case <-n.closing.Done():
			}
		}
	}
	return nil
}

// Close ends the listener and every connection, and waits for them.
func (n *Native) Close() {
	n.mu.Lock()
	n.close()
	n.mu.Unlock()
	n.waiting.close()
	n.served.close()
	n.serving.Wait()
}

// serve joins a client and the engine.
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
		err = readAddendum(fromClient) // which some clients send with their first query
	}
	if err != nil {
		n.refuse(client, fromClient, err)
		return
	}
	// Either end, and the door's, ends both connections, whatever waits for them.
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

// admit reads the hello of a client and makes it the one that the engine gets.
func (n *Native) admit(conn net.Conn, r *bufio.Reader) (proto.ClientHello, error) {
	_ = conn.SetReadDeadline(time.Now().Add(helloPatience))
	hello, err := readClientHello(r)
	switch {
	case err != nil:
		return hello, err
	case hello.ProtocolVersion < minRevision:
		return hello, &refusal{code: 3, message: fmt.Sprintf(
			"This client speaks revision %d of the protocol, which is too old: update it to one that speaks %d or more", hello.ProtocolVersion, minRevision)}
	case !anonymous(hello.User, hello.Password):
		return hello, errIdentity
	case hello.Database == unnamed:
		hello.Database = ""
	case hello.Database != "" && !slices.Contains(n.databases, hello.Database):
		return hello, &refusal{code: 81, message: "People have no such database: connect without one, or to " + strings.Join(n.databases, " or ")}
	}
	hello.User, hello.ProtocolVersion = people, min(hello.ProtocolVersion, maxRevision)
	return hello, nil
}

// handshake performs the handshake with the engine, and answers what the client
// gets to read of it. A ping follows the addendum: its answer tells that the
// engine has left the handshake.
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
			err = fmt.Errorf("packet %d instead of an answer to a ping", pong)
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

// refuse tells a client why it is not served, unless it has left.
func (n *Native) refuse(client *session, r io.Reader, err error) {
	var refused *refusal
	if !errors.As(err, &refused) {
		return
	}
	n.log.Debug().Err(err).Msg("refused a native client")
	if _, err := client.Write(refused.packet()); err != nil {
		return
	}
	// A client that is still sending would lose the answer if the connection
	// were closed over unread bytes.
	if half, ok := client.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = client.SetReadDeadline(time.Now().Add(helloPatience))
	_, _ = io.CopyN(io.Discard, r, maxUnread)
}

// session is the connection of a client. Once it is served, whatever passes in
// either direction keeps it from being idle.
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
