package eventlog_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

func TestBatchesAreOfOnePartitionInOrderAndNotAboveTheirSize(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 2)
	write(t, newWriter(t, b), name, numbered(0, 5000))
	c := newCollector()
	cfg := config(b, unique("g"), name)
	cfg.MaxBatch = 300
	c.fail = func(batch []kafkago.Message) error {
		for i, m := range batch {
			if len(batch) > 300 || m.Partition != batch[0].Partition || m.Offset != batch[0].Offset+int64(i) || m.Topic != name {
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
	written := make(chan error, 1)
	go func() {
		for i := 0; i < total; i += 100 {
			if err := w.Write(timeout(t), name, numbered(i, i+100)); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
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
	written := make(chan error, 1)
	go func() {
		for i := 0; i < total; i += 50 {
			if err := w.Write(timeout(t), name, numbered(i, i+50)); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
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
	c := newCollector()
	g := startGroup(t, config(b, unique("g"), name), c.handle)
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

func TestAnOffsetAfterTheEndOfTheLogMeansAnotherLogReadFromItsBeginning(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 60))
	assign(cluster, 1000)
	c := newCollector()
	g := startGroup(t, config(b, unique("g"), name), c.handle)
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
	c := newCollector()
	g := startGroup(t, config(b, unique("g"), name), c.handle)
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
	c := newCollector()
	g := startGroup(t, config(b, unique("g"), name), c.handle)
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

func TestAFailedCommitDeliversAgain(t *testing.T) {
	cluster, b := faulty(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.IllegalGeneration})
	c := newCollector()
	g := startGroup(t, config(b, unique("g"), name), c.handle)
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
	c := newCollector()
	g := startGroup(t, config(b, unique("g"), name), c.handle)
	c.wait(t, 10)
	if st := g.Stats(); st.Generations != 1 || st.Failures != 3 {
		t.Errorf("%+v", st)
	}
}
