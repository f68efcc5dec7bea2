package oracle

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// quoted adds quotes of a series on consecutive days, from 2025-06-01.
func quoted(t *testing.T, m *Market, serie string, equity float64, quotas ...float64) {
	t.Helper()
	for i, quota := range quotas {
		m.Add(Row{Run: run, Serie: serie, Day: on(t, "2025-06-01").AddDate(0, 0, i), Moneda: "$$", Quota: quota, Equity: equity})
	}
}

// named classifies series in a family on all days.
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

// still gives twelve changes of 0 and one of the given size.
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
	quoted(t, m, "BIG", 1e9, 100, 50, 50) // halved, beyond the cap: does not count
	m.Add(peso(t, "2025-06-02", 7).in("NEW"))
	m.Add(peso(t, "2025-06-03", 7.7).in("NEW")) // counts from its second day: 1000 of 1400
	quoted(t, m, "UNNAMED", 1e9, 1, 1.1, 1.2)
	named(t, m, "F", "equity", "A", "B", "BIG", "NEW")
	// A alone is quoted after a day without quotes, then after nine such days.
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

// levels writes an index as text: the day in June 2025, the value and the change, if any, of
// each point.
func levels(points []Point) (text string) {
	for _, p := range points {
		text += fmt.Sprintf("%d: %.4f", p.Day.Day(), p.Value)
		if p.Change != nil {
			text += fmt.Sprintf(" %+.4f since %d", *p.Change, p.Previous.Day())
		}
		text += "; "
	}
	return text
}

