package figures

import (
	"context"
	"fmt"

	"cuota/ingest"
	"cuota/internal/bench/load"
	"cuota/internal/bench/report"
	"cuota/model"
)

// stage measures one stage of the way to facts alone. It shows its CPU time per row as a
// share of that of the whole way, if that was measured.
func (b *bench) stage(ctx context.Context, name string, once func(context.Context) (report.Reading, error)) ([]report.Line, error) {
	found, err := b.rounds.Interleave(ctx, load.Side{Name: name, Once: once})
	if err != nil {
		return nil, err
	}
	alone := report.Of(found[0], report.Reading.PerSecond)
	l := report.Line{
		Name:    "  " + name,
		Value:   report.Quantity{Stat: report.Of(found[0], report.Reading.CPUMicros), Unit: "µs of CPU/row"},
		Against: fmt.Sprintf("the whole way; alone: %s rows/s", report.Significant(alone.Median)),
	}
	if len(b.wholeWay) > 0 {
		l.Reference = report.Quantity{Stat: report.Of(b.wholeWay, report.Reading.CPUMicros), Unit: "µs of CPU/row"}
		l.Ratio = report.Stat{Median: l.Value.Median / l.Reference.Median}
	}
	return []report.Line{l}, nil
}

// messages returns the generated market as ingest publishes it, batch by batch.
func (b *bench) messages(ctx context.Context) ([][]ingest.Message, error) {
	path, err := b.generatedFile()
	if err != nil {
		return nil, err
	}
	var batches [][]ingest.Message
	record := publisherFunc(func(topic string, messages []ingest.Message) {
		if topic == model.Cartola.Topic() {
			batches = append(batches, messages)
		}
	})
	_, err = b.ingest(ctx, record, ingest.Request{Dataset: model.Cartola, Path: path})
	return batches, err
}

// publisherFunc is an ingest.Publisher that never fails.
type publisherFunc func(topic string, messages []ingest.Message)

func (f publisherFunc) Publish(_ context.Context, topic string, messages []ingest.Message) error {
	f(topic, messages)
	return nil
}
