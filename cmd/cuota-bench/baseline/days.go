package baseline

import (
	"context"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/shopspring/decimal"

	"cuota/sql"
)

// Days runs the statement behind the days of a series and scans its rows. n is their
// number.
func Days(ctx context.Context, conn driver.Conn, batch uint64, series uint32) (n int, err error) {
	rows, err := conn.Query(ctx, sql.Query("days"),
		clickhouse.Named("batch", batch), clickhouse.Named("series_id", series),
		clickhouse.Named("from_date", "1970-01-01"), clickhouse.Named("to_date", "2149-06-06"),
		clickhouse.Named("limit", 1<<20),
		clickhouse.Named("days", "series_day"), clickhouse.Named("versions", "series_day_version"),
		clickhouse.Named("quota", "quota"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	var date time.Time
	var quota decimal.Decimal
	for ; rows.Next(); n++ {
		if err := rows.Scan(&date, &quota); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}
