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
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/waittest"
	"cuota/model"
	"cuota/projector"
	"cuota/projector/schema"
	"cuota/sql"
)

// away is a connection to an engine that does not answer for a while.
type away struct {
	driver.Conn
	gone atomic.Bool
}

var errAway = errors.New("node-7 does not answer")

// Exec fails, but for what Start states: without that, the projector would not have started.
func (a *away) Exec(ctx context.Context, text string, args ...any) error {
	if a.gone.Load() && !strings.Contains(text, "INSERT INTO copy_progress") {
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
	if err := schema.Make(t.Context(), options); err != nil {
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

// killed is a connection to an engine that a projection kills. The engine answers again when the
// next statement comes, as after a restart.
type killed struct {
	driver.Conn
	by   string // in the text of the projection
	gone atomic.Bool
}

var errKilled = errors.New("read: EOF")

func (k *killed) Exec(ctx context.Context, text string, args ...any) error {
	if strings.Contains(text, k.by) {
		k.gone.Store(true)
		return errKilled
	}
	return k.Conn.Exec(ctx, text, args...)
}

func (k *killed) PrepareBatch(ctx context.Context, head string,
	options ...driver.PrepareBatchOption) (driver.Batch, error) {
	if k.gone.Swap(false) {
		return nil, errKilled
	}
	return k.Conn.PrepareBatch(ctx, head, options...)
}

func TestABuildThatKillsTheEngineEachTimeShowsAsFailing(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, historyOf(t)[0], demotest.Clock)
	m.Build(t)
	failing := func() bool {
		var failing bool
		if err := m.Conn.QueryRow(t.Context(), sql.Query("build_failing")).Scan(&failing); err != nil {
			t.Fatal(err)
		}
		return failing
	}
	p := projector.New(projector.Config{}, &killed{Conn: m.Conn, by: "INSERT INTO market_completeness"}, zerolog.Nop())
	if _, err := p.Build(t.Context(), true); !errors.Is(err, errKilled) {
		t.Fatalf("the first build ended with %v", err)
	}
	for range 2 {
		if _, err := p.Build(t.Context(), true); !errors.Is(err, errKilled) {
			t.Fatalf("the build ended with %v", err)
		}
		if !failing() {
			t.Error("the build does not show as failing")
		}
	}
	m.Build(t)
	if failing() {
		t.Error("it still shows as failing after a batch was published")
	}
}

func TestTablesOfANewerProgramAreRefusedInOneSentence(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := schema.Make(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn := openConn(t, options)
	if err := conn.Exec(t.Context(), "INSERT INTO schema_version (version) VALUES (99999)"); err != nil {
		t.Fatal(err)
	}
	err := schema.Make(t.Context(), options)
	if err == nil || !strings.Contains(err.Error(), "a newer cuota has made these tables, of version 99999") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("an older program says %v", err)
	}
}
