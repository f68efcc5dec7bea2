package demotest

import (
	"context"
	"fmt"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Checksums gives a checksum of each projection of a batch. It covers every column except batch
// numbers, so two databases that were built from the same events have the same checksums.
func Checksums(t testing.TB, conn driver.Conn, batch uint64) map[string]string {
	t.Helper()
	sums := map[string]string{}
	for _, table := range []string{
		"series_break", "continuation", "continued_history", "rate", "day", "classification", "manager", "fund", "series", "series_latest", "series_return", "window_target", "screener",
		"series_month", "tac_month", "risk_month", "series_rename", "series_label", "fi_instrument", "index_day",
	} {
		sums[table] = checksum(t, conn, fmt.Sprintf("SELECT * EXCEPT (batch) FROM %s WHERE batch = %d", table, batch))
	}
	for _, view := range []string{"market_day_of", "family_day_of", "family_long_step_of", "manager_day_of"} {
		sums[view] = checksum(t, conn, fmt.Sprintf("SELECT * FROM %s(batch = %d, from = '1971-01-01', to = '2149-06-06')", view, batch))
	}
	sums["fi_day"] = checksum(t, conn, fmt.Sprintf("SELECT * FROM fi_day_of(batch = %d, series = [], all_series = true)", batch))
	sums["series_day"] = checksum(t, conn, fmt.Sprintf("SELECT * FROM series_day_of(batch = %d, series = [], all_series = true)", batch))
	return sums
}

// checksum counts rows and hashes them independently of their order.
func checksum(t testing.TB, conn driver.Conn, rows string) string {
	t.Helper()
	var sum, count uint64
	query := fmt.Sprintf("SELECT sum(cityHash64(toString(tuple(*)))), count() FROM (%s)", rows)
	if err := conn.QueryRow(context.Background(), query).Scan(&sum, &count); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d rows, %x", count, sum)
}
