package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/ingest"
	"cuota/internal/eventlog"
	"cuota/projector"
)

// maxBehind is how many messages ingest may be ahead of the projector. Kafka's
// retention is finite and by size: without a bound, a large load could push rows
// out of the log before they were facts.
const maxBehind = 1_000_000

// lookEvery is how many messages pass between two looks at the lag.
const lookEvery = 100_000

// paced publishes rows and waits while the projector is too far behind.
type paced struct {
	writer *eventlog.Writer
	lag    *eventlog.Group // never started: it only asks for the lag
	log    zerolog.Logger
	since  int // messages since the last look
}

func newPaced(writer *eventlog.Writer, brokers []string, log zerolog.Logger) *paced {
	group, err := eventlog.NewGroup(eventlog.GroupConfig{Brokers: brokers, ID: projectorGroup, Topics: projector.Topics()}, nothing, log)
	if err != nil {
		panic("cuota: " + err.Error()) // the configuration above is constant
	}
	return &paced{writer: writer, lag: group, log: log, since: lookEvery}
}

func nothing(context.Context, []kafka.Message) error { return nil }

// Publish implements ingest.Publisher.
func (p *paced) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	if p.since += len(messages); p.since > lookEvery {
		if err := p.await(ctx); err != nil {
			return err
		}
		p.since = 0
	}
	batch := make([]kafka.Message, len(messages))
	for i, message := range messages {
		batch[i] = kafka.Message{Key: message.Key, Value: message.Value}
	}
	return p.writer.Write(ctx, topic, batch)
}

// await returns when the projector is near enough.
func (p *paced) await(ctx context.Context) error {
	told := false
	pause := time.NewTicker(time.Second)
	defer pause.Stop()
	for {
		behind, err := behind(ctx, p.lag)
		if err != nil {
			return err
		}
		if behind < maxBehind {
			return nil
		}
		if !told {
			p.log.Error().Int64("behind", behind).Msg("waiting for the projector; is one running?")
			told = true
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for the projector: %w", ctx.Err())
		}
	}
}

// behind is how many messages the projector has yet to store.
func behind(ctx context.Context, group *eventlog.Group) (int64, error) {
	lags, err := group.Lag(ctx)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, lag := range lags {
		total += lag.Lag
	}
	return total, nil
}
