package query

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	_ "time/tzdata" // Santiago's days, on machines without time zone files

	"cuota/internal/health"
	"cuota/internal/statement"
	"cuota/model"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// Config says how to serve. The zero value of a field means its default.
type Config struct {
	// Listen is the address to serve on, by default 127.0.0.1:8080.
	Listen string
	// BaseURL is the public address of the service, as in
	// https://funds.example.org; by default that of each request.
	BaseURL string
	// Follow is how often to look for a newer batch, by default 500 ms.
	Follow time.Duration
	// QueryTimeout bounds one ClickHouse statement, by default 10 s.
	QueryTimeout time.Duration
	// SnapshotBytes is the most memory that the JSON of the published batch may
	// take, by default 256 MiB; a larger batch is answered from ClickHouse. The
	// rows beside it take about half as much.
	SnapshotBytes int
	// CacheBytes is the memory for replies made before, by default 64 MiB.
	CacheBytes int
	// AtOnce is how many requests ask ClickHouse at once, by default two for each
	// processor and at most 8, fewer than the driver has connections.
	AtOnce int
	// Waiting is how many more requests wait for their turn to ask ClickHouse, by
	// default twice AtOnce. All others are refused at once.
	Waiting int
	// Sending is how many more replies from ClickHouse may be in memory because their
	// clients take them slowly, by default 96.
	Sending int
	// Connections is how many clients may be connected, by default 8,000. All others
	// are refused as soon as they connect.
	Connections int
	// Burst limits the requests of one client address.
	Burst Burst
	// TrustedProxies are networks whose X-Forwarded-For and X-Forwarded-Proto
	// are believed, by default none.
	TrustedProxies []netip.Prefix
	// Returns names what is answered beside price returns in accounting currency,
	// some of ReturnKinds; by default none of them.
	Returns []string
	// Program names the build that answers, by default the running executable by
	// its hash. What clients keep of one program is not valid for another.
	Program string
	// Area is a part of the interface that another package answers; nil: none.
	Area Area
	// Meter measures requests, by default not at all.
	Meter Meter
	// Parts, when given, gives parts of the process beside the server that it hangs
	// with, or that it needs in order to answer.
	Parts func() []health.Part
	// Listener, when given, is served instead of listening on Listen. Start
	// takes it over.
	Listener net.Listener
	// Now is the clock, by default time.Now.
	Now func() time.Time
}

// Bounds of one exchange with a client.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
	maxBodyBytes      = 64 << 10
)

// Server answers the public API. It reads what the projector published through
// the connection that it is given, and asks the store of accounts about keys;
// it owns neither.
type Server struct {
	config   Config
	reader   reader
	keys     Keys
	log      zerolog.Logger
	santiago *time.Location
	follower *follower
	builds   *builds
	replies  *replies
	meters   *routeMeters
	clients  atomic.Int64  // connections
	leaving  chan struct{} // holds a token for each client that is being turned away
	handler  http.Handler
	edition  string

	mu     sync.Mutex // guards what Start makes
	http   *http.Server
	addr   net.Addr
	served chan error
}

// New checks the configuration and fills in its defaults. Nothing is opened
// before Start.
func New(config Config, conn driver.Conn, keys Keys, log zerolog.Logger) (*Server, error) {
	config, err := config.complete()
	if err != nil {
		return nil, fmt.Errorf("query server: %w", err)
	}
	santiago, err := time.LoadLocation("America/Santiago")
	if err != nil {
		return nil, fmt.Errorf("query server: load the time zone America/Santiago: %w", err)
	}
	s := &Server{
		config: config, keys: keys, meters: &routeMeters{meter: config.Meter}, log: log, santiago: santiago, edition: config.edition(),
		reader:  reader{conn: statement.Named(conn, "query"), timeout: config.QueryTimeout, otherRules: &atomic.Bool{}, holds: &atomic.Uint64{}},
		leaving: make(chan struct{}, turnAwayAtOnce),
	}
	if s.replies, err = newReplies(config.CacheBytes, newCapacity(config.AtOnce, config.Waiting, config.Sending), newLookups(config.Meter)); err != nil {
		return nil, fmt.Errorf("query server: %w", err)
	}
	s.builds = &builds{reader: s.reader, log: log}
	s.follower = newFollower(s.reader, s.loadSnapshot, s.builds, config.Follow, log)
	limit := newBurstLimit(config)
	data := crossOrigin(limit.guard(s, s.bodyLimit(bySegments(s.routes(s.operations())))))
	s.handler = s.observe(config.beside(limit.guard(s, config.handOver()), data))
	return s, nil
}

