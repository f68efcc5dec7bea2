package figures

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
)

// batchOfYears is the first batch of the market of years, and its memory. The references are
// the bare window query over the same days, and a plain copy of the rows that the batch wrote. They run
// after the program was stopped, because two processes cannot share an engine's directory. The goals are
// at most 40 times the time of the first one, at most five times the processor time of the second one,
// and a peak under 3 GB.
var batchOfYears = Figure{
	"years-batch", "building the first batch of the synthetic market of years, its memory, against the bare windows " +
		"and a plain copy",
	measureBatchOfYears,
}

func measureBatchOfYears(ctx context.Context, b *bench) ([]stats.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	if err := m.up.stopSoon(ctx); err != nil {
		return nil, err
	}
	var windows windowsOutcome
	if err := load.AskChild(ctx, windowsCommand,
		stoppedOrder{Dir: filepath.Join(m.dir, "clickhouse"), Times: b.config.Rounds}, &windows); err != nil {
		return nil, fmt.Errorf("the bare windows: %w", err)
	}
	bare, bareCPU := stats.Quantity{Stat: stats.NewStat(windows.Millis), Unit: "ms"},
		stats.Quantity{Stat: stats.NewStat(windows.CPUMillis), Unit: "ms"}
	name := fmt.Sprintf("full batch, %s quotas", stats.Thousands(float64(windows.Days)))
	const memoryIs = "of cuota and its engine together, with the mapped pages of the library"
	lines := []stats.Line{
		{Name: "files to facts, whole market", Value: stats.Number(m.quotasPerSecond(), "quotas/s"),
			Against: fmt.Sprintf("%s quotas and all other files in %s, by cuota up",
				stats.Thousands(float64(m.quotas)), m.loading.Round(time.Second))},
		{Name: "  peak memory", Value: stats.Number(m.loadPeak.peak, "MB"), Against: memoryIs},
		stats.CompareMedians(name, stats.Number(m.batch.whole, "ms"), bare,
			"the bare aggregation of the eight windows over series_day"),
		stats.CompareMedians("  CPU of cuota and ClickHouse", stats.Number(m.batch.cpu, "ms"), bareCPU, "the same"),
		stats.CompareMedians("  the same", stats.Number(m.batch.cpu, "ms"),
			stats.Number(windows.CopyCPUMillis, "ms"),
			fmt.Sprintf("INSERT SELECT of the %s rows that the batch wrote, table by table",
				stats.Thousands(float64(windows.CopiedRows)))),
		{Name: "  peak memory", Value: stats.Number(m.peak.peak, "MB"), Against: memoryIs},
	}
	return append(lines, m.batch.shares()...), nil
}

// windowsCommand is the argument that makes this program the child process that runs the
// bare window query and the plain copy.
const windowsCommand = "ask-windows"

type windowsOutcome struct {
	Days              uint64
	Millis, CPUMillis []float64 // of each round
	CopiedRows        uint64
	CopyCPUMillis     float64
}

// askWindows runs the query in the ordered number of rounds, after one to warm up, and the copy once.
func askWindows(ctx context.Context, b *bench, o stoppedOrder) (outcome windowsOutcome, err error) {
	windows, err := baseline.NewWindows(ctx, b.conn)
	if err != nil {
		return outcome, err
	}
	outcome.Days = windows.Days
	for round := range o.Times + 1 {
		cpu, began := ownCPU(), time.Now()
		if err := windows.Ask(ctx); err != nil {
			return outcome, err
		}
		if round > 0 {
			outcome.Millis = append(outcome.Millis, 1e3*time.Since(began).Seconds())
			outcome.CPUMillis = append(outcome.CPUMillis, 1e3*(ownCPU()-cpu).Seconds())
		}
	}
	plain, err := baseline.NewCopy(ctx, b.conn)
	if err != nil {
		return outcome, err
	}
	cpu := ownCPU()
	if err := plain.Write(ctx); err != nil {
		return outcome, err
	}
	outcome.CopiedRows, outcome.CopyCPUMillis = plain.Rows, 1e3*(ownCPU()-cpu).Seconds()
	return outcome, plain.Drop(ctx)
}

// startOfYears is the time from the start of the program on the market of years to the
// first answer of the screener. The goal is under 5 seconds.
var startOfYears = Figure{"years-start", "from the start on that market to the first answer", measureStartOfYears}

func measureStartOfYears(ctx context.Context, b *bench) ([]stats.Line, error) {
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
	return []stats.Line{{
		Name:    fmt.Sprintf("start to first answer, %s quotas on disk", stats.Thousands(float64(m.quotas))),
		Value:   stats.Quantity{Stat: stats.NewStat(took), Unit: "s"},
		Against: "from exec of cuota up to the first 200 of the screener",
	}}, nil
}

// dayOfYears is the batch after one more day on the market of years: once the day that was
// left out, and once an old day that is stated again. The reference is the full batch. The
// goal for one more day is at most a tenth of it.
var dayOfYears = Figure{"years-day", "one more day on it, and an old day stated again, against the full batch",
	measureDayOfYears}

func measureDayOfYears(ctx context.Context, b *bench) ([]stats.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	if err := b.resume(ctx, m); err != nil {
		return nil, err
	}
	var lines []stats.Line
	for _, day := range []struct{ name, file, published string }{
		{"one more day", m.lastDay, marketEnd.AddDays(1).String()},
		{"one old day stated again", m.oldDay, marketEnd.AddDays(3).String()},
	} {
		_, before, err := m.up.published(ctx, 0)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := b.cuota(ctx, "ingest", "cartola", day.file, "--published", day.published, "--wait", "--data",
			m.dir); err != nil {
			return nil, err
		}
		whole := time.Since(began)
		built, _, err := m.up.published(ctx, before)
		if err != nil {
			return nil, err
		}
		lines = append(lines,
			stats.CompareMedians(day.name+", batch", stats.Number(built.whole, "ms"),
				stats.Number(m.batch.whole, "ms"),
				fmt.Sprintf("the full batch; from the command to the published batch: %s",
					whole.Round(time.Millisecond))),
			stats.CompareMedians("  CPU of cuota and ClickHouse", stats.Number(built.cpu, "ms"),
				stats.Number(m.batch.cpu, "ms"), "the full batch"))
		lines = append(lines, built.shares()...)
	}
	return lines, nil
}
