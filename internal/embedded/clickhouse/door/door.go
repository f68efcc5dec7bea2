// Package door lets the people of this machine use a ClickHouse engine that listens on private
// ports. A door is a proxy: HTTP for ClickHouse's HTTP interface, Native for its native
// protocol. The doors check who connects, check the protocol's framing, limit sizes and times,
// and close connections properly. Everybody who connects becomes the engine's user people,
// which has no password, except for one account with a password. Only the engine decides what
// a user may read, change and use.
package door

import (
	"crypto/subtle"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// maxWaiting limits the connections that have not yet sent a complete request or hello
	// packet.
	maxWaiting = 64
	// maxServed limits the requests or sessions that use the engine at the same time.
	maxServed = 128
	// writePatience is how long a client may take to accept one write of at most 32 KiB, in
	// addition to what the system buffers. The connection of a client that stops reading is
	// closed.
	writePatience = 30 * time.Second
	// helloPatience is how long a client may take to send its hello packet, and how long the
	// engine may take to accept a connection.
	helloPatience = 5 * time.Second
)

// people is the ClickHouse user as which everybody connects who gives no password.
const people = "people"

// Account is another ClickHouse user, who connects with a password. Over the native protocol it may
// name the databases. The doors check the password, because the library's engine aborts if
// anything fails in a handshake.
type Account struct {
	User, Password string
	Databases      []string
}

func (a Account) admits(user, password string) bool {
	return a.User != "" && user == a.User && subtle.ConstantTimeCompare([]byte(password), []byte(a.Password)) == 1
}

// unnamed is the user and database name that ClickHouse clients send by default.
const unnamed = "default"

// anonymous reports whether credentials are acceptable: no user name, the default one or people, and
// no password. The JDBC driver sends the word null if it has no password.
func anonymous(user, password string) bool {
	return (user == "" || user == unnamed || user == people) && (password == "" || password == "null")
}

// refusal is an error that is sent to the client in ClickHouse's own form.
type refusal struct {
	status  int    // HTTP status
	code    int    // ClickHouse error code
	name    string // name of the error code
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", r.code, r.message, r.name)
}

var (
	errIdentity = &refusal{403, 516, "AUTHENTICATION_FAILED",
		"This port accepts only the user people, without a password: omit user and password, or give the user " +
			"default or people"}
	errAway = &refusal{503, 210, "NETWORK_ERROR",
		"ClickHouse does not answer. It may be restarting: try again in a second"}
	errBusy = &refusal{503, 202, "TOO_MANY_SIMULTANEOUS_QUERIES",
		"Too many requests are being answered: try again in a second"}
)

// connLimit keeps at most limit connections open. If there is one more, it closes the
// connection that has been inactive for longest. So inactive connections never block new ones.
type connLimit struct {
	limit  int
	mu     sync.Mutex
	closed bool
	clock  uint64              // counts events; a logical clock
	active map[net.Conn]uint64 // value of clock when the connection was last active
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

// touch records that a connection is active, and reports whether it is still open here.
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

// close closes every connection, and every one that enters later.
func (c *connLimit) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for conn := range c.active {
		_ = conn.Close()
	}
}

// patientConn is a connection whose writes fail if the other end does not accept them within
// patience.
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

// patientListener accepts connections as patientConn.
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
