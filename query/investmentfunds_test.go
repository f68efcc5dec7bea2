package query_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

type instruments struct {
	items
	Meta struct {
		Total, Limit, Offset int
		BatchID              string  `json:"batch_id"`
		AsOf                 *string `json:"as_of_date"`
	}
}

// names returns the RUN and series of each instrument.
func (l instruments) names() []string {
	names := []string{}
	for _, item := range l.Data {
		name := item.Attributes["run"].(string)
		if serie, known := item.Attributes["serie"].(string); known {
			name += " " + serie
		}
		names = append(names, name)
	}
	return names
}

func TestInvestmentFunds(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := newInvestmentMarket(t)
	t.Run("instruments come by fund and series, those of the filters", m.instrumentsOfFilters)
	t.Run("an instrument is exact, and null where nothing is known", m.instrument)
	t.Run("a fund's own id goes on answering when its series are known", m.fundByItsOwnID)
	t.Run("an instrument without values answers with nothing", m.instrumentsWithoutValues)
	t.Run("prices are the published values in their order, paged", m.prices)
	t.Run("prices as a table are those of JSON", m.pricesAsATable)
	t.Run("returns of a UUID are made of its book values, by the rule of all series", m.returns)
	t.Run("a total return needs verified factors, of which there are none", m.totalReturns)
	t.Run("days keep the contract of mutual funds", m.days)
	t.Run("costs are not published, and risk is measured as that of all series", m.costsAndRisk)
	t.Run("a fund lists its series under their UUIDs", m.seriesOfAFund)
	t.Run("all-funds has ETFs and redeemable funds beside mutual funds, each once, on any date", m.allFunds)
	t.Run("the portfolio of an instrument is that of its fund", m.portfolio)
	t.Run("an id of none is not found", m.unknownInstruments)
}

func TestNoInvestmentFundsAtAllIsAnEmptyList(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := newFileMarket(t)
	m.ingest(t, model.Cartola, "cartola.txt", fixture(t, "cartola.txt"), 0)
	m.build(t)
	if got := decode[instruments](t, m.get(t, "/api/fi/instruments?status=all")); got.Data == nil ||
		len(got.Data) > 0 || got.Meta.Total != 0 {
		t.Errorf("%+v", got)
	}
	for _, vehicle := range []string{"etf", "investment_fund"} {
		if got := decode[allFunds](t, m.get(t, "/api/all-funds?vehicle="+vehicle)); got.Data == nil ||
			len(got.Data) > 0 {
			t.Errorf("%+v", got)
		}
	}
}

func TestAValueThatCouldNotBeReadIsNullInPricesAndNotAmongDays(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	prices := decode[instruments](t, r.get(t, "/api/fi/instruments/"+instrumentAina+"/prices"))
	if len(prices.Data) != 3 || prices.Data[1].Attributes["valor_libro"] != nil ||
		prices.Data[1].Attributes["currency"] != nil || prices.Meta.Total != 3 {
		t.Errorf("%+v", prices)
	}
	if got := decode[items](t, r.get(t, "/api/real_assets/"+instrumentAina+"/days")).ids(); !cmp.Equal(got,
		[]string{instrumentAina + "_2026-06-30", instrumentAina + "_2026-07-31"}) {
		t.Errorf("%v", got)
	}
	if got := decode[returnsBody](t,
		r.get(t, "/api/real_assets/"+instrumentAina+
			"/returns?as_of_date=2026-07-16")).Data.Attributes.Periods["1m"]; *got.Reason != "invalid_end_quote" {
		t.Errorf("%+v", got)
	}
}

func TestAPageOfInstrumentsComesFromTheBatchThatItNames(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	for target, want := range map[string]string{"": "AÍNA FONDO DE INVERSIÓN 2",
		"?batch_id=" + batchID(1): "AÍNA FONDO DE INVERSIÓN 1"} {
		got := decode[instruments](t, r.get(t, "/api/fi/instruments"+target))
		if len(got.Data) != 1 || got.Data[0].Attributes["fund_name"] != want ||
			got.Meta.BatchID != batchID(int(want[len(want)-1]-'0')) {
			t.Errorf("%s: %+v", target, got)
		}
	}
}

