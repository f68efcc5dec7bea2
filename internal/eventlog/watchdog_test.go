package eventlog_test

import (
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/testkit/waittest"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestWatchdogOpensAHangingPartitionAgain(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	var hung atomic.Int64
	cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return nil, nil, hung.Add(1) <= 3 // never answered
	})
	write(t, newWriter(t, b), name, numbered(0, 10))
	c := newCollector()
	cfg := config(b, unique("g"), name)
	cfg.StallAfter = 100 * time.Millisecond
	g := startGroup(t, cfg, c.handle)
	c.wait(t, 10)
	if st := g.Stats(); st.Stalls < 3 { // on a busy machine one more response may come too late
		t.Errorf("%+v, want a stall for each of three fetches that hung", st)
	}
}

// A broker may also answer every fetch with an empty response.
func TestWatchdogNoticesABrokerThatAlwaysSaysThereIsNothing(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	var lies atomic.Bool
	lies.Store(true)
	cluster.ControlKey(int16(kmsg.Fetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		if !lies.Load() {
			return nil, nil, false
		}
		cluster.KeepControl()
		resp := kreq.ResponseKind().(*kmsg.FetchResponse)
		for _, rt := range kreq.(*kmsg.FetchRequest).Topics {
			st := kmsg.NewFetchResponseTopic()
			st.Topic = rt.Topic
			for _, rp := range rt.Partitions {
				sp := kmsg.NewFetchResponseTopicPartition()
				sp.Partition = rp.Partition
				st.Partitions = append(st.Partitions, sp)
			}
			resp.Topics = append(resp.Topics, st)
		}
		return resp, nil, true
	})
	write(t, newWriter(t, b), name, numbered(0, 10))
	c := newCollector()
	cfg := config(b, unique("g"), name)
	cfg.StallAfter = 50 * time.Millisecond
	g := startGroup(t, cfg, c.handle)
	waittest.Until(t, "a stall is counted", func() bool { return g.Stats().Stalls > 0 })
	lies.Store(false)
	c.wait(t, 10)
}

func TestAnIdlePartitionIsNotAStall(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	looks := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Observe: true, Count: -1})
	cfg := config(b, unique("g"), name)
	cfg.StallAfter = 10 * time.Millisecond
	g := startGroup(t, cfg, newCollector().handle)
	if err := looks.Wait(timeout(t), 6); err != nil { // the watchdog has looked several times
		t.Fatal(err)
	}
	if st := g.Stats(); st.Stalls != 0 {
		t.Errorf("%+v", st)
	}
}
