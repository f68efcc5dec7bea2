// Package statement tells ClickHouse the name of every statement that it is sent, as
// log_comment, so that its query log and its list of running queries say which file of
// package sql a statement comes from. It logs statements that take long.
package statement

import (
	"context"
	"crypto/rand"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// Setting is the setting of ClickHouse that holds the name of a statement.
const Setting = "log_comment"

// unnamed stands for a statement that package sql does not have.
const unnamed = "unnamed"

// Watch says what is done about statements that take long.
type Watch struct {
	// Slow is the time from which on a statement is logged; 0: none is.
	Slow time.Duration
	Log  zerolog.Logger
	// Ran, if given, is called after each statement, by many goroutines at once.
	Ran func(name string, slow bool)
}

// Watched gives the connection with statements that take long logged.
func Watched(conn driver.Conn, watch Watch) driver.Conn {
	return &named{Conn: conn, component: "cuota", watch: watch}
}

// Named gives the connection with each statement named as one of a component, as in
// query/market, or projector/projections/day for one that is not in sql/queries. A
// connection that is watched stays so.
func Named(conn driver.Conn, component string) driver.Conn {
	if known, already := conn.(*named); already {
		return &named{Conn: known.Conn, component: component, watch: known.watch}
	}
	return &named{Conn: conn, component: component}
}

// Options gives options under which every statement is named, where neither a Named
// connection nor As says otherwise.
func Options(options *clickhouse.Options, name string) *clickhouse.Options {
	named := *options
	named.Settings = maps.Clone(options.Settings)
	if named.Settings == nil {
		named.Settings = clickhouse.Settings{}
	}
	named.Settings[Setting] = name
	return &named
}

// As names the statements of a context, for connections of database/sql.
func As(ctx context.Context, name string) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{Setting: name}))
}

type settingsKey struct{}

// With has statements run with settings. It takes the place of clickhouse.WithSettings,
// whose settings the name would replace.
func With(ctx context.Context, settings clickhouse.Settings) context.Context {
	return context.WithValue(ctx, settingsKey{}, settings)
}

type requestKey struct{}

// ForRequest has the ids of statements in ClickHouse begin with the id of a request.
func ForRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// ClickHouse refuses a statement whose id another one that runs has. Callers choose the
// ids of requests, and a request may run several statements, so each id ends in a part
// that no other has: that of this process, and a number.
var (
	process  = rand.Text()[:8]
	sequence atomic.Uint64
)

// named names statements. It embeds the interface, so that methods that the driver gains
// are there.
type named struct {
	driver.Conn
	component string
	watch     Watch
}

// name gives what log_comment says of a statement.
func (c *named) name(text string) string {
	name, known := sql.NameOf(text)
	if !known {
		name = unnamed
	}
	return c.component + "/" + name
}

func (c *named) context(ctx context.Context, name string) context.Context {
	settings := clickhouse.Settings{Setting: name}
	if more, given := ctx.Value(settingsKey{}).(clickhouse.Settings); given {
		maps.Copy(settings, more)
	}
	options := []clickhouse.QueryOption{clickhouse.WithSettings(settings)}
	if id, given := ctx.Value(requestKey{}).(string); given {
		options = append(options, clickhouse.WithQueryID(id+"-"+process+"-"+strconv.FormatUint(sequence.Add(1), 10)))
	}
	return clickhouse.Context(ctx, options...)
}

// ran notes that a statement has ended.
func (c *named) ran(ctx context.Context, name string, began time.Time) {
	took := time.Since(began)
	slow := c.watch.Slow > 0 && took >= c.watch.Slow
	if slow {
		event := c.watch.Log.Warn().Str("statement", name).Dur("took_ms", took)
		if id, given := ctx.Value(requestKey{}).(string); given {
			event.Str("request_id", id)
		}
		event.Msg("a statement took long")
	}
	if c.watch.Ran != nil {
		c.watch.Ran(name, slow)
	}
}

// Select implements driver.Conn.
func (c *named) Select(ctx context.Context, into any, text string, args ...any) error {
	name := c.name(text)
	defer c.ran(ctx, name, time.Now())
	return c.Conn.Select(c.context(ctx, name), into, text, args...)
}

// Exec implements driver.Conn.
func (c *named) Exec(ctx context.Context, text string, args ...any) error {
	name := c.name(text)
	defer c.ran(ctx, name, time.Now())
	return c.Conn.Exec(c.context(ctx, name), text, args...)
}

// QueryRow implements driver.Conn.
func (c *named) QueryRow(ctx context.Context, text string, args ...any) driver.Row {
	name := c.name(text)
	defer c.ran(ctx, name, time.Now())
	return c.Conn.QueryRow(c.context(ctx, name), text, args...)
}

// Query implements driver.Conn. The statement has ended when its rows are closed.
func (c *named) Query(ctx context.Context, text string, args ...any) (driver.Rows, error) {
	name, began := c.name(text), time.Now()
	rows, err := c.Conn.Query(c.context(ctx, name), text, args...)
	if err != nil {
		c.ran(ctx, name, began)
		return rows, err
	}
	return &namedRows{rows, func() { c.ran(ctx, name, began) }}, nil
}

type namedRows struct {
	driver.Rows
	ended func()
}

// Close implements driver.Rows.
func (r *namedRows) Close() error {
	err := r.Rows.Close()
	if r.ended != nil {
		r.ended()
		r.ended = nil
	}
	return err
}

// PrepareBatch implements driver.Conn. What is measured is the time that sending takes:
// rows are appended at the pace of whoever makes them.
func (c *named) PrepareBatch(ctx context.Context, head string, options ...driver.PrepareBatchOption) (driver.Batch, error) {
	name := c.name(head)
	batch, err := c.Conn.PrepareBatch(c.context(ctx, name), head, options...)
	if err != nil {
		return nil, err
	}
	return &namedBatch{batch, func(began time.Time) { c.ran(ctx, name, began) }}, nil
}

type namedBatch struct {
	driver.Batch
	sent func(began time.Time)
}

// Send implements driver.Batch.
func (b *namedBatch) Send() error {
	defer b.sent(time.Now())
	return b.Batch.Send()
}
