package query_test

import (
	"fmt"
	"net/http"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
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
		return row{"batch": 1, "fund_id": id, "run": fmt.Sprintf("9%d-1", id), "manager_id": managerBeta,
			"manager": "BETA AGF", "vehicle": "mutual_fund", "name": name, "current": true}
	}
	series := func(id, fund int, more row) row {
		out := row{"batch": 1, "series_id": id, "fund_id": fund, "run": fmt.Sprintf("9%d-1", fund), "serie": "S",
			"first_date": "2026-01-01", "last_date": "2026-07-31", "current": true}
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
		out := row{"batch": 1, "series_id": id, "month": month, "kind": "real", "source": "computed", "tac": tac,
			"cost_days": 28}
		for column, value := range more {
			out[column] = value
		}
		return out
	}
	synthetic, retail := row{"kind": "synthetic", "source": "stated"},
		row{"kind": "synthetic", "source": "stated", "investor_class": "Retail"}
	insert(t, r.conn, "tac_month",
		rate(seriesOpen, "2026-06-30", 0.0132, nil), rate(seriesOpen, "2026-03-31", 0.012, nil),
		rate(seriesOpen, "2026-04-30", nil, nil), rate(seriesOpen, "2026-05-31", 0.0119, nil),
		// of a month that also has a computed rate
		rate(seriesOpen, "2026-05-31", 0.0125, row{"source": "stated"}),
		// a rate of the other kind
		rate(seriesOpen, "2026-06-30", 0.0171, synthetic), rate(seriesOpen, "2026-01-31", 0.0171, synthetic),
		// of another batch
		rate(seriesOpen, "2026-06-30", 0.5, row{"batch": 2}), rate(seriesOpen, "2026-07-31", 0.5, row{"batch": 2}),
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
		return row{"batch": batch, "series_id": seriesOpen, "month": month, "volatility_monthly_12m": 0.0124,
			"volatility_monthly_36m":    0,
			"volatility_annualized_12m": 0.043, "max_drawdown_36m": -0.21, "risk_level": "high", "risk_score": score,
			"method_version":         "risk_v1",
			"downside_deviation_36m": 0.03, "var_95_1m": -0.02, "beta_36m": 1.25,
			"risk_score_series": score + 1, "risk_score_of_series": score + 2, "risk_score_share": 0.91}
	}
	insert(t, r.conn, "risk_month", snapshot(1, "2026-05-31", 11), snapshot(1, "2026-06-30", 74),
		snapshot(2, "2026-07-31", 99))
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
	longtest.InTurns(t)
	t.Parallel()
	r := costlyMarket(t)

	t.Run("is the current rate, which one and of when, with the investor class that came with it", func(t *testing.T) {
		for id, want := range map[string]map[string]any{
			"0201": {"expense_ratio": 0.0132, "investor_class": "APV", "tac_kind": "computed",
				"tac_as_of_date": "2026-06-30"},
			"202": {"expense_ratio": nil, "investor_class": "APV", "tac_kind": nil, "tac_as_of_date": nil},
			// first quoted after the cutoff
			"203": {"expense_ratio": nil, "investor_class": nil, "tac_kind": nil, "tac_as_of_date": nil},
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
			months = append(months, month{item.ID, item.Attributes["date"].(string), item.Attributes["expense_ratio"],
				item.Attributes["tac_kind"].(string)})
		}
		return months
	}
	all := []month{
		{"201_20260331", "20260331", 0.012, "computed"}, {"201_20260430", "20260430", nil, "computed"},
		{"201_20260531", "20260531", 0.0125, "stated"}, {"201_20260630", "20260630", 0.0132, "computed"},
	}

	t.Run("history ascends, is real or synthetic throughout, and says null where the costs come to no rate",
		func(t *testing.T) {
			if diff := cmp.Diff(all, history(t, "0201/expense_ratio/history"),
				cmp.AllowUnexported(month{})); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]month{{"202_20200131", "20200131", 0.0, "synthetic"}},
				history(t, "202/expense_ratio/history"), cmp.AllowUnexported(month{})); diff != "" {
				t.Error(diff)
			}
		})
	t.Run("history is of the kind that is asked for, whatever else is known of a month", func(t *testing.T) {
		computed := month{"201_20260531", "20260531", 0.0119, "computed"}
		for asked, want := range map[string][]month{
			"kind=computed":                    {all[0], all[1], computed, all[3]},
			"kind=computed&from_date=20260501": {computed, all[3]},
			"kind=stated":                      {all[2]},
			"kind=synthetic": {{"201_20260131", "20260131", 0.0171, "synthetic"},
				{"201_20260630", "20260630", 0.0171, "synthetic"}},
			"kind=synthetic&from_date=20260701": nil,
		} {
			if diff := cmp.Diff(want, history(t, "201/expense_ratio/history?"+asked),
				cmp.AllowUnexported(month{})); diff != "" {
				t.Errorf("%s: %s", asked, diff)
			}
		}
		for _, asked := range []string{"", "real", "Computed"} {
			if got := r.get(t, "/api/real_assets/201/expense_ratio/history?kind="+asked).violations(t); !cmp.Equal(got,
				[]string{"query.kind:literal_error"}) {
				t.Errorf("%s: %v", asked, got)
			}
		}
	})
	t.Run("from_date is inclusive, and may lie before or after all there is", func(t *testing.T) {
		for from, want := range map[string][]month{"00010101": all, "20260331": all, "20260401": all[1:],
			"20260630": all[3:], "20260701": nil, "99991231": nil} {
			if diff := cmp.Diff(want, history(t, "201/expense_ratio/history?from_date="+from),
				cmp.AllowUnexported(month{})); diff != "" {
				t.Errorf("%s: %s", from, diff)
			}
		}
	})
	t.Run("a series without rates has an empty history", func(t *testing.T) {
		if got := decode[items](t, r.get(t, "/api/real_assets/203/expense_ratio/history")); got.Data == nil ||
			len(got.Data) > 0 {
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
		"0201": {"run": "8011-K", "serie": "A", "as_of_date": "2026-06-30", "volatility_monthly_12m": 0.0124,
			"volatility_monthly_36m":    0.0,
			"volatility_annualized_12m": 0.043, "volatility_annualized_36m": nil, "max_drawdown_36m": -0.21,
			"risk_level": "high", "risk_score": 74.0, "method_version": "risk_v1",
			"downside_deviation_36m": 0.03, "var_95_1m": -0.02, "beta_36m": 1.25, "tracking_error_36m": nil,
			"risk_score_coverage": map[string]any{"series": 75.0, "of_series": 76.0, "equity_share": 0.91}},
		"203": {"run": "8011-K", "serie": "Z", "as_of_date": nil, "volatility_monthly_12m": nil,
			"volatility_monthly_36m":    nil,
			"volatility_annualized_12m": nil, "volatility_annualized_36m": nil, "max_drawdown_36m": nil,
			"risk_level": nil, "risk_score": nil, "method_version": nil,
			"downside_deviation_36m": nil, "var_95_1m": nil, "beta_36m": nil, "tracking_error_36m": nil,
			"risk_score_coverage": nil},
	} {
		got := decode[single](t, r.get(t, "/api/real_assets/"+id+"/risk_metrics")).Data
		if diff := cmp.Diff(want, got.Attributes); diff != "" || got.ID != id[len(id)-3:] {
			t.Errorf("%s is %s: %s", id, got.ID, diff)
		}
	}
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
		insert(t, conn, "registry", row{"kind": "series", "id": id, "key": fmt.Sprintf("series:%d-K:S", id), "run": id,
			"serie": "S", "batch": 1})
		insert(t, conn, "tac_month",
			row{"batch": 1, "series_id": id, "month": c.synthetic, "kind": "synthetic", "source": "stated",
				"tac": 0.02},
			row{"batch": 1, "series_id": id, "month": c.computed, "kind": "real", "source": "computed", "tac": 0.01,
				"cost_days": 20})
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
