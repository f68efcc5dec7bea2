package eventlog_test

import (
	"errors"
	"slices"
	"testing"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"

	kafkago "github.com/segmentio/kafka-go"
)

func TestWhatAGroupHasNotCommittedCanBeReadInItsOrder(t *testing.T) {
	b := brokers(t)
	name, w := topic(t, b, 2), newWriter(t, b)
	write(t, w, name, numbered(0, 100))
	c := newCollector()
	cfg := config(b, unique("g"), name)
	g := startGroup(t, cfg, c.handle)
	waittest.Until(t, "the first hundred are committed", func() bool { return g.Stats().Messages == 100 })
	stopGroup(t, g)
	late := append(numbered(100, 3000), kafkago.Message{Key: []byte("key-0")}) // without a value
	write(t, w, name, late)

	reader, err := eventlog.NewGroup(cfg, c.handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []kafkago.Message
	for range 2 { // reading commits nothing
		got = nil
		if err := reader.Unread(timeout(t), func(m kafkago.Message) error {
			got = append(got, m)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != len(late) {
		t.Fatalf("%d messages, want %d", len(got), len(late))
	}
	checkOrder(t, slices.DeleteFunc(slices.Clone(got), func(m kafkago.Message) bool { return m.Value == nil }))
	values := map[string]bool{}
	for _, m := range got {
		if m.Topic != name || m.Time.IsZero() || m.Value == nil && string(m.Key) != "key-0" {
			t.Fatalf("a message is %+v", m)
		}
		values[string(m.Value)] = true
	}
	if len(values) != len(late) || values["99"] {
		t.Errorf("%d different values, want %d; the last committed one among them: %t", len(values), len(late),
			values["99"])
	}
	full := errors.New("no more room")
	if err := reader.Unread(timeout(t), func(kafkago.Message) error { return full }); !errors.Is(err, full) {
		t.Errorf("the taker's error comes back as %v", err)
	}
}
