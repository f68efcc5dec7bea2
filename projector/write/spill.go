package write

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/sql"
)

// spillBytes is how much memory the groups or the sorted rows of a statement may take. What is more goes to
// temporary files. Joins and windows are not limited by this. docs/performance.md has what statements need.
const spillBytes = 512 << 20

// Spilling limits in this way the memory of the statements of a context.
func Spilling(ctx context.Context) context.Context {
	return sql.WithSettings(ctx, clickhouse.Settings{"max_bytes_before_external_group_by": spillBytes,
		"max_bytes_before_external_sort": spillBytes})
}
