package cookbook_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// held is a series that somebody held in each of the 36 months to June 2025.
type held struct {
	id           string
	of           *rawHistory
	yearly, rate float64
}

// byID orders series as the id does, which is a number.
func byID(t *testing.T, a, b held) int {
	t.Helper()
	return cmp.Compare(number(t, a.id), number(t, b.id))
}

// families returns the series of each family and currency that are alive and were held for three
// years, if there are at least four that keep keeps.
func families(raw rawDays, keep func(*held) bool) map[string][]held {
	groups := map[string][]held{}
	for id, h := range raw.series {
		if yearly, known := raw.threeYears(h); known && h.alive && h.family != "" {
			if s := (held{id: id, of: h, yearly: yearly}); keep(&s) {
				groups[h.family+"\t"+h.currency] = append(groups[h.family+"\t"+h.currency], s)
			}
		}
	}
	maps.DeleteFunc(groups, func(_ string, list []held) bool { return len(list) < 4 })
	return groups
}

func yearlyOf(list []held) []float64 {
	values := make([]float64, len(list))
	for i, s := range list {
		values[i] = s.yearly
	}
	return values
}

func costAgainstReturn(t *testing.T, answers map[string]table, raw rawDays, files string) {
	rates := map[string]float64{}
	for _, f := range lines(t, filepath.Join(files, "comparator", "cmf_tac_sintetico_20250630.csv"), ',') {
		rates[rol(t, f[0])+" "+f[1]] = number(t, f[9]) / 100
	}
	groups := families(raw, func(s *held) bool {
		rate, stated := rates[s.of.run+" "+s.of.serie]
		s.rate = rate
		return stated
	})
	var costs, above [4][]float64
	for _, list := range groups {
		slices.SortFunc(list, func(a, b held) int { return cmp.Or(cmp.Compare(a.rate, b.rate), byID(t, a, b)) })
		for quarter := range 4 { // the spare series are in the last ones
			for _, s := range list[quarter*len(list)/4 : (quarter+1)*len(list)/4] {
				costs[quarter] = append(costs[quarter], s.rate)
				above[quarter] = append(above[quarter], s.yearly-mean(yearlyOf(list)))
			}
		}
	}
	var want [][]any
	for quarter := range 4 {
		want = append(want, []any{quarter + 1, len(costs[quarter]), 100 * mean(costs[quarter]),
			100 * mean(above[quarter])})
	}
	expected(t, answers, "08_cost_against_return",
		[]string{"quarter", "series", "tac_percent", "return_above_family_percent"}, want)
}

func dispersion(t *testing.T, answers map[string]table, raw rawDays) {
	var want [][]any
	for _, list := range families(raw, func(*held) bool { return true }) {
		funds := map[string]bool{}
		for _, s := range list {
			funds[s.of.run] = true
		}
		yearly := yearlyOf(list)
		worst, best := slices.Min(yearly), slices.Max(yearly)
		want = append(want, []any{list[0].of.family, list[0].of.currency, len(list), len(funds), 100 * worst,
			100 * middle(yearly), 100 * best, 100 * (best - worst)})
	}
	slices.SortFunc(want, func(a, b []any) int { return -cmp.Compare(a[7].(float64), b[7].(float64)) })
	expected(t, answers, "24_dispersion_within_a_family",
		[]string{"family", "currency", "series", "funds", "worst_percent", "median_percent", "best_percent",
			"distance_points"}, want)
}

// seriesOfOneFund reads the sheets of the regulator, which name a fund and a series as they were
// called in the month.
func seriesOfOneFund(t *testing.T, people database, answers map[string]table, raw rawDays, files string) {
	ids := map[string]string{} // by fund and name
	for _, row := range people.ask(t, "SELECT series_id, serie FROM funds.series_names").rows {
		if h := raw.series[row[0]]; h != nil {
			ids[h.fund+"\t"+row[1]] = row[0]
		}
	}
	for id, h := range raw.series {
		ids[h.fund+"\t"+h.serie] = id
	}
	rates := map[string][]float64{}
	for year := 2022; year <= 2025; year++ {
		for month := 1; month <= 12; month++ {
			if year == 2022 && month <= 6 || year == 2025 && month > 6 {
				continue
			}
			path := filepath.Join(files, "tac", fmt.Sprintf("tac_mensual_sintetico_%d%02d.csv", year, month))
			for _, f := range lines(t, path, ';') {
				id := ids[f[2]+"\t"+f[5]]
				rates[id] = append(rates[id], number(t, f[13])/100)
			}
		}
	}
	funds := map[string][]held{}
	for id, h := range raw.series {
		if yearly, known := raw.threeYears(h); known && len(rates[id]) == 36 {
			funds[h.run] = append(funds[h.run], held{id, h, yearly, mean(rates[id])})
		}
	}
	var want [][]any
	for _, list := range funds {
		if len(list) < 2 {
			continue
		}
		slices.SortFunc(list, func(a, b held) int { return cmp.Or(cmp.Compare(a.rate, b.rate), byID(t, a, b)) })
		cheap, dear := list[0], list[len(list)-1]
		want = append(want, []any{cheap.of.fund, len(list), 100 * cheap.rate, 100 * dear.rate,
			100 * (dear.rate - cheap.rate), 100 * (cheap.yearly - dear.yearly)})
	}
	slices.SortFunc(want, func(a, b []any) int { return -cmp.Compare(a[4].(float64), b[4].(float64)) })
	expected(t, answers, "40_series_of_one_fund",
		[]string{"fund", "series", "lowest_cost_percent", "highest_cost_percent", "difference_of_costs",
			"difference_of_returns"}, want)
}
