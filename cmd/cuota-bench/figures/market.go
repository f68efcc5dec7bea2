package figures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
	"cuota/demo"
	"cuota/ingest"
	"cuota/model"
)

// lastDay is the last day of the generated market.
var lastDay = model.DateOf(clock).AddDays(-1)

// generatedFile returns the path of the generated file, which it writes at the first call.
func (b *bench) generatedFile() (string, error) {
	if b.cartola != "" {
		return b.cartola, nil
	}
	files := filepath.Join(b.dir, "template")
	if err := demo.Extract(files); err != nil {
		return "", err
	}
	template, err := os.ReadFile(filepath.Join(files, filepath.FromSlash(load.RealCartola)))
	if err != nil {
		return "", fmt.Errorf("read the real cartola: %w", err)
	}
	path := filepath.Join(b.dir, "cartola_generated.txt")
	file, err := os.Create(path)
	if err == nil {
		err = errors.Join(load.WriteCartola(file, template, b.config.Series, b.config.Days(), lastDay), file.Close())
	}
	if err != nil {
		return "", fmt.Errorf("generate a cartola: %w", err)
	}
	b.cartola = path
	return path, nil
}

// rows is the number of rows in the generated file.
func (b *bench) rows() int { return b.config.Series * b.config.Days() }

// generatedMarket returns the pipeline for the generated file, before the file is
// loaded.
func (b *bench) generatedMarket(ctx context.Context) (*pipeline, error) {
	if b.generated == nil {
		market, err := b.pipeline(ctx, "generated")
		if err != nil {
			return nil, err
		}
		b.generated = market
	}
	return b.generated, nil
}

// loadMarket sends the generated file through the pipeline into empty tables.
func (b *bench) loadMarket(ctx context.Context, market *pipeline) (stats.Reading, error) {
	path, err := b.generatedFile()
	if err != nil {
		return stats.Reading{}, err
	}
	for _, table := range []string{"fact_quota", "manifest", "complete_file"} {
		if err := market.conn.Exec(ctx, "TRUNCATE TABLE "+table+" SYNC"); err != nil {
			return stats.Reading{}, fmt.Errorf("empty %s: %w", table, err)
		}
	}
	result, err := b.rounds.Time(b.rows(), func() error {
		outcome, err := market.load(ctx, ingest.Request{Dataset: model.Cartola, Path: path})
		if err == nil && outcome.Rejected > 0 {
			err = fmt.Errorf("the generated cartola is refused: %s", outcome.FirstRejects[0].Reason)
		}
		return err
	})
	if err != nil {
		return stats.Reading{}, err
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

// storedMarket returns the pipeline after it has stored the generated market. It loads
// the market unless an earlier figure has done so.
func (b *bench) storedMarket(ctx context.Context) (*pipeline, error) {
	market, err := b.generatedMarket(ctx)
	if err != nil || holds(ctx, market.conn, "fact_quota", b.rows()) == nil {
		return market, err
	}
	_, err = b.loadMarket(ctx, market)
	return market, err
}

// demoMarket returns the pipeline after it has stored the shipped market. The first call
// ingests the market.
func (b *bench) demoMarket(ctx context.Context) (*pipeline, error) {
	if b.demo != nil {
		return b.demo, nil
	}
	files := filepath.Join(b.dir, "demo-files")
	if err := demo.Extract(files); err != nil {
		return nil, err
	}
	sources, err := demo.Sources()
	if err != nil {
		return nil, err
	}
	market, err := b.pipeline(ctx, "demo")
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		_, err := market.load(ctx, ingest.Request{
			Dataset: source.Dataset, Path: filepath.Join(files, source.Path), Published: source.Published,
		})
		if err != nil {
			return nil, fmt.Errorf("load the demo market: %w", err)
		}
	}
	b.demo = market
	return market, nil
}
