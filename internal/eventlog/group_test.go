package eventlog_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestGroupReadsAllTopicsFromTheirBeginningAndCommits(t *testing.T) {
	b := brokers(t)
	first, second := topic(t, b, 3), topic(t, b, 1)
	w := newWriter(t, b)
	write(t, w, first, numbered(0, 3000)) // before any member has joined
	c := newCollector()
	id := unique("g")
	g := startGroup(t, config(b, id, first, second), c.handle)
	c.wait(t, 3000)
	write(t, w, second, numbered(3000, 3500))
	c.wait(t, 3500)
	waittest.Until(t, "everything is committed", func() bool { return g.Stats().Messages == 3500 })
	if n := lag(t, g); n != 0 {
		t.Errorf("lag %d after everything is committed", n)
	}
	got := c.messages()
	if len(got) != 3500 {
		t.Errorf("%d messages delivered, 3500 written", len(got))
	}
	checkOrder(t, slices.DeleteFunc(got, func(m kafkago.Message) bool { return m.Topic != first }))
	if st := g.Stats(); st.Stalls+st.Gaps+st.Rewinds != 0 {
		t.Errorf("%+v", st)
	}
	stopGroup(t, g)

	// The next member continues where the group was.
	write(t, w, first, numbered(3500, 3600))
	next := newCollector()
	startGroup(t, config(b, id, first, second), next.handle)
	next.wait(t, 100)
	if got := next.messages(); len(got) != 100 {
		t.Errorf("%d messages delivered again", len(got)-100)
	}
}

func TestBatchesAreOfOnePartitionInOrderAndNotAboveTheirSize(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 2)
	write(t, newWriter(t, b), name, numbered(0, 5000))
	c := newCollector()
	cfg := config(b, unique("g"), name)
	cfg.MaxBatch = 300
	c.fail = func(batch []kafkago.Message) error {
		for i, m := range batch {
			if len(batch) > 300 || m.Partition != batch[0].Partition || m.Offset != batch[0].Offset+int64(i) ||
				m.Topic != name {
				t.Errorf("batch of %d, message %d is %s/%d at %d", len(batch), i, m.Topic, m.Partition, m.Offset)
			}
		}
		return nil
	}
	g := startGroup(t, cfg, c.handle)
	c.wait(t, 5000)
	stopGroup(t, g)
}

func TestAFailedBatchIsDeliveredAgainAndNothingIsCommittedBefore(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 100))
	c := newCollector()
	var g *eventlog.Group
	started := make(chan struct{})
	var firsts []int64
	c.fail = func(batch []kafkago.Message) error {
		<-started
		firsts = append(firsts, batch[0].Offset)
		lags, err := g.Lag(timeout(t))
		if err != nil || lags[0].Committed != -1 {
			t.Errorf("while the batch is handled: %+v, %v", lags, err)
		}
		if len(firsts) < 3 {
			return errors.New("the store is away")
		}
		return nil
	}
	g = startGroup(t, config(b, unique("g"), name), c.handle)
	close(started)
	c.wait(t, 100)
	waittest.Until(t, "the batch is committed", func() bool { return lag(t, g) == 0 })
	stopGroup(t, g)
	if len(firsts) != 3 || firsts[0] != 0 || firsts[1] != 0 || firsts[2] != 0 {
		t.Errorf("batches began at %v, want the first offset three times", firsts)
	}
	if st := g.Stats(); st.Failures != 2 || st.Messages != 100 {
		t.Errorf("%+v", st)
	}
}

