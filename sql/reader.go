package sql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/ext"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// MaxResultBytes limits the result of one statement that a Reader runs. The largest results are
// those that are read for all series at once, such as their cost rates by month.
const MaxResultBytes = 64 << 20

// Reader runs the statements of the folder queries. Each has a limit in time and size, and
// its name in ClickHouse's query log.
type Reader struct {
	conn    *namedConn
	timeout time.Duration // of a statement; 0: the limits are those of the user
	http    *HTTP         // nil if Stream can't be used

	asWritten bool  // chooses QueryAsWritten instead of Query
	gate      *Gate // nil if nothing ever closes it
}

// NewReader makes a Reader for a component of the program, such as query. timeout limits
// each statement. asWritten says whether statements call the views of the database, which
// is right if another version of the program built the batch that is read.
func NewReader(conn driver.Conn, component string, timeout time.Duration, asWritten bool, gate *Gate) Reader {
	return Reader{conn: statementsNamed(conn, component), timeout: timeout, asWritten: asWritten, gate: gate}
}

// NewCommandReader makes a Reader for a command beside a running program, whose user may not
// change limits. Its statements have the limits of that user and of their context.
func NewCommandReader(conn driver.Conn, component string, asWritten bool) Reader {
	return NewReader(conn, component, 0, asWritten, nil)
}

// ReadError says that ClickHouse did not return the rows of a statement.
type ReadError struct {
	Statement string
	Err       error
}

func (e *ReadError) Error() string { return fmt.Sprintf("run %s.sql: %v", e.Statement, e.Err) }
func (e *ReadError) Unwrap() error { return e.Err }

// Unavailable reports that the same read may succeed later.
func (e *ReadError) Unavailable() bool { return true }

// Worked reports whether ClickHouse worked on the statement until it or its caller gave up.
func (e *ReadError) Worked() bool {
	return wasKilled(e.Err) || errors.Is(e.Err, context.DeadlineExceeded) || errors.Is(e.Err, context.Canceled)
}

// Arg binds a value to the parameter {name:Type} of a statement. The server binds it.
func Arg(name string, value any) any { return clickhouse.Named(name, value) }

// Column is a column of a Table.
type Column struct {
	Type   string // name and type, as in "series_id UInt32"
	Values any    // a slice of what the driver takes for the type, as []uint32
}

// Table makes a table that is sent with a statement of Rows as one of its arguments; Stream does not take one. The
// statement reads it under name. It fails if ClickHouse has no such type, or if the columns do not have the same
// number of values. Use it for rows that a statement reads as a table, and for thousands of values: as arrays, they
// take several times as long to parse.
func Table(name string, columns ...Column) (*ext.Table, error) {
	definitions := make([]func(*ext.Table) error, len(columns))
	for i, of := range columns {
		title, kind, _ := strings.Cut(of.Type, " ")
		definitions[i] = ext.Column(title, column.Type(kind))
	}
	table, err := ext.NewTable(name, definitions...)
	if err != nil {
		return nil, fmt.Errorf("table %s of a statement: %w", name, err)
	}
	block := table.Block()
	for i, of := range columns {
		if _, err := block.Columns[i].Append(of.Values); err != nil {
			return nil, fmt.Errorf("table %s of a statement: %s: %w", name, of.Type, err)
		}
		if rows := block.Columns[i].Rows(); rows != block.Columns[0].Rows() {
			return nil, fmt.Errorf("table %s of a statement: %s has %d values, another column %d", name, of.Type, rows,
				block.Columns[0].Rows())
		}
	}
	return table, nil
}

// withTables moves the tables among arguments into the context, where the driver expects them.
func withTables(ctx context.Context, args []any) (context.Context, []any) {
	var tables []*ext.Table
	values := make([]any, 0, len(args))
	for _, arg := range args {
		if table, is := arg.(*ext.Table); is {
			tables = append(tables, table)
		} else {
			values = append(values, arg)
		}
	}
	if tables == nil {
		return ctx, args
	}
	return clickhouse.Context(ctx, clickhouse.WithExternalTable(tables...)), values
}

// Rows reads all rows of a statement into structs, whose fields are tagged with the names
// of the columns. It fails with *ReadError if ClickHouse does not answer, or if the gate was
// closed at any time before the last row was read.
func Rows[T any](ctx context.Context, r Reader, name string, args ...any) ([]T, error) {
	return read(ctx, r, name, args, func(ctx context.Context, text string, args []any) (list []T, err error) {
		err = r.conn.Select(ctx, &list, text, args...)
		return list, err
	})
}

