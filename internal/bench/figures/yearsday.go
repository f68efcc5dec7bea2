package figures

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/bench/report"
)

// dayOfYears is the batch after one more day on the market of years: once the day that was
// left out, and once an old day that is stated again. The reference is the full batch. The
// goal for one more day is at most a tenth of it.
var dayOfYears = Figure{"years-day", "one more day on it, and an old day stated again, against the full batch", measureDayOfYears}

func measureDayOfYears(ctx context.Context, b *bench) ([]report.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	if err := b.resume(ctx, m); err != nil {
		return nil, err
	}
	var lines []report.Line
	for _, day := range []struct{ name, file, published string }{
		{"one more day", m.lastDay, marketEnd.AddDays(1).String()},
		{"one old day stated again", m.oldDay, marketEnd.AddDays(3).String()},
	} {
		_, before, err := m.up.published(ctx, 0)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := b.cuota(ctx, "ingest", "cartola", day.file, "--published", day.published, "--wait", "--data", m.dir); err != nil {
			return nil, err
		}
		whole := time.Since(began)
		built, _, err := m.up.published(ctx, before)
		if err != nil {
			return nil, err
		}
		lines = append(lines,
			report.CompareMedians(day.name+", batch", report.Number(built.whole, "ms"), report.Number(m.batch.whole, "ms"),
				fmt.Sprintf("the full batch; from the command to the published batch: %s", whole.Round(time.Millisecond))),
			report.CompareMedians("  CPU of cuota and ClickHouse", report.Number(built.cpu, "ms"), report.Number(m.batch.cpu, "ms"), "the full batch"))
		lines = append(lines, built.shares()...)
	}
	return lines, nil
}
