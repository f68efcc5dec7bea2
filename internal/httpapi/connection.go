package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// connection is the connection of a client. net/http itself answers some requests before
// any handler sees them: those whose head is too large or is not HTTP. It writes plain text
// and has no setting for that. The connection replaces these replies by errors in JSON,
// like all other errors (RULES 13).
type connection struct {
	net.Conn
	server *Server

	// handled is true from the moment that a handler gets the request until its response
	// was sent. Anything written at another time comes from net/http.
	handled atomic.Bool
	closed  atomic.Bool

	// head is what was read since the last request, before a handler got the next one. net/http deletes the header
	// Content-Length of a request that also has Transfer-Encoding, so it is looked for here. Only the goroutine that
	// serves the connection uses it.
	head   []byte
	bodied bool // the request had a body, and what was read behind its head may be a part of that
}

// Bounds of connection.head: no more than net/http takes is kept, and a large one only until the next request.
const (
	maxKeptHead  = maxHeaderBytes + 8<<10
	idleKeptHead = 4 << 10
)

// Read implements io.Reader.
func (c *connection) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	// While a handler runs, net/http waits for one byte on another goroutine.
	if len(into) > 1 && !c.handled.Load() && len(c.head)+n <= maxKeptHead {
		c.head = append(c.head, into[:n]...)
	}
	return n, err
}

// idle prepares head for the next request: of several that were read at once, the others stay in it.
func (c *connection) idle() {
	end := bytes.Index(c.head, endOfHead)
	switch {
	case cap(c.head) > idleKeptHead:
		c.head = nil
	case end < 0 || c.bodied:
		c.head = c.head[:0]
	default:
		c.head = append(c.head[:0], c.head[end+len(endOfHead):]...)
	}
}

var endOfHead = []byte("\r\n\r\n")

// statesLength reports whether the request that is handled has the header Content-Length.
func (c *connection) statesLength() bool {
	for line := range bytes.Lines(c.head) {
		name, _, found := bytes.Cut(line, []byte(":"))
		if found && strings.EqualFold(string(name), "Content-Length") {
			return true
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return false
		}
	}
	return false
}

type connectionKey struct{}

// listener accepts connections whose errors are JSON.
type listener struct {
	net.Listener
	server *Server
}

// Accept implements net.Listener. It refuses clients beyond the limit of connections with a
// reply, instead of letting them wait.
func (l listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.server.clients.Add(1) <= int64(l.server.config.Connections) {
			return &connection{Conn: conn, server: l.server}, nil
		}
		l.server.clients.Add(-1)
		l.server.turnAway(conn)
	}
}

// Close implements net.Conn.
func (c *connection) Close() error {
	if !c.closed.Swap(true) {
		c.server.clients.Add(-1)
	}
	return c.Conn.Close()
}

// Limits of refusing a client, which needs time to read the reason.
const (
	turnAwayWithin = time.Second
	turnAwayBytes  = 64 << 10 // read from its request
	turnAwayAtOnce = 64       // clients beyond these are cut off without a reply
)

// turnAway refuses a client that has just connected, and closes its connection.
func (s *Server) turnAway(conn net.Conn) {
	select {
	case s.leaving <- struct{}{}:
	default:
		_ = conn.Close() // too many clients are being refused to tell this one why
		return
	}
	go func() {
		defer func() { <-s.leaving }()
		defer func() { _ = conn.Close() }() // the connection is given up in any case
		_ = conn.SetDeadline(time.Now().Add(turnAwayWithin))
		if _, err := conn.Write(s.refuse(http.StatusServiceUnavailable, "")); err != nil {
			return
		}
		// If unread data is left when a connection is closed, the connection is reset, and
		// the client may not see the reply.
		if half, can := conn.(interface{ CloseWrite() error }); can && half.CloseWrite() == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(conn, turnAwayBytes))
		}
	}()
}

// serveJSON prepares an HTTP server for a listener. It tells each connection when a
// handler gets a request, and when the response was sent.
func serveJSON(server *http.Server) {
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, conn)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			of := conn.(*connection)
			of.idle()
			of.handled.Store(false)
		}
	}
	next := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of := r.Context().Value(connectionKey{}).(*connection)
		of.bodied = r.ContentLength != 0
		of.handled.Store(true)
		next.ServeHTTP(w, r)
	})
}

