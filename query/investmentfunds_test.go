package query_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/oracle"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// instrumentID computes the public id of a series independently of the program.
func instrumentID(name string) string {
	return uuid.NewSHA1(uuid.MustParse("6fd62e7b-a48f-4dc7-a12e-0a1ee6d39c07"), []byte(name)).String()
}

// bookDays writes the values of a series, one row per day, and adds them to the independent
// computation. Values rise and fall in turn.
func bookDays(market *oracle.Market, run int, serie, moneda string, from, to time.Time) string {
	var text strings.Builder
	value := 500.0
	for day, i := from, 0; !day.After(to); day, i = day.AddDate(0, 0, 1), i+1 {
		value += []float64{3.25, -1.5, 0.0625}[i%3]
		equity := 900 + i%90
		fmt.Fprintf(&text, "%d;%s;%s;%s;%s;;%d;;%d;;\n", run, day.Format("02/01/2006"), serie, moneda, strings.Replace(fmt.Sprintf("%.4f", value), ".", ",", 1), equity, i)
		market.Add(oracle.Row{Run: run, Serie: serie, Day: day, Moneda: map[string]string{"CLP": "$$", "USD": "PROM"}[moneda], Quota: value, Equity: float64(equity)})
	}
	return text.String()
}

const bookHeader = "RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N Aportantes;N Aportantes Institucionales;Agencia\n"

// newInvestmentMarket has four investment funds at the cutoff 2025-06-30: 9278
// with two series of two days, the ETF 10842 and the redeemable 10798 with more
// than three years, and 10654 without values.
func newInvestmentMarket(t *testing.T) (fileMarket, *oracle.Market) {
	t.Helper()
	market := oracle.New()
	m := newFileMarket(t)
	header, line, _ := strings.Cut(fixture(t, "cartola.txt"), "\n")
	line, _, _ = strings.Cut(line, "\n")
	lines := ""
	for _, month := range monthEnds(oracle.Date(2022, time.January, 31), oracle.Date(2025, time.June, 30)) {
		lines += strings.Replace(line, "20260201", month.Format("20060102"), 1) + "\n"
	}
	m.ingest(t, model.Cartola, "cartola.txt", header+"\n"+lines, 0)
	m.ingest(t, model.FIRegister, "fi.csv", fixture(t, "fi.csv", "ALZA DEUDA PRIVADA V FONDO DE INVERSIÓN,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FINRE",
		"ALZA DEUDA PRIVADA V FONDO DE INVERSIÓN,ALZA ADMINISTRADORA GENERAL DE FONDOS S.A.,FIRES"), 0)
	m.ingest(t, model.Vehicles, "vehicles.csv", fixture(t, "vehicles.csv"), 0)
	m.ingest(t, model.FIValues, "fi_9278_202506.csv", fixture(t, "fi_9278_202506.csv"), 0)
	start, cutoff := oracle.Date(2022, time.January, 1), oracle.Date(2025, time.June, 30)
	m.ingest(t, model.FIValues, "values.csv", bookHeader+bookDays(market, 10842, "UNICA", "CLP", start, cutoff)+bookDays(market, 10798, "B", "USD", start, cutoff), 0)
	m.ingest(t, model.Holdings, "portfolio_202506.csv", fixture(t, "portfolio_202506.csv"), 0)
	m.build(t)
	return m, market
}

func monthEnds(first, last time.Time) (ends []time.Time) {
	for end := first; !end.After(last); end = end.AddDate(0, 0, 1).AddDate(0, 1, -1) {
		ends = append(ends, end)
	}
	return ends
}

type instruments struct {
	items
	Meta struct {
		Total, Limit, Offset int
		BatchID              string  `json:"batch_id"`
		AsOf                 *string `json:"as_of_date"`
	}
}

