package door

import (
	"bytes"
	"context"
	"errors"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// maxHeaderBytes bounds a request's line and headers. A statement in the
	// address may be half of the engine's max_query_size.
	maxHeaderBytes = 128 << 10
	// maxBodyBytes bounds the body of a request. People only read, so a body is
	// a statement, of 256 KiB at most, or a list as an external table. It is
	// read whole before the request gets a slot, so that slow senders hold
	// none; so the door keeps at most maxWaiting + maxServed bodies in memory.
	maxBodyBytes = 1 << 20
	// headerPatience and bodyPatience are how long a client may take to send.
	headerPatience = 10 * time.Second
	bodyPatience   = 30 * time.Second
	// keepAlive is how long a connection may wait for its next request.
	keepAlive = 2 * time.Minute
	// answerPatience bounds a request in the engine, with the time that the client
	// takes to read the answer: a slow reader holds its place no longer.
	answerPatience = 10 * time.Minute
	// maxAnswerHeader bounds the header of an answer, in bytes. People may ask for
	// progress in it, every 100 ms at most.
	maxAnswerHeader = 256 << 10
	// engineKeepAlive is shorter than the engine's keep_alive_timeout in any
	// of its versions, so it never closes a connection that is just being used.
	engineKeepAlive = 2 * time.Second
)

// HTTP is the door to the HTTP interface of the engine.
type HTTP struct {
	log      zerolog.Logger
	server   *http.Server
	proxy    *httputil.ReverseProxy
	engine   *http.Transport
	waiting  *connLimit      // connections without a whole request
	slots    chan struct{}   // one element for each request in the engine
	patience time.Duration   // over a write
	closing  context.Context // done when Close begins
	close    context.CancelFunc
	closed   sync.Once
}

