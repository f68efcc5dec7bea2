// Package kafka is the log of a single-machine installation: a server that
// speaks the Kafka protocol on a loopback port and keeps its partitions,
// topics and consumer offsets in one directory. It stands where a Kafka cluster
// stands in production; nothing that reads or writes events can tell the two
// apart, and only the program that wires the components imports it.
//
// The protocol engine is kfake. What this package adds is what kfake leaves
// open: one process per directory, a guard that lets no frame reach the engine
// that could stop it or poison a reader, a topic policy under which retention
// can never empty a partition, a cap on disk use, and a check at start that no
// consumer has been told to continue after the end of its log.
package kafka

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Config is what a Server needs to know. Only Dir has no default.
type Config struct {
	// Dir holds the log. It is created if absent and must be used for nothing
	// else.
	Dir string

	// Listen is host:port, 127.0.0.1:9092 by default. The host must be a
	// loopback address: the protocol is served without authentication. Port 0
	// takes a free port, which Addr then tells.
	Listen string

	// Listener, when given, is served instead of listening on Listen. Start
	// takes it over.
	Listener net.Listener

	// MaxBytes caps the directory, 2 GiB by default. After an unclean stop the
	// engine reads the whole log into memory, so the cap also bounds that. A
	// directory above it is refused at start; a running server first drops
	// what retention allows and then refuses writes with POLICY_VIOLATION.
	MaxBytes int64

	// SyncWrites makes each write durable against loss of power, at the price
	// of one fsync per batch. Without it an acknowledged write survives the end
	// of the process, however violent, but not of the machine.
	SyncWrites bool

	// MaxConnections is how many clients may be connected at once, 128 by
	// default. One more is closed at once.
	MaxConnections int

	// CleanEvery is how often retention is applied and disk use measured, 10 s
	// by default.
	CleanEvery time.Duration
}

const (
	defaultListen         = "127.0.0.1:9092"
	defaultMaxBytes       = 2 << 30
	defaultMaxConnections = 128
	defaultCleanEvery     = 10 * time.Second

	// Ten years: a consumer that was away for long must find where it was.
	offsetsRetentionMinutes = "5256000"
)

func (c Config) withDefaults() Config {
	if c.Listener != nil {
		c.Listen = c.Listener.Addr().String()
	}
	if c.Listen == "" {
		c.Listen = defaultListen
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.MaxConnections == 0 {
		c.MaxConnections = defaultMaxConnections
	}
	if c.CleanEvery == 0 {
		c.CleanEvery = defaultCleanEvery
	}
	return c
}

func (c Config) validate() error {
	var errs []error
	if c.Dir == "" {
		errs = append(errs, errors.New("the directory of the log is not set"))
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		errs = append(errs, fmt.Errorf("listen address %q is not host:port: %w", c.Listen, err))
	} else {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			errs = append(errs, fmt.Errorf("listen address %q is not loopback: the embedded log has no authentication, so use 127.0.0.1 and run a Kafka cluster to serve other machines", c.Listen))
		}
		if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
			errs = append(errs, fmt.Errorf("listen address %q has no port between 0 and 65535", c.Listen))
		}
	}
	if c.MaxBytes < minMaxBytes {
		errs = append(errs, fmt.Errorf("size cap of %d bytes is below the smallest useful one, %d", c.MaxBytes, int64(minMaxBytes)))
	}
	if c.MaxConnections < 1 {
		errs = append(errs, fmt.Errorf("connection limit is %d, must be at least 1", c.MaxConnections))
	}
	if c.CleanEvery < time.Millisecond {
		errs = append(errs, fmt.Errorf("cleaning interval is %s, must be at least 1ms", c.CleanEvery))
	}
	return errors.Join(errs...)
}

// Server is the embedded log. Its life is New, Start, Stop; it is not
// restarted, a new one is made.
type Server struct {
	cfg Config
	log zerolog.Logger

	lock     *dirLock
	guard    *guard
	cluster  *kfake.Cluster
	capacity *capacity
	stopOnce sync.Once
	stopped  chan struct{}
}

// New checks the configuration and does nothing else.
func New(cfg Config, log zerolog.Logger) (*Server, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configure embedded Kafka log: %w", err)
	}
	return &Server{
		cfg:     cfg,
		log:     log.With().Str("component", "embedded-kafka").Logger(),
		stopped: make(chan struct{}),
	}, nil
}

