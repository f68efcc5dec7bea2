package cookbook_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func costsByCategory(t *testing.T, answers map[string]table, raw rawDemo) {
	keys, groups := grouped(raw.series, func(s rawSeries) string {
		if s.class == "" || math.IsNaN(s.tac) || s.clp <= 0 {
			return ""
		}
		return s.category + "\t" + s.class
	})
	var want [][]any
	for _, key := range keys {
		rates := of(groups[key], tacOf)
		if len(rates) < 5 {
			continue
		}
		category, class, _ := strings.Cut(key, "\t")
		weighted := sum(of(groups[key], func(s rawSeries) float64 {
			return s.tac * s.clp
		})) / sum(of(groups[key], clpOf))
		want = append(want, []any{category, class, len(rates), 100 * inclusive(rates, .25), 100 * inclusive(rates, .5),
			100 * inclusive(rates, .75), 100 * weighted})
	}
	expected(t, answers, "21_cost_by_category",
		[]string{"category", "investor_class", "series", "lower_quartile_percent", "median_percent",
			"upper_quartile_percent", "weighted_percent"}, want)
}

func spheres(t *testing.T, answers map[string]table, raw rawDemo) {
	rated := kept(raw.series, func(s rawSeries) bool { return s.spheres > 0 && !math.IsNaN(s.nominal3) })
	group := func(s rawSeries) string { return s.family + "\t" + s.class }
	_, groups := grouped(rated, group)
	var want [][]any
	for rating := 1; rating <= 5; rating++ {
		var gains, rates []float64
		for _, s := range rated {
			if s.spheres == rating {
				gains = append(gains, s.nominal3-mean(of(groups[group(s)], func(s rawSeries) float64 {
					return s.nominal3
				})))
				if hasTAC(s) {
					rates = append(rates, s.tac-mean(of(kept(groups[group(s)], hasTAC), tacOf)))
				}
			}
		}
		want = append(want, []any{rating, len(gains), 100 * mean(gains), len(rates), 100 * mean(rates)})
	}
	expected(t, answers, "22_spheres_return_and_cost",
		[]string{"spheres", "series", "return_above_group_percent", "series_with_cost", "tac_above_group_points"}, want)
}

func averageInvestment(t *testing.T, answers map[string]table, raw rawDemo) {
	keys, groups := grouped(raw.series, func(s rawSeries) string {
		if s.class == "" || s.holders == 0 || s.clp <= 0 {
			return ""
		}
		return s.category + "\t" + s.class
	})
	var want [][]any
	for _, key := range keys {
		category, class, _ := strings.Cut(key, "\t")
		holders := sum(of(groups[key], holdersOf))
		want = append(want, []any{category, class, len(groups[key]), int(math.Round(holders)),
			sum(of(groups[key], clpOf)) / holders / 1e6})
	}
	slices.SortFunc(want, func(a, b []any) int { return -cmp.Compare(a[4].(float64), b[4].(float64)) })
	expected(t, answers, "30_average_investment",
		[]string{"category", "investor_class", "series", "investors", "million_pesos_each"}, want)
}

func sizeAndCost(t *testing.T, answers map[string]table, raw rawDemo) {
	var want [][]any
	for _, category := range []string{"balanced", "equity", "fixed_income", "money_market"} {
		list := kept(raw.series, func(s rawSeries) bool {
			return s.category == category && s.class == "Retail" && !math.IsNaN(s.tac) && s.clp > 0
		})
		slices.SortFunc(list, func(a, b rawSeries) int { return cmp.Compare(a.clp, b.clp) })
		for quarter := range 4 {
			part := list[quarter*len(list)/4 : (quarter+1)*len(list)/4]
			want = append(want, []any{category, quarter + 1, len(part), middle(of(part, clpOf)) / 1e6,
				100 * inclusive(of(part, tacOf), .5)})
		}
	}
	expected(t, answers, "31_size_and_cost",
		[]string{"category", "quarter", "series", "million_pesos", "median_tac_percent"}, want)
}

func hasTAC(s rawSeries) bool { return !math.IsNaN(s.tac) }

// fundCategory returns the category of a fund: that of its classified series with most equity. The
// association's sheet classifies a series that no comparator names.
func fundCategory(series []rawSeries) (category string) {
	most := -1.
	for _, s := range series {
		if word := cmp.Or(s.category, s.listed); word != "" && s.clp > most {
			category, most = word, s.clp
		}
	}
	return category
}

func pensionSaving(t *testing.T, answers map[string]table, raw rawDemo) {
	_, funds := grouped(raw.series, func(s rawSeries) string {
		return s.run
	})
	type both struct{ retail, apv, saved []float64 }
	byCategory := map[string]*both{}
	for _, series := range funds {
		least := map[string]float64{}
		for _, s := range kept(series, func(s rawSeries) bool { return hasTAC(s) && s.equity > 0 }) {
			if rate, found := least[s.class]; !found || s.tac < rate {
				least[s.class] = s.tac
			}
		}
		retail, sold := least["Retail"]
		apv, saved := least["APV"]
		if !sold || !saved {
			continue
		}
		category := fundCategory(series)
		b := byCategory[category]
		if b == nil {
			b = &both{}
			byCategory[category] = b
		}
		b.retail, b.apv, b.saved = append(b.retail, retail), append(b.apv, apv), append(b.saved, retail-apv)
	}
	var want [][]any
	for category, b := range byCategory {
		dearer := 0
		for _, saved := range b.saved {
			if saved <= 0 {
				dearer++
			}
		}
		if len(b.saved) >= 5 && category != "" {
			want = append(want, []any{category, len(b.saved), 100 * inclusive(b.retail, .5), 100 * inclusive(b.apv, .5),
				100 * inclusive(b.saved, .5), dearer})
		}
	}
	slices.SortFunc(want, func(a, b []any) int { return -cmp.Compare(a[4].(float64), b[4].(float64)) })
	expected(t, answers, "32_pension_saving_against_retail",
		[]string{"category", "funds", "retail_percent", "apv_percent", "difference_points", "not_cheaper"}, want)
}

func savingsPlan(t *testing.T, answers map[string]table, raw rawDemo) {
	var want [][]any
	for key, days := range raw.quotes {
		run, serie, _ := strings.Cut(key, " ")
		if run != "9809-4" && run != "9810-8" {
			continue
		}
		byDay := map[string]float64{}
		for _, q := range days {
			byDay[q.date] = q.quota
		}
		quotas, paidUF, payments := 0., 0., 0
		for month := range 60 {
			end := time.Date(2020, time.August, 0, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 1).AddDate(0, month, -1)
			if price := byDay[end.Format("20060102")]; price > 0 {
				quotas += 100_000 / price
				paidUF += 100_000 / raw.uf[end.Format(time.DateOnly)]
				payments++
			}
		}
		if value := quotas * byDay["20250630"]; payments == 60 && value > 0 {
			want = append(want, []any{run, serie, value / 1e6, 100 * (value/6e6 - 1),
				100 * (value/raw.uf["2025-06-30"]/paidUF - 1)})
		}
	}
	slices.SortFunc(want, func(a, b []any) int { return -cmp.Compare(a[3].(float64), b[3].(float64)) })
	expected(t, answers, "38_monthly_savings_plan",
		[]string{"run", "serie", "value_million_pesos", "gain_percent", "real_gain_percent"}, want)
}
