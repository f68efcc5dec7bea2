package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// The aggregation that the eight return windows need, and nothing else.
//
//go:embed windows.sql
var windowsQuery string

// batchOfDemo measures the first batch of the demo market.
func batchOfDemo(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.demoMarket(ctx)
	if err != nil {
		return nil, err
	}
	return b.batch(ctx, market, "batch of the demo market")
}

// batchOfGenerated measures the first batch of the generated market.
func batchOfGenerated(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.storedMarket(ctx)
	if err != nil {
		return nil, err
	}
	return b.batch(ctx, market, fmt.Sprintf("batch of %s series × %d days", thousands(float64(b.config.series)), b.config.days()))
}

// batch measures building the first batch of a market, from the facts in their tables to
// the published row. The reference is the bare aggregation of the return windows over
// the same days. Each round builds in a new database.
func (b *bench) batch(ctx context.Context, market *pipeline, name string) ([]line, error) {
	log := &statements{took: map[string][]float64{}}
	var built driver.Conn
	var days uint64
	rounds := 0
	found, err := b.interleave(ctx,
		side{name, func(ctx context.Context) (reading, error) {
			rounds++
			var result reading
			var err error
			built, result, err = b.buildCopy(ctx, market, fmt.Sprintf("%s_%d", market.database, rounds), log)
			if rounds == 1 {
				log.reset() // drop what the warm-up round logged
			}
			return result, err
		}},
		side{"bare window aggregation", func(ctx context.Context) (reading, error) {
			var asOf time.Time
			if err := built.QueryRow(ctx, "SELECT count(), max(date) FROM series_day").Scan(&days, &asOf); err != nil {
				return reading{}, fmt.Errorf("look at the days that were built: %w", err)
			}
			ctx = clickhouse.Context(ctx, clickhouse.WithParameters(clickhouse.Parameters{"as_of": asOf.Format(time.DateOnly)}))
			return b.time(int(days), func() error {
				var series, hash uint64
				return built.QueryRow(ctx, windowsQuery).Scan(&series, &hash)
			})
		}},
	)
	if err != nil {
		return nil, err
	}
	whole := of(found[0], reading.millis)
	const against = "the bare aggregation of the eight windows over series_day"
	lines := []line{
		compare(fmt.Sprintf("%s, %s rows", name, thousands(float64(days))), found[0], found[1], reading.millis, "ms", against),
		compare(name+", CPU of cuota and ClickHouse", found[0], found[1], reading.cpuMillis, "ms", against),
	}
	share := func(name string, took stat) {
		lines = append(lines, line{
			name: "  " + name, value: quantity{took, "ms"}, reference: quantity{whole, "ms"},
			ratio: stat{median: took.median / whole.median}, against: wholeBatch,
		})
	}
	for _, statement := range log.order {
		share(statement, newStat(log.took[statement]))
	}
	return lines, nil
}

// wholeBatch is the reference for the parts of a batch.
const wholeBatch = "the whole batch; two parts may run side by side"

// buildCopy copies a market's facts into a new database and builds a batch from them. It
// drops the database of the previous round.
func (b *bench) buildCopy(ctx context.Context, market *pipeline, database string, log *statements) (driver.Conn, reading, error) {
	conn, err := b.database(ctx, database)
	if err != nil {
		return nil, reading{}, err
	}
	if err := copyFacts(ctx, conn, market.database); err != nil {
		return nil, reading{}, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, reading{}, err
	}
	builder, err := newProjector(conn, zerolog.New(zerolog.SyncWriter(log)).Level(zerolog.DebugLevel))
	if err != nil {
		return nil, reading{}, err
	}
	result, err := b.time(1, func() error {
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
	rows, err := conn.Query(ctx, "SELECT name FROM system.tables WHERE database = {from:String} AND engine LIKE '%MergeTree' AND (startsWith(name, 'fact_') OR name = 'manifest' OR name = 'rejected_row')",
		clickhouse.Named("from", from))
	if err != nil {
		return fmt.Errorf("list the tables of facts: %w", err)
	}
	var tables []string
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return fmt.Errorf("list the tables of facts: %w", err)
		}
		tables = append(tables, table)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("list the tables of facts: %w", err)
	}
	for _, table := range tables {
		// The names come from this program and need no quoting.
		if err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%s", table, from, table)); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
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

func (s *statements) reset() { s.order, s.took = nil, map[string][]float64{} }

// Write implements io.Writer. It receives one line of the log at a time.
func (s *statements) Write(entry []byte) (int, error) {
	var told struct {
		Projection string  `json:"projection"`
		Took       float64 `json:"took_ms"`
	}
	if !bytes.Contains(entry, []byte(`"projection"`)) || json.Unmarshal(entry, &told) != nil {
		return len(entry), nil
	}
	if _, known := s.took[told.Projection]; !known {
		s.order = append(s.order, told.Projection)
	}
	s.took[told.Projection] = append(s.took[told.Projection], told.Took)
	return len(entry), nil
}
