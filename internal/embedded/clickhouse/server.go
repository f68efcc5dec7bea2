package clickhouse

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
)

// Config says where the engine keeps its data and what it may use. The zero
// value of a field means its default.
type Config struct {
	// Library is the path of libchdb.so; by default what Locate finds.
	Library string
	// Dir is the data directory, created when missing. Required.
	Dir string
	// Listen is the loopback address to serve on, by default
	// 127.0.0.1:8123, where ClickHouse clients look first. Port 0 takes any
	// free one.
	Listen string
	// Listener, when given, is served instead of listening on Listen. Start
	// takes it over.
	Listener net.Listener
	// Database is created at the start when missing, with ENGINE = Atomic; it
	// is the default one of every request and the only one that people may
	// read. By default cuota.
	Database string
	// MaxMemoryBytes bounds the memory of the whole engine, by default half
	// of the machine's. One query may use half of that, one of people's a
	// quarter.
	MaxMemoryBytes int64
	// QueryTimeout bounds a request of people from its admission to the last
	// byte of its answer, by default 30 s. The owner's are bounded by their
	// own contexts.
	QueryTimeout time.Duration
}

// LongWorkload is the value of the ClickHouse setting workload that marks a
// long statement, so that it waits in the lane of long ones and never keeps a
// quick read waiting:
//
//	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"workload": LongWorkload}))
//
// INSERT … SELECT, OPTIMIZE and ALTER take that lane without being marked. A
// ClickHouse server accepts the setting too.
const LongWorkload = "long"

// Server is the embedded engine and its endpoint.
type Server struct {
	config   Config
	log      zerolog.Logger
	password string

	mu       sync.Mutex // guards what Start makes and Stop ends
	dir      *directory
	engine   *engine
	endpoint *endpoint
	http     *http.Server
	address  net.Addr
	abort    context.CancelFunc // ends the contexts of all requests
	served   chan error
}

const (
	ownerName  = "owner"
	peopleName = "default" // the user of a ClickHouse client that names none

	defaultListen   = "127.0.0.1:8123"
	defaultDatabase = "cuota"
	defaultTimeout  = 30 * time.Second

	// The least memory with which the engine boots and still answers.
	minMemoryBytes = 256 << 20
)

var databaseName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// New checks the configuration and fills in its defaults. It touches nothing:
// the directory, the library and the port are taken by Start.
func New(config Config, log zerolog.Logger) (*Server, error) {
	if config.Listener != nil {
		config.Listen = config.Listener.Addr().String()
	}
	if config.Listen == "" {
		config.Listen = defaultListen
	}
	if config.Database == "" {
		config.Database = defaultDatabase
	}
	if config.QueryTimeout == 0 {
		config.QueryTimeout = defaultTimeout
	}
	if config.MaxMemoryBytes == 0 {
		config.MaxMemoryBytes = max(machineMemory()/2, minMemoryBytes)
	}
	var problems []error
	if config.Dir == "" {
		problems = append(problems, errors.New("no data directory given"))
	}
	if host, _, err := net.SplitHostPort(config.Listen); err != nil {
		problems = append(problems, fmt.Errorf("listen address %q: %w", config.Listen, err))
	} else if !isLoopback(host) {
		problems = append(problems, fmt.Errorf("listen address %q: only a loopback address may serve the engine, people need no password", config.Listen))
	}
	if !databaseName.MatchString(config.Database) || reservedDatabase(config.Database) {
		problems = append(problems, fmt.Errorf("database %q: want a lower-case name of letters, digits and _, not one of the engine's own", config.Database))
	}
	if config.MaxMemoryBytes < minMemoryBytes {
		problems = append(problems, fmt.Errorf("memory of %d bytes: the engine needs at least %d", config.MaxMemoryBytes, minMemoryBytes))
	}
	if config.QueryTimeout < time.Second {
		problems = append(problems, fmt.Errorf("query timeout %s: want at least a second", config.QueryTimeout))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("embedded ClickHouse: %w", err)
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, fmt.Errorf("embedded ClickHouse: make the owner's password: %w", err)
	}
	return &Server{config: config, log: log, password: hex.EncodeToString(secret)}, nil
}

