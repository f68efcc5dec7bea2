package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"
)

const (
	// A batch is one produce request. Brokers accept about a megabyte by
	// default, before which headers and framing count too.
	maxBatchBytes    = 900_000
	maxBatchMessages = 20_000

	// recordOverhead is more than what surrounds a key and a value in a batch.
	recordOverhead = 40

	produceTimeout = 15 * time.Second
	retryLeast     = 50 * time.Millisecond
	retryMost      = 5 * time.Second
)

// Writer writes messages to topics. It is safe for concurrent use.
//
// It sends produce requests itself rather than through kafka.Writer, whose
// queue goes on with the next batch of a partition when one has failed: to
// write the failed part again would put older messages of a key after newer
// ones. Here a partition's next batch waits until the one before it is
// acknowledged, and there is nothing to wait for when a batch is small.
type Writer struct {
	brokers     Brokers
	conn        *connection
	compression kafka.Compression
	balancer    kafka.Murmur2Balancer
	log         zerolog.Logger

	written atomic.Uint64
	bytes   atomic.Uint64
	retries atomic.Uint64
}

// WriterStats is what a Writer counts since it was made.
type WriterStats struct {
	Messages uint64 // acknowledged
	Bytes    uint64 // of their keys and values
	Retries  uint64 // batches sent again, each of which may be stored twice
}

// NewWriter makes a Writer; it connects when it first writes.
func NewWriter(brokers Brokers, log zerolog.Logger) *Writer {
	return &Writer{
		brokers: brokers,
		conn:    newConnection(brokers),
		// A third of the size at hardly any cost; zstd saves another third and
		// takes three times as long.
		compression: kafka.Lz4,
		// The partition of a key is the one every other Kafka client would
		// choose, and a message without a key always goes to the same one.
		balancer: kafka.Murmur2Balancer{Consistent: true},
		log:      log.With().Str("component", "eventlog-writer").Logger(),
	}
}

