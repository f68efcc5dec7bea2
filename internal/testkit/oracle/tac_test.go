package oracle

import (
	"math"
	"testing"
	"time"
)

// costly adds rows of series A on each day from one day to another. Each day begins with 100
// quotas of 10 and has the given costs.
func costly(t *testing.T, m *Market, from, to string, costs float64) {
	t.Helper()
	for day := on(t, from); !day.After(on(t, to)); day = day.AddDate(0, 0, 1) {
		m.Add(Row{
			Run: run, Serie: "A", Day: day, Moneda: "$$", Quota: 10, Equity: 1050,
			Outstanding: 105, Contributed: 7, Redeemed: 2, Costs: costs,
		})
	}
}

func TestRealTACIsTheMeanDailyRateTimesTheDaysOfTheYear(t *testing.T) {
	for _, c := range []struct {
		from, to, month string
		want            float64
		days            int
	}{
		// 105 + 2 - 7 quotas of 10 are 1,000, with costs of 1 a day.
		{"2024-12-31", "2025-01-31", "2025-01-31", 365.0 / 1001, 31},
		{"2024-01-31", "2024-02-29", "2024-02-29", 366.0 / 1001, 29},
		{"2025-01-01", "2025-01-31", "2025-01-31", 365.0 / 1001, 30}, // the first day has no row on the day before
		{"2025-01-16", "2025-01-31", "2025-01-31", 365.0 / 1001, 15},
		{"2025-01-31", "2025-02-28", "2025-02-10", 365.0 / 1001, 28}, // any day of the month may be given
	} {
		m := New()
		costly(t, m, c.from, c.to, 1)
		rate, days, ok := m.RealTAC(run, "a", on(t, c.month))
		if !ok || days != c.days || math.Abs(rate-c.want) > 1e-15 {
			t.Errorf("%s to %s: %v of %d days (%t), want %v of %d", c.from, c.to, rate, days, ok, c.want, c.days)
		}
	}
}

func TestFewerThanFifteenDailyRatesMakeNoMonth(t *testing.T) {
	m := New()
	costly(t, m, "2025-01-17", "2025-01-31", 1)
	if _, days, ok := m.RealTAC(run, "A", on(t, "2025-01-31")); ok || days != 14 {
		t.Errorf("%d days, %t", days, ok)
	}
	if _, days, ok := m.RealTAC(run, "A", on(t, "2025-02-28")); ok || days != 0 {
		t.Errorf("nothing: %d days, %t", days, ok)
	}
}

func TestADayWithoutEquityBeforeItCostsNothing(t *testing.T) {
	january := on(t, "2025-01-31")
	for name, c := range map[string]struct {
		change func(m *Market, of func(day int) Row)
		rates  float64 // sum of the daily rates, in 1/1001
		days   int
	}{
		"whole":           {func(*Market, func(int) Row) {}, 31, 31},
		"no equity":       {func(m *Market, of func(int) Row) { r := of(10); r.Equity = 0; m.Add(r) }, 30, 31},
		"void":            {func(m *Market, of func(int) Row) { m.Void(run, "A", of(10).Day) }, 29, 29},
		"nothing left":    {func(m *Market, of func(int) Row) { r := of(10); r.Outstanding = 5; m.Add(r) }, 30, 30},
		"large reversal":  {func(m *Market, of func(int) Row) { r := of(10); r.Costs = -1000; m.Add(r) }, 30, 30},
		"no costs at all": {func(m *Market, of func(int) Row) { r := of(10); r.Costs = 0; m.Add(r) }, 30, 31},
	} {
		m := New()
		costly(t, m, "2024-12-31", "2025-01-31", 1)
		of := func(day int) Row {
			return Row{Run: run, Serie: "A", Day: Date(2025, time.January, day), Moneda: "$$", Quota: 10, Equity: 1050,
				Outstanding: 105, Contributed: 7, Redeemed: 2, Costs: 1}
		}
		c.change(m, of)
		rate, days, ok := m.RealTAC(run, "A", january)
		if want := c.rates / float64(c.days) * 365 / 1001; !ok || days != c.days || math.Abs(rate-want) > 1e-15 {
			t.Errorf("%s: %v of %d days (%t), want %v of %d", name, rate, days, ok, want, c.days)
		}
	}
}

func TestAMeanAboveTheWholeEquityIsNoRate(t *testing.T) {
	m := New()
	costly(t, m, "2024-12-31", "2025-01-31", 3) // 3/1003 a day is 109 % a year
	if rate, days, ok := m.RealTAC(run, "A", on(t, "2025-01-31")); ok || days != 31 || rate < 1 {
		t.Errorf("%v of %d days, %t", rate, days, ok)
	}
}

// RULES 2 gives 1.128 % for the year that ends with August 2025. That uses 365 days for every
// day. With 366 days in 2024, as the rule requires, it is 1.129 %.
func TestRealTACOfARealSeries(t *testing.T) {
	m := realMarket(t)
	sum, plain := 0.0, 0.0
	for ago := range 12 {
		month := monthsBefore(on(t, "2025-08-28"), ago)
		rate, days, ok := m.RealTAC(9809, "B", month)
		if !ok || days != daysInMonth(month.Year(), month.Month()) {
			t.Fatalf("%s: %d days, %t", iso(month), days, ok)
		}
		sum += rate
		if month.Year() == 2024 {
			rate *= 365.0 / 366
		}
		plain += rate
	}
	if mean := plain / 12; math.Abs(mean-0.01128) > 0.000005 {
		t.Errorf("with 365 days: %v, want 0.01128", mean)
	}
	if mean := sum / 12; math.Abs(mean-0.01129) > 0.000005 {
		t.Errorf("%v, want 0.01129", mean)
	}
}
