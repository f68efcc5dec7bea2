package projector

import (
	"context"
	"maps"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
)

// WaitsFor gives, for each projection, the names of the projections that must end before it
// begins.
func WaitsFor(ctx context.Context, conn driver.Conn) (map[string]map[string]bool, error) {
	list, err := new(Order).ask(ctx, conn)
	return waitsOf(list), err
}

func waitsOf(list []step) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, s := range list {
		before := map[string]bool{}
		for _, place := range s.after {
			before[list[place].Name] = true
			for name := range all[list[place].Name] {
				before[name] = true
			}
		}
		all[s.Name] = before
	}
	return all
}

// TablesRead gives, for each table that projections fill, the tables that these read.
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
