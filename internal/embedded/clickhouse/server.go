package clickhouse

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse/door"
	"cuota/internal/loop"
)

// Config configures the engine. Zero values mean defaults, unless a field says otherwise.
type Config struct {
	// Library is the path of libchdb.so. The default is the result of Locate.
	Library string
	// Binary is the path of an installed clickhouse, which is run instead of the library.
	Binary string
	// Dir is the data directory. It is created if it does not exist. Required.
	Dir string
	// HTTP and Native are the loopback listeners on which people connect. The server serves and
	// closes them after Start. If one is nil, people can't connect with that protocol.
	HTTP, Native net.Listener
	// Database is the product's database. It is created at the start, with ENGINE = Atomic, if
	// it does not exist. It is the default database of the owner. The default is "cuota".
	Database string
	// PeoplesDatabase is the only database that people may read, and their default one. It is
	// created like Database. It may hold only views that the caller creates or replaces after
	// each start. They must state SQL SECURITY DEFINER, because people can't read what they
	// read. The default is "funds".
	PeoplesDatabase string
	// Replaced names the views of Database that the caller creates or replaces after each
	// start. If the disk is full while a view is replaced, its definition file may be cut off,
	// and the engine would not start. Such definition files of these views, and of all views
	// of PeoplesDatabase, are deleted before the start.
	Replaced []string
	// MaxMemoryBytes limits the memory of the whole engine. The default is half of the
	// machine's memory. One query of the owner may use half of the limit; all queries of people
	// together may use a quarter.
	MaxMemoryBytes int64
	// QueryTimeout limits each query of people. The default is 30 s, the minimum 1 s. Queries
	// of the owner are limited by their own contexts.
	QueryTimeout time.Duration
	// Changed, if set, is called with the new state when the engine begins to serve or ends by
	// itself. Calls do not overlap.
	Changed func(State)
}

// Server runs the engine's process and the doors to it.
type Server struct {
	config   Config
	log      zerolog.Logger
	password string // of the owner
	key      string // password of the user commands

	mu       sync.Mutex // guards the fields that Start sets and Stop clears
	dir      *directory
	at       ports
	doors    *doors
	stopping context.CancelFunc // ends watch
	watched  chan struct{}      // closed when watch has returned, and with it the engine has ended

	stateMu sync.Mutex
	state   State
}

// State is the state of the engine's process. Programs read it as JSON.
type State struct {
	Running  bool   `json:"running"`
	PID      int    `json:"pid"`      // 0 while the engine is not running
	Restarts int    `json:"restarts"` // number of restarts since Start
	LastEnd  string `json:"last_end"` // why the engine last ended; "" if it has not
}

const (
	ownerName    = "owner"
	commandsName = "commands"

	defaultDatabase        = "cuota"
	defaultPeoplesDatabase = "funds"
	defaultTimeout         = 30 * time.Second

	// The least memory, in bytes, with which the engine starts and answers.
	minMemoryBytes = 256 << 20
)

// reservedDatabases are the names of ClickHouse's own databases.
var reservedDatabases = []string{"system", "information_schema", "default"}

