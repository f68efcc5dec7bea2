package figures

import (
	"context"

	"cuota/ingest"
	"cuota/internal/bench/report"
	"cuota/model"
)

// stageParse is ingest with a publisher that does nothing.
var stageParse = Figure{"stage-parse", "archive, parse, validate and encode alone", measureStageParse}

func measureStageParse(ctx context.Context, b *bench) ([]report.Line, error) {
	path, err := b.generatedFile()
	if err != nil {
		return nil, err
	}
	return b.stage(ctx, "archive, parse, validate, encode", func(ctx context.Context) (report.Reading, error) {
		return b.rounds.Time(b.rows(), func() error {
			_, err := b.ingest(ctx, publisherFunc(func(string, []ingest.Message) {}), ingest.Request{Dataset: model.Cartola, Path: path})
			return err
		})
	})
}
