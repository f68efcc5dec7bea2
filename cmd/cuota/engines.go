package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"sync/atomic"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/sql"
)

// engines are ClickHouse in a process of its own and Kafka inside this process, on a
// directory that this process has locked. If the environment names a ClickHouse server,
// that server is used instead.
type engines struct {
	clickhouse *clickhouse.Server // nil if a server is named in the environment
	server     *driver.Options    // options for the named server
	cluster    sql.Cluster        // cluster of the named server; "" for a single server
	kafka      *kafka.Server
	// kafkaKey is the password with which other processes use Kafka, new at each start.
	kafkaKey string
	// changed, if set, is called with false when the ClickHouse process has ended by
	// itself, before it is started again, and with true when it serves again.
	changed atomic.Pointer[func(serves bool)]
}

// anyPort makes the kernel choose a free port.
const anyPort = "127.0.0.1:0"

// startEnginesAlone starts the engines at free ports, for this command only.
func startEnginesAlone(ctx context.Context, s settings, dir *dataDirectory, log zerolog.Logger) (*engines, error) {
	ports, err := bindEngines(ctx, engineAddresses{native: anyPort, kafka: anyPort})
	if err != nil {
		return nil, err
	}
	running, err := startEngines(ctx, s, dir, ports, log)
	if err != nil {
		return nil, errors.Join(err, ports.close())
	}
	return running, nil
}

// startEngines starts the engines at the listeners and takes the listeners over.
func startEngines(ctx context.Context, s settings, dir *dataDirectory, at enginePorts, log zerolog.Logger) (_ *engines, err error) {
	e := &engines{kafkaKey: rand.Text()}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.stop(ctx))
		}
	}()
	if e.kafka, err = startLog(ctx, dir, at, e.kafkaKey, log); err != nil {
		return nil, err
	}
	if s.ClickHouse != "" {
		e.cluster = s.ClickHouseCluster
		e.server, err = s.clickhouseServer()
		return e, err
	}
	store, err := clickhouse.New(clickhouse.Config{
		Binary: s.ClickHouseBinary, Dir: dir.clickhouse(), HTTP: at.clickhouse, Native: at.native,
		Database: database, PeoplesDatabase: sql.PeoplesDatabase(database), Replaced: viewNames(),
		Changed: func(state clickhouse.State) {
			if err := dir.engineChanged(state); err != nil {
				log.Error().Err(err).Msg("could not write the state of ClickHouse to running.json")
			}
			if tell := e.changed.Load(); tell != nil {
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
	e.clickhouse = store
	return e, nil
}

// database is the name of the ClickHouse database.
const database = "cuota"

// maxLogBytes bounds the embedded log on disk. The retention limits of all topics
// together are lower.
const maxLogBytes = 4 << 30

// viewNames lists the views that prepare replaces at each start.
func viewNames() (names []string) {
	for _, view := range sql.Views() {
		names = append(names, view.Name)
	}
	return names
}

func (e *engines) stop(ctx context.Context) error {
	var err error
	if e.clickhouse != nil {
		err = errors.Join(err, shutDown(ctx, stopPatience, e.clickhouse.Stop))
	}
	if e.kafka != nil {
		err = errors.Join(err, shutDown(ctx, stopPatience, e.kafka.Stop))
	}
	return err
}

// options returns the options with which components connect to ClickHouse. They hold a
// password.
func (e *engines) options() *driver.Options {
	if e.clickhouse == nil {
		return e.server
	}
	return e.clickhouse.Options()
}

// http returns the HTTP interface through which components stream rows; nil if it is not known.
func (e *engines) http(s settings) (*sql.HTTP, error) {
	if e.clickhouse == nil {
		return s.clickhouseHTTP(e.server)
	}
	return sql.NewHTTP(e.clickhouse.Options(), "http://"+e.clickhouse.HTTP()), nil
}

// doors returns the addresses at which people query ClickHouse, and the password with which
// commands read its tables at the native one; "" if the server is not ours.
func (e *engines) doors() (http, native, key string) {
	if e.clickhouse == nil {
		return "", "", ""
	}
	http, native = e.clickhouse.Doors()
	return http, native, e.clickhouse.Key()
}

// brokers returns the log as this process uses it, without its port.
func (e *engines) brokers() eventlog.Brokers {
	return eventlog.Brokers{Addresses: []string{e.kafka.Addr()}, Dial: e.kafka.Dial}
}

// addresses returns where the engines serve, for running.json.
func (e *engines) addresses() addresses {
	at := addresses{PID: os.Getpid(), Kafka: e.kafka.Addr(), KafkaKey: e.kafkaKey}
	at.ClickHouse, at.Native, at.Key = e.doors()
	return at
}
