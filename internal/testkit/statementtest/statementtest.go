// Package statementtest records the names and ids of the statements that are sent to
// ClickHouse.
package statementtest

import (
	"context"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Statement is a statement as the server sees it.
type Statement struct {
	Text    string
	Comment string // log_comment
	ID      string // query id
}

// Recorder is a connection that records every statement. It gets the name and the query id from
// the server, with a query in the same context just before the statement.
type Recorder struct {
	driver.Conn
	mu    sync.Mutex
	heard []Statement
	err   error
}

// Heard returns the recorded statements, and the first error of the queries that asked the
// server.
func (r *Recorder) Heard() ([]Statement, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Statement{}, r.heard...), r.err
}

// ask records a statement and returns the context to send it with. That context has no query id,
// because the server may still use the id for the query of ask.
func (r *Recorder) ask(ctx context.Context, text string) context.Context {
	heard := Statement{Text: text}
	err := r.Conn.QueryRow(ctx, "SELECT getSetting('log_comment'), queryID()").Scan(&heard.Comment, &heard.ID)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = append(r.heard, heard)
	if r.err == nil {
		r.err = err
	}
	return clickhouse.Context(ctx, clickhouse.WithQueryID(""))
}

// Select implements driver.Conn.
func (r *Recorder) Select(ctx context.Context, into any, text string, args ...any) error {
	ctx = r.ask(ctx, text)
	return r.Conn.Select(ctx, into, text, args...)
}

// Exec implements driver.Conn.
func (r *Recorder) Exec(ctx context.Context, text string, args ...any) error {
	ctx = r.ask(ctx, text)
	return r.Conn.Exec(ctx, text, args...)
}

// Query implements driver.Conn.
func (r *Recorder) Query(ctx context.Context, text string, args ...any) (driver.Rows, error) {
	ctx = r.ask(ctx, text)
	return r.Conn.Query(ctx, text, args...)
}

// QueryRow implements driver.Conn.
func (r *Recorder) QueryRow(ctx context.Context, text string, args ...any) driver.Row {
	ctx = r.ask(ctx, text)
	return r.Conn.QueryRow(ctx, text, args...)
}

// PrepareBatch implements driver.Conn.
func (r *Recorder) PrepareBatch(ctx context.Context, head string,
	options ...driver.PrepareBatchOption) (driver.Batch, error) {
	ctx = r.ask(ctx, head)
	return r.Conn.PrepareBatch(ctx, head, options...)
}
