package projector

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"

	"cuota/model"
)

// Group is the consumer group that reads the topics for Consume, where there is one copy.
const Group = "cuota-projector"

// GroupOf returns the consumer group of a copy. Each copy reads all messages. An empty name stands for the only
// copy.
func GroupOf(copy string) string {
	if copy == "" {
		return Group
	}
	return "cuota-copy-" + copy
}

// Topics lists the topics that Consume understands.
func Topics() []string {
	topics := []string{model.ControlTopic, model.BatchesTopic}
	for _, dataset := range model.Datasets {
		topics = append(topics, dataset.Topic(), dataset.RejectTopic())
	}
	return topics
}

// Consume stores messages of one partition. It returns nil when all of them are in
// ClickHouse, so that their offsets may be committed. A message that can never be stored is
// kept as a rejected row. It fails if ClickHouse could not store the messages. The caller
// must then deliver them again, which is harmless.
func (p *Projector) Consume(ctx context.Context, messages []kafka.Message) error {
	if len(messages) == 0 {
		return nil
	}
	if messages[0].Topic == model.BatchesTopic {
		return p.consumePlans(ctx, messages)
	}
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("store messages: %w", err)
	}
	defer done()
	commands, err := p.consumer.Consume(ctx, messages)
	if err != nil {
		return err
	}
	for _, command := range commands {
		if err := p.command(ctx, command); err != nil {
			return err
		}
	}
	p.noticeArrival()
	return nil
}
