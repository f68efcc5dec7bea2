package query_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/health"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
)

// broken is a connection on which one statement fails for a while.
type broken struct {
	driver.Conn
	statement atomic.Pointer[string]
	failed    atomic.Int64 // reads so far
}

func (b *broken) Select(ctx context.Context, into any, text string, args ...any) error {
	if failing := b.statement.Load(); failing != nil && sql.Query(*failing) == text {
		b.failed.Add(1)
		return errors.New("node-7.internal:9000 does not answer")
	}
	return b.Conn.Select(ctx, into, text, args...)
}

func (b *broken) fail(statement string) { b.statement.Store(&statement) }
func (b *broken) mend()                 { b.statement.Store(nil) }

type healthBody struct{ Status, State string }

func (r *rig) wantHealth(t *testing.T, status, state string) {
	t.Helper()
	got := r.get(t, "/health")
	wantStatus(t, got, http.StatusOK)
	if body := decode[healthBody](t, got); body != (healthBody{status, state}) {
		t.Errorf("/health says %+v, want %s and %s", body, status, state)
	}
}

func TestHealthTellsThatABatchCouldNotBeBuilt(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	r.wantHealth(t, "ok", "ok")
	insert(t, r.conn, "batch_failure", row{"batch": 2, "failed_at": "2026-08-06 12:00:00.000", "reason": "a check"})
	must(t, r.Refresh(t.Context()))
	r.wantHealth(t, "degraded", "build_failed")
	wantStatus(t, r.get(t, "/readyz"), http.StatusOK) // the published batch is still answered
	r.publish(t, 3)
	must(t, r.Refresh(t.Context()))
	r.wantHealth(t, "ok", "ok")
}

func TestHealthTellsThatThePublishedBatchCannotBeRead(t *testing.T) {
	t.Parallel()
	conn := &broken{Conn: littleMarket(t).conn}
	conn.fail("market")
	r := rigOver(t, conn, unlimited)
	r.wantHealth(t, "degraded", "batch_unreadable")
	conn.mend()
	r.wait(5 * time.Second)
	must(t, r.Refresh(t.Context()))
	r.wantHealth(t, "ok", "ok")
}

func TestAnOptionalPartIsReadAgainAfterAFailure(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	conn := &broken{Conn: littleMarket(t).conn}
	conn.fail("family_currencies")
	r := rigOver(t, conn, unlimited)
	wantSource := func() {
		t.Helper()
		got := r.get(t, "/api/screener")
		wantStatus(t, got, http.StatusOK)
		if got.source() != "snapshot" {
			t.Errorf("the screener is answered from %q", got.source())
		}
	}
	r.wantHealth(t, "degraded", "batch_unreadable")
	wantSource()
	conn.fail("market") // now the others can't be read again, but stay
	r.wait(5 * time.Second)
	must(t, r.Refresh(t.Context()))
	r.wantHealth(t, "degraded", "batch_unreadable")
	wantSource()
	conn.mend()
	r.wait(10 * time.Second)
	must(t, r.Refresh(t.Context()))
	r.wantHealth(t, "ok", "ok")
	wantSource()
}

// wait moves the clock of the server.
func (r *rig) wait(d time.Duration) { r.setClock(r.clock.Load().Add(d)) }

func TestAnUnreadableBatchIsTriedAgainAfterDoublingPauses(t *testing.T) {
	t.Parallel()
	market := littleMarket(t)
	conn := &broken{Conn: market.conn}
	conn.fail("market")
	r := rigOver(t, conn, unlimited)
	tries := int64(1) // when it was made
	wantTries := func(again bool) {
		t.Helper()
		if again {
			tries++
		}
		must(t, r.Refresh(t.Context()))
		if failed := conn.failed.Load(); failed != tries {
			t.Fatalf("it was tried %d times, want %d", failed, tries)
		}
	}
	wantTries(false)
	for _, seconds := range []time.Duration{5, 10, 20, 40, 60, 60} {
		r.wait(seconds*time.Second - 1)
		wantTries(false)
		r.wait(1)
		wantTries(true)
		wantTries(false)
	}
	market.publish(t, 2) // a new batch is read at once, and begins with the first pause
	wantTries(true)
	r.wait(5*time.Second - 1)
	wantTries(false)
	r.wait(1)
	wantTries(true)
}

// wantReady asks /readyz for its status.
func (r *rig) wantReady(t *testing.T, status string) {
	t.Helper()
	got := r.get(t, "/readyz")
	wantStatus(t, got, http.StatusOK)
	if body := decode[struct{ Status string }](t, got); body.Status != status {
		t.Errorf("/readyz says %s, want %s", body.Status, status)
	}
}

