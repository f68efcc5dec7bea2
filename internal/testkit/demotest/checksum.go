package demotest

import (
	"context"
	"fmt"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/projector/inspect"
)

// Checksums returns the rows and the checksum of each table of a batch, and of the equity that
// batch_manager_day converts to pesos. Two databases that were built from the same events have the
// same checksums.
func Checksums(t testing.TB, conn driver.Conn, batch uint64) map[string]string {
	t.Helper()
	list, err := inspect.Sums(context.Background(), conn, batch)
	must(t, err)
	sums := map[string]string{}
	for _, sum := range list {
		sums[sum.Table] = fmt.Sprintf("%d rows, %x", sum.Rows, sum.Checksum)
	}
	sums["batch_manager_day"] = checksum(t, conn,
		fmt.Sprintf("SELECT * FROM batch_manager_day(batch = %d, from = '1971-01-01', to = '2149-06-06')", batch))
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
