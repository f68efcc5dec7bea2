package door

import (
	"context"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

const (
	// drainPatience is how long the engine may take to notice that a connection
	// has ended.
	drainPatience = time.Minute
	// closePatience is how long the engine may take when the door closes.
	closePatience = 500 * time.Millisecond
)

// Dial connects to the engine for the owner's connections, which bypass the doors.
// Every connection to the library's engine must come from here: the engine aborts
// when one that it waits on is reset, and the system resets a connection that
// is closed over unread bytes, as a cancelled query leaves them.
func Dial(ctx context.Context, address string) (net.Conn, error) {
	return dial(ctx, context.Background(), address)
}

// dial is Dial for a door, which is closing once that context is done.
func dial(ctx, closing context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: helloPatience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	return &engineConn{Conn: tcp, tcp: tcp, closing: closing}, nil
}

// engineConn is a connection to the engine that is never reset.
type engineConn struct {
	net.Conn // hides what *net.TCPConn has beside it, which would pass Read by
	tcp      *net.TCPConn
	closing  context.Context

	reading sync.Mutex // held by a Read, and then by what drains the connection
	mu      sync.Mutex // orders the end and the setting of deadlines
	closed  bool
}

// Read implements net.Conn. Close ends it at once.
func (c *engineConn) Read(b []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.isClosed() {
		return 0, net.ErrClosed
	}
	count, err := c.tcp.Read(b)
	if c.isClosed() {
		err = net.ErrClosed
	}
	return count, err
}

// Close half-closes the connection, and reads what the engine still sends until the
// engine closes it too, for at most drainPatience. It does not wait for that.
func (c *engineConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.tcp.CloseWrite()                  // ends a Write that waits
	_ = c.tcp.SetReadDeadline(time.Unix(0, 1)) // ends a Read that waits
	go c.drain()
	return err
}

func (c *engineConn) drain() {
	c.reading.Lock()
	defer c.reading.Unlock()
	_ = c.tcp.SetReadDeadline(time.Now().Add(drainPatience))
	hurry := context.AfterFunc(c.closing, func() { _ = c.tcp.SetReadDeadline(time.Now().Add(closePatience)) })
	_, _ = io.Copy(io.Discard, c.tcp)
	hurry()
	_ = c.tcp.Close()
}

// SetDeadline implements net.Conn. After Close it changes nothing, nor do the other two.
func (c *engineConn) SetDeadline(t time.Time) error { return c.unlessClosed(t, c.tcp.SetDeadline) }

// SetReadDeadline implements net.Conn.
func (c *engineConn) SetReadDeadline(t time.Time) error {
	return c.unlessClosed(t, c.tcp.SetReadDeadline)
}

// SetWriteDeadline implements net.Conn.
func (c *engineConn) SetWriteDeadline(t time.Time) error {
	return c.unlessClosed(t, c.tcp.SetWriteDeadline)
}

func (c *engineConn) unlessClosed(t time.Time, set func(time.Time) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	return set(t)
}

func (c *engineConn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// SyscallConn lets the driver see whether the engine has closed an idle connection.
func (c *engineConn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }
