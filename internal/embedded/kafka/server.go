// Package kafka is the event log of a single machine. It is a server that speaks the Kafka
// protocol on a loopback port and stores its partitions, topics and consumer offsets in one
// directory. It replaces the Kafka cluster of a larger installation. Code that reads or writes
// events sees no difference, and only the program that wires the components imports this
// package.
//
// kfake implements the protocol; the comments call it the engine. This package adds what kfake
// lacks: a lock, so that one process uses a directory; a guard that lets clients sign in and keeps
// frames from the engine that could crash it or a reader; a topic policy under which retention never empties a
// partition; a limit of disk use; and a check at start that no consumer has committed an offset
// after the end of its partition.
package kafka

import (
	"cmp"
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

// Config configures a Server. Only Dir is required.
type Config struct {
	// Dir is the directory of the log. It is created if it does not exist, and must contain
	// nothing else.
	Dir string

	// Listen is the host:port to listen on. The default is 127.0.0.1:9092. The host must be a
	// loopback address, because the key is not encrypted on its way. With port 0 the system chooses a
	// free port; see Addr.
	Listen string

	// Listener, if set, is used instead of Listen. The server closes it.
	Listener net.Listener

	// Key is the password with which clients sign in, as the user ClientName by the SASL mechanism
	// PLAIN. If it is empty, they need not. Connections made by Dial never need it.
	Key string

	// OwnGroups are the consumer groups that only connections made by Dial may join or leave, and
	// whose offsets only they may change.
	OwnGroups []string

	// MaxBytes is the cap of the directory's size in bytes. The default is 2 GiB. After an
	// unclean stop the engine reads the whole log into memory, so the cap also limits that.
	// Start fails if the directory is larger. A running server first applies retention and then
	// refuses writes with POLICY_VIOLATION.
	MaxBytes int64

	// MaxConnections is how many clients may be connected at the same time, without those made by
	// Dial. The default is 128. Further connections are closed at once.
	MaxConnections int

	// CleanEvery is how often retention is applied and the size measured. The default is 10 s.
	CleanEvery time.Duration
}

const (
	defaultListen         = "127.0.0.1:9092"
	defaultMaxBytes       = 2 << 30
	defaultMaxConnections = 128
	defaultCleanEvery     = 10 * time.Second

	// Ten years, so that a consumer that was stopped for a long time still finds its offset.
	offsetsRetentionMinutes = "5256000"
)

func (c Config) withDefaults() Config {
	if c.Listener != nil {
		c.Listen = c.Listener.Addr().String()
	}
	c.Listen = cmp.Or(c.Listen, defaultListen)
	c.MaxBytes = cmp.Or(c.MaxBytes, defaultMaxBytes)
	c.MaxConnections = cmp.Or(c.MaxConnections, defaultMaxConnections)
	c.CleanEvery = cmp.Or(c.CleanEvery, defaultCleanEvery)
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
			errs = append(errs, fmt.Errorf(
				"listen address %q is not a loopback address, and the embedded log does not encrypt its connections: "+
					"use 127.0.0.1, or run a Kafka cluster to serve other machines", c.Listen))
		}
		if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
			errs = append(errs, fmt.Errorf("listen address %q has no port between 0 and 65535", c.Listen))
		}
	}
	if c.MaxBytes < minMaxBytes {
		errs = append(errs, fmt.Errorf("the size limit of %d bytes is too small: give at least %d bytes", c.MaxBytes,
			int64(minMaxBytes)))
	}
	if c.MaxConnections < 1 {
		errs = append(errs, fmt.Errorf("connection limit is %d, must be at least 1", c.MaxConnections))
	}
	if c.CleanEvery < time.Millisecond {
		errs = append(errs, fmt.Errorf("cleaning interval is %s, must be at least 1ms", c.CleanEvery))
	}
	return errors.Join(errs...)
}

// Server is the embedded log. Use it as New, Start, Stop. A stopped Server can't be started
// again.
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

// New checks the configuration and does nothing else. It fails if a value is not valid.
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

// Start locks the directory, loads the log and serves. It fails if another process holds the
// directory, if the directory is not a log or is larger than the cap, if the port is taken, or
// if a consumer group has committed an offset after the end of its partition. Each error says
// what to do. After an error, nothing is running and nothing is locked.
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
	s.guard = newGuard(tcp, s.cfg.MaxConnections, access{s.cfg.Key, s.cfg.OwnGroups}, s.capacity.admit, s.log)
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
	s.log.Info().Str("address", s.Addr()).Str("dir", s.cfg.Dir).Msg("embedded Kafka log is running")
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
		// The engine stores the first cluster id with the log and ignores later ones, so
		// clients can tell one log from another.
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
	return opts
}

// Addr returns the host:port for clients. It may be called after Start has returned.
func (s *Server) Addr() string { return s.guard.Addr().String() }

// Dial connects to the log inside this process, whatever address is given. It has the form of the
// function that Kafka clients take. It may be called after Start has returned.
func (s *Server) Dial(context.Context, string, string) (net.Conn, error) { return s.guard.dial() }

// Stop closes every connection, writes the files that make the next start quick, and unlocks
// the directory. It returns ctx's error if that takes too long. Acknowledged messages are safe
// in either case.
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

func newClusterID() string {
	var b [16]byte
	// crypto/rand.Read never fails: without randomness it ends the process.
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// engineLog forwards the engine's warnings and errors. Lower levels are about single requests
// and are dropped.
type engineLog struct{ log zerolog.Logger }

func (l engineLog) Logf(level kfake.LogLevel, format string, args ...any) {
	switch level {
	case kfake.LogLevelError:
		l.log.Error().Msgf(format, args...)
	case kfake.LogLevelWarn:
		l.log.Warn().Msgf(format, args...)
	}
}
