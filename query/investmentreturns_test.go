package query_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

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
	found := []string{said(got.Currency), got.Status, said(got.Reason), said(got.TargetStart), said(got.TargetEnd),
		said(got.EffectiveStart), said(got.EffectiveEnd)}
	expected := []string{want.Currency, want.Status, want.Reason, want.TargetStart, want.TargetEnd, want.EffectiveStart,
		want.EffectiveEnd}
	if diff := cmp.Diff(expected, found); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Only mutual funds decide the cutoff. Without mutual funds, investment funds have values,
// and returns only at a requested date.
func TestInvestmentFundsWithoutACutoff(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := newFileMarket(t)
	market := oracle.New()
	m.ingest(t, model.FIValues, "values.csv",
		bookHeader+bookDays(market, 10842, "A", "CLP", oracle.Date(2025, time.May, 1),
			oracle.Date(2025, time.June, 30)), 0)
	m.build(t)
	id := instrumentID("fi:10842-1:A")
	snapshot := decode[returnsBody](t, m.get(t, "/api/real_assets/"+id+"/returns")).Data.Attributes
	direct := decode[returnsBody](t, m.get(t, "/api/real_assets/"+id+"/returns?as_of_date=2025-06-30")).Data.Attributes
	for _, window := range model.Windows {
		if got := snapshot.Periods[window]; got.Value != nil || *got.Reason != "no_complete_cutoff" ||
			got.TargetEnd != nil {
			t.Errorf("%s: %+v", window, got)
		}
		samePeriods(t, window, direct.Periods[window],
			market.Period(10842, "A", oracle.Date(2025, time.June, 30), window))
	}
	got := decode[instruments](t, m.get(t, "/api/fi/instruments?status=all"))
	if a := got.Data[0].Attributes; len(got.Data) != 1 || got.Meta.AsOf != nil || a["regulatory_type"] != "FI" ||
		a["status"] != "unknown" ||
		a["administrator"] != nil || a["provider_id"] != nil || a["fund_name"] != "10842-1" {
		t.Errorf("%+v", got)
	}
}

func (m investmentMarket) returns(t *testing.T) {
	for _, c := range []struct {
		id    string
		run   int
		serie string
	}{{m.etf, 10842, "UNICA"}, {m.redeemable, 10798, "B"}} {
		for _, asOf := range []string{"", "2025-06-30", "2025-03-31", "2024-02-29", "2025-07-08", "2022-01-15"} {
			target, day := "/api/real_assets/"+strings.ToUpper(c.id)+"/returns", oracle.Date(2025, time.June, 30)
			if asOf != "" {
				target += "?as_of_date=" + asOf
				day, _ = time.Parse(time.DateOnly, asOf)
			}
			got := m.get(t, target)
			body := decode[returnsBody](t, got).Data
			if !strings.Contains(string(got.body), `"quota_source":"cmf_valor_libro"`) || body.ID != c.id ||
				body.Attributes.Serie != c.serie ||
				body.Attributes.RUN != model.RUN(c.run).String() ||
				*body.Attributes.Spheres.Reason != "source_unavailable" {
				t.Errorf("%s: %.600s", target, got.body)
			}
			for _, window := range model.Windows {
				samePeriods(t, target+" "+window, body.Attributes.Periods[window],
					m.computed.Period(c.run, c.serie, day, window))
			}
		}
	}
	if currency := decode[returnsBody](t,
		m.get(t, "/api/real_assets/"+m.redeemable+"/returns")).Data.Attributes.Currency; *currency != "DOLAR" {
		t.Errorf("currency %s", *currency)
	}
}

func (m investmentMarket) totalReturns(t *testing.T) {
	for _, query := range []string{"return_basis=total", "return_basis=total&valuation=clp"} {
		if got := m.get(t, "/api/real_assets/"+m.etf+"/returns?"+query).violations(t); !cmp.Equal(got,
			[]string{"query.return_basis:unverified_factors"}) {
			t.Errorf("%s: %v", query, got)
		}
	}
}

