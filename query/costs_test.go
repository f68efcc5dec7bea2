package query_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

// costlyMarket is the little market with cost rates and risk snapshots. Rates
// are stated up to 2026-08, a month after the cutoff.
func costlyMarket(t testing.TB) *rig {
	t.Helper()
	r := newRig(t, demotest.Schema(t), query.Config{HTTP: unlimited.HTTP})
	r.facts(t)
	fund := func(id int, name string) row {
		return row{"batch": 1, "fund_id": id, "run": fmt.Sprintf("9%d-1", id), "manager_id": managerBeta, "manager": "BETA AGF", "vehicle": "mutual_fund", "name": name, "current": true}
	}
	series := func(id, fund int, more row) row {
		out := row{"batch": 1, "series_id": id, "fund_id": fund, "run": fmt.Sprintf("9%d-1", fund), "serie": "S", "first_date": "2026-01-01", "last_date": "2026-07-31", "current": true}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	insert(t, r.conn, "fund", fund(301, "UNO"), fund(302, "DOS"), fund(303, "TRES"))
	insert(t, r.conn, "series",
		series(301, 301, row{"category": "equity"}), series(302, 301, row{"category": "equity"}),
		series(303, 302, row{"category": "balanced"}), series(304, 303, nil))
	rate := func(id int, month string, tac any, more row) row {
		out := row{"batch": 1, "series_id": id, "month": month, "kind": "real", "source": "computed", "tac": tac, "cost_days": 28}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	synthetic, retail := row{"kind": "synthetic", "source": "stated"}, row{"kind": "synthetic", "source": "stated", "investor_class": "Retail"}
	insert(t, r.conn, "tac_month",
		rate(seriesOpen, "2026-06-30", 0.0132, nil), rate(seriesOpen, "2026-03-31", 0.012, nil),
		rate(seriesOpen, "2026-04-30", nil, nil), rate(seriesOpen, "2026-05-31", 0.0119, nil),
		rate(seriesOpen, "2026-05-31", 0.0125, row{"source": "stated"}),                                      // of a month that also has a computed rate
		rate(seriesOpen, "2026-06-30", 0.0171, synthetic), rate(seriesOpen, "2026-01-31", 0.0171, synthetic), // a rate of the other kind
		rate(seriesOpen, "2026-06-30", 0.5, row{"batch": 2}), rate(seriesOpen, "2026-07-31", 0.5, row{"batch": 2}), // of another batch
		rate(seriesClosed, "2020-01-31", 0, synthetic),
		rate(301, "2026-05-31", 0, retail), rate(301, "2026-06-30", 0.02, retail),
		rate(302, "2026-05-31", 0.01, nil), rate(302, "2026-06-30", 0.015, nil),
		rate(303, "2026-05-31", 0.02, nil), rate(303, "2026-06-30", 0.005, nil),
		rate(304, "2026-07-31", 0.01, synthetic), rate(304, "2026-08-31", 0.011, synthetic))
	insert(t, r.conn, "series_month",
		row{"batch": 1, "series_id": seriesOpen, "month": "2026-06-30", "equity": "1234567890123.4567"},
		row{"batch": 1, "series_id": 303, "month": "2026-06-30", "equity": "0"},
		row{"batch": 1, "series_id": 301, "month": "2026-05-31", "equity": "7"}) // of the month before
	snapshot := func(batch int, month string, score int) row {
		return row{"batch": batch, "series_id": seriesOpen, "month": month, "volatility_monthly_12m": 0.0124, "volatility_monthly_36m": 0,
			"volatility_annualized_12m": 0.043, "max_drawdown_36m": -0.21, "risk_level": "high", "risk_score": score, "method_version": "risk_v1",
			"downside_deviation_36m": 0.03, "var_95_1m": -0.02, "beta_36m": 1.25}
	}
	insert(t, r.conn, "risk_month", snapshot(1, "2026-05-31", 11), snapshot(1, "2026-06-30", 74), snapshot(2, "2026-07-31", 99))
	r.publish(t, 1)
	must(t, r.Refresh(t.Context()))
	return r
}

type single struct {
	Data struct {
		ID         string
		Type       string
		Attributes map[string]any
	}
}

func TestExpenseRatio(t *testing.T) {
	t.Parallel()
	r := costlyMarket(t)

	t.Run("is the current rate, which one and of when, with the investor class that came with it", func(t *testing.T) {
		for id, want := range map[string]map[string]any{
			"0201": {"expense_ratio": 0.0132, "investor_class": "APV", "tac_kind": "computed", "tac_as_of_date": "2026-06-30"},
			"202":  {"expense_ratio": nil, "investor_class": "APV", "tac_kind": nil, "tac_as_of_date": nil},
			"203":  {"expense_ratio": nil, "investor_class": nil, "tac_kind": nil, "tac_as_of_date": nil}, // first quoted after the cutoff
		} {
			got := decode[single](t, r.get(t, "/api/real_assets/"+id+"/expense_ratio")).Data
			if diff := cmp.Diff(want, got.Attributes); diff != "" || got.ID != id[len(id)-3:] {
				t.Errorf("%s is %s: %s", id, got.ID, diff)
			}
		}
	})

	type month struct {
		id, date string
		rate     any
		kind     string
	}
	history := func(t *testing.T, target string) (months []month) {
		t.Helper()
		for _, item := range decode[items](t, r.get(t, "/api/real_assets/"+target)).Data {
			months = append(months, month{item.ID, item.Attributes["date"].(string), item.Attributes["expense_ratio"], item.Attributes["tac_kind"].(string)})
		}
		return months
	}
	all := []month{
		{"201_20260331", "20260331", 0.012, "computed"}, {"201_20260430", "20260430", nil, "computed"},
		{"201_20260531", "20260531", 0.0125, "stated"}, {"201_20260630", "20260630", 0.0132, "computed"},
	}

	t.Run("history ascends, is real or synthetic throughout, and says null where the costs come to no rate", func(t *testing.T) {
		if diff := cmp.Diff(all, history(t, "0201/expense_ratio/history"), cmp.AllowUnexported(month{})); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]month{{"202_20200131", "20200131", 0.0, "synthetic"}}, history(t, "202/expense_ratio/history"), cmp.AllowUnexported(month{})); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("history is of the kind that is asked for, whatever else is known of a month", func(t *testing.T) {
		computed := month{"201_20260531", "20260531", 0.0119, "computed"}
		for asked, want := range map[string][]month{
			"kind=computed":                     {all[0], all[1], computed, all[3]},
			"kind=computed&from_date=20260501":  {computed, all[3]},
			"kind=stated":                       {all[2]},
			"kind=synthetic":                    {{"201_20260131", "20260131", 0.0171, "synthetic"}, {"201_20260630", "20260630", 0.0171, "synthetic"}},
			"kind=synthetic&from_date=20260701": nil,
		} {
			if diff := cmp.Diff(want, history(t, "201/expense_ratio/history?"+asked), cmp.AllowUnexported(month{})); diff != "" {
				t.Errorf("%s: %s", asked, diff)
			}
		}
		for _, asked := range []string{"", "real", "Computed"} {
			if got := r.get(t, "/api/real_assets/201/expense_ratio/history?kind="+asked).violations(t); !cmp.Equal(got, []string{"query.kind:literal_error"}) {
				t.Errorf("%s: %v", asked, got)
			}
		}
	})
	t.Run("from_date is inclusive, and may lie before or after all there is", func(t *testing.T) {
		for from, want := range map[string][]month{"00010101": all, "20260331": all, "20260401": all[1:], "20260630": all[3:], "20260701": nil, "99991231": nil} {
			if diff := cmp.Diff(want, history(t, "201/expense_ratio/history?from_date="+from), cmp.AllowUnexported(month{})); diff != "" {
				t.Errorf("%s: %s", from, diff)
			}
		}
	})
	t.Run("a series without rates has an empty history", func(t *testing.T) {
		if got := decode[items](t, r.get(t, "/api/real_assets/203/expense_ratio/history")); got.Data == nil || len(got.Data) > 0 {
			t.Errorf("%v", got)
		}
	})
	t.Run("a series that no batch up to this one knows is not found, nor is any UUID", func(t *testing.T) {
		for _, id := range []string{"77", "999", "0f0e0d0c-0b0a-4908-8706-050403020100"} {
			for _, operation := range []string{"expense_ratio", "expense_ratio/history", "risk_metrics"} {
				wantCode(t, r.get(t, "/api/real_assets/"+id+"/"+operation), http.StatusNotFound, "not_found")
			}
		}
	})
}

func TestRiskMetricsAreTheNewestSnapshotAndNullsWithoutOne(t *testing.T) {
	t.Parallel()
	r := costlyMarket(t)
	for id, want := range map[string]map[string]any{
		"0201": {"run": "8011-K", "serie": "A", "as_of_date": "2026-06-30", "volatility_monthly_12m": 0.0124, "volatility_monthly_36m": 0.0,
			"volatility_annualized_12m": 0.043, "volatility_annualized_36m": nil, "max_drawdown_36m": -0.21, "risk_level": "high", "risk_score": 74.0, "method_version": "risk_v1",
			"downside_deviation_36m": 0.03, "var_95_1m": -0.02, "beta_36m": 1.25, "tracking_error_36m": nil},
		"203": {"run": "8011-K", "serie": "Z", "as_of_date": nil, "volatility_monthly_12m": nil, "volatility_monthly_36m": nil,
			"volatility_annualized_12m": nil, "volatility_annualized_36m": nil, "max_drawdown_36m": nil, "risk_level": nil, "risk_score": nil, "method_version": nil,
			"downside_deviation_36m": nil, "var_95_1m": nil, "beta_36m": nil, "tracking_error_36m": nil},
	} {
		got := decode[single](t, r.get(t, "/api/real_assets/"+id+"/risk_metrics")).Data
		if diff := cmp.Diff(want, got.Attributes); diff != "" || got.ID != id[len(id)-3:] {
			t.Errorf("%s is %s: %s", id, got.ID, diff)
		}
	}
}

type tacChanges struct {
	Data []map[string]any
	Meta map[string]any
}

func (c tacChanges) ids() []string {
	ids := []string{}
	for _, row := range c.Data {
		ids = append(ids, row["serieId"].(string))
	}
	return ids
}

func TestTACChanges(t *testing.T) {
	t.Parallel()
	r := costlyMarket(t)
	ask := func(t *testing.T, r *rig, query string) tacChanges {
		t.Helper()
		return decode[tacChanges](t, r.get(t, "/api/reports/tac-changes"+query))
	}

	t.Run("are of the month that is asked for, the largest first, one series a fund", func(t *testing.T) {
		got := ask(t, r, "?date=2026-06-15")
		want := tacChanges{
			Data: []map[string]any{
				{"fundId": "301", "fundName": "UNO", "agf": "BETA AGF", "run": "9301-1", "serie": "S", "serieId": "301", "category": "equity", "investorClass": "Retail",
					"patrimony": nil, "tac": 0.02, "tacPrevious": 0.0, "tacDelta": 0.02, "tacDeltaPct": nil},
				{"fundId": "101", "fundName": "RENTA 1", "agf": "ALFA AGF", "run": "8011-K", "serie": "A", "serieId": "201", "category": nil, "investorClass": "Retail",
					"patrimony": 1234567.8901234567, "tac": 0.0132, "tacPrevious": 0.0119, "tacDelta": 0.0013, "tacDeltaPct": 10.92},
			},
			Meta: map[string]any{"date": "2026-06-30", "previousDate": "2026-05-31", "currentMonthKey": "202606", "previousMonthKey": "202605", "direction": "up", "limit": 15.0, "tac_kinds": map[string]any{"301": "synthetic", "201": "computed"}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("fall, are cut and are filtered as asked", func(t *testing.T) {
		for query, want := range map[string][]string{
			"?date=2026-06-30&direction=down":                   {"303"},
			"?date=2026-06-30&direction=down&category=BALANCED": {"303"},
			"?date=2026-06-01&limit=1":                          {"301"},
			"?date=2026-06-01&category=Equity":                  {"301"},
			"?date=2026-06-01&category=":                        {"301", "201"},
			"?date=2026-06-01&category=%5CN":                    {},
			"?date=2026-07-31":                                  {}, // closed; no rate is known for it and for the month before
			"?date=2026-08-01":                                  {"304"},
			"":                                                  {"304"}, // the latest month with a rate
		} {
			if got := ask(t, r, query).ids(); !cmp.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
	})

	t.Run("name both months, across a year and before all data too", func(t *testing.T) {
		for query, want := range map[string][4]any{
			"":                 {"2026-08-31", "2026-07-31", "202608", "202607"},
			"?date=2026-07-31": {"2026-07-31", "2026-06-30", "202607", "202606"},
			"?date=2026-03-31": {"2026-03-31", "2026-02-28", "202603", "202602"},
			"?date=2024-01-02": {"2024-01-31", "2023-12-31", "202401", "202312"},
			"?date=1970-01-01": {"1970-01-31", "1969-12-31", "197001", "196912"},
			"?date=0001-01-01": {"0001-01-31", "0000-12-31", "000101", "000012"},
		} {
			meta := ask(t, r, query).Meta
			if got := [4]any{meta["date"], meta["previousDate"], meta["currentMonthKey"], meta["previousMonthKey"]}; got != want {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
	})

	t.Run("of a month that is not over are refused", func(t *testing.T) {
		for _, date := range []string{"2026-09-01", "2027-01-31", "9999-12-31"} {
			if got := r.get(t, "/api/reports/tac-changes?date="+date).violations(t); !cmp.Equal(got, []string{"query.date:month_open"}) {
				t.Errorf("%s: %v", date, got)
			}
		}
	})

	t.Run("without any rate are none, of no month unless one is named", func(t *testing.T) {
		bare := littleMarket(t)
		got := ask(t, bare, "?direction=down&limit=3")
		want := tacChanges{[]map[string]any{}, map[string]any{"date": nil, "previousDate": nil, "currentMonthKey": nil, "previousMonthKey": nil, "direction": "down", "limit": 3.0, "tac_kinds": map[string]any{}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if named := ask(t, bare, "?date=2026-07-01"); len(named.Data) > 0 || named.Meta["date"] != "2026-07-31" {
			t.Errorf("%v", named)
		}
		if got := bare.get(t, "/api/reports/tac-changes?date=2026-08-01").violations(t); !cmp.Equal(got, []string{"query.date:month_open"}) {
			t.Error(got)
		}
	})

	t.Run("of a batch without a cutoff have no closed month", func(t *testing.T) {
		bare := newRig(t, demotest.Schema(t), unlimited)
		insert(t, bare.conn, "batch", row{"batch": 1, "batch_id": "none-1-000000000001", "calculation_date": "2026-08-06", "calculated_at": "2026-08-06 12:00:00.123", "input_fingerprint": sha('f')})
		must(t, bare.Refresh(t.Context()))
		if got := ask(t, bare, ""); len(got.Data) > 0 || got.Meta["date"] != nil {
			t.Errorf("%v", got)
		}
		if got := bare.get(t, "/api/reports/tac-changes?date=2020-01-01").violations(t); !cmp.Equal(got, []string{"query.date:month_open"}) {
			t.Error(got)
		}
	})
}

// Replies about the real history equal what another program computes from the same files.
func TestCostsAndRiskOfTheDemoMarketAreThoseOfTheIndependentComputation(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	paths, err := filepath.Glob("../demo/files/cartola/cartola_9809_9810_*.txt")
	must(t, err)
	market, err := oracle.Load(paths...)
	must(t, err)
	for _, row := range table(t, "../demo/files/comparator/cmf_rentabilidades_20250930.csv") {
		if run := row["fo_run"]; run == "9809" || run == "9810" { // both funds are balanced
			market.Classify(oracle.Classification{Run: whole(t, run), Serie: row["fm_serie"], Day: oracle.Date(2025, time.September, 30), Family: row["familia_rar"], Category: "balanced"})
		}
	}

	var months []time.Time // closed months; the cutoff is 2025-07-20
	for end := oracle.Date(2019, time.October, 31); end.Before(oracle.Date(2025, time.July, 20)); end = end.AddDate(0, 0, 1).AddDate(0, 1, -1) {
		months = append(months, end)
	}
	snapshots, dates := map[oracle.Series]oracle.Risk{}, map[oracle.Series]time.Time{} // the newest of each series
	for _, month := range months {
		for series, risk := range market.Risk(month) {
			snapshots[series], dates[series] = risk, month
		}
	}
	type rate struct {
		value float64
		days  int
		known bool
	}
	rates := map[oracle.Series][]rate{} // by month
	for _, series := range market.Series() {
		for _, month := range months {
			value, days, known := market.RealTAC(series.Run, series.Name, month)
			rates[series] = append(rates[series], rate{value, days, known})
		}
	}
	var registered []struct {
		ID    uint32 `ch:"id"`
		RUN   uint32 `ch:"run"`
		Serie string `ch:"serie"`
	}
	must(t, r.conn.Select(t.Context(), &registered, "SELECT id, run, serie FROM registry WHERE kind = 'series' AND run IN (9809, 9810)"))
	ids := map[oracle.Series]string{}
	for _, row := range registered {
		ids[oracle.Series{Run: int(row.RUN), Name: row.Serie}] = strconv.FormatUint(uint64(row.ID), 10)
	}
	near := func(got any, want *float64) bool {
		if got == nil || want == nil {
			return got == nil && want == nil
		}
		return math.Abs(got.(float64)-*want) <= 1e-12
	}

	t.Run("monthly cost rates", func(t *testing.T) {
		compared := 0
		for _, series := range market.Series() {
			got := decode[items](t, r.get(t, "/api/real_assets/"+ids[series]+"/expense_ratio/history")).Data
			for i, month := range months {
				rate := rates[series][i]
				if rate.days < 15 {
					continue
				}
				want := &rate.value
				if !rate.known {
					want = nil
				}
				date := month.Format("20060102")
				if len(got) == 0 || got[0].ID != ids[series]+"_"+date || got[0].Attributes["date"] != date || !near(got[0].Attributes["expense_ratio"], want) {
					t.Fatalf("%v: %+v, want %v of %s", series, got, rate.value, date)
				}
				got = got[1:]
				compared++
			}
			if len(got) > 0 {
				t.Errorf("%v has more: %+v", series, got)
			}
		}
		if compared < 400 {
			t.Errorf("only %d rates were compared", compared)
		}
	})

	t.Run("current cost rates are the synthetic ones of the comparator, else the newest real ones", func(t *testing.T) {
		stated := comparatorRates(t)
		synthetic := 0
		for _, series := range market.Series() {
			want, found := stated[series]
			if found {
				synthetic++
			}
			for i := len(months) - 1; i >= 0 && !found; i-- {
				want, found = rates[series][i].value, rates[series][i].known
			}
			expected := &want
			if !found {
				expected = nil
			}
			got := decode[single](t, r.get(t, "/api/real_assets/"+ids[series]+"/expense_ratio")).Data.Attributes["expense_ratio"]
			if !near(got, expected) {
				t.Errorf("%v: %v, want %v (%t)", series, got, want, found)
			}
		}
		if synthetic == 0 {
			t.Error("the comparator states none of them")
		}
	})

	t.Run("the newest risk snapshot, the same in compare", func(t *testing.T) {
		scored, betas, alive := 0, 0, 0
		for _, series := range market.Series() {
			got := decode[single](t, r.get(t, "/api/real_assets/"+ids[series]+"/risk_metrics")).Data.Attributes
			want, date := snapshots[series], any(nil)
			if at, found := dates[series]; found {
				date = at.Format(time.DateOnly)
			}
			for name, figure := range map[string]*float64{
				"volatility_monthly_12m": want.Volatility12, "volatility_monthly_36m": want.Volatility36,
				"volatility_annualized_12m": want.Annual12, "volatility_annualized_36m": want.Annual36, "max_drawdown_36m": want.Drawdown36,
				"downside_deviation_36m": want.Downside36, "var_95_1m": want.VaR95, "beta_36m": want.Beta36, "tracking_error_36m": want.TrackingError36,
			} {
				if !near(got[name], figure) {
					t.Errorf("%v: %s is %v", series, name, got[name])
				}
			}
			var score, level any
			if want.Score != nil {
				score, level = float64(*want.Score), want.Level
				scored++
			}
			if want.Beta36 != nil {
				betas++
			}
			if got["risk_score"] != score || got["risk_level"] != level || got["as_of_date"] != date || (got["method_version"] == nil) != (date == nil) {
				t.Errorf("%v: %v, want score %v %v of %v", series, got, score, level, date)
			}
			compared := r.get(t, "/api/compare?series="+ids[series])
			if compared.status == http.StatusNotFound {
				continue // not alive at the cutoff
			}
			alive++
			attributes := decode[items](t, compared).Data[0].Attributes
			attributes["as_of_date"], attributes["method_version"] = attributes["risk_as_of_date"], attributes["risk_method_version"]
			for name, value := range got {
				if shown, shared := attributes[name]; shared && shown != value {
					t.Errorf("%v: %s is %v in compare, want %v", series, name, attributes[name], value)
				}
			}
		}
		if scored < 3 || betas < 3 || alive < 3 {
			t.Errorf("only %d scores, %d betas and %d series in compare were looked at", scored, betas, alive)
		}
	})

	t.Run("which quantity a rate is, the same wherever it is shown", func(t *testing.T) {
		type told struct {
			items
			Meta struct {
				TACKinds map[string]string `json:"tac_kinds"`
			}
		}
		funds := decode[struct {
			Data []map[string]any
			Meta struct {
				TACKinds map[string]string `json:"tac_kinds"`
			}
		}](t, r.get(t, "/api/all-funds"))
		withRate := 0
		for _, row := range funds.Data {
			if row["tac"] != nil {
				withRate++
			}
		}
		if len(funds.Data) < 2000 || len(funds.Meta.TACKinds) != withRate {
			t.Fatalf("%d kinds of %d rates in %d rows", len(funds.Meta.TACKinds), withRate, len(funds.Data))
		}
		stated, count := comparatorRates(t), map[string]int{}
		for _, series := range market.Series() {
			want := ""
			if _, synthetic := stated[series]; synthetic {
				want = "synthetic"
			} else if slices.ContainsFunc(rates[series], func(r rate) bool { return r.known }) {
				want = "computed"
			}
			count[want]++
			own := decode[single](t, r.get(t, "/api/real_assets/"+ids[series]+"/expense_ratio")).Data.Attributes
			if kind, _ := own["tac_kind"].(string); kind != want {
				t.Errorf("%v: %q, want %q", series, kind, want)
			}
			compared := r.get(t, "/api/compare?series="+ids[series])
			if compared.status == http.StatusNotFound {
				continue // not alive at the cutoff
			}
			found := decode[told](t, compared)
			if kind := found.Meta.TACKinds[ids[series]]; kind != want || funds.Meta.TACKinds[ids[series]] != want || found.Data[0].Attributes["tac_as_of_date"] != own["tac_as_of_date"] {
				t.Errorf("%v: %q in compare, %q in all-funds, want %q", series, kind, funds.Meta.TACKinds[ids[series]], want)
			}
		}
		if count["synthetic"] == 0 || count["computed"] == 0 {
			t.Errorf("%v", count)
		}
	})

	t.Run("changes of each month", func(t *testing.T) {
		compared := 0
		for _, month := range months[1:] {
			for direction, sign := range map[string]float64{"up": 1, "down": -1} {
				largest := map[string]float64{} // by RUN
				for _, series := range market.Series() {
					run := fmt.Sprintf("%d-%s", series.Run, oracle.CheckDigit(series.Run))
					change, changed := market.TACChange(series.Run, series.Name, month, oracle.Date(2025, time.July, 20))
					if delta := change.After - change.Before; changed && sign*delta > sign*largest[run] {
						largest[run] = delta
					}
				}
				target := "/api/reports/tac-changes?limit=100&direction=" + direction + "&date=" + month.Format(time.DateOnly)
				got := decode[tacChanges](t, r.get(t, target)).Data
				if len(got) != len(largest) {
					t.Fatalf("%s: %v, want %v", target, got, largest)
				}
				last := math.Inf(1)
				for _, row := range got {
					delta := row["tacDelta"].(float64)
					if math.Abs(delta-largest[row["run"].(string)]) > 2e-12 || sign*delta > last {
						t.Errorf("%s: %v, want %v", target, row, largest)
					}
					previous := row["tacPrevious"].(float64)
					percent, known := row["tacDeltaPct"].(float64)
					if known != (previous != 0) || known && math.Abs(percent-100*delta/previous) > 0.005001 {
						t.Errorf("%s: %v", target, row)
					}
					last = sign * delta
					compared++
				}
			}
		}
		if compared < 100 {
			t.Errorf("only %d changes were compared", compared)
		}
	})
}

// comparatorRates reads the synthetic rates of the comparator's file.
func comparatorRates(t testing.TB) map[oracle.Series]float64 {
	t.Helper()
	file, err := os.Open("../demo/files/comparator/cmf_tac_20250930.csv")
	must(t, err)
	defer func() { must(t, file.Close()) }()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	rates := map[oracle.Series]float64{}
	for _, line := range lines[1:] {
		run, err := strconv.Atoi(line[column["fo_run"]])
		must(t, err)
		if run != 9809 && run != 9810 {
			continue
		}
		percent, err := strconv.ParseFloat(line[column["tac_sintetica"]], 64)
		must(t, err)
		rates[oracle.Series{Run: run, Name: oracle.SerieName(line[column["fm_serie"]])}] = percent / 100
	}
	return rates
}

// A synthetic rate is shown while its month is less than a year before the newest month of the
// series. From 29 February to the next 28 February is a year.
func TestASyntheticRateDoesNotLeadAYearLater(t *testing.T) {
	t.Parallel()
	conn := newRig(t, demotest.Schema(t), query.Config{HTTP: unlimited.HTTP}).conn
	want := map[int]string{}
	for id, c := range map[int]struct{ synthetic, computed, kind string }{
		301: {"2025-06-30", "2026-05-31", "synthetic"},
		302: {"2025-06-30", "2026-06-30", "computed"},
		303: {"2024-02-29", "2025-01-31", "synthetic"},
		304: {"2024-02-29", "2025-02-28", "computed"},
		305: {"2023-02-28", "2024-01-31", "synthetic"},
		306: {"2023-02-28", "2024-02-29", "computed"},
	} {
		insert(t, conn, "registry", row{"kind": "series", "id": id, "key": fmt.Sprintf("series:%d-K:S", id), "run": id, "serie": "S", "batch": 1})
		insert(t, conn, "tac_month",
			row{"batch": 1, "series_id": id, "month": c.synthetic, "kind": "synthetic", "source": "stated", "tac": 0.02},
			row{"batch": 1, "series_id": id, "month": c.computed, "kind": "real", "source": "computed", "tac": 0.01, "cost_days": 20})
		want[id] = c.kind
	}
	got := map[int]string{}
	rows, err := conn.Query(t.Context(), "SELECT run, tac_kind FROM batch_tac(batch = 1)")
	must(t, err)
	for rows.Next() {
		var run uint32
		var kind string
		must(t, rows.Scan(&run, &kind))
		got[int(run)] = kind
	}
	must(t, rows.Err())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("kinds by fund (-want +got):\n%s", diff)
	}
}
