package cookbook_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cuota/demo/synth"
)

// syntheticAnswers computes answers of the synthetic market from its days: the quotas, equities
// and numbers of quotas of the daily file, and the rates. Nothing that the program derives from
// them is read, but the breaks and what the catalogues say of a series. Cost rates are read from
// the files of the regulator.
func syntheticAnswers(t *testing.T, people database, files string, answers map[string]table) {
	raw := readDays(t, people)
	marketShares(t, people, answers, raw)
	redemptions(t, answers, raw)
	persistence(t, answers, raw)
	moneyMarket(t, answers, raw)
	survivors(t, answers, raw)
	births(t, answers, raw)
	dollarReturns(t, answers, raw)
	costAgainstReturn(t, answers, raw, files)
	dispersion(t, answers, raw)
	seriesOfOneFund(t, people, answers, raw, files)
	unknownYet(t, answers, files)
	var rows uint64
	err := people.conn.QueryRow(t.Context(),
		"SELECT count() FROM quotas_known_at(known_at = '2025-07-01 11:59:59')").Scan(&rows)
	if err == nil || !strings.Contains(err.Error(), "no batch of that time is kept") {
		t.Errorf("before the first batch there are %d rows, and %v", rows, err)
	}
}

// unknownYet takes the corrections from the list that the market's author wrote beside it.
func unknownYet(t *testing.T, answers map[string]table, files string) {
	text, err := os.ReadFile(filepath.Join(files, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var market synth.Expected
	if err := json.Unmarshal(text, &market); err != nil {
		t.Fatal(err)
	}
	var want [][]any
	for _, c := range market.Corrections {
		then, today := number(t, c.Old), number(t, c.New)
		want = append(want, []any{c.Run.String(), c.Serie, c.Date.String(), then, today, 100 * (today/then - 1)})
	}
	slices.SortFunc(want, func(a, b []any) int { return cmp.Compare(fmt.Sprint(a[:3]), fmt.Sprint(b[:3])) })
	expected(t, answers, "43_what_was_known_on_a_date",
		[]string{"run", "serie", "date", "quota_then", "quota_today", "difference_percent"}, want)
}

func marketShares(t *testing.T, people database, answers map[string]table, raw rawDays) {
	names := map[string]string{}
	for _, row := range people.ask(t, "SELECT rut, name FROM funds.managers WHERE rut IS NOT NULL").rows {
		names[row[0]] = row[1]
	}
	ends := [2]time.Time{day(t, "2020-06-30"), raw.until}
	shares := map[string]*[2]float64{}
	for i, end := range ends {
		total := 0.
		held := map[string]float64{}
		for _, h := range raw.series {
			if d, found := h.at(end); found {
				held[names[d.manager]] += raw.pesos(h, d.equity, end)
				total += raw.pesos(h, d.equity, end)
			}
		}
		for name, clp := range held {
			if shares[name] == nil {
				shares[name] = &[2]float64{}
			}
			shares[name][i] = 100 * clp / total
		}
	}
	var want [][]any
	for _, name := range answers["03_market_share_over_time"].column(t, "manager") {
		if shares[name] == nil {
			t.Errorf("no equity of %q", name)
			return
		}
		row := []any{shares[name][0], shares[name][1]}
		for i := range row {
			if row[i] == 0. {
				row[i] = "" // the manager had nothing at that end
			}
		}
		want = append(want, row)
	}
	if len(shares) != len(want) {
		t.Errorf("%d managers, want %d", len(want), len(shares))
	}
	expected(t, answers, "03_market_share_over_time", []string{"share_2020_percent", "share_2025_percent"}, want)
}

func redemptions(t *testing.T, answers map[string]table, raw rawDays) {
	type redemption struct {
		date         time.Time
		id, serie    string
		pesos, share float64
	}
	var list []redemption
	business := raw.businessDays()
	for id, h := range raw.series {
		for i := 1; i < len(h.days); i++ {
			d, before := h.days[i], h.days[i-1]
			lost, known := business.flow(h, i)
			lost = -raw.pesos(h, lost, d.date)
			had := raw.pesos(h, before.equity, before.date)
			if known && before.quota > 0 && lost > 0 && had >= 1e8 && d.equity > 0 {
				list = append(list, redemption{d.date, id, h.serie, lost, lost / had})
			}
		}
	}
	slices.SortFunc(list, func(a, b redemption) int {
		return cmp.Or(-cmp.Compare(a.share, b.share), a.date.Compare(b.date), cmp.Compare(a.id, b.id))
	})
	var want [][]any
	for _, r := range list[:15] {
		want = append(want, []any{r.date.Format(time.DateOnly), r.serie, r.pesos / 1e6, 100 * r.share})
	}
	expected(t, answers, "05_largest_redemptions", []string{"date", "serie", "million_pesos", "percent_of_equity"},
		want)
}

func persistence(t *testing.T, answers map[string]table, raw rawDays) {
	quartiles := map[int]map[string]int{} // by year and series
	for year := 2020; year <= 2025; year++ {
		type result struct {
			id   string
			gain float64
		}
		groups := map[string][]result{}
		for id, h := range raw.series {
			if whole, known := raw.year(h, year); known && h.family != "" {
				key := h.family + h.currency
				groups[key] = append(groups[key], result{id, whole.plain})
			}
		}
		quartiles[year] = map[string]int{}
		for _, group := range groups {
			if len(group) < 4 {
				continue
			}
			slices.SortFunc(group, func(a, b result) int { return -cmp.Compare(a.gain, b.gain) })
			for i, r := range group {
				quartiles[year][r.id] = int(math.Ceil(4 * float64(i+1) / float64(len(group))))
			}
		}
	}
	var counts [5][5]int
	for year, ranked := range quartiles {
		for id, first := range ranked {
			if second := quartiles[year+1][id]; second > 0 {
				counts[first][second]++
				counts[first][0]++
			}
		}
	}
	var want [][]any
	for first := 1; first <= 4; first++ {
		row := []any{first, counts[first][0]}
		for second := 1; second <= 4; second++ {
			row = append(row, 100*float64(counts[first][second])/float64(counts[first][0]))
		}
		want = append(want, row)
	}
	expected(t, answers, "07_persistence_of_the_first_quartile",
		[]string{"quartile", "series_and_years", "then_first_percent", "then_second_percent", "then_third_percent",
			"then_fourth_percent"}, want)
}

func moneyMarket(t *testing.T, answers map[string]table, raw rawDays) {
	var want [][]any
	for year := 2021; year <= 2024; year++ {
		growth := raw.uf[fmt.Sprintf("%d-12-31", year)]/raw.uf[fmt.Sprintf("%d-12-31", year-1)] - 1
		var gains []float64
		above := 0
		for _, h := range raw.series {
			if whole, known := raw.year(h, year); known && h.category == "money_market" && !h.dollars {
				gains = append(gains, whole.plain-1)
				if whole.plain-1 > growth {
					above++
				}
			}
		}
		want = append(want, []any{year, 100 * growth, len(gains), 100 * slices.Min(gains), 100 * middle(gains),
			100 * slices.Max(gains), above})
	}
	expected(t, answers, "09_money_market_above_uf",
		[]string{"year", "uf_percent", "series", "lowest_percent", "median_percent", "highest_percent",
			"series_above_uf"}, want)
}

func survivors(t *testing.T, answers map[string]table, raw rawDays) {
	var want [][]any
	for year := 2021; year <= 2024; year++ {
		var all, alive []float64
		for _, h := range raw.series {
			if before, quoted := h.at(time.Date(year-1, time.December, 31, 0, 0, 0, 0, time.UTC)); !quoted ||
				before.equity == 0 {
				continue
			}
			gain := 1. // a month without a return counts as 0
			for _, m := range raw.months(h, year) {
				if m.known && m.equity > 0 {
					gain *= m.real
				}
			}
			all = append(all, gain-1)
			if h.alive {
				alive = append(alive, gain-1)
			}
		}
		want = append(want, []any{year, len(all), len(alive), 100 * mean(all), 100 * mean(alive),
			100 * (mean(alive) - mean(all))})
	}
	expected(t, answers, "15_survivorship",
		[]string{"year", "series", "alive_today", "all_percent", "alive_percent", "difference_points"}, want)
}

func births(t *testing.T, answers map[string]table, raw rawDays) {
	began, ended := map[int]int{}, map[int]int{}
	for _, h := range raw.series {
		quoted := slices.DeleteFunc(slices.Clone(h.days), func(d rawDay) bool { return d.quota == 0 })
		if first := quoted[0].date; first.After(raw.first) {
			began[first.Year()]++
		}
		if !h.alive {
			ended[quoted[len(quoted)-1].date.Year()]++
		}
	}
	years := maps.Clone(began)
	maps.Copy(years, ended)
	var want [][]any
	for _, year := range slices.Sorted(maps.Keys(years)) {
		want = append(want, []any{year, began[year], ended[year], began[year] - ended[year]})
	}
	expected(t, answers, "16_new_and_closed_series", []string{"year", "new_series", "closed_series", "net"}, want)
}

func dollarReturns(t *testing.T, answers map[string]table, raw rawDays) {
	var want [][]any
	for year := 2021; year <= 2024; year++ {
		var dollars, pesos []float64
		for _, h := range raw.series {
			if whole, known := raw.year(h, year); known && h.dollars {
				dollars, pesos = append(dollars, whole.plain-1), append(pesos, whole.pesos-1)
			}
		}
		change := raw.dollar[fmt.Sprintf("%d-12-31", year)]/raw.dollar[fmt.Sprintf("%d-12-31", year-1)] - 1
		want = append(want, []any{year, len(dollars), 100 * middle(dollars), 100 * middle(pesos), 100 * change})
	}
	expected(t, answers, "33_returns_in_dollars_and_pesos",
		[]string{"year", "series", "dollars_percent", "pesos_percent", "dollar_percent"}, want)
}
