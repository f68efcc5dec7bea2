package query_test

import (
	"net/http"
	"testing"

	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
)

func TestNothingIsAnsweredFromABatchThatIsBeingRetired(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	targets := append(exampleTargets(t),
		"/api/real_assets/201/returns", "/api/real_assets/201/returns?as_of_date=2026-06-30", "/api/real_assets/201/days",
		"/api/real_assets/201/expense_ratio", "/api/real_assets/201/expense_ratio/history", "/api/real_assets/201/risk_metrics",
		"/api/compare?series=201", "/api/screener", "/api/reports/tac-changes", "/api/all-funds", "/api/market-summary",
		"/api/asset_providers", "/api/asset_providers/11/conceptual_assets", "/api/conceptual_assets/101/real_assets",
		"/api/agf_stats/ranking", "/api/agf_stats/evolution?administrator=ALFA%20AGF", "/api/families/accionario%20nacional/index",
		"/api/funds/8011/cartera/resumen", "/api/funds/8011/cartera/holdings", "/api/funds/8011/article107", "/api/benchmarks",
		"/api/fi/instruments", "/api/fi/instruments/"+instrumentAina, "/api/fi/instruments/"+instrumentAina+"/prices",
		"/api/screener?format=csv", "/api/all-funds?format=arrow", "/api/returns?date=2026-07-31&format=parquet", "/api/returns?date=2026-07-31",
		// A batch that is being retired may have had what is unknown now.
		"/api/real_assets/99999/returns", "/api/agf_stats/evolution?administrator=nobody", "/api/funds/7777/article107",
	)
	begun := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"batch": "1"}))
	must(t, r.conn.Exec(begun, sql.RetiredGarbage()[0].Text))
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
