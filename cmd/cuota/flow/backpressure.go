package flow

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/internal/eventlog"
	"cuota/internal/loop"
	"cuota/model"
	"cuota/projector"
)

// maxBehind is how many messages of all topics together may be unread by the projector
// before ingest waits.
const maxBehind = 1_000_000

// lookEvery is the most messages that are published between two looks at the lag.
const lookEvery = 100_000

// The retention of a topic is limited by size. Without backpressure, a large load could
// push rows out of the log before the projector has stored them. So ingest waits when
// the unread messages of a partition may fill half of its retention, and it looks at the
// lag again before it has written another quarter. It counts messages before
// compression, which leaves a reserve for other publishers.
const (
	unreadShare = 2
	lookShare   = 4
)

// backpressure is a Publisher that waits while the projector is too far behind. It fails if the
// log has dropped messages that the projector did not read. Several goroutines may use it at
// once.
type backpressure struct {
	writer  *eventlog.Writer
	brokers eventlog.Brokers
	lag     *eventlog.Group // never started; only used to ask for the lag
	absence time.Duration   // how long there may be no projector
	log     zerolog.Logger

	// guards the following fields; while one goroutine waits for the projector, the others wait for it
	mu     sync.Mutex
	topics map[string]*topicWeight // nil before the first look
}

// topicWeight is the size of a topic's messages, in bytes.
type topicWeight struct {
	kept    int64 // retention of each partition; -1: unlimited
	message int64 // the largest mean size in one call of Publish; 0 before the first
	since   load  // published since the last look
	flying  load  // being published, so that a look may not see it
}

// load is a number of messages and their size.
type load struct{ messages, bytes int64 }

func (l *load) add(other load) {
	l.messages += other.messages
	l.bytes += other.bytes
}

func (l *load) remove(other load) {
	l.messages -= other.messages
	l.bytes -= other.bytes
}

func newBackpressure(writer *eventlog.Writer, brokers eventlog.Brokers, copy string, log zerolog.Logger) *backpressure {
	return &backpressure{writer: writer, brokers: brokers, lag: LagGroup(brokers, copy, log), absence: absence,
		log: log}
}

// NewIngester returns an Ingester that waits while the projector of a copy is too far behind. Its
// writer logs to log, and everything else to quiet. closed must be called after the last
// file.
func NewIngester(files *archive.Archive, brokers eventlog.Brokers, copy string,
	log, quiet zerolog.Logger) (_ *ingest.Ingester, closed func()) {
	writer := eventlog.NewWriter(brokers, log)
	return ingest.New(files, newBackpressure(writer, brokers, copy, quiet), quiet), writer.Close
}

// Publish implements ingest.Publisher.
func (p *backpressure) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	if len(messages) == 0 {
		return nil
	}
	batch, adding := make([]kafka.Message, len(messages)), load{messages: int64(len(messages))}
	for i, message := range messages {
		batch[i] = kafka.Message{Key: message.Key, Value: message.Value}
		adding.bytes += recordBytes + int64(len(message.Key)+len(message.Value))
	}
	weight, err := p.admit(ctx, topic, adding)
	if err != nil {
		return err
	}
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		weight.flying.remove(adding)
	}()
	return p.writer.Write(ctx, topic, batch)
}

// admit returns when the messages may be written to the topic, and counts them as being
// published.
func (p *backpressure) admit(ctx context.Context, topic string, adding load) (*topicWeight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	due := p.topics == nil
	if due {
		if err := p.weigh(ctx); err != nil {
			return nil, err
		}
	}
	weight := p.topics[topic]
	if weight == nil {
		return nil, fmt.Errorf("publish to %s: no projector reads that topic", topic)
	}
	weight.message = max(weight.message, (adding.bytes+adding.messages-1)/adding.messages)
	weight.since.add(adding)
	// A manifest states that all rows of a file are in the log, so check that they still
	// are.
	due = due || p.sinceLook() > lookEvery || topic == model.ControlTopic ||
		weight.kept >= 0 && weight.since.bytes > weight.kept/lookShare
	if due {
		if err := p.await(ctx); err != nil {
			return nil, err
		}
		for _, other := range p.topics {
			other.since = other.flying
		}
		weight.since.add(adding)
	}
	weight.flying.add(adding)
	return weight, nil
}

// sinceLook counts the messages of all topics that were published since the last look.
func (p *backpressure) sinceLook() (messages int64) {
	for _, weight := range p.topics {
		messages += weight.since.messages
	}
	return messages
}

// recordBytes is about the overhead of one message in the log, in bytes.
const recordBytes = 16

// weigh asks the brokers for the retention of the topics, because an operator may have
// changed it.
func (p *backpressure) weigh(ctx context.Context) error {
	kept, err := eventlog.RetentionBytes(ctx, p.brokers, projector.Topics())
	if err != nil {
		return err
	}
	p.topics = make(map[string]*topicWeight, len(kept))
	for topic, bytes := range kept {
		p.topics[topic] = &topicWeight{kept: bytes}
	}
	return nil
}

// await waits until the projector has caught up enough. It fails if there is no
// projector for the time absence.
func (p *backpressure) await(ctx context.Context) error {
	said := false
	alone := watch{limit: p.absence}
	return loop.Until(ctx, LookAgain, func() (bool, error) {
		lags, err := p.lag.Lag(ctx)
		if err == nil {
			err = lost(lags)
		}
		if err != nil || !p.tooFar(lags) {
			return true, err
		}
		if !said {
			p.log.Error().Int64("messages",
				total(lags)).Msg("publishing is paused until the projector has stored more messages")
			said = true
		}
		members, err := p.lag.Members(ctx)
		if err == nil {
			_, err = alone.judge(observation{members: members}, time.Now())
		}
		return false, err
	})
}

// tooFar reports whether the projector must read before more is published.
func (p *backpressure) tooFar(lags []eventlog.PartitionLag) bool {
	for _, lag := range lags {
		weight := p.topics[lag.Topic]
		if weight.kept >= 0 && lag.Lag*weight.message > weight.kept/unreadShare {
			return true
		}
	}
	return total(lags) >= maxBehind
}

// lost fails if the log has dropped messages before the projector stored them.
func lost(lags []eventlog.PartitionLag) error {
	for _, lag := range lags {
		if lag.Lost > 0 {
			return fmt.Errorf("retention has removed %d messages of %s/%d that the projector has not read: run cuota "+
				"up or cuota project "+
				"until cuota status shows lag 0, then ingest the files since the last published batch again; the "+
				"archive has them",
				lag.Lost, lag.Topic, lag.Partition)
		}
	}
	return nil
}

// behind returns how many messages the projector has not yet stored.
func behind(ctx context.Context, group *eventlog.Group) (int64, error) {
	lags, err := group.Lag(ctx)
	return total(lags), err
}

func total(lags []eventlog.PartitionLag) int64 {
	sum := int64(0)
	for _, lag := range lags {
		sum += lag.Lag
	}
	return sum
}
