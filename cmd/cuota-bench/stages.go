package main

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/ingest"
	"cuota/model"
	"cuota/projector"
)

// stage measures one stage of the way to facts alone. It shows its CPU time per row as a
// share of that of the whole way, if that was measured.
func (b *bench) stage(ctx context.Context, name string, once func(context.Context) (reading, error)) ([]line, error) {
	found, err := b.interleave(ctx, side{name, once})
	if err != nil {
		return nil, err
	}
	alone := of(found[0], reading.perSecond)
	l := line{
		name:    "  " + name,
		value:   quantity{of(found[0], reading.cpuMicros), "µs of CPU/row"},
		against: fmt.Sprintf("the whole way; alone: %s rows/s", significant(alone.median)),
	}
	if len(b.whole) > 0 {
		l.reference = quantity{of(b.whole, reading.cpuMicros), "µs of CPU/row"}
		l.ratio = stat{median: l.value.median / l.reference.median}
	}
	return []line{l}, nil
}

// stageParse measures ingest with a publisher that does nothing.
func stageParse(ctx context.Context, b *bench) ([]line, error) {
	path, err := b.generated()
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "archive, parse, validate, encode", func(ctx context.Context) (reading, error) {
		return b.time(b.rows(), func() error {
			_, err := b.ingest(ctx, publisherFunc(func(string, []ingest.Message) {}), ingest.Request{Dataset: model.Cartola, Path: path})
			return err
		})
	})
}

// stageWrite measures the writer and the broker that stores the messages.
func stageWrite(ctx context.Context, b *bench) ([]line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	broker, err := b.broker(ctx, "stage-write")
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "write to Kafka", func(ctx context.Context) (reading, error) {
		return b.time(b.rows(), func() error { return broker.publishAll(ctx, batches) })
	})
}

func (k *broker) publishAll(ctx context.Context, batches [][]ingest.Message) error {
	for _, batch := range batches {
		if err := k.Publish(ctx, model.Cartola.Topic(), batch); err != nil {
			return err
		}
	}
	return nil
}

// stageDecode measures the projector over a connection that stores nothing.
func stageDecode(ctx context.Context, b *bench) ([]line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	sink := &discardingConn{}
	consumer, err := newProjector(sink, b.log)
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "decode to rows", func(ctx context.Context) (reading, error) {
		sink.rows = 0
		result, err := b.time(b.rows(), func() error {
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
		if err == nil && sink.rows != 0 && sink.rows != b.rows() {
			err = fmt.Errorf("the projector made %d rows of %d messages", sink.rows, b.rows())
		}
		return result, err
	})
}

// stageInsert measures only the insert, in both ways of the driver.
func stageInsert(ctx context.Context, b *bench) ([]line, error) {
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

// messages returns the generated market as ingest publishes it, batch by batch.
func (b *bench) messages(ctx context.Context) ([][]ingest.Message, error) {
	path, err := b.generated()
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

func newProjector(conn driver.Conn, log zerolog.Logger) (*projector.Projector, error) {
	return projector.New(projector.Config{Keep: 1, Now: now}, conn, log)
}

// discardingConn accepts inserts and keeps only their number of rows. It can do nothing
// else.
type discardingConn struct {
	driver.Conn
	rows int
}

func (c *discardingConn) PrepareBatch(context.Context, string, ...driver.PrepareBatchOption) (driver.Batch, error) {
	return &discardingBatch{conn: c}, nil
}

// discardingBatch accepts rows, or whole columns, which it does not count.
type discardingBatch struct {
	driver.Batch
	conn *discardingConn
}

func (b *discardingBatch) Append(...any) error           { b.conn.rows++; return nil }
func (b *discardingBatch) AppendStruct(any) error        { b.conn.rows++; return nil }
func (b *discardingBatch) Column(int) driver.BatchColumn { return discardingColumn{} }
func (b *discardingBatch) Flush() error                  { return nil }
func (b *discardingBatch) Send() error                   { return nil }
func (b *discardingBatch) Abort() error                  { return nil }
func (b *discardingBatch) Close() error                  { return nil }

type discardingColumn struct{}

func (discardingColumn) Append(any) error    { return nil }
func (discardingColumn) AppendRow(any) error { return nil }