var databaseName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// New checks the configuration and sets its defaults. It does not touch the directory, the
// library or the ports; Start does.
func New(config Config, log zerolog.Logger) (*Server, error) {
	config.Database = cmp.Or(config.Database, defaultDatabase)
	config.PeoplesDatabase = cmp.Or(config.PeoplesDatabase, defaultPeoplesDatabase)
	config.QueryTimeout = cmp.Or(config.QueryTimeout, defaultTimeout)
	config.MaxMemoryBytes = cmp.Or(config.MaxMemoryBytes, max(machineMemory()/2, minMemoryBytes))
	var problems []error
	if config.Dir == "" {
		problems = append(problems, errors.New("no data directory given"))
	}
	for _, door := range []net.Listener{config.HTTP, config.Native} {
		if door == nil {
			continue
		}
		if tcp, ok := door.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
			problems = append(problems,
				fmt.Errorf("address %s is not a loopback address, and the engine asks people for no password: use a "+
					"loopback address", door.Addr()))
		}
	}
	for _, name := range []string{config.Database, config.PeoplesDatabase} {
		if !databaseName.MatchString(name) || slices.Contains(reservedDatabases, name) {
			problems = append(problems,
				fmt.Errorf("database %q is not allowed: use lower-case letters, digits and _, and no name of a "+
					"system database", name))
		}
	}
	if config.Database == config.PeoplesDatabase {
		problems = append(problems, fmt.Errorf("people would read the product's database %q: give them another one",
			config.Database))
	}
	if config.MaxMemoryBytes < minMemoryBytes {
		problems = append(problems, fmt.Errorf("the memory limit is %d bytes, but the engine needs at least %d bytes",
			config.MaxMemoryBytes, minMemoryBytes))
	}
	if config.QueryTimeout < time.Second {
		problems = append(problems, fmt.Errorf("the query timeout is %s: give at least 1s", config.QueryTimeout))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	return &Server{config: config, log: log, password: rand.Text(), key: rand.Text()}, nil
}

// Start starts the engine and waits until it answers. ctx limits only the start. It fails if
// another process has locked the data directory, and the error names that process. It fails if
// the library is missing, and the error wraps ErrNoLibrary and says how to get it.
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
	if why := unconfined(); why != "" && s.config.Binary == "" && (s.config.HTTP != nil || s.config.Native != nil) {
		s.log.Warn().Str("reason",
			why).Msg("other users of this machine can read files of this user through ClickHouse's function file(): " +
			"start without the ClickHouse ports, or use a newer kernel")
	}
	p, err := s.run(ctx)
	if err != nil {
		return err
	}
	s.change(func(state *State) { *state = State{Running: true, PID: p.command.Process.Pid} })
	watching, stop := context.WithCancel(context.Background())
	s.stopping, s.watched = stop, make(chan struct{})
	go s.watch(watching, p, s.watched)
	if err := s.makeDatabases(ctx); err != nil {
		return err
	}
	s.doors = openDoors(s.config, s.at,
		door.Account{User: commandsName, Password: s.key,
			Databases: []string{s.config.Database, s.config.PeoplesDatabase}}, s.log)
	overHTTP, native := s.doors.addresses()
	s.log.Info().Str("address", overHTTP).Str("native_address", native).Str("database", s.config.PeoplesDatabase).
		Int("pid", p.command.Process.Pid).Msg("ClickHouse is running")
	return nil
}

// run starts the engine and waits until it answers the owner.
func (s *Server) run(ctx context.Context) (*process, error) {
	removed, err := s.dir.removeCut(s.config.Replaced, s.config.PeoplesDatabase)
	for _, path := range removed {
		s.log.Warn().Str("path", path).Msg(
			"removed a definition file of a view that was cut off, which a full disk can cause; the next start " +
				"creates the view again")
	}
	if err != nil {
		return nil, err
	}
	if err := s.dir.configure(settingsOf(s.config, s.dir, s.at, s.password, s.key)); err != nil {
		return nil, err
	}
	p, err := launch(s.config, s.dir)
	if err != nil {
		return nil, err
	}
	options := s.optionsAt(s.at)
	options.Auth.Database = "" // at the first start the product's database does not exist yet
	if err := p.answers(ctx, options); err != nil {
		p.stop()
		return nil, err
	}
	// An installed ClickHouse looks for changes of its configuration, and its file() reads only
	// user_files.
	if s.config.Binary == "" {
		if err := s.dir.hide(); err != nil {
			p.stop()
			return nil, fmt.Errorf("remove the engine's configuration after its start: %w", err)
		}
	}
	return p, nil
}

const (
	// The pause before a restart doubles from firstPause to longestPause.
	firstPause, longestPause = 50 * time.Millisecond, time.Second
	// After the engine has run for this time, the pause is firstPause again.
	livedLong = time.Minute
	// restartPatience is the timeout of one restart.
	restartPatience = time.Minute
)

