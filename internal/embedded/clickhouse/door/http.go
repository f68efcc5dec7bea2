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
	// maxHeaderBytes limits the request line and the headers. A statement in the URL may be
	// half as long as the engine's max_query_size.
	maxHeaderBytes = 128 << 10
	// maxBodyBytes limits the body of a request. People may only read, so a body is a statement
	// of at most 256 KiB, or a list used as an external table. The whole body is read before
	// the request gets a slot, so that slow senders occupy no slot. So the door holds at most
	// maxWaiting + maxServed bodies in memory.
	maxBodyBytes = 1 << 20
	// headerPatience and bodyPatience are how long a client may take to send the header and the
	// body.
	headerPatience = 10 * time.Second
	bodyPatience   = 30 * time.Second
	// keepAlive is how long a connection may wait for its next request.
	keepAlive = 2 * time.Minute
	// answerPatience limits the time of a request in the engine, including the time in which
	// the client reads the response. So a slow reader can't keep its slot for longer.
	answerPatience = 10 * time.Minute
	// maxAnswerHeader limits the header of a response, in bytes. People may request progress
	// headers, at most one every 100 ms.
	maxAnswerHeader = 256 << 10
	// engineKeepAlive is shorter than the engine's keep_alive_timeout in all versions, so the
	// engine never closes a connection that is about to be used.
	engineKeepAlive = 2 * time.Second
)

// HTTP is the proxy to the engine's HTTP interface.
type HTTP struct {
	log      zerolog.Logger
	account  Account
	server   *http.Server
	proxy    *httputil.ReverseProxy
	engine   *http.Transport
	waiting  *connLimit      // connections that have not sent a whole request
	slots    chan struct{}   // one element for each request that uses the engine
	patience time.Duration   // timeout of one write to a client
	closing  context.Context // done when Close begins
	close    context.CancelFunc
	closed   sync.Once
}

// NewHTTP makes a door to the engine's HTTP port, target as host:port. The engine may be
// restarted on the same port. Without a user, the account admits nobody.
func NewHTTP(target string, account Account, log zerolog.Logger) *HTTP {
	h := &HTTP{
		log:      log,
		account:  account,
		waiting:  newConnLimit(maxWaiting),
		slots:    make(chan struct{}, maxServed),
		patience: writePatience,
	}
	h.closing, h.close = context.WithCancel(context.Background())
	h.engine = &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return dial(ctx, h.closing, address)
		},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     engineKeepAlive,

		MaxResponseHeaderBytes: maxAnswerHeader,
	}
	// Neither logger receives addresses or headers.
	errorLog := stdlog.New(log.With().Str("level", "error").Logger(), "", 0)
	h.proxy = &httputil.ReverseProxy{
		Transport:      h.engine,
		FlushInterval:  -1,
		ErrorLog:       errorLog,
		ModifyResponse: func(r *http.Response) error { return h.nameArguments(r) },
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, err error) { h.refuse(w, err) },
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", target, ""
			r.Out.Header = engineHeader(r.In.Header)
			if r.In.Context().Value(accountKey{}) != nil {
				r.Out.Header.Set("X-ClickHouse-User", account.User)
				r.Out.Header.Set("X-ClickHouse-Key", account.Password)
			}
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

// connKey is the context key of a request's connection.
type connKey struct{}

// accountKey is a context key: the request is one of the account.
type accountKey struct{}

