package kafka_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"cuota/internal/eventlog"

	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"
)

// client makes a kafka-go client and closes it when the test ends.
func client(t *testing.T, addr string) *kafkago.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	transport := &kafkago.Transport{Context: ctx, MetadataTTL: time.Second}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		cancel()
	})
	return &kafkago.Client{Addr: kafkago.TCP(addr), Transport: transport, Timeout: 10 * time.Second}
}

func createTopic(t *testing.T, addr string, topic eventlog.Topic) {
	t.Helper()
	if err := eventlog.EnsureTopics(timeout(t), eventlog.At(addr), []eventlog.Topic{topic}); err != nil {
		t.Fatal(err)
	}
}

func writer(t *testing.T, addr string) *eventlog.Writer {
	t.Helper()
	w := eventlog.NewWriter(eventlog.At(addr), zerolog.New(zerolog.NewTestWriter(t)))
	t.Cleanup(w.Close)
	return w
}

// bounds returns the first offset of a one-partition topic and the offset after its last.
func bounds(t *testing.T, c *kafkago.Client, topic string) (first, end int64) {
	t.Helper()
	resp, err := c.ListOffsets(timeout(t), &kafkago.ListOffsetsRequest{
		Topics: map[string][]kafkago.OffsetRequest{topic: {kafkago.FirstOffsetOf(0), kafkago.LastOffsetOf(0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := resp.Topics[topic][0]
	if p.Error != nil {
		t.Fatal(p.Error)
	}
	return p.FirstOffset, p.LastOffset
}

func commit(t *testing.T, addr, group, topic string, offset int64) {
	t.Helper()
	resp, err := client(t, addr).OffsetCommit(timeout(t), &kafkago.OffsetCommitRequest{
		GroupID:      group,
		GenerationID: -1,
		Topics:       map[string][]kafkago.OffsetCommit{topic: {{Partition: 0, Offset: offset}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Topics[topic][0].Error; err != nil {
		t.Fatal(err)
	}
}

func committed(t *testing.T, addr, group, topic string) int64 {
	t.Helper()
	resp, err := client(t, addr).OffsetFetch(timeout(t), &kafkago.OffsetFetchRequest{
		GroupID: group, Topics: map[string][]int{topic: {0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Topics[topic][0].CommittedOffset
}

// readAll reads a one-partition topic from its first offset to its end.
func readAll(t *testing.T, addr, topic string) []kafkago.Message {
	t.Helper()
	_, end := bounds(t, client(t, addr), topic)
	r := kafkago.NewReader(kafkago.ReaderConfig{Brokers: []string{addr}, Topic: topic, MaxWait: 100 * time.Millisecond})
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var all []kafkago.Message
	for {
		m, err := r.ReadMessage(timeout(t))
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, m); m.Offset == end-1 {
			return all
		}
	}
}

func messages(from, to, size int) []kafkago.Message {
	ms := make([]kafkago.Message, 0, to-from)
	for i := from; i < to; i++ {
		r := rand.New(rand.NewPCG(uint64(i), 0)) // compresses badly
		v := make([]byte, 0, size+13)
		for len(v) < size {
			v = strconv.AppendUint(v, r.Uint64(), 36)
		}
		ms = append(ms, kafkago.Message{Key: []byte(strconv.Itoa(i)), Value: v})
	}
	return ms
}
