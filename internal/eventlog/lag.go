package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"
)

// PartitionLag is how far a group is behind in one partition.
type PartitionLag struct {
	Topic     string
	Partition int
	Committed int64 // offset the group reads next, -1 if it never committed
	End       int64 // offset the next message will get
	Lag       int64 // messages not committed yet, whether the log still has them or not
	Lost      int64 // of these, the ones that the log has dropped
}

// settlingPatience bounds the wait while brokers elect a partition leader or a group
// coordinator, as they do after a topic was created, a start, or the loss of a broker.
const settlingPatience = 10 * time.Second

// Lag asks the brokers how far the group is behind, for each partition of its
// topics, sorted by topic and partition. The group need not have been started.
// Lag waits for at most settlingPatience while brokers elect a leader or a coordinator.
func (g *Group) Lag(ctx context.Context) ([]PartitionLag, error) {
	limited, cancel := context.WithTimeout(ctx, settlingPatience)
	defer cancel()
	for {
		lags, err := groupLag(ctx, g.cfg)
		if err == nil {
			return lags, nil
		}
		if !settling(err) || pause(limited, topicPoll) != nil {
			return nil, fmt.Errorf("lag of consumer group %s: %w", g.cfg.ID, err)
		}
	}
}

// settling tells whether an error means that an election is under way.
func settling(err error) bool {
	return slices.ContainsFunc([]kafka.Error{
		kafka.LeaderNotAvailable, kafka.NotLeaderForPartition,
		kafka.GroupLoadInProgress, kafka.GroupCoordinatorNotAvailable, kafka.NotCoordinatorForGroup,
	}, func(code kafka.Error) bool { return errors.Is(err, code) })
}

func groupLag(ctx context.Context, cfg GroupConfig) ([]PartitionLag, error) {
	conn := newConnection(cfg.Brokers)
	defer conn.close()
	client := conn.client()

	meta, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: cfg.Topics})
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	partitions := make(map[string][]int, len(cfg.Topics))
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
	committed, err := committedOffsets(ctx, client, cfg.ID, partitions)
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
		})
	}
	slices.SortFunc(lags, func(a, b PartitionLag) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return lags, nil
}

// committedOffsets tells the offset a group reads next, for each partition it has
// ever committed.
func committedOffsets(ctx context.Context, client *kafka.Client, group string, partitions map[string][]int) (map[topicPartition]int64, error) {
	resp, err := client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: group, Topics: partitions})
	if err == nil {
		err = resp.Error
	}
	if errors.Is(err, kafka.GroupIdNotFound) {
		return nil, nil // some brokers say so of a group that never joined
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

// offsetBounds are the offset of the oldest message that a log has, and the one
// after its newest.
type offsetBounds struct{ first, end int64 }

func listOffsets(ctx context.Context, client *kafka.Client, partitions map[string][]int) (map[topicPartition]offsetBounds, error) {
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
