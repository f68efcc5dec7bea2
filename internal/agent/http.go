package agent

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuota/client"
)

// Path is where tools are served over HTTP.
const Path = "/mcp"

const (
	maxBody   = 64 << 10 // bytes of a request
	maxAtOnce = 32       // calls at once; more are refused with 503
)

// HandlerConfig says how tools are served over HTTP.
type HandlerConfig struct {
	Config
	// BaseURL is the public address of the service, "" if it is unknown. Requests may name its host.
	BaseURL string
	// API returns the handler of the API, which tools ask inside the process. It is called for each request.
	API func() http.Handler
}

// Handler serves tools over HTTP (streamable HTTP, without sessions). Each request brings its key, in X-Api-Key or
// as a Bearer token, and its tools ask the API with this key.
type Handler struct {
	config HandlerConfig
	base   *url.URL // nil if the public address is unknown
	mcp    http.Handler
	places chan struct{}
}

// NewHandler makes a handler. The base address must be a URL or empty.
func NewHandler(config HandlerConfig) (*Handler, error) {
	h := &Handler{config: config, places: make(chan struct{}, maxAtOnce)}
	if config.BaseURL != "" {
		var err error
		if h.base, err = url.Parse(config.BaseURL); err != nil {
			return nil, err
		}
	}
	h.config.CountSQL = true
	h.mcp = mcp.NewStreamableHTTPHandler(h.serverOf, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		// Its check would refuse the public host behind a proxy of this machine; takesHost is stricter elsewhere.
		DisableLocalhostProtection: true,
	})
	return h, nil
}

// Paths lists the paths that the handler answers, for httpapi.Area.
func (h *Handler) Paths() []string { return []string{Path} }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Pattern = Path // for the access log
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path != Path:
		refuse(w, http.StatusNotFound, "not_found", "There is no such path. Tools are served at "+Path+".")
		return
	case !h.takesHost(r.Host):
		refuse(w, http.StatusForbidden, "wrong_host",
			"The Host header names another service. Use the address in CUOTA_BASE_URL, localhost or an IP address.")
		return
	case !h.takesOrigin(r):
		refuse(w, http.StatusForbidden, "wrong_origin", "Pages of other origins may not call tools.")
		return
	case !h.checkKey(w, r):
		return
	}
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
	default:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "overloaded",
			"Too many calls of tools at once. Try again in a few seconds.")
		return
	}
	body := bufio.NewReader(r.Body)
	if isBatch(body) {
		refuse(w, http.StatusBadRequest, "batch_refused", "Send one message in a request: a list of them is not taken.")
		return
	}
	r.Body = io.NopCloser(body) // the server closes what it read from
	h.mcp.ServeHTTP(w, r)
}

// isBatch reports whether a body is a list of messages, which older versions of the protocol have. Each message of a
// list would be a call, but the whole list would take one place. A body that begins with thousands of blanks counts as
// a list too.
func isBatch(body *bufio.Reader) bool {
	for n := 1; n <= body.Size(); n++ {
		seen, err := body.Peek(n)
		switch {
		case err != nil:
			return false
		case strings.IndexByte(" \t\r\n", seen[n-1]) < 0:
			return seen[n-1] == '['
		}
	}
	return true
}

// refuse answers with an error in the form of the API's errors. The server has set the id of the request.
func refuse(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"detail": detail, "code": code,
		"request_id": w.Header().Get("X-Request-Id")}) // an error means that the caller has gone
}

// takesHost reports whether a request may name a host. A page whose name was bound to this address by an attacker's
// DNS server sends that name, so names are taken only if the operator stated them.
func (h *Handler) takesHost(host string) bool {
	name := host
	if only, _, err := net.SplitHostPort(host); err == nil {
		name = only
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || h.base != nil && strings.EqualFold(name, h.base.Hostname())
}

// takesOrigin reports whether a request comes from no page, or from one of this service.
func (h *Handler) takesOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	at, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || at.Host == "" {
		return false
	}
	return strings.EqualFold(at.Host, r.Host) || h.base != nil && strings.EqualFold(at.Host, h.base.Host) &&
		at.Scheme == h.base.Scheme
}

// checkKey asks the API about the key of a request. It passes on what the API answers to a wrong one.
func (h *Handler) checkKey(w http.ResponseWriter, r *http.Request) bool {
	asked, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+r.Host+"/api/key/info", nil)
	if err != nil {
		refuse(w, http.StatusBadRequest, "bad_request", "The Host header is not well-formed.")
		return false
	}
	reply, err := h.transport(r).RoundTrip(asked)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "internal", "The key could not be checked.")
		return false
	}
	if reply.StatusCode == http.StatusOK {
		return checkScopes(w, reply.Body)
	}
	for _, name := range []string{"Content-Type", "Www-Authenticate", "Retry-After"} {
		if value := reply.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(reply.StatusCode)
	_, _ = io.Copy(w, reply.Body) // an error means that the caller has gone
	return false
}

// scope is what a key with scopes needs here. What a tool asks of the API needs its own scopes.
const scope = "mcp"

// checkScopes refuses a key whose scopes, in what the API says of it, lack that of the tools.
func checkScopes(w http.ResponseWriter, info io.Reader) bool {
	var key struct{ Scopes []string } // none: every one
	if err := json.NewDecoder(info).Decode(&key); err != nil {
		refuse(w, http.StatusInternalServerError, "internal", "The key could not be checked.")
		return false
	}
	if len(key.Scopes) == 0 || slices.Contains(key.Scopes, scope) {
		return true
	}
	refuse(w, http.StatusForbidden, "missing_scope", "This needs the scope "+scope+", and the key has only: "+
		strings.Join(key.Scopes, ", ")+". Ask the operator of the service for a key with it, which cuota key create "+
		"--scopes makes.")
	return false
}

func (h *Handler) transport(r *http.Request) *inProcess {
	keys := http.Header{}
	for _, name := range []string{"X-Api-Key", "Authorization"} {
		if values := r.Header.Values(name); len(values) > 0 {
			keys[name] = values
		}
	}
	return &inProcess{h.config.API(), keys, r.RemoteAddr}
}

// serverOf makes the server of one request, whose tools have its key. The public host is not passed on: no answer of
// the API depends on it.
func (h *Handler) serverOf(r *http.Request) *mcp.Server {
	api, err := client.New("http://cuota", client.WithHTTPClient(&http.Client{Transport: h.transport(r)}),
		client.WithUserAgent("cuota-mcp"), client.WithAttempts(3, 2*time.Second)) // a call waits in its place
	if err != nil {
		return nil // can't happen for a fixed address; the request is answered with 400
	}
	return NewServer(api, h.config.Config)
}

// inProcess sends requests to a handler of this process, as if they came from a caller with his headers and address.
// So they pass the same checks, limits and counts as his own requests.
type inProcess struct {
	api    http.Handler
	header http.Header
	remote string
}

// RoundTrip implements http.RoundTripper.
func (p *inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Clone(r.Context())
	maps.Copy(asked.Header, p.header)
	asked.RemoteAddr, asked.RequestURI = p.remote, r.URL.RequestURI()
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	defer func() { _ = asked.Body.Close() }() // it is in memory
	reply := &recorder{header: http.Header{}}
	if err := reply.of(p.api, asked); err != nil {
		return nil, err
	}
	return reply.response(r), nil
}
