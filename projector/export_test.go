package projector

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
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
