package datadir

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync/atomic"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/sql"
)

// Engines are ClickHouse in a process of its own and Kafka inside this process, on a
// directory that this process has locked. If the environment names a ClickHouse server,
// that server is used instead.
type Engines struct {
	ClickHouse *clickhouse.Server // nil if a server is named in the environment
	server     *driver.Options    // options for the named server
	kafka      *kafka.Server
	// kafkaKey is the password with which other processes use Kafka, new at each start.
	kafkaKey string
	// Changed, if set, is called with false when the ClickHouse process has ended by
	// itself, before it is started again, and with true when it serves again.
	Changed atomic.Pointer[func(serves bool)]
}

// anyPort makes the kernel choose a free port.
const anyPort = "127.0.0.1:0"

// StartEnginesAlone starts the engines at free ports, for this command only.
func StartEnginesAlone(ctx context.Context, s environment.Settings, dir *Directory,
	log zerolog.Logger) (*Engines, error) {
	ports, err := BindEngines(ctx, EngineAddresses{Native: anyPort, Kafka: anyPort})
	if err != nil {
		return nil, err
	}
	running, err := StartEngines(ctx, s, dir, ports, log)
	if err != nil {
		return nil, errors.Join(err, ports.Close())
	}
	return running, nil
}

// StartEngines starts the engines at the listeners and takes the listeners over.
func StartEngines(ctx context.Context, s environment.Settings, dir *Directory, at EnginePorts,
	log zerolog.Logger) (_ *Engines, err error) {
	e := &Engines{kafkaKey: rand.Text()}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Stop(ctx))
		}
	}()
	if e.kafka, err = startLog(ctx, dir, at, e.kafkaKey, log); err != nil {
		return nil, err
	}
	if s.ClickHouse != "" {
		e.server, err = s.ClickHouseServer()
		return e, err
	}
	store, err := clickhouse.New(clickhouse.Config{
		Binary: s.ClickHouseBinary, Dir: dir.ClickHouse(), HTTP: at.ClickHouse, Native: at.Native,
		Database: Database, PeoplesDatabase: sql.PeoplesDatabase(Database), Replaced: viewNames(),
		Changed: func(state clickhouse.State) {
			if err := dir.engineChanged(state); err != nil {
				log.Error().Err(err).Msg("could not write the state of ClickHouse to running.json")
			}
			if tell := e.Changed.Load(); tell != nil {
				(*tell)(state.Running)
			}
		},
	}, log)
	if err != nil {
		return nil, err
	}
	if err := store.Start(ctx); err != nil {
		return nil, err
	}
	e.ClickHouse = store
	return e, nil
}

// Database is the name of the ClickHouse database.
const Database = "cuota"

// maxLogBytes bounds the embedded log on disk. The retention limits of all topics
// together are lower.
const maxLogBytes = 4 << 30

// viewNames lists the views that are replaced at each start.
func viewNames() (names []string) {
	for _, view := range sql.Views() {
		names = append(names, view.Name)
	}
	return names
}

// Stop stops the engines, each within its own time limit.
func (e *Engines) Stop(ctx context.Context) error {
	var err error
	if e.ClickHouse != nil {
		err = errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, e.ClickHouse.Stop))
	}
	if e.kafka != nil {
		err = errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, e.kafka.Stop))
	}
	return err
}

// Options returns the options with which components connect to ClickHouse. They hold a
// password.
func (e *Engines) Options() *driver.Options {
	if e.ClickHouse == nil {
		return e.server
	}
	return e.ClickHouse.Options()
}

// HTTP returns the HTTP interface through which components stream rows; nil if it is not known.
func (e *Engines) HTTP(s environment.Settings) (*sql.HTTP, error) {
	if e.ClickHouse == nil {
		return s.HTTPInterface(e.server)
	}
	return sql.NewHTTP(e.ClickHouse.Options(), "http://"+e.ClickHouse.HTTP()), nil
}

// doors returns the addresses at which people query ClickHouse, and the password with which
// commands read its tables at the native one; "" if the server is not ours.
func (e *Engines) doors() (http, native, key string) {
	if e.ClickHouse == nil {
		return "", "", ""
	}
	http, native = e.ClickHouse.Doors()
	return http, native, e.ClickHouse.Key()
}

// Brokers returns the log as this process uses it, without its port.
func (e *Engines) Brokers() eventlog.Brokers {
	return eventlog.Brokers{Addresses: []string{e.kafka.Addr()}, Dial: e.kafka.Dial}
}

// Addresses returns where the engines serve, for running.json.
func (e *Engines) Addresses() Addresses {
	at := Addresses{PID: os.Getpid(), Kafka: e.kafka.Addr(), KafkaKey: e.kafkaKey}
	at.ClickHouse, at.Native, at.Key = e.doors()
	return at
}
