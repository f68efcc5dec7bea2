package figures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	clickhousego "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/loop"
	"cuota/projector/schema"
)

// clock is the instant at which files are first seen and batches are built, so that
// every run does the same work. It is after the last day in the demo's files.
var clock = time.Date(2026, 8, 20, 15, 0, 0, 0, time.UTC)

func now() time.Time { return clock }

// bench holds what the figures share: the engine, a directory, and data that several
// figures need. Such data is made when the first figure needs it.
type bench struct {
	config               Config
	dir                  string
	progress             io.Writer
	log                  zerolog.Logger
	engine               *clickhouse.Server
	doorHTTP, doorNative string      // of the engine, for people
	conn                 driver.Conn // to the engine's own database
	rounds               load.Rounds
	stops                []func(context.Context) error // in the order in which things were started

	cartola         string // path of the generated file
	generated, demo *pipeline
	markets         map[int]*bigMarket // by number of years
	served          *served            // the demo market behind the product's server
	wholeWay        []stats.Reading    // rounds of file-to-facts; the stages are shown as shares of them
}

// open starts the engine over a temporary directory.
func open(ctx context.Context, c Config, progress io.Writer) (_ *bench, err error) {
	dir, err := os.MkdirTemp("", "cuota-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	b := &bench{
		config: c, dir: dir, progress: progress, markets: map[int]*bigMarket{},
		log: zerolog.New(progress).Level(zerolog.WarnLevel),
	}
	b.rounds = load.Rounds{
		Count: c.Rounds, Profile: stats.Profile{CPUPath: c.CPUProfile, MemPath: c.MemProfile},
		CPU: ownCPU, Settle: b.settle, Tell: b.tell,
	}
	b.onClose(func(context.Context) error { return os.RemoveAll(dir) })
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	if b.engine, err = startEngine(ctx, filepath.Join(dir, "clickhouse"), b.log); err != nil {
		return nil, err
	}
	b.onClose(b.engine.Stop)
	b.doorHTTP, b.doorNative = b.engine.Doors()
	b.conn, err = b.connect(b.engine.Options())
	return b, err
}

// onClose adds a function that close calls.
func (b *bench) onClose(stop func(context.Context) error) { b.stops = append(b.stops, stop) }

// closePatience bounds how long stopping everything may take.
const closePatience = 30 * time.Second

// close stops everything, in reverse order of starting.
func (b *bench) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	err := b.rounds.Profile.Abort()
	for _, stop := range slices.Backward(b.stops) {
		err = errors.Join(err, stop(ctx))
	}
	return err
}

// tell prints progress.
func (b *bench) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...) // a failure to print progress does not matter
}

// connect opens a connection that is closed with the bench.
func (b *bench) connect(options *clickhousego.Options) (driver.Conn, error) {
	conn, err := clickhousego.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	b.onClose(func(context.Context) error { return conn.Close() })
	return conn, nil
}

// database creates a database with the product's tables.
func (b *bench) database(ctx context.Context, name string) (driver.Conn, error) {
	if err := b.conn.Exec(ctx, "CREATE DATABASE "+name+" ENGINE = Atomic"); err != nil {
		return nil, fmt.Errorf("create the database %s: %w", name, err)
	}
	options := b.engine.Options()
	options.Auth.Database = name
	if err := schema.Make(ctx, options); err != nil {
		return nil, err
	}
	return b.connect(options)
}

// settle finishes what earlier work left behind: garbage collection, and merges in the
// engine.
func (b *bench) settle(ctx context.Context) error {
	runtime.GC()
	return poll(ctx, "merges to end", 5*time.Millisecond, func() (bool, error) {
		var merges uint64
		err := b.conn.QueryRow(ctx, "SELECT count() FROM system.merges").Scan(&merges)
		return merges == 0, err
	})
}

// poll calls look at intervals until it returns true or ctx ends.
func poll(ctx context.Context, what string, every time.Duration, look func() (bool, error)) error {
	if err := loop.Until(ctx, every, look); err != nil {
		return fmt.Errorf("wait for %s: %w", what, err)
	}
	return nil
}

// ourEngine is the engine that this process started last. Its CPU time counts as that of
// this process.
var ourEngine atomic.Pointer[clickhouse.Server]

// startEngine starts an engine over a directory, with HTTP and native TCP on free ports.
func startEngine(ctx context.Context, dir string, log zerolog.Logger) (*clickhouse.Server, error) {
	config := clickhouse.Config{Dir: dir}
	for _, door := range []*net.Listener{&config.HTTP, &config.Native} {
		var err error
		if *door, err = (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("listen for people: %w", err)
		}
	}
	engine, err := clickhouse.New(config, log)
	if err != nil {
		return nil, err
	}
	if err := engine.Start(ctx); err != nil {
		return nil, err
	}
	ourEngine.Store(engine)
	return engine, nil
}

// ownCPU is the CPU time of this process and its engine.
func ownCPU() time.Duration {
	engine := ourEngine.Load()
	if engine == nil {
		return stats.OwnCPU()
	}
	return stats.OwnCPU() + stats.CPUOf(engine.State().PID)
}
