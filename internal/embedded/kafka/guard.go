package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// idleTimeout is Kafka's default connections.max.idle.ms. Clients expect that idle
	// connections are closed after it.
	idleTimeout = 10 * time.Minute

	// frameTimeout is how long a client may take to send a frame that it has begun, and to
	// accept a response.
	frameTimeout = 30 * time.Second

	// signInTimeout is how long a connection may be idle before its client has signed in.
	signInTimeout = 10 * time.Second

	// maxWaiting limits the connections whose clients have not signed in. If there is one more, the
	// oldest one is closed, so that silent connections keep nobody out.
	maxWaiting = 32

	// acceptPause is the pause between attempts while the system has no free file descriptor.
	acceptPause = 50 * time.Millisecond
)

// guard is the listener from which the engine accepts connections. It limits the number of
// connections, lets clients sign in, and gives the engine only complete frames that were checked.
// Before open is called it accepts only connections made by dial, so that the log can be checked
// before clients use it.
type guard struct {
	tcp    net.Listener
	limit  int
	access access
	admit  func(bytes int) // called with the size of a write before the engine gets it
	log    zerolog.Logger

	topics topicNames
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	mu             sync.Mutex
	waiting        []*guardedConn // connections whose clients have not signed in, the oldest first
	active         atomic.Int64   // connections of clients that have signed in
	idle           sync.WaitGroup // connections and the accepting goroutine, until they end
	refusalsLogged zerolog.Logger
}

func newGuard(tcp net.Listener, limit int, access access, admit func(int), log zerolog.Logger) *guard {
	return &guard{
		tcp:    tcp,
		limit:  limit,
		access: access,
		admit:  admit,
		log:    log,
		conns:  make(chan net.Conn),
		closed: make(chan struct{}),
		// Refusals are sampled, so that hostile clients can't fill the log file.
		refusalsLogged: log.Sample(&zerolog.BurstSampler{Burst: 5, Period: time.Minute}),
	}
}

// open starts to accept clients.
func (g *guard) open() {
	g.idle.Go(func() {
		for {
			conn, err := g.tcp.Accept()
			switch {
			case errors.Is(err, net.ErrClosed):
				return
			case err != nil:
				// The engine would stop listening after any error, so the guard retries.
				g.log.Error().Err(err).Msg("embedded Kafka log can't accept a connection")
				select {
				case <-time.After(acceptPause):
					continue
				case <-g.closed:
					return
				}
			}
			if !g.hand(&guardedConn{Conn: conn, guard: g, admitted: g.access.key == ""}) {
				return
			}
		}
	})
}

// dial makes a connection inside the process. It fails if the guard is closed.
func (g *guard) dial() (net.Conn, error) {
	client, server := net.Pipe()
	if !g.hand(&guardedConn{Conn: server, guard: g, inside: true, admitted: true}) {
		return nil, errors.Join(net.ErrClosed, client.Close())
	}
	return client, nil
}

// hand returns a connection to the engine, or closes it if too many are open. It returns false if
// the guard is closed.
func (g *guard) hand(c *guardedConn) bool {
	if !g.enter(c) {
		_ = c.Conn.Close()
		return true
	}
	g.idle.Add(1)
	select {
	case g.conns <- c:
		return true
	case <-g.closed:
		_ = c.Close()
		return false
	}
}

// enter counts a new connection. It returns false if too many are open.
func (g *guard) enter(c *guardedConn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case c.inside:
		return true
	case c.admitted:
		return g.count(c)
	}
	g.waiting = append(g.waiting, c)
	if len(g.waiting) > maxWaiting {
		_ = g.waiting[0].Conn.Close() // the engine notices it
		g.waiting = g.waiting[1:]
	}
	return true
}

// signedIn counts a connection whose client has signed in. It returns false if too many are open, or if
// the connection was closed meanwhile: nobody would uncount it.
func (g *guard) signedIn(c *guardedConn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(c)
	return !c.left && g.count(c)
}

// count counts a connection of a client that may use the log. The caller holds mu.
func (g *guard) count(c *guardedConn) bool {
	if g.active.Load() >= int64(g.limit) {
		g.refusalsLogged.Warn().Int("limit", g.limit).Msg("embedded Kafka log refuses a connection: too many are open")
		return false
	}
	g.active.Add(1)
	c.counted = true
	return true
}

// forget removes a connection from those that wait. The caller holds mu.
func (g *guard) forget(c *guardedConn) {
	g.waiting = slices.DeleteFunc(g.waiting, func(other *guardedConn) bool { return other == c })
}

