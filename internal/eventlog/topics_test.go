package eventlog_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cuota/internal/eventlog"

	kafkago "github.com/segmentio/kafka-go"
)

func TestEnsureTopicsMayRunAnyNumberOfTimesAtOnce(t *testing.T) {
	b := brokers(t)
	topics := []eventlog.Topic{{Name: unique("a"), Partitions: 1}, {Name: unique("b"), Partitions: 4}}
	errs := make(chan error)
	for range 4 {
		go func() { errs <- eventlog.EnsureTopics(timeout(t), b, topics) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	topics[1].Partitions = 3 // more than needed is allowed
	if err := eventlog.EnsureTopics(timeout(t), b, topics); err != nil {
		t.Error(err)
	}
}

func TestEnsureTopicsRefusesATopicWithTooFewPartitions(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 2)
	err := eventlog.EnsureTopics(timeout(t), b, []eventlog.Topic{{Name: name, Partitions: 3}})
	if err == nil || !strings.Contains(err.Error(), "has 2 partitions, but 3 are needed") {
		t.Errorf("got %v", err)
	}
}

func TestCreatedTopicsKeepTheirNewestMessagesForEver(t *testing.T) {
	b := brokers(t)
	name := unique("events")
	if err := eventlog.EnsureTopics(timeout(t), b, []eventlog.Topic{{
		Name: name, Partitions: 1, RetentionBytes: 100 << 20, SegmentBytes: 10 << 20,
	}}); err != nil {
		t.Fatal(err)
	}
	transport := &kafkago.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&kafkago.Client{Addr: kafkago.TCP(b.Addresses...), Transport: transport}).DescribeConfigs(timeout(t),
		&kafkago.DescribeConfigsRequest{
			Resources: []kafkago.DescribeConfigRequestResource{{ResourceType: kafkago.ResourceTypeTopic,
				ResourceName: name}},
		})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, e := range resp.Resources[0].ConfigEntries {
		got[e.ConfigName] = e.ConfigValue
	}
	for k, want := range map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "104857600", "segment.bytes": "10485760",
	} {
		if got[k] != want {
			t.Errorf("%s is %q, want %q", k, got[k], want)
		}
	}
}

func TestEnsureTopicsWaitsForABrokerOnlyAsLongAsItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(timeout(t))
	cancel()
	err := eventlog.EnsureTopics(ctx, eventlog.At("127.0.0.1:1"), []eventlog.Topic{{Name: "a", Partitions: 1}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