func (m investmentMarket) instrumentsOfFilters(t *testing.T) {
	managers := decode[items](t, m.get(t, "/api/asset_providers?scope=etf"))
	if len(managers.Data) != 1 ||
		managers.Data[0].Attributes["name"] != "BTG PACTUAL CHILE S.A. ADMINISTRADORA GENERAL DE FONDOS" {
		t.Fatalf("%+v", managers)
	}
	all := []string{"9278-9 A", "9278-9 I", "10654-2", "10798-0 B", "10842-1 UNICA"}
	for query, want := range map[string][]string{
		"":                                   {"9278-9 A", "9278-9 I", "10798-0 B", "10842-1 UNICA"},
		"status=active":                      {"9278-9 A", "9278-9 I", "10798-0 B", "10842-1 UNICA"},
		"status=unknown":                     {"10654-2"}, // registered, but nothing was ever published about it
		"status=inactive":                    {},
		"status=all":                         all,
		"is_etf=true":                        {"10842-1 UNICA"},
		"is_etf=false":                       {"9278-9 A", "9278-9 I"},
		"regulatory_type=RES":                {"10798-0 B", "10842-1 UNICA"},
		"regulatory_type=FINRE&status=all":   {"9278-9 A", "9278-9 I", "10654-2"},
		"regulatory_type=FI&status=all":      {},
		"provider_id=" + managers.ids()[0]:   {"10842-1 UNICA"},
		"provider_id=1":                      {},
		"status=all&q=":                      all,
		"status=all&q=inversion":             all, // matches INVERSIÓN
		"q=" + url.QueryEscape("DEUDA priv"): {"10798-0 B"},
		"q=10842":                            {"10842-1 UNICA"},
		"q=10.842-1":                         {"10842-1 UNICA"},
		"q=108421":                           {"10842-1 UNICA"},
		"q=x%25":                             {},
		"limit=2&offset=1":                   {"9278-9 I", "10798-0 B"},
		"offset=4":                           {},
		"offset=9007199254740991":            {},
	} {
		got := decode[instruments](t, m.get(t, "/api/fi/instruments?"+query))
		total := len(want)
		if strings.Contains(query, "offset") {
			total = 4
		}
		if !cmp.Equal(got.names(), want) || got.Meta.Total != total || got.Meta.AsOf == nil ||
			*got.Meta.AsOf != "2025-06-30" {
			t.Errorf("%s: %v of %+v, want %v of %d", query, got.names(), got.Meta, want, total)
		}
	}
}

func (m investmentMarket) instrument(t *testing.T) {
	got := decode[single](t, m.get(t, "/api/fi/instruments/"+strings.ToUpper(m.aina))).Data
	fund := decode[instruments](t, m.get(t, "/api/fi/instruments?q=9278")).Data[0].Attributes["fund_id"]
	provider := decode[instruments](t, m.get(t, "/api/fi/instruments?q=9278")).Data[0].Attributes["provider_id"]
	want := map[string]any{
		"name": "AINA FONDO DE INVERSION Serie A", "fund_name": "AINA FONDO DE INVERSION", "fund_id": fund,
		"run": "9278-9", "serie": "A",
		"provider_id": provider, "administrator": "BICE INVERSIONES ADMINISTRADORA GENERAL DE FONDOS S.A.",
		"vehicle":         "investment_fund",
		"regulatory_type": "FINRE", "is_etf": false,
		"etf_source": map[string]any{"url": "https://example.org/v/2", "sha256": strings.Repeat("0123456789abcdef", 4)},
		"status":     "active", "currency": "CLP", "first_date": "2025-06-29", "quota_source": "cmf_valor_libro",
		"last_day": map[string]any{"date": "2025-06-30", "valor_libro": 1234.5678, "valor_economico": 1240.12,
			"patrimonio_neto": 1234567890.0,
			"activo_total":    1334567890.5, "n_aportantes": 1204.0, "n_aportantes_institucionales": 12.0,
			"agencia": nil},
	}
	if diff := cmp.Diff(want, got.Attributes); diff != "" || got.ID != m.aina || got.Type != "fi_instrument" {
		t.Errorf("%s %s %s", got.ID, got.Type, diff)
	}
	unnamed := decode[instruments](t, m.get(t, "/api/fi/instruments?status=unknown")).Data[0]
	if a := unnamed.Attributes; unnamed.ID != instrumentID("fi:10654-2:") || a["serie"] != nil || a["is_etf"] != nil ||
		a["etf_source"] != nil ||
		a["last_day"] != nil || a["currency"] != nil || a["name"] != "ALZA DEDALO FONDO DE INVERSION" {
		t.Errorf("%+v", unnamed)
	}
}

