package figures

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/segmentio/kafka-go"

	"cuota/ingest"
	embeddedkafka "cuota/internal/embedded/kafka"
	"cuota/internal/eventlog"
	"cuota/model"
	"cuota/projector"
)

// broker is a Kafka with the product's topics and a writer.
type broker struct {
	at     eventlog.Brokers
	writer *eventlog.Writer
}

// maxLogBytes is the limit of the log in cuota up.
const maxLogBytes = 4 << 30

func (b *bench) broker(ctx context.Context, name string) (*broker, error) {
	server, err := embeddedkafka.New(embeddedkafka.Config{
		Dir: filepath.Join(b.dir, name), Listen: "127.0.0.1:0", MaxBytes: maxLogBytes,
	}, b.log)
	if err != nil {
		return nil, err
	}
	if err := server.Start(ctx); err != nil {
		return nil, fmt.Errorf("start Kafka: %w", err)
	}
	b.onClose(server.Stop)
	made := &broker{at: eventlog.At(server.Addr())}
	if err := eventlog.EnsureTopics(ctx, made.at, topics()); err != nil {
		return nil, err
	}
	made.writer = eventlog.NewWriter(made.at, b.log)
	b.onClose(func(context.Context) error { made.writer.Close(); return nil })
	return made, nil
}

// partitions of the cartola's topic, the same number as in cuota up.
const partitions = 2

func topics() []eventlog.Topic {
	var list []eventlog.Topic
	for _, name := range projector.Topics() {
		topic := eventlog.Topic{Name: name, Partitions: 1}
		if name == model.Cartola.Topic() {
			topic.Partitions = partitions
		}
		list = append(list, topic)
	}
	return list
}

// Publish implements ingest.Publisher.
func (k *broker) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	batch := make([]kafka.Message, len(messages))
	for i, message := range messages {
		batch[i] = kafka.Message{Key: message.Key, Value: message.Value}
	}
	return k.writer.Write(ctx, topic, batch)
}

// publishAll publishes batches of the cartola's messages.
func (k *broker) publishAll(ctx context.Context, batches [][]ingest.Message) error {
	for _, batch := range batches {
		if err := k.Publish(ctx, model.Cartola.Topic(), batch); err != nil {
			return err
		}
	}
	return nil
}
