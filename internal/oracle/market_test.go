package oracle

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// quoted puts quotes of a series on days that follow each other, from 2025-06-01.
func quoted(t *testing.T, m *Market, serie string, equity float64, quotas ...float64) {
	t.Helper()
	for i, quota := range quotas {
		m.Add(Row{Run: run, Serie: serie, Day: on(t, "2025-06-01").AddDate(0, 0, i), Moneda: "$$", Quota: quota, Equity: equity})
	}
}

// named says that series were in a family throughout.
func named(t *testing.T, m *Market, family, category string, series ...string) {
	t.Helper()
	for _, serie := range series {
		m.Classify(Classification{Run: run, Serie: serie, Day: on(t, "2025-01-31"), Family: family, Category: category})
	}
}

func TestChangesCountTheFactorsThatAreBelieved(t *testing.T) {
	for name, c := range map[string]struct {
		quota, adjust, payout float64
		want                  any // percent points
	}{
		"distribution":           {100, 0, 1.05, 5.0},
		"split":                  {52, 2, 0, 4.0},
		"both":                   {50, 2, 1.01, 1.0},
		"split that is none":     {100, 1.3, 0, nil},
		"distribution too large": {100, 0, 1.6, nil},
		"distribution below 1":   {100, 0, 0.99, nil},
	} {
		m := New()
		m.Add(peso(t, "2025-06-01", 100))
		row := peso(t, "2025-06-02", c.quota)
		row.Adjust, row.Payout = c.adjust, c.payout
		m.Add(row)
		got := m.DailyChange(run, "A", row.Day)
		if want, known := c.want.(float64); (got != nil) != known || known && !near(got, want) {
			t.Errorf("%s: %v, want %v", name, show(got), c.want)
		}
		later := peso(t, "2025-07-01", c.quota)
		m.Add(later)
		if got := m.MonthlyChange(run, "A", later.Day); (got != nil) != (c.want != nil) {
			t.Errorf("%s, a month: %v", name, show(got))
		}
	}
}

func TestTheClassificationIsTheLatestByTheDayElseTheFirstAfter(t *testing.T) {
	m := New()
	for day, family := range map[string]string{"2025-03-31": "SECOND", "2024-12-31": "FIRST", "2025-06-30": "THIRD"} {
		m.Classify(Classification{Run: run, Serie: "A", Day: on(t, day), Family: family})
	}
	for day, want := range map[string]string{
		"2024-12-30": "FIRST true", "2024-12-31": "FIRST false", "2025-03-30": "FIRST false", "2025-03-31": "SECOND false", "2026-01-01": "THIRD false",
	} {
		c, later := m.classified(Series{run, "A"}, on(t, day))
		if got := fmt.Sprint(c.Family, " ", later); got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
	}
}

