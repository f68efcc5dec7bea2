package figures

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/bench/load"
	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
)

// batchOfDemo is the first batch of the demo market.
var batchOfDemo = Figure{"batch-demo", "building the first batch of the demo market", measureBatchOfDemo}

func measureBatchOfDemo(ctx context.Context, b *bench) ([]report.Line, error) {
	market, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	return b.batch(ctx, market, "batch of the demo market")
}

// batchOfGenerated is the first batch of the generated market.
var batchOfGenerated = Figure{"batch-generated", "building the first batch of the generated market", measureBatchOfGenerated}

func measureBatchOfGenerated(ctx context.Context, b *bench) ([]report.Line, error) {
	market, err := b.storedMarket(ctx)
	if err != nil {
		return nil, err
	}
	return b.batch(ctx, market, fmt.Sprintf("batch of %s series × %d days", report.Thousands(float64(b.config.Series)), b.config.Days()))
}

// batch measures building the first batch of a market, from the facts in their tables to
// the published row. The reference is the bare aggregation of the return windows over
// the same days. Each round builds in a new database.
func (b *bench) batch(ctx context.Context, market *pipeline, name string) ([]report.Line, error) {
	log := newStatements()
	var built driver.Conn
	var windows reference.Windows
	rounds := 0
	found, err := b.rounds.Interleave(ctx,
		load.Side{Name: name, Once: func(ctx context.Context) (report.Reading, error) {
			rounds++
			var result report.Reading
			var err error
			built, result, err = b.buildCopy(ctx, market, fmt.Sprintf("%s_%d", market.database, rounds), log)
			if rounds == 1 {
				*log = *newStatements() // drop what the warm-up round logged
			}
			return result, err
		}},
		load.Side{Name: "bare window aggregation", Once: func(ctx context.Context) (report.Reading, error) {
			var err error
			if windows, err = reference.NewWindows(ctx, built); err != nil {
				return report.Reading{}, err
			}
			return b.rounds.Time(int(windows.Days), func() error { return windows.Ask(ctx) })
		}},
	)
	if err != nil {
		return nil, err
	}
	whole := report.Quantity{Stat: report.Of(found[0], report.Reading.Millis), Unit: "ms"}
	const against = "the bare aggregation of the eight windows over series_day"
	lines := []report.Line{
		report.Compare(fmt.Sprintf("%s, %s rows", name, report.Thousands(float64(windows.Days))), found[0], found[1], report.Reading.Millis, "ms", against),
		report.Compare(name+", CPU of cuota and ClickHouse", found[0], found[1], report.Reading.CPUMillis, "ms", against),
	}
	for _, statement := range log.order {
		took := report.Quantity{Stat: report.NewStat(log.took[statement]), Unit: "ms"}
		lines = append(lines, report.CompareMedians("  "+statement, took, whole, wholeBatch))
	}
	return lines, nil
}

// wholeBatch is the reference for the parts of a batch.
const wholeBatch = "the whole batch; two parts may run side by side"
