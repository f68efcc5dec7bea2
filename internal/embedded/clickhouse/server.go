package clickhouse

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"regexp"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse/door"
)

// Config says where the engine keeps its data and what it may use. The zero
// value of a field means its default.
type Config struct {
	// Library is the path of libchdb.so; by default what Locate finds.
	Library string
	// Binary is the path of an installed clickhouse, which is then started instead
	// of the library.
	Binary string
	// Dir is the data directory, created when missing. Required.
	Dir string
	// HTTP and Native are the loopback listeners of the doors for people. The
	// server takes them over at Start. Without one there is no such door.
	HTTP, Native net.Listener
	// Database is created at the start when missing, with ENGINE = Atomic; it
	// is the default one of every connection and the only one that people may
	// read. By default cuota.
	Database string
	// Replaced names views that whoever starts the engine creates or replaces then. The
	// engine does not start on an empty definition, which a full disk can leave of one
	// that is being replaced: such definitions are removed.
	Replaced []string
	// MaxMemoryBytes bounds the memory of the whole engine, by default half of the
	// machine's. One query of the owner may use half of that, all of people's
	// together a quarter.
	MaxMemoryBytes int64
	// QueryTimeout bounds a query of people, by default 30 s. The owner's are
	// bounded by their own contexts.
	QueryTimeout time.Duration
	// Changed, if given, is called with the new state when the engine starts serving
	// or ends by itself. It is called by one goroutine at a time.
	Changed func(State)
}

// Server is the engine, its process and its doors.
type Server struct {
	config   Config
	log      zerolog.Logger
	password string

	mu       sync.Mutex // guards what Start makes and Stop ends
	dir      *directory
	at       ports
	doors    *doors
	stopping context.CancelFunc // ends the watch
	watched  chan struct{}      // closed when the watch is over, with it the engine

	stateMu sync.Mutex
	state   State
}

// State is the state of the engine's process. Programs read its JSON.
type State struct {
	Running  bool   `json:"running"`
	PID      int    `json:"pid"`      // 0 while it does not run
	Restarts int    `json:"restarts"` // since Start
	LastEnd  string `json:"last_end"` // why it ended last, "" if it never did
}

const (
	ownerName = "owner"

	defaultDatabase = "cuota"
	defaultTimeout  = 30 * time.Second

	// The least memory with which the engine starts and still answers.
	minMemoryBytes = 256 << 20
)

var databaseName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// New checks the configuration and fills in its defaults. It touches nothing:
// the directory, the library and the ports are taken by Start.
func New(config Config, log zerolog.Logger) (*Server, error) {
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
	for _, door := range []net.Listener{config.HTTP, config.Native} {
		if door == nil {
			continue
		}
		if tcp, ok := door.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
			problems = append(problems, fmt.Errorf("address %s: only a loopback address may lead to the engine, people need no password", door.Addr()))
		}
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
		return nil, fmt.Errorf("engine: %w", err)
	}
	return &Server{config: config, log: log, password: rand.Text()}, nil
}

func reservedDatabase(name string) bool {
	switch name {
	case "system", "information_schema", "default":
		return true
	}
	return false
}

// Start starts the engine and waits until it answers. It fails, naming the
// process, when another one holds the data directory, and when the library is
// missing, saying how to get it. ctx bounds the start only.
func (s *Server) Start(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir != nil {
		return errors.New("engine: already started")
	}
	defer func() {
		if err != nil {
			s.release()
			err = fmt.Errorf("engine: %w", err)
		}
	}()
	if s.config.Binary == "" {
		if s.config.Library, err = Locate(s.config.Library); err != nil {
			return err
		}
	}
	if s.dir, err = openDirectory(s.config.Dir); err != nil {
		return err
	}
	if err := s.dir.awaitPredecessor(ctx); err != nil {
		return err
	}
	if s.at, err = holdPorts(); err != nil {
		return err
	}
	if err := s.dir.configure(settingsOf(s.config, s.dir, s.at, s.password)); err != nil {
		return err
	}
	if why := unconfined(); why != "" && s.config.Binary == "" && (s.config.HTTP != nil || s.config.Native != nil) {
		s.log.Warn().Str("reason", why).Msg("people of this machine can read files of this user through ClickHouse's function file(): start without ports for people, or on a newer kernel")
	}
	p, err := s.run(ctx)
	if err != nil {
		return err
	}
	s.change(func(state *State) { *state = State{Running: true, PID: p.command.Process.Pid} })
	watching, stop := context.WithCancel(context.Background())
	s.stopping, s.watched = stop, make(chan struct{})
	go s.watch(watching, p, s.watched)
	if err := s.makeDatabase(ctx); err != nil {
		return err
	}
	s.doors = openDoors(s.config, s.at, s.log)
	overHTTP, native := s.doors.addresses()
	s.log.Info().Str("address", overHTTP).Str("native_address", native).Str("database", s.config.Database).
		Int("pid", p.command.Process.Pid).Msg("ClickHouse serves")
	return nil
}

