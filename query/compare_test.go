package query_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type comparison struct {
	items
	Meta struct {
		BatchID       string            `json:"batch_id"`
		TACKinds      map[string]string `json:"tac_kinds"`
		Comparability map[string]verdict
		Spheres       verdict `json:"cmf_spheres_comparability"`
	}
}

type verdict struct {
	Comparable bool
	Reasons    []string
}

func TestCompare(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)

	t.Run("keeps the order asked, and reads ids whatever zeros they begin with", func(t *testing.T) {
		got := decode[comparison](t, r.get(t, "/api/compare?series=0205,201,000204"))
		if want := []string{"205", "201", "204"}; !cmp.Equal(got.ids(), want) {
			t.Errorf("%v, want %v", got.ids(), want)
		}
	})

	t.Run("judges each window and the spheres, with every reason", func(t *testing.T) {
		fine := verdict{true, []string{}}
		for series, want := range map[string]struct{ month, year, spheres verdict }{
			"201": {fine, verdict{false, []string{"unavailable_return"}}, fine},
			"205": {fine, verdict{false, []string{"unavailable_return"}},
				verdict{false, []string{"unavailable_indicator"}}},
			"201,205": {fine, verdict{false, []string{"unavailable_return"}},
				verdict{false, []string{"unavailable_indicator"}}},
			"201,204": {verdict{false, []string{"currency_mismatch", "effective_dates_mismatch"}},
				verdict{false, []string{"unavailable_return"}}, verdict{false, []string{"comparison_group_mismatch"}}},
			"204,206,201": {verdict{false, []string{"unavailable_return", "currency_mismatch",
				"effective_dates_mismatch"}}, verdict{false, []string{"unavailable_return"}},
				verdict{false, []string{"unavailable_indicator", "comparison_group_mismatch"}}},
		} {
			meta := decode[comparison](t, r.get(t, "/api/compare?series="+series)).Meta
			for name, pair := range map[string][2]verdict{
				"1m": {want.month, meta.Comparability["1m"]}, "1y": {want.year, meta.Comparability["1y"]},
				"spheres": {want.spheres, meta.Spheres},
			} {
				if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
					t.Errorf("%s %s: %s", series, name, diff)
				}
			}
		}
	})

	t.Run("ids outside the series alive at the cutoff are not found, all of them named", func(t *testing.T) {
		got := r.get(t, "/api/compare?series=201,77,202,203")
		wantCode(t, got, http.StatusNotFound, "not_found")
		if want := `"Not among the series that can be compared, those alive at the cutoff: 77, 202, 203."`; string(
			got.failure(t).Detail) != want {
			t.Errorf("%s", got.failure(t).Detail)
		}
	})

	t.Run("risk is that of the newest snapshot, with its own date, and null without any", func(t *testing.T) {
		names := []string{"volatility_monthly_12m", "volatility_monthly_36m", "volatility_annualized_12m",
			"volatility_annualized_36m",
			"max_drawdown_36m", "risk_level", "risk_score", "risk_as_of_date", "risk_method_version"}
		for id, want := range map[string][]any{
			"201": {0.0124, 0.0, 0.043, 0.0, -0.21, "low", 0.0, "2026-06-30", "risk_v1"},
			"205": {nil, nil, nil, nil, nil, nil, nil, nil, nil},
		} {
			attributes := decode[comparison](t, r.get(t, "/api/compare?series="+id)).Data[0].Attributes
			for i, name := range names {
				if attributes[name] != want[i] {
					t.Errorf("%s %s: %v, want %v", id, name, attributes[name], want[i])
				}
			}
		}
	})

	t.Run("meta says which quantity each cost rate is", func(t *testing.T) {
		for ids, want := range map[string]map[string]string{"201,205,206": {"201": "computed", "205": "synthetic"},
			"205": {"205": "synthetic"}, "206": {}} {
			got := decode[comparison](t, r.get(t, "/api/compare?series="+ids))
			if diff := cmp.Diff(want, got.Meta.TACKinds); diff != "" {
				t.Errorf("%s: %s", ids, diff)
			}
		}
	})

	t.Run("amounts are exact, and a number that is 0 stays 0", func(t *testing.T) {
		for id, want := range map[string]map[string]any{
			"201": {"price": 121.000001, "patrimony": 1234567.8901234567, "shareholders": 0.0, "tac": 0.0132,
				"investorClass": nil, "classificationInvestorClass": "Retail"},
			"205": {"tac": 0.0, "patrimony": nil, "investorClass": "APV", "classificationInvestorClass": nil,
				"fundFamily": nil, "classificationDate": nil},
			"206": {"currency": nil, "price": nil, "price_as_of_date": "2026-07-31"},
		} {
			attributes := decode[comparison](t, r.get(t, "/api/compare?series="+id)).Data[0].Attributes
			for name, value := range want {
				if attributes[name] != value {
					t.Errorf("%s %s: %v, want %v", id, name, attributes[name], value)
				}
			}
		}
	})
}
