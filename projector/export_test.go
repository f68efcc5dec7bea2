package projector

import (
	"context"
	"maps"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
)

// TablesRead returns, for each table that projections fill, the tables that these read.
func TablesRead(ctx context.Context, conn driver.Conn) (map[string][]string, error) {
	list, err := sql.Projections()
	if err != nil {
		return nil, err
	}
	accesses, err := accessOf(ctx, conn, list)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for i, p := range list {
		all[p.Table] = append(all[p.Table], slices.Sorted(maps.Keys(accesses[i].reads))...)
	}
	return all, nil
}
