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
	// drainPatience is how long the engine may take to notice that a connection has ended.
	drainPatience = time.Minute
	// closePatience is how long the engine may take for that when the door closes.
	closePatience = 500 * time.Millisecond
)

// Dial connects to the engine for the owner's connections, which do not pass through the doors.
// Every connection to the library's engine must be made by Dial. The engine aborts if a
// connection on which it waits is reset. The operating system resets a connection that is
// closed while it has unread bytes, for example after a cancelled query.
func Dial(ctx context.Context, address string) (net.Conn, error) {
	return dial(ctx, context.Background(), address)
}

// dial is Dial for a door. closing is done once the door is closing.
func dial(ctx, closing context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: helloPatience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	tcp := conn.(*net.TCPConn)
	return &engineConn{Conn: tcp, tcp: tcp, closing: closing}, nil
}

// engineConn is a connection to the engine that is never reset: Close drains it first.
type engineConn struct {
	net.Conn // hides other methods of *net.TCPConn, which would bypass Read
	tcp      *net.TCPConn
	closing  context.Context

	reading sync.Mutex // held by Read, and by drain after Close
	mu      sync.Mutex // guards closed, and prevents that a deadline is set after Close
	closed  bool
}

// Read implements net.Conn. Close interrupts it.
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

// Close closes the connection for writing. In the background it reads and discards what the
// engine still sends, until the engine closes the connection too or drainPatience has passed.
func (c *engineConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	err := c.tcp.CloseWrite()                  // ends a Write that is waiting
	_ = c.tcp.SetReadDeadline(time.Unix(0, 1)) // ends a Read that is waiting
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

// SetDeadline implements net.Conn. After Close, this and the next two methods return
// net.ErrClosed.
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

// SyscallConn lets the driver check whether the engine has closed an idle connection.
func (c *engineConn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }
