package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"

	"cuota/ingest"
	"cuota/internal/eventlog"
	"cuota/model"
)

// stageRead measures a consumer group whose handler does nothing.
func stageRead(ctx context.Context, b *bench) ([]line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	broker, err := b.broker(ctx, "stage-read")
	if err != nil {
		return nil, err
	}
	held := &gate{arrived: make(chan struct{}, partitions)}
	group, err := eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: broker.at, ID: "stage-read", Topics: []string{model.Cartola.Topic()},
	}, held.pass, b.log)
	if err != nil {
		return nil, err
	}
	if err := group.Start(context.WithoutCancel(ctx)); err != nil { // it runs until Stop
		return nil, err
	}
	b.onClose(group.Stop)
	return b.stage(ctx, "read from Kafka", func(ctx context.Context) (reading, error) {
		open := held.shut()
		defer open()
		// Messages are written while both partitions are held, and reading them is
		// measured.
		if err := broker.Publish(ctx, model.Cartola.Topic(), knocks()); err != nil {
			return reading{}, err
		}
		for range partitions {
			select {
			case <-held.arrived:
			case <-ctx.Done():
				return reading{}, fmt.Errorf("wait for the readers: %w", context.Cause(ctx))
			}
		}
		if err := broker.publishAll(ctx, batches); err != nil {
			return reading{}, err
		}
		if err := b.settle(ctx); err != nil {
			return reading{}, err
		}
		return b.time(b.rows(), func() error {
			open()
			return b.poll(ctx, "the readers", time.Millisecond, func() (bool, error) {
				return group.Stats().Messages >= broker.writer.Stats().Messages, nil
			})
		})
	})
}

// knocks are messages for every partition, so that the reader of each waits at the gate.
func knocks() []ingest.Message {
	messages := make([]ingest.Message, 32*partitions)
	for i := range messages {
		messages[i] = ingest.Message{Key: []byte(strconv.Itoa(i)), Value: []byte("{}")}
	}
	return messages
}

// gate is a handler that blocks while it is closed.
type gate struct {
	arrived chan struct{}

	mu     sync.Mutex
	opened chan struct{} // nil while open
}

func (g *gate) shut() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	opened := make(chan struct{})
	g.opened = opened
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.opened = nil
		close(opened)
	})
}

func (g *gate) pass(ctx context.Context, _ []kafka.Message) error {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if opened == nil {
		return nil
	}
	select {
	case g.arrived <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