// leave uncounts a connection that is closed.
func (g *guard) leave(c *guardedConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(c)
	c.left = true
	if c.counted {
		g.active.Add(-1)
	}
}

// Accept implements net.Listener for the engine.
func (g *guard) Accept() (net.Conn, error) {
	select {
	case c := <-g.conns:
		return c, nil
	case <-g.closed:
		return nil, net.ErrClosed
	}
}

// Addr returns the TCP address, which the engine advertises to clients.
func (g *guard) Addr() net.Addr { return g.tcp.Addr() }

// Close stops accepting connections. The engine closes the open ones.
func (g *guard) Close() (err error) {
	g.once.Do(func() {
		close(g.closed)
		err = g.tcp.Close()
	})
	return err
}

// drain waits until all connections have ended, or ctx ends. The engine must be closed first.
func (g *guard) drain(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		g.idle.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// guardedConn reads whole frames from a client and checks them. The engine reads the checked
// frames.
type guardedConn struct {
	net.Conn
	guard    *guard
	inside   bool   // made by dial
	admitted bool   // the client may use the log: it has signed in, or need not
	chosen   bool   // the client has chosen a SASL mechanism
	counted  bool   // it is one of guard.active; guarded by guard.mu
	left     bool   // it is closed; guarded by guard.mu
	buf      []byte // reused for the next frame, unless a frame made it large
	pending  []byte // checked bytes that the engine has not read yet
	once     sync.Once
}

// Read implements net.Conn. After an error the engine closes the connection.
func (c *guardedConn) Read(p []byte) (int, error) {
	for len(c.pending) == 0 {
		frame, answer, err := c.next()
		if err == nil && answer != nil {
			_, err = c.Write(answer)
		}
		if err != nil {
			if errors.As(err, new(*frameError)) {
				c.guard.refusalsLogged.Warn().Err(err).Stringer("client", c.RemoteAddr()).
					Msg("embedded Kafka log closes a connection after an unsupported request")
			}
			return 0, err
		}
		c.pending = frame
	}
	n := copy(p, c.pending)
	c.pending = c.pending[n:]
	return n, nil
}

// next reads a frame. It returns the frame for the engine, or the answer for the client.
func (c *guardedConn) next() (frame, answer []byte, err error) {
	idle := idleTimeout
	if !c.admitted {
		idle = signInTimeout
	}
	if err := c.SetReadDeadline(time.Now().Add(idle)); err != nil {
		return nil, nil, err
	}
	var head [sizeBytes + headerBytes]byte
	if _, err := io.ReadFull(c.Conn, head[:1]); err != nil {
		return nil, nil, err
	}
	// From here on the frame occupies memory, so the client must be faster.
	if err := c.SetReadDeadline(time.Now().Add(frameTimeout)); err != nil {
		return nil, nil, err
	}
	if _, err := io.ReadFull(c.Conn, head[1:]); err != nil {
		return nil, nil, err
	}
	size, err := checkHeader(head)
	if err != nil {
		return nil, nil, err
	}
	if key := int16(binary.BigEndian.Uint16(head[sizeBytes:])); !c.admitted && !signsIn(key) {
		return nil, nil, refuse("%s of a client that has not signed in", kmsg.NameForKey(key))
	}
	total := sizeBytes + size
	if cap(c.buf) < total {
		c.buf = make([]byte, total)
	}
	frame = c.buf[:total]
	if total > keepBuffer {
		c.buf = nil
	}
	copy(frame, head[:])
	if _, err := io.ReadFull(c.Conn, frame[len(head):]); err != nil {
		return nil, nil, err
	}
	checked, response, err := c.check(frame[sizeBytes:])
	switch {
	case err != nil:
		return nil, nil, err
	case response != nil:
		correlation := binary.BigEndian.Uint32(frame[sizeBytes+4:])
		return nil, sized(response.AppendTo(binary.BigEndian.AppendUint32(nil, correlation))), nil
	case checked != nil:
		return sized(checked), nil, nil
	}
	return frame, nil, nil
}

// sized puts the size of a frame before it.
func sized(frame []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...)
}

// Write implements net.Conn. It fails if the client does not accept the response within
// frameTimeout.
func (c *guardedConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(frameTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Close implements net.Conn. The engine may call it more than once.
func (c *guardedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.guard.leave(c)
		c.guard.idle.Done()
	})
	return err
}

// frameError says that a frame was refused. Failures of the connection have other errors.
type frameError struct{ reason string }

func (e *frameError) Error() string { return "frame refused: " + e.reason }

func refuse(format string, args ...any) error {
	return &frameError{fmt.Sprintf(format, args...)}
}