// Serve serves the connections of a listener. It returns nil after Close, or the error of the
// listener.
func (h *HTTP) Serve(listener net.Listener) error {
	if err := h.server.Serve(patientListener{listener, h.patience}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close closes the listener and every connection, and waits for the requests in progress, whose
// queries are cancelled.
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

// serve passes a request to the engine, or refuses it.
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
	// If the client has sent more than this request, the context of the request does not end
	// with the connection. So the time is limited here.
	ctx, cancel := context.WithTimeout(request.Context(), answerPatience)
	defer cancel()
	defer context.AfterFunc(h.closing, cancel)()
	h.proxy.ServeHTTP(w, request.WithContext(ctx))
}

// admit returns the request that the engine may get: without anything that would change the user
// or the target, and with its whole body in memory. It fails with a *refusal.
func (h *HTTP) admit(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	connection := http.NewResponseController(w)
	if r.Body != http.NoBody {
		// The deadline also limits the rest of a body that is refused.
		_ = connection.SetReadDeadline(time.Now().Add(bodyPatience))
	}
	if err := checkTarget(r); err != nil {
		return nil, err
	}
	parameters, ofAccount, err := h.parameters(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, &refusal{413, 290, "LIMIT_EXCEEDED", "The body of a request may be at most 1 MiB"}
	case err != nil:
		return nil, &refusal{408, 209, "SOCKET_TIMEOUT", "The body of the request could not be read completely"}
	}
	// From here on the server reads only to notice a client that disconnects. A query may take
	// longer than bodyPatience.
	_ = connection.SetReadDeadline(time.Time{})

	ctx := context.WithValue(r.Context(), statementKey{}, statementOf(r, parameters.Get("query"), body))
	if ofAccount {
		ctx = context.WithValue(ctx, accountKey{}, true)
	}
	request := r.Clone(ctx)
	request.URL = &url.URL{Path: r.URL.Path, RawQuery: parameters.Encode()}
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request.Body, _ = request.GetBody()
	request.ContentLength, request.TransferEncoding, request.Trailer = int64(len(body)), nil, nil
	return request, nil
}

// checkTarget refuses requests that are not meant for this door. A web page can make a browser
// send requests here, with the page's own host name (DNS rebinding) or without seeing the
// response. The browser itself sets Host, Origin and Sec-Fetch-Site, so the page can't forge
// them.
func checkTarget(r *http.Request) error {
	if !loopback((&url.URL{Host: r.Host}).Hostname()) {
		return &refusal{403, 497, "ACCESS_DENIED",
			"This server accepts only the host names of loopback addresses: use localhost or 127.0.0.1"}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || !loopback(u.Hostname()) {
			return &refusal{403, 497, "ACCESS_DENIED",
				"This server accepts requests only from web pages of this machine"}
		}
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return &refusal{403, 497, "ACCESS_DENIED", "This server accepts requests only from web pages of this machine"}
	}
	if r.URL.Path != "/" && r.URL.Path != "/ping" {
		return &refusal{404, 60, "UNKNOWN_TABLE", "This path does not exist: send statements to /"}
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions:
		return nil
	}
	return &refusal{405, 48, "NOT_IMPLEMENTED", "Use GET, HEAD, POST or OPTIONS"}
}

// loopback reports whether a host is localhost or a loopback address.
func loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// parameters returns the query parameters without credentials, each once, and whether these are those
// of the account. It refuses a request that names another user in any of the ways that the
// engine accepts. Settings are kept: the engine knows which of them a user may change. The
// engine ignores the case of parameter names.
func (h *HTTP) parameters(r *http.Request) (_ url.Values, ofAccount bool, _ error) {
	// The engine reads a semicolon as an ordinary character; url.ParseQuery refuses it.
	parameters, err := url.ParseQuery(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"))
	if err != nil {
		return nil, false, &refusal{400, 36, "BAD_ARGUMENTS",
			"The query string of the URL can't be decoded: percent-encode it"}
	}
	users, passwords := r.Header.Values("X-ClickHouse-User"), r.Header.Values("X-ClickHouse-Key")
	for _, value := range r.Header.Values("Authorization") {
		user, password, ok := (&http.Request{Header: http.Header{"Authorization": {value}}}).BasicAuth()
		if !ok {
			return nil, false, errIdentity
		}
		users, passwords = append(users, user), append(passwords, password)
	}
	for name, values := range parameters {
		switch lower := strings.ToLower(name); {
		case lower == "user":
			users = append(users, values...)
		case lower == "password":
			passwords = append(passwords, values...)
		case lower == "wait_end_of_query": // it would store the whole result on the engine's disk
		case lower == "role", lower == "quota_key", strings.HasPrefix(lower, "x-clickhouse-"):
		case lower == "database" && values[0] == unnamed:
		default:
			parameters[name] = values[:1]
			continue
		}
		delete(parameters, name)
	}
	if len(users) == 1 && len(passwords) == 1 && h.account.admits(users[0], passwords[0]) {
		return parameters, true, nil
	}
	for _, user := range users {
		if !anonymous(user, "") {
			return nil, false, errIdentity
		}
	}
	for _, password := range passwords {
		if !anonymous("", password) {
			return nil, false, errIdentity
		}
	}
	return parameters, false, nil
}

// engineHeader returns the headers for the engine: the user people, and those client headers that
// say how to read the body and how to write the response.
func engineHeader(in http.Header) http.Header {
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

// refuse answers a request with an error in ClickHouse's form.
func (h *HTTP) refuse(w http.ResponseWriter, err error) {
	var answer *refusal
	if !errors.As(err, &answer) {
		answer = errAway
	}
	h.log.Debug().Err(err).Int("status", answer.status).Msg("refused an HTTP request to ClickHouse")
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
