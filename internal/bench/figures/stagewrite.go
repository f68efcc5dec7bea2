package figures

import (
	"context"

	"cuota/internal/bench/report"
)

// stageWrite is the writer, and the broker that stores the messages.
var stageWrite = Figure{"stage-write", "the write to Kafka alone", measureStageWrite}

func measureStageWrite(ctx context.Context, b *bench) ([]report.Line, error) {
	batches, err := b.messages(ctx)
	if err != nil {
		return nil, err
	}
	broker, err := b.broker(ctx, "stage-write")
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "write to Kafka", func(ctx context.Context) (report.Reading, error) {
		return b.rounds.Time(b.rows(), func() error { return broker.publishAll(ctx, batches) })
	})
}
