package baseline

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// The aggregation that the eight return windows need, and nothing else.
//
//go:embed windows.sql
var windowsQuery string

// Windows is the bare aggregation of the return windows over the days of a built batch.
type Windows struct {
	Days uint64 // rows of series_day
	conn driver.Conn
	asOf time.Time
}

// NewWindows looks at the days that were built in the connection's database.
func NewWindows(ctx context.Context, conn driver.Conn) (Windows, error) {
	w := Windows{conn: conn}
	if err := conn.QueryRow(ctx, "SELECT count(), max(date) FROM series_day").Scan(&w.Days, &w.asOf); err != nil {
		return Windows{}, fmt.Errorf("look at the days that were built: %w", err)
	}
	return w, nil
}

// Ask runs the aggregation once.
func (w Windows) Ask(ctx context.Context) error {
	ctx = clickhouse.Context(ctx,
		clickhouse.WithParameters(clickhouse.Parameters{"as_of": w.asOf.Format(time.DateOnly)}))
	var series, hash uint64
	return w.conn.QueryRow(ctx, windowsQuery).Scan(&series, &hash)
}