// oneLength refuses a request that states the length of its body in two ways, which a proxy before this server may
// read in another way than net/http. After any request in chunks the connection ends, so that nothing that was sent
// behind it can become a request of its own (docs/decisions/0069).
func (s *Server) oneLength(next http.Handler) http.Handler {
	refused := s.always(&Problem{Status: http.StatusBadRequest, Code: "bad_request",
		Detail: "The request has both Content-Length and Transfer-Encoding. Send one of them."})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
			if of, is := r.Context().Value(connectionKey{}).(*connection); is && of.statesLength() {
				openToAnyOrigin(w.Header())
				refused.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// Write implements io.Writer. It replaces an error reply of net/http, which writes each one
// with a single call.
func (c *connection) Write(text []byte) (int, error) {
	if !c.handled.Load() {
		if status, reason, refused := refusal(text); refused {
			if _, err := c.Conn.Write(c.server.refuse(status, reason)); err != nil {
				return 0, err
			}
			return len(text), nil
		}
	}
	return c.Conn.Write(text)
}

// CloseWrite lets net/http finish its reply while the client is still sending, so that the
// client can read it.
func (c *connection) CloseWrite() error {
	if half, can := c.Conn.(interface{ CloseWrite() error }); can {
		return half.CloseWrite()
	}
	return nil
}

// refusal reads the status of an error reply that net/http wrote, and its reason if there
// is one, as in HTTP/1.1 400 Bad Request: missing required Host header.
func refusal(text []byte) (status int, reason string, refused bool) {
	line, _, _ := strings.Cut(string(text), "\r\n")
	version, rest, _ := strings.Cut(line, " ")
	number, phrase, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(number)
	if err != nil || !strings.HasPrefix(version, "HTTP/1.") || status < http.StatusBadRequest || status > 599 {
		return 0, "", false
	}
	_, reason, _ = strings.Cut(phrase, ": ")
	return status, reason, true
}

// refuse returns the complete reply to a request that reaches no handler.
func (s *Server) refuse(status int, reason string) []byte {
	code, detail := "bad_request", "The request is not well-formed HTTP"
	if reason != "" {
		detail += " (" + reason + ")"
	}
	detail += ". Check its first line, its headers and the percent-encoding of its address."
	retryAfter := 0
	switch status {
	case http.StatusBadRequest:
	case http.StatusServiceUnavailable:
		code, detail = "too_many_connections",
			"Too many clients are connected. Try again in a few seconds, and keep few connections open."
		retryAfter = RetrySoon
	case http.StatusExpectationFailed:
		code, detail = "expectation_failed",
			"The header Expect may only say 100-continue, for a request that has a body."
	case http.StatusRequestHeaderFieldsTooLarge:
		code, detail = "headers_too_large", "The first line and the headers of the request take more than "+
			strconv.Itoa(maxHeaderBytes>>10)+" KiB together. Send shorter ones."
	case http.StatusNotImplemented:
		code, detail = "unsupported_transfer_encoding", "The only transfer encoding that is understood is chunked."
	case http.StatusHTTPVersionNotSupported:
		code, detail = "unsupported_version", "HTTP/1.1 and HTTP/1.0 are understood."
	default:
		code, detail = "refused", http.StatusText(status)+"."
	}
	id := rand.Text()
	body, err := Encode(failure{Detail: detail, Code: code, RequestID: id})
	if err != nil {
		panic(err) // cannot happen: failure has only texts
	}
	header := http.Header{}
	s.commonHeaders(header, id)
	openToAnyOrigin(header)
	header.Set("Cache-Control", "no-store")
	if retryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	header.Set("Content-Type", "application/json")
	header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	response := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: header, Close: true,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	var out bytes.Buffer
	_ = response.Write(&out) // a buffer never fails
	s.config.Meter.Refused(classes[classOf(status)])
	log, message := &s.log, "a request that no operation can have"
	if status == http.StatusServiceUnavailable {
		log, message = &s.full, "too many clients are connected; refusing those that connect now"
	}
	log.Info().Str("request_id", id).Int("status", status).Int("bytes", len(body)).Str("code", code).Msg(message)
	return out.Bytes()
}