// NewHTTP makes a door to the engine's HTTP port, a host:port. The engine may
// go and come again on the same port.
func NewHTTP(target string, log zerolog.Logger) *HTTP {
	h := &HTTP{
		log:      log,
		waiting:  newConnLimit(maxWaiting),
		slots:    make(chan struct{}, maxServed),
		patience: writePatience,
	}
	h.closing, h.close = context.WithCancel(context.Background())
	h.engine = &http.Transport{
		DialContext:         func(ctx context.Context, _, address string) (net.Conn, error) { return dial(ctx, h.closing, address) },
		DisableCompression:  true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     engineKeepAlive,

		MaxResponseHeaderBytes: maxAnswerHeader,
	}
	// Neither logger is given an address or a header.
	errorLog := stdlog.New(log.With().Str("level", "error").Logger(), "", 0)
	h.proxy = &httputil.ReverseProxy{
		Transport:     h.engine,
		FlushInterval: -1,
		ErrorLog:      errorLog,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, err error) { h.refuse(w, err) },
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", target, ""
			r.Out.Header = peopleHeader(r.In.Header)
		},
	}
	h.server = &http.Server{
		Handler:           http.HandlerFunc(h.serve),
		ReadHeaderTimeout: headerPatience,
		IdleTimeout:       keepAlive,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          errorLog,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, conn)
		},
		ConnState: func(conn net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew, http.StateIdle:
				h.waiting.enter(conn)
			case http.StateClosed:
				h.waiting.leave(conn)
			}
		},
	}
	return h
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// Serve serves the connections of a listener until Close, and then returns nil.
func (h *HTTP) Serve(listener net.Listener) error {
	if err := h.server.Serve(patientListener{listener, h.patience}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends the listener and every connection, and waits for the requests
// under way, whose queries the engine is told to end.
func (h *HTTP) Close() {
	h.closed.Do(func() {
		h.close()
		_ = h.server.Close()
		for range cap(h.slots) {
			h.slots <- struct{}{}
		}
		h.engine.CloseIdleConnections()
	})
}

// serve answers a request, by the engine if it may have it.
func (h *HTTP) serve(w http.ResponseWriter, r *http.Request) {
	request, err := h.admit(w, r)
	if err != nil {
		h.refuse(w, err)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		h.refuse(w, errBusy)
		return
	}
	h.waiting.leave(r.Context().Value(connKey{}).(net.Conn))
	// The context of the request does not end with its connection when the client has
	// sent more than the request.
	ctx, cancel := context.WithTimeout(request.Context(), answerPatience)
	defer cancel()
	defer context.AfterFunc(h.closing, cancel)()
	h.proxy.ServeHTTP(w, request.WithContext(ctx))
}

// admit answers what the engine may be asked: the request without whatever
// would change who asks or what is reached, and its body in memory.
func (h *HTTP) admit(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	connection := http.NewResponseController(w)
	if r.Body != http.NoBody {
		// The deadline also bounds the rest of a body that is refused.
		_ = connection.SetReadDeadline(time.Now().Add(bodyPatience))
	}
	if err := checkTarget(r); err != nil {
		return nil, err
	}
	parameters, err := peopleParameters(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &refusal{413, 290, "LIMIT_EXCEEDED", "The body of a request may be at most 1 MiB"}
	case err != nil:
		return nil, &refusal{408, 209, "SOCKET_TIMEOUT", "The body of the request could not be read to its end"}
	}
	// From here on the server reads to notice a client that leaves, and a query
	// may take longer than a body.
	_ = connection.SetReadDeadline(time.Time{})

	request := r.Clone(r.Context())
	request.URL = &url.URL{Path: r.URL.Path, RawQuery: parameters.Encode()}
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request.Body, _ = request.GetBody()
	request.ContentLength, request.TransferEncoding, request.Trailer = int64(len(body)), nil, nil
	return request, nil
}

// checkTarget refuses what is not meant for this door. A page of the open web
// can make a browser send requests here, under a host name of its own (DNS
// rebinding) or blindly. The browser sets Host, Origin and Sec-Fetch-Site itself, so
// the page cannot forge them.
func checkTarget(r *http.Request) error {
	if !loopback((&url.URL{Host: r.Host}).Hostname()) {
		return &refusal{403, 497, "ACCESS_DENIED", "This server answers to the host names of loopback only: use localhost or 127.0.0.1"}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !loopback(u.Hostname()) {
			return &refusal{403, 497, "ACCESS_DENIED", "This server answers to pages of this machine only"}
		}
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return &refusal{403, 497, "ACCESS_DENIED", "This server answers to pages of this machine only"}
	}
	if r.URL.Path != "/" && r.URL.Path != "/ping" {
		return &refusal{404, 60, "UNKNOWN_TABLE", "There is nothing here but / and /ping: send statements to /"}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return nil
	}
	return &refusal{405, 48, "NOT_IMPLEMENTED", "Use GET, HEAD, POST or OPTIONS"}
}

// loopback tells whether a host is this machine's loopback.
func loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// peopleParameters answers the parameters of the address without credentials,
// each once. It refuses a request that claims to be somebody else, in whatever
// way the engine would take it. Settings stay: the engine knows which of them
// people may change. The engine does not heed the case of names.
func peopleParameters(r *http.Request) (url.Values, error) {
	// The engine takes a semicolon for itself, url.ParseQuery does not.
	parameters, err := url.ParseQuery(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"))
	if err != nil {
		return nil, &refusal{400, 36, "BAD_ARGUMENTS", "The address has a query that can't be read: percent-encode it"}
	}
	users, passwords := r.Header.Values("X-ClickHouse-User"), r.Header.Values("X-ClickHouse-Key")
	for _, value := range r.Header.Values("Authorization") {
		user, password, ok := (&http.Request{Header: http.Header{"Authorization": {value}}}).BasicAuth()
		if !ok {
			return nil, errIdentity
		}
		users, passwords = append(users, user), append(passwords, password)
	}
	for name, values := range parameters {
		switch lower := strings.ToLower(name); {
		case lower == "user":
			users = append(users, values...)
		case lower == "password":
			passwords = append(passwords, values...)
		case lower == "wait_end_of_query": // would keep the whole answer on the engine's disk
		case lower == "role", lower == "quota_key", strings.HasPrefix(lower, "x-clickhouse-"):
		case lower == "database" && values[0] == unnamed:
		default:
			parameters[name] = values[:1]
			continue
		}
		delete(parameters, name)
	}
	for _, user := range users {
		if !anonymous(user, "") {
			return nil, errIdentity
		}
	}
	for _, password := range passwords {
		if password != "" {
			return nil, errIdentity
		}
	}
	return parameters, nil
}

// peopleHeader answers the header that the engine gets: of the client's what
// says how to read the body and to write the answer, and the user.
func peopleHeader(in http.Header) http.Header {
	out := http.Header{"X-Clickhouse-User": {people}}
	for _, name := range []string{"Accept", "Accept-Encoding", "Content-Encoding", "Content-Type", "User-Agent",
		"X-ClickHouse-Database", "X-ClickHouse-Format"} {
		if value := in.Get(name); value != "" {
			out.Set(name, value)
		}
	}
	if out.Get("X-ClickHouse-Database") == unnamed {
		out.Del("X-ClickHouse-Database")
	}
	return out
}

// refuse answers a request that the engine doesn't.
func (h *HTTP) refuse(w http.ResponseWriter, err error) {
	var answer *refusal
	if !errors.As(err, &answer) {
		answer = errAway
	}
	h.log.Debug().Err(err).Int("status", answer.status).Msg("refused an HTTP request")
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=UTF-8")
	header.Set("X-ClickHouse-Exception-Code", strconv.Itoa(answer.code))
	switch answer.status {
	case http.StatusMethodNotAllowed:
		header.Set("Allow", "GET, HEAD, POST, OPTIONS")
	case http.StatusServiceUnavailable:
		header.Set("Retry-After", "1")
	}
	w.WriteHeader(answer.status)
	_, _ = io.WriteString(w, answer.Error()+"\n")
}
