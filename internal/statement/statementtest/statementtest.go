// Package statementtest records what ClickHouse is told of statements.
package statementtest

import (
	"context"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Statement is a statement as ClickHouse knows it.
type Statement struct {
	Text    string
	Comment string // log_comment
	ID      string // of the query
}

// Recorder is a connection that records every statement that is sent over it. What it
// records comes from the server, which it asks under the same context just before.
type Recorder struct {
	driver.Conn
	mu    sync.Mutex
	heard []Statement
	err   error
}

// Heard gives what was recorded, and the first error of asking for it.
func (r *Recorder) Heard() ([]Statement, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Statement{}, r.heard...), r.err
}

// ask gives the context to send the statement with: without the id, which the server may
// still hold to be that of the question.
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
func (r *Recorder) PrepareBatch(ctx context.Context, head string, options ...driver.PrepareBatchOption) (driver.Batch, error) {
	ctx = r.ask(ctx, head)
	return r.Conn.PrepareBatch(ctx, head, options...)
}