func (m investmentMarket) fundByItsOwnID(t *testing.T) {
	own := instrumentID("fi:9278-9:")
	got := decode[single](t, m.get(t, "/api/fi/instruments/"+own)).Data
	if got.ID != own || got.Attributes["serie"] != nil || got.Attributes["run"] != "9278-9" {
		t.Errorf("%+v", got)
	}
	if days := decode[instruments](t, m.get(t, "/api/fi/instruments/"+own+"/prices")); days.Data == nil ||
		len(days.Data) > 0 || days.Meta.Total != 0 {
		t.Errorf("%+v", days)
	}
}

// An instrument without values is known by its id, and everything about it is there, and empty.
func (m investmentMarket) instrumentsWithoutValues(t *testing.T) {
	for _, id := range []string{instrumentID("fi:9278-9:"), instrumentID("fi:10654-2:")} {
		for _, path := range []string{"/days", "/expense_ratio/history"} {
			if got := decode[instruments](t, m.get(t, "/api/real_assets/"+id+path)); got.Data == nil ||
				len(got.Data) > 0 {
				t.Errorf("%s%s: %+v", id, path, got)
			}
		}
		for _, format := range tableFormats {
			wantStatus(t, m.get(t, "/api/real_assets/"+id+"/days?format="+format), http.StatusOK)
		}
		for _, path := range []string{"/expense_ratio", "/risk_metrics", "/expense_ratio?as_of_date=2025-06-30",
			"/risk_metrics?as_of_date=2025-06-30"} {
			got := decode[single](t, m.get(t, "/api/real_assets/"+id+path)).Data
			for _, name := range []string{"expense_ratio", "volatility_monthly_12m", "as_of_date", "tac_as_of_date"} {
				if got.ID != id || got.Attributes[name] != nil {
					t.Errorf("%s%s: %+v", id, path, got)
				}
			}
		}
		for _, query := range []string{"", "as_of_date=2025-06-30"} {
			got := decode[single](t, m.get(t, "/api/real_assets/"+id+"/returns?"+query)).Data
			periods, _ := got.Attributes["periods"].(map[string]any)
			if got.ID != id || len(periods) == 0 {
				t.Errorf("%s: %+v", query, got)
			}
			for name, period := range periods {
				if of := object(period.(map[string]any)); of["value"] != nil || of.text("reason") == "" {
					t.Errorf("%s: %s is %v", query, name, of)
				}
			}
		}
	}
}

