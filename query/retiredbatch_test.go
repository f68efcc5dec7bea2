package query_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// beginToRetire runs the first statement that retires batch 1.
func (r *rig) beginToRetire(t testing.TB) error {
	begun := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"batch": "1"}))
	return r.conn.Exec(begun, sql.RetiredGarbage()[0].Text)
}

func TestNothingIsAnsweredFromABatchThatIsBeingRetired(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t)
	targets := append(exampleTargets(t),
		"/api/real_assets/201/returns", "/api/real_assets/201/returns?as_of_date=2026-06-30",
		"/api/real_assets/201/days", "/api/real_assets/201/days?revisions=all", "/api/explain?series=202&field=return&window=1y",
		"/api/real_assets/201/expense_ratio", "/api/real_assets/201/expense_ratio/history",
		"/api/real_assets/201/risk_metrics",
		"/api/compare?series=201", "/api/screener", "/api/reports/tac-changes", "/api/all-funds", "/api/market-summary",
		"/api/asset_providers", "/api/asset_providers/11/conceptual_assets", "/api/conceptual_assets/101/real_assets",
		"/api/agf_stats/ranking", "/api/agf_stats/evolution?administrator=ALFA%20AGF",
		"/api/families/accionario%20nacional/index",
		"/api/funds/8011/cartera/resumen", "/api/funds/8011/cartera/holdings", "/api/funds/8011/article107",
		"/api/benchmarks",
		"/api/fi/instruments", "/api/fi/instruments/"+instrumentAina, "/api/fi/instruments/"+instrumentAina+"/prices",
		"/api/screener?format=csv", "/api/all-funds?format=arrow", "/api/returns?date=2026-07-31&format=parquet",
		"/api/returns?date=2026-07-31",
		// A batch that is being retired may have had what is unknown now.
		"/api/real_assets/99999/returns", "/api/agf_stats/evolution?administrator=nobody", "/api/funds/7777/article107",
	)
	must(t, r.beginToRetire(t))
	for _, target := range targets {
		if got := r.get(t, target); got.status != http.StatusServiceUnavailable {
			t.Errorf("%s: status %d from a batch that is going: %.200s", target, got.status, got.body)
		}
	}
	for name, ask := range map[string]func() error{
		"HasSeries":  func() error { _, err := r.HasSeries(t.Context(), "201"); return err },
		"FindSeries": func() error { _, err := r.FindSeries(t.Context(), "201", 1); return err },
		"NameSeries": func() error { _, err := r.NameSeries(t.Context(), []string{"201"}); return err },
	} {
		if ask() == nil {
			t.Errorf("%s gives no error from a batch that is going", name)
		}
	}
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	for _, target := range targets {
		if got := r.get(t, target); got.status == http.StatusServiceUnavailable {
			t.Errorf("%s: status %d from the next batch: %.200s", target, got.status, got.body)
		}
	}
}

func TestABatchThatIsNotKeptIsGoneAndTheCurrentOneIsNamed(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := littleMarket(t)
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	targets := []string{
		"/api/screener?batch_id=", "/api/compare?series=201&batch_id=", "/api/real_assets/201/returns?batch_id=",
		"/api/real_assets/201/returns?as_of_date=2026-07-31&batch_id=", "/api/real_assets/201/days?limit=1&batch_id=",
		"/api/fi/instruments?batch_id=", "/api/fi/instruments/" + instrumentAina + "/prices?batch_id=",
	}
	type failure struct {
		Detail, Code string
		Current      string `json:"current_batch_id"`
		RequestID    string `json:"request_id"`
	}
	gone := func(t *testing.T, id string, with func(*http.Request)) {
		t.Helper()
		for _, target := range targets {
			request := r.request(http.MethodGet, target+id)
			with(request)
			got := r.do(t, request)
			wantCode(t, got, http.StatusGone, "batch_gone")
			var body failure
			must(t, json.Unmarshal(got.body, &body))
			if body.Current != batchID(2) || got.header.Get("Cache-Control") != "no-store" ||
				got.header.Get("ETag") != "" {
				t.Errorf("%s: %s %v", target, got.body, got.header)
			}
			if again := r.get(t, target+body.Current); again.status != http.StatusOK {
				t.Errorf("%s%s: status %d", target, body.Current, again.status)
			}
		}
	}
	plainly := func(*http.Request) {}
	for _, id := range []string{"unknown", "%27%5CN%00", "x%20OR%201", strings.Repeat("9", 200), batchID(3)} {
		gone(t, id, plainly)
	}
	tags := map[string]string{}
	for _, target := range targets {
		got := r.get(t, target+batchID(1))
		wantStatus(t, got, http.StatusOK)
		tags[target] = got.header.Get("ETag")
	}
	must(t, r.beginToRetire(t))
	t.Run("once its retirement began", func(t *testing.T) { gone(t, batchID(1), plainly) })
	t.Run("also to a caller who has its reply", func(t *testing.T) {
		gone(t, batchID(1), func(request *http.Request) {
			for target, tag := range tags {
				if strings.HasPrefix(request.URL.String(), target) {
					request.Header.Add("If-None-Match", tag)
				}
			}
		})
		gone(t, batchID(1), func(request *http.Request) { request.Header.Set("If-None-Match", "*") })
	})
}

func TestABatchThatIsRetiredWhileItIsReadIsGone(t *testing.T) {
	t.Parallel()
	direct, options := publishedBy(t)
	direct.publish(t, 2)
	var armed atomic.Bool
	r := rigOver(t, watched{connect(t, options), func(statement string) {
		if strings.Contains(statement, "FROM screener") && armed.CompareAndSwap(true, false) {
			if err := direct.beginToRetire(t); err != nil {
				t.Error(err)
			}
		}
	}}, unlimited)
	armed.Store(true)
	got := r.get(t, "/api/screener?batch_id="+batchID(1))
	if armed.Load() {
		t.Fatal("the batch was not retired while it was read")
	}
	wantCode(t, got, http.StatusGone, "batch_gone")
	wantStatus(t, r.get(t, "/api/screener?batch_id="+batchID(2)), http.StatusOK)
}

func TestABatchWhoseRowsAreGoneIsNotAnEmptyMarket(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	must(t, r.conn.Exec(t.Context(), "ALTER TABLE screener DROP PARTITION 1"))
	for _, target := range []string{"/api/screener", "/api/compare?series=201"} {
		wantCode(t, r.get(t, target), http.StatusServiceUnavailable, "data_unavailable")
	}
}
