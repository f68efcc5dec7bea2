package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"
)

// Config configures a Server. The zero value of a field means its default.
type Config struct {
	// Listen is the address to serve on, by default 127.0.0.1:8080.
	Listen string
	// Listener, if set, is served instead of listening on Listen. The server closes it.
	Listener net.Listener
	// BaseURL is the public address of the service, such as https://funds.example.org. It is
	// unknown by default.
	BaseURL string
	// Build identifies the program and everything else that replies depend on besides
	// version and parameters. Replies that clients have cached from one build are not valid
	// for another.
	Build string
	// CacheBytes is the size of the response cache, by default 64 MiB.
	CacheBytes int
	// AtOnce is how many replies are made at once, by default two for each processor and at
	// most 8. It must be smaller than the number of connections of the database driver.
	AtOnce int
	// Waiting is how many more requests may wait for their turn, by default twice AtOnce.
	// All others are refused with 503 at once.
	Waiting int
	// Sending is how many more long replies may be in memory while clients read them slowly,
	// by default 96.
	Sending int
	// Streams is how many replies are passed on from the database at once, by default AtOnce.
	// Twice as many may wait for their turn. They are not counted among the replies above,
	// because a slow client keeps its place until it has read its reply.
	Streams int
	// Connections is how many clients may be connected, by default 8,000. All others
	// are refused as soon as they connect.
	Connections int
	// Burst limits the requests of one client address.
	Burst Burst
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed, by
	// default none.
	TrustedProxies []netip.Prefix
	// Area is a part of the interface that another package answers, by default none.
	Area Area
	// Links finds what links to addresses lead to; by default there are none.
	Links AddressLinks
	// NotFoundPage shows browsers that a path outside /api is unknown. By default they get
	// JSON, as all others.
	NotFoundPage ProblemPage
	// Meter measures requests. By default nothing is measured.
	Meter Meter
	// Tracer makes the spans of requests. By default there are none.
	Tracer trace.Tracer
	// Now is the clock, by default time.Now.
	Now func() time.Time
}

// Limits of one exchange with a client: durations, and sizes in bytes.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	maxBodyBytes      = 64 << 10
)

// Server serves operations. It checks API keys with Keys, and does not close it.
type Server struct {
	config     Config
	keys       Keys
	log        zerolog.Logger
	full       zerolog.Logger        // for clients beyond the limit of connections; writes one line a second at most
	operations map[string]*Operation // by path; of those that answer GET
	dates      map[string]bool       // names of the dates that any operation takes
	asking     chan struct{}         // holds a token while a page asks an operation
	cache      *responseCache
	streams    *capacity // replies that are passed on
	files      filePlaces
	meters     *routeMeters
	clients    atomic.Int64  // number of open connections
	leaving    chan struct{} // holds a token for each client that is being turned away
	handler    http.Handler

	turn   chan struct{} // holds a token while Start, Stop or Addr uses the fields below, which Start sets
	http   *http.Server
	addr   net.Addr
	served chan error
}

// New makes a server for the operations. It checks the configuration and fills in its
// defaults, and fails with every problem that it finds. It opens nothing: Start does.
func New(config Config, operations []Operation, keys Keys, log zerolog.Logger) (*Server, error) {
	config, err := config.complete()
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: config, operations: map[string]*Operation{}, dates: datesOf(operations),
		asking: make(chan struct{}, maxAsked), keys: keys, meters: &routeMeters{meter: config.Meter}, log: log,
		full:    log.Sample(&zerolog.BurstSampler{Burst: 1, Period: time.Second}),
		leaving: make(chan struct{}, turnAwayAtOnce),
		turn:    make(chan struct{}, 1),
		streams: newCapacity(config.Streams, 2*config.Streams, 0),
	}
	s.cache = newResponseCache(config.CacheBytes, newCapacity(config.AtOnce, config.Waiting, config.Sending),
		newLookups(config.Meter))
	for i := range operations {
		if op := &operations[i]; op.Method == http.MethodGet {
			s.operations[op.Path] = op
		}
	}
	limit := newBurstLimit(config)
	router := s.router(operations)
	routed := bySegments(router)
	if config.Links != nil {
		router.GET(LinkPath+":token", s.follow(routed))
		router.HEAD(LinkPath+":token", s.follow(routed))
	}
	data := crossOrigin(limit.guard(s, s.bodyLimit(routed)))
	s.handler = s.observe(s.oneLength(config.beside(limit.guard(s, config.handOver()), data)))
	return s, nil
}