// Start takes the directory, loads what is in it and serves. It fails when
// another process holds the directory, when the directory is not a log or is
// larger than the cap, when the port is taken, and when a consumer group's
// committed offset lies after the end of its partition; each error says what to
// do. After an error nothing is left running and nothing is held.
func (s *Server) Start(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("start embedded Kafka log in %s: %w", s.cfg.Dir, err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.cfg.Dir, 0o700); err != nil {
		return err
	}
	if s.lock, err = lockDir(s.cfg.Dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.lock.release())
		}
	}()
	if err := checkDir(s.cfg.Dir, s.cfg.MaxBytes); err != nil {
		return err
	}
	tcp := s.cfg.Listener
	if tcp == nil {
		if tcp, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.cfg.Listen); err != nil {
			return fmt.Errorf("%w (is another broker running? give this one another port)", err)
		}
	}
	s.capacity = newCapacity(s.cfg.Dir, s.cfg.MaxBytes, s.cfg.CleanEvery, s.log)
	s.guard = newGuard(tcp, s.cfg.MaxConnections, s.capacity.admit, s.log)
	if s.cluster, err = kfake.NewCluster(s.options()...); err != nil {
		return errors.Join(err, s.guard.Close())
	}
	s.capacity.start(s.cluster)
	defer func() {
		if err != nil {
			s.capacity.stop()
			s.cluster.Close()
			s.guard.drain(ctx)
			s.cluster = nil
		}
	}()
	if err := checkCommits(ctx, s.guard, s.cluster, s.cfg.Dir); err != nil {
		return err
	}
	s.guard.open()
	s.log.Info().Str("address", s.Addr()).Str("dir", s.cfg.Dir).Msg("embedded Kafka log serves")
	return nil
}

func (s *Server) options() []kfake.Opt {
	versions := new(kversion.Versions)
	for key, limit := range accepted {
		versions.SetMaxKeyVersion(key, limit)
	}
	opts := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.ListenFn(func(string, string) (net.Listener, error) { return s.guard, nil }),
		// The engine keeps the first identity it is given with the log and
		// ignores later ones, so clients can tell one log from another.
		kfake.ClusterID(newClusterID()),
		kfake.DataDir(s.cfg.Dir),
		kfake.DefaultNumPartitions(1),
		kfake.MaxVersions(versions),
		kfake.WithLogger(engineLog{s.log}),
		kfake.BrokerConfigs(map[string]string{
			"log.cleaner.backoff.ms":    strconv.FormatInt(s.cfg.CleanEvery.Milliseconds(), 10),
			"offsets.retention.minutes": offsetsRetentionMinutes,
			"log.retention.ms":          "-1",
			"log.retention.bytes":       strconv.FormatInt(defaultRetentionBytes, 10),
			"log.segment.bytes":         strconv.FormatInt(defaultSegmentBytes, 10),
		}),
	}
	if s.cfg.SyncWrites {
		opts = append(opts, kfake.SyncWrites())
	}
	return opts
}

// Addr is the host:port clients connect to, known once Start has returned.
func (s *Server) Addr() string { return s.guard.Addr().String() }

// Stop ends every connection, writes what a quick start needs and gives the
// directory back. It returns when that is done, or with ctx's error when it is
// not done in time; what was acknowledged is safe in either case.
func (s *Server) Stop(ctx context.Context) error {
	if s.cluster == nil {
		return nil
	}
	s.stopOnce.Do(func() {
		go func() {
			defer close(s.stopped)
			s.capacity.stop()
			s.cluster.Close()
			s.guard.drain(context.WithoutCancel(ctx))
			if err := s.lock.release(); err != nil {
				s.log.Error().Err(err).Msg("embedded Kafka log can't release its directory")
			}
		}()
	})
	select {
	case <-s.stopped:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop embedded Kafka log: %w", ctx.Err())
	}
}

// Stats is what the server counts. The counters only grow.
type Stats struct {
	Connections        int    // open now
	RefusedConnections uint64 // above the limit
	RefusedFrames      uint64 // closed by the guard
	Bytes              int64  // disk use when last measured, plus writes since
	Full               bool   // writes are being refused
}

// Stats tells the counts of a started server.
func (s *Server) Stats() Stats {
	st := s.guard.stats()
	st.Bytes, st.Full = s.capacity.used.Load(), s.capacity.full.Load()
	return st
}

func newClusterID() string {
	var b [16]byte
	// crypto/rand.Read never fails: it ends the process instead.
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// engineLog forwards the engine's warnings and errors; what it says below that
// is about single requests.
type engineLog struct{ log zerolog.Logger }

func (l engineLog) Logf(level kfake.LogLevel, format string, args ...any) {
	switch level {
	case kfake.LogLevelError:
		l.log.Error().Msgf(format, args...)
	case kfake.LogLevelWarn:
		l.log.Warn().Msgf(format, args...)
	}
}