func TestTheIndexChainsOverDaysWithoutAPoint(t *testing.T) {
	add := func(m *Market, serie string, quotas map[int]float64) {
		for day, quota := range quotas {
			m.Add(Row{Run: run, Serie: serie, Day: Date(2025, time.June, day), Moneda: "$$", Quota: quota, Equity: 1000})
		}
	}
	for name, c := range map[string]struct {
		rows func(m *Market)
		want string
	}{
		"a void day": {func(m *Market) {
			add(m, "A", map[int]float64{27: 123, 28: 123.5069, 30: 123.7491})
			m.Void(run, "A", Date(2025, time.June, 29))
		}, "27: 100.0000; 28: 100.4121 +0.4121 since 27; 30: 100.6090 +0.1961 since 28; "},
		"a day whose only series is an outlier": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 101, 3: 130, 4: 111.1})
		}, "1: 100.0000; 2: 101.0000 +1.0000 since 1; 4: 111.1000 +10.0000 since 2; "},
		"a spike, over which the rest remains": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 115, 3: 101, 4: 102.01})
		}, "1: 100.0000; 3: 101.0000 +1.0000 since 1; 4: 102.0100 +1.0000 since 3; "},
		"two series on alternate days: the other one never counts": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 3: 102, 5: 104.04})
			add(m, "B", map[int]float64{2: 100, 4: 110, 6: 121})
		}, "1: 100.0000; 3: 102.0000 +2.0000 since 1; 5: 104.0400 +2.0000 since 3; "},
		"a stray day is no base": {func(m *Market) {
			add(m, "A", map[int]float64{1: 50, 10: 100, 11: 101})
		}, "10: 100.0000; 11: 101.0000 +1.0000 since 10; "},
		"after a longer gap the level carries on": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 110, 10: 200, 11: 220, 18: 242})
		}, "1: 100.0000; 2: 110.0000 +10.0000 since 1; 10: 110.0000; 11: 121.0000 +10.0000 since 10; 18: 133.1000 +10.0000 since 11; "},
		"a stray day in a gap": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 110, 10: 1, 18: 200, 19: 202})
		}, "1: 100.0000; 2: 110.0000 +10.0000 since 1; 18: 110.0000; 19: 111.1000 +1.0000 since 18; "},
		"the earliest day to which the second point chains is the base": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 3: 110, 4: 110})
			add(m, "B", map[int]float64{2: 100, 3: 120, 4: 120})
		}, "1: 100.0000; 3: 110.0000 +10.0000 since 1; 4: 110.0000 +0.0000 since 3; "},
		"a later quote does not take points away": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 5: 110})
			add(m, "B", map[int]float64{2: 100, 3: 101, 5: 102.01})
		}, "2: 100.0000; 3: 101.0000 +1.0000 since 2; 5: 102.0100 +1.0000 since 3; "},
		"factors and breaks between": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 130, 4: 54})
			m.Add(Row{Run: run, Serie: "A", Day: Date(2025, time.June, 3), Moneda: "$$", Quota: 55, Equity: 1000, Adjust: 2})
			m.Void(run, "A", Date(2025, time.June, 2))
			m.Break(run, "A", Date(2025, time.June, 5))
			add(m, "A", map[int]float64{6: 50, 7: 51})
			m.Void(run, "A", Date(2025, time.June, 5))
		}, "1: 100.0000; 3: 110.0000 +10.0000 since 1; 4: 108.0000 -1.8182 since 3; "},
	} {
		m := New()
		named(t, m, "F", "equity", "A", "B")
		c.rows(m)
		if got := levels(m.FamilyIndex("F", "PESOS")); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestASummaryCountsSinceThePreviousIndexDateAsItWasKnown(t *testing.T) {
	m := New()
	named(t, m, "F", "equity", "A", "B", "C")
	quoted(t, m, "A", 1000, 100, 115, 101) // its spike is visible only on the third day
	for day, quota := range map[int]float64{1: 100, 3: 104} {
		m.Add(Row{Run: run, Serie: "B", Day: Date(2025, time.June, day), Moneda: "$$", Quota: quota, Equity: 3000})
	}
	for _, c := range []struct {
		day   int
		alive map[Series]bool
		want  string
	}{
		{1, nil, " none"}, {2, nil, "2025-06-01 0.150000"}, {3, nil, "2025-06-02 -0.121739"}, {4, nil, " none"},
		{3, map[Series]bool{{run, "B"}: true}, "2025-06-02 none"},
	} {
		previous, change := m.FamilyChange("F", "PESOS", Date(2025, time.June, c.day), c.alive)
		got := previous + " none"
		if change != nil {
			got = fmt.Sprintf("%s %.6f", previous, *change)
		}
		if got != c.want {
			t.Errorf("on %d: %s, want %s", c.day, got, c.want)
		}
	}
	if got, want := levels(m.FamilyIndex("F", "PESOS")), "1: 100.0000; 3: 103.2500 +3.2500 since 1; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestARowThatIsNoQuoteIsPassedOverByTheDailyMarket(t *testing.T) {
	m := New()
	named(t, m, "F", "equity", "A")
	quoted(t, m, "A", 1000, 100, 100, 102)
	m.Void(run, "A", on(t, "2025-06-02"))
	m.Add(peso(t, "2025-07-02", 104))
	m.Void(run, "A", on(t, "2025-07-03"))
	m.Void(run, "A", on(t, "2025-07-30"))
	m.Void(run, "A", on(t, "2025-08-02"))
	m.Void(run, "A", on(t, "2025-08-03"))
	show := func(day string) string {
		d := m.Day(on(t, day))[Series{run, "A"}]
		text := fmt.Sprint(d.Currency, " ", d.Previous)
		for _, number := range []*float64{d.PreviousEquity, d.Daily, d.MonthEquity, d.Monthly} {
			if number == nil {
				text += " none"
			} else {
				text += fmt.Sprintf(" %.2f", *number)
			}
		}
		return text + " " + d.Month
	}
	for day, want := range map[string]string{
		"2025-06-02": "PESOS 2025-06-01 1000.00 none none none ",
		"2025-06-03": "PESOS 2025-06-01 1000.00 2.00 none none ",
		"2025-07-02": "PESOS  none none 1000.00 4.00 2025-06-01",
		"2025-07-03": "PESOS 2025-07-02 1000.00 none 1000.00 none 2025-06-03",
		"2025-07-30": "PESOS  none none none none ",
		"2025-08-02": "PESOS  none none 1000.00 none 2025-07-02",
		"2025-08-03": "  none none none none 2025-07-02", // 32 days after the last quote
	} {
		if got := show(day); got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
	}
}

// in gives the row with another series.
func (r Row) in(serie string) Row {
	r.Serie = serie
	return r
}

func TestBetaAndTrackingErrorOfTwiceTheIndex(t *testing.T) {
	// Only A counts in the family: B has no weight, and moves twice as much. Quotas change only
	// on the last day of a month, but the index needs a quote each week.
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
	// The 1st was the very first day. On the 8th the only series has no row.
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
	const pesos = 2 + 10 + 40 + 80 + 200000 + 300000 // the series on the 17th had their quotas before the row of the 8th
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
	if d := m.Day(on(t, "2025-06-02"))[Series{run, "A"}]; !d.Void || d.Currency != "PESOS" || d.Daily != nil {
		t.Errorf("%+v", d)
	}
	if f, there := m.FamilyDays(on(t, "2025-06-02"))[[2]string{"F", "PESOS"}]; there {
		t.Errorf("%+v", f)
	}
}
