package flow

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/cmd/cuota/flow/flowtest"
	"cuota/ingest"
	"cuota/internal/eventlog"
	"cuota/internal/testkit/waittest"
	"cuota/model"
)

// withRetention returns the product's topics, with a retention of so many bytes for one.
func withRetention(topic string, bytes int64) []eventlog.Topic {
	list := Topics()
	for i := range list {
		if list[i].Name == topic {
			list[i].RetentionBytes, list[i].SegmentBytes = bytes, 1<<20
		}
	}
	return list
}

// incompressible makes messages of random bytes, which compression does not make
// smaller.
func incompressible(random *rand.ChaCha8, count, size int) []ingest.Message {
	list := make([]ingest.Message, count)
	for i := range list {
		value := make([]byte, size)
		_, _ = random.Read(value) // never fails
		list[i] = ingest.Message{Key: fmt.Append(nil, "key-", i), Value: value}
	}
	return list
}

// logged is a channel that receives what is logged.
type logged chan string

func (c logged) Write(line []byte) (int, error) {
	c <- string(line)
	return len(line), nil
}

func TestIngestWaitsBeforeRetentionReachesUnreadRows(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	topic := model.Holdings.Topic()
	brokers := flowtest.Log(t, withRetention(topic, 16<<20))
	writer := eventlog.NewWriter(brokers, zerolog.Nop())
	defer writer.Close()
	waiting := make(logged, 1) // the message is logged once
	pace := newBackpressure(writer, brokers, "", zerolog.New(waiting))

	// Three times the retention of the topic, and far fewer messages than maxBehind.
	const batches, count, size = 60, 2000, 389
	published := make(chan error, 1)
	go func() {
		random := rand.NewChaCha8([32]byte{1})
		for range batches {
			if err := pace.Publish(ctx, topic, incompressible(random, count, size)); err != nil {
				published <- err
				return
			}
		}
		published <- nil
	}()
	select {
	case line := <-waiting:
		if !strings.Contains(line, "publishing is paused until the projector") {
			t.Errorf("logged %s", line)
		}
	case err := <-published:
		t.Fatalf("all was published and nobody read it: %v", err)
	}
	for _, lag := range lags(t, pace.lag) {
		if lag.Lost > 0 {
			t.Fatalf("%d messages of %s are gone while ingest waits", lag.Lost, lag.Topic)
		}
	}

	go func() {
		for range waiting { // it may wait again
		}
	}()
	defer close(waiting)
	group := flowtest.Read(t, brokers)
	if err := <-published; err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "all is read", func() bool { return total(lags(t, group)) == 0 })
	// A group counts a batch after its offset is committed, so the last one may not be counted yet.
	waittest.Until(t, "all is counted", func() bool {
		stats := group.Stats()
		return stats.Messages+stats.Gaps >= batches*count
	})
	if stats := group.Stats(); stats.Gaps > 0 || stats.Messages != batches*count {
		t.Errorf("of %d messages %d were read and %d were gone", batches*count, stats.Messages, stats.Gaps)
	}
}

func TestIngestThatWaitsEndsOnceThereIsNoProjectorForAWhile(t *testing.T) {
	topic := model.Holdings.Topic()
	brokers := flowtest.Log(t, withRetention(topic, 16<<20))
	writer := eventlog.NewWriter(brokers, zerolog.Nop())
	defer writer.Close()
	pace := newBackpressure(writer, brokers, "", zerolog.Nop())
	pace.absence = time.Millisecond
	random := rand.NewChaCha8([32]byte{1})
	var err error
	for batch := 0; err == nil && batch < 60; batch++ {
		err = pace.Publish(t.Context(), topic, incompressible(random, 2000, 389))
	}
	if err == nil || !strings.Contains(err.Error(), "start cuota project") {
		t.Errorf("publishing three times what the topic keeps gives %v", err)
	}
}

func TestIngestIsRefusedOnceUnreadRowsAreGone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	topic := model.Holdings.Topic()
	brokers := flowtest.Log(t, withRetention(topic, 8<<20))
	writer := eventlog.NewWriter(brokers, zerolog.Nop())
	defer writer.Close()
	pace := newBackpressure(writer, brokers, "", zerolog.Nop())

	random := rand.NewChaCha8([32]byte{2})
	const count = 40_000
	for range 4 { // past the backpressure, as another program would publish
		var list []kafka.Message
		for _, m := range incompressible(random, count/4, 389) {
			list = append(list, kafka.Message{Key: m.Key, Value: m.Value})
		}
		if err := writer.Write(ctx, topic, list); err != nil {
			t.Fatal(err)
		}
	}
	waittest.Until(t, "retention removes rows", func() bool {
		return lost(lags(t, pace.lag)) != nil
	})
	if behind := total(lags(t, pace.lag)); behind != count {
		t.Errorf("%d messages are behind, want also those that are gone: %d", behind, count)
	}
	one := []ingest.Message{{Key: []byte("key"), Value: []byte("value")}}
	for _, to := range []string{topic, model.ControlTopic} {
		if err := pace.Publish(ctx, to, one); err == nil ||
			!strings.Contains(err.Error(), "since the last published batch again") {
			t.Errorf("publishing to %s gives %v, want what to do", to, err)
		}
	}

	group := flowtest.Read(t, brokers)
	waittest.Until(t, "all that there is was read", func() bool { return total(lags(t, group)) == 0 })
	if stats := group.Stats(); stats.Gaps == 0 || stats.Gaps+stats.Messages != count {
		t.Errorf("%d messages were read and %d gone, want %d together", stats.Messages, stats.Gaps, count)
	}
	if err := errors.Join(pace.Publish(ctx, topic, one), pace.Publish(ctx, model.ControlTopic, one)); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func lags(t *testing.T, group *eventlog.Group) []eventlog.PartitionLag {
	t.Helper()
	list, err := group.Lag(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A look at the lag may not see messages that are on their way to the log.
func TestWhatSeveralGoroutinesPublishIsCountedUntilALookSeesIt(t *testing.T) {
	brokers := flowtest.Log(t, Topics())
	writer := eventlog.NewWriter(brokers, zerolog.Nop())
	defer writer.Close()
	flowtest.Read(t, brokers)
	pace := newBackpressure(writer, brokers, "", zerolog.Nop())
	counted := func(topic string, adding load, want int64) *topicWeight {
		t.Helper()
		weight, err := pace.admit(t.Context(), topic, adding)
		if err != nil {
			t.Fatal(err)
		}
		if got := pace.sinceLook(); got != want {
			t.Errorf("%d messages count, want %d", got, want)
		}
		return weight
	}
	holdings := counted(model.Holdings.Topic(), load{10, 1000}, 10)
	counted(model.Register.Topic(), load{5, 500}, 15)
	counted(model.ControlTopic, load{1, 100}, 16) // looks, while all of them are on their way
	holdings.flying = load{}
	counted(model.ControlTopic, load{1, 100}, 7)
}
