package eventlog_test

import (
	"testing"
	"time"

	"cuota/internal/eventlog"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestLagCountsWhatIsNotCommitted(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	g, err := eventlog.NewGroup(config(b, unique("g"), name), newCollector().handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	lags, err := g.Lag(timeout(t))
	if err != nil {
		t.Fatal(err)
	}
	want := eventlog.PartitionLag{Topic: name, Partition: 0, Committed: -1, End: 10, Lag: 10}
	if len(lags) != 1 || lags[0] != want {
		t.Errorf("got %+v, want %+v", lags, want)
	}
}

// A topic whose leader is away must not keep anybody from knowing the lag in another one.
func TestLagOfOneTopicDoesNotNeedTheOthers(t *testing.T) {
	b := brokers(t)
	name, missing := topic(t, b, 1), unique("no-such-topic")
	write(t, newWriter(t, b), name, numbered(0, 10))
	b.Patience = time.Second
	cfg := config(b, unique("g"), name)
	cfg.Topics = append(cfg.Topics, missing)
	g, err := eventlog.NewGroup(cfg, newCollector().handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	if lags, err := g.Lag(timeout(t)); err == nil {
		t.Errorf("the lag in %s is %+v", missing, lags)
	}
	lags, err := g.Lag(timeout(t), name)
	want := eventlog.PartitionLag{Topic: name, Partition: 0, Committed: -1, End: 10, Lag: 10}
	if err != nil || len(lags) != 1 || lags[0] != want {
		t.Errorf("got %+v, %v; want %+v", lags, err, want)
	}
}

// An offset that somebody has set after the end of the log says nothing about what is stored.
func TestTheLagIsNotKnownIfTheCommittedOffsetIsAfterTheLog(t *testing.T) {
	b := brokers(t)
	name, group := topic(t, b, 1), unique("g")
	write(t, newWriter(t, b), name, numbered(0, 10))
	transport := &kafkago.Transport{}
	defer transport.CloseIdleConnections()
	client := &kafkago.Client{Addr: kafkago.TCP(b.Addresses...), Transport: transport}
	if _, err := client.OffsetCommit(timeout(t), &kafkago.OffsetCommitRequest{GroupID: group, GenerationID: -1,
		Topics: map[string][]kafkago.OffsetCommit{name: {{Partition: 0, Offset: 1_000_000_000}}}}); err != nil {
		t.Fatal(err)
	}
	g, err := eventlog.NewGroup(config(b, group, name), newCollector().handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	lags, err := g.Lag(timeout(t))
	if err != nil {
		t.Fatal(err)
	}
	want := eventlog.PartitionLag{Topic: name, Partition: 0, Committed: 1_000_000_000, End: 10, Ahead: 999_999_990}
	if len(lags) != 1 || lags[0] != want {
		t.Errorf("got %+v, want %+v", lags, want)
	}
}

func TestLagWaitsForBrokersThatHaveYetToChooseWhoLeads(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Err: kerr.NotLeaderForPartition, Count: 3})
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorLoadInProgress, Count: 3})
	g, err := eventlog.NewGroup(config(b, unique("g"), name), newCollector().handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	if lags, err := g.Lag(timeout(t)); err != nil || len(lags) != 1 || lags[0].Lag != 10 {
		t.Errorf("got %+v, %v", lags, err)
	}
}