// Write stores the messages in the topic and returns when all of them are
// acknowledged. Of each message it uses Key, Value, Headers and Time (the
// current one if zero); a message must be smaller than 900 kB. An error that passes by
// itself is retried for as long as the patience of the brokers, counted anew for each
// request; on any error an unknown part of the messages may have been stored. Writing
// all of them again is safe for a reader that recognises duplicates, and is the way to
// go on. The messages must not be changed after an error: a request that was given up
// may still be read.
func (w *Writer) Write(ctx context.Context, topic string, messages []kafka.Message) error {
	if len(messages) == 0 {
		return nil
	}
	for i := range messages {
		if n := messageSize(&messages[i]); n > maxBatchBytes {
			return fmt.Errorf("write to %s: message %d with key %.80q takes %d bytes, at most %d are possible", topic, i, messages[i].Key, n, maxBatchBytes)
		}
	}
	partitions, err := w.partitions(ctx, topic)
	if err != nil {
		return fmt.Errorf("write to %s: %w", topic, err)
	}
	byPartition := make(map[int][]int32)
	for i := range messages {
		p := w.balancer.Balance(messages[i], partitions...)
		byPartition[p] = append(byPartition[p], int32(i))
	}

	// The first failure stops the other partitions: the caller repeats it all.
	group, ctx := errgroup.WithContext(ctx)
	for partition, indexes := range byPartition {
		group.Go(func() error {
			if err := w.writePartition(ctx, topic, partition, messages, indexes); err != nil {
				return fmt.Errorf("write to %s/%d: %w", topic, partition, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// Stats tells the counts.
func (w *Writer) Stats() WriterStats {
	return WriterStats{Messages: w.written.Load(), Bytes: w.bytes.Load(), Retries: w.retries.Load()}
}

// Close ends the connections. Writes under way fail.
func (w *Writer) Close() { w.conn.close() }

// partitions waits for the topic to be known, since metadata is a little old.
func (w *Writer) partitions(ctx context.Context, topic string) ([]int, error) {
	var ids []int
	err := w.brokers.retry(ctx, func(ctx context.Context) error {
		meta, err := w.conn.client().Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(meta.Topics, func(t kafka.Topic) bool { return t.Name == topic })
		if i < 0 {
			return kafka.UnknownTopicOrPartition
		}
		if meta.Topics[i].Error != nil {
			return meta.Topics[i].Error
		}
		ids = ids[:0]
		for _, p := range meta.Topics[i].Partitions {
			ids = append(ids, p.ID)
		}
		slices.Sort(ids)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up topic: %w", err)
	}
	return ids, nil
}

// writePartition sends the messages at indexes in order, batch after batch.
func (w *Writer) writePartition(ctx context.Context, topic string, partition int, messages []kafka.Message, indexes []int32) error {
	for len(indexes) > 0 {
		n, size := 0, 0
		for n < len(indexes) && n < maxBatchMessages {
			m := messageSize(&messages[indexes[n]])
			if n > 0 && size+m > maxBatchBytes {
				break
			}
			size += m
			n++
		}
		if err := w.writeBatch(ctx, topic, partition, messages, indexes[:n]); err != nil {
			return err
		}
		for _, i := range indexes[:n] {
			w.bytes.Add(uint64(len(messages[i].Key) + len(messages[i].Value)))
		}
		w.written.Add(uint64(n))
		indexes = indexes[n:]
	}
	return nil
}

// writeBatch sends one batch until it is acknowledged.
func (w *Writer) writeBatch(ctx context.Context, topic string, partition int, messages []kafka.Message, indexes []int32) error {
	tries := w.brokers.newTries(ctx)
	defer tries.end()
	for {
		err := w.produce(tries.ctx, topic, partition, messages, indexes)
		if err == nil {
			return nil
		}
		if errors.Is(err, kafka.PolicyViolation) {
			return fmt.Errorf("the log takes no more writes (an embedded log that has reached its size cap says so): %w", err)
		}
		if tries.ctx.Err() == nil && retryable(err) {
			w.retries.Add(1)
			w.log.Warn().Err(err).Str("topic", topic).Int("partition", partition).Int("messages", len(indexes)).
				Msg("batch not acknowledged, sending it again")
		}
		if err := tries.again(err); err != nil {
			return err
		}
	}
}

func (w *Writer) produce(ctx context.Context, topic string, partition int, messages []kafka.Message, indexes []int32) error {
	client := w.conn.client()
	client.Timeout = produceTimeout // brokers are told half of it to wait for their replicas
	resp, err := client.Produce(ctx, &kafka.ProduceRequest{
		Topic:        topic,
		Partition:    partition,
		RequiredAcks: kafka.RequireAll,
		Compression:  w.compression,
		Records:      &recordSource{messages: messages, indexes: indexes},
	})
	if err != nil {
		return err
	}
	return resp.Error
}

func messageSize(m *kafka.Message) int {
	n := recordOverhead + len(m.Key) + len(m.Value)
	for i := range m.Headers {
		n += 10 + len(m.Headers[i].Key) + len(m.Headers[i].Value)
	}
	return n
}

// recordSource feeds messages to the encoder without copying them. The encoder
// is done with a record before it asks for the next.
type recordSource struct {
	messages   []kafka.Message
	indexes    []int32
	record     kafka.Record
	key, value bytesSource
}

func (r *recordSource) ReadRecord() (*kafka.Record, error) {
	if len(r.indexes) == 0 {
		return nil, io.EOF
	}
	m := &r.messages[r.indexes[0]]
	r.indexes = r.indexes[1:]
	r.record = kafka.Record{Time: m.Time, Headers: m.Headers}
	if m.Key != nil {
		r.key.Reset(m.Key)
		r.record.Key = &r.key
	}
	if m.Value != nil {
		r.value.Reset(m.Value)
		r.record.Value = &r.value
	}
	return &r.record, nil
}

type bytesSource struct{ bytes.Reader }

func (*bytesSource) Close() error { return nil }
