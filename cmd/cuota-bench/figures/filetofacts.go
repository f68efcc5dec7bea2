package figures

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/cmd/cuota-bench/baseline"
	"cuota/cmd/cuota-bench/load"
	"cuota/cmd/cuota-bench/stats"
)

// fileToFacts is the whole way of a cartola into fact_quota, until every row is stored and
// its offset committed. The reference is a plain insert of the same rows. The goal is at
// least 0.25 of its rows per second.
var fileToFacts = Figure{
	"file-to-facts", "a cartola file through ingest, Kafka and the projector into fact_quota, against a bare insert",
	measureFileToFacts,
}

func measureFileToFacts(ctx context.Context, b *bench) ([]stats.Line, error) {
	market, err := b.generatedMarket(ctx)
	if err != nil {
		return nil, err
	}
	bare, err := b.newBareInsert(ctx, "bare")
	if err != nil {
		return nil, err
	}
	found, err := b.rounds.Interleave(ctx,
		load.Side{Name: "file to facts", Once: func(ctx context.Context) (stats.Reading, error) {
			return b.loadMarket(ctx, market)
		}},
		load.Side{Name: "bare insert, row-wise", Once: bare.rowWise},
	)
	if err != nil {
		return nil, err
	}
	b.wholeWay = found[0]
	against := fmt.Sprintf("clickhouse-go alone, row-wise, %d inserts at once of %s rows, decoded beforehand",
		partitions, stats.Thousands(float64(bare.batch)))
	return []stats.Line{
		stats.Compare("file to facts", found[0], found[1], stats.Reading.PerSecond, "rows/s", against),
		stats.Compare("file to facts, CPU of cuota and ClickHouse", found[0], found[1], stats.Reading.CPUSeconds, "s",
			"the same, both engines included"),
	}, nil
}

// bareInsert inserts the rows that the pipeline stored into a database of its own. Batches
// are as large, and as many in parallel, as those of the projector. The rows are read
// before each round and released after it, because so much live memory would slow the
// garbage collection of the other side.
type bareInsert struct {
	bench *bench
	conn  driver.Conn
	batch int // rows of a batch
}

func (b *bench) newBareInsert(ctx context.Context, database string) (*bareInsert, error) {
	conn, err := b.database(ctx, database)
	if err != nil {
		return nil, err
	}
	return &bareInsert{bench: b, conn: conn}, nil
}

func (i *bareInsert) rowWise(ctx context.Context) (stats.Reading, error) {
	return i.measure(ctx, baseline.Columns.RowWise)
}

func (i *bareInsert) columnWise(ctx context.Context) (stats.Reading, error) {
	return i.measure(ctx, baseline.Columns.ColumnWise)
}

// measure inserts all rows into an empty table.
func (i *bareInsert) measure(ctx context.Context, way func(baseline.Columns) baseline.Fill) (stats.Reading, error) {
	market, err := i.bench.storedMarket(ctx)
	if err != nil {
		return stats.Reading{}, err
	}
	consumed := market.group.Stats()
	i.batch = int(consumed.Messages / consumed.Batches)
	table, err := baseline.ReadQuotas(ctx, market.conn, i.bench.rows())
	if err != nil {
		return stats.Reading{}, err
	}
	rows, fill := table.Rows(), way(table)
	if err := i.conn.Exec(ctx, "TRUNCATE TABLE fact_quota SYNC"); err != nil {
		return stats.Reading{}, fmt.Errorf("empty fact_quota: %w", err)
	}
	if err := i.bench.settle(ctx); err != nil {
		return stats.Reading{}, err
	}
	result, err := i.bench.rounds.Time(rows, func() error {
		return baseline.Insert(ctx, i.conn, rows, i.batch, partitions, fill)
	})
	if err != nil {
		return stats.Reading{}, err
	}
	return result, holds(ctx, i.conn, "fact_quota", rows)
}