// watch restarts the engine whenever it ends, until ctx ends. Then it stops the engine.
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
			p.stop() // it has ended by itself, has too many stuck queries, or the server stops
			if ctx.Err() != nil {
				return
			}
			s.down(p.err)
			if time.Since(began) > livedLong {
				pause = firstPause
			}
		}
		if loop.Pause(ctx, pause) != nil {
			return
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
		s.log.Warn().Int("pid", state.PID).Int("restarts", state.Restarts).Msg("ClickHouse is running again")
	}
}

func (s *Server) down(why error) {
	s.change(func(state *State) { state.Running, state.PID, state.LastEnd = false, 0, why.Error() })
	s.log.Error().Err(why).Msg("ClickHouse ended; restarting it")
}

// change changes the state, calls Config.Changed, and returns the new state.
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

// State returns the current state of the engine's process.
func (s *Server) State() State {
	s.stateMu.Lock()
	defer s.stateMu.Unlock()
	return s.state
}

func (s *Server) makeDatabases(ctx context.Context) error {
	options := s.optionsAt(s.at)
	options.Auth.Database = ""
	conn, err := driver.Open(options)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for _, name := range []string{s.config.Database, s.config.PeoplesDatabase} {
		if err := conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+name+" ENGINE = Atomic"); err != nil {
			return fmt.Errorf("create the database %s: %w", name, err)
		}
	}
	return nil
}

// Stop closes the doors and ends the engine, whatever it is doing, within ten seconds.
// Afterwards the data directory is unlocked. A Server that had doors can't be started again.
func (s *Server) Stop(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	return nil
}

// doorsPatience is how long requests of people may take to end before the engine is stopped.
const doorsPatience = 2 * time.Second

func (s *Server) release() {
	var doorsClosed <-chan struct{}
	if s.doors != nil {
		doorsClosed = closing(s.doors.close)
		select {
		case <-doorsClosed:
		case <-time.After(doorsPatience): // stopping the engine ends the remaining requests
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

// Doors returns the addresses, host:port, at which people connect over HTTP and native TCP. An
// address is "" if that door does not exist.
func (s *Server) Doors() (http, native string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.doors.addresses()
}

// Key returns the password of the user commands, new at each start of the program. Other processes
// of the product connect with it through the native door (CommandOptions), operators through the
// HTTP door too, and read the product's
// database. Whoever has it sees more than people, so it must be kept where only the owner of the
// data directory can read it.
func (s *Server) Key() string { return s.key }

// CommandOptions returns the options with which another process of the product connects through
// the native door at an address, with the key of the server.
func CommandOptions(address, database, key string) *driver.Options {
	return &driver.Options{Addr: []string{address},
		Auth: driver.Auth{Database: database, Username: commandsName, Password: key}}
}

// Options returns the options with which the product's components connect: as owner, over native
// TCP, to the product's database. They contain the password, so they must not be logged. Each
// call returns a new value. Before Start they contain no address.
func (s *Server) Options() *driver.Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.optionsAt(s.at)
}

// HTTP returns the address of the engine's HTTP interface, host:port, for the product's components.
// They connect as with Options, which name the user and how to connect. Before Start it is
// not an address.
func (s *Server) HTTP() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return loopback(s.at.http)
}

func (s *Server) optionsAt(at ports) *driver.Options {
	return &driver.Options{
		Protocol:    driver.Native,
		Addr:        []string{loopback(at.native)},
		Auth:        driver.Auth{Database: s.config.Database, Username: ownerName, Password: s.password},
		Compression: &driver.Compression{Method: driver.CompressionLZ4},
		// log_comment is the default name of statements, if their sender sets none.
		Settings: driver.Settings{"max_memory_usage": s.config.MaxMemoryBytes / 2, "log_comment": "engine"},
		// The library's engine aborts if a connection is reset.
		DialContext: door.Dial,
		DialTimeout: 5 * time.Second,
		// Timeout between two packets of a response. The engine sends its progress meanwhile.
		ReadTimeout:     5 * time.Minute,
		MaxOpenConns:    16,
		MaxIdleConns:    16,
		ConnMaxLifetime: time.Hour,
		BlockBufferSize: 8,
	}
}
