package main

import (
	"context"
	"errors"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/sql"
)

// engines are ClickHouse and Kafka inside this process, on a directory that the
// process has taken.
type engines struct {
	clickhouse *clickhouse.Server
	kafka      *kafka.Server
}

// startEngines starts both engines at the listeners, which they take over.
func startEngines(ctx context.Context, dir *directory, at enginePorts, log zerolog.Logger) (_ *engines, err error) {
	e := &engines{}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.stop(ctx))
		}
	}()
	broker, err := kafka.New(kafka.Config{Dir: dir.kafka(), Listener: at.kafka, MaxBytes: maxLogBytes}, log)
	if err != nil {
		return nil, err
	}
	if err := broker.Start(ctx); err != nil {
		return nil, err
	}
	e.kafka = broker
	store, err := clickhouse.New(clickhouse.Config{Dir: dir.clickhouse(), Listener: at.clickhouse, Database: database}, log)
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

// cluster is none: our own ClickHouse is a single server.
func (e *engines) cluster() sql.Cluster { return "" }

func (e *engines) options() *driver.Options  { return e.clickhouse.Options() }
func (e *engines) brokers() eventlog.Brokers { return eventlog.At(e.kafka.Addr()) }
