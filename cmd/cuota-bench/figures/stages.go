package figures

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/ingest"
	"cuota/internal/eventlog"
	"cuota/model"
)

// stage measures one stage of the way to facts alone. It shows its CPU time per row as a
// share of that of the whole way, if that was measured.
func (b *bench) stage(ctx context.Context, name string,
	once func(context.Context) (stats.Reading, error)) ([]stats.Line, error) {
	found, err := b.rounds.Interleave(ctx, load.Side{Name: name, Once: once})
	if err != nil {
		return nil, err
	}
	alone := stats.Of(found[0], stats.Reading.PerSecond)
	l := stats.Line{
		Name:    "  " + name,
		Value:   stats.Quantity{Stat: stats.Of(found[0], stats.Reading.CPUMicros), Unit: "µs of CPU/row"},
		Against: fmt.Sprintf("the whole way; alone: %s rows/s", stats.Significant(alone.Median)),
	}
	if len(b.wholeWay) > 0 {
		l.Reference = stats.Quantity{Stat: stats.Of(b.wholeWay, stats.Reading.CPUMicros), Unit: "µs of CPU/row"}
		l.Ratio = stats.Stat{Median: l.Value.Median / l.Reference.Median}
	}
	return []stats.Line{l}, nil
}

// messages returns the generated market as ingest publishes it, batch by batch.
func (b *bench) messages(ctx context.Context) ([][]ingest.Message, error) {
	path, err := b.generatedFile()
	if err != nil {
		return nil, err
	}
	var batches [][]ingest.Message
	record := publisherFunc(func(topic string, messages []ingest.Message) {
		if topic == model.Cartola.Topic() {
			batches = append(batches, messages)
		}
	})
	_, err = b.ingest(ctx, record, ingest.Request{Dataset: model.Cartola, Path: path})
	return batches, err
}

// publisherFunc is an ingest.Publisher that never fails.
type publisherFunc func(topic string, messages []ingest.Message)

func (f publisherFunc) Publish(_ context.Context, topic string, messages []ingest.Message) error {
	f(topic, messages)
	return nil
}

// stageParse is ingest with a publisher that does nothing.
var stageParse = Figure{"stage-parse", "archive, parse, validate and encode alone", measureStageParse}

func measureStageParse(ctx context.Context, b *bench) ([]stats.Line, error) {
	path, err := b.generatedFile()
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "archive, parse, validate, encode", func(ctx context.Context) (stats.Reading, error) {
		return b.rounds.Time(b.rows(), func() error {
			_, err := b.ingest(ctx, publisherFunc(func(string, []ingest.Message) {}),
				ingest.Request{Dataset: model.Cartola, Path: path})
			return err
		})
	})
}

// stageWrite is the writer, and the broker that stores the messages.
var stageWrite = Figure{"stage-write", "the write to Kafka alone", measureStageWrite}

func measureStageWrite(ctx context.Context, b *bench) ([]stats.Line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	broker, err := b.broker(ctx, "stage-write")
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "write to Kafka", func(ctx context.Context) (stats.Reading, error) {
		return b.rounds.Time(b.rows(), func() error { return broker.publishAll(ctx, batches) })
	})
}

// stageRead is a consumer group whose handler does nothing.
var stageRead = Figure{"stage-read", "the read from Kafka alone", measureStageRead}

func measureStageRead(ctx context.Context, b *bench) ([]stats.Line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	broker, err := b.broker(ctx, "stage-read")
	if err != nil {
		return nil, err
	}
	held := &baseline.Gate{Arrived: make(chan struct{}, partitions)}
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
	return b.stage(ctx, "read from Kafka", func(ctx context.Context) (stats.Reading, error) {
		open := held.Shut()
		defer open()
		// Messages are written while both partitions are held, and reading them is
		// measured.
		if err := broker.Publish(ctx, model.Cartola.Topic(), knocks()); err != nil {
			return stats.Reading{}, err
		}
		for range partitions {
			select {
			case <-held.Arrived:
			case <-ctx.Done():
				return stats.Reading{}, fmt.Errorf("wait for the readers: %w", context.Cause(ctx))
			}
		}
		if err := broker.publishAll(ctx, batches); err != nil {
			return stats.Reading{}, err
		}
		if err := b.settle(ctx); err != nil {
			return stats.Reading{}, err
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

// stageDecode is the projector over a connection that stores nothing.
var stageDecode = Figure{"stage-decode", "from messages to rows alone, as the projector does it", measureStageDecode}

func measureStageDecode(ctx context.Context, b *bench) ([]stats.Line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	sink := &baseline.DiscardingConn{}
	consumer := newProjector(sink, b.log)
	return b.stage(ctx, "decode to rows", func(ctx context.Context) (stats.Reading, error) {
		sink.Rows = 0
		result, err := b.rounds.Time(b.rows(), func() error {
			for _, batch := range batches {
				messages := make([]kafka.Message, len(batch))
				for i, message := range batch {
					messages[i] = kafka.Message{Topic: model.Cartola.Topic(), Key: message.Key, Value: message.Value}
				}
				if err := consumer.Consume(ctx, messages); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil && sink.Rows != 0 && sink.Rows != b.rows() {
			err = fmt.Errorf("the projector made %d rows of %d messages", sink.Rows, b.rows())
		}
		return result, err
	})
}

// stageInsert is only the insert, in both ways of the driver.
var stageInsert = Figure{"stage-insert", "the insert alone, row-wise, against column-wise", measureStageInsert}

func measureStageInsert(ctx context.Context, b *bench) ([]stats.Line, error) {
	bare, err := b.newBareInsert(ctx, "stage_insert")
	if err != nil {
		return nil, err
	}
	lines, err := b.stage(ctx, "insert, row-wise", bare.rowWise)
	if err != nil {
		return nil, err
	}
	columnWise, err := b.stage(ctx, "insert, column-wise", bare.columnWise)
	return append(lines, columnWise...), err
}
