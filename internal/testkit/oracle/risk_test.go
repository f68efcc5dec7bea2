package oracle

import (
	"math"
	"testing"
	"time"
)

// months adds month-end quotes of a series from December 2021. They begin with 100 and grow by
// the given returns.
func months(m *Market, serie string, returns ...float64) (last time.Time) {
	last = Date(2021, time.December, 31)
	quota := 100.0
	m.Add(Row{Run: run, Serie: serie, Day: last, Moneda: "$$", Quota: quota, Equity: 1})
	for _, r := range returns {
		y, month, _ := last.Date()
		last = Date(y, month+2, 1).AddDate(0, 0, -1)
		quota *= 1 + r
		m.Add(Row{Run: run, Serie: serie, Day: last, Moneda: "$$", Quota: quota, Equity: 1})
	}
	return last
}

// each returns n returns, computed from their numbers from 0.
func each(n int, of func(i int) float64) []float64 {
	returns := make([]float64, n)
	for i := range returns {
		returns[i] = of(i)
	}
	return returns
}

// seesaw alternates between plus 1 % and minus 1 %.
func seesaw(i int) float64 { return 0.01 * float64(1-i%2*2) }

func wants(t *testing.T, name string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-13 {
		t.Errorf("%s: %v, want %v", name, show(got), want)
	}
}

func show(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

func TestRiskOfASeesawIsAsComputedByHand(t *testing.T) {
	m := New()
	end := months(m, "A", each(36, seesaw)...)
	r := m.Risk(end)[Series{run, "A"}]
	// Each return differs by 0.01 from the mean, which is 0.
	wants(t, "12 months", r.Volatility12, 0.01*math.Sqrt(12.0/11))
	wants(t, "36 months", r.Volatility36, 0.01*math.Sqrt(36.0/35))
	wants(t, "12 months a year", r.Annual12, 0.12/math.Sqrt(11))
	wants(t, "36 months a year", r.Annual36, 0.01*math.Sqrt(36.0/35*12))
	wants(t, "downside", r.Downside36, 0.01*math.Sqrt(6)) // half of the months have a loss
	wants(t, "VaR", r.VaR95, -0.01)
	// The peak is 101, after the first month. Then 18 pairs of months each lose a
	// ten-thousandth.
	wants(t, "drawdown", r.Drawdown36, math.Pow(0.9999, 18)/1.01-1)
	if r.Score == nil || *r.Score != 50 || r.Level != "medium" {
		t.Errorf("score of the only one: %+v", r)
	}
}

func TestVaRIsInterpolatedBetweenTheReturnsBesideIt(t *testing.T) {
	m := New()
	// Returns from -18 % to 17 % in another order. The second and third lowest are -17 % and
	// -16 %, and position 1.75 of 0 to 35 is three quarters between them.
	end := months(m, "A", each(36, func(i int) float64 { return float64(i*5%36-18) / 100 })...)
	wants(t, "VaR", m.Risk(end)[Series{run, "A"}].VaR95, -0.1625)
}

func TestRiskNeedsEveryMonth(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(m *Market)
		has12    bool
		has36    bool
		snapshot bool
	}{
		"all": {func(*Market) {}, true, true, true},
		"35": {func(m *Market) {
			m.quotes[Series{run, "A"}] = m.quotes[Series{run, "A"}][1:]
		}, true, false, true},
		"11": {func(m *Market) {
			m.quotes[Series{run, "A"}] = m.quotes[Series{run, "A"}][25:]
		}, false, false, true},
		"void long ago": {func(m *Market) { m.Void(run, "A", Date(2023, time.May, 31)) }, true, false, true},
		"void of late":  {func(m *Market) { m.Void(run, "A", Date(2024, time.May, 31)) }, false, false, true},
		"void at the end": {func(m *Market) {
			m.Void(run, "A", Date(2024, time.December, 31))
		}, false, false, false},
		"restart": {func(m *Market) { with(m, 2023, func(q *quote) { q.equity = 0 }) }, true, false, true},
		"foreign for a month": {func(m *Market) {
			with(m, 2023, func(q *quote) { q.moneda = "PROM" })
		}, true, false, true},
		"factor not believed": {func(m *Market) { with(m, 2023, func(q *quote) { q.adjust = 2 }) }, true, false, true},
		"factor that explains": {func(m *Market) {
			with(m, 2023, func(q *quote) { q.adjust = 1.1 })
		}, true, true, true},
		"factor behind a void row": {func(m *Market) {
			m.Void(run, "A", Date(2023, time.June, 29))
			with(m, 2023, func(q *quote) { q.adjust = 1.1 })
		}, true, true, true},
		"payout not believed": {func(m *Market) {
			with(m, 2023, func(q *quote) { q.payout = 1.6 })
		}, true, false, true},
		"payout that takes away": {func(m *Market) {
			with(m, 2023, func(q *quote) { q.payout = 0.9 })
		}, true, false, true},
		"payout": {func(m *Market) {
			with(m, 2023, func(q *quote) { q.payout = 1.5 })
		}, true, true, true},
	} {
		m := New()
		end := months(m, "A", each(36, seesaw)...)
		c.change(m)
		r, snapshot := m.Risk(end)[Series{run, "A"}]
		has36 := r.Volatility36 != nil && r.Annual36 != nil && r.Drawdown36 != nil && r.Downside36 != nil &&
			r.VaR95 != nil && r.Score != nil && r.Level != ""
		if snapshot != c.snapshot || (r.Volatility12 != nil) != c.has12 || has36 != c.has36 {
			t.Errorf("%s: %t %+v", name, snapshot, r)
		}
	}
}