func TestOutliersAreBeyondTheirCapOrFarFromTenPeers(t *testing.T) {
	here := group{"F", "PESOS"}
	peers := func(n int, more ...float64) map[Series]candidate {
		changes := map[Series]candidate{}
		for i := range n { // -0.2, -0.1, 0, 0.1, 0.2, -0.2 …: median 0, MAD 0.1
			changes[Series{1, fmt.Sprint(i)}] = candidate{0.1 * float64(i%5-2), 20, here, true}
		}
		for i, change := range more {
			changes[Series{2, fmt.Sprint(i)}] = candidate{change, 20, here, true}
		}
		return changes
	}
	reason := func(changes map[Series]candidate, floor float64) string {
		return outliers(changes, floor)[Series{2, "0"}]
	}
	for name, c := range map[string]struct{ got, want string }{
		"at the cap":                     {reason(peers(0, 20), 0.5), ""},
		"beyond it":                      {reason(peers(0, -20.1), 0.5), "cap"},
		"nine peers":                     {reason(peers(8, 5), 0.5), ""},
		"ten":                            {reason(peers(9, 5), 0.5), "peers"},
		"z of 6.7":                       {reason(peers(20, 1), 0.5), ""},
		"z of 8.1":                       {reason(peers(20, 1.2), 0.5), "peers"},
		"under the floor":                {reason(peers(20, 1.2), 2), ""},
		"what is capped is no peer":      {reason(peers(8, 5, 25), 0.5), ""},
		"no spread, over the floor":      {reason(still(0.6), 0.5), "peers"},
		"no spread, under it":            {reason(still(0.4), 0.5), ""},
		"of no group, whatever its size": {reason(map[Series]candidate{{2, "0"}: {change: 19, cap: 20}}, 0.5), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	for category, want := range map[string][2]float64{
		"money_market": {1, 3}, "fixed_income": {5, 12}, "balanced": {10, 25}, "equity": {20, 40}, "structured": {20, 40}, "other": {20, 40}, "": {20, 40},
	} {
		if got := capOf(category); got != want {
			t.Errorf("%q: %v", category, got)
		}
	}
}

// still is twelve changes of nothing and one of something.
func still(change float64) map[Series]candidate {
	changes := map[Series]candidate{{2, "0"}: {change, 20, group{"F", "PESOS"}, true}}
	for i := range 12 {
		changes[Series{1, fmt.Sprint(i)}] = candidate{0, 20, group{"F", "PESOS"}, true}
	}
	return changes
}

func TestASpikeIsALeapThatComesBack(t *testing.T) {
	for name, c := range map[string]struct {
		quotas []float64
		want   string // of each day
	}{
		"up and back":       {[]float64{100, 112, 100, 100}, "0110"},
		"down and back":     {[]float64{100, 80, 97, 97}, "0110"},
		"four fifths back":  {[]float64{100, 120, 103.9, 103.9}, "0110"},
		"less than that":    {[]float64{100, 120, 104.1, 104.1}, "0000"},
		"ten percent":       {[]float64{100, 109.9, 100, 100}, "0000"},
		"not yet come back": {[]float64{100, 120}, "00"},
	} {
		m := New()
		quoted(t, m, "A", 1, c.quotas...)
		got := ""
		for i := range c.quotas {
			got += map[bool]string{true: "1", false: "0"}[spike(m.quotes[Series{run, "A"}], i)]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestTheIndexIsChainedFromWhatTheEligibleSeriesDid(t *testing.T) {
	m := New()
	quoted(t, m, "A", 300, 100, 101, 102.01)
	quoted(t, m, "B", 100, 100, 105, 105)
	quoted(t, m, "BIG", 1e9, 100, 50, 50) // no such thing
	m.Add(peso(t, "2025-06-02", 7).in("NEW"))
	m.Add(peso(t, "2025-06-03", 7.7).in("NEW")) // counts on its second day: 1000 of 1400
	quoted(t, m, "UNNAMED", 1e9, 1, 1.1, 1.2)
	named(t, m, "F", "equity", "A", "B", "BIG", "NEW")
	// Quoted alone after a day without anybody, then after nine.
	m.Add(peso(t, "2025-06-05", 103.0301).in("A"))
	m.Add(peso(t, "2025-06-14", 110).in("A"))

	got := m.FamilyIndex("F", "PESOS")
	first := (3*0.01 + 0.05) / 4
	second := (300*0.01 + 1000*0.1) / 1400
	want := []float64{100, 100 * (1 + first), 100 * (1 + first) * (1 + (second*1400)/(1400+1e9)), 0}
	want[3] = want[2] * 1.01
	if len(got) != 4 {
		t.Fatalf("%d points: %+v", len(got), got)
	}
	for i, p := range got {
		if math.Abs(p.Value-want[i]) > 1e-9 || (p.Change == nil) != (i == 0) {
			t.Errorf("point %d is %v, want %v", i, p, want[i])
		}
	}
	if level, ok := levelAt(got, on(t, "2025-06-12")); !ok || level != got[3].Value {
		t.Errorf("level %v %t", level, ok)
	}
	if _, ok := levelAt(got, on(t, "2025-06-13")); ok {
		t.Error("a point of eight days before stands for a month end")
	}
	m.Void(run, "A", on(t, "2025-06-02"))
	if after := m.FamilyIndex("F", "PESOS"); after[1].Value == got[1].Value {
		t.Error("the index does not know of the change")
	}
}

// in is the row of another series.
func (r Row) in(serie string) Row {
	r.Serie = serie
	return r
}

func TestBetaAndTrackingErrorOfTwiceTheIndex(t *testing.T) {
	// A is the whole family: B weighs nothing, and moves twice as much. Quotas move
	// on the last day of a month only, but the index needs a quote a week.
	m := New()
	levels := map[string]float64{"A": 100, "B": 100}
	var end time.Time
	for i := range 25 {
		end = Date(2022, time.Month(i+2), 1).AddDate(0, 0, -1)
		for _, age := range []int{24, 18, 12, 6, 0} {
			for serie, times := range map[string]float64{"A": 1, "B": 2} {
				if age == 0 {
					levels[serie] *= 1 + times*seesaw(i)
				}
				m.Add(Row{Run: run, Serie: serie, Day: end.AddDate(0, 0, -age), Moneda: "$$", Quota: levels[serie], Equity: 2 - times})
			}
		}
	}
	named(t, m, "F", "other", "A", "B")
	a, b := m.Risk(end)[Series{run, "A"}], m.Risk(end)[Series{run, "B"}]
	wants(t, "beta of the index", a.Beta36, 1)
	wants(t, "tracking error of the index", a.TrackingError36, 0)
	wants(t, "beta", b.Beta36, 2)
	wants(t, "tracking error", b.TrackingError36, 0.01*math.Sqrt(24.0/23*12)) // 24 returns, 0.01 from their mean of 0
	if before := m.Risk(endOfMonthBefore(end))[Series{run, "B"}]; before.Beta36 != nil || before.TrackingError36 != nil {
		t.Errorf("of 23 returns: %v, %v", show(before.Beta36), show(before.TrackingError36))
	}
}

func TestManagersCountInPesosWhatARateConverts(t *testing.T) {
	m := New()
	add := func(manager, fund int, serie, day, moneda string, equity float64, holders int) {
		m.Add(Row{Run: fund, Serie: serie, Day: on(t, day), Moneda: moneda, Quota: 1, Equity: equity, Manager: manager, Shareholders: holders})
	}
	add(1, 10, "A", "2025-06-09", "$$", 100, 3)
	add(1, 10, "B", "2025-06-09", "PROM", 2, 4)
	add(1, 11, "A", "2025-06-09", "EUR", 5, 1)
	add(2, 20, "A", "2025-06-09", "PROM", 1, 8)
	add(2, 20, "B", "2025-06-01", "$$", 1e9, 1) // eight days before
	add(3, 30, "A", "2025-06-08", "$$", 1e9, 1)
	m.Void(30, "A", on(t, "2025-06-09"))
	names := map[int]string{1: "B", 2: "A"}
	show := func(day string, dolar Dolar, byShareholders bool) (text string) {
		for _, of := range m.RankManagers(on(t, day), dolar, byShareholders, names) {
			patrimony := "none"
			if of.Patrimony != nil {
				patrimony = fmt.Sprint(*of.Patrimony)
			}
			text += fmt.Sprintf("%d: %d %s %d of %d funds, %d; ", of.Rank, of.Manager, patrimony, of.Shareholders, of.Funds, of.Unconverted)
		}
		return text
	}
	rated, old := Dolar{"2025-06-02": 950}, Dolar{"2025-06-01": 950}
	for _, c := range []struct{ got, want string }{
		{show("2025-06-09", rated, false), "1: 1 2000 8 of 2 funds, 1; 2: 2 950 8 of 1 funds, 0; "},
		{show("2025-06-09", rated, true), "1: 2 950 8 of 1 funds, 0; 2: 1 2000 8 of 2 funds, 1; "}, // a tie, by name
		{show("2025-06-09", old, false), "1: 1 100 8 of 2 funds, 2; 2: 2 none 8 of 1 funds, 1; "},
		{show("2025-05-31", rated, false), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	// The 1st was the first day of all; on the 8th its only series is missing.
	if days := m.LastCompleteDays(rated); len(days) != 1 || iso(days[0]) != "2025-06-01" {
		t.Errorf("%v", days)
	}
}

func TestTheNewestRowOfTheDayOrOfSevenDaysBeforeStandsForASeries(t *testing.T) {
	m := New()
	add := func(fund int, serie, day, moneda string, equity float64) {
		m.Add(Row{Run: fund, Serie: serie, Day: on(t, day), Moneda: moneda, Quota: 1, Equity: equity, Manager: 1, Shareholders: 1})
		m.Classify(Classification{Run: fund, Serie: serie, Day: on(t, "2025-01-31"), Family: "F", Category: "equity"})
	}
	add(10, "DAILY", "2025-06-08", "$$", 1)
	add(10, "DAILY", "2025-06-09", "$$", 2)
	add(10, "SEVEN", "2025-06-02", "$$", 10)
	add(11, "EIGHT", "2025-06-01", "$$", 100)
	add(11, "VOID", "2025-06-08", "$$", 1000)
	m.Void(11, "VOID", on(t, "2025-06-09")) // an older row does not replace it
	add(12, "DOLAR", "2025-06-05", "PROM", 10)
	add(13, "ENDED", "2025-06-08", "$$", 10000)
	m.Ended(13, on(t, "2025-06-09"))
	add(14, "ENDED LATER", "2025-06-08", "$$", 40)
	m.Ended(14, on(t, "2025-06-10"))
	add(15, "ENDED, YET QUOTED", "2025-06-09", "$$", 80)
	m.Ended(15, on(t, "2025-06-07"))
	for i, exchanged := range map[int]string{16: "2025-06-09", 17: "2025-06-08", 18: "2025-06-10"} {
		add(i, "EXCHANGED", "2025-06-08", "$$", float64(100000*(i-15)))
		m.AddExchange(Exchange{Event: fmt.Sprint(i), Revision: 1, Origin: Series{i, "EXCHANGED"}, Effective: on(t, exchanged), Valuation: on(t, exchanged), Factor: "1"})
	}
	const pesos = 2 + 10 + 40 + 80 + 200000 + 300000 // those on 17 had their quotas before the row of the 8th
	of := m.Managers(on(t, "2025-06-09"), Dolar{"2025-06-05": 800, "2025-06-09": 900})[1]
	if *of.Patrimony != pesos+9000 || of.Shareholders != 7 || of.Funds != 6 {
		t.Errorf("%v pesos, %+v", *of.Patrimony, of)
	}
	family := m.FamilyDays(on(t, "2025-06-09"))
	if f := family[[2]string{"F", "PESOS"}]; f.Equity != pesos || f.Series != 6 || f.Funds != 5 || f.Eligible != 1 {
		t.Errorf("%+v", f)
	}
	if f := family[[2]string{"F", "DOLAR"}]; f.Equity != 10 || f.Series != 1 || f.Previous != "" || f.Daily != nil {
		t.Errorf("nobody is quoted on the day: %+v", f)
	}
}

func TestAQuotaOfZeroIsNoQuote(t *testing.T) {
	m := New()
	quoted(t, m, "A", 5, 100, 0)
	named(t, m, "F", "equity", "A")
	if d := m.Day(on(t, "2025-06-02"))[Series{run, "A"}]; !d.Void || d.Currency != "" || d.Daily != nil {
		t.Errorf("%+v", d)
	}
	if f, there := m.FamilyDays(on(t, "2025-06-02"))[[2]string{"F", "PESOS"}]; there {
		t.Errorf("%+v", f)
	}
}
