// Package demotest gives tests a market in a real engine. Files go through ingest, an embedded
// Kafka and the projector into a database of the test's own, as in production. Only tests
// import it.
package demotest

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/demo"
	"cuota/ingest"
	"cuota/ingest/archive"
	embeddedkafka "cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/model"
	"cuota/projector"
	"cuota/sql"
)

// Clock is the default current time of tests of the demo market: the day after the market's
// last date.
var Clock = time.Date(2026, 8, 20, 15, 0, 0, 0, time.UTC)

// Keep is how many published batches can be read.
const Keep = 5

// Market is a pipeline with its own database.
type Market struct {
	Options *clickhouse.Options
	Conn    driver.Conn

	log       zerolog.Logger
	brokers   eventlog.Brokers
	archive   *archive.Archive
	ingester  *ingest.Ingester
	projector *projector.Projector
	group     *eventlog.Group
	writer    *eventlog.Writer
	clock     *atomic.Pointer[time.Time] // when batches are published
}

// patience is the longest time of every wait. A test that reaches it fails.
const patience = 5 * time.Minute

// New starts an empty pipeline, which ends with the test. Only Build makes batches, so that the
// test decides what each contains.
func New(t testing.TB) *Market {
	t.Helper()
	return over(t, Schema(t))
}

// Copies starts empty pipelines over databases of their own that read one log. Servers begin to answer from a batch
// a given time after it was built. Each has the name of a copy, and its
// projector leads: it builds what the log plans from Start on. Files that one of them ingests arrive in all.
func Copies(t testing.TB, wait time.Duration, names ...string) []*Market {
	t.Helper()
	brokers := newLog(t)
	copies := make([]*Market, len(names))
	for i, name := range names {
		copies[i] = reading(t, Schema(t), brokers, projector.Config{Copy: name, CopiesWait: wait})
		copies[i].projector.Lead(true)
	}
	return copies
}

// over starts a pipeline over a database that has the schema but no data.
func over(t testing.TB, options *clickhouse.Options) *Market {
	t.Helper()
	return reading(t, options, newLog(t), projector.Config{})
}

// newLog starts a Kafka with the topics of a market.
func newLog(t testing.TB) eventlog.Brokers {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	log := zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	broker, err := embeddedkafka.New(embeddedkafka.Config{Dir: filepath.Join(t.TempDir(), "kafka"),
		Listen: "127.0.0.1:0", MaxConnections: 1024}, log) // each copy has one for each partition
	must(t, err)
	must(t, broker.Start(ctx))
	t.Cleanup(func() { _ = broker.Stop(context.Background()) })
	brokers := eventlog.At(broker.Addr())
	topics := make([]eventlog.Topic, 0, len(projector.Topics()))
	for _, name := range projector.Topics() {
		topics = append(topics, eventlog.Topic{Name: name, Partitions: 1})
	}
	must(t, eventlog.EnsureTopics(ctx, brokers, topics))
	return brokers
}

// reading starts a pipeline of a log and a database.
func reading(t testing.TB, options *clickhouse.Options, brokers eventlog.Brokers, config projector.Config) *Market {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	log := zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)

	m := &Market{Options: options, log: log, brokers: brokers, clock: new(atomic.Pointer[time.Time])}
	m.clock.Store(&Clock)
	var err error
	m.Conn, err = clickhouse.Open(m.Options)
	must(t, err)
	t.Cleanup(func() { _ = m.Conn.Close() })

	m.writer = eventlog.NewWriter(brokers, log)
	t.Cleanup(m.writer.Close)
	m.archive = archive.New(filepath.Join(t.TempDir(), "archive"), func() time.Time { return Clock })
	m.ingester = ingest.New(m.archive, publisher{m.writer}, log)

	config.Keep, config.Batches, config.Now = Keep, m.writer, func() time.Time { return *m.clock.Load() }
	config.Rules = func(ctx context.Context, groups []string) (map[string][]string, error) {
		return eventlog.Versions(ctx, brokers, groups)
	}
	m.projector = projector.New(config, m.Conn, log)
	t.Cleanup(func() { _ = m.projector.Stop(context.Background()) }) // a test may have started it, or failed meanwhile
	m.group, err = eventlog.NewGroup(eventlog.GroupConfig{
		Brokers: brokers, ID: projector.GroupOf(config.Copy), Topics: projector.Topics(), Linger: 5 * time.Millisecond,
		Version: sql.Rules(),
	}, m.projector.Consume, log)
	must(t, err)
	must(t, m.group.Start(context.WithoutCancel(ctx))) // the group runs until Stop, so it must not end with ctx
	t.Cleanup(func() { _ = m.group.Stop(context.Background()) })
	return m
}

