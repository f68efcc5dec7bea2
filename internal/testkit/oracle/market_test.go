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
		m.Add(Row{Run: run, Serie: serie, Day: on(t, "2025-06-01").AddDate(0, 0, i), Moneda: "$$", Quota: quota,
			Equity: equity})
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
		"2024-12-30": "FIRST true", "2024-12-31": "FIRST false", "2025-03-30": "FIRST false",
		"2025-03-31": "SECOND false", "2026-01-01": "THIRD false",
	} {
		c, later := m.classified(Series{run, "A"}, on(t, day))
		if got := fmt.Sprint(c.Family, " ", later); got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
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

// in returns the row with another series.
func (r Row) in(serie string) Row {
	r.Serie = serie
	return r
}

func TestBetaAndTrackingErrorOfTwiceTheIndex(t *testing.T) {
	// Only A counts in the family: B has no weight, and moves twice as much. Quotas change only
	// on the last day of a month, but the index needs a quote each week.
	m := New()
	m.quorum = quorum{} // the family has one fund
	levels := map[string]float64{"A": 100, "B": 100}
	var end time.Time
	for i := range 25 {
		end = Date(2022, time.Month(i+2), 1).AddDate(0, 0, -1)
		for _, age := range []int{24, 18, 12, 6, 0} {
			for serie, times := range map[string]float64{"A": 1, "B": 2} {
				if age == 0 {
					levels[serie] *= 1 + times*seesaw(i)
				}
				m.Add(Row{Run: run, Serie: serie, Day: end.AddDate(0, 0, -age), Moneda: "$$", Quota: levels[serie],
					Equity: 2 - times})
			}
		}
	}
	named(t, m, "F", "other", "A", "B")
	a, b := m.Risk(end)[Series{run, "A"}], m.Risk(end)[Series{run, "B"}]
	wants(t, "beta of the index", a.Beta36, 1)
	wants(t, "tracking error of the index", a.TrackingError36, 0)
	wants(t, "beta", b.Beta36, 2)
	wants(t, "tracking error", b.TrackingError36, 0.01*math.Sqrt(24.0/23*12)) // 24 returns, 0.01 from their mean of 0
	if before := m.Risk(endOfMonthBefore(end))[Series{run, "B"}]; before.Beta36 != nil ||
		before.TrackingError36 != nil {
		t.Errorf("of 23 returns: %v, %v", show(before.Beta36), show(before.TrackingError36))
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
