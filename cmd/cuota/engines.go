package main

import (
	"context"
	"errors"
	"sync/atomic"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/sql"
)

// engines are ClickHouse, in a process of its own, and Kafka, inside this one, on a
// directory that this process has taken. A ClickHouse server that the environment
// names takes the place of our own.
type engines struct {
	clickhouse *clickhouse.Server // nil where a server is named
	server     *driver.Options    // of that server
	cluster    sql.Cluster        // of that server, "" where it is a single one
	kafka      *kafka.Server
	// changed, when set, is told when the ClickHouse process has ended by itself, before it
	// is started again, and when it serves again.
	changed atomic.Pointer[func(serves bool)]
}

// anyPort takes a free port.
const anyPort = "127.0.0.1:0"

// startEnginesAlone starts the engines at free ports, for this command alone.
func startEnginesAlone(ctx context.Context, s settings, dir *directory, log zerolog.Logger) (*engines, error) {
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

// startEngines starts the engines at the listeners, which they take over.
func startEngines(ctx context.Context, s settings, dir *directory, at enginePorts, log zerolog.Logger) (_ *engines, err error) {
	e := &engines{}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.stop(ctx))
		}
	}()
	if e.kafka, err = startLog(ctx, dir, at, log); err != nil {
		return nil, err
	}
	if s.ClickHouse != "" {
		e.cluster = s.ClickHouseCluster
		e.server, err = s.clickhouseServer()
		return e, err
	}
	store, err := clickhouse.New(clickhouse.Config{
		Binary: s.ClickHouseBinary, Dir: dir.clickhouse(), HTTP: at.clickhouse, Native: at.native, Database: database,
		Replaced: viewNames(),
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

// database is the ClickHouse database of the product.
const database = "cuota"

// maxLogBytes caps the embedded log on disk, which the retention of all topics
// together does not reach.
const maxLogBytes = 4 << 30

// viewNames are the views that prepare replaces at each start.
func viewNames() (names []string) {
	for _, view := range sql.Views() {
		names = append(names, view.Name)
	}
	return names
}

func (e *engines) stop(ctx context.Context) error {
	var err error
	if e.clickhouse != nil {
		err = errors.Join(err, ended(ctx, stopPatience, e.clickhouse.Stop))
	}
	if e.kafka != nil {
		err = errors.Join(err, ended(ctx, stopPatience, e.kafka.Stop))
	}
	return err
}

// options are what the components open ClickHouse with. They hold a password.
func (e *engines) options() *driver.Options {
	if e.clickhouse == nil {
		return e.server
	}
	return e.clickhouse.Options()
}

// doors are the addresses at which people ask ClickHouse, "" where it is no server
// of ours.
func (e *engines) doors() (http, native string) {
	if e.clickhouse == nil {
		return "", ""
	}
	return e.clickhouse.Doors()
}

func (e *engines) brokers() eventlog.Brokers { return eventlog.At(e.kafka.Addr()) }
