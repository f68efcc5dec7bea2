package eventlog_test

import (
	"testing"

	"cuota/internal/eventlog"

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
