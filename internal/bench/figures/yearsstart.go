package figures

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/bench/report"
)

// startOfYears is the time from the start of the program on the market of years to the
// first answer of the screener. The goal is under 5 seconds.
var startOfYears = Figure{"years-start", "from the start on that market to the first answer", measureStartOfYears}

func measureStartOfYears(ctx context.Context, b *bench) ([]report.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	var took []float64
	for range b.config.Rounds {
		if err := m.up.stopSoon(ctx); err != nil {
			return nil, err
		}
		if err := b.resume(ctx, m); err != nil {
			return nil, err
		}
		took = append(took, time.Since(m.up.started).Seconds())
	}
	return []report.Line{{
		Name:  fmt.Sprintf("start to first answer, %s quotas on disk", report.Thousands(float64(m.quotas))),
		Value: report.Quantity{Stat: report.NewStat(took), Unit: "s"}, Against: "from exec of cuota up to the first 200 of the screener",
	}}, nil
}
