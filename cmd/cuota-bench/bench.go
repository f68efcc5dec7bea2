package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	chdriver "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/demo"
	"cuota/internal/embedded/clickhouse"
	"cuota/projector"
)

// clock is the instant at which everything happens: files are first seen and
// batches are built then, so that every run does the same work. It lies after
// the last day that the demo's files speak of.
var clock = time.Date(2026, 8, 20, 15, 0, 0, 0, time.UTC)

func now() time.Time { return clock }

// bench is what the figures share: the engine, a directory, and what several
// of them need, which is made when it is first asked for.
type bench struct {
	config               config
	dir                  string
	progress             io.Writer
	log                  zerolog.Logger
	engine               *clickhouse.Server
	doorHTTP, doorNative string        // of the engine, for people
	conn                 chdriver.Conn // to the engine's own database
	profile              profile
	stops                []func(context.Context) error // in the order of starting

	cartola      string // path of the generated file
	market, demo *pipeline
	markets      map[int]*bigMarket // by their years
	api          *served            // the demo market behind the product's server
	whole        []reading          // of file-to-facts, of which the stages are shares
}

// open starts the engine over a temporary directory.
func open(ctx context.Context, c config, progress io.Writer) (_ *bench, err error) {
	dir, err := os.MkdirTemp("", "cuota-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary directory: %w", err)
	}
	b := &bench{
		config: c, dir: dir, progress: progress, markets: map[int]*bigMarket{},
		log:     zerolog.New(progress).Level(zerolog.WarnLevel),
		profile: profile{cpuPath: c.cpuProfile, memPath: c.memProfile},
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

// onClose adds to what close does.
func (b *bench) onClose(stop func(context.Context) error) { b.stops = append(b.stops, stop) }

// closePatience bounds how long everything together may take to stop.
const closePatience = 30 * time.Second

// close stops everything, in the reverse order of starting.
func (b *bench) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	err := b.profile.stopCPU()
	for i := len(b.stops) - 1; i >= 0; i-- {
		err = errors.Join(err, b.stops[i](ctx))
	}
	return err
}

// tell shows how far the run is.
func (b *bench) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...) // nobody is told if nobody can be
}

// connect opens a connection that lives as long as the bench.
func (b *bench) connect(options *driver.Options) (chdriver.Conn, error) {
	conn, err := driver.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	b.onClose(func(context.Context) error { return conn.Close() })
	return conn, nil
}

// database makes a database with the product's tables.
func (b *bench) database(ctx context.Context, name string) (chdriver.Conn, error) {
	if err := b.conn.Exec(ctx, "CREATE DATABASE "+name+" ENGINE = Atomic"); err != nil {
		return nil, fmt.Errorf("create the database %s: %w", name, err)
	}
	options := b.engine.Options()
	options.Auth.Database = name
	if err := projector.Migrate(ctx, options); err != nil {
		return nil, err
	}
	return b.connect(options)
}

// realCartola is the shipped file whose rows the generated market repeats: nine
// series of two funds over the whole of 2024.
const realCartola = "cartola/cartola_9809_9810_20240101_20241231.txt"

// generated gives the path of the generated market's file.
func (b *bench) generated() (string, error) {
	if b.cartola != "" {
		return b.cartola, nil
	}
	files := filepath.Join(b.dir, "template")
	if err := demo.Extract(files); err != nil {
		return "", err
	}
	template, err := os.ReadFile(filepath.Join(files, filepath.FromSlash(realCartola)))
	if err != nil {
		return "", fmt.Errorf("read the real cartola: %w", err)
	}
	path := filepath.Join(b.dir, "cartola_generated.txt")
	err = writeFile(path, func(w io.Writer) error {
		return writeCartola(w, template, b.config.series, b.config.days())
	})
	if err != nil {
		return "", fmt.Errorf("generate a cartola: %w", err)
	}
	b.cartola = path
	return path, nil
}

// rows is how many rows the generated file has.
func (b *bench) rows() int { return b.config.series * b.config.days() }
