package figures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/ingest"
	"cuota/internal/eventlog"
	"cuota/projector"
)

// pipeline is the product's way from files to facts: ingest, Kafka, and a projector that
// writes into a database. It builds no batches.
type pipeline struct {
	bench    *bench
	database string
	conn     driver.Conn
	broker   *broker
	group    *eventlog.Group
}

func (b *bench) pipeline(ctx context.Context, name string) (*pipeline, error) {
	p := &pipeline{bench: b, database: name}
	var err error
	if p.conn, err = b.database(ctx, name); err != nil {
		return nil, err
	}
	if p.broker, err = b.broker(ctx, name); err != nil {
		return nil, err
	}
	consumer := newProjector(p.conn, b.log)
	p.group, err = eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: p.broker.at, ID: "bench", Topics: projector.Topics(),
	}, consumer.Consume, b.log)
	if err != nil {
		return nil, err
	}
	if err := p.group.Start(context.WithoutCancel(ctx)); err != nil { // it runs until Stop
		return nil, err
	}
	b.onClose(p.group.Stop)
	return p, nil
}

// load ingests a file and waits until all of its rows are stored.
func (p *pipeline) load(ctx context.Context, request ingest.Request) (ingest.Report, error) {
	report, err := p.bench.ingest(ctx, p.broker, request)
	if err != nil {
		return report, err
	}
	return report, poll(ctx, "the projector", time.Millisecond, func() (bool, error) {
		written := p.broker.writer.Stats().Messages
		return p.group.Stats().Messages >= written, nil
	})
}

// ingest publishes a file through a new archive.
func (b *bench) ingest(ctx context.Context, to ingest.Publisher, request ingest.Request) (_ ingest.Report, err error) {
	archive, err := os.MkdirTemp(b.dir, "archive-")
	if err != nil {
		return ingest.Report{}, fmt.Errorf("make an archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(archive)) }()
	// Rejected rows are in the report; the demo has some.
	log := b.log.Level(zerolog.ErrorLevel)
	return ingest.New(ingest.NewArchive(archive, now), to, log).File(ctx, request)
}

func newProjector(conn driver.Conn, log zerolog.Logger) *projector.Projector {
	return projector.New(projector.Config{Keep: 1, Now: now}, conn, log)
}