func reservedDatabase(name string) bool {
	switch name {
	case "system", "information_schema", "default":
		return true
	}
	return false
}

// Start boots the engine and serves it. It fails, naming the process, when
// another one holds the data directory; when the library is missing, saying
// how to get it; and when the port is taken. ctx bounds the start only.
func (s *Server) Start(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine != nil {
		return errors.New("embedded ClickHouse: already started")
	}
	defer func() {
		if err != nil {
			s.release()
			err = fmt.Errorf("embedded ClickHouse: %w", err)
		}
	}()
	library, err := Locate(s.config.Library)
	if err != nil {
		return err
	}
	if s.dir, err = openDirectory(s.config); err != nil {
		return err
	}
	if s.engine, err = bootEngine(ctx, library, s.dir, s.config, s.log); err != nil {
		return err
	}
	if s.endpoint, err = newEndpoint(s.config, s.password, s.engine, s.dir.spool, s.log); err != nil {
		return err
	}
	listener := s.config.Listener
	if listener == nil {
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.Listen); err != nil {
			return fmt.Errorf("listen on %s: %w", s.config.Listen, err)
		}
	}
	s.address = listener.Addr()
	base, abort := context.WithCancel(context.Background())
	s.abort = abort
	s.http = &http.Server{
		Handler:           s.endpoint,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       5 * time.Minute,
		MaxHeaderBytes:    maxStatementBytes,
	}
	server, served := s.http, make(chan error, 1)
	s.served = served
	go func() { served <- server.Serve(listener) }()
	s.log.Info().Str("address", s.address.String()).Str("database", s.config.Database).
		Str("version", s.engine.version).Msg("embedded ClickHouse serves")
	return nil
}

// Stop refuses new requests, lets those under way end until ctx does, cancels
// the rest in the engine, and closes every session, which flushes and stops
// the engine. The data directory is free afterwards.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	s.abort()
	if err != nil {
		err = fmt.Errorf("embedded ClickHouse: some requests were cancelled: %w", err)
		_ = s.http.Close() // the listener is closed already; this ends the connections
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("embedded ClickHouse: serve: %w", served))
	}
	// A session must not be closed under a running statement, so this waits
	// for the cancelled ones too; the engine ends them within a block.
	s.endpoint.gate.close()
	s.release()
	return err
}

func (s *Server) release() {
	if s.abort != nil {
		s.abort()
		s.abort = nil
	}
	if s.engine != nil {
		s.engine.close()
		s.engine = nil
	}
	if s.dir != nil {
		s.dir.close()
		s.dir = nil
	}
	s.http, s.endpoint, s.address = nil, nil, nil
}

// Addr is the host:port served, empty unless started.
func (s *Server) Addr() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.address == nil {
		return ""
	}
	return s.address.String()
}

// Options are what the product's own components open clickhouse-go with: the
// owner's identity, over HTTP, on the product's database. They hold the
// password: don't log them. Each call answers a fresh value. Before Start the
// address is missing.
func (s *Server) Options() *driver.Options {
	return &driver.Options{
		Protocol:    driver.HTTP,
		Addr:        []string{s.Addr()},
		Auth:        driver.Auth{Database: s.config.Database, Username: ownerName, Password: s.password},
		DialTimeout: 5 * time.Second,
		// The driver applies this to the wait for the first byte of an answer,
		// which for a long statement comes at its end.
		ReadTimeout:          30 * time.Minute,
		MaxOpenConns:         16,
		MaxIdleConns:         16,
		ConnMaxLifetime:      time.Hour,
		BlockBufferSize:      8,
		MaxCompressionBuffer: 10 << 20,
	}
}
