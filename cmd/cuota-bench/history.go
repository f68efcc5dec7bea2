package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
)

// batchOfYears measures the first batch of the big market and its memory. The reference
// is the bare window query over the same days. It runs after the program was stopped,
// because two processes cannot share an engine's directory.
func batchOfYears(ctx context.Context, b *bench) ([]line, error) {
	m, err := b.bigMarket(ctx, b.config.years)
	if err != nil {
		return nil, err
	}
	windows, err := b.bareWindows(ctx, m)
	if err != nil {
		return nil, err
	}
	bare, bareCPU := newStat(windows.Millis), newStat(windows.CPUMillis)
	name := fmt.Sprintf("full batch, %s quotas", thousands(float64(windows.Days)))
	const memoryIs = "of cuota and its engine together, with the mapped pages of the library"
	lines := []line{
		{name: "files to facts, whole market", value: quantity{stat{median: m.quotasPerSecond()}, "quotas/s"},
			against: fmt.Sprintf("%s quotas and all other files in %s, by cuota up", thousands(float64(m.quotas)), m.loading.Round(time.Second))},
		{name: "  peak memory", value: quantity{stat{median: m.loadPeak.peak}, "MB"}, against: memoryIs},
		{name: name, value: quantity{stat{median: m.batch.whole}, "ms"}, reference: quantity{bare, "ms"},
			ratio: stat{median: m.batch.whole / bare.median}, against: "the bare aggregation of the eight windows over series_day"},
		{name: "  CPU of cuota and ClickHouse", value: quantity{stat{median: m.batch.cpu}, "ms"}, reference: quantity{bareCPU, "ms"},
			ratio: stat{median: m.batch.cpu / bareCPU.median}, against: "the same"},
		{name: "  peak memory", value: quantity{stat{median: m.peak.peak}, "MB"}, against: memoryIs},
	}
	return append(lines, m.batch.shares()...), nil
}

// shares returns a line for each projection, and for the checks, that took more than a
// fiftieth of a batch.
func (b *builtBatch) shares() []line {
	var lines []line
	for _, projection := range b.order {
		if took := b.took[projection]; took >= b.whole/50 {
			lines = append(lines, line{
				name: "  " + projection, value: quantity{stat{median: took}, "ms"}, reference: quantity{stat{median: b.whole}, "ms"},
				ratio: stat{median: took / b.whole}, against: wholeBatch,
			})
		}
	}
	return lines
}

// oneMoreDay measures the batch after one more day on the big market: once the day that
// was left out, and once an old day that is stated again.
func oneMoreDay(ctx context.Context, b *bench) ([]line, error) {
	m, err := b.bigMarket(ctx, b.config.years)
	if err != nil {
		return nil, err
	}
	if err := b.resume(ctx, m); err != nil {
		return nil, err
	}
	var lines []line
	for _, day := range []struct{ name, file, published string }{
		{"one more day", m.lastDay, marketEnd.AddDays(1).String()},
		{"one old day stated again", m.oldDay, marketEnd.AddDays(3).String()},
	} {
		_, before, err := m.up.published(ctx, b, 0)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if _, err := b.cuota(ctx, "ingest", "cartola", day.file, "--published", day.published, "--wait", "--data", m.dir); err != nil {
			return nil, err
		}
		whole := time.Since(began)
		built, _, err := m.up.published(ctx, b, before)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line{
			name: day.name + ", batch", value: quantity{stat{median: built.whole}, "ms"}, reference: quantity{stat{median: m.batch.whole}, "ms"},
			ratio: stat{median: built.whole / m.batch.whole}, against: fmt.Sprintf("the full batch; from the command to the published batch: %s", whole.Round(time.Millisecond)),
		})
		lines = append(lines, line{
			name: "  CPU of cuota and ClickHouse", value: quantity{stat{median: built.cpu}, "ms"}, reference: quantity{stat{median: m.batch.cpu}, "ms"},
			ratio: stat{median: built.cpu / m.batch.cpu}, against: "the full batch",
		})
		lines = append(lines, built.shares()...)
	}
	return lines, nil
}

// resume starts the program on the market again if it has stopped.
func (b *bench) resume(ctx context.Context, m *bigMarket) error {
	select {
	case <-m.up.ended:
	default:
		return nil
	}
	var err error
	if m.up, err = b.up(ctx, m.dir, "--no-demo"); err != nil {
		return err
	}
	m.up.mu.Lock()
	m.up.batches[m.number], m.up.newest = m.batch, m.number // the new process's log does not contain this batch
	m.up.mu.Unlock()
	_, err = m.up.ask(ctx, b, screenerPath, m.key)
	return err
}

// windowsCommand is the argument that makes this program the child process that opens
// the engine of a stopped market and runs the bare window query.
const windowsCommand = "ask-windows"

type windowsOrder struct {
	Dir    string
	Rounds int
}

type windowsOutcome struct {
	Days              uint64
	Millis, CPUMillis []float64
}

// bareWindows stops the program and runs the child process.
func (b *bench) bareWindows(ctx context.Context, m *bigMarket) (told windowsOutcome, err error) {
	stopping, cancel := context.WithTimeout(ctx, closePatience)
	defer cancel()
	if err := m.up.stop(stopping); err != nil {
		return windowsOutcome{}, err
	}
	if err := askChild(ctx, windowsCommand, windowsOrder{filepath.Join(m.dir, "clickhouse"), b.config.rounds}, &told); err != nil {
		return windowsOutcome{}, fmt.Errorf("the bare windows: %w", err)
	}
	return told, nil
}

// askChild runs this program as a child process: it writes the order to its standard
// input and reads the outcome from its standard output.
func askChild(ctx context.Context, command string, order, outcome any) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	input, output, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = input.Close() }()
	err = json.NewEncoder(output).Encode(order) // shorter than the buffer of a pipe
	_ = output.Close()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, program, command)
	child.Stdin, child.Stderr = input, os.Stderr
	answer, err := child.Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, outcome)
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
	var told windowsOutcome
	var asOf time.Time
	if err := conn.QueryRow(ctx, "SELECT count(), max(date) FROM series_day").Scan(&told.Days, &asOf); err != nil {
		return fmt.Errorf("look at the days that were built: %w", err)
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"as_of": asOf.Format(time.DateOnly)}))
	for round := range o.Rounds + 1 { // one round to warm up
		cpu, began := processCPU(), time.Now()
		var series, hash uint64
		if err := conn.QueryRow(ctx, windowsQuery).Scan(&series, &hash); err != nil {
			return err
		}
		if round > 0 {
			told.Millis = append(told.Millis, 1e3*time.Since(began).Seconds())
			told.CPUMillis = append(told.CPUMillis, 1e3*(processCPU()-cpu).Seconds())
		}
	}
	return json.NewEncoder(out).Encode(told)
}
