package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse/chdb"
)

// engine is the running ClickHouse engine: a control session that keeps it
// alive and kills statements, and a pool of sessions that run them.
type engine struct {
	version  string
	sessions *sessions
	lanes    lanes

	mu      sync.Mutex // the control session runs one statement at a time
	control *chdb.Conn
}

// running holds the place of the one engine that a process can have.
var running = make(chan struct{}, 1)

func bootEngine(ctx context.Context, libraryPath string, dir *directory, config Config, log zerolog.Logger) (*engine, error) {
	select {
	case running <- struct{}{}:
	default:
		return nil, errors.New("this process already runs an engine, and it can run only one: stop the other first")
	}
	engine, err := connectEngine(ctx, libraryPath, dir, config, log)
	if err != nil {
		<-running
		return nil, err
	}
	return engine, nil
}

func connectEngine(ctx context.Context, libraryPath string, dir *directory, config Config, log zerolog.Logger) (*engine, error) {
	library, err := chdb.Load(libraryPath)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	connect := func() (*chdb.Conn, error) {
		return library.Connect("--path="+dir.data, "--config-file="+dir.config)
	}
	control, err := connect()
	if err != nil {
		return nil, fmt.Errorf("boot the engine on %s: %w", dir.data, err)
	}
	e := &engine{control: control, lanes: newLanes()}
	e.sessions = newSessions(connect, config)
	err = e.check(config.Database)
	if err != nil {
		control.Close()
		return nil, err
	}
	log.Debug().Str("library", libraryPath).Str("directory", dir.root).Int64("memory", config.MaxMemoryBytes).Msg("engine booted")
	return e, nil
}

// check proves what the rest relies on, and creates the product's database.
func (e *engine) check(database string) error {
	if _, err := e.run("SET ROLE " + ownerRole); err != nil {
		return fmt.Errorf("take the owner's role: %w", err)
	}
	row, err := e.run("SELECT version(), timezone()")
	if err != nil {
		return fmt.Errorf("ask the engine's version: %w", err)
	}
	version, zone, _ := strings.Cut(strings.TrimSpace(row), "\t")
	if zone != "UTC" {
		return fmt.Errorf("the engine runs in time zone %s; dates would differ from those of a server in UTC", zone)
	}
	e.version = version
	if _, err := e.run("CREATE DATABASE IF NOT EXISTS " + quoteName(database) + " ENGINE = Atomic"); err != nil {
		return fmt.Errorf("create the database %s: %w", database, err)
	}
	return nil
}

// run executes a statement of our own on the control session.
func (e *engine) run(text string) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	result, err := e.control.Query(text, "TSV", nil)
	if err != nil {
		return "", err
	}
	defer result.Free()
	return string(result.Bytes()), nil
}

// kill asks the engine to end whatever the session is running. It may come
// before the statement is known to the engine, and then does nothing.
func (e *engine) kill(s *session) error {
	_, err := e.run("KILL QUERY WHERE Settings['" + tagSetting + "'] = '" + s.tag + "' ASYNC")
	return err
}

// close ends every session, which stops the engine. No statement may be
// running.
func (e *engine) close() {
	e.sessions.close()
	e.control.Close()
	<-running
}

// sessionDefaults are set on every session: what a server would have in its
// profile, and the engine takes from no argument.
func sessionDefaults(config Config, who identity) []setting {
	defaults := []setting{
		{"max_query_size", strconv.Itoa(2 * maxStatementBytes)},
		{"max_memory_usage", strconv.FormatInt(config.MaxMemoryBytes/2, 10)},
		// Introspection functions and profilers look into this very process.
		{"allow_introspection_functions", "0"},
		{"query_profiler_real_time_period_ns", "0"},
		{"query_profiler_cpu_time_period_ns", "0"},
	}
	if who == people {
		defaults = append(defaults,
			setting{"max_memory_usage", strconv.FormatInt(config.MaxMemoryBytes/4, 10)},
			setting{"max_threads", strconv.Itoa(max(1, runtime.NumCPU()/2))},
			setting{"max_execution_time", strconv.FormatFloat(config.QueryTimeout.Seconds(), 'f', 3, 64)},
			setting{"max_result_bytes", strconv.Itoa(maxPeopleResultBytes)},
			setting{"result_overflow_mode", "throw"},
			setting{"max_ast_depth", "500"},
			setting{"max_ast_elements", "20000"},
			setting{"max_expanded_ast_elements", "200000"},
		)
	}
	return defaults
}

// setting is a ClickHouse setting with its value as text.
type setting struct{ name, value string }

// quoteName quotes an identifier for SQL.
func quoteName(name string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}

// quoteText quotes a string literal for SQL.
func quoteText(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