// with changes the quote of June of a year.
func with(m *Market, year int, change func(*quote)) {
	quotes := m.quotes[Series{run, "A"}]
	for i := range quotes {
		if quotes[i].day.Equal(Date(year, time.June, 30)) {
			change(&quotes[i])
		}
	}
}

func TestAMonthEndQuoteIsAtMostSevenDaysOld(t *testing.T) {
	for age, want := range map[int]bool{0: true, 7: true, 8: false} {
		m := New()
		end := months(m, "A", each(12, seesaw)...)
		first := &m.quotes[Series{run, "A"}][0]
		first.day = first.day.AddDate(0, 0, -age)
		// This quote avoids a gap.
		m.Add(Row{Run: run, Serie: "A", Day: Date(2022, time.January, 15), Moneda: "$$", Quota: 100, Equity: 1})
		if r := m.Risk(end)[Series{run, "A"}]; (r.Volatility12 != nil) != want {
			t.Errorf("%d days old: %+v", age, r)
		}
	}
}

func TestDrawdownIsTakenOverDailyQuotesWithTheirFactors(t *testing.T) {
	m := New()
	end := months(m, "A", each(36, func(int) float64 { return 0 })...)
	add := func(day time.Time, quota, payout float64) {
		m.Add(Row{Run: run, Serie: "A", Day: day, Moneda: "$$", Quota: quota, Equity: 1, Payout: payout})
	}
	add(Date(2021, time.December, 30), 200, 0) // before the 36 months
	wants(t, "flat", m.Risk(end)[Series{run, "A"}].Drawdown36, 0)
	add(Date(2022, time.January, 1), 90, 0) // a fall from the first quote counts
	wants(t, "first day", m.Risk(end)[Series{run, "A"}].Drawdown36, -0.1)
	add(Date(2023, time.March, 10), 120, 0)
	add(Date(2023, time.April, 10), 84, 0) // a fall across a month end
	wants(t, "daily", m.Risk(end)[Series{run, "A"}].Drawdown36, -0.3)
	add(Date(2023, time.April, 1), 100, 1.2) // 20 of 120 were paid out, which is no loss
	add(Date(2023, time.April, 10), 95, 0)
	wants(t, "paid out", m.Risk(end)[Series{run, "A"}].Drawdown36, 100.0/120-1) // the 31st of March
	m.Void(run, "A", Date(2023, time.March, 10))
	wants(t, "void", m.Risk(end)[Series{run, "A"}].Drawdown36, -0.1)
}

func TestScoreIsHalfTheRankOfEachFigureAndTiesShareIt(t *testing.T) {
	m := New()
	scaled := func(by float64) []float64 { return each(36, func(i int) float64 { return by * seesaw(i) }) }
	months(m, "A", scaled(1)...)
	months(m, "B", scaled(2)...)
	months(m, "B2", scaled(2)...)
	months(m, "C", scaled(3)...)
	months(m, "YOUNG", scaled(9)[24:]...)
	end := months(m, "FLAT", scaled(0)...)
	risks := m.Risk(end)
	for serie, want := range map[string]struct {
		score int
		level string
	}{
		"FLAT": {10, "low"},    // (0 + ½)/5
		"A":    {30, "low"},    // (1 + ½)/5
		"B":    {60, "medium"}, // (2 + ½·2)/5
		"B2":   {60, "medium"},
		"C":    {90, "high"},
	} {
		if r := risks[Series{run, serie}]; r.Score == nil || *r.Score != want.score || r.Level != want.level {
			t.Errorf("%s: %v %q, want %v", serie, *r.Score, r.Level, want)
		}
	}
	if r := risks[Series{run, "YOUNG"}]; r.Score != nil {
		t.Errorf("a score without 36 months: %+v", r)
	}
}

func TestARankStatesOfHowManySeriesAndOfWhichEquityItIs(t *testing.T) {
	m := New()
	months(m, "A", each(36, seesaw)...)
	end := months(m, "B", each(36, seesaw)...)
	quoted := func(serie, moneda string, equity float64, day time.Time) {
		m.Add(Row{Run: run, Serie: serie, Day: day, Moneda: moneda, Quota: 100, Equity: equity})
	}
	quoted("B", "$$", 3, end)
	quoted("YOUNG", "$$", 2, end)
	quoted("DOLLAR", "PROM", 0.001, end.AddDate(0, 0, -7))
	quoted("EURO", "EUR", 9, end)
	quoted("OLD", "$$", 9, end.AddDate(0, 0, -8))
	ranked := func(share float64) {
		t.Helper()
		risks := m.Risk(end)
		got := risks[Series{run, "A"}].Ranked
		if got == nil || got.Series != 2 || got.Of != 5 || !near(got.Share, share) ||
			risks[Series{run, "YOUNG"}].Ranked != nil {
			t.Errorf("%+v, want 2 of 5 series with %v", got, share)
		}
	}
	ranked(4.0 / 6) // without a dólar
	m.Dolar(end.AddDate(0, 0, -8), "7")
	ranked(4.0 / 6) // which is too old
	m.Dolar(end.AddDate(0, 0, -7), "4000")
	m.Dolar(end.AddDate(0, 0, 1), "9000")
	ranked(0.4)
	m.Dolar(end, "2000")
	ranked(0.5)
}