// Projector returns the projector of the market.
func (m *Market) Projector() *projector.Projector { return m.projector }

// Kafka returns the addresses of the brokers of the market.
func (m *Market) Kafka() []string { return m.brokers.Addresses }

// SetClock sets the time at which later batches are published. It is Clock at first.
func (m *Market) SetClock(now time.Time) { m.clock.Store(&now) }

// Ingest publishes a file as if its source had published it at the given time.
func (m *Market) Ingest(t testing.TB, dataset model.Dataset, path string, published time.Time) ingest.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	report, err := m.ingester.File(ctx, ingest.Request{Dataset: dataset, Path: path, Published: published})
	must(t, err)
	return report
}

// IngestPart publishes the first rows of a file and then stops as a killed process would,
// without a manifest. It returns the number of rows it published.
func (m *Market) IngestPart(t testing.TB, dataset model.Dataset, path string, published time.Time, rows int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	part := &partial{publisher: publisher{m.writer}, left: rows}
	_, err := ingest.New(m.archive, part, m.log).File(ctx,
		ingest.Request{Dataset: dataset, Path: path, Published: published})
	if !errors.Is(err, errCut) {
		t.Fatalf("ingest of a part ended with %v", err)
	}
	return rows - part.left
}

var errCut = errors.New("the process was killed")

// partial publishes the given number of messages and then fails.
type partial struct {
	publisher
	left int
}

func (p *partial) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	cut := min(len(messages), p.left)
	if err := p.publisher.Publish(ctx, topic, messages[:cut]); err != nil {
		return err
	}
	if p.left -= cut; p.left == 0 {
		return errCut
	}
	return nil
}

// IngestDemo publishes all files of the demo market.
func (m *Market) IngestDemo(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	must(t, demo.Extract(dir))
	sources, err := demo.Sources()
	must(t, err)
	for _, source := range sources {
		m.Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
	}
}

// IngestMarket publishes the files of a market that cuota synth wrote, those that were published
// up to a moment and after another one.
func (m *Market) IngestMarket(t testing.TB, dir string, after, until time.Time) {
	t.Helper()
	sources, err := demo.SourcesIn(dir)
	must(t, err)
	for _, source := range sources {
		if source.Published.After(after) && !source.Published.After(until) {
			m.Ingest(t, source.Dataset, filepath.Join(dir, source.Path), source.Published)
		}
	}
}

// Build waits until everything that was ingested is stored. Then it builds and publishes a
// batch, and returns the batch's number.
func (m *Market) Build(t testing.TB) uint64 {
	t.Helper()
	return m.build(t, false)
}

// Rebuild is Build, but builds every day again.
func (m *Market) Rebuild(t testing.TB) uint64 {
	t.Helper()
	return m.build(t, true)
}

// TryBuild is Build, but returns the error of a failed build.
func (m *Market) TryBuild(t testing.TB) error {
	t.Helper()
	_, err := m.tryBuild(t, false)
	return err
}

func (m *Market) build(t testing.TB, rebuild bool) uint64 {
	t.Helper()
	number, err := m.tryBuild(t, rebuild)
	must(t, err)
	return number
}

func (m *Market) tryBuild(t testing.TB, rebuild bool) (uint64, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m.settle(t, ctx)
	must(t, m.projector.Settle(ctx))
	return m.projector.Build(ctx, rebuild)
}

// Settle waits until everything that was ingested is stored, and records which files are
// complete.
func (m *Market) Settle(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m.settle(t, ctx)
	must(t, m.projector.Settle(ctx))
}

// Send writes messages to a topic without changing them.
func (m *Market) Send(t testing.TB, topic string, messages ...kafka.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	must(t, m.writer.Write(ctx, topic, messages))
}

// settle waits until the group has stored and committed all messages.
func (m *Market) settle(t testing.TB, ctx context.Context) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		lags, err := m.group.Lag(ctx)
		must(t, err)
		behind := int64(0)
		for _, lag := range lags {
			behind += lag.Lag
		}
		if behind == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("still %d messages behind: %v", behind, ctx.Err())
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// publisher adapts an eventlog.Writer to ingest's interface.
type publisher struct{ writer *eventlog.Writer }

func (p publisher) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	batch := make([]kafka.Message, len(messages))
	for i, message := range messages {
		batch[i] = kafka.Message{Key: message.Key, Value: message.Value}
	}
	return p.writer.Write(ctx, topic, batch)
}
