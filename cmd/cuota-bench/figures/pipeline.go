package figures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/ingest"
	"cuota/ingest/archive"
	embeddedkafka "cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/model"
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
	dir, err := os.MkdirTemp(b.dir, "archive-")
	if err != nil {
		return ingest.Report{}, fmt.Errorf("make an archive: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Rejected rows are in the report; the demo has some.
	log := b.log.Level(zerolog.ErrorLevel)
	return ingest.New(archive.New(dir, now), to, log).File(ctx, request)
}

func newProjector(conn driver.Conn, log zerolog.Logger) *projector.Projector {
	return projector.New(projector.Config{Keep: 1, Now: now}, conn, log)
}

// broker is a Kafka with the product's topics and a writer.
type broker struct {
	at     eventlog.Brokers
	writer *eventlog.Writer
}

// maxLogBytes is the limit of the log in cuota up.
const maxLogBytes = 4 << 30

func (b *bench) broker(ctx context.Context, name string) (*broker, error) {
	server, err := embeddedkafka.New(embeddedkafka.Config{
		Dir: filepath.Join(b.dir, name), Listen: "127.0.0.1:0", MaxBytes: maxLogBytes,
	}, b.log)
	if err != nil {
		return nil, err
	}
	if err := server.Start(ctx); err != nil {
		return nil, fmt.Errorf("start Kafka: %w", err)
	}
	b.onClose(server.Stop)
	made := &broker{at: eventlog.At(server.Addr())}
	if err := eventlog.EnsureTopics(ctx, made.at, topics()); err != nil {
		return nil, err
	}
	made.writer = eventlog.NewWriter(made.at, b.log)
	b.onClose(func(context.Context) error { made.writer.Close(); return nil })
	return made, nil
}

// partitions of the cartola's topic, the same number as in cuota up.
const partitions = 2

func topics() []eventlog.Topic {
	var list []eventlog.Topic
	for _, name := range projector.Topics() {
		topic := eventlog.Topic{Name: name, Partitions: 1}
		if name == model.Cartola.Topic() {
			topic.Partitions = partitions
		}
		list = append(list, topic)
	}
	return list
}

// Publish implements ingest.Publisher.
func (k *broker) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	batch := make([]kafka.Message, len(messages))
	for i, message := range messages {
		batch[i] = kafka.Message{Key: message.Key, Value: message.Value}
	}
	return k.writer.Write(ctx, topic, batch)
}

// publishAll publishes batches of the cartola's messages.
func (k *broker) publishAll(ctx context.Context, batches [][]ingest.Message) error {
	for _, batch := range batches {
		if err := k.Publish(ctx, model.Cartola.Topic(), batch); err != nil {
			return err
		}
	}
	return nil
}
