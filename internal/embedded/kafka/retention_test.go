package kafka_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"

	kafkago "github.com/segmentio/kafka-go"
)

// A client that requests retention by time and a very small size gets neither. The partition
// keeps its newest messages, and its offsets continue after a restart.
func TestRetentionNeverEmptiesAPartition(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	cfg := kafka.Config{Dir: dir, CleanEvery: 10 * time.Millisecond}
	s := start(t, cfg)
	c := client(t, s.Addr())
	resp, err := c.CreateTopics(ctx, &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{
		Topic: "events", NumPartitions: 1, ReplicationFactor: 1,
		ConfigEntries: []kafkago.ConfigEntry{
			{ConfigName: "retention.ms", ConfigValue: "1"},
			{ConfigName: "retention.bytes", ConfigValue: "1"},
			{ConfigName: "segment.bytes", ConfigValue: "1"},
			{ConfigName: "cleanup.policy", ConfigValue: "compact,delete"},
		},
	}}})
	if err != nil || resp.Errors["events"] != nil {
		t.Fatal(err, resp)
	}
	if err := writer(t, s.Addr()).Write(ctx, "events", messages(0, 60_000, 500)); err != nil {
		t.Fatal(err)
	}
	first, end := bounds(t, c, "events")
	for first == 0 {
		if ctx.Err() != nil {
			t.Fatal("retention never removed anything, so this test proves nothing")
		}
		first, end = bounds(t, c, "events")
	}
	if end != 60_000 || first >= end {
		t.Fatalf("log is %d to %d, want messages up to 60000", first, end)
	}
	commit(t, s.Addr(), "projector", "events", end)
	stop(t, s)

	s = start(t, cfg)
	c = client(t, s.Addr())
	again, endAgain := bounds(t, c, "events")
	if endAgain != end || again >= endAgain {
		t.Fatalf("after the restart the log is %d to %d, want some messages up to %d", again, endAgain, end)
	}
	if got := readAll(t, s.Addr(), "events"); string(got[len(got)-1].Key) != "59999" {
		t.Errorf("last key is %s", got[len(got)-1].Key)
	}
	// Retention continues to work although no topic is created.
	if err := writer(t, s.Addr()).Write(ctx, "events", messages(60_000, 120_000, 500)); err != nil {
		t.Fatal(err)
	}
	for now := again; now == again; now, _ = bounds(t, c, "events") {
		if ctx.Err() != nil {
			t.Fatal("retention doesn't work after a restart")
		}
	}
}

func TestFullLogRefusesWritesAndStillServesAndStarts(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	cfg := kafka.Config{Dir: dir, MaxBytes: 32 << 20, CleanEvery: time.Hour}
	s := start(t, cfg)
	createTopic(t, s.Addr(), eventlog.Topic{Name: "events", Partitions: 1})
	w := writer(t, s.Addr())
	var err error
	acked := 0
	for err == nil && acked < 1_000_000 {
		if err = w.Write(ctx, "events", messages(acked, acked+2000, 500)); err == nil {
			acked += 2000
		}
	}
	if !errors.Is(err, kafkago.PolicyViolation) {
		t.Fatalf("after %d messages: %v, want POLICY_VIOLATION", acked, err)
	}
	if !s.Full() {
		t.Error("the server doesn't know it is full")
	}
	if got := readAll(t, s.Addr(), "events"); len(got) < acked {
		t.Errorf("%d messages, %d were acknowledged", len(got), acked)
	}
	stop(t, s)
	s = start(t, cfg) // slightly below the cap
	stop(t, s)

	cfg.MaxBytes = 64 << 20
	s = start(t, cfg)
	if err := writer(t, s.Addr()).Write(ctx, "events", messages(0, 10, 500)); err != nil {
		t.Errorf("under a larger cap: %v", err)
	}
}

func TestALogAboveItsCapIsRefusedAtStart(t *testing.T) {
	dir := t.TempDir()
	stop(t, start(t, kafka.Config{Dir: dir}))
	large := filepath.Join(dir, "partitions", "events-0")
	if err := os.MkdirAll(large, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(large, "0.dat"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(large, "0.dat"), 33<<20); err != nil {
		t.Fatal(err)
	}
	_, err := tryStart(t, kafka.Config{Dir: dir, MaxBytes: 32 << 20})
	if err == nil || !strings.Contains(err.Error(), "raise the limit") {
		t.Fatalf("got %v, want a refusal with the remedy", err)
	}
}

func TestACommitAfterTheEndOfTheLogIsRefusedAtStart(t *testing.T) {
	dir := t.TempDir()
	s := start(t, kafka.Config{Dir: dir})
	createTopic(t, s.Addr(), eventlog.Topic{Name: "events", Partitions: 1})
	if err := writer(t, s.Addr()).Write(timeout(t), "events", messages(0, 10, 50)); err != nil {
		t.Fatal(err)
	}
	commit(t, s.Addr(), "projector", "events", 10)
	stop(t, s)

	// The log loses its end, as after a power failure.
	if err := os.Truncate(filepath.Join(dir, "partitions", "events-0", "0.dat"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := tryStart(t, kafka.Config{Dir: dir})
	if err == nil {
		t.Fatal("started over a lost tail")
	}
	groups := filepath.Join(dir, "groups.log")
	for _, want := range []string{"projector", "events/0", "offset 10", "ends at 0", groups} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error doesn't tell %q: %v", want, err)
		}
	}
	if err := os.Remove(groups); err != nil {
		t.Fatal(err)
	}
	start(t, kafka.Config{Dir: dir})
}
