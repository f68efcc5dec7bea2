package door

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// drainPatience is how long the engine may take to notice that a connection
	// has ended.
	drainPatience = time.Minute
	// closePatience is how long the engine may take when the door closes.
	closePatience = 500 * time.Millisecond
)

// Dial connects to the engine for the owner's connections, which bypass the
// doors. Every connection to the library's engine must come from here: the engine
// aborts when one that it waits on is reset, and the system resets a connection
// that is closed over unread bytes, as a cancelled query leaves them.
func Dial(ctx context.Context, address string) (net.Conn, error) {
	return dial(ctx, context.Background(), address)
}

// dial is Dial for a door, which is closing once that context is done.
func dial(ctx, closing context.Context, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: helloPatience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &engineConn{TCPConn: conn.(*net.TCPConn), closing: closing}, nil
}

// engineConn is a connection to the engine that is never reset.
type engineConn struct {
	*net.TCPConn
	closing context.Context
	closed  sync.Once
}

// Close half-closes the connection, and reads what the engine still sends until
// the engine closes it, for at most drainPatience.
func (c *engineConn) Close() (err error) {
	c.closed.Do(func() {
		err = c.CloseWrite()
		_ = c.SetReadDeadline(time.Now().Add(drainPatience))
		hurry := context.AfterFunc(c.closing, func() { _ = c.SetReadDeadline(time.Now().Add(closePatience)) })
		go func() {
			_, _ = io.Copy(io.Discard, c.TCPConn)
			hurry()
			_ = c.TCPConn.Close()
		}()
	})
	return err
}
