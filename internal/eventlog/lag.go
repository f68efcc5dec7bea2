package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/segmentio/kafka-go"
)

// PartitionLag is the lag of a group in one partition.
type PartitionLag struct {
	Topic     string
	Partition int
	Committed int64 // offset that the group reads next; -1 if it never committed
	End       int64 // offset that the next message will get
	Lag       int64 // messages that are not committed yet, including those that the log has dropped
	Lost      int64 // messages of Lag that the log has dropped
	Ahead     int64 // by how much Committed is after End; if that is not 0, Lag is not known and stands at 0
}

// Lag asks the brokers for the lag of the group in each partition of the given topics, or of all that it reads if none
// is given, sorted by topic and partition. The group need not have been started. While brokers are unreachable or
// choose leaders, Lag tries again, for at most Brokers.Patience.
func (g *Group) Lag(ctx context.Context, topics ...string) ([]PartitionLag, error) {
	if len(topics) == 0 {
		topics = g.cfg.Topics
	}
	var lags []PartitionLag
	err := g.cfg.Brokers.retry(ctx, func(ctx context.Context) (err error) {
		lags, err = g.lag(ctx, topics)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lag of consumer group %s: %w", g.cfg.ID, err)
	}
	return lags, nil
}

func (g *Group) lag(ctx context.Context, topics []string) ([]PartitionLag, error) {
	conn := newConnection(g.cfg.Brokers)
	defer conn.close()
	client := conn.client()

	meta, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: topics})
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	partitions := make(map[string][]int, len(topics))
	for _, t := range meta.Topics {
		if t.Error != nil {
			return nil, fmt.Errorf("read topic %s: %w", t.Name, t.Error)
		}
		for _, p := range t.Partitions {
			partitions[t.Name] = append(partitions[t.Name], p.ID)
		}
	}
	bounds, err := listOffsets(ctx, client, partitions)
	if err != nil {
		return nil, err
	}
	committed, err := committedOffsets(ctx, client, g.cfg.ID, partitions)
	if err != nil {
		return nil, err
	}
	lags := make([]PartitionLag, 0, len(bounds))
	for tp, b := range bounds {
		next, ok := committed[tp]
		if !ok {
			next = -1
		}
		lags = append(lags, PartitionLag{
			Topic:     tp.topic,
			Partition: tp.partition,
			Committed: next,
			End:       b.end,
			Lag:       max(0, b.end-max(next, 0)),
			Lost:      max(0, b.first-max(next, 0)),
			Ahead:     max(0, next-b.end),
		})
	}
	slices.SortFunc(lags, func(a, b PartitionLag) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return lags, nil
}

// committedOffsets returns the offset that a group reads next, for each partition for which it
// has committed one.
func committedOffsets(ctx context.Context, client *kafka.Client, group string,
	partitions map[string][]int) (map[topicPartition]int64, error) {
	resp, err := client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: group, Topics: partitions})
	if err == nil {
		err = resp.Error
	}
	if errors.Is(err, kafka.GroupIdNotFound) {
		return nil, nil // some brokers answer so for a group that was never joined
	}
	if err != nil {
		return nil, fmt.Errorf("read committed offsets: %w", err)
	}
	committed := make(map[topicPartition]int64)
	for topic, offsets := range resp.Topics {
		for _, o := range offsets {
			if o.Error != nil {
				return nil, fmt.Errorf("read committed offset of %s/%d: %w", topic, o.Partition, o.Error)
			}
			if o.CommittedOffset >= 0 {
				committed[topicPartition{topic, o.Partition}] = o.CommittedOffset
			}
		}
	}
	return committed, nil
}

// offsetBounds are the offset of the oldest message in a log and the offset after the newest.
type offsetBounds struct{ first, end int64 }

func listOffsets(ctx context.Context, client *kafka.Client,
	partitions map[string][]int) (map[topicPartition]offsetBounds, error) {
	req := &kafka.ListOffsetsRequest{Topics: make(map[string][]kafka.OffsetRequest, len(partitions))}
	for topic, ids := range partitions {
		for _, id := range ids {
			req.Topics[topic] = append(req.Topics[topic], kafka.FirstOffsetOf(id), kafka.LastOffsetOf(id))
		}
	}
	resp, err := client.ListOffsets(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	bounds := make(map[topicPartition]offsetBounds)
	var errs []error
	for topic, offsets := range resp.Topics {
		for _, o := range offsets {
			if o.Error != nil {
				errs = append(errs, fmt.Errorf("list offsets of %s/%d: %w", topic, o.Partition, o.Error))
			}
			bounds[topicPartition{topic, o.Partition}] = offsetBounds{o.FirstOffset, o.LastOffset}
		}
	}
	for topic, ids := range partitions {
		for _, id := range ids {
			if _, ok := bounds[topicPartition{topic, id}]; !ok {
				errs = append(errs, fmt.Errorf("list offsets of %s/%d: %w", topic, id, kafka.UnknownTopicOrPartition))
			}
		}
	}
	return bounds, errors.Join(errs...)
}
