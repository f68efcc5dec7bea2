package cookbook_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
)

// expected compares an answer with rows that were computed in another way: names of columns
// with a value for each row. A number may differ by what rounding takes off.
func expected(t *testing.T, answers map[string]table, name string, columns []string, want [][]any) {
	t.Helper()
	answer := answers[name]
	if len(answer.rows) != len(want) {
		t.Errorf("%s has %d rows, want %d", name, len(answer.rows), len(want))
		return
	}
	for c, column := range columns {
		for i, got := range answer.column(t, column) {
			switch value := want[i][c].(type) {
			case string:
				if got != value {
					t.Errorf("%s: %s of row %d is %q, want %q", name, column, i+1, got, value)
				}
			case float64:
				_, decimals, _ := strings.Cut(got, ".")
				// A zero at the end is not written, so two more digits may have been rounded.
				if got == "" || math.Abs(number(t, got)-value) > .51*math.Pow10(-len(decimals))+1e-9 {
					t.Errorf("%s: %s of row %d is %s, want %v", name, column, i+1, got, value)
				}
			default:
				if got != fmt.Sprint(value) {
					t.Errorf("%s: %s of row %d is %s, want %v", name, column, i+1, got, value)
				}
			}
		}
	}
}

// demoAnswers computes answers of the demo market from its files.
func demoAnswers(t *testing.T, answers map[string]table) {
	raw := readDemo(t)
	managerRanking(t, answers, raw)
	cheapestMoneyMarket(t, answers, raw)
	rollingReturns(t, answers, raw)
	drawdowns(t, answers, raw)
	switchingCost(t, answers, raw)
	costsByCategory(t, answers, raw)
	spheres(t, answers, raw)
	averageInvestment(t, answers, raw)
	sizeAndCost(t, answers, raw)
	pensionSaving(t, answers, raw)
	savingsPlan(t, answers, raw)
}

// grouped returns the series of each key, with the keys in order.
func grouped(list []rawSeries, key func(rawSeries) string) (keys []string, groups map[string][]rawSeries) {
	groups = map[string][]rawSeries{}
	for _, s := range list {
		if k := key(s); k != "" {
			groups[k] = append(groups[k], s)
		}
	}
	return slices.Sorted(maps.Keys(groups)), groups
}

func of(list []rawSeries, value func(rawSeries) float64) []float64 {
	values := make([]float64, len(list))
	for i, s := range list {
		values[i] = value(s)
	}
	return values
}

func sum(values []float64) float64 { return mean(values) * float64(len(values)) }

func tacOf(s rawSeries) float64     { return s.tac }
func clpOf(s rawSeries) float64     { return s.clp }
func holdersOf(s rawSeries) float64 { return s.holders }

func kept(list []rawSeries, keep func(rawSeries) bool) []rawSeries {
	return slices.DeleteFunc(slices.Clone(list), func(s rawSeries) bool { return !keep(s) })
}

func managerRanking(t *testing.T, answers map[string]table, raw rawDemo) {
	_, managers := grouped(raw.series, func(s rawSeries) string { return s.manager })
	total := sum(of(raw.series, clpOf))
	list := slices.SortedFunc(maps.Values(managers), func(a, b []rawSeries) int {
		return -cmp.Compare(sum(of(a, clpOf)), sum(of(b, clpOf)))
	})
	var want [][]any
	for i, series := range list[:15] {
		funds := map[string]bool{}
		for _, s := range series {
			funds[s.run] = true
		}
		clp := sum(of(series, clpOf))
		want = append(want, []any{i + 1, clp / 1e9, 100 * clp / total, len(funds), len(series),
			int(math.Round(sum(of(series, holdersOf))))})
	}
	expected(t, answers, "01_ranking_of_managers",
		[]string{"place", "thousand_million_pesos", "share_percent", "funds", "series", "shareholders"}, want)
}

func cheapestMoneyMarket(t *testing.T, answers map[string]table, raw rawDemo) {
	list := kept(raw.series, func(s rawSeries) bool {
		return s.category == "money_market" && !s.dollars && s.class == "Retail" && !math.IsNaN(s.tac) && s.equity > 0
	})
	slices.SortStableFunc(list, func(a, b rawSeries) int { return cmp.Compare(a.tac, b.tac) })
	var want [][]any
	for _, s := range list[:15] {
		want = append(want, []any{s.run, s.serie, 100 * s.tac, 100 * s.real1, s.clp / 1e6})
	}
	expected(t, answers, "10_cheapest_money_market",
		[]string{"run", "serie", "tac_percent", "real_1y_percent", "million_pesos"}, want)
}

