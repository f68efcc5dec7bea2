package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

const (
	// idleTimeout is Kafka's default connections.max.idle.ms. Clients expect that idle
	// connections are closed after it.
	idleTimeout = 10 * time.Minute

	// frameTimeout is how long a client may take to send a frame that it has begun, and to
	// accept a response.
	frameTimeout = 30 * time.Second

	// acceptPause is the pause between attempts while the system has no free file descriptor.
	acceptPause = 50 * time.Millisecond
)

// guard is the listener from which the engine accepts connections. It limits the number of
// connections and gives the engine only complete frames that were checked. Before open is
// called it accepts only connections made by dial, so that the log can be checked before
// clients use it.
type guard struct {
	tcp   net.Listener
	limit int
	admit func(bytes int) // called with the size of a write before the engine gets it
	log   zerolog.Logger

	topics topicNames
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once

	active         atomic.Int64
	idle           sync.WaitGroup // connections and the accepting goroutine, until they end
	refusalsLogged zerolog.Logger
}

func newGuard(tcp net.Listener, limit int, admit func(int), log zerolog.Logger) *guard {
	return &guard{
		tcp:    tcp,
		limit:  limit,
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
			if !g.hand(conn) {
				return
			}
		}
	})
}

// dial makes a connection inside the process. It fails if the guard is closed.
func (g *guard) dial() (net.Conn, error) {
	client, server := net.Pipe()
	if !g.hand(server) {
		return nil, errors.Join(net.ErrClosed, client.Close())
	}
	return client, nil
}

// hand gives a connection to the engine, or closes it if too many are open. It returns false if
// the guard is closed.
func (g *guard) hand(conn net.Conn) bool {
	if g.active.Load() >= int64(g.limit) {
		g.refusalsLogged.Warn().Int("limit", g.limit).Msg("embedded Kafka log refuses a connection: too many are open")
		_ = conn.Close()
		return true
	}
	g.active.Add(1)
	g.idle.Add(1)
	gc := &guardedConn{Conn: conn, guard: g}
	select {
	case g.conns <- gc:
		return true
	case <-g.closed:
		_ = gc.Close()
		return false
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

// Addr gives the TCP address, which the engine advertises to clients.
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
	guard   *guard
	buf     []byte // reused for the next frame, unless a frame made it large
	pending []byte // checked bytes that the engine has not read yet
	once    sync.Once
}

// Read implements net.Conn. After an error the engine closes the connection.
func (c *guardedConn) Read(p []byte) (int, error) {
	if len(c.pending) == 0 {
		frame, err := c.next()
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

func (c *guardedConn) next() ([]byte, error) {
	if err := c.SetReadDeadline(time.Now().Add(idleTimeout)); err != nil {
		return nil, err
	}
	var head [sizeBytes + headerBytes]byte
	if _, err := io.ReadFull(c.Conn, head[:1]); err != nil {
		return nil, err
	}
	// From here on the frame occupies memory, so the client must be faster.
	if err := c.SetReadDeadline(time.Now().Add(frameTimeout)); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(c.Conn, head[1:]); err != nil {
		return nil, err
	}
	size, err := checkHeader(head)
	if err != nil {
		return nil, err
	}
	total := sizeBytes + size
	if cap(c.buf) < total {
		c.buf = make([]byte, total)
	}
	frame := c.buf[:total]
	if total > keepBuffer {
		c.buf = nil
	}
	copy(frame, head[:])
	if _, err := io.ReadFull(c.Conn, frame[len(head):]); err != nil {
		return nil, err
	}
	checked, err := c.guard.check(frame[sizeBytes:])
	if err != nil {
		return nil, err
	}
	if checked == nil {
		return frame, nil
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(checked))), checked...), nil
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
		c.guard.active.Add(-1)
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
