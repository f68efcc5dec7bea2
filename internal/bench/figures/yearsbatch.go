package figures

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"

	"cuota/internal/bench/reference"
	"cuota/internal/bench/report"
)

// batchOfYears is the first batch of the market of years, and its memory. The reference is
// the bare window query over the same days. It runs after the program was stopped,
// because two processes cannot share an engine's directory. The goals are at most 40 times
// the time of the reference, and a peak under 3 GB.
var batchOfYears = Figure{
	"years-batch", "building the first batch of the synthetic market of years, its memory, against the bare windows",
	measureBatchOfYears,
}

func measureBatchOfYears(ctx context.Context, b *bench) ([]report.Line, error) {
	m, err := b.bigMarket(ctx, b.config.Years)
	if err != nil {
		return nil, err
	}
	if err := m.up.stopSoon(ctx); err != nil {
		return nil, err
	}
	var windows windowsOutcome
	if err := askChild(ctx, windowsCommand, windowsOrder{filepath.Join(m.dir, "clickhouse"), b.config.Rounds}, &windows); err != nil {
		return nil, fmt.Errorf("the bare windows: %w", err)
	}
	bare, bareCPU := report.Quantity{Stat: report.NewStat(windows.Millis), Unit: "ms"}, report.Quantity{Stat: report.NewStat(windows.CPUMillis), Unit: "ms"}
	name := fmt.Sprintf("full batch, %s quotas", report.Thousands(float64(windows.Days)))
	const memoryIs = "of cuota and its engine together, with the mapped pages of the library"
	lines := []report.Line{
		{Name: "files to facts, whole market", Value: report.Number(m.quotasPerSecond(), "quotas/s"),
			Against: fmt.Sprintf("%s quotas and all other files in %s, by cuota up", report.Thousands(float64(m.quotas)), m.loading.Round(time.Second))},
		{Name: "  peak memory", Value: report.Number(m.loadPeak.peak, "MB"), Against: memoryIs},
		report.CompareMedians(name, report.Number(m.batch.whole, "ms"), bare, "the bare aggregation of the eight windows over series_day"),
		report.CompareMedians("  CPU of cuota and ClickHouse", report.Number(m.batch.cpu, "ms"), bareCPU, "the same"),
		{Name: "  peak memory", Value: report.Number(m.peak.peak, "MB"), Against: memoryIs},
	}
	return append(lines, m.batch.shares()...), nil
}

// windowsCommand is the argument that makes this program the child process that opens
// the engine of a stopped market and runs the bare window query.
const windowsCommand = "ask-windows"

type windowsOrder struct {
	Dir    string // of the engine
	Rounds int    // measured, after one to warm up
}

type windowsOutcome struct {
	Days              uint64
	Millis, CPUMillis []float64 // of each round
}

// askWindows runs the child process.
func askWindows(in io.Reader, out io.Writer) error {
	var o windowsOrder
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("read what to ask: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	engine, err := startEngine(ctx, o.Dir, zerolog.New(os.Stderr).Level(zerolog.WarnLevel))
	if err != nil {
		return err
	}
	defer func() { _ = engine.Stop(ctx) }()
	conn, err := clickhouse.Open(engine.Options())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	windows, err := reference.NewWindows(ctx, conn)
	if err != nil {
		return err
	}
	told := windowsOutcome{Days: windows.Days}
	for round := range o.Rounds + 1 { // one round to warm up
		cpu, began := ownCPU(), time.Now()
		if err := windows.Ask(ctx); err != nil {
			return err
		}
		if round > 0 {
			told.Millis = append(told.Millis, 1e3*time.Since(began).Seconds())
			told.CPUMillis = append(told.CPUMillis, 1e3*(ownCPU()-cpu).Seconds())
		}
	}
	return json.NewEncoder(out).Encode(told)
}
