// Package flowtest runs a log and a reader of it for tests of the flow.
package flowtest

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"
	kafkago "github.com/segmentio/kafka-go"

	"cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/projector"
)

// Log runs the embedded log with some topics. It deletes messages above their
// retention at once.
func Log(t *testing.T, topics []eventlog.Topic) eventlog.Brokers {
	t.Helper()
	server, err := kafka.New(kafka.Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", MaxBytes: 4 << 30, CleanEvery: 10 * time.Millisecond,
	}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	brokers := eventlog.At(server.Addr())
	if err := eventlog.EnsureTopics(t.Context(), brokers, topics); err != nil {
		t.Fatal(err)
	}
	return brokers
}

// Read starts a consumer group in the projector's place, until the test ends.
func Read(t *testing.T, brokers eventlog.Brokers) *eventlog.Group {
	t.Helper()
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: brokers, ID: projector.Group,
		Topics: projector.Topics()}, func(context.Context, []kafkago.Message) error {
		return nil
	}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := group.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := group.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return group
}
