package eventlog_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"

	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// brokers returns the log for these tests: the embedded one, or the one at CUOTA_TEST_KAFKA.
func brokers(t testing.TB) eventlog.Brokers {
	t.Helper()
	if addr := os.Getenv("CUOTA_TEST_KAFKA"); addr != "" {
		return eventlog.At(addr)
	}
	return eventlog.At(serve(t, t.TempDir(), "127.0.0.1:0").Addr())
}

func serve(t testing.TB, dir, listen string) *kafka.Server {
	t.Helper()
	s, err := kafka.New(kafka.Config{Dir: dir, Listen: listen}, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(timeout(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// faulty returns a broker that a test can make fail.
func faulty(t testing.TB) (*kfake.Cluster, eventlog.Brokers) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, eventlog.At(c.ListenAddrs()...)
}

func logger(t testing.TB) zerolog.Logger {
	if _, ok := t.(*testing.B); ok {
		return zerolog.Nop()
	}
	return zerolog.New(zerolog.NewTestWriter(t)).With().Timestamp().Logger()
}

// timeout returns a context that limits a test. No test waits for time to pass.
func timeout(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// topic creates a topic with a unique name, for a broker that many tests share.
func topic(t testing.TB, brokers eventlog.Brokers, partitions int) string {
	t.Helper()
	name := unique("events")
	if err := eventlog.EnsureTopics(timeout(t), brokers,
		[]eventlog.Topic{{Name: name, Partitions: partitions}}); err != nil {
		t.Fatal(err)
	}
	return name
}

func unique(name string) string { return fmt.Sprintf("%s-%x", name, rand.Uint64()) }

func newWriter(t testing.TB, brokers eventlog.Brokers) *eventlog.Writer {
	t.Helper()
	w := eventlog.NewWriter(brokers, logger(t))
	t.Cleanup(w.Close)
	return w
}

func write(t testing.TB, w *eventlog.Writer, topic string, ms []kafkago.Message) {
	t.Helper()
	if err := w.Write(timeout(t), topic, ms); err != nil {
		t.Fatal(err)
	}
}

// numbered makes messages with consecutive numbers as values, over a hundred keys.
func numbered(from, to int) []kafkago.Message {
	ms := make([]kafkago.Message, 0, to-from)
	for i := from; i < to; i++ {
		ms = append(ms, kafkago.Message{Key: fmt.Append(nil, "key-", i%100), Value: fmt.Append(nil, i)})
	}
	return ms
}

// collector is a handler that keeps the messages it gets.
type collector struct {
	fail func(batch []kafkago.Message) error // called first, if set

	mu      sync.Mutex
	all     []kafkago.Message
	values  map[string]int
	changed chan struct{}
}

func newCollector() *collector {
	return &collector{values: make(map[string]int), changed: make(chan struct{}, 1)}
}

func (c *collector) handle(_ context.Context, batch []kafkago.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		if err := c.fail(batch); err != nil {
			return err
		}
	}
	c.all = append(c.all, batch...)
	for _, m := range batch {
		c.values[string(m.Value)]++
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
	return nil
}

// wait waits until n different values have arrived.
func (c *collector) wait(t testing.TB, n int) {
	t.Helper()
	ctx := timeout(t)
	for {
		c.mu.Lock()
		got := len(c.values)
		c.mu.Unlock()
		if got >= n {
			return
		}
		select {
		case <-c.changed:
		case <-ctx.Done():
			t.Fatalf("%d of %d messages came", got, n)
		}
	}
}

// messages returns the messages that have arrived, by partition and offset.
func (c *collector) messages() []kafkago.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	sorted := slices.Clone(c.all)
	slices.SortStableFunc(sorted, func(a, b kafkago.Message) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition),
			cmp.Compare(a.Offset, b.Offset))
	})
	return sorted
}

// config returns a configuration with short times for tests.
func config(brokers eventlog.Brokers, id string, topics ...string) eventlog.GroupConfig {
	return eventlog.GroupConfig{
		Brokers: brokers, ID: id, Topics: topics,
		Linger: 5 * time.Millisecond, SessionTimeout: 6 * time.Second,
		RetryLeast: 5 * time.Millisecond, RetryMost: 50 * time.Millisecond,
	}
}

func startGroup(t testing.TB, cfg eventlog.GroupConfig, h eventlog.Handler) *eventlog.Group {
	t.Helper()
	g, err := eventlog.NewGroup(cfg, h, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopGroup(t, g) })
	return g
}

// follow reads a topic with a new group.
func follow(t testing.TB, brokers eventlog.Brokers, topic string) (*collector, *eventlog.Group) {
	t.Helper()
	c := newCollector()
	return c, startGroup(t, config(brokers, unique("g"), topic), c.handle)
}

func stopGroup(t testing.TB, g *eventlog.Group) {
	t.Helper()
	if err := g.Stop(timeout(t)); err != nil {
		t.Error(err)
	}
}

// read reads a topic from its beginning through a new group.
func read(t testing.TB, brokers eventlog.Brokers, topic string, n int) []kafkago.Message {
	t.Helper()
	c := newCollector()
	g := startGroup(t, config(brokers, unique("reader"), topic), c.handle)
	c.wait(t, n)
	waittest.Until(t, "everything is read", func() bool { return lag(t, g) == 0 })
	stopGroup(t, g)
	return c.messages()
}

func lag(t testing.TB, g *eventlog.Group) (total int64) {
	t.Helper()
	lags, err := g.Lag(timeout(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lags {
		total += l.Lag
	}
	return total
}
