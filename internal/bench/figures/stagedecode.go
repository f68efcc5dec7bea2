package figures

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"

	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
	"cuota/model"
)

// stageDecode is the projector over a connection that stores nothing.
var stageDecode = Figure{"stage-decode", "from messages to rows alone, as the projector does it", measureStageDecode}

func measureStageDecode(ctx context.Context, b *bench) ([]report.Line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	sink := &reference.DiscardingConn{}
	consumer := newProjector(sink, b.log)
	return b.stage(ctx, "decode to rows", func(ctx context.Context) (report.Reading, error) {
		sink.Rows = 0
		result, err := b.rounds.Time(b.rows(), func() error {
			for _, batch := range batches {
				messages := make([]kafka.Message, len(batch))
				for i, message := range batch {
					messages[i] = kafka.Message{Topic: model.Cartola.Topic(), Key: message.Key, Value: message.Value}
				}
				if err := consumer.Consume(ctx, messages); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil && sink.Rows != 0 && sink.Rows != b.rows() {
			err = fmt.Errorf("the projector made %d rows of %d messages", sink.Rows, b.rows())
		}
		return result, err
	})
}
