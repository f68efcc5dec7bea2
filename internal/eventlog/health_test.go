package eventlog_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"

	kafkago "github.com/segmentio/kafka-go"
)

func TestAGroupIsReadyWhileItStoresAndAliveUntilItStops(t *testing.T) {
	b := brokers(t)
	name := topic(t, b, 1)
	write(t, newWriter(t, b), name, numbered(0, 10))
	c := newCollector()
	var away atomic.Bool
	away.Store(true)
	c.fail = func([]kafkago.Message) error {
		if away.Load() {
			return errors.New("the store is away")
		}
		return nil
	}
	made, err := eventlog.NewGroup(config(b, unique("g"), name), c.handle, logger(t))
	if err != nil {
		t.Fatal(err)
	}
	if made.Ready() == nil {
		t.Error("a group that has not joined is ready")
	}
	g := startGroup(t, config(b, unique("g"), name), c.handle)
	told := func() string {
		if why := g.Ready(); why != nil {
			return why.Error()
		}
		return ""
	}
	waittest.Until(t, "the failure of the handler is told", func() bool {
		return strings.Contains(told(), "the store is away")
	})
	if err := g.Alive(); err != nil {
		t.Errorf("a group whose handler fails is not alive: %v", err)
	}
	away.Store(false)
	c.wait(t, 10)
	waittest.Until(t, "the group is ready", func() bool { return told() == "" })
	stopGroup(t, g)
	if g.Alive() == nil {
		t.Error("a group that has stopped is alive")
	}
}
