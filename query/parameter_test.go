package query_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/query"
	"cuota/query/series"

	"pgregory.net/rapid"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	r := littleMarket(t, series.ReturnKinds...)
	long := func(n int) string { return strings.Repeat("ñ", n) }
	q := url.QueryEscape

	wantViolations(t, r, []violationCase{
		// Each parameter absent, valid, empty, malformed, out of range and hostile.
		{"/api/asset_providers?scope=all", nil},
		{"/api/asset_providers?scope=", nil},
		{"/api/asset_providers?scope=ALL", []string{"query.scope:literal_error"}},
		{"/api/asset_providers?scope=all%00", []string{"query.scope:literal_error"}},

		{"/api/asset_providers/000000000000000000011/conceptual_assets", nil},
		{"/api/asset_providers/4294967296/conceptual_assets", []string{"path.provider_id:int_parsing"}},
		{"/api/asset_providers/-1/conceptual_assets", []string{"path.provider_id:int_parsing"}},
		{"/api/asset_providers/+1/conceptual_assets", []string{"path.provider_id:int_parsing"}},
		{"/api/asset_providers/1.0/conceptual_assets", []string{"path.provider_id:int_parsing"}},
		{"/api/asset_providers/1%20OR%201=1/conceptual_assets", []string{"path.provider_id:int_parsing"}},
		{"/api/asset_providers/%D9%A1/conceptual_assets", []string{"path.provider_id:int_parsing"}}, // an Arabic digit
		{"/api/conceptual_assets/x/real_assets", []string{"path.concept_id:int_parsing"}},
		{"/api/conceptual_assets//real_assets", []string{"path.concept_id:int_parsing"}},

		{"/api/real_assets/201/days?from_date=2026-02-28", nil},
		{"/api/real_assets/201/days?from_date=2026-02-28&to_date=2026-02-28&limit=5000", nil},
		{"/api/real_assets/201/days?from_date=2026-03-01&to_date=2026-02-28", []string{"query.from_date:value_error"}},
		{"/api/real_assets/201/days?from_date=x&to_date=2026-02-30&limit=0", []string{
			"query.from_date:date_parsing", "query.to_date:date_parsing", "query.limit:greater_than_equal"}},
		{"/api/real_assets/201/days?to_date=&limit=",
			[]string{"query.to_date:date_parsing", "query.limit:int_parsing"}},
		{"/api/real_assets/201/days?to_date=0001-01-01", nil},
		{"/api/real_assets/201/days?from_date=9999-12-31&to_date=9999-12-31&limit=1", nil},
		{"/api/real_assets/201/days?limit=5001&batch_id=" + long(201),
			[]string{"query.limit:less_than_equal", "query.batch_id:string_too_long"}},
		{"/api/real_assets/201/days?limit=1&limit=1&to_date=2026-02-28&to_date=2026-02-28",
			[]string{"query.to_date:repeated", "query.limit:repeated"}},
		{"/api/real_assets/x/days?from_date=x",
			[]string{"path.asset_id:asset_id_parsing", "query.from_date:date_parsing"}},
		{"/api/real_assets/4294967296/days", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/%7B0f0e0d0c-0b0a-4908-8706-050403020100%7D/days",
			[]string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/201/days?from_date=", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/days?from_date=20260228", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/days?from_date=2026-02-29", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/days?from_date=2026-2-8", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/days?from_date=2026-02-28T00:00:00Z", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/days?from_date=0000-01-01", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/days?from_date=-001-01-01", []string{"query.from_date:date_parsing"}},

		{"/api/real_assets/201/expense_ratio", nil},
		// the operation has no such parameter
		{"/api/real_assets/0000201/expense_ratio?from_date=x", []string{"query.from_date:unknown_date"}},
		{"/api/real_assets/-1/expense_ratio", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets//expense_ratio", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/4294967296/risk_metrics", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/201'--/risk_metrics", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=20240229", nil},
		{"/api/real_assets/x/expense_ratio/history?from_date=x",
			[]string{"path.asset_id:asset_id_parsing", "query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=2026-02-28", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=20230229", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=2026022", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=+20260228", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=00000101", []string{"query.from_date:date_parsing"}},
		{"/api/real_assets/201/expense_ratio/history?from_date=20260228&from_date=20260228",
			[]string{"query.from_date:repeated"}},

		{"/api/reports/tac-changes", nil},
		{"/api/reports/tac-changes?date=2026-07-31&direction=down&limit=100&category=equity", nil},
		{"/api/reports/tac-changes?date=0001-01-01&limit=1&category=", nil},
		{"/api/reports/tac-changes?date=2026-08-01", []string{"query.date:month_open"}},
		{"/api/reports/tac-changes?date=9999-12-31", []string{"query.date:month_open"}},
		{"/api/reports/tac-changes?date=", []string{"query.date:date_parsing"}},
		{"/api/reports/tac-changes?date=20260731&direction=&limit=", []string{
			"query.date:date_parsing", "query.direction:literal_error", "query.limit:int_parsing"}},
		{"/api/reports/tac-changes?date=2026-02-29&direction=UP&limit=0", []string{
			"query.date:date_parsing", "query.direction:literal_error", "query.limit:greater_than_equal"}},
		{"/api/reports/tac-changes?direction=up%27)%3B&limit=101",
			[]string{"query.direction:literal_error", "query.limit:less_than_equal"}},
		{"/api/reports/tac-changes?category=" + long(100), nil},
		{"/api/reports/tac-changes?category=" + long(101), []string{"query.category:string_too_long"}},
		{"/api/reports/tac-changes?category=%FF", []string{"query.category:string_unicode"}},
		{"/api/reports/tac-changes?category=" + q(`\N'); DROP TABLE tac_month--`) + "%00%09", nil},

		{"/api/real_assets/201/returns?as_of_date=2024-02-29", nil},
		{"/api/real_assets/201/returns?as_of_date=2023-02-29", []string{"query.as_of_date:date_parsing"}},
		{"/api/real_assets/201/returns?as_of_date=", []string{"query.as_of_date:date_parsing"}},
		{"/api/real_assets/201/returns?as_of_date=2026-08-21", []string{"query.as_of_date:date_future"}},
		{"/api/real_assets/201/returns?as_of_date=1975-12-31", []string{"query.as_of_date:date_too_early"}},
		{"/api/real_assets/201/returns?as_of_date=x&valuation=usd&return_basis=", []string{
			"query.as_of_date:date_parsing", "query.valuation:literal_error", "query.return_basis:literal_error"}},
		{"/api/real_assets/201/returns?valuation=CLP", []string{"query.valuation:literal_error"}},
		{"/api/real_assets/201/returns?valuation=clp&valuation=clp", []string{"query.valuation:repeated"}},
		{"/api/real_assets/201/returns?return_basis=Total", []string{"query.return_basis:literal_error"}},
		{"/api/real_assets/201/returns?valuation=clp&as_of_date=1976-01-01", nil},
		{"/api/real_assets/201/returns?valuation=real_uf", nil},
		{"/api/real_assets/201/returns?return_basis=total&as_of_date=1976-01-01", nil},
		{"/api/real_assets/201/returns?valuation=clp&return_basis=total", nil},
		{"/api/real_assets/201/returns?valuation=real_uf&return_basis=total&as_of_date=2026-08-21",
			[]string{"query.as_of_date:date_future"}},
		{"/api/real_assets/0f0e0d0c-0b0a-4908-8706-050403020100/returns?return_basis=total",
			[]string{"query.return_basis:unverified_factors"}},
		{"/api/real_assets/0f0e0d0c-0b0a-4908-8706-050403020100/returns?valuation=clp&return_basis=total",
			[]string{"query.return_basis:unverified_factors"}},
		{"/api/real_assets/201/returns?batch_id=", nil},
		{"/api/real_assets/201/returns?batch_id=" + long(201), []string{"query.batch_id:string_too_long"}},

		{"/api/compare?series=201,204,205,206", nil},
		{"/api/compare", []string{"query.series:missing"}},
		{"/api/compare?series=", []string{"query.series:string_too_short"}},
		{"/api/compare?series=201,0201", []string{"query.series:duplicate"}},
		{"/api/compare?series=201,", []string{"query.series:int_parsing"}},
		{"/api/compare?series=201,%20204", []string{"query.series:int_parsing"}},
		{"/api/compare?series=4294967296", []string{"query.series:int_parsing"}},
		{"/api/compare?series=1,2,3,4,5,6,7,8,9,10,11", []string{"query.series:too_long"}},
		{"/api/compare?series=" + strings.Repeat("0", 107) + "201", []string{"query.series:string_too_long"}},
		{"/api/compare?series=" + strings.Repeat("0", 106) + "201", nil},
		{"/api/compare?series=201)%3BDROP+TABLE+screener", []string{"query.series:int_parsing"}},
		{"/api/compare?series=201&series=204", []string{"query.series:repeated"}},

		{"/api/screener?q=&fund_family=&investor_class=&currency=&category=&administrator=&batch_id=", nil},
		{"/api/screener?q=" + long(200), nil},
		{"/api/screener?q=" + long(201), []string{"query.q:string_too_long"}},
		{"/api/screener?q=%FF", []string{"query.q:string_unicode"}},
		{"/api/screener?q=a&q=b", []string{"query.q:repeated"}},
		{"/api/screener?q=" + q(`'"\%_{q:String}`+"\x00\n\t"), nil},
		{"/api/screener?fund_family=" + long(201), []string{"query.fund_family:string_too_long"}},
		{"/api/screener?investor_class=" + long(101), []string{"query.investor_class:string_too_long"}},
		{"/api/screener?category=" + long(101), []string{"query.category:string_too_long"}},
		{"/api/screener?administrator=" + long(201), []string{"query.administrator:string_too_long"}},
		{"/api/screener?administrator=%C3%28", []string{"query.administrator:string_unicode"}},
		{"/api/screener?currency=Clp", nil},
		{"/api/screener?currency=EUR", []string{"query.currency:literal_error"}},
		{"/api/screener?currency=" + long(21), []string{"query.currency:literal_error"}},
		{"/api/screener?cmf_spheres_min=1&cmf_spheres_max=5", nil},
		{"/api/screener?cmf_spheres_min=&cmf_spheres_max=0",
			[]string{"query.cmf_spheres_min:int_parsing", "query.cmf_spheres_max:greater_than_equal"}},
		{"/api/screener?cmf_spheres_min=6&cmf_spheres_max=4.5",
			[]string{"query.cmf_spheres_min:less_than_equal", "query.cmf_spheres_max:int_parsing"}},
		{"/api/screener?cmf_spheres_min=4&cmf_spheres_max=3", []string{"query.cmf_spheres_min:value_error"}},
		{"/api/screener?cmf_family=&cmf_investor_type=",
			[]string{"query.cmf_family:string_too_short", "query.cmf_investor_type:string_too_short"}},
		{"/api/screener?cmf_family=" + long(201), []string{"query.cmf_family:string_too_long"}},
		{"/api/screener?sort=", []string{"query.sort:literal_error"}},
		{"/api/screener?sort=return_1m", []string{"query.sort:literal_error"}},
		{"/api/screener?sort=1m;DROP", []string{"query:query_parsing"}},
		{"/api/screener?sort=1m", []string{"query.currency:missing"}},
		{"/api/screener?sort=5y_ann&currency=", []string{"query.currency:missing"}},
		{"/api/screener?sort=cmf_spheres", []string{"query.cmf_family:missing", "query.cmf_investor_type:missing"}},
		{"/api/screener?sort=cmf_spheres&cmf_family=x&cmf_spheres_min=2&cmf_spheres_max=1",
			[]string{"query.cmf_spheres_min:value_error", "query.cmf_investor_type:missing"}},
		{"/api/screener?sort=cmf_spheres&cmf_family=x&cmf_investor_type=y", nil},
		{"/api/screener?sort=tac", nil},
		{"/api/screener?order=DESC", []string{"query.order:literal_error"}},
		{"/api/screener?limit=1", nil},
		{"/api/screener?limit=200", nil},
		{"/api/screener?limit=0&offset=-1",
			[]string{"query.limit:greater_than_equal", "query.offset:greater_than_equal"}},
		{"/api/screener?limit=201&offset=9007199254740992",
			[]string{"query.limit:less_than_equal", "query.offset:less_than_equal"}},
		{"/api/screener?limit=99999999999999999999", []string{"query.limit:int_parsing"}},
		{"/api/screener?limit=1e2&offset=0x10", []string{"query.limit:int_parsing", "query.offset:int_parsing"}},
		{"/api/screener?limit=&offset=", []string{"query.limit:int_parsing", "query.offset:int_parsing"}},
		{"/api/screener?%zz", []string{"query:query_parsing"}},

		{"/api/all-funds?category=&fund_family=&vehicle=all&article107_regulation_status=unknown&date=2026-07-31", nil},
		{"/api/all-funds?category=" + long(100) + "&fund_family=" + long(200), nil},
		{"/api/all-funds?category=" + long(101) + "&fund_family=" + long(201),
			[]string{"query.category:string_too_long", "query.fund_family:string_too_long"}},
		{"/api/all-funds?category=" + q(`'"\%_{q:String}`+"\x00\n\t") + "&fund_family=%5CN", nil},
		{"/api/all-funds?category=%FF", []string{"query.category:string_unicode"}},
		{"/api/all-funds?vehicle=", []string{"query.vehicle:literal_error"}},
		{"/api/all-funds?vehicle=ETF", []string{"query.vehicle:literal_error"}},
		{"/api/all-funds?article107_regulation_status=", []string{"query.article107_regulation_status:literal_error"}},
		{"/api/all-funds?article107_regulation_status=eligible",
			[]string{"query.article107_regulation_status:literal_error"}},
		{"/api/all-funds?date=0001-01-01", nil},
		{"/api/all-funds?date=1970-01-01", nil},
		{"/api/all-funds?date=9999-12-31", nil},
		{"/api/all-funds?date=2026-02-29", []string{"query.date:date_parsing"}},

		{"/api/market-summary?date=2026-07-31", nil},
		{"/api/market-summary?date=0001-01-01", nil},
		{"/api/market-summary?date=9999-12-31", nil},
		{"/api/market-summary?date=2026-02-30", []string{"query.date:date_parsing"}},
		{"/api/market-summary?date=", []string{"query.date:date_parsing"}},
		{"/api/market-summary?date=2026-07-31'--", []string{"query.date:date_parsing"}},
		{"/api/market-summary?date=2026-07-31&date=2026-07-30", []string{"query.date:repeated"}},

		{"/api/families/" + url.PathEscape(long(200)) + "/index?currency=Usd&from_date=2026-07-31", nil},
		{"/api/families/" + url.PathEscape(long(201)) + "/index", []string{"path.family_rar:string_too_long"}},
		{"/api/families//index?currency=", []string{"path.family_rar:string_too_short"}},
		{"/api/families/%FF/index?currency=EUR&from_date=x",
			[]string{"path.family_rar:string_unicode", "query.currency:literal_error", "query.from_date:date_parsing"}},
		{"/api/families/" + url.PathEscape(`'"\%_{q:String}`+"\x00\n\t") + "/index?from_date=0001-01-01", nil},
		{"/api/families/%5CN/index?from_date=9999-12-31", nil},

		{"/api/agf_stats/ranking?metric=shareholders&date=2026-07-31", nil},
		{"/api/agf_stats/ranking?date=0001-01-01", nil},
		{"/api/agf_stats/ranking?date=9999-12-31", nil},
		{"/api/agf_stats/ranking?metric=&date=", []string{"query.metric:literal_error", "query.date:date_parsing"}},
		{"/api/agf_stats/ranking?metric=Patrimony", []string{"query.metric:literal_error"}},
		{"/api/agf_stats/ranking?metric=fund_count&date=31/07/2026",
			[]string{"query.metric:literal_error", "query.date:date_parsing"}},

		{"/api/agf_stats/evolution?administrator=ALFA+AGF&administrator=beta+nunoa+agf&metric=shareholders&from_month=2026-01&to_month=2026-01", nil},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&from_month=0001-01&to_month=9999-12", nil},
		{"/api/agf_stats/evolution" + strings.Replace(strings.Repeat("&administrator=ALFA+AGF", 50), "&", "?", 1), nil},
		{"/api/agf_stats/evolution" + strings.Replace(strings.Repeat("&administrator=ALFA+AGF", 51), "&", "?", 1),
			[]string{"query.administrator:too_long"}},
		{"/api/agf_stats/evolution", []string{"query.administrator:missing"}},
		{"/api/agf_stats/evolution?administrator=", []string{"query.administrator:string_too_short"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&administrator=" + long(201),
			[]string{"query.administrator:string_too_long"}},
		{"/api/agf_stats/evolution?administrator=%C3%28", []string{"query.administrator:string_unicode"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&administrator=ALFA&administrator=AGF",
			[]string{"query.administrator:unknown_administrator", "query.administrator:unknown_administrator"}},
		{"/api/agf_stats/evolution?administrator=%5CN&administrator=" + q(`'"\%_{q:String}],[`+"\x00\n\t"),
			[]string{"query.administrator:unknown_administrator", "query.administrator:unknown_administrator"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&from_month=2026-13&to_month=",
			[]string{"query.from_month:month_parsing", "query.to_month:month_parsing"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&from_month=2026-7&to_month=2026-07-31",
			[]string{"query.from_month:month_parsing", "query.to_month:month_parsing"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&from_month=0000-01&to_month=202607",
			[]string{"query.from_month:month_parsing", "query.to_month:month_parsing"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&from_month=2026-08&to_month=2026-07",
			[]string{"query.from_month:value_error"}},
		{"/api/agf_stats/evolution?administrator=ALFA+AGF&metric=x&from_month=2026-07&from_month=2026-07",
			[]string{"query.metric:literal_error", "query.from_month:repeated"}},
	})
}

// With any parameter values, the reply is a success, a 404, a 410 or a 422. A server without
// CUOTA_BULK, as this one, also says 501 to requests for files.
func TestNoCombinationOfParametersFails(t *testing.T) {
	t.Parallel()
	r := littleMarket(t, series.ReturnKinds...)
	texts := rapid.OneOf(
		rapid.SampledFrom([]string{"", "1", "201", "0", "-1", "5", "id", "tac", "1m", "cmf_spheres", "asc", "desc",
			"CLP", "usd", "all", "price", "total", "clp", "real_uf", "2026-07-31", "1976-01-01",
			"201,204", "ALFA", "Accionario nacional", "Retail", `\N`, `\`, `'`, `%`, "NULL", "{q:String}", "\x00",
			"\t\n\r", "\xff", "ñ", "İ", "ﬁ", "e\u0301", "𝄞", "null", batchID(1)}),
		rapid.String(), rapid.StringN(0, 8, -1))
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.SampledFrom(query.Operations()).Draw(rt, "operation")
		target, v := op.Path, url.Values{}
		for _, p := range op.Parameters {
			value := texts.Draw(rt, p.Name)
			switch {
			case p.In == "path":
				target = strings.Replace(target, "{"+p.Name+"}", url.PathEscape(value), 1)
			case rapid.Bool().Draw(rt, p.Name+"?"):
				v.Set(p.Name, value)
			}
		}
		request := r.request(op.Method, target+"?"+v.Encode())
		if op.Method == http.MethodPost {
			request.Body = io.NopCloser(strings.NewReader(rapid.OneOf(rapid.Just(demoStrategy), texts).Draw(rt,
				"body")))
			request.Header.Set("Content-Type", "application/json")
		}
		got := r.do(t, request)
		switch got.status {
		case http.StatusOK, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		case http.StatusNotImplemented:
			if code := got.failure(t).Code; code != "bulk_unavailable" && code != "format_unavailable" {
				rt.Fatalf("%s?%s: 501 %s", target, v.Encode(), got.body)
			}
		default:
			rt.Fatalf("%s?%s: %d %s", target, v.Encode(), got.status, got.body)
		}
	})
}