func (c Config) complete() (Config, error) {
	c.Listen = cmp.Or(c.Listen, "127.0.0.1:8080")
	c.CacheBytes = cmp.Or(c.CacheBytes, 64<<20)
	c.AtOnce = cmp.Or(c.AtOnce, min(2*runtime.GOMAXPROCS(0), 8))
	c.Waiting = cmp.Or(c.Waiting, 2*c.AtOnce)
	c.Sending = cmp.Or(c.Sending, 96)
	c.Streams = cmp.Or(c.Streams, c.AtOnce)
	c.Connections = cmp.Or(c.Connections, 8_000)
	c.Burst.PerSecond = cmp.Or(c.Burst.PerSecond, 10)
	c.Burst.Size = cmp.Or(c.Burst.Size, 20)
	c.Burst.Addresses = cmp.Or(c.Burst.Addresses, 10_000)
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.Meter == nil {
		c.Meter = unmeasured{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	var problems []error
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		problems = append(problems, fmt.Errorf("listen address %q: %w", c.Listen, err))
	}
	if u, err := url.Parse(c.BaseURL); c.BaseURL != "" &&
		(err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
			u.Fragment != "") {
		problems = append(problems, fmt.Errorf("base address %q: write it like https://funds.example.org", c.BaseURL))
	}
	if c.CacheBytes < 0 || c.AtOnce < 0 || c.Waiting < 0 || c.Sending < 0 || c.Streams < 0 || c.Connections < 0 ||
		c.Burst.PerSecond < 0 || c.Burst.Size < 0 || c.Burst.Addresses < 0 {
		problems = append(problems, errors.New("a limit is negative"))
	}
	return c, errors.Join(problems...)
}

// Start begins to serve, and then calls prepare. Requests that arrive while prepare runs are answered, if only by an
// error: a balancer that waited for this server would not ask another one. ctx limits only the start. It fails if the
// address can't be used, or if the server is already started; prepare is not called then.
func (s *Server) Start(ctx context.Context, prepare func()) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.http != nil {
		return errors.New("already started")
	}
	accepting := s.config.Listener
	if accepting == nil {
		var err error
		if accepting, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.Listen); err != nil {
			return fmt.Errorf("listen on %s: %w", s.config.Listen, err)
		}
	}
	s.addr = accepting.Addr()
	s.http = s.httpServer()
	server, served := s.http, make(chan error, 1)
	s.served = served
	go func() { served <- server.Serve(listener{accepting, s}) }()
	s.log.Info().Str("address", s.addr.String()).Msg("the API server is running")
	prepare()
	return nil
}

// Serve serves the connections of a listener until it is closed, and returns its error.
func (s *Server) Serve(accepting net.Listener) error {
	return s.httpServer().Serve(listener{accepting, s})
}

// httpServer makes the HTTP server, with its limits.
func (s *Server) httpServer() *http.Server {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(debugWriter{s.log}, "", 0),
	}
	serveJSON(server)
	return server
}

// BodyOf reads the body of a request, which is of at most 64 KiB. Its errors become the replies 413 and 422.
func BodyOf(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body) // bounded for every request, see observe
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, bodyTooLarge()
	case err != nil:
		return nil, Invalid{{Loc: []string{"body"}, Type: "value_error", Msg: "Could not be read to its end"}}
	}
	return body, nil
}

func bodyTooLarge() *Problem {
	return &Problem{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large",
		Detail: fmt.Sprintf("The body is larger than %d KiB.", maxBodyBytes>>10)}
}

// bodyLimit refuses a request to the data operations whose Content-Length exceeds
// maxBodyBytes. An operation that reads a body limits it itself too, because a body need not state
// its length.
func (s *Server) bodyLimit(next http.Handler) http.Handler {
	refused := s.always(bodyTooLarge())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxBodyBytes {
			refused.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Stop refuses new requests and waits for running ones until ctx ends. Then it cuts them
// off and fails. It does nothing unless the server is started. It waits for another Start
// or Stop, and fails if ctx ends first; the server may serve then.
func (s *Server) Stop(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}: // without a start, also if ctx has ended
	default:
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return fmt.Errorf("wait for another Start or Stop: %w", ctx.Err())
		}
	}
	defer func() { <-s.turn }()
	if s.http == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = fmt.Errorf("some requests were cancelled at shutdown: %w", err)
		_ = s.http.Close() // the listener is closed already; this ends the connections
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve: %w", served))
	}
	s.http, s.addr, s.served = nil, nil, nil
	return err
}

// Addr returns the host:port that is served, and "" unless the server is started.
func (s *Server) Addr() string {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.addr == nil {
		return ""
	}
	return s.addr.String()
}

// Handler answers requests for use without Start, as in tests.
func (s *Server) Handler() http.Handler { return s.handler }

// Load is how busy a server is.
type Load struct {
	Requests int64 // that wait for data, or whose replies are being sent
	Clients  int64 // that are connected
}

// Load returns the present load.
func (s *Server) Load() Load {
	return Load{s.cache.capacity.held.Load() + s.streams.held.Load(), s.clients.Load()}
}

// CacheBytes returns the size of the cached replies in bytes.
func (s *Server) CacheBytes() uint64 { return s.cache.cache.Size() }

// debugWriter logs what net/http reports about misbehaving connections.
type debugWriter struct{ log zerolog.Logger }

func (w debugWriter) Write(p []byte) (int, error) {
	w.log.Debug().Str("from", "net/http").Msg(string(p))
	return len(p), nil
}
