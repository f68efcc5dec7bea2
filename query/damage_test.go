package query_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

func condemn(t testing.TB, conn driver.Conn, number int) {
	t.Helper()
	insert(t, conn, "batch_damage", row{"batch": number, "found_at": "2026-08-06 12:00:00.000", "table": "market_day",
		"reason": "rows are missing"})
}

// ofDamaged are requests that are answered from the snapshot, for a past date, and from
// facts.
var ofDamaged = []string{
	"/api/screener", "/api/compare?series=201", "/api/all-funds", "/api/real_assets/201/days",
	"/api/real_assets/201/returns?as_of_date=2026-06-30",
	"/api/market-summary?date=2026-06-30", "/api/benchmarks", "/api/asset_providers",
}

func TestADamagedBatchIsNotAnsweredFrom(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Schema(t), unlimited)
	r.facts(t)
	r.publish(t, 1)
	must(t, r.Refresh(t.Context()))
	for _, target := range ofDamaged {
		wantStatus(t, r.get(t, target), http.StatusOK) // puts the reply into the cache
	}
	condemn(t, r.conn, 1)
	must(t, r.Refresh(t.Context()))
	for _, target := range ofDamaged {
		got := r.get(t, target)
		wantCode(t, got, http.StatusServiceUnavailable, "damaged_batch")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%v", got.header)
		}
	}
	wantCode(t, r.get(t, "/api/screener?batch_id="+batchID(1)), http.StatusServiceUnavailable, "damaged_batch")
	if health := decode[map[string]any](t, r.get(t, "/health")); health["status"] != "degraded" {
		t.Errorf("health is %v", health["status"])
	}

	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	for _, target := range ofDamaged {
		wantStatus(t, r.get(t, target), http.StatusOK)
	}
	wantCode(t, r.get(t, "/api/screener?batch_id="+batchID(1)), http.StatusGone, "batch_gone")
}

func TestAnAnswerThatWasReadWhileDamageWasFoundIsNotGiven(t *testing.T) {
	t.Parallel()
	direct, options := publishedBy(t)
	var armed atomic.Bool
	r := rigOver(t, watched{connect(t, options), func(statement string) {
		if strings.Contains(statement, "series_day") && armed.CompareAndSwap(true, false) {
			condemn(t, direct.conn, 1)
		}
	}}, unlimited)
	armed.Store(true)
	got := r.get(t, "/api/real_assets/201/days")
	if armed.Load() {
		t.Fatal("nothing was read")
	}
	wantCode(t, got, http.StatusServiceUnavailable, "damaged_batch")
}

func TestNothingIsReadBetweenTheEndOfTheEngineAndTheInspection(t *testing.T) {
	t.Parallel()
	r := newRig(t, demotest.Schema(t), unlimited)
	r.facts(t)
	r.publish(t, 1)
	must(t, r.Refresh(t.Context()))
	past := "/api/real_assets/201/returns?as_of_date=2026-06-30"
	r.Gate().Close()
	before := r.Gate().Closed()
	wantCode(t, r.get(t, past), http.StatusServiceUnavailable, "data_unavailable")
	wantStatus(t, r.get(t, "/api/screener"), http.StatusOK) // answered from the snapshot
	r.Gate().Close()
	r.Gate().Open(before)
	wantCode(t, r.get(t, past), http.StatusServiceUnavailable, "data_unavailable")
	r.Gate().Open(r.Gate().Closed())
	wantStatus(t, r.get(t, past), http.StatusOK)
}
