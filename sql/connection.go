package sql

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"
)

// CommentSetting is the ClickHouse setting that holds the name of a statement. ClickHouse's
// query log and its list of running queries show from which file a statement comes.
const CommentSetting = "log_comment"

// emptyForMissing is the setting that chooses what an outer join has of a row that is missing. Our statements expect 0:
// empty values. That is ClickHouse's default, but the profile of a server's user may have another value. Views
// state it themselves, because people read them with settings of their own.
const emptyForMissing = "join_use_nulls"

// unnamed is the name of a statement that is not in package sql.
const unnamed = "unnamed"

// Watch configures what happens with slow statements.
type Watch struct {
	// Slow is the duration from which a statement is slow and is logged. With 0, no statement
	// is slow.
	Slow time.Duration
	Log  zerolog.Logger
	// Ran, if set, is called after each statement, from several goroutines at once.
	Ran func(name string, how Outcome)
	// Tracer, if set, makes a span of each statement whose context has a sampled span.
	Tracer trace.Tracer
}

// Outcome is how a statement ended, for those who count.
type Outcome struct {
	Slow bool
	// Killed says that ClickHouse ended the statement: at its limit of time, of memory or of rows,
	// or because somebody killed it.
	Killed bool
}

// killedCodes are the error codes of ClickHouse for statements that it ended.
var killedCodes = []int32{
	158, // TOO_MANY_ROWS
	159, // TIMEOUT_EXCEEDED
	160, // TOO_SLOW
	241, // MEMORY_LIMIT_EXCEEDED
	307, // TOO_MANY_BYTES
	394, // QUERY_WAS_CANCELLED
	396, // TOO_MANY_ROWS_OR_BYTES
}

func wasKilled(err error) bool {
	exception := (*clickhouse.Exception)(nil)
	return errors.As(err, &exception) && slices.Contains(killedCodes, exception.Code)
}

// Watched returns a connection that names its statements and logs slow ones.
func Watched(conn driver.Conn, watch Watch) driver.Conn {
	return &namedConn{Conn: conn, component: "cuota", watch: watch}
}

// Named returns a connection whose statements are named as those of a component: query/market for
// a statement in sql/queries, else with its folder, as in projector/projections/market_day. The
// connection keeps its Watch, if it has one.
func Named(conn driver.Conn, component string) driver.Conn { return statementsNamed(conn, component) }

func statementsNamed(conn driver.Conn, component string) *namedConn {
	if known, already := conn.(*namedConn); already {
		return &namedConn{Conn: known.Conn, component: component, watch: known.watch}
	}
	return &namedConn{Conn: conn, component: component}
}

// NamedOptions returns a copy of the options in which name is the default name of all statements. A
// Named connection or As overrides it.
func NamedOptions(options *clickhouse.Options, name string) *clickhouse.Options {
	copied := *options
	copied.Settings = maps.Clone(options.Settings)
	if copied.Settings == nil {
		copied.Settings = clickhouse.Settings{}
	}
	copied.Settings[CommentSetting] = name
	return &copied
}

// As sets the name of statements that are run with a context, for connections of database/sql.
func As(ctx context.Context, name string) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{CommentSetting: name}))
}

type settingsKey struct{}

// WithSettings sets ClickHouse settings for the statements of a context. Use it instead of
// clickhouse.WithSettings, whose settings would be replaced when the statement is named.
func WithSettings(ctx context.Context, settings clickhouse.Settings) context.Context {
	return context.WithValue(ctx, settingsKey{}, settings)
}

// WithParameters binds values to the parameters {name:Type} of the statements of a context. Values
// that a statement does not name are ignored.
func WithParameters(ctx context.Context, values clickhouse.Parameters) context.Context {
	return clickhouse.Context(ctx, clickhouse.WithParameters(values))
}

type requestKey struct{}

// request is what statements know of the request that they are run for.
type request struct{ id, trace string }

// ForRequest gives statements of a context query ids that begin with the id of a request. The log of slow statements
// names the request and the trace that it is a part of, unless that is "".
func ForRequest(ctx context.Context, id, trace string) context.Context {
	return context.WithValue(ctx, requestKey{}, request{id, trace})
}

// ClickHouse refuses a statement whose query id is already in use by a running statement.
// Clients choose the ids of their requests, and a request may run several statements. So each
// query id ends in a unique part: an id of this process and a number.
var (
	process  = rand.Text()[:8]
	sequence atomic.Uint64
)

// queryID returns the id of a statement of a request.
func queryID(request string) string {
	return request + "-" + process + "-" + strconv.FormatUint(sequence.Add(1), 10)
}

// namedConn is a connection that names its statements. It embeds the interface, so that it has
// methods that the driver adds later.
type namedConn struct {
	driver.Conn
	component string
	watch     Watch
}