// names gives the RUN and series of each instrument.
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
	t.Parallel()
	m, market := newInvestmentMarket(t)
	etf, redeemable := instrumentID("fi:10842-1:UNICA"), instrumentID("fi:10798-0:B")
	aina := instrumentID("fi:9278-9:A")

	t.Run("instruments come by fund and series, those of the filters", func(t *testing.T) {
		managers := decode[items](t, m.get(t, "/api/asset_providers?scope=etf"))
		if len(managers.Data) != 1 || managers.Data[0].Attributes["name"] != "BTG PACTUAL CHILE S.A. ADMINISTRADORA GENERAL DE FONDOS" {
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
			if !cmp.Equal(got.names(), want) || got.Meta.Total != total || got.Meta.AsOf == nil || *got.Meta.AsOf != "2025-06-30" {
				t.Errorf("%s: %v of %+v, want %v of %d", query, got.names(), got.Meta, want, total)
			}
		}
	})

	t.Run("an instrument is exact, and null where nothing is known", func(t *testing.T) {
		got := decode[struct {
			Data struct {
				ID, Type   string
				Attributes map[string]any
			}
		}](t, m.get(t, "/api/fi/instruments/"+strings.ToUpper(aina))).Data
		fund := decode[instruments](t, m.get(t, "/api/fi/instruments?q=9278")).Data[0].Attributes["fund_id"]
		provider := decode[instruments](t, m.get(t, "/api/fi/instruments?q=9278")).Data[0].Attributes["provider_id"]
		want := map[string]any{
			"name": "AINA FONDO DE INVERSION Serie A", "fund_name": "AINA FONDO DE INVERSION", "fund_id": fund, "run": "9278-9", "serie": "A",
			"provider_id": provider, "administrator": "BICE INVERSIONES ADMINISTRADORA GENERAL DE FONDOS S.A.", "vehicle": "investment_fund",
			"regulatory_type": "FINRE", "is_etf": false, "etf_source": map[string]any{"url": "https://example.org/v/2", "sha256": strings.Repeat("0123456789abcdef", 4)},
			"status": "active", "currency": "CLP", "first_date": "2025-06-29", "quota_source": "cmf_valor_libro",
			"last_day": map[string]any{"date": "2025-06-30", "valor_libro": 1234.5678, "valor_economico": 1240.12, "patrimonio_neto": 1234567890.0,
				"activo_total": 1334567890.5, "n_aportantes": 1204.0, "n_aportantes_institucionales": 12.0, "agencia": nil},
		}
		if diff := cmp.Diff(want, got.Attributes); diff != "" || got.ID != aina || got.Type != "fi_instrument" {
			t.Errorf("%s %s %s", got.ID, got.Type, diff)
		}
		unnamed := decode[instruments](t, m.get(t, "/api/fi/instruments?status=unknown")).Data[0]
		if a := unnamed.Attributes; unnamed.ID != instrumentID("fi:10654-2:") || a["serie"] != nil || a["is_etf"] != nil || a["etf_source"] != nil ||
			a["last_day"] != nil || a["currency"] != nil || a["name"] != "ALZA DEDALO FONDO DE INVERSION" {
			t.Errorf("%+v", unnamed)
		}
	})

	t.Run("a fund's own id goes on answering when its series are known", func(t *testing.T) {
		own := instrumentID("fi:9278-9:")
		got := decode[struct {
			Data struct {
				ID         string
				Attributes map[string]any
			}
		}](t, m.get(t, "/api/fi/instruments/"+own)).Data
		if got.ID != own || got.Attributes["serie"] != nil || got.Attributes["run"] != "9278-9" {
			t.Errorf("%+v", got)
		}
		if days := decode[instruments](t, m.get(t, "/api/fi/instruments/"+own+"/prices")); days.Data == nil || len(days.Data) > 0 || days.Meta.Total != 0 {
			t.Errorf("%+v", days)
		}
		wantCode(t, m.get(t, "/api/real_assets/"+own+"/days"), http.StatusNotFound, "not_found") // it is not the id of a series
	})

	t.Run("prices are the published values in their order, paged", func(t *testing.T) {
		ask := func(query string) instruments {
			return decode[instruments](t, m.get(t, "/api/fi/instruments/"+etf+"/prices?"+query))
		}
		whole := ask("limit=5000")
		if len(whole.Data) != 1277 || whole.Meta.Total != 1277 || whole.Data[0].ID != etf+"_2022-01-01" || whole.Data[1276].ID != etf+"_2025-06-30" {
			t.Fatalf("%d days, %+v", len(whole.Data), whole.Meta)
		}
		want := map[string]any{"date": "2022-01-02", "currency": "CLP", "valor_libro": 501.75, "valor_economico": nil, "patrimonio_neto": 901.0, "activo_total": nil,
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
			if len(got.Data) != want.days || got.Meta.Total != want.total || want.days > 0 && got.Data[0].ID != whole.Data[want.first].ID {
				t.Errorf("%s: %d days of %+v, want %+v", query, len(got.Data), got.Meta, want)
			}
		}
	})

	t.Run("returns of a UUID are made of its book values, by the rule of all series", func(t *testing.T) {
		for _, c := range []struct {
			id    string
			run   int
			serie string
		}{{etf, 10842, "UNICA"}, {redeemable, 10798, "B"}} {
			for _, asOf := range []string{"", "2025-06-30", "2025-03-31", "2024-02-29", "2025-07-08", "2022-01-15"} {
				target, day := "/api/real_assets/"+strings.ToUpper(c.id)+"/returns", oracle.Date(2025, time.June, 30)
				if asOf != "" {
					target += "?as_of_date=" + asOf
					day, _ = time.Parse(time.DateOnly, asOf)
				}
				got := m.get(t, target)
				body := decode[returnsBody](t, got).Data
				if !strings.Contains(string(got.body), `"quota_source":"cmf_valor_libro"`) || body.ID != c.id || body.Attributes.Serie != c.serie ||
					body.Attributes.RUN != model.RUN(c.run).String() || *body.Attributes.Spheres.Reason != "source_unavailable" {
					t.Errorf("%s: %.600s", target, got.body)
				}
				for _, window := range model.Windows {
					samePeriods(t, target+" "+window, body.Attributes.Periods[window], market.Period(c.run, c.serie, day, window))
				}
			}
		}
		if currency := decode[returnsBody](t, m.get(t, "/api/real_assets/"+redeemable+"/returns")).Data.Attributes.Currency; *currency != "DOLAR" {
			t.Errorf("currency %s", *currency)
		}
	})

	t.Run("a total return needs verified factors, of which there are none", func(t *testing.T) {
		for _, query := range []string{"return_basis=total", "return_basis=total&valuation=clp"} {
			if got := m.get(t, "/api/real_assets/"+etf+"/returns?"+query).violations(t); !cmp.Equal(got, []string{"query.return_basis:unverified_factors"}) {
				t.Errorf("%s: %v", query, got)
			}
		}
	})

	t.Run("days keep the contract of mutual funds", func(t *testing.T) {
		got := decode[items](t, m.get(t, "/api/real_assets/"+aina+"/days"))
		want := []string{aina + "_2025-06-29", aina + "_2025-06-30"}
		if !cmp.Equal(got.ids(), want) || !cmp.Equal(got.Data[1].Attributes, map[string]any{"date": "2025-06-30", "price": 1234.5678}) {
			t.Errorf("%+v", got)
		}
		if got := decode[items](t, m.get(t, "/api/real_assets/"+aina+"/days?from_date=2025-07-01")); got.Data == nil || len(got.Data) > 0 {
			t.Errorf("%+v", got)
		}
	})

	t.Run("costs are not published, and risk is measured as that of all series", func(t *testing.T) {
		if got := string(m.get(t, "/api/real_assets/"+etf+"/expense_ratio").body); got != `{"data":{"id":"`+etf+`","type":"expense_ratio","attributes":{"expense_ratio":null,"investor_class":null,"tac_kind":null,"tac_as_of_date":null}}}`+"\n" {
			t.Error(got)
		}
		if got := decode[items](t, m.get(t, "/api/real_assets/"+etf+"/expense_ratio/history")); got.Data == nil || len(got.Data) > 0 {
			t.Errorf("%+v", got)
		}
		type snapshot struct {
			Data struct {
				ID         string
				Attributes map[string]any
			}
		}
		want := market.Risk(oracle.Date(2025, time.June, 30))[oracle.Series{Run: 10842, Name: "UNICA"}]
		got := decode[snapshot](t, m.get(t, "/api/real_assets/"+etf+"/risk_metrics")).Data
		for name, want := range map[string]*float64{"volatility_monthly_12m": want.Volatility12, "volatility_monthly_36m": want.Volatility36, "max_drawdown_36m": want.Drawdown36} {
			if value, known := got.Attributes[name].(float64); !known || math.Abs(value-*want) > 1e-12 {
				t.Errorf("%s is %v, want %v", name, got.Attributes[name], *want)
			}
		}
		if got.Attributes["as_of_date"] != "2025-06-30" || got.Attributes["run"] != "10842-1" || got.Attributes["risk_score"] != float64(*want.Score) {
			t.Errorf("%+v, want score %d", got, *want.Score)
		}
		young := decode[snapshot](t, m.get(t, "/api/real_assets/"+aina+"/risk_metrics")).Data.Attributes
		if young["volatility_monthly_12m"] != nil || young["risk_score"] != nil || young["serie"] != "A" {
			t.Errorf("%+v", young)
		}
	})

	t.Run("a fund lists its series under their UUIDs", func(t *testing.T) {
		fund := decode[instruments](t, m.get(t, "/api/fi/instruments?q=9278")).Data[0].Attributes["fund_id"].(string)
		got := decode[items](t, m.get(t, "/api/conceptual_assets/"+fund+"/real_assets"))
		if want := []string{aina, instrumentID("fi:9278-9:I")}; !cmp.Equal(got.ids(), want) {
			t.Fatalf("%v, want %v", got.ids(), want)
		}
		want := map[string]any{"name": "9278-9 Serie A", "serie": "A", "run": "9278-9", "currency": "CLP", "investor_class": nil,
			"last_day": map[string]any{"net_asset_value": 1234.5678, "total_net_assets": 1234567890.0, "shareholders": 1204.0, "date": "2025-06-30"}}
		if diff := cmp.Diff(want, got.Data[0].Attributes); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("all-funds has ETFs and redeemable funds beside mutual funds, each once, on any date", func(t *testing.T) {
		mutual := decode[allFunds](t, m.get(t, "/api/all-funds")).ids()
		if len(mutual) != 1 || strings.Contains(mutual[0], "-") {
			t.Fatalf("%v", mutual)
		}
		for query, want := range map[string][]string{
			"vehicle=etf":                                                {etf},
			"vehicle=investment_fund":                                    {redeemable},
			"vehicle=all":                                                append(mutual[:1:1], redeemable, etf),
			"vehicle=mutual_fund":                                        mutual,
			"vehicle=etf&date=2024-02-29":                                {etf},
			"vehicle=etf&date=2022-01-01":                                {etf},
			"vehicle=etf&date=2021-12-31":                                {},
			"vehicle=all&date=2025-06-27":                                append(mutual[:1:1], redeemable, etf), // there is no cartola of that day, so the complete day before is shown
			"vehicle=etf&category=equity":                                {},
			"vehicle=etf&fund_family=x":                                  {},
			"vehicle=etf&article107_regulation_status=unknown":           {etf},
			"vehicle=etf&article107_regulation_status=declares_eligible": {},
		} {
			if got := decode[allFunds](t, m.get(t, "/api/all-funds?"+query)); !cmp.Equal(got.ids(), want) {
				t.Errorf("%s: %v, want %v", query, got.ids(), want)
			}
		}
		for _, date := range []string{"2025-06-30", "2024-02-29", "2022-01-20"} {
			day, _ := time.Parse(time.DateOnly, date)
			got := decode[allFunds](t, m.get(t, "/api/all-funds?vehicle=etf&date="+date)).Data[0]
			for name, want := range map[string]*float64{"dailyChange": market.DailyChange(10842, "UNICA", day), "monthlyChange": market.MonthlyChange(10842, "UNICA", day)} {
				value, known := got[name].(float64)
				if known != (want != nil) || known && math.Abs(value-*want) > 1e-9 {
					t.Errorf("%s: %s is %v, want %v", date, name, got[name], want)
				}
			}
			if got["price_as_of_date"] != date || got["vehicle"] != "etf" || got["tac"] != nil || got["category"] != nil || got["currency"] != "PESOS" ||
				got["agf"] != "BTG PACTUAL CHILE S.A. ADMINISTRADORA GENERAL DE FONDOS" {
				t.Errorf("%s: %v", date, got)
			}
		}
	})

	t.Run("the portfolio of an instrument is that of its fund", func(t *testing.T) {
		for _, id := range []string{aina, instrumentID("fi:9278-9:I"), instrumentID("fi:9278-9:")} {
			for market, want := range map[string][]any{"all": {61.7284, 10.0, -0.075}, "N": {61.7284, 10.0}, "E": {-0.075}} {
				got := decode[portfolio](t, m.get(t, "/api/fi/instruments/"+id+"/cartera/holdings?market="+market))
				if !cmp.Equal(got.each("pct_activo_fondo"), want) || got.Meta.RUN != "9278" || *got.Meta.Month != "2025-06" {
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
		for _, target := range []string{etf + "/cartera/holdings", aina + "/cartera/resumen?month=2025-03", etf + "/cartera/resumen?market=E"} {
			if got := decode[portfolio](t, m.get(t, "/api/fi/instruments/"+target)); got.Data == nil || len(got.Data) > 0 || got.Meta.Month != nil {
				t.Errorf("%s: %+v", target, got)
			}
		}
	})

	t.Run("an id of none is not found", func(t *testing.T) {
		none := instrumentID("fi:9278-9:Z")
		for _, target := range []string{
			"/api/fi/instruments/" + none, "/api/fi/instruments/" + none + "/prices", "/api/fi/instruments/" + none + "/cartera/holdings",
			"/api/fi/instruments/" + none + "/cartera/resumen", "/api/real_assets/" + none + "/returns", "/api/real_assets/" + none + "/days",
			"/api/real_assets/" + none + "/expense_ratio", "/api/real_assets/" + none + "/expense_ratio/history", "/api/real_assets/" + none + "/risk_metrics",
		} {
			wantCode(t, m.get(t, target), http.StatusNotFound, "not_found")
		}
		number := "1"
		must(t, m.conn.QueryRow(t.Context(), "SELECT toString(id) FROM registry WHERE kind = 'fi_series' LIMIT 1").Scan(&number))
		wantCode(t, m.get(t, "/api/real_assets/"+number+"/days"), http.StatusNotFound, "not_found") // the series_id of our tables is not a public id
	})
}

// samePeriods compares the returns of a reply with the independent computation.
func samePeriods(t *testing.T, what string, got period, want oracle.Period) {
	t.Helper()
	said := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	if (got.Value == nil) != (want.Value == nil) || got.Value != nil && math.Abs(*got.Value-*want.Value) > 1e-12 {
		t.Errorf("%s: %v, want %v", what, got.Value, want.Value)
	}
	found := []string{said(got.Currency), got.Status, said(got.Reason), said(got.TargetStart), said(got.TargetEnd), said(got.EffectiveStart), said(got.EffectiveEnd)}
	expected := []string{want.Currency, want.Status, want.Reason, want.TargetStart, want.TargetEnd, want.EffectiveStart, want.EffectiveEnd}
	if diff := cmp.Diff(expected, found); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Only mutual funds decide the cutoff. Without mutual funds, investment funds have values,
// and returns only at a requested date.
func TestInvestmentFundsWithoutACutoff(t *testing.T) {
	t.Parallel()
	m := newFileMarket(t)
	market := oracle.New()
	m.ingest(t, model.FIValues, "values.csv", bookHeader+bookDays(market, 10842, "A", "CLP", oracle.Date(2025, time.May, 1), oracle.Date(2025, time.June, 30)), 0)
	m.build(t)
	id := instrumentID("fi:10842-1:A")
	snapshot := decode[returnsBody](t, m.get(t, "/api/real_assets/"+id+"/returns")).Data.Attributes
	direct := decode[returnsBody](t, m.get(t, "/api/real_assets/"+id+"/returns?as_of_date=2025-06-30")).Data.Attributes
	for _, window := range model.Windows {
		if got := snapshot.Periods[window]; got.Value != nil || *got.Reason != "no_complete_cutoff" || got.TargetEnd != nil {
			t.Errorf("%s: %+v", window, got)
		}
		samePeriods(t, window, direct.Periods[window], market.Period(10842, "A", oracle.Date(2025, time.June, 30), window))
	}
	got := decode[instruments](t, m.get(t, "/api/fi/instruments?status=all"))
	if a := got.Data[0].Attributes; len(got.Data) != 1 || got.Meta.AsOf != nil || a["regulatory_type"] != "FI" || a["status"] != "unknown" ||
		a["administrator"] != nil || a["provider_id"] != nil || a["fund_name"] != "10842-1" {
		t.Errorf("%+v", got)
	}
}

func TestNoInvestmentFundsAtAllIsAnEmptyList(t *testing.T) {
	t.Parallel()
	m := newFileMarket(t)
	m.ingest(t, model.Cartola, "cartola.txt", fixture(t, "cartola.txt"), 0)
	m.build(t)
	if got := decode[instruments](t, m.get(t, "/api/fi/instruments?status=all")); got.Data == nil || len(got.Data) > 0 || got.Meta.Total != 0 {
		t.Errorf("%+v", got)
	}
	for _, vehicle := range []string{"etf", "investment_fund"} {
		if got := decode[allFunds](t, m.get(t, "/api/all-funds?vehicle="+vehicle)); got.Data == nil || len(got.Data) > 0 {
			t.Errorf("%+v", got)
		}
	}
}

func TestAValueThatCouldNotBeReadIsNullInPricesAndNotAmongDays(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	prices := decode[instruments](t, r.get(t, "/api/fi/instruments/"+instrumentAina+"/prices"))
	if len(prices.Data) != 3 || prices.Data[1].Attributes["valor_libro"] != nil || prices.Data[1].Attributes["currency"] != nil || prices.Meta.Total != 3 {
		t.Errorf("%+v", prices)
	}
	if got := decode[items](t, r.get(t, "/api/real_assets/"+instrumentAina+"/days")).ids(); !cmp.Equal(got, []string{instrumentAina + "_2026-06-30", instrumentAina + "_2026-07-31"}) {
		t.Errorf("%v", got)
	}
	if got := decode[returnsBody](t, r.get(t, "/api/real_assets/"+instrumentAina+"/returns?as_of_date=2026-07-16")).Data.Attributes.Periods["1m"]; *got.Reason != "invalid_end_quote" {
		t.Errorf("%+v", got)
	}
}

func TestAPageOfInstrumentsComesFromTheBatchThatItNames(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	for target, want := range map[string]string{"": "AÍNA FONDO DE INVERSIÓN 2", "?batch_id=" + batchID(1): "AÍNA FONDO DE INVERSIÓN 1"} {
		got := decode[instruments](t, r.get(t, "/api/fi/instruments"+target))
		if len(got.Data) != 1 || got.Data[0].Attributes["fund_name"] != want || got.Meta.BatchID != batchID(int(want[len(want)-1]-'0')) {
			t.Errorf("%s: %+v", target, got)
		}
	}
}

func TestInvestmentFundParameters(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	long := strings.Repeat("ñ", 200)
	of := "/api/fi/instruments/" + instrumentAina
	wantViolations(t, r, []violationCase{
		{"/api/fi/instruments", nil},
		{"/api/fi/instruments?provider_id=0&is_etf=true&regulatory_type=FI&status=all&q=&limit=1&offset=0&batch_id=", nil},
		{"/api/fi/instruments?provider_id=4294967295&is_etf=false&regulatory_type=FINRE&status=inactive&q=" + long + "&limit=500&offset=9007199254740991", nil},
		{"/api/fi/instruments?provider_id=4294967296", []string{"query.provider_id:less_than_equal"}},
		{"/api/fi/instruments?provider_id=-1", []string{"query.provider_id:greater_than_equal"}},
		{"/api/fi/instruments?provider_id=", []string{"query.provider_id:int_parsing"}},
		{"/api/fi/instruments?provider_id=1%20OR%201=1", []string{"query.provider_id:int_parsing"}},
		{"/api/fi/instruments?provider_id=1&provider_id=2", []string{"query.provider_id:repeated"}},
		{"/api/fi/instruments?is_etf=", []string{"query.is_etf:bool_parsing"}},
		{"/api/fi/instruments?is_etf=TRUE", []string{"query.is_etf:bool_parsing"}},
		{"/api/fi/instruments?is_etf=1", []string{"query.is_etf:bool_parsing"}},
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
		{"/api/fi/instruments?limit=0&offset=-1", []string{"query.limit:greater_than_equal", "query.offset:greater_than_equal"}},
		{"/api/fi/instruments?limit=501&offset=9007199254740992", []string{"query.limit:less_than_equal", "query.offset:less_than_equal"}},
		{"/api/fi/instruments?limit=&offset=1e2", []string{"query.limit:int_parsing", "query.offset:int_parsing"}},
		{"/api/fi/instruments?limit=99999999999999999999", []string{"query.limit:int_parsing"}},
		{"/api/fi/instruments?batch_id=" + long + "x", []string{"query.batch_id:string_too_long"}},

		{of, nil},
		{"/api/fi/instruments/" + strings.ToUpper(instrumentAina), nil},
		{"/api/fi/instruments/201", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/9278-9", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/" + strings.ReplaceAll(instrumentAina, "-", ""), []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/%7B" + instrumentAina + "%7D", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/urn:uuid:" + instrumentAina, []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/" + instrumentAina[:35] + "g", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/%00%FF", []string{"path.instrument_id:uuid_parsing"}},

		{of + "/prices?from_date=2026-07-31&to_date=2026-07-31&limit=1&offset=0", nil},
		{of + "/prices?from_date=0001-01-01&to_date=9999-12-31&limit=5000&offset=9007199254740991", nil},
		{of + "/prices?from_date=2026-08-01&to_date=2026-07-31", []string{"query.from_date:value_error"}},
		{of + "/prices?from_date=&to_date=20260731", []string{"query.from_date:date_parsing", "query.to_date:date_parsing"}},
		{of + "/prices?from_date=2026-02-29&to_date=2026-07-31T00:00:00Z", []string{"query.from_date:date_parsing", "query.to_date:date_parsing"}},
		{of + "/prices?from_date=0000-01-01&to_date=2026-07-31%00", []string{"query.from_date:date_parsing", "query.to_date:date_parsing"}},
		{of + "/prices?to_date=2026-07-31&to_date=2026-07-31", []string{"query.to_date:repeated"}},
		{of + "/prices?limit=0&offset=-1", []string{"query.limit:greater_than_equal", "query.offset:greater_than_equal"}},
		{of + "/prices?limit=5001&offset=x", []string{"query.limit:less_than_equal", "query.offset:int_parsing"}},
		{"/api/fi/instruments/x/prices?limit=x", []string{"path.instrument_id:uuid_parsing", "query.limit:int_parsing"}},

		{of + "/cartera/holdings?month=2026-06&market=all", nil},
		{of + "/cartera/resumen?month=0001-01&market=E", nil},
		{of + "/cartera/holdings?month=2026-13&market=B", []string{"query.month:month_parsing", "query.market:literal_error"}},
		{of + "/cartera/resumen?month=&market=", []string{"query.month:month_parsing", "query.market:literal_error"}},
		{of + "/cartera/resumen?month=2026-06-30&market=n", []string{"query.month:month_parsing", "query.market:literal_error"}},
		{of + "/cartera/holdings?market=N&market=E", []string{"query.market:repeated"}},
		{"/api/fi/instruments/x/cartera/holdings", []string{"path.instrument_id:uuid_parsing"}},
		{"/api/fi/instruments/'%20OR%201=1/cartera/resumen", []string{"path.instrument_id:uuid_parsing"}},

		{"/api/real_assets/" + strings.ToUpper(instrumentAina) + "/returns?return_basis=price", nil},
		{"/api/real_assets/" + instrumentAina + "/returns?return_basis=total", []string{"query.return_basis:unverified_factors"}},
		{"/api/real_assets/" + instrumentAina + "/returns?return_basis=total&as_of_date=2026-08-21", []string{"query.as_of_date:date_future", "query.return_basis:unverified_factors"}},
		{"/api/real_assets/" + instrumentAina + "x/returns", []string{"path.asset_id:asset_id_parsing"}},
		{"/api/real_assets/" + instrumentAina[:35] + "/risk_metrics", []string{"path.asset_id:asset_id_parsing"}},
	})
}
