package main

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/ingest"
	"cuota/model"
)

// fileToFacts measures the whole way of a cartola into fact_quota, until every row is
// stored and its offset committed. The reference is a plain insert of the same rows.
func fileToFacts(ctx context.Context, b *bench) ([]line, error) {
	market, err := b.generatedMarket(ctx)
	if err != nil {
		return nil, err
	}
	bare, err := b.newBareInsert(ctx, "bare")
	if err != nil {
		return nil, err
	}
	found, err := b.interleave(ctx,
		side{"file to facts", func(ctx context.Context) (reading, error) { return b.loadMarket(ctx, market) }},
		side{"bare insert, row-wise", bare.rowWise},
	)
	if err != nil {
		return nil, err
	}
	b.whole = found[0]
	against := fmt.Sprintf("clickhouse-go alone, row-wise, %d inserts at once of %s rows, decoded beforehand", partitions, thousands(float64(bare.batch)))
	return []line{
		compare("file to facts", found[0], found[1], reading.perSecond, "rows/s", against),
		compare("file to facts, CPU of cuota and ClickHouse", found[0], found[1], reading.cpuSeconds, "s", "the same, both engines included"),
	}, nil
}

// generatedMarket returns the pipeline for the generated file, before the file is
// loaded.
func (b *bench) generatedMarket(ctx context.Context) (*pipeline, error) {
	if b.market == nil {
		market, err := b.pipeline(ctx, "generated")
		if err != nil {
			return nil, err
		}
		b.market = market
	}
	return b.market, nil
}

// loadMarket sends the generated file through the pipeline into empty tables.
func (b *bench) loadMarket(ctx context.Context, market *pipeline) (reading, error) {
	path, err := b.generated()
	if err != nil {
		return reading{}, err
	}
	for _, table := range []string{"fact_quota", "manifest", "source"} {
		if err := market.conn.Exec(ctx, "TRUNCATE TABLE "+table+" SYNC"); err != nil {
			return reading{}, fmt.Errorf("empty %s: %w", table, err)
		}
	}
	result, err := b.time(b.rows(), func() error {
		report, err := market.load(ctx, ingest.Request{Dataset: model.Cartola, Path: path})
		if err == nil && report.Rejected > 0 {
			err = fmt.Errorf("the generated cartola is refused: %s", report.FirstRejects[0].Reason)
		}
		return err
	})
	if err != nil {
		return reading{}, err
	}
	return result, holds(ctx, market.conn, "fact_quota", b.rows())
}

// holds fails unless a table has so many rows, so that losing rows never looks fast.
func holds(ctx context.Context, conn driver.Conn, table string, rows int) error {
	var found uint64
	if err := conn.QueryRow(ctx, "SELECT uniqExact(run, serie, date) FROM "+table).Scan(&found); err != nil {
		return fmt.Errorf("count the rows of %s: %w", table, err)
	}
	if found != uint64(rows) {
		return fmt.Errorf("%s holds %d rows, expected %d", table, found, rows)
	}
	return nil
}
