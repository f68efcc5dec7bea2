package eventlog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestWriteReturnsWhenEverythingIsStoredInTheOrderOfEachKey(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 3)
	w := newWriter(t, b)
	ms := numbered(0, 50_000) // several batches in each partition
	ms[7].Headers = []kafkago.Header{{Key: "source", Value: []byte("s")}}
	write(t, w, name, ms)
	if st := w.Stats(); st.Messages != 50_000 {
		t.Errorf("%+v", st)
	}
	got := read(t, b, name, len(ms))
	if len(got) != len(ms) {
		t.Fatalf("%d messages stored, %d written", len(got), len(ms))
	}
	checkOrder(t, got)
	for _, m := range got {
		if string(m.Value) == "7" && (len(m.Headers) != 1 || m.Headers[0].Key != "source" ||
			string(m.Headers[0].Value) != "s") {
			t.Errorf("headers %v", m.Headers)
		}
		if m.Time.IsZero() {
			t.Fatal("a message has no time")
		}
	}
}

// checkOrder takes messages sorted by partition and offset. It checks that the first
// occurrences of a key's values ascend and that each key is in one partition.
func checkOrder(t *testing.T, ms []kafkago.Message) {
	t.Helper()
	partition, last := make(map[string]int), make(map[string]int)
	for _, m := range ms {
		k := string(m.Key)
		if p, ok := partition[k]; ok && p != m.Partition {
			t.Fatalf("key %s is in partitions %d and %d", k, p, m.Partition)
		}
		partition[k] = m.Partition
		v, err := strconv.Atoi(string(m.Value))
		if err != nil {
			t.Fatal(err)
		}
		if prev, ok := last[k]; ok && v < prev {
			t.Fatalf("key %s: %d comes after %d", k, v, prev)
		}
		last[k] = v
	}
}

func TestMessagesWithoutKeyOrValueAreKept(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 3)
	write(t, newWriter(t, b), name, []kafkago.Message{{Value: []byte("v")}, {Key: []byte("k")},
		{Key: []byte{}, Value: []byte{}}, {Value: []byte("w")}})
	c, g := follow(t, b, name)
	waittest.Until(t, "four messages", func() bool { return g.Stats().Messages == 4 })
	partitions := make(map[int]bool)
	for _, m := range c.messages() {
		if m.Key == nil {
			partitions[m.Partition] = true
		}
		if string(m.Key) == "k" && m.Value != nil {
			t.Errorf("a null value came as %q", m.Value)
		}
	}
	if len(partitions) != 1 {
		t.Errorf("messages without a key are in partitions %v", partitions)
	}
}

func TestAMessageTooLargeIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 1)
	w := newWriter(t, b)
	ms := append(numbered(0, 10), kafkago.Message{Key: []byte("large"), Value: make([]byte, 1<<20)})
	if err := w.Write(timeout(t), name, ms); err == nil || !strings.Contains(err.Error(), "large") {
		t.Errorf("got %v", err)
	}
	if st := w.Stats(); st.Messages != 0 {
		t.Errorf("%+v", st)
	}
}

func TestTheLargestMessageThatIsAcceptedFits(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 1)
	noise := make([]byte, 899_000) // doesn't compress
	for i, x := 0, uint64(1); i < len(noise); i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		noise[i] = byte(x)
	}
	write(t, newWriter(t, b), name, []kafkago.Message{{Key: []byte("k"), Value: noise}})
	if got := read(t, b, name, 1); !bytes.Equal(got[0].Value, noise) {
		t.Error("it came back changed")
	}
}

func TestFailingProduceIsRetriedWithoutLossAndWithoutOvertaking(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.UnknownServerError, kerr.NotLeaderForPartition, kerr.NotEnoughReplicas,
		kerr.KafkaStorageError} {
		t.Run(e.Message, func(t *testing.T) {
			cluster, b := faulty(t)
			name := topic(t, b, 2)
			// The first batch of each partition fails while more wait behind it.
			cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e, Count: 3})
			w := newWriter(t, b)
			ms := numbered(0, 60_000)
			write(t, w, name, ms)
			if st := w.Stats(); st.Retries != 3 || st.Messages != 60_000 {
				t.Errorf("%+v", st)
			}
			got := read(t, b, name, len(ms))
			if len(got) != len(ms) {
				t.Errorf("%d messages stored, %d written", len(got), len(ms))
			}
			checkOrder(t, got)
		})
	}
}

// This is the cost of at-least-once delivery: the broker stored the batch and reported an
// error.
func TestAWriteWhoseAcknowledgementIsLostIsStoredTwice(t *testing.T) {
	for name, fail := range map[string]func(*kfake.Cluster){
		"timeout": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut})
		},
		"not enough replicas": func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicasAfterAppend})
		},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, b := faulty(t)
			topic := topic(t, b, 1)
			fail(cluster)
			w := newWriter(t, b)
			write(t, w, topic, numbered(0, 10))
			if st := w.Stats(); st.Retries != 1 || st.Messages != 10 {
				t.Errorf("%+v", st)
			}
			got := read(t, b, topic, 10)
			if len(got) != 20 {
				t.Errorf("%d messages stored, want 20", len(got))
			}
		})
	}
}

func TestADroppedConnectionIsRetried(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	cluster.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, errors.New("dropped"), true // once
	})
	w := newWriter(t, b)
	write(t, w, name, numbered(0, 10))
	if st := w.Stats(); st.Retries != 1 {
		t.Errorf("%+v", st)
	}
	if got := read(t, b, name, 10); len(got) != 10 {
		t.Errorf("%d messages stored", len(got))
	}
}

func TestWhatDoesNotPassByItselfIsNotRetried(t *testing.T) {
	for _, e := range []*kerr.Error{kerr.PolicyViolation, kerr.TopicAuthorizationFailed, kerr.InvalidRecord} {
		t.Run(e.Message, func(t *testing.T) {
			cluster, b := faulty(t)
			name := topic(t, b, 1)
			h := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e, Count: -1})
			err := newWriter(t, b).Write(timeout(t), name, numbered(0, 10))
			if !errors.Is(err, kafkago.Error(e.Code)) || h.Hits() != 1 {
				t.Errorf("after %d tries: %v", h.Hits(), err)
			}
		})
	}
}

func TestRetriesEndWithTheContext(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	h := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Count: -1})
	ctx, cancel := context.WithCancelCause(timeout(t))
	asked := errors.New("asked to stop")
	go func() {
		_ = h.Wait(ctx, 2)
		cancel(asked)
	}()
	err := newWriter(t, b).Write(ctx, name, numbered(0, 10))
	if !errors.Is(err, asked) || !errors.Is(err, kafkago.Unknown) {
		t.Errorf("got %v, want the cause and the last failure", err)
	}
}

func TestWriteToATopicThatIsNotThereWaitsForIt(t *testing.T) {
	b := brokers(t)
	name := unique("late")
	w := newWriter(t, b)
	done := make(chan error)
	go func() { done <- w.Write(timeout(t), name, numbered(0, 10)) }()
	if err := eventlog.EnsureTopics(timeout(t), b, []eventlog.Topic{{Name: name, Partitions: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAFailedWriteNamesTopicAndPartition(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidRecord})
	err := newWriter(t, b).Write(timeout(t), name, numbered(0, 1))
	if want := fmt.Sprintf("write to %s/0", name); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
