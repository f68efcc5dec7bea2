package figures

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"cuota/ingest"
	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
	"cuota/internal/eventlog"
	"cuota/model"
)

// stageRead is a consumer group whose handler does nothing.
var stageRead = Figure{"stage-read", "the read from Kafka alone", measureStageRead}

func measureStageRead(ctx context.Context, b *bench) ([]report.Line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	broker, err := b.broker(ctx, "stage-read")
	if err != nil {
		return nil, err
	}
	held := &reference.Gate{Arrived: make(chan struct{}, partitions)}
	group, err := eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: broker.at, ID: "stage-read", Topics: []string{model.Cartola.Topic()},
	}, held.Pass, b.log)
	if err != nil {
		return nil, err
	}
	if err := group.Start(context.WithoutCancel(ctx)); err != nil { // it runs until Stop
		return nil, err
	}
	b.onClose(group.Stop)
	return b.stage(ctx, "read from Kafka", func(ctx context.Context) (report.Reading, error) {
		open := held.Shut()
		defer open()
		// Messages are written while both partitions are held, and reading them is
		// measured.
		if err := broker.Publish(ctx, model.Cartola.Topic(), knocks()); err != nil {
			return report.Reading{}, err
		}
		for range partitions {
			select {
			case <-held.Arrived:
			case <-ctx.Done():
				return report.Reading{}, fmt.Errorf("wait for the readers: %w", context.Cause(ctx))
			}
		}
		if err := broker.publishAll(ctx, batches); err != nil {
			return report.Reading{}, err
		}
		if err := b.settle(ctx); err != nil {
			return report.Reading{}, err
		}
		return b.rounds.Time(b.rows(), func() error {
			open()
			return poll(ctx, "the readers", time.Millisecond, func() (bool, error) {
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
