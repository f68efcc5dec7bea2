package query_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type allFunds struct {
	Data []map[string]any
	Meta struct {
		Date     string
		Complete bool
		Vehicle  string
		TACKinds map[string]string `json:"tac_kinds"`
	}
}

func (a allFunds) ids() []string {
	ids := []string{}
	for _, row := range a.Data {
		ids = append(ids, row["serieId"].(string))
	}
	return ids
}

func TestAllFunds(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	ask := func(t *testing.T, query string) allFunds {
		t.Helper()
		return decode[allFunds](t, r.get(t, "/api/all-funds?"+query))
	}

	t.Run("rows come by fund, those of the vehicle and filters asked for", func(t *testing.T) {
		for query, want := range map[string][]string{
			"": {"201"}, "vehicle=mutual_fund": {"201"}, "vehicle=etf": {"204"},
			// the other one is not redeemable, so it is left out
			"vehicle=investment_fund":                            {"206"},
			"vehicle=all":                                        {"201", "206", "204"},
			"vehicle=all&category=OTHER":                         {"206"},
			"vehicle=all&fund_family=nueva":                      {"206"},
			"vehicle=all&fund_family=nuev":                       {},
			"vehicle=all&article107_regulation_status=unknown":   {"206", "204"},
			"article107_regulation_status=declares_not_eligible": {"201"},
			"article107_regulation_status=declares_eligible":     {},
			"category=no+such":                                   {},
		} {
			if got := ask(t, query); !cmp.Equal(got.ids(), want) {
				t.Errorf("%s: %v, want %v", query, got.ids(), want)
			}
		}
	})
	t.Run("a row is exact, and null where nothing is known", func(t *testing.T) {
		got := ask(t, "").Data[0]
		want := map[string]any{
			"agf": "ALFA AGF", "fundName": "RENTA 1", "fundId": "101", "run": "8011-K", "vehicle": "mutual_fund",
			"category": nil, "fundFamily": nil, "fundFamilyDisplay": nil,
			"classified_later": false, "serie": "A", "serieId": "201", "seriesContinuity": nil, "currency": "PESOS",
			"tac": 0.0132, "tac_as_of_date": "2026-06-30", "investorClass": "APV",
			"price": 121.000001, "price_as_of_date": "2026-07-31", "dailyChange": -1.5, "monthlyChange": 10.000001,
			"patrimony": 1234567.8901234567, "previousPatrimony": 0.0, "monthlyPatrimony": 1.0, "shareholders": 0.0,
			"volatility_monthly_12m": nil, "volatility_monthly_36m": nil, "volatility_annualized_12m": nil,
			"volatility_annualized_36m": nil, "max_drawdown_36m": nil,
			"risk_level": nil, "risk_score": nil, "risk_as_of_date": nil, "risk_method_version": nil,
			"article107RegulationStatus": "declares_not_eligible",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if euro := ask(t, "vehicle=investment_fund").Data[0]; euro["currency"] != nil {
			t.Errorf("%v", euro["currency"])
		}
	})
	t.Run("a date has the newest rows of the week up to it, void ones too", func(t *testing.T) {
		for date, want := range map[string]any{"2026-07-31": 121.000001, "2026-08-05": 121.000001,
			"9999-12-31": 121.000001, "2026-07-30": nil, "2026-07-07": 110.0, "2026-06-30": 110.0} {
			got := ask(t, "date="+date)
			if len(got.Data) != 1 || got.Data[0]["price"] != want || got.Meta.Date > "2026-07-31" {
				t.Errorf("%s: %v", date, got)
			}
		}
		for _, date := range []string{"2026-06-29", "0001-01-01"} {
			if got := ask(t, "date="+date); len(got.Data) > 0 || got.Data == nil {
				t.Errorf("%s: %v", date, got)
			}
		}
	})
	t.Run("a date with data answers for itself, complete or not, and the latest complete day for any other",
		func(t *testing.T) {
			if got := ask(t, ""); got.Meta.Date != "2026-07-31" || !got.Meta.Complete {
				t.Errorf("%+v", got.Meta)
			}
			for asked, want := range answeringDays {
				got := ask(t, "date="+asked)
				if want.Date == nil {
					want.Date = &asked // the reply has no rows
				}
				if got.Meta.Date != *want.Date || got.Meta.Complete != want.Complete {
					t.Errorf("%s: %+v, want %s, %t", asked, got.Meta, *want.Date, want.Complete)
				}
			}
		})
	t.Run("with a date, nothing younger counts, and what stands in is told", func(t *testing.T) {
		r = littleMarket(t) // a batch never changes, so that what was asked before is kept
		insert(t, r.conn, "registry", row{"kind": "series", "id": seriesDolar, "key": "series:8012:A", "run": 8012,
			"serie": "A", "batch": 1})
		rate := func(month string, tac float64, class string) row {
			return row{"batch": 1, "series_id": seriesDolar, "month": month, "kind": "real", "source": "stated",
				"tac": tac, "investor_class": class}
		}
		insert(t, r.conn, "tac_month", rate("2026-05-31", 0.015, "APV"), rate("2026-06-30", 0.02, "Retail"))
		for query, want := range map[string]map[string]string{
			"": {"201": "computed", "204": "stated"}, "date=2026-06-30": {"204": "stated"}, "date=2026-05-30": {},
			"category=other": {},
		} {
			if diff := cmp.Diff(want, ask(t, "vehicle=all&"+query).Meta.TACKinds); diff != "" {
				t.Errorf("kinds of %q: %s", query, diff)
			}
		}
		for query, want := range map[string][]any{
			"":                {0.02, "2026-06-30", "Retail", "2026-07-25"},
			"date=2026-06-30": {0.02, "2026-06-30", "Retail", "2026-06-28"},
			"date=2026-06-29": {0.015, "2026-05-31", "APV", "2026-06-28"},
		} {
			got := ask(t, "vehicle=etf&"+query).Data[0]
			if diff := cmp.Diff(want, []any{got["tac"], got["tac_as_of_date"], got["investorClass"],
				got["price_as_of_date"]}); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
		}
		got := ask(t, "date=2026-06-30&category=balanced").Data[0]
		if got["category"] != "balanced" || got["fundFamily"] != "Renta Ñandú" || got["classified_later"] != true {
			t.Errorf("%v", got)
		}
		if got := ask(t, "date=2026-07-31&fund_family=Accionario+Nacional"); len(got.Data) != 1 {
			t.Errorf("%v", got)
		}
	})
}

func TestABatchThatIsBeingDroppedIsNotAnEmptyMarket(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	must(t, r.conn.Exec(t.Context(), "DELETE FROM batch WHERE batch = 1"))
	must(t, r.conn.Exec(t.Context(), "ALTER TABLE manager DROP PARTITION 1"))
	for _, target := range []string{
		"/api/all-funds", "/api/all-funds?category=no+such", "/api/market-summary", "/api/families/x/index",
		"/api/agf_stats/ranking?date=2026-01-01",
		"/api/agf_stats/evolution?administrator=ALFA+AGF",
	} {
		got := r.get(t, target)
		wantCode(t, got, http.StatusServiceUnavailable, "data_unavailable")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("%s: %v", target, got.header)
		}
	}
}
