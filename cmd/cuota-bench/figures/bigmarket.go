package figures

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/demo"
	"cuota/demo/synth"
	"cuota/model"
)

// bigMarket is a synthetic market of several years in its own data directory. The
// program itself has loaded it: its first start ingested the files, stored the facts and
// built the first batch. The last day of the cartola was left out, to be ingested later.
type bigMarket struct {
	days     int
	first    model.Date
	dir      string
	lastDay  string // file with the day that was left out
	oldDay   string // file that states a day in the middle again
	key      string
	up       *up
	batch    *builtBatch // the first batch
	number   uint64
	quotas   uint64
	loading  time.Duration
	loadPeak memory
	peak     memory // while the batch was built
}

// marketEnd is the last day of the big markets.
var marketEnd = model.NewDate(2025, time.July, 20)

const daysPerYear = 365

// bigMarket returns the market of so many years, loaded, with the program running. It
// loads the market unless an earlier figure has done so.
func (b *bench) bigMarket(ctx context.Context, years int) (*bigMarket, error) {
	if m := b.markets[years]; m != nil {
		return m, nil
	}
	m := &bigMarket{days: years * daysPerYear, dir: filepath.Join(b.dir, fmt.Sprintf("market-%d", years))}
	m.first = marketEnd.AddDays(1 - m.days)
	files := m.dir + "-files"
	summary, err := synth.Write(ctx, files, synth.Config{
		Series: b.config.MarketSeries, Days: m.days, Seed: 1, End: marketEnd, Bad: synth.DefaultBad,
	}, nil)
	if err != nil {
		return nil, err
	}
	if err := m.keepBack(files); err != nil {
		return nil, err
	}
	b.tell("  loading %d years of %d series, %s quotas, through cuota up", years, b.config.MarketSeries,
		stats.Thousands(float64(summary.Rows)))
	if m.up, err = b.up(ctx, m.dir, "--market", files); err != nil {
		return nil, err
	}
	if m.batch, m.number, err = m.up.published(ctx, 0); err != nil {
		return nil, err
	}
	if m.peak, err = m.up.memory(); err != nil {
		return nil, err
	}
	key, err := b.cuota(ctx, "key", "create", "--data", m.dir, "--email", "bench@localhost.invalid", "--tier",
		"internal")
	if err != nil {
		return nil, err
	}
	m.key = strings.TrimSpace(key)
	if _, err := m.up.ask(ctx, load.ScreenerPath, m.key); err != nil {
		return nil, err
	}
	var rows uint64
	m.quotas = summary.Rows
	rows, m.loading, m.loadPeak = m.up.loaded()
	b.tell("  %s rows in %s, first batch in %.1f s", stats.Thousands(float64(rows)), m.loading, m.batch.whole/1e3)
	b.markets[years] = m
	return m, nil
}

// quotasPerSecond is how fast the files became facts.
func (m *bigMarket) quotasPerSecond() float64 { return float64(m.quotas) / m.loading.Seconds() }

// corrections is part of the name of the file in which the synthetic market corrects
// itself. Each of the other files holds one month.
const corrections = "correccion"

// keepBack moves the last day of the last cartola into a file of its own, and writes
// another file with a day in the middle.
func (m *bigMarket) keepBack(files string) error {
	sources, err := demo.SourcesIn(files)
	if err != nil {
		return err
	}
	var months []string
	for _, source := range sources {
		if source.Dataset == model.Cartola && !strings.Contains(source.Path, corrections) {
			months = append(months, filepath.Join(files, filepath.FromSlash(source.Path)))
		}
	}
	if len(months) == 0 {
		return fmt.Errorf("the synthetic market in %s has no cartola", files)
	}
	m.lastDay, m.oldDay = filepath.Join(files, "last_day.txt"), filepath.Join(files, "old_day.txt")
	last := months[len(months)-1]
	day, others, err := load.CutDay(last, marketEnd)
	if err != nil {
		return err
	}
	old, _, err := load.CutDay(months[len(months)/2], m.first.AddDays(m.days/2))
	if err != nil {
		return err
	}
	for path, content := range map[string][]byte{m.lastDay: day, last: others, m.oldDay: old} {
		if err := os.WriteFile(path, content, 0o640); err != nil {
			return fmt.Errorf("keep back a day: %w", err)
		}
	}
	return nil
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
	m.up.know(m.number, m.batch) // the new process's log does not contain this batch
	_, err = m.up.ask(ctx, load.ScreenerPath, m.key)
	return err
}
