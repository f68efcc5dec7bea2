package figures

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/internal/bench/report"
)

// buildCopy copies a market's facts into a new database and builds a batch from them. Only
// the building is measured. The connection is to the new database.
func (b *bench) buildCopy(ctx context.Context, market *pipeline, database string, log *statements) (driver.Conn, report.Reading, error) {
	conn, err := b.database(ctx, database)
	if err != nil {
		return nil, report.Reading{}, err
	}
	if err := copyFacts(ctx, conn, market.database); err != nil {
		return nil, report.Reading{}, err
	}
	if err := b.settle(ctx); err != nil {
		return nil, report.Reading{}, err
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
	err := conn.Select(ctx, &tables, "SELECT name FROM system.tables WHERE database = {from:String} AND engine LIKE '%MergeTree' AND (startsWith(name, 'fact_') OR name = 'manifest' OR name = 'rejected_row')",
		clickhouse.Named("from", from))
	if err != nil {
		return fmt.Errorf("list the tables of facts: %w", err)
	}
	for _, table := range tables {
		// The names come from this program and need no quoting.
		if err := conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s SELECT * FROM %s.%s", table.Name, from, table.Name)); err != nil {
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
