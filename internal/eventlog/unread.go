package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/segmentio/kafka-go"
)

// Unread calls take with every message that the group has not committed and that the log has at
// the time of the call. Messages of one partition come in order. The group may continue
// meanwhile; messages that it commits during the call are still given. Unread returns an error
// of take as it is.
func (g *Group) Unread(ctx context.Context, take func(kafka.Message) error) error {
	lags, err := g.Lag(ctx)
	if err != nil {
		return err
	}
	conn := newConnection(g.cfg.Brokers)
	defer conn.close()
	for _, lag := range lags {
		// The log has dropped lag.Lost messages, the oldest ones.
		from := max(lag.Committed, 0) + lag.Lost
		if err := readRange(ctx, conn, topicPartition{lag.Topic, lag.Partition}, from, lag.End, take); err != nil {
			return err
		}
	}
	return nil
}

// emptyFetches is how many responses in a row may lack the next message before readRange fails.
const emptyFetches = 3

// readRange calls take with the messages of a partition from offset next up to, but not
// including, end.
func readRange(ctx context.Context, conn *connection, tp topicPartition, next, end int64,
	take func(kafka.Message) error) error {
	empty := 0
	for next < end {
		resp, err := conn.client().Fetch(ctx, &kafka.FetchRequest{
			Topic: tp.topic, Partition: tp.partition, Offset: next, MinBytes: 1, MaxBytes: fetchBytes,
			MaxWait: fetchWait,
		})
		if err == nil {
			err = resp.Error
		}
		if err != nil {
			return fmt.Errorf("read %s/%d from offset %d: %w", tp.topic, tp.partition, next, err)
		}
		before := next
		for {
			m, err := readMessage(resp, tp)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return fmt.Errorf("read %s/%d from offset %d: %w", tp.topic, tp.partition, next, err)
			}
			if m.Offset < next || m.Offset >= end { // a broker sends whole stored batches
				continue
			}
			if err := take(m); err != nil {
				return errors.Join(err, drain(resp.Records))
			}
			next = m.Offset + 1
		}
		if empty++; next > before {
			empty = 0
		} else if empty == emptyFetches {
			return fmt.Errorf("read %s/%d: the log has no message at offset %d, but should have all up to offset %d",
				tp.topic, tp.partition, next, end)
		}
	}
	return nil
}

// readMessage returns the next message of a response, or io.EOF after the last.
func readMessage(resp *kafka.FetchResponse, tp topicPartition) (kafka.Message, error) {
	rec, err := resp.Records.ReadRecord()
	if err != nil {
		return kafka.Message{}, err
	}
	defer closeRecord(rec)
	m := kafka.Message{Topic: tp.topic, Partition: tp.partition, Offset: rec.Offset, Headers: rec.Headers,
		Time: rec.Time}
	key, err := kafka.ReadAll(rec.Key)
	if err == nil {
		m.Key = key
		m.Value, err = kafka.ReadAll(rec.Value)
	}
	return m, err
}
