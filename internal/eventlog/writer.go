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
	// A batch is one produce request. By default brokers accept about a megabyte, including
	// headers and framing.
	maxBatchBytes    = 900_000
	maxBatchMessages = 20_000

	// recordOverhead is an upper bound in bytes for what a batch stores in addition to a key
	// and a value.
	recordOverhead = 40

	produceTimeout = 15 * time.Second
	retryLeast     = 50 * time.Millisecond
	retryMost      = 5 * time.Second
)

// Writer writes messages to topics. It is safe for concurrent use.
//
// It sends produce requests itself instead of using kafka.Writer. After a failed batch,
// kafka.Writer goes on with the next batch of the partition, and repeating the failed one would
// put older messages of a key after newer ones. This Writer sends a partition's next batch only
// after the previous one is acknowledged. It also sends small batches at once.
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

// WriterStats counts the work of a Writer since NewWriter.
type WriterStats struct {
	Messages uint64 // acknowledged messages
	Bytes    uint64 // bytes of their keys and values
	Retries  uint64 // batches that were sent again; each may be stored twice
}

// NewWriter makes a Writer. It connects at the first write.
func NewWriter(brokers Brokers, log zerolog.Logger) *Writer {
	return &Writer{
		brokers: brokers,
		conn:    newConnection(brokers),
		// LZ4 saves two thirds of the size for very little CPU. zstd would save another third
		// of the rest, but takes three times as long.
		compression: kafka.Lz4,
		// The partition of a key is the same as with every other Kafka client. Messages without
		// a key always go to the same partition.
		balancer: kafka.Murmur2Balancer{Consistent: true},
		log:      log.With().Str("component", "eventlog-writer").Logger(),
	}
}

// Write stores the messages in the topic and returns when all are acknowledged. It uses Key,
// Value, Headers and Time of each message; a zero Time means now. A message must be smaller
// than 900 kB. Temporary errors are tried again for at most Brokers.Patience for each request.
//
// After an error, any part of the messages may be stored. The caller should then write all of
// them again, which is safe because readers recognise duplicates. It must not change the
// messages, because a request that was given up may still read them.
func (w *Writer) Write(ctx context.Context, topic string, messages []kafka.Message) error {
	if len(messages) == 0 {
		return nil
	}
	for i := range messages {
		if n := messageSize(&messages[i]); n > maxBatchBytes {
			return fmt.Errorf("write to %s: message %d with key %.80q has %d bytes, but at most %d bytes are allowed",
				topic, i, messages[i].Key, n, maxBatchBytes)
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

	// The first failure cancels the other partitions, because the caller repeats the whole
	// write.
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

// Stats returns the current counts.
func (w *Writer) Stats() WriterStats {
	return WriterStats{Messages: w.written.Load(), Bytes: w.bytes.Load(), Retries: w.retries.Load()}
}

// Close closes the connections. Writes in progress fail.
func (w *Writer) Close() { w.conn.close() }

// partitions returns the ids of the topic's partitions. It waits until the topic is known,
// because metadata may be slightly old.
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
		return nil, fmt.Errorf("read the partitions of the topic: %w", err)
	}
	return ids, nil
}

// writePartition sends the messages at indexes in this order, one batch after the other.
func (w *Writer) writePartition(ctx context.Context, topic string, partition int, messages []kafka.Message,
	indexes []int32) error {
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

// writeBatch sends one batch again until it is acknowledged or tries gives up.
func (w *Writer) writeBatch(ctx context.Context, topic string, partition int, messages []kafka.Message,
	indexes []int32) error {
	tries := w.brokers.newTries(ctx)
	defer tries.end()
	for {
		err := w.produce(tries.ctx, topic, partition, messages, indexes)
		if err == nil {
			return nil
		}
		if errors.Is(err, kafka.PolicyViolation) {
			return fmt.Errorf("the log refuses writes, as the embedded log does when it has reached its size limit: %w",
				err)
		}
		if tries.ctx.Err() == nil && retryable(err) {
			w.retries.Add(1)
			w.log.Warn().Err(err).Str("topic", topic).Int("partition", partition).Int("messages", len(indexes)).
				Msg("the broker did not acknowledge messages; sending them again")
		}
		if err := tries.again(err); err != nil {
			return err
		}
	}
}

func (w *Writer) produce(ctx context.Context, topic string, partition int, messages []kafka.Message,
	indexes []int32) error {
	client := w.conn.client()
	client.Timeout = produceTimeout // the library tells brokers to wait half of it for their replicas
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

// recordSource gives messages to the encoder without copying them. The encoder finishes with a
// record before it asks for the next.
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
