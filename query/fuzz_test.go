package query_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"cuota/query/series"
)

// No request makes the server fail: a 5xx is a fault. Every reply conforms to both
// contracts.
func FuzzNoRequestFails(f *testing.F) {
	r := littleMarket(f, series.ReturnKinds...)
	for _, target := range append(exampleTargets(f),
		"/api/screener?q=renta&currency=CLP&sort=1m&order=desc&limit=3&offset=1", "/api/screener?q=%5C%27%00%09%0A",
		"/api/screener?cmf_spheres_min=1&cmf_family=x",
		"/api/screener?administrator=%C3%91&investor_class=apv&category=equity&fund_family=x&cmf_investor_type=y",
		"/api/screener?q=%5CN&batch_id=%5CN",
		"/api/compare?series=201,204", "/api/real_assets/201/days?from_date=2026-01-01",
		"/api/real_assets/201/returns?as_of_date=2024-02-29",
		"/api/real_assets/0f0e0d0c-0b0a-4908-8706-050403020100/returns?valuation=clp",
		"/api/real_assets/201/returns?valuation=real_uf&as_of_date=2026-06-30",
		"/api/real_assets/201/returns?valuation=clp&return_basis=total", "/api/asset_providers?scope=etf",
		"/api/series?run=0&provider_id=4294967295&status=closed&vehicle=etf&q=%5CN%00&limit=1000&offset=9007199254740991", "/api/series?run=8.011-k&q=a%27",
		"/api/days?run=8011-K&from_date=2026-07-01&to_date=2026-07-31&limit=1&offset=1",
		"/api/days?provider_id=11&from_date=0001-01-01&to_date=0002-01-01",
		"/api/real_assets/201/days?date=9999-12-31", "/api/real_assets/202", "/api/real_assets/"+instrumentAina,
		"/api/conceptual_assets", "/api/conceptual_assets/102", "/api/asset_providers/13",
		"/api/asset_providers/11/conceptual_assets", "/api/conceptual_assets/101/real_assets", "/health?x=%0D%0A",
		"/openapi.json", "/api/key/info", "//", "*",
		"/api/all-funds?date=2026-07-31&vehicle=all&category=x&fund_family=y&article107_regulation_status=unknown",
		"/api/market-summary?date=2026-07-31", "/api/market-summaries?from_date=2026-07-01&to_date=2026-07-31",
		"/api/families/renta%20%C3%B1andu/index?currency=usd&from_date=2026-07-01", "/api/families/%00%5CN%2F/index",
		"/api/agf_stats/ranking?metric=shareholders&date=0001-01-01",
		"/api/agf_stats/evolution?administrator=alfa%20agf&administrator=%27%5CN%00&metric=patrimony&from_month=0001-01&to_month=9999-12",
		"/api/real_assets/201/expense_ratio", "/api/real_assets/201/expense_ratio/history?from_date=20260131",
		"/api/real_assets/203/risk_metrics",
		"/api/reports/tac-changes?date=2026-07-31&direction=down&limit=100&category=%5CN",
		"/api/funds/8011-K/cartera/resumen?month=2026-06", "/api/funds/8.011-k/cartera/holdings?market=E&month=0001-01",
		"/api/funds/8011/article107",
		"/api/benchmarks", "/api/benchmarks/renta%20%C3%B1andu/prices?from_date=2026-07-01",
		"/api/fi/instruments?provider_id=12&is_etf=false&regulatory_type=FINRE&status=all&q=a%C3%ADna&limit=1&offset=1",
		"/api/fi/instruments?q=%5CN&status=unknown",
		"/api/fi/instruments/"+instrumentAina, "/api/fi/instruments/"+instrumentAina+
			"/prices?from_date=0001-01-01&to_date=9999-12-31&limit=1&offset=9",
		"/api/fi/instruments/"+fundAina+"/cartera/holdings?market=E&month=2026-06",
		"/api/fi/instruments/"+instrumentAina+"/cartera/resumen",
		"/api/real_assets/"+instrumentAina+"/returns?as_of_date=2026-07-31&return_basis=total",
		"/api/real_assets/"+instrumentAina+"/days",
	) {
		f.Add(http.MethodGet, target, "", "")
	}
	f.Add(http.MethodHead, "/api/screener", `"x", *`, "id\r\n")
	f.Add(http.MethodPost, "/api/screener?", "*", strings.Repeat("x", 100))
	f.Add(http.MethodOptions, "/api/compare", "W/", "…")
	f.Fuzz(func(t *testing.T, method, target, tags, id string) {
		parsed, err := url.ParseRequestURI(target)
		if err != nil || !token(method) {
			return // net/http would have refused the request
		}
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.Method, request.URL, request.RequestURI = method, parsed, target
		request.Header = http.Header{"X-Api-Key": {r.key}, "If-None-Match": {tags}, "X-Request-Id": {id}}
		got := r.do(t, request)
		// The returns of these edge cases are invented: no quotas give them, so they have no receipt.
		if got.status >= 500 && !(got.status == 500 && strings.HasPrefix(parsed.Path, "/api/explain")) {
			t.Fatalf("%s %q: %d %s", method, target, got.status, got.body)
		}
		for name, values := range got.header {
			if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
				t.Fatalf("%s: %q", name, values)
			}
		}
	})
}

func token(method string) bool {
	return method != "" && strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
