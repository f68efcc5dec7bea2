package flow

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/cmd/cuota/exit"
	"cuota/internal/eventlog"
	"cuota/internal/loop"
	"cuota/model"
	"cuota/projector"
	"cuota/projector/schema"
	"cuota/sql"
)

// LagGroup returns the consumer group of the projector of a copy, to ask for its lag. It is never started.
func LagGroup(brokers eventlog.Brokers, copy string, log zerolog.Logger) *eventlog.Group {
	nothing := func(context.Context, []kafka.Message) error { return nil }
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: brokers, ID: projector.GroupOf(copy),
		Topics: projector.Topics()}, nothing, log)
	if err != nil {
		panic("cuota: " + err.Error()) // cannot happen: brokers are always named, and the rest is constant
	}
	return group
}

// Prepare creates the tables and topics that every role needs.
func Prepare(ctx context.Context, options *clickhouse.Options, brokers eventlog.Brokers) error {
	if err := schema.Make(ctx, options); err != nil {
		return err
	}
	return eventlog.EnsureTopics(ctx, brokers, Topics())
}

// Topics lists every topic. Only the cartola is large enough for two partitions. Ingest
// waits before retention reaches unread messages (see backpressure), and all topics together
// stay well below the limit of the embedded log.
func Topics() []eventlog.Topic {
	list := make([]eventlog.Topic, 0, len(projector.Topics()))
	for _, name := range projector.Topics() {
		topic := eventlog.Topic{Name: name, Partitions: 1, RetentionBytes: 64 << 20, SegmentBytes: 16 << 20}
		if name == model.Cartola.Topic() {
			topic.Partitions, topic.RetentionBytes = 2, 512<<20
		}
		list = append(list, topic)
	}
	return list
}

// Projection is the projector with its consumer group: the part of the flow between
// Kafka and the published batch.
type Projection struct {
	Group     *eventlog.Group
	Projector *projector.Projector
	Conn      driver.Conn
	writer    *eventlog.Writer // writes what the projector plans and builds
	copy      string           // name of the copy; empty: there is one
	following loop.Loop        // keepCaughtUp, if the copy has a name
	log       zerolog.Logger
}

// NewProjection connects the projector with its consumer group and with the topic of batches. It does nothing before
// Store and Build.
func NewProjection(config projector.Config, brokers eventlog.Brokers, conn driver.Conn,
	log zerolog.Logger) (*Projection, error) {
	writer := eventlog.NewWriter(brokers, log)
	config.Batches = writer
	config.Rules = func(ctx context.Context, groups []string) (map[string][]string, error) {
		return eventlog.Versions(ctx, brokers, groups)
	}
	builder := projector.New(config, conn, log)
	// Of several projectors, the one that reads the only partition of the control topic
	// builds batches.
	leader := func(partitions map[string][]int) { builder.Lead(len(partitions[model.ControlTopic]) > 0) }
	group, err := eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: brokers, ID: projector.GroupOf(config.Copy), Topics: projector.Topics(), Assigned: leader,
		Version: sql.Rules(),
	}, builder.Consume, log)
	if err != nil {
		return nil, err
	}
	return &Projection{Group: group, Projector: builder, Conn: conn, writer: writer, copy: config.Copy, log: log}, nil
}

// StartProjection starts to store facts and to build batches from them.
func StartProjection(ctx context.Context, config projector.Config, brokers eventlog.Brokers, conn driver.Conn,
	log zerolog.Logger) (*Projection, error) {
	p, err := NewProjection(config, brokers, conn, log)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.Store(ctx), p.Build(ctx)); err != nil {
		return nil, errors.Join(err, p.Stop(ctx))
	}
	return p, nil
}

// Store starts to store the messages of the log. No batch is built yet.
func (p *Projection) Store(ctx context.Context) error {
	if err := p.Group.Start(context.WithoutCancel(ctx)); err != nil { // it runs until Stop
		return fmt.Errorf("start consuming: %w", err)
	}
	return nil
}

// Stored waits until every message of the log is stored.
func (p *Projection) Stored(ctx context.Context) error {
	return p.StoredTelling(ctx, func(int64) {})
}

// StoredTelling is stored, and tells at each look how many messages are left.
func (p *Projection) StoredTelling(ctx context.Context, tell func(left int64)) error {
	err := loop.Until(ctx, LookAgain, func() (bool, error) {
		left, err := behind(ctx, p.Group)
		if err == nil {
			tell(left)
		}
		return err == nil && left == 0, err
	})
	if err != nil {
		return fmt.Errorf("wait for the facts to be stored: %w", err)
	}
	return nil
}

// Build starts to build batches.
func (p *Projection) Build(ctx context.Context) error {
	if err := p.Projector.Start(ctx); err != nil {
		return fmt.Errorf("start the projector: %w", err)
	}
	if p.copy != "" {
		return p.following.Start(p.keepCaughtUp)
	}
	return nil
}

// Stop stops both. What is not stored yet is read again at the next start.
func (p *Projection) Stop(ctx context.Context) error {
	defer p.writer.Close()
	return errors.Join(exit.ShutDown(ctx, exit.StopPatience, p.following.Stop),
		exit.ShutDown(ctx, exit.StopPatience, p.Group.Stop),
		exit.ShutDown(ctx, exit.StopPatience, p.Projector.Stop))
}
