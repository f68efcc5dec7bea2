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

// Config configures a Server. The zero value of a field means its default.
type Config struct {
	// Listen is the address to serve on, by default 127.0.0.1:8080.
	Listen string
	// BaseURL is the public address of the service, such as https://funds.example.org. By
	// default it is taken from each request.
	BaseURL string
	// Follow is how often to look for a newer batch, by default 500 ms.
	Follow time.Duration
	// QueryTimeout limits the time of one ClickHouse statement, by default 10 s.
	QueryTimeout time.Duration
	// SnapshotBytes limits the size of the published batch in memory, as JSON, by default
	// 256 MiB. A larger batch is answered from ClickHouse. The decoded rows take about half
	// as much memory again.
	SnapshotBytes int
	// CacheBytes is the size of the response cache, by default 64 MiB.
	CacheBytes int
	// AtOnce is how many requests may use ClickHouse at once, by default two for each
	// processor and at most 8. It must be smaller than the number of connections of the
	// driver.
	AtOnce int
	// Waiting is how many more requests may wait to use ClickHouse, by default twice
	// AtOnce. All others are refused with 503 at once.
	Waiting int
	// Sending is how many more replies from ClickHouse may be in memory while clients read
	// them slowly, by default 96.
	Sending int
	// Connections is how many clients may be connected, by default 8,000. All others
	// are refused as soon as they connect.
	Connections int
	// Burst limits the requests of one client address.
	Burst Burst
	// TrustedProxies are the networks of proxies whose X-Forwarded-For and
	// X-Forwarded-Proto are believed, by default none.
	TrustedProxies []netip.Prefix
	// Returns lists the ReturnKinds that are answered in addition to price returns in
	// accounting currency, by default none.
	Returns []string
	// Program identifies the build, by default by the hash of the running executable.
	// Replies that clients have cached from one build are not valid for another.
	Program string
	// Area is a part of the interface that another package answers, by default none.
	Area Area
	// Meter measures requests. By default nothing is measured.
	Meter Meter
	// Parts, if set, gives other parts of the process that the server needs in order to
	// answer, for /livez and /readyz.
	Parts func() []health.Part
	// Listener, if set, is served instead of listening on Listen. The server closes it.
	Listener net.Listener
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

// Server answers the public API. It reads what the projector published, through a
// ClickHouse connection, and checks API keys with Keys. It closes neither.
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
	clients  atomic.Int64  // number of open connections
	leaving  chan struct{} // holds a token for each client that is being turned away
	handler  http.Handler
	edition  string

	mu     sync.Mutex // guards the fields below, which Start sets
	http   *http.Server
	addr   net.Addr
	served chan error
}

// New checks the configuration and fills in its defaults. It fails with every problem that
// it finds. It opens nothing: Start does.
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

// Start listens and serves. It looks for a batch first. If there is none, or ClickHouse
// does not answer, it serves all the same, and answers requests that need a batch with 503.
// ctx limits only the start. It fails if the address can't be used, or if the server is
// already started.
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
	_ = s.Refresh(ctx) // logged by Refresh
	s.addr = accepting.Addr()
	s.http = s.httpServer()
	server, served := s.http, make(chan error, 1)
	s.served = served
	go func() { served <- server.Serve(listener{accepting, s}) }()
	s.follower.start()
	s.log.Info().Str("address", s.addr.String()).Msg("query server serves")
	return nil
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

// bodyLimit refuses a request to the data operations whose Content-Length exceeds
// maxBodyBytes. These operations take no body, and never read one.
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

// Stop refuses new requests and waits for running ones until ctx ends. Then it cuts them
// off and fails.
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

// Addr gives the host:port that is served, and "" unless the server is started.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.addr == nil {
		return ""
	}
	return s.addr.String()
}

// Handler answers requests for use without Start, as in tests.
func (s *Server) Handler() http.Handler { return s.handler }

// Refresh looks for a newer batch now, instead of at the next interval. If it fails, the
// current batch stays.
func (s *Server) Refresh(ctx context.Context) error { return s.follower.refresh(ctx) }

// Hold stops all reads of ClickHouse until Release. It is called when ClickHouse ended,
// because its tables may have lost rows and are not inspected before it answers again.
// Requests are still answered from memory, and all others with 503.
func (s *Server) Hold() {
	for held := s.reader.holds.Load(); ; held = s.reader.holds.Load() {
		if s.reader.holds.CompareAndSwap(held, held+1+held%2) {
			return
		}
	}
}

// Held identifies the current Hold, for Release. An inspection calls it when it begins.
func (s *Server) Held() uint64 { return s.reader.holds.Load() }

// Release ends a Hold after the tables were inspected and damage was written to
// batch_damage. It does nothing if there was another Hold since held was read.
func (s *Server) Release(held uint64) {
	if held%2 == 1 {
		s.reader.holds.CompareAndSwap(held, held+1)
	}
}

// today gives the current day in Santiago.
func (s *Server) today() model.Date { return model.DateOf(s.config.Now().In(s.santiago)) }

// debugWriter logs what net/http reports about misbehaving connections.
type debugWriter struct{ log zerolog.Logger }

func (w debugWriter) Write(p []byte) (int, error) {
	w.log.Debug().Str("from", "net/http").Msg(string(p))
	return len(p), nil
}