// RowsSupposing is Rows of a statement over the quotes that a file states, as Supposing returns it.
func RowsSupposing[T any](ctx context.Context, r Reader, name string, args ...any) ([]T, error) {
	return read(ctx, r, name, args, func(ctx context.Context, _ string, args []any) (list []T, err error) {
		err = r.conn.Select(ctx, &list, Supposing(name), args...)
		return list, err
	})
}

// ManyRows is Rows for results of many thousand rows, which it reads in less time.
func ManyRows[T any](ctx context.Context, r Reader, name string, args ...any) ([]T, error) {
	return read(ctx, r, name, args, func(ctx context.Context, text string, args []any) ([]T, error) {
		found, err := r.conn.Query(ctx, text, args...)
		if err != nil {
			return nil, err
		}
		return readAll[T](found)
	})
}

// What stands around a statement whose rows are counted.
const countHead, countTail = "SELECT count() FROM (\n", "\n)"

// Count returns how many rows a statement has. ClickHouse computes no column that decides neither
// which rows there are nor how many.
func Count(ctx context.Context, r Reader, name string, args ...any) (uint64, error) {
	counts, err := read(ctx, r, name, args, func(ctx context.Context, text string, args []any) ([]uint64, error) {
		var count uint64
		err := r.conn.QueryRow(ctx, countHead+text+countTail, args...).Scan(&count)
		return []uint64{count}, err
	})
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}

// read runs a statement with the limits of a Reader.
func read[T any](ctx context.Context, r Reader, name string, args []any,
	run func(ctx context.Context, text string, args []any) ([]T, error)) ([]T, error) {
	passed, open := r.gate.pass()
	if !open {
		return nil, &ReadError{name, errClosed}
	}
	if r.timeout > 0 {
		// the driver passes the deadline to ClickHouse as max_execution_time
		limited, cancel := context.WithTimeout(ctx, r.timeout)
		defer cancel()
		ctx = WithSettings(limited, clickhouse.Settings{"max_result_bytes": MaxResultBytes})
	}
	text := Query(name)
	if r.asWritten {
		text = QueryAsWritten(name)
	}
	ctx, args = withTables(ctx, args)
	list, err := run(ctx, text, args)
	if err != nil {
		return nil, &ReadError{name, err}
	}
	if again, open := r.gate.pass(); !open || again != passed {
		return nil, &ReadError{name, errClosed}
	}
	return list, nil
}

// Select runs a statement of the folder queries without the limits of a Reader, and returns
// its rows. what says in an error what was to be done.
func Select[T any](ctx context.Context, conn driver.Conn, name string, values clickhouse.Parameters,
	what string) ([]T, error) {
	var list []T
	if err := conn.Select(WithParameters(ctx, values), &list, Query(name)); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return list, nil
}

// SelectValues runs a statement that has one column, and returns its values.
func SelectValues[T any](ctx context.Context, conn driver.Conn, statement string) (list []T, err error) {
	rows, err := conn.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var value T
		if err := rows.Scan(&value); err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, rows.Err()
}

// errClosed says that ClickHouse was restarted and its tables were not inspected yet.
var errClosed = errors.New("ClickHouse was restarted, and its tables have not been inspected yet")

// Gate stops reads while the tables may have lost rows: from the end of ClickHouse until
// its tables were inspected. Its zero value is open.
type Gate struct{ changes atomic.Uint64 } // odd while closed

// Close stops all reads until Open. Closing a closed gate counts as another end of
// ClickHouse, so that an inspection which began before it does not open the gate.
func (g *Gate) Close() {
	for now := g.changes.Load(); ; now = g.changes.Load() {
		if g.changes.CompareAndSwap(now, now+1+now%2) {
			return
		}
	}
}

// Closed identifies the current closing, for Open. An inspection calls it when it begins.
func (g *Gate) Closed() uint64 { return g.changes.Load() }

// Open ends a closing after the tables were inspected and damage was written to
// batch_damage. It does nothing if the gate was closed again since closed was read.
func (g *Gate) Open(closed uint64) {
	if closed%2 == 1 {
		g.changes.CompareAndSwap(closed, closed+1)
	}
}

// pass returns the number of changes, and whether reads may go on.
func (g *Gate) pass() (changes uint64, open bool) {
	if g == nil {
		return 0, true
	}
	changes = g.changes.Load()
	return changes, changes%2 == 0
}