// A server answers 503 until it has read the batch, so a balancer must not be told that it is ready.
func TestAServerIsReadyOnceItHasReadTheBatch(t *testing.T) {
	t.Parallel()
	options := demotest.Published(t)
	var server atomic.Pointer[query.Server]
	var statements, ready atomic.Int32
	conn := watched{connect(t, options), func(string) {
		if s := server.Load(); s != nil {
			statements.Add(1)
			if s.Part().Ready() == nil && s.State() == "starting" {
				ready.Add(1)
			}
		}
	}}
	r := newRig(t, options, unlimited)
	config := query.Config{HTTP: unlimited.HTTP, QueryTimeout: patience,
		ClickHouse: sql.NewHTTP(options, "http://"+clickhousetest.Server(t).HTTP())}
	config.HTTP.Now, config.HTTP.Links = func() time.Time { return *r.clock.Load() }, r.store
	s, err := query.New(config, conn, r.store, zerolog.Nop())
	must(t, err)
	server.Store(s)
	must(t, s.Refresh(t.Context()))
	server.Store(nil)
	if statements.Load() < 10 || ready.Load() > 0 {
		t.Errorf("at %d of %d statements it was ready, and had no batch", ready.Load(), statements.Load())
	}
	must(t, s.Part().Ready())
}

func TestAServerThatAnswersFromMemoryStaysReady(t *testing.T) {
	t.Parallel()
	conn := &broken{Conn: littleMarket(t).conn}
	r := rigOver(t, conn, unlimited)
	r.wantReady(t, "ok")
	conn.fail("published_batch")
	if err := r.Refresh(t.Context()); err == nil {
		t.Error("it found a batch")
	}
	r.wantHealth(t, "degraded", "clickhouse_unreachable")
	r.wantReady(t, "degraded")
	wantStatus(t, r.get(t, "/api/screener"), http.StatusOK)
	wantStatus(t, r.get(t, "/livez"), http.StatusOK)
	conn.mend()
	must(t, r.Refresh(t.Context()))
	r.wantReady(t, "ok")
}

func TestAServerWithNothingInMemoryIsNotReadyWithoutClickHouse(t *testing.T) {
	t.Parallel()
	conn := &broken{Conn: littleMarket(t).conn}
	conn.fail("market")
	r := rigOver(t, conn, unlimited)
	r.wantReady(t, "ok") // ClickHouse answers what is not in memory
	conn.fail("published_batch")
	if err := r.Refresh(t.Context()); err == nil {
		t.Error("it found a batch")
	}
	got := r.get(t, "/readyz")
	wantCode(t, got, http.StatusServiceUnavailable, "not_ready")
	if got.header.Get("Retry-After") == "" || !strings.Contains(string(got.body), "api") {
		t.Errorf("%v %s", got.header, got.body)
	}
	wantStatus(t, r.get(t, "/livez"), http.StatusOK)
}

func TestHealthTellsThatNoKeyCanBeChecked(t *testing.T) {
	t.Parallel()
	var trouble atomic.Pointer[error]
	config := query.Config{HTTP: unlimited.HTTP, Accounts: func() error {
		if why := trouble.Load(); why != nil {
			return *why
		}
		return nil
	}}
	r := rigOver(t, littleMarket(t).conn, config)
	r.wantHealth(t, "ok", "ok")
	trouble.Store(new(errors.New("no route to the store")))
	r.wantHealth(t, "degraded", "accounts_unreachable")
	trouble.Store(nil)
	r.wantHealth(t, "ok", "ok")
}

func TestEveryStateOfHealthIsInTheDocumentAndInTheOperatorsGuide(t *testing.T) {
	guide, err := os.ReadFile("../docs/operations.md")
	must(t, err)
	for _, state := range query.States() {
		if !strings.Contains(string(guide), "| `"+state+"` |") {
			t.Errorf("docs/operations.md has no row for the state %s", state)
		}
		if !strings.Contains(string(query.Document()), `"`+state+`"`) {
			t.Errorf("the document does not list the state %s", state)
		}
	}
}

func TestProbesNameThePartsAtFaultWithoutTheReason(t *testing.T) {
	t.Parallel()
	why := errors.New("password of node-7.internal refused")
	config := query.Config{HTTP: unlimited.HTTP, Parts: func() []health.Part {
		return []health.Part{
			{Name: "engine", Ready: func() error { return why }},
			{Name: "projector", Alive: func() error { return why }},
		}
	}}
	r := rigOver(t, littleMarket(t).conn, config)
	for path, part := range map[string]string{"/readyz": "engine", "/livez": "projector"} {
		got := r.get(t, path)
		wantStatus(t, got, http.StatusServiceUnavailable)
		body := string(got.body)
		if !strings.Contains(body, part) || strings.Contains(body, "node-7") || strings.Contains(body, "api") {
			t.Errorf("%s says %s", path, body)
		}
	}
}
