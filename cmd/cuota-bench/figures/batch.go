package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
)

// batchOfDemo is the first batch of the demo market.
var batchOfDemo = Figure{"batch-demo", "building the first batch of the demo market", measureBatchOfDemo}

func measureBatchOfDemo(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	return b.batch(ctx, market, "batch of the demo market")
}

// batchOfGenerated is the first batch of the generated market.
var batchOfGenerated = Figure{"batch-generated", "building the first batch of the generated market",
	measureBatchOfGenerated}

func measureBatchOfGenerated(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.storedMarket(ctx)
	if err != nil {
		return nil, err
	}
	return b.batch(ctx, market, fmt.Sprintf("batch of %s series × %d days", stats.Thousands(float64(b.config.Series)),
		b.config.Days()))
}

// batch measures building the first batch of a market, from the facts in their tables to
// the published row. The reference is the bare aggregation of the return windows over
// the same days. Each round builds in a new database.
func (b *bench) batch(ctx context.Context, market *pipeline, name string) ([]stats.Line, error) {
	log := newStatements()
	var built driver.Conn
	var windows baseline.Windows
	rounds := 0
	found, err := b.rounds.Interleave(ctx,
		load.Side{Name: name, Once: func(ctx context.Context) (stats.Reading, error) {
			rounds++
			var result stats.Reading
			var err error
			built, result, err = b.buildCopy(ctx, market, fmt.Sprintf("%s_%d", market.database, rounds), log)
			if rounds == 1 {
				*log = *newStatements() // drop what the warm-up round logged
			}
			return result, err
		}},
		load.Side{Name: "bare window aggregation", Once: func(ctx context.Context) (stats.Reading, error) {
			var err error
			if windows, err = baseline.NewWindows(ctx, built); err != nil {
				return stats.Reading{}, err
			}
			return b.rounds.Time(int(windows.Days), func() error { return windows.Ask(ctx) })
		}},
	)
	if err != nil {
		return nil, err
	}
	whole := stats.Quantity{Stat: stats.Of(found[0], stats.Reading.Millis), Unit: "ms"}
	const against = "the bare aggregation of the eight windows over series_day"
	lines := []stats.Line{
		stats.Compare(fmt.Sprintf("%s, %s rows", name, stats.Thousands(float64(windows.Days))), found[0], found[1],
			stats.Reading.Millis, "ms", against),
		stats.Compare(name+", CPU of cuota and ClickHouse", found[0], found[1], stats.Reading.CPUMillis, "ms",
			against),
	}
	for _, statement := range log.order {
		took := stats.Quantity{Stat: stats.NewStat(log.took[statement]), Unit: "ms"}
		lines = append(lines, stats.CompareMedians("  "+statement, took, whole, wholeBatch))
	}
	return lines, nil
}

// wholeBatch is the reference for the parts of a batch.
const wholeBatch = "the whole batch; two parts may run side by side"

// buildCopy copies a market's facts into a new database and builds a batch from them. Only
// the building is measured. The connection is to the new database.
func (b *bench) buildCopy(ctx context.Context, market *pipeline, database string,
	log *statements) (driver.Conn, stats.Reading, error) {
	conn, err := b.database(ctx, database)
	if err != nil {
		return nil, stats.Reading{}, err
	}
	if err := copyFacts(ctx, conn, market.database); err != nil {
		return nil, stats.Reading{}, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, stats.Reading{}, err
	}
	builder := newProjector(conn, zerolog.New(zerolog.SyncWriter(log)).Level(zerolog.DebugLevel))
	result, err := b.rounds.Time(1, func() error {
		if err := builder.Settle(ctx); err != nil {
			return err
		}
		_, err := builder.Build(ctx, false)
		return err
	})
	return conn, result, err
}

// copyFacts copies the facts and nothing that was computed from them.
func copyFacts(ctx context.Context, conn driver.Conn, from string) error {
	var tables []struct {
		Name string `ch:"name"`
	}
	err := conn.Select(ctx, &tables,
		"SELECT name FROM system.tables WHERE database = {from:String} AND engine LIKE '%MergeTree' AND "+
			"(startsWith(name, 'fact_') OR name = 'manifest' OR name = 'rejected_row')",
		clickhouse.Named("from", from))
	if err != nil {
		return fmt.Errorf("list the tables of facts: %w", err)
	}
	for _, table := range tables {
		// The names come from this program and need no quoting.
		if err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%s", table.Name, from,
			table.Name)); err != nil {
			return fmt.Errorf("copy %s: %w", table.Name, err)
		}
	}
	return nil
}

// statements reads the projector's log and records how long each projection took, in
// milliseconds.
type statements struct {
	order []string
	took  map[string][]float64
}

func newStatements() *statements { return &statements{took: map[string][]float64{}} }

// Write implements io.Writer. It receives one line of the log at a time.
func (s *statements) Write(entry []byte) (int, error) {
	var outcome struct {
		Projection string  `json:"projection"`
		Took       float64 `json:"took_ms"`
	}
	if !bytes.Contains(entry, []byte(`"projection"`)) || json.Unmarshal(entry, &outcome) != nil {
		return len(entry), nil
	}
	if _, known := s.took[outcome.Projection]; !known {
		s.order = append(s.order, outcome.Projection)
	}
	s.took[outcome.Projection] = append(s.took[outcome.Projection], outcome.Took)
	return len(entry), nil
}
