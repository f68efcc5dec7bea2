package query_test

import (
	"strings"
	"testing"

	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

func TestCostAndRiskAtAPastDateAreThoseThatWereKnownThen(t *testing.T) {
	t.Parallel()
	r := costlyMarket(t)
	for target, want := range map[string]map[string]any{
		// The synthetic rate of January leads: its month is less than a year before the others.
		"201/expense_ratio?as_of_date=2026-05-31": {"expense_ratio": 0.0171, "investor_class": "Retail",
			"tac_kind": "synthetic", "tac_as_of_date": "2026-01-31"},
		"201/expense_ratio?as_of_date=2025-12-31": {"expense_ratio": nil, "investor_class": nil, "tac_kind": nil,
			"tac_as_of_date": nil},
		"201/expense_ratio?as_of_date=2026-08-20": {"expense_ratio": 0.0171, "investor_class": "Retail",
			"tac_kind": "synthetic", "tac_as_of_date": "2026-06-30"},
		"202/expense_ratio?as_of_date=2020-01-30": {"expense_ratio": nil, "investor_class": nil, "tac_kind": nil,
			"tac_as_of_date": nil},
		"202/expense_ratio?as_of_date=2020-01-31": {"expense_ratio": 0.0, "investor_class": nil,
			"tac_kind": "synthetic", "tac_as_of_date": "2020-01-31"},
	} {
		got := decode[single](t, r.get(t, "/api/real_assets/"+target)).Data
		if diff := cmp.Diff(want, got.Attributes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	for date, want := range map[string][2]any{
		"2026-05-30": {nil, nil}, "2026-06-29": {"2026-05-31", 11.0}, "2026-06-30": {"2026-06-30", 74.0},
		"2026-08-20": {"2026-06-30", 74.0},
	} {
		got := decode[single](t, r.get(t, "/api/real_assets/201/risk_metrics?as_of_date="+date)).Data.Attributes
		if found := [2]any{got["as_of_date"], got["risk_score"]}; found != want || got["run"] != "8011-K" {
			t.Errorf("%s: %v, want %v", date, found, want)
		}
	}
	wantViolations(t, r, []violationCase{
		{"/api/real_assets/201/risk_metrics?as_of_date=2026-08-21", []string{"query.as_of_date:date_future"}},
		{"/api/real_assets/201/expense_ratio?as_of_date=1975-12-31", []string{"query.as_of_date:date_too_early"}},
		{"/api/real_assets/201/expense_ratio?as_of_date=", []string{"query.as_of_date:date_parsing"}},
	})
}

// A date that an operation does not take must not be ignored: the reply would be about another one.
func TestNoOperationIgnoresADate(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	dates := map[string]bool{}
	for _, op := range query.Operations() {
		for _, p := range op.Parameters {
			if p.Dated {
				dates[p.Name] = true
			}
		}
	}
	for _, name := range []string{"as_of_date", "date", "from_date", "to_date", "month", "from_month", "to_month",
		"known_at"} {
		if !dates[name] {
			t.Errorf("no operation takes %s: %v", name, dates)
		}
	}
	checked := 0
	for _, op := range query.Operations() {
		taken := map[string]bool{}
		target := op.Path
		for _, p := range op.Parameters {
			taken[p.Name] = true
			target = strings.Replace(target, "{"+p.Name+"}", "1", 1)
		}
		if op.Method != "GET" || !strings.HasPrefix(op.Path, "/api/") {
			continue
		}
		for name := range dates {
			if taken[name] {
				continue
			}
			got := r.get(t, target+"?"+name+"=2026-07-31")
			if got.status == 404 { // of a path without parameters of this form
				continue
			}
			found := got.violations(t)
			if !cmp.Equal(found[len(found)-1], "query."+name+":unknown_date") ||
				got.header.Get("X-Ignored-Parameters") != "" {
				t.Errorf("%s?%s: %v", target, name, found)
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d dates were refused", checked)
	}
}
