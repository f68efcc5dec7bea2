package query_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestInvestmentFundParameters(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	long := strings.Repeat("ñ", 200)
	of := "/api/fi/instruments/" + instrumentAina
	wantViolations(t, r, []violationCase{
		{"/api/fi/instruments", nil},
		{"/api/fi/instruments?provider_id=0&is_etf=true&regulatory_type=FI&status=all&q=&limit=1&offset=0&batch_id=",
			nil},
		{"/api/fi/instruments?provider_id=4294967295&is_etf=false&regulatory_type=FINRE&status=inactive&q=" + long +
			"&limit=500&offset=9007199254740991", nil},
		{"/api/fi/instruments?provider_id=4294967296", []string{"query.provider_id:less_than_equal"}},
		{"/api/fi/instruments?provider_id=-1", []string{"query.provider_id:greater_than_equal"}},
		{"/api/fi/instruments?provider_id=", []string{"query.provider_id:int_parsing"}},
		{"/api/fi/instruments?provider_id=1%20OR%201=1", []string{"query.provider_id:int_parsing"}},
		{"/api/fi/instruments?provider_id=1&provider_id=2", []string{"query.provider_id:repeated"}},
		{"/api/fi/instruments?is_etf=", []string{"query.is_etf:bool_parsing"}},
		{"/api/fi/instruments?is_etf=TRUE", []string{"query.is_etf:bool_parsing"}},
		{"/api/fi/instruments?is_etf=1", nil},
		{"/api/fi/instruments?is_etf=True", nil},
		{"/api/fi/instruments?is_etf=2", []string{"query.is_etf:bool_parsing"}},
		{"/api/fi/instruments?is_etf=null%00", []string{"query.is_etf:bool_parsing"}},
		{"/api/fi/instruments?regulatory_type=", []string{"query.regulatory_type:literal_error"}},
		{"/api/fi/instruments?regulatory_type=res", []string{"query.regulatory_type:literal_error"}},
		{"/api/fi/instruments?regulatory_type=FIRES", []string{"query.regulatory_type:literal_error"}},
		{"/api/fi/instruments?status=", []string{"query.status:literal_error"}},
		{"/api/fi/instruments?status=Active", []string{"query.status:literal_error"}},
		{"/api/fi/instruments?status=active'--", []string{"query.status:literal_error"}},
		{"/api/fi/instruments?q=" + long + "x", []string{"query.q:string_too_long"}},
		{"/api/fi/instruments?q=%FF", []string{"query.q:string_unicode"}},
		{"/api/fi/instruments?q=" + url.QueryEscape(`'"\%_{q:String}`+"\x00\n\t"), nil},
		{"/api/fi/instruments?q=%5CN", nil},
		{"/api/fi/instruments?limit=0&offset=-1",
			[]string{"query.limit:greater_than_equal", "query.offset:greater_than_equal"}},
		{"/api/fi/instruments?limit=501&offset=9007199254740992",
			[]string{"query.limit:less_than_equal", "query.offset:less_than_equal"}},
		{"/api/fi/instruments?limit=&offset=1e2", []string{"query.limit:int_parsing", "query.offset:int_parsing"}},
		{"/api/fi/instruments?limit=99999999999999999999", []string{"query.limit:int_parsing"}},
		{"/api/fi/instruments?batch_id=" + long + "x", []string{"query.batch_id:string_too_long"}},

		{of, nil},
		{"/api/fi/instruments/" + strings.ToUpper(instrumentAina), nil},
		{"/api/fi/instruments/201", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/9278-9", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/" + strings.ReplaceAll(instrumentAina, "-", ""),
			[]string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/%7B" + instrumentAina + "%7D", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/urn:uuid:" + instrumentAina, []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/" + instrumentAina[:35] + "g", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/%00%FF", []string{"path.instrument_id:uuid_parsing"}},

		{of + "/prices?from_date=2026-07-31&to_date=2026-07-31&limit=1&offset=0", nil},
		{of + "/prices?from_date=0001-01-01&to_date=9999-12-31&limit=5000&offset=9007199254740991", nil},
		{of + "/prices?from_date=2026-08-01&to_date=2026-07-31", []string{"query.from_date:value_error"}},
		{of + "/prices?from_date=&to_date=20260731",
			[]string{"query.from_date:date_parsing", "query.to_date:date_parsing"}},
		{of + "/prices?from_date=2026-02-29&to_date=2026-07-31T00:00:00Z",
			[]string{"query.from_date:date_parsing", "query.to_date:date_parsing"}},
		{of + "/prices?from_date=0000-01-01&to_date=2026-07-31%00",
			[]string{"query.from_date:date_parsing", "query.to_date:date_parsing"}},
		{of + "/prices?to_date=2026-07-31&to_date=2026-07-31", []string{"query.to_date:repeated"}},
		{of + "/prices?limit=0&offset=-1",
			[]string{"query.limit:greater_than_equal", "query.offset:greater_than_equal"}},
		{of + "/prices?limit=5001&offset=x", []string{"query.limit:less_than_equal", "query.offset:int_parsing"}},
		{"/api/fi/instruments/x/prices?limit=x",
			[]string{"path.instrument_id:uuid_parsing", "query.limit:int_parsing"}},

		{of + "/cartera/holdings?month=2026-06&market=all", nil},
		{of + "/cartera/resumen?month=0001-01&market=E", nil},
		{of + "/cartera/holdings?month=2026-13&market=B",
			[]string{"query.month:month_parsing", "query.market:literal_error"}},
		{of + "/cartera/resumen?month=&market=", []string{"query.month:month_parsing", "query.market:literal_error"}},
		{of + "/cartera/resumen?month=2026-06-30&market=n",
			[]string{"query.month:month_parsing", "query.market:literal_error"}},
		{of + "/cartera/holdings?market=N&market=E", []string{"query.market:repeated"}},
		{"/api/fi/instruments/x/cartera/holdings", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/'%20OR%201=1/cartera/resumen", []string{"path.instrument_id:uuid_parsing"}},

		{"/api/real_assets/" + strings.ToUpper(instrumentAina) + "/returns?return_basis=price", nil},
		{"/api/real_assets/" + instrumentAina + "/returns?return_basis=total",
			[]string{"query.return_basis:unverified_factors"}},
		{"/api/real_assets/" + instrumentAina + "/returns?return_basis=total&as_of_date=2026-08-21",
			[]string{"query.as_of_date:date_future", "query.return_basis:unverified_factors"}},
		{"/api/real_assets/" + instrumentAina + "x/returns", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/" + instrumentAina[:35] + "/risk_metrics", []string{"path.asset_id:asset_id_parsing"}},
	})
}
