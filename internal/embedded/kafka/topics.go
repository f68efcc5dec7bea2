package kafka

import (
	"math"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// The topic policy. A partition whose last batch has gone would begin again at
// offset 0 after a restart, below what its consumers have committed, and they
// would skip what is written next. So time never deletes anything here, size
// deletes only what leaves several of the largest batches standing, and nothing
// compacts.
const (
	defaultRetentionBytes = 256 << 20
	minRetentionBytes     = 8 << 20
	defaultSegmentBytes   = 16 << 20
	minSegmentBytes       = 1 << 20

	maxTopics     = 1000
	maxPartitions = 64 // of one topic
	maxTopicName  = 249
)

// topicNames counts the topics there are, so that they stay few.
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

// apply refuses topics that can't be kept and gives the others the policy: of
// what the client asks for, retention.bytes and segment.bytes are respected
// within limits, and every other setting is replaced.
func (t *topicNames) apply(req *kmsg.CreateTopicsRequest) error {
	if len(req.Topics) > maxTopicsPerRequest {
		return refuse("CreateTopics of %d topics at once", len(req.Topics))
	}
	for i := range req.Topics {
		topic := &req.Topics[i]
		if !validTopicName(topic.Topic) {
			return refuse("topic name %.80q: must be 1 to %d of a-z, A-Z, 0-9, '.', '_', '-'", topic.Topic, maxTopicName)
		}
		if topic.NumPartitions > maxPartitions || len(topic.ReplicaAssignment) > maxPartitions {
			return refuse("topic %s has more than %d partitions", topic.Topic, maxPartitions)
		}
		if !req.ValidateOnly && !t.add(topic.Topic) {
			return refuse("topic %s would be one more than the %d there may be", topic.Topic, maxTopics)
		}
		retention := asked(topic, "retention.bytes", defaultRetentionBytes, minRetentionBytes)
		topic.Configs = []kmsg.CreateTopicsRequestTopicConfig{
			config("cleanup.policy", "delete"),
			config("retention.ms", "-1"),
			config("retention.bytes", strconv.FormatInt(retention, 10)),
			config("segment.bytes", strconv.FormatInt(min(retention/2, asked(topic, "segment.bytes", defaultSegmentBytes, minSegmentBytes)), 10)),
		}
	}
	return nil
}

// asked is the size a client asks for under name, or the given one if it asks
// for none or for no limit.
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

// validTopicName is Kafka's rule.
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
