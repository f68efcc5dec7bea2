// Package door lets the people of this machine reach a ClickHouse engine that
// listens on private ports: HTTP for its HTTP interface, Native for its native
// protocol. The doors see to identity, framing, bounds and the end of
// connections. Whoever comes through is the engine's user people, which has no
// password; the engine alone decides what people may read, change and use.
package door

import (
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// maxWaiting bounds the connections that have not yet sent a whole request
	// or hello.
	maxWaiting = 64
	// maxServed requests or sessions may use the engine at the same time.
	maxServed = 128
	// writePatience is how long a client may take over one write, of at most
	// 32 KiB beyond what the system buffers. One that reads no more is cut.
	writePatience = 30 * time.Second
	// helloPatience is how long a client may take to send its hello, and the
	// engine to accept a connection.
	helloPatience = 5 * time.Second
)

// people is the user of the engine that everybody becomes.
const people = "people"

// unnamed is the user, and the database, that ClickHouse clients name when they
// were given none.
const unnamed = "default"

// anonymous tells whether credentials may be taken for those of people.
func anonymous(user, password string) bool {
	return (user == "" || user == unnamed || user == people) && password == ""
}

// refusal is an error that the client is told in ClickHouse's own form.
type refusal struct {
	status  int    // of HTTP
	code    int    // of ClickHouse
	name    string // of the code
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", r.code, r.message, r.name)
}

var (
	errIdentity = &refusal{403, 516, "AUTHENTICATION_FAILED",
		"Only the user people is allowed here, without a password: leave out user and password, or give the user default or people"}
	errAway = &refusal{503, 210, "NETWORK_ERROR",
		"ClickHouse does not answer. It may be restarting: try again in a second"}
	errBusy = &refusal{503, 202, "TOO_MANY_SIMULTANEOUS_QUERIES",
		"Too many requests are being answered: try again in a second"}
)

// connLimit holds connections. One more than the limit closes the one that has been
// silent longest, so connections that do nothing never keep anybody out.
type connLimit struct {
	limit  int
	mu     sync.Mutex
	closed bool
	clock  uint64              // counts what happens
	active map[net.Conn]uint64 // the clock when it was active last
}

func newConnLimit(limit int) *connLimit {
	return &connLimit{limit: limit, active: make(map[net.Conn]uint64)}
}

func (c *connLimit) enter(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		_ = conn.Close()
		return
	}
	c.clock++
	c.active[conn] = c.clock
	if len(c.active) <= c.limit {
		return
	}
	silent := conn
	for other, at := range c.active {
		if at < c.active[silent] {
			silent = other
		}
	}
	delete(c.active, silent)
	_ = silent.Close()
}

// touch notes that a connection is active, and tells whether it is still held.
func (c *connLimit) touch(conn net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.active[conn]
	if ok {
		c.clock++
		c.active[conn] = c.clock
	}
	return ok
}

func (c *connLimit) leave(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.active, conn)
}

// close closes every connection, and those that enter later.
func (c *connLimit) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for conn := range c.active {
		_ = conn.Close()
	}
}

// patientConn fails a write that the other end does not take within patience.
type patientConn struct {
	net.Conn
	patience time.Duration
}

func (c *patientConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// patientListener accepts patient connections.
type patientListener struct {
	net.Listener
	patience time.Duration
}

func (l patientListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &patientConn{conn, l.patience}, nil
}