// name returns the log_comment of a statement: the component and the statement's name.
func (c *namedConn) name(text string) string {
	name, known := NameOf(text)
	if !known {
		name = unnamed
	}
	return c.component + "/" + name
}

func (c *namedConn) context(ctx context.Context, name string) context.Context {
	settings := clickhouse.Settings{CommentSetting: name, emptyForMissing: 0}
	if more, given := ctx.Value(settingsKey{}).(clickhouse.Settings); given {
		maps.Copy(settings, more)
	}
	options := []clickhouse.QueryOption{clickhouse.WithSettings(settings)}
	if of, given := ctx.Value(requestKey{}).(request); given {
		options = append(options, clickhouse.WithQueryID(queryID(of.id)))
	}
	return clickhouse.Context(ctx, options...)
}

// ran reports a statement that has ended with an error or nil, logs it if it was slow, and makes its span.
func (c *namedConn) ran(ctx context.Context, name string, began time.Time, err error) {
	took := time.Since(began)
	slow := c.watch.Slow > 0 && took >= c.watch.Slow
	if slow {
		event := c.watch.Log.Warn().Str("statement", name).Dur("took_ms", took)
		if of, given := ctx.Value(requestKey{}).(request); given {
			event.Str("request_id", of.id)
			if of.trace != "" {
				event.Str("trace_id", of.trace)
			}
		}
		event.Msg("a statement was slow")
	}
	if c.watch.Ran != nil {
		c.watch.Ran(name, Outcome{slow, wasKilled(err)})
	}
	if c.watch.Tracer != nil && trace.SpanContextFromContext(ctx).IsSampled() {
		recordSpan(ctx, c.watch.Tracer, name, began, took, err)
	}
}

// Select implements driver.Conn.
func (c *namedConn) Select(ctx context.Context, into any, text string, args ...any) error {
	name, began := c.name(text), time.Now()
	err := c.Conn.Select(c.context(ctx, name), into, text, args...)
	c.ran(ctx, name, began, err)
	return err
}

// Exec implements driver.Conn.
func (c *namedConn) Exec(ctx context.Context, text string, args ...any) error {
	name, began := c.name(text), time.Now()
	err := c.Conn.Exec(c.context(ctx, name), text, args...)
	c.ran(ctx, name, began, err)
	return err
}

// QueryRow implements driver.Conn.
func (c *namedConn) QueryRow(ctx context.Context, text string, args ...any) driver.Row {
	name, began := c.name(text), time.Now()
	row := c.Conn.QueryRow(c.context(ctx, name), text, args...)
	c.ran(ctx, name, began, row.Err())
	return row
}

// Query implements driver.Conn. The statement counts as ended when its rows are closed.
func (c *namedConn) Query(ctx context.Context, text string, args ...any) (driver.Rows, error) {
	name, began := c.name(text), time.Now()
	rows, err := c.Conn.Query(c.context(ctx, name), text, args...)
	if err != nil {
		c.ran(ctx, name, began, err)
		return rows, err
	}
	return &namedRows{rows, func(err error) { c.ran(ctx, name, began, err) }}, nil
}

type namedRows struct {
	driver.Rows
	ended func(error)
}

// Close implements driver.Rows.
func (r *namedRows) Close() error {
	err := r.Rows.Close()
	if r.ended != nil {
		r.ended(errors.Join(r.Err(), err))
		r.ended = nil
	}
	return err
}

// PrepareBatch implements driver.Conn. Only the time of Send is measured, because the caller
// decides how fast it appends rows.
//
// The driver watches the context of a batch while it sends it, and closes the connection when the
// context ends. On a busy machine it can notice the end of the context after Send has returned. The
// connection is in the pool by then, and another statement may use it. So the driver gets a context
// that no longer ends once the batch is sent or aborted.
func (c *namedConn) PrepareBatch(ctx context.Context, head string,
	options ...driver.PrepareBatchOption) (driver.Batch, error) {
	name := c.name(head)
	until, end := context.WithCancel(context.WithoutCancel(c.context(ctx, name)))
	done := context.AfterFunc(ctx, end)
	batch, err := c.Conn.PrepareBatch(until, head, options...)
	if err != nil {
		done()
		return nil, errors.Join(err, context.Cause(ctx))
	}
	return &namedBatch{batch, done, func(began time.Time, err error) { c.ran(ctx, name, began, err) }}, nil
}

type namedBatch struct {
	driver.Batch
	done func() bool // detaches the batch from the context that it was prepared with
	sent func(began time.Time, err error)
}

// Send implements driver.Batch.
func (b *namedBatch) Send() error {
	began := time.Now()
	err := b.Batch.Send()
	b.done()
	b.sent(began, err)
	return err
}

// Abort implements driver.Batch.
func (b *namedBatch) Abort() error {
	defer b.done()
	return b.Batch.Abort()
}
