package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
)

// TableSum is a checksum over all rows of a table as a batch sees them, independent of
// their order.
type TableSum struct {
	Table    string
	Rows     uint64
	Checksum uint64
}

// Sums returns a checksum for each table that batches fill, sorted by table. It covers
// every column except the number of the batch. Two batches of the same files have the same
// checksums, also in two databases. Lists of what a batch builds, such as series_month_version, are
// left out, because they depend on what earlier batches had built.
func Sums(ctx context.Context, conn driver.Conn, batch uint64) ([]TableSum, error) {
	var sums []TableSum
	for kind, query := range map[string]string{sql.TablesOfBatches: "batch_sum", sql.TablesOfDays: "day_sum"} {
		tables, err := sql.BuiltTables(ctx, conn, kind)
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			if strings.HasSuffix(table.Name, "_version") {
				continue
			}
			values := clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10), "table": table.Name,
				"list": table.List}
			sum := TableSum{Table: table.Name}
			if err := conn.QueryRow(sql.WithParameters(ctx, values), sql.Query(query)).Scan(&sum.Rows,
				&sum.Checksum); err != nil {
				return nil, fmt.Errorf("sum up %s of batch %d: %w", table.Name, batch, err)
			}
			sums = append(sums, sum)
		}
	}
	slices.SortFunc(sums, func(a, b TableSum) int { return cmp.Compare(a.Table, b.Table) })
	return sums, nil
}