func (m investmentMarket) pricesAsATable(t *testing.T) {
	for _, id := range []string{m.etf, m.aina, instrumentID("fi:10654-2:")} {
		want := decode[instruments](t, m.get(t, "/api/fi/instruments/"+id+"/prices?limit=5000")).Data
		var first tableRows
		for _, format := range readFormats {
			got := m.get(t, "/api/fi/instruments/"+id+"/prices?format="+format)
			wantStatus(t, got, http.StatusOK)
			table := tableRows{}
			if len(want) > 0 || format != "csv" {
				table = readTable(t, format, got.body, first)
			}
			if first == nil {
				first = table
			}
			if len(table) != len(want) {
				t.Fatalf("%s of %s: %d rows, in JSON %d", format, id, len(table), len(want))
			}
			for i, row := range table {
				for column, name := range map[string]string{"date": "date", "currency": "currency",
					"book_value": "valor_libro", "economic_value": "valor_economico",
					"equity": "patrimonio_neto", "total_assets": "activo_total", "contributors": "n_aportantes",
					"institutional": "n_aportantes_institucionales", "agency": "agencia"} {
					if have, there := row[column]; !there || !same(have, want[i].Attributes[name]) {
						t.Fatalf("%s of %s: row %d: %s is %v (there: %t), in JSON %v", format, id, i, column, have,
							there, want[i].Attributes[name])
					}
				}
			}
		}
	}
	if rows := readTable(t, "ndjson",
		m.get(t, "/api/fi/instruments/"+m.etf+"/prices?format=ndjson&limit=2&offset=1").body, nil); len(rows) != 2 {
		t.Errorf("%d rows of a page of 2", len(rows))
	}
}

func (m investmentMarket) prices(t *testing.T) {
	ask := func(query string) instruments {
		return decode[instruments](t, m.get(t, "/api/fi/instruments/"+m.etf+"/prices?"+query))
	}
	whole := ask("limit=5000")
	if len(whole.Data) != 1277 || whole.Meta.Total != 1277 || whole.Data[0].ID != m.etf+"_2022-01-01" ||
		whole.Data[1276].ID != m.etf+"_2025-06-30" {
		t.Fatalf("%d days, %+v", len(whole.Data), whole.Meta)
	}
	want := map[string]any{"date": "2022-01-02", "currency": "CLP", "valor_libro": 501.75, "valor_economico": nil,
		"patrimonio_neto": 901.0, "activo_total": nil,
		"n_aportantes": 1.0, "n_aportantes_institucionales": nil, "agencia": nil, "quota_source": "cmf_valor_libro"}
	if diff := cmp.Diff(want, whole.Data[1].Attributes); diff != "" {
		t.Error(diff)
	}
	for query, want := range map[string]struct{ first, days, total int }{
		"":                                    {0, 1000, 1277},
		"offset=1000":                         {1000, 277, 1277},
		"offset=1277":                         {0, 0, 1277},
		"from_date=2025-06-29":                {1275, 2, 2},
		"to_date=2022-01-03&limit=2&offset=1": {1, 2, 3},
		"from_date=2024-02-29&to_date=2024-02-29": {789, 1, 1},
		"from_date=2025-07-01":                    {0, 0, 0},
		"from_date=0001-01-01&to_date=9999-12-31": {0, 1000, 1277},
		"to_date=1970-01-01":                      {0, 0, 0},
		"from_date=9999-12-31&to_date=9999-12-31": {0, 0, 0},
	} {
		got := ask(query)
		if len(got.Data) != want.days || got.Meta.Total != want.total ||
			want.days > 0 && got.Data[0].ID != whole.Data[want.first].ID {
			t.Errorf("%s: %d days of %+v, want %+v", query, len(got.Data), got.Meta, want)
		}
	}
}

func (m investmentMarket) days(t *testing.T) {
	got := decode[items](t, m.get(t, "/api/real_assets/"+m.aina+"/days"))
	want := []string{m.aina + "_2025-06-29", m.aina + "_2025-06-30"}
	if !cmp.Equal(got.ids(), want) ||
		!cmp.Equal(got.Data[1].Attributes, map[string]any{"date": "2025-06-30", "price": 1234.5678}) {
		t.Errorf("%+v", got)
	}
	if got := decode[items](t, m.get(t, "/api/real_assets/"+m.aina+"/days?from_date=2025-07-01")); got.Data == nil ||
		len(got.Data) > 0 {
		t.Errorf("%+v", got)
	}
}

