package figures

import (
	"context"

	"cuota/internal/bench/report"
)

// stageInsert is only the insert, in both ways of the driver.
var stageInsert = Figure{"stage-insert", "the insert alone, row-wise, against column-wise", measureStageInsert}

func measureStageInsert(ctx context.Context, b *bench) ([]report.Line, error) {
	bare, err := b.newBareInsert(ctx, "stage_insert")
	if err != nil {
		return nil, err
	}
	lines, err := b.stage(ctx, "insert, row-wise", bare.rowWise)
	if err != nil {
		return nil, err
	}
	columnWise, err := b.stage(ctx, "insert, column-wise", bare.columnWise)
	return append(lines, columnWise...), err
}