func (m investmentMarket) costsAndRisk(t *testing.T) {
	if got := string(m.get(t, "/api/real_assets/"+m.etf+"/expense_ratio").body); got != `{"data":{"id":"`+m.etf+
		`","type":"expense_ratio","attributes":{"expense_ratio":null,"investor_class":null,"tac_kind":null,"tac_as_of_date":null}}}`+"\n" {
		t.Error(got)
	}
	if got := decode[items](t, m.get(t, "/api/real_assets/"+m.etf+"/expense_ratio/history")); got.Data == nil ||
		len(got.Data) > 0 {
		t.Errorf("%+v", got)
	}
	want := m.computed.Risk(oracle.Date(2025, time.June, 30))[oracle.Series{Run: 10842, Name: "UNICA"}]
	got := decode[single](t, m.get(t, "/api/real_assets/"+m.etf+"/risk_metrics")).Data
	for name, want := range map[string]*float64{"volatility_monthly_12m": want.Volatility12,
		"volatility_monthly_36m": want.Volatility36, "max_drawdown_36m": want.Drawdown36} {
		if value, known := got.Attributes[name].(float64); !known || math.Abs(value-*want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got.Attributes[name], *want)
		}
		if strings.HasPrefix(name, "volatility") {
			agree(t, "the receipt of "+name, m.get(t, "/api/explain?field="+name+"&series="+m.etf), givenReturn{Value: want})
		}
	}
	if got.Attributes["as_of_date"] != "2025-06-30" || got.Attributes["run"] != "10842-1" ||
		got.Attributes["risk_score"] != float64(*want.Score) {
		t.Errorf("%+v, want score %d", got, *want.Score)
	}
	// Two of the four investment funds' series have 36 months. No dólar is known for the one in dollars, nor for one of
	// the others, and no mutual fund is among them.
	among, _ := got.Attributes["risk_score_coverage"].(map[string]any)
	share, _ := among["equity_share"].(float64)
	if among["series"] != 2.0 || among["of_series"] != 4.0 || math.Abs(share*(916+1_234_567_890)-916) > 1e-6 {
		t.Errorf("the score is among %v", among)
	}
	young := decode[single](t, m.get(t, "/api/real_assets/"+m.aina+"/risk_metrics")).Data.Attributes
	if young["volatility_monthly_12m"] != nil || young["risk_score"] != nil || young["serie"] != "A" {
		t.Errorf("%+v", young)
	}
}

func (m investmentMarket) allFunds(t *testing.T) {
	mutual := decode[allFunds](t, m.get(t, "/api/all-funds")).ids()
	if len(mutual) != 1 || strings.Contains(mutual[0], "-") {
		t.Fatalf("%v", mutual)
	}
	for query, want := range map[string][]string{
		"vehicle=etf":                 {m.etf},
		"vehicle=investment_fund":     {m.redeemable},
		"vehicle=all":                 append(mutual[:1:1], m.redeemable, m.etf),
		"vehicle=mutual_fund":         mutual,
		"vehicle=etf&date=2024-02-29": {m.etf},
		"vehicle=etf&date=2022-01-01": {m.etf},
		"vehicle=etf&date=2021-12-31": {},
		// there is no cartola of that day, so the complete day before is shown
		"vehicle=all&date=2025-06-27":                                append(mutual[:1:1], m.redeemable, m.etf),
		"vehicle=etf&category=equity":                                {},
		"vehicle=etf&fund_family=x":                                  {},
		"vehicle=etf&article107_regulation_status=unknown":           {m.etf},
		"vehicle=etf&article107_regulation_status=declares_eligible": {},
	} {
		if got := decode[allFunds](t, m.get(t, "/api/all-funds?"+query)); !cmp.Equal(got.ids(), want) {
			t.Errorf("%s: %v, want %v", query, got.ids(), want)
		}
	}
	for _, date := range []string{"2025-06-30", "2024-02-29", "2022-01-20"} {
		day, _ := time.Parse(time.DateOnly, date)
		got := decode[allFunds](t, m.get(t, "/api/all-funds?vehicle=etf&date="+date)).Data[0]
		for name, want := range map[string]*float64{"dailyChange": m.computed.DailyChange(10842, "UNICA", day),
			"monthlyChange": m.computed.MonthlyChange(10842, "UNICA", day)} {
			value, known := got[name].(float64)
			if known != (want != nil) || known && math.Abs(value-*want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", date, name, got[name], want)
			}
		}
		if got["price_as_of_date"] != date || got["vehicle"] != "etf" || got["tac"] != nil || got["category"] != nil ||
			got["currency"] != "PESOS" ||
			got["agf"] != "BTG PACTUAL CHILE S.A. ADMINISTRADORA GENERAL DE FONDOS" {
			t.Errorf("%s: %v", date, got)
		}
	}
}
