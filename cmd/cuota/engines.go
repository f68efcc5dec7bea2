package main

import (
	"context"
	"errors"
	"fmt"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/kafka"
)

// engines are ClickHouse and Kafka inside this process, on a directory that the
// process has taken.
type engines struct {
	clickhouse *clickhouse.Server
	kafka      *kafka.Server
}

// listen says where engines serve; ":0" addresses take any free port.
type listen struct{ clickhouse, kafka string }

// anyPort serves an engine that only this command uses.
var anyPort = listen{clickhouse: "127.0.0.1:0", kafka: "127.0.0.1:0"}

func startEngines(ctx context.Context, dir *directory, at listen, log zerolog.Logger) (_ *engines, err error) {
	e := &engines{}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.stop(ctx))
		}
	}()
	broker, err := kafka.New(kafka.Config{Dir: dir.kafka(), Listen: at.kafka, MaxBytes: maxLogBytes}, log)
	if err != nil {
		return nil, fmt.Errorf("embedded Kafka: %w", err)
	}
	if err := broker.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the embedded Kafka: %w", err)
	}
	e.kafka = broker
	store, err := clickhouse.New(clickhouse.Config{Dir: dir.clickhouse(), Listen: at.clickhouse, Database: database}, log)
	if err != nil {
		return nil, fmt.Errorf("embedded ClickHouse: %w", err)
	}
	if err := store.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the embedded ClickHouse: %w", err)
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

func (e *engines) options() *driver.Options { return e.clickhouse.Options() }
func (e *engines) brokers() []string        { return []string{e.kafka.Addr()} }