// rollingReturns relies on the two funds of the demo having a quota on every day of their life. A
// year across a restart has no return.
func rollingReturns(t *testing.T, answers map[string]table, raw rawDemo) {
	var want [][]any
	for _, key := range slices.Sorted(maps.Keys(raw.quotes)) {
		run, serie, _ := strings.Cut(key, " ")
		if run != "9809-4" {
			continue
		}
		byDay := map[string]float64{}
		restarted := "" // the newest day on which somebody invested after nobody had
		restarts := map[string]string{}
		for i, q := range raw.quotes[key] {
			byDay[q.date] = q.quota
			if i > 0 && q.equity > 0 && raw.quotes[key][i-1].equity == 0 {
				restarted = q.date
			}
			restarts[q.date] = restarted
		}
		type year struct {
			end  string
			gain float64
		}
		var years []year
		losing := 0.
		for _, q := range raw.quotes[key] {
			start := earlier(t, q.date, 1)
			if before := byDay[start]; before > 0 && restarts[q.date] <= start {
				years = append(years, year{q.date, q.quota/before - 1})
				if q.quota < before {
					losing++
				}
			}
		}
		if len(years) == 0 {
			continue
		}
		sort.SliceStable(years, func(i, j int) bool { return years[i].gain < years[j].gain })
		gains := make([]float64, len(years))
		for i, y := range years {
			gains[i] = y.gain
		}
		n := len(years)
		want = append(want, []any{serie, n, 100 * years[0].gain, 100 * middle(gains), 100 * years[n-1].gain,
			100 * losing / float64(n), dashed(t, years[0].end), dashed(t, years[n-1].end)})
	}
	expected(t, answers, "11_rolling_returns",
		[]string{"serie", "years", "lowest_percent", "median_percent", "highest_percent", "losing_percent", "worst_end",
			"best_end"}, want)
}

func dashed(t *testing.T, date string) string {
	t.Helper()
	day, err := time.Parse("20060102", date)
	if err != nil {
		t.Fatal(err)
	}
	return day.Format(time.DateOnly)
}

func drawdowns(t *testing.T, answers map[string]table, raw rawDemo) {
	type fall struct {
		key                   string
		depth                 float64
		peak, trough, regains string
	}
	var falls []fall
	for key, days := range raw.quotes {
		if run, _, _ := strings.Cut(key, " "); run != "9809-4" && run != "9810-8" {
			continue
		}
		f := fall{key: key}
		lost := 0.
		peak := rawQuote{}
		for _, q := range days {
			if q.quota > peak.quota {
				peak = q
			}
			if depth := q.quota/peak.quota - 1; depth < f.depth {
				f.depth, f.peak, f.trough, f.regains, lost = depth, peak.date, q.date, "", peak.quota
			}
			if f.trough != "" && f.regains == "" && q.quota >= lost {
				f.regains = q.date
			}
		}
		if f.depth < -.001 {
			falls = append(falls, f)
		}
	}
	slices.SortFunc(falls, func(a, b fall) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.key, b.key))
	})
	var want [][]any
	for _, f := range falls {
		run, serie, _ := strings.Cut(f.key, " ")
		regains := ""
		if f.regains != "" {
			regains = dashed(t, f.regains)
		}
		want = append(want, []any{run, serie, 100 * f.depth, dashed(t, f.peak), dashed(t, f.trough), regains})
	}
	expected(t, answers, "12_drawdown_and_recovery",
		[]string{"run", "serie", "fall_percent", "peak_day", "trough_day", "recovery_day"}, want)
}

func switchingCost(t *testing.T, answers map[string]table, raw rawDemo) {
	keys, families := grouped(raw.series, func(s rawSeries) string {
		if s.class != "Retail" || s.dollars || math.IsNaN(s.tac) || s.clp < 1e8 {
			return ""
		}
		return s.family
	})
	var want [][]any
	for _, family := range keys {
		rates := of(families[family], tacOf)
		if len(rates) < 2 {
			continue
		}
		money := [2]float64{10_000, 10_000} // thousands of pesos
		for range 10 {
			money[0] *= 1.05 * (1 - slices.Min(rates))
			money[1] *= 1.05 * (1 - slices.Max(rates))
		}
		want = append(want, []any{family, len(rates), 100 * slices.Max(rates), 100 * slices.Min(rates),
			money[0] - money[1]})
	}
	slices.SortFunc(want, func(a, b []any) int { return -cmp.Compare(a[4].(float64), b[4].(float64)) })
	expected(t, answers, "17_switching_cost",
		[]string{"family", "series", "highest_tac_percent", "lowest_tac_percent", "lost_thousand_pesos"}, want[:15])
}