func (c Config) complete() (Config, error) {
	c.Listen = orDefault(c.Listen, "127.0.0.1:8080")
	c.Follow = orDefault(c.Follow, 500*time.Millisecond)
	c.QueryTimeout = orDefault(c.QueryTimeout, 10*time.Second)
	c.SnapshotBytes = orDefault(c.SnapshotBytes, 256<<20)
	c.CacheBytes = orDefault(c.CacheBytes, 64<<20)
	c.AtOnce = orDefault(c.AtOnce, min(2*runtime.GOMAXPROCS(0), 8))
	c.Waiting = orDefault(c.Waiting, 2*c.AtOnce)
	c.Sending = orDefault(c.Sending, 96)
	c.Connections = orDefault(c.Connections, 8_000)
	c.Burst.PerSecond = orDefault(c.Burst.PerSecond, 10)
	c.Burst.Size = orDefault(c.Burst.Size, 20)
	c.Burst.Addresses = orDefault(c.Burst.Addresses, 10_000)
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.Meter == nil {
		c.Meter = unmeasured{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	var problems []error
	if c.Program == "" {
		var err error
		if c.Program, err = executable(); err != nil {
			problems = append(problems, err)
		}
	}
	if err := checkReturnKinds(c.Returns); err != nil {
		problems = append(problems, err)
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		problems = append(problems, fmt.Errorf("listen address %q: %w", c.Listen, err))
	}
	if u, err := url.Parse(c.BaseURL); c.BaseURL != "" &&
		(err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		problems = append(problems, fmt.Errorf("base address %q: want something like https://funds.example.org", c.BaseURL))
	}
	if c.Follow < 0 || c.QueryTimeout < 0 || c.SnapshotBytes < 0 || c.CacheBytes < 0 || c.AtOnce < 0 || c.Waiting < 0 || c.Sending < 0 || c.Connections < 0 || c.Burst.PerSecond < 0 || c.Burst.Size < 0 || c.Burst.Addresses < 0 {
		problems = append(problems, errors.New("a duration or limit is negative"))
	}
	return c, errors.Join(problems...)
}

func orDefault[T comparable](value, fallback T) T {
	if value == *new(T) {
		return fallback
	}
	return value
}

// Start listens and serves. It looks for a batch first, and serves even if
// there is none or ClickHouse does not answer: those requests that need one are
// then told to come again. ctx bounds the start only.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil {
		return errors.New("query server: already started")
	}
	accepting := s.config.Listener
	if accepting == nil {
		var err error
		if accepting, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.Listen); err != nil {
			return fmt.Errorf("query server: listen on %s: %w", s.config.Listen, err)
		}
	}
	_ = s.Refresh(ctx) // told in the log
	s.addr = accepting.Addr()
	s.http = s.httpServer()
	server, served := s.http, make(chan error, 1)
	s.served = served
	go func() { served <- server.Serve(listener{accepting, s}) }()
	s.follower.start()
	s.log.Info().Str("address", s.addr.String()).Msg("query server serves")
	return nil
}

// httpServer makes the server of the connections that a listener gives.
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

// bodyLimit refuses a request of the data operations that says that its body is larger
// than any is read. They take none; what is not announced is never read.
func (s *Server) bodyLimit(next http.Handler) http.Handler {
	refused := s.always(&problem{status: http.StatusRequestEntityTooLarge, code: "body_too_large",
		detail: fmt.Sprintf("The body is larger than %d KiB. This operation takes none.", maxBodyBytes>>10)})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxBodyBytes {
			refused.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Stop refuses new requests, and lets those under way end until ctx does.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = fmt.Errorf("query server: some requests were cut off: %w", err)
		_ = s.http.Close() // the listener is closed already; this ends the connections
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("query server: serve: %w", served))
	}
	s.follower.end()
	s.http, s.addr, s.served = nil, nil, nil
	return err
}

// Addr is the host:port served, empty unless started.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.addr == nil {
		return ""
	}
	return s.addr.String()
}

// Handler answers requests without a listener of our own.
func (s *Server) Handler() http.Handler { return s.handler }

// Refresh looks for a newer batch now instead of at the next interval. On an
// error the batch at hand stays.
func (s *Server) Refresh(ctx context.Context) error { return s.follower.refresh(ctx) }

// Hold stops every read of ClickHouse until Release, because its tables may have lost
// rows: it ended, and nobody inspects them before it answers again. What is in memory is
// answered. Requests for the rest are told to come again.
func (s *Server) Hold() {
	for held := s.reader.holds.Load(); ; held = s.reader.holds.Load() {
		if s.reader.holds.CompareAndSwap(held, held+1+held%2) {
			return
		}
	}
}

// Held names the Hold that stands, for Release. An inspection asks for it when it begins.
func (s *Server) Held() uint64 { return s.reader.holds.Load() }

// Release ends a Hold once the tables are inspected and damage is in batch_damage. It
// does nothing if there was another Hold since.
func (s *Server) Release(held uint64) {
	if held%2 == 1 {
		s.reader.holds.CompareAndSwap(held, held+1)
	}
}

// today is the calendar day in Santiago.
func (s *Server) today() model.Date { return model.DateOf(s.config.Now().In(s.santiago)) }

// debugWriter takes what net/http has to say about misbehaving connections.
type debugWriter struct{ log zerolog.Logger }

func (w debugWriter) Write(p []byte) (int, error) {
	w.log.Debug().Str("from", "net/http").Msg(string(p))
	return len(p), nil
}
