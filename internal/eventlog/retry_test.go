package eventlog_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// call is a call to the brokers, with the requests that it sends.
type call struct {
	name     string
	requests map[kmsg.Key]*kerr.Error // nil: the library ignores such an error, so only the connection is made to fail
	ask      func(context.Context, eventlog.Brokers, string) error
}

func calls(t *testing.T) []call {
	group := func(b eventlog.Brokers, topic string) *eventlog.Group {
		g, err := eventlog.NewGroup(config(b, "g", topic), newCollector().handle, logger(t))
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	return []call{
		{"EnsureTopics", map[kmsg.Key]*kerr.Error{kmsg.Metadata: kerr.LeaderNotAvailable,
			kmsg.CreateTopics: kerr.NotController},
			func(ctx context.Context, b eventlog.Brokers, topic string) error {
				return eventlog.EnsureTopics(ctx, b, []eventlog.Topic{{Name: topic + "-new", Partitions: 1}})
			}},
		{"RetentionBytes", map[kmsg.Key]*kerr.Error{kmsg.DescribeConfigs: kerr.RequestTimedOut},
			func(ctx context.Context, b eventlog.Brokers, topic string) error {
				_, err := eventlog.RetentionBytes(ctx, b, []string{topic})
				return err
			}},
		{"Lag", map[kmsg.Key]*kerr.Error{
			kmsg.Metadata: kerr.LeaderNotAvailable, kmsg.ListOffsets: kerr.NotLeaderForPartition,
			kmsg.FindCoordinator: nil, kmsg.OffsetFetch: kerr.CoordinatorLoadInProgress,
		}, func(ctx context.Context, b eventlog.Brokers, topic string) error {
			_, err := group(b, topic).Lag(ctx)
			return err
		}},
		{"Members", map[kmsg.Key]*kerr.Error{kmsg.FindCoordinator: nil,
			kmsg.DescribeGroups: kerr.CoordinatorLoadInProgress},
			func(ctx context.Context, b eventlog.Brokers, topic string) error {
				_, err := group(b, topic).Members(ctx)
				return err
			}},
		{"Write", map[kmsg.Key]*kerr.Error{kmsg.Metadata: kerr.LeaderNotAvailable,
			kmsg.Produce: kerr.NotLeaderForPartition},
			func(ctx context.Context, b eventlog.Brokers, topic string) error {
				w := eventlog.NewWriter(b, logger(t))
				defer w.Close()
				return w.Write(ctx, topic, numbered(0, 10))
			}},
		{"consuming", map[kmsg.Key]*kerr.Error{
			kmsg.FindCoordinator: kerr.CoordinatorNotAvailable, kmsg.JoinGroup: kerr.CoordinatorLoadInProgress,
			kmsg.SyncGroup: kerr.NotCoordinator, kmsg.OffsetFetch: kerr.CoordinatorLoadInProgress,
			kmsg.ListOffsets: kerr.NotLeaderForPartition, kmsg.Fetch: kerr.NotLeaderForPartition,
		}, func(_ context.Context, b eventlog.Brokers, topic string) error {
			w := eventlog.NewWriter(b, logger(t))
			defer w.Close()
			write(t, w, topic, numbered(0, 10))
			c := newCollector()
			g := startGroup(t, config(b, "g", topic), c.handle)
			c.wait(t, 10)
			stopGroup(t, g)
			return nil
		}},
	}
}

func TestAnErrorThatPassesIsRetriedWhateverIsAskedOfTheBrokers(t *testing.T) {
	longtest.InTurns(t)
	const times = 3
	for _, call := range calls(t) {
		for request, code := range call.requests {
			if code != nil {
				t.Run(call.name+"/"+request.Name()+"/"+code.Message, func(t *testing.T) {
					cluster, b := faulty(t)
					topic := topic(t, b, 1)
					fault := cluster.Fault(kfake.Fault{Keys: []kmsg.Key{request}, Err: code, Count: times})
					if err := call.ask(timeout(t), b, topic); err != nil {
						t.Error(err)
					}
					if fault.Hits() != times {
						t.Errorf("the request failed %d times, want %d", fault.Hits(), times)
					}
				})
			}
			t.Run(call.name+"/"+request.Name()+"/EOF", func(t *testing.T) {
				cluster, b := faulty(t)
				topic := topic(t, b, 1)
				var dropped atomic.Int64
				cluster.ControlKey(int16(request), func(kmsg.Request) (kmsg.Response, error, bool) {
					cluster.KeepControl()
					if dropped.Add(1) > times {
						return nil, nil, false
					}
					return nil, errors.New("dropped"), true
				})
				if err := call.ask(timeout(t), b, topic); err != nil {
					t.Error(err)
				}
				if dropped.Load() < times {
					t.Errorf("the connection was dropped %d times, want %d", dropped.Load(), times)
				}
			})
		}
	}
}

func TestBrokersThatStayAwayAreReportedAfterAWhile(t *testing.T) {
	away := eventlog.At("127.0.0.1:1", "127.0.0.1:2")
	away.Patience = 10 * time.Millisecond
	for _, call := range calls(t) {
		if call.name == "consuming" { // a member retries without limit
			continue
		}
		err := call.ask(timeout(t), away, "topic")
		var unavailable *eventlog.UnavailableError
		if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "127.0.0.1:1,127.0.0.1:2") {
			t.Errorf("%s: %v", call.name, err)
		}
	}
}

func TestACallThatIsTriedAgainForAWhileIsReportedOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(timeout(t))
	away := eventlog.At("127.0.0.1:1")
	told := 0
	away.Waiting = func(err error, left time.Duration) {
		if told++; err == nil || left <= 0 || left >= time.Minute {
			t.Errorf("told %v, and %s are left", err, left)
		}
		cancel()
	}
	if err := eventlog.EnsureTopics(ctx, away, []eventlog.Topic{{Name: "a", Partitions: 1}}); !errors.Is(err,
		context.Canceled) || told != 1 {
		t.Errorf("told %d times, and gave %v", told, err)
	}
}

func TestMembersCountsTheConsumersOfAGroup(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 2)
	write(t, newWriter(t, b), name, numbered(0, 100))
	id := unique("g")
	c := newCollector()
	g := startGroup(t, config(b, id, name), c.handle)
	c.wait(t, 100)
	asks, err := eventlog.NewGroup(config(b, id, name), newCollector().handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if members, err := asks.Members(timeout(t)); err != nil || members != want {
			t.Errorf("%d members, %v, want %d", members, err, want)
		}
		stopGroup(t, g) // leaves the group
	}
}

func TestALoadingCoordinatorSendsNoGroupBackToTheBeginning(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	first := newCollector()
	g := startGroup(t, config(b, "g", name), first.handle)
	waittest.Until(t, "everything is committed", func() bool { return g.Stats().Messages == 10 })
	stopGroup(t, g)
	write(t, newWriter(t, b), name, numbered(10, 20))
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorLoadInProgress})
	second := newCollector()
	startGroup(t, config(b, "g", name), second.handle)
	second.wait(t, 10)
	if got := second.messages(); len(got) != 10 || got[0].Offset != 10 {
		t.Errorf("%d messages came, the first at offset %d; want those from 10 on", len(got), got[0].Offset)
	}
}
