package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// endpoint is the HTTP interface of the engine.
type endpoint struct {
	config   Config
	password string
	engine   *engine
	spoolDir string
	hello    []byte
	gate     gate
	log      zerolog.Logger
}

func newEndpoint(config Config, password string, e *engine, spoolDir string, log zerolog.Logger) (*endpoint, error) {
	hello, err := helloAnswer(e.version)
	if err != nil {
		return nil, err
	}
	return &endpoint{config: config, password: password, engine: e, spoolDir: spoolDir, hello: hello, log: log}, nil
}

// gate counts the requests inside, and once shut lets no more in.
type gate struct {
	mu     sync.Mutex
	shut   bool
	inside sync.WaitGroup
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false
	}
	g.inside.Add(1)
	return true
}

func (g *gate) leave() { g.inside.Done() }

// close shuts the gate and waits until nobody is inside.
func (g *gate) close() {
	g.mu.Lock()
	g.shut = true
	g.mu.Unlock()
	g.inside.Wait()
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !e.gate.enter() {
		http.Error(w, "the embedded ClickHouse stops", http.StatusServiceUnavailable)
		return
	}
	defer e.gate.leave()
	// A page of the open web can make a browser send requests here, under a
	// host name of its own (DNS rebinding) or blindly. It can't lie about
	// either header.
	if !localHost(r.Host) {
		http.Error(w, "this server answers to loopback host names only", http.StatusForbidden)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !localOrigin(origin) {
		http.Error(w, "this server answers to pages of this machine only", http.StatusForbidden)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case r.URL.Path == "/ping", r.URL.Path == "/" && r.Method != http.MethodPost && r.URL.RawQuery == "":
		_, _ = io.WriteString(w, "Ok.\n")
	case r.URL.Path == "/":
		e.serveQuery(w, r)
	default:
		http.Error(w, "There is no handle "+r.URL.EscapedPath(), http.StatusNotFound)
	}
}

func (e *endpoint) serveQuery(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	a := newReply(w, e.engine.version)
	q, err := e.answer(r, a)
	if err == nil {
		a.finish()
	} else {
		a.fail(err)
	}
	// The deadlines of people's requests must not reach the connection's next.
	connection := http.NewResponseController(w)
	_, _ = connection.SetReadDeadline(time.Time{}), connection.SetWriteDeadline(time.Time{})
	entry := e.log.Debug()
	if q != nil {
		entry = entry.Str("query_id", q.queryID).Str("verb", q.verb).Bool("people", q.who == people)
	}
	if err != nil {
		entry = entry.Int("code", asException(err).code)
	}
	entry.Dur("took_ms", time.Since(began)).Msg("query")
}

// answer runs a request and writes what it answers into a, all but the end.
func (e *endpoint) answer(r *http.Request, a *reply) (*request, error) {
	parameters, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, newException(codeBadArguments, "Bad query string: %v", err)
	}
	who, err := identify(r, parameters, e.password)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if who == people {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, e.config.QueryTimeout,
			newException(codeTimeout, "Timeout exceeded: people's requests may take %s", e.config.QueryTimeout))
		defer cancel()
		// Neither may a slow client hold its place for longer.
		deadline := time.Now().Add(e.config.QueryTimeout + time.Second)
		connection := http.NewResponseController(a.w)
		if err := errors.Join(connection.SetReadDeadline(deadline), connection.SetWriteDeadline(deadline)); err != nil {
			return nil, err
		}
	}
	q, err := readRequest(r, who, parameters, e.config.Database, e.spoolDir)
	if err != nil {
		return nil, err
	}
	if q.data != nil {
		defer q.data.close()
	}
	if q.queryID == "" {
		q.queryID = newQueryID()
	}
	if who == people {
		if q.settings, err = peopleSettings(q.settings, e.config.QueryTimeout); err != nil {
			return q, err
		}
	}
	a.describe(q)
	if q.hello {
		_, err = a.Write(e.hello)
		return q, err
	}
	return q, e.engine.execute(ctx, r.Method, q, a)
}

// newQueryID answers a random UUID, the form in which ClickHouse makes them.
func newQueryID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails: crypto/rand ends the process instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// localHost tells whether a Host header names this machine's loopback.
func localHost(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]") // no port
	}
	return isLoopback(host)
}

func localOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
