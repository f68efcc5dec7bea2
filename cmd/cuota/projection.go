package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/internal/eventlog"
	"cuota/internal/health"
	"cuota/internal/loop"
	"cuota/model"
	"cuota/projector"
	"cuota/sql"
)

// projectorGroup is the consumer group of the projector.
const projectorGroup = "cuota-projector"

// lagGroup returns the consumer group of the projector to ask for its lag. It is never started.
func lagGroup(brokers eventlog.Brokers, log zerolog.Logger) *eventlog.Group {
	nothing := func(context.Context, []kafka.Message) error { return nil }
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: brokers, ID: projectorGroup, Topics: projector.Topics()}, nothing, log)
	if err != nil {
		panic("cuota: " + err.Error()) // cannot happen: brokers are always named, and the rest is constant
	}
	return group
}

// prepare creates the tables and topics that every role needs.
func prepare(ctx context.Context, options *clickhouse.Options, cluster sql.Cluster, brokers eventlog.Brokers) error {
	if err := projector.MakeClusterSchema(ctx, options, cluster); err != nil {
		return err
	}
	return eventlog.EnsureTopics(ctx, brokers, topics())
}

// topics lists every topic. Only the cartola is large enough for two partitions. Ingest
// waits before retention reaches unread messages (see backpressure), and all topics together
// stay well below maxLogBytes.
func topics() []eventlog.Topic {
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

// projection is the projector with its consumer group: the part of the flow between
// Kafka and the published batch.
type projection struct {
	group     *eventlog.Group
	projector *projector.Projector
	conn      driver.Conn
}

func newProjection(config projector.Config, brokers eventlog.Brokers, conn driver.Conn, log zerolog.Logger) (*projection, error) {
	builder := projector.New(config, conn, log)
	// Of several projectors, the one that reads the only partition of the control topic
	// builds batches.
	leader := func(partitions map[string][]int) { builder.Lead(len(partitions[model.ControlTopic]) > 0) }
	group, err := eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: brokers, ID: projectorGroup, Topics: projector.Topics(), Assigned: leader,
	}, builder.Consume, log)
	if err != nil {
		return nil, err
	}
	return &projection{group: group, projector: builder, conn: conn}, nil
}

// startProjection starts to store facts and to build batches from them.
func startProjection(ctx context.Context, config projector.Config, brokers eventlog.Brokers, conn driver.Conn, log zerolog.Logger) (*projection, error) {
	p, err := newProjection(config, brokers, conn, log)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.store(ctx), p.build(ctx)); err != nil {
		return nil, errors.Join(err, p.stop(ctx))
	}
	return p, nil
}

// store starts to store the messages of the log. No batch is built yet.
func (p *projection) store(ctx context.Context) error {
	if err := p.group.Start(context.WithoutCancel(ctx)); err != nil { // it runs until stop
		return fmt.Errorf("start consuming: %w", err)
	}
	return nil
}

// stored waits until every message of the log is stored.
func (p *projection) stored(ctx context.Context) error {
	return p.storedTelling(ctx, func(int64) {})
}

// storedTelling is stored, and tells at each look how many messages are left.
func (p *projection) storedTelling(ctx context.Context, tell func(left int64)) error {
	err := loop.Until(ctx, lookAgain, func() (bool, error) {
		left, err := behind(ctx, p.group)
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

// build starts to build batches.
func (p *projection) build(ctx context.Context) error {
	if err := p.projector.Start(ctx); err != nil {
		return fmt.Errorf("start the projector: %w", err)
	}
	return nil
}

func (p *projection) stop(ctx context.Context) error {
	return errors.Join(shutDown(ctx, stopPatience, p.group.Stop), shutDown(ctx, stopPatience, p.projector.Stop))
}

// tell registers the parts of the projection with the admin server.
func (p *projection) tell(a *admin) {
	a.add(health.Part{Name: consumerPart, Alive: p.group.Alive, Ready: p.group.Ready}, false)
	a.add(health.Part{Name: projectorPart, Alive: p.projector.Alive, Ready: p.projector.Ready}, false)
	a.measureConsumer(p.group)
}
