package query

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cuota/internal/statement"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// maxResultBytes limits the result of one statement. The largest result, the whole history
// of a series, is a hundred times smaller.
const maxResultBytes = 64 << 20

// reader runs the statements of sql/queries. Each has limits in time and size, and its name
// in ClickHouse's query log.
type reader struct {
	conn    driver.Conn
	timeout time.Duration
	// otherRules is true if another version of the program built the published batch.
	otherRules *atomic.Bool
	holds      *atomic.Uint64 // odd while nothing may be read; see Server.Hold
}

// errHeld says that ClickHouse was restarted and its tables were not inspected yet.
var errHeld = errors.New("ClickHouse was started again, and its tables are not inspected yet")

func (r reader) text(name string) string {
	if r.otherRules.Load() {
		return sql.QueryAsWritten(name)
	}
	return sql.Query(name)
}

// readError says that ClickHouse did not answer. Callers get 503.
type readError struct {
	statement string
	err       error
}

func (e *readError) Error() string { return fmt.Sprintf("run %s.sql: %v", e.statement, e.err) }
func (e *readError) Unwrap() error { return e.err }

// arg binds a value to the parameter {name:Type} of a statement. The server binds it.
func arg(name string, value any) any { return clickhouse.Named(name, value) }

// listOf gives a slice that is never nil, because ClickHouse can't bind nil as a list.
func listOf(ids []uint32) []uint32 { return append([]uint32{}, ids...) }

// rows reads all rows of a statement into structs, whose fields are tagged with the names
// of the columns. It fails with *readError if ClickHouse does not answer, or if a Hold
// began before the last row was read.
func rows[T any](ctx context.Context, r reader, name string, args ...any) ([]T, error) {
	held := r.holds.Load()
	if held%2 == 1 {
		return nil, &readError{name, errHeld}
	}
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	var list []T
	if err := r.conn.Select(ctx, &list, r.text(name), args...); err != nil {
		return nil, &readError{name, err}
	}
	if r.holds.Load() != held {
		return nil, &readError{name, errHeld}
	}
	return list, nil
}

// bounded sets the limits of one statement, and marks it with the id of the request for
// which it runs. The driver passes the deadline to ClickHouse as max_execution_time.
func (r reader) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	if request, known := ctx.Value(recordKey{}).(*record); known {
		ctx = statement.ForRequest(ctx, request.id)
	}
	return statement.With(ctx, clickhouse.Settings{"max_result_bytes": maxResultBytes}), cancel
}
