package eventlog_test

import (
	"maps"
	"strconv"
	"testing"

	"cuota/internal/testkit/waittest"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// assign makes the broker send the group's members a chosen committed offset, once, and ends
// the generation so that they request it.
func assign(cluster *kfake.Cluster, offset int64) {
	cluster.ControlKey(int16(kmsg.OffsetFetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		req := kreq.(*kmsg.OffsetFetchRequest)
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse)
		for _, rt := range req.Topics {
			st := kmsg.NewOffsetFetchResponseTopic()
			st.Topic = rt.Topic
			for _, p := range rt.Partitions {
				sp := kmsg.NewOffsetFetchResponseTopicPartition()
				sp.Partition, sp.Offset = p, offset
				st.Partitions = append(st.Partitions, sp)
			}
			resp.Topics = append(resp.Topics, st)
		}
		return resp, nil, true
	})
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.RebalanceInProgress, TopLevel: true})
}

func TestACommittedOffsetThatWentBackIsNotFollowed(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	w := newWriter(t, b)
	write(t, w, name, numbered(0, 60))
	c, g := follow(t, b, name)
	c.wait(t, 60)
	waittest.Until(t, "everything is committed", func() bool { return lag(t, g) == 0 })
	assign(cluster, 1)
	waittest.Until(t, "it is noticed", func() bool { return g.Stats().Rewinds == 1 })
	write(t, w, name, numbered(60, 70))
	c.wait(t, 70)
	if got := c.messages(); len(got) != 70 {
		t.Errorf("%d messages delivered, want each once", len(got))
	}
}

func TestAnOffsetAfterTheEndMeansAnotherLog(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 60))
	assign(cluster, 1000)
	c, g := follow(t, b, name)
	c.wait(t, 60)
	waittest.Until(t, "everything is committed", func() bool { return g.Stats().Messages == 60 })
	if st := g.Stats(); st.Rewinds != 1 {
		t.Errorf("%+v", st)
	}
}

func TestMessagesRemovedBeforeTheyWereReadAreCounted(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	w := newWriter(t, b)
	for i := 0; i < 60; i += 10 {
		write(t, w, name, numbered(i, i+10)) // one batch for each call
	}
	assign(cluster, 10)
	if err := cluster.DeleteRecords(name, 0, 50); err != nil {
		t.Fatal(err)
	}
	c, g := follow(t, b, name)
	c.wait(t, 10)
	if got := c.messages(); got[0].Offset != 50 {
		t.Errorf("reading went on at %d, want 50", got[0].Offset)
	}
	if st := g.Stats(); st.Gaps != 40 {
		t.Errorf("%+v, want 40 gaps", st)
	}
}

func TestAGroupPassesALogThatWasEmptiedAndIsNotBehindForEver(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 60))
	if err := cluster.DeleteRecords(name, 0, 60); err != nil {
		t.Fatal(err)
	}
	g := startGroup(t, config(b, unique("g"), name), newCollector().handle)
	waittest.Until(t, "what is gone is committed as passed", func() bool { return lag(t, g) == 0 })
	if st := g.Stats(); st.Gaps != 60 || st.Messages != 0 {
		t.Errorf("%+v, want 60 gaps", st)
	}
}

func TestOffsetsTheLogDoesNotHaveArePassedAndCounted(t *testing.T) {
	cluster, b := faulty(t)
	name := unique("compacted")
	if err := cluster.CreateTopic(name, 1, map[string]string{"cleanup.policy": "compact"}); err != nil {
		t.Fatal(err)
	}
	w := newWriter(t, b)
	for i := range 5 { // the same key in each batch, and another one in the first
		ms := []kafkago.Message{{Key: []byte("k"), Value: []byte(strconv.Itoa(i))}}
		if i == 0 {
			ms = append(ms, kafkago.Message{Key: []byte("other"), Value: []byte("first")})
		}
		write(t, w, name, ms)
	}
	cluster.Compact() // leaves offsets 1, 4 and 5
	c, g := follow(t, b, name)
	waittest.Until(t, "everything is committed", func() bool { return lag(t, g) == 0 && g.Stats().Messages > 0 })
	stopGroup(t, g)
	offsets := make(map[int64]bool)
	for _, m := range c.messages() {
		offsets[m.Offset] = true
	}
	if want := map[int64]bool{1: true, 4: true, 5: true}; !maps.Equal(offsets, want) {
		t.Errorf("offsets %v delivered, want %v", offsets, want)
	}
	if st := g.Stats(); st.Gaps != 3 {
		t.Errorf("%+v, want three gaps", st)
	}
}
