// Package eventlog writes and reads the program's events. It has topics, a Writer and a
// consumer Group over kafka-go, and works in the same way with a Kafka cluster and with the
// embedded log. Ingestion writes through it and the projector reads through it. Each declares
// the small interface that it needs.
//
// Guarantees: Write returns nil only when all in-sync replicas have acknowledged every message.
// Messages with the same key are stored in the order in which they were given to one Write, or
// to one Write after another. A Group delivers every message at least once, and commits an
// offset only after the handler has returned nil for it.
//
// It does not deliver exactly once. A write whose acknowledgement was lost is repeated, and a
// batch whose commit failed is delivered again. So a reader must recognise duplicates by the
// event's own key and revision.
package eventlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/segmentio/kafka-go"
)

// Topic is a topic that the program needs.
type Topic struct {
	Name string

	// Partitions is the number of partitions when the topic is created, at least 1. An existing
	// topic may have more, never fewer.
	Partitions int

	// RetentionBytes limits the size of each partition; 0 means 1 GiB. There is no limit by
	// time, so that a partition never becomes empty. An empty log could start again at offset
	// 0, before the group's committed offset, and its messages would be skipped.
	RetentionBytes int64

	// SegmentBytes is the size of the log's files; 0 means 64 MiB. Retention deletes whole
	// files.
	SegmentBytes int64
}

const (
	defaultRetentionBytes = 1 << 30
	defaultSegmentBytes   = 64 << 20
)

// EnsureTopics creates the topics that don't exist, and returns when every partition has a
// leader. While brokers are unreachable or elect leaders it tries again, for at most
// Brokers.Patience. It may run repeatedly and in several processes at once. An existing topic
// keeps its settings. EnsureTopics fails if an existing topic has too few partitions, because
// adding partitions would move keys to other partitions and lose their order.
func EnsureTopics(ctx context.Context, brokers Brokers, topics []Topic) error {
	for _, t := range topics {
		if t.Name == "" || t.Partitions < 1 {
			return fmt.Errorf("ensure topics: topic %q with %d partitions is not valid: give a name and at least one "+
				"partition", t.Name, t.Partitions)
		}
	}
	c := newConnection(brokers)
	defer c.close()
	client := c.client()
	created := false
	err := brokers.retry(ctx, func(ctx context.Context) error {
		missing, err := missingTopics(ctx, client, topics)
		if err == nil && len(missing) > 0 && !created {
			if err := createTopics(ctx, client, missing); err != nil {
				return err
			}
			created = true
			missing, err = missingTopics(ctx, client, topics)
		}
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("topic %s: %w", missing[0].Name, kafka.LeaderNotAvailable)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("ensure topics: %w", err)
	}
	return nil
}

// missingTopics returns the topics that don't exist or that have a partition without a leader. It
// fails if a topic has too few partitions.
func missingTopics(ctx context.Context, client *kafka.Client, topics []Topic) ([]Topic, error) {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.Name
	}
	meta, err := client.Metadata(ctx, &kafka.MetadataRequest{Topics: names})
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	var missing []Topic
	for _, t := range topics {
		i := slices.IndexFunc(meta.Topics, func(m kafka.Topic) bool { return m.Name == t.Name })
		if i < 0 || errors.Is(meta.Topics[i].Error, kafka.UnknownTopicOrPartition) {
			missing = append(missing, t)
			continue
		}
		found := meta.Topics[i]
		if found.Error != nil {
			return nil, fmt.Errorf("read topic %s: %w", t.Name, found.Error)
		}
		if n := len(found.Partitions); n < t.Partitions {
			return nil, fmt.Errorf("topic %s has %d partitions, but %d are needed: delete the topic when all its "+
				"messages are stored, and restart, which creates it again (adding partitions would break the order "+
				"of keys)", t.Name, n, t.Partitions)
		}
		if slices.ContainsFunc(found.Partitions, func(p kafka.Partition) bool { return p.Error != nil }) {
			missing = append(missing, t)
		}
	}
	return missing, nil
}

// RetentionBytes asks the brokers for the retention of each topic: the size of a partition in
// stored bytes, or -1 for no limit. It may differ from the setting in EnsureTopics. Like
// EnsureTopics, it tries again for at most Brokers.Patience.
func RetentionBytes(ctx context.Context, brokers Brokers, topics []string) (map[string]int64, error) {
	conn := newConnection(brokers)
	defer conn.close()
	var kept map[string]int64
	err := brokers.retry(ctx, func(ctx context.Context) (err error) {
		kept, err = retentionBytes(ctx, conn.client(), topics)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the retention of the topics: %w", err)
	}
	return kept, nil
}

func retentionBytes(ctx context.Context, client *kafka.Client, topics []string) (map[string]int64, error) {
	const setting = "retention.bytes"
	req := &kafka.DescribeConfigsRequest{}
	for _, name := range topics {
		req.Resources = append(req.Resources, kafka.DescribeConfigRequestResource{
			ResourceType: kafka.ResourceTypeTopic, ResourceName: name, ConfigNames: []string{setting},
		})
	}
	resp, err := client.DescribeConfigs(ctx, req)
	if err != nil {
		return nil, err
	}
	kept := make(map[string]int64, len(topics))
	for _, topic := range resp.Resources {
		if topic.Error != nil {
			return nil, fmt.Errorf("topic %s: %w", topic.ResourceName, topic.Error)
		}
		for _, entry := range topic.ConfigEntries {
			if entry.ConfigName != setting {
				continue
			}
			if kept[topic.ResourceName], err = strconv.ParseInt(entry.ConfigValue, 10, 64); err != nil {
				return nil, fmt.Errorf("topic %s: %s: %w", topic.ResourceName, setting, err)
			}
		}
	}
	for _, name := range topics {
		if _, named := kept[name]; !named {
			return nil, fmt.Errorf("topic %s: the brokers did not return its %s", name, setting)
		}
	}
	return kept, nil
}

func createTopics(ctx context.Context, client *kafka.Client, topics []Topic) error {
	req := &kafka.CreateTopicsRequest{}
	for _, t := range topics {
		req.Topics = append(req.Topics, kafka.TopicConfig{
			Topic:             t.Name,
			NumPartitions:     t.Partitions,
			ReplicationFactor: -1, // the cluster decides
			ConfigEntries: []kafka.ConfigEntry{
				{ConfigName: "cleanup.policy", ConfigValue: "delete"},
				{ConfigName: "retention.ms", ConfigValue: "-1"},
				{ConfigName: "retention.bytes",
					ConfigValue: strconv.FormatInt(cmp.Or(t.RetentionBytes, defaultRetentionBytes), 10)},
				{ConfigName: "segment.bytes",
					ConfigValue: strconv.FormatInt(cmp.Or(t.SegmentBytes, defaultSegmentBytes), 10)},
			},
		})
	}
	resp, err := client.CreateTopics(ctx, req)
	if err != nil {
		return fmt.Errorf("create topics: %w", err)
	}
	for name, err := range resp.Errors {
		if err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
			return fmt.Errorf("create topic %s: %w", name, err)
		}
	}
	return nil
}
