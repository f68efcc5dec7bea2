package kafka

import (
	"math"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// The topic policy. If a partition lost all its batches, it would start again at offset 0 after
// a restart. That is before the offsets that its consumers have committed, and they would skip
// the next messages. So there is no retention by time, retention by size always leaves room for
// several of the largest batches, and no topic is compacted.
const (
	defaultRetentionBytes = 256 << 20
	minRetentionBytes     = 8 << 20
	defaultSegmentBytes   = 16 << 20
	minSegmentBytes       = 1 << 20

	maxTopics     = 1000
	maxPartitions = 64 // partitions of one topic
	maxTopicName  = 249
)

// topicNames counts the existing topics and limits their number.
type topicNames struct {
	mu    sync.Mutex
	known map[string]struct{}
}

func (t *topicNames) add(names ...string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = make(map[string]struct{})
	}
	for _, name := range names {
		if _, ok := t.known[name]; !ok && len(t.known) >= maxTopics {
			return false
		}
		t.known[name] = struct{}{}
	}
	return true
}

// apply refuses topics that can't be stored, and applies the topic policy to the others.
// retention.bytes and segment.bytes are taken from the client within limits; every other
// setting is replaced.
func (t *topicNames) apply(req *kmsg.CreateTopicsRequest) error {
	if len(req.Topics) > maxTopicsPerRequest {
		return refuse("CreateTopics of %d topics at once", len(req.Topics))
	}
	for i := range req.Topics {
		topic := &req.Topics[i]
		if !validTopicName(topic.Topic) {
			return refuse("topic name %.80q: must be 1 to %d of a-z, A-Z, 0-9, '.', '_', '-'", topic.Topic,
				maxTopicName)
		}
		if topic.NumPartitions > maxPartitions || len(topic.ReplicaAssignment) > maxPartitions {
			return refuse("topic %s has more than %d partitions", topic.Topic, maxPartitions)
		}
		if !req.ValidateOnly && !t.add(topic.Topic) {
			return refuse("topic %s can't be created: there are already %d topics, the most that are allowed",
				topic.Topic, maxTopics)
		}
		retention := asked(topic, "retention.bytes", defaultRetentionBytes, minRetentionBytes)
		topic.Configs = []kmsg.CreateTopicsRequestTopicConfig{
			config("cleanup.policy", "delete"),
			config("retention.ms", "-1"),
			config("retention.bytes", strconv.FormatInt(retention, 10)),
			config("segment.bytes", strconv.FormatInt(min(retention/2,
				asked(topic, "segment.bytes", defaultSegmentBytes, minSegmentBytes)), 10)),
		}
	}
	return nil
}

// asked returns the size that a client requests under name, at least `least`. It returns otherwise
// if the client requests none or no limit.
func asked(topic *kmsg.CreateTopicsRequestTopic, name string, otherwise, least int64) int64 {
	for _, c := range topic.Configs {
		if c.Name != name || c.Value == nil {
			continue
		}
		if n, err := strconv.ParseInt(*c.Value, 10, 64); err == nil && n >= 0 {
			return min(max(n, least), math.MaxInt32)
		}
	}
	return otherwise
}

func config(name, value string) kmsg.CreateTopicsRequestTopicConfig {
	c := kmsg.NewCreateTopicsRequestTopicConfig()
	c.Name, c.Value = name, &value
	return c
}

// validTopicName checks Kafka's rule for topic names.
func validTopicName(name string) bool {
	if name == "" || name == "." || name == ".." || len(name) > maxTopicName {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
