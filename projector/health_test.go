package projector_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/waittest"
	"cuota/projector"
)

// away is a connection to an engine that does not answer for a while.
type away struct {
	driver.Conn
	gone atomic.Bool
}

var errAway = errors.New("node-7 does not answer")

func (a *away) Exec(ctx context.Context, text string, args ...any) error {
	if a.gone.Load() {
		return errAway
	}
	return a.Conn.Exec(ctx, text, args...)
}

func (a *away) QueryRow(ctx context.Context, text string, args ...any) driver.Row {
	if a.gone.Load() {
		return awayRow{}
	}
	return a.Conn.QueryRow(ctx, text, args...)
}

// awayRow is the row that the engine does not give.
type awayRow struct{}

func (awayRow) Err() error           { return errAway }
func (awayRow) Scan(...any) error    { return errAway }
func (awayRow) ScanStruct(any) error { return errAway }

func TestAProjectorIsNotReadyWhileItsStepsFailAndAliveRegardless(t *testing.T) {
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := projector.Migrate(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	engine := &away{Conn: conn}
	engine.gone.Store(true)
	p := projector.New(projector.Config{Quiet: time.Millisecond, Retry: time.Millisecond}, engine, zerolog.Nop())
	p.Lead(true)
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the projector is not ready", func() bool { return p.Ready() != nil })
	if why := p.Ready(); why == nil || !strings.Contains(why.Error(), "node-7") {
		t.Errorf("it gives the reason %v", why)
	}
	if err := p.Alive(); err != nil {
		t.Errorf("it is not alive: %v", err)
	}
	engine.gone.Store(false)
	waittest.Until(t, "the projector is ready", func() bool { return p.Ready() == nil })
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.Alive() == nil {
		t.Error("a loop that has ended is alive")
	}
}