func TestStopDuringAHandlerLeavesItsBatchUncommitted(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	handling := make(chan struct{}, 1)
	g := startGroup(t, config(b, unique("g"), name), func(ctx context.Context, _ []kafkago.Message) error {
		handling <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	<-handling
	stopGroup(t, g)
	if n := lag(t, g); n != 10 {
		t.Errorf("lag %d, want 10", n)
	}
}

// writeMeanwhile writes a number of messages step by step, and returns the first error, or nil at
// the end.
func writeMeanwhile(t *testing.T, w *eventlog.Writer, topic string, total, step int) <-chan error {
	t.Helper()
	written := make(chan error, 1)
	go func() {
		for i := 0; i < total; i += step {
			if err := w.Write(timeout(t), topic, numbered(i, i+step)); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	return written
}

// Members join and leave while messages are written. No message is lost, and the committed
// offsets, which are observed all the time, never go back.
func TestRebalancesLoseNothingAndCommitsNeverGoBack(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 4)
	id := unique("g")
	w := newWriter(t, b)
	c := newCollector()
	watching, stopWatching := context.WithCancel(context.Background())
	var watcher sync.WaitGroup
	watcher.Go(func() {
		highest := make(map[int32]int64)
		for watching.Err() == nil {
			info := cluster.GroupInfo(id)
			if info == nil {
				continue
			}
			for p, commit := range info.Commits[name] {
				if commit.Offset < highest[p] {
					t.Errorf("partition %d went back from %d to %d", p, highest[p], commit.Offset)
				}
				highest[p] = commit.Offset
			}
		}
	})
	defer watcher.Wait()
	defer stopWatching()

	cfg := config(b, id, name)
	cfg.MaxBatch = 50 // many commits
	const total = 20_000
	written := writeMeanwhile(t, w, name, total, 100)
	steady := startGroup(t, cfg, c.handle)
	c.wait(t, total/20)
	for range 2 {
		guest := startGroup(t, cfg, c.handle)
		waittest.Until(t, "the guest takes part", func() bool { return guest.Stats().Generations > 0 })
		stopGroup(t, guest)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	c.wait(t, total)
	waittest.Until(t, "everything is committed", func() bool { return lag(t, steady) == 0 })
	if n := steady.Stats().Generations; n < 3 {
		t.Errorf("%d generations, so this test proves nothing", n)
	}
	t.Logf("%d delivered for %d written, %d generations", len(c.messages()), total, steady.Stats().Generations)
}

func TestGroupAndWriterGoOnAfterTheBrokerRestarts(t *testing.T) {
	dir := t.TempDir()
	// The address is used by nothing else, so its port is free again at the restart.
	s := serve(t, dir, "127.0.0.2:0")
	addr := s.Addr()
	name := topic(t, eventlog.At(addr), 2)
	w := newWriter(t, eventlog.At(addr))
	c := newCollector()
	g := startGroup(t, config(eventlog.At(addr), "g", name), c.handle)
	const total = 10_000
	written := writeMeanwhile(t, w, name, total, 50)
	for part := 1; part <= 2; part++ {
		c.wait(t, part*total/3)
		if err := s.Stop(timeout(t)); err != nil {
			t.Fatal(err)
		}
		s = serve(t, dir, addr)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	c.wait(t, total)
	waittest.Until(t, "everything is committed", func() bool { return lag(t, g) == 0 })
	if st := g.Stats(); st.Gaps+st.Rewinds != 0 {
		t.Errorf("%+v", st)
	}
}

func TestAFailedCommitDeliversAgain(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.IllegalGeneration})
	c, g := follow(t, b, name)
	waittest.Until(t, "everything is committed", func() bool { return g.Stats().Messages == 10 })
	if got := c.messages(); len(got) != 20 {
		t.Errorf("%d deliveries, want 20", len(got))
	}
}

func TestFetchErrorsAreRetriedWithoutLeavingTheGroup(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.UnknownServerError, Count: 3})
	c, g := follow(t, b, name)
	c.wait(t, 10)
	if st := g.Stats(); st.Generations != 1 || st.Failures != 3 {
		t.Errorf("%+v", st)
	}
}

func TestAMemberThatJoinsTakesNothingFromOneThatHasItsShare(t *testing.T) {
	b := brokers(t)
	name, id := topic(t, b, 1), unique("g")
	nothing := func(context.Context, []kafkago.Message) error { return nil }
	var lost atomic.Int64 // generations in which the first member did not have the partition
	first := config(b, id, name)
	first.Assigned = func(partitions map[string][]int) {
		if len(partitions[name]) == 0 {
			lost.Add(1)
		}
	}
	leader := startGroup(t, first, nothing)
	waittest.Until(t, "the first member takes part", func() bool { return leader.Stats().Generations > 0 })
	// Members are sorted by their ids, which are random: without the rule one of six would come
	// before the first, but for a chance of 1 in 64.
	for range 6 {
		before := leader.Stats().Generations
		guest := startGroup(t, config(b, id, name), nothing)
		waittest.Until(t, "the guest takes part", func() bool {
			return guest.Stats().Generations > 0 && leader.Stats().Generations > before
		})
		stopGroup(t, guest)
	}
	if n := lost.Load(); n > 0 {
		t.Errorf("the first member lost its partition %d times", n)
	}
}