// run starts the engine and waits until it answers.
func (s *Server) run(ctx context.Context) (*process, error) {
	removed, err := s.dir.removeEmpty(s.config.Replaced)
	for _, path := range removed {
		s.log.Warn().Str("path", path).Msg("a view has an empty definition, as a full disk leaves it: it is removed, and made again at the next start")
	}
	if err != nil {
		return nil, err
	}
	p, err := launch(s.config, s.dir)
	if err != nil {
		return nil, err
	}
	options := s.optionsAt(s.at)
	options.Auth.Database = "" // ours is not there yet on a first start
	if err := p.answers(ctx, options); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

const (
	// The pause before a restart doubles from firstPause to longestPause.
	firstPause, longestPause = 50 * time.Millisecond, time.Second
	// After an engine has run this long, the pause is firstPause again.
	livedLong = time.Minute
	// restartPatience bounds one start of it.
	restartPatience = time.Minute
)

// watch keeps the engine running until ctx ends, and then ends it.
func (s *Server) watch(ctx context.Context, p *process, over chan<- struct{}) {
	defer close(over)
	pause, began := firstPause, time.Now()
	for {
		if p != nil {
			looking, enough := context.WithCancel(ctx)
			crowded := closing(func() { s.tooManyOverstay(looking) })
			select {
			case <-crowded:
			case <-p.ended:
			}
			enough()
			<-crowded
			p.stop() // it has ended by itself, or is to
			if ctx.Err() != nil {
				return
			}
			s.down(p.err)
			if time.Since(began) > livedLong {
				pause = firstPause
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause, began = min(2*pause, longestPause), time.Now()
		limited, cancel := context.WithTimeout(ctx, restartPatience)
		next, err := s.run(limited)
		cancel()
		if p = next; err != nil {
			if ctx.Err() == nil {
				s.log.Error().Err(err).Msg("could not restart ClickHouse; trying again")
			}
			continue
		}
		state := s.change(func(state *State) {
			state.Running, state.PID = true, p.command.Process.Pid
			state.Restarts++
		})
		s.log.Warn().Int("pid", state.PID).Int("restarts", state.Restarts).Msg("ClickHouse serves again")
	}
}

func (s *Server) down(why error) {
	s.change(func(state *State) { state.Running, state.PID, state.LastEnd = false, 0, why.Error() })
	s.log.Error().Err(why).Msg("ClickHouse ended; starting it again")
}

// change changes the state, tells of it, and gives the new one.
func (s *Server) change(how func(*State)) State {
	s.stateMu.Lock()
	how(&s.state)
	state := s.state
	s.stateMu.Unlock()
	if s.config.Changed != nil {
		s.config.Changed(state)
	}
	return state
}

// State gives the state of the engine's process.
func (s *Server) State() State {
	s.stateMu.Lock()
	defer s.stateMu.Unlock()
	return s.state
}

func (s *Server) makeDatabase(ctx context.Context) error {
	options := s.optionsAt(s.at)
	options.Auth.Database = ""
	conn, err := driver.Open(options)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+s.config.Database+" ENGINE = Atomic"); err != nil {
		return fmt.Errorf("make the database %s: %w", s.config.Database, err)
	}
	return nil
}

// Stop closes the doors and ends the engine, whatever it is doing, within ten
// seconds. The data directory is free afterwards. A Server that was stopped can't
// be started again if it had doors.
func (s *Server) Stop(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	return nil
}

// doorsPatience is how long the requests of people may take to end.
const doorsPatience = 2 * time.Second

func (s *Server) release() {
	var doorsClosed <-chan struct{}
	if s.doors != nil {
		doorsClosed = closing(s.doors.close)
		select {
		case <-doorsClosed:
		case <-time.After(doorsPatience): // the end of the engine ends whoever waits for it
		}
		s.doors = nil
	}
	if s.stopping != nil {
		s.stopping()
		<-s.watched
		s.stopping, s.watched = nil, nil
	}
	if doorsClosed != nil {
		<-doorsClosed
	}
	s.at.release()
	if s.dir != nil {
		s.dir.close()
		s.dir = nil
	}
	s.stateMu.Lock()
	s.state.Running, s.state.PID = false, 0
	s.stateMu.Unlock()
}

// Doors are the addresses, host:port, at which people come in over HTTP and over
// native TCP; "" for a door that is not there.
func (s *Server) Doors() (http, native string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doors.addresses()
}

// Options are what the product's own components open clickhouse-go with: the
// owner's identity, over native TCP, on the product's database. They hold the
// password: don't log them. Each call answers a fresh value. Before Start the
// address is missing.
func (s *Server) Options() *driver.Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.optionsAt(s.at)
}

func (s *Server) optionsAt(at ports) *driver.Options {
	return &driver.Options{
		Protocol:    driver.Native,
		Addr:        []string{loopback(at.native)},
		Auth:        driver.Auth{Database: s.config.Database, Username: ownerName, Password: s.password},
		Compression: &driver.Compression{Method: driver.CompressionLZ4},
		// The comment is that of statements which their sender does not name.
		Settings: driver.Settings{"max_memory_usage": s.config.MaxMemoryBytes / 2, "log_comment": "engine"},
		// The engine of the library does not survive a connection that is reset.
		DialContext: door.Dial,
		DialTimeout: 5 * time.Second,
		// Between two packets of an answer; the engine tells its progress meanwhile.
		ReadTimeout:     5 * time.Minute,
		MaxOpenConns:    16,
		MaxIdleConns:    16,
		ConnMaxLifetime: time.Hour,
		BlockBufferSize: 8,
	}
}