func (m investmentMarket) seriesOfAFund(t *testing.T) {
	fund := decode[instruments](t, m.get(t, "/api/fi/instruments?q=9278")).Data[0].Attributes["fund_id"].(string)
	got := decode[items](t, m.get(t, "/api/conceptual_assets/"+fund+"/real_assets"))
	if want := []string{m.aina, instrumentID("fi:9278-9:I")}; !cmp.Equal(got.ids(), want) {
		t.Fatalf("%v, want %v", got.ids(), want)
	}
	want := map[string]any{"name": "9278-9 Serie A", "serie": "A", "run": "9278-9", "currency": "CLP",
		"investor_class": nil,
		"last_day": map[string]any{"net_asset_value": 1234.5678, "total_net_assets": 1234567890.0,
			"shareholders": 1204.0, "date": "2025-06-30"}}
	if diff := cmp.Diff(want, got.Data[0].Attributes); diff != "" {
		t.Error(diff)
	}
}

func (m investmentMarket) portfolio(t *testing.T) {
	for _, id := range []string{m.aina, instrumentID("fi:9278-9:I"), instrumentID("fi:9278-9:")} {
		for market, want := range map[string][]any{"all": {61.7284, 10.0, -0.075}, "N": {61.7284, 10.0},
			"E": {-0.075}} {
			got := decode[portfolio](t, m.get(t, "/api/fi/instruments/"+id+"/cartera/holdings?market="+market))
			if !cmp.Equal(got.each("pct_activo_fondo"), want) || got.Meta.RUN != "9278" ||
				*got.Meta.Month != "2025-06" {
				t.Errorf("%s: %+v", market, got)
			}
		}
		for market, want := range map[string][]any{"": {"ACC", "DPC", "ACE"}, "N": {"ACC", "DPC"}, "E": {"ACE"}} {
			target := "/api/fi/instruments/" + id + "/cartera/resumen?month=2025-06"
			if market != "" {
				target += "&market=" + market
			}
			if got := decode[portfolio](t, m.get(t, target)); !cmp.Equal(got.each("tipo_instrumento"), want) {
				t.Errorf("%s: %+v", market, got)
			}
		}
	}
	for _, target := range []string{m.etf + "/cartera/holdings", m.aina + "/cartera/resumen?month=2025-03",
		m.etf + "/cartera/resumen?market=E"} {
		if got := decode[portfolio](t, m.get(t, "/api/fi/instruments/"+target)); got.Data == nil || len(got.Data) > 0 ||
			got.Meta.Month != nil {
			t.Errorf("%s: %+v", target, got)
		}
	}
}

func (m investmentMarket) unknownInstruments(t *testing.T) {
	none := instrumentID("fi:9278-9:Z")
	for _, target := range []string{
		"/api/fi/instruments/" + none, "/api/fi/instruments/" + none + "/prices",
		"/api/fi/instruments/" + none + "/cartera/holdings",
		"/api/fi/instruments/" + none + "/cartera/resumen", "/api/real_assets/" + none + "/returns",
		"/api/real_assets/" + none + "/days",
		"/api/real_assets/" + none + "/expense_ratio", "/api/real_assets/" + none + "/expense_ratio/history",
		"/api/real_assets/" + none + "/risk_metrics",
	} {
		wantCode(t, m.get(t, target), http.StatusNotFound, "not_found")
	}
	number := "1"
	must(t, m.conn.QueryRow(t.Context(),
		"SELECT toString(id) FROM registry WHERE kind = 'fi_series' LIMIT 1").Scan(&number))
	// the series_id of our tables is not a public id
	wantCode(t, m.get(t, "/api/real_assets/"+number+"/days"), http.StatusNotFound, "not_found")
}
