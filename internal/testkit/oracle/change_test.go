package oracle

import (
	"math"
	"testing"
)

func near(got *float64, want float64) bool {
	return got != nil && math.Abs(*got-want) < 1e-12
}

func TestDailyChangeIsAgainstTheQuoteImmediatelyBefore(t *testing.T) {
	m := New()
	cutoff := on(t, "2025-06-30")
	if m.DailyChange(run, "A", cutoff) != nil {
		t.Error("a change of nothing")
	}
	m.Add(peso(t, "2025-06-10", 100))
	if m.DailyChange(run, "A", cutoff) != nil {
		t.Error("a change on the first day")
	}
	m.Add(peso(t, "2025-06-17", 102))
	if got := m.DailyChange(run, "A", cutoff); !near(got, 2) {
		t.Errorf("seven days apart: %v, want 2 percent points", got)
	}
	m.Add(peso(t, "2025-06-18", 51))
	if got := m.DailyChange(run, "A", cutoff); !near(got, -50) {
		t.Errorf("%v, want -50", got)
	}
	if got := m.DailyChange(run, "A", on(t, "2025-06-17")); !near(got, 2) {
		t.Errorf("a day after the cutoff counted: %v", got)
	}
	m.Add(peso(t, "2025-06-26", 100))
	if m.DailyChange(run, "A", cutoff) != nil {
		t.Error("a change over eight days")
	}
}

func TestDailyChangeIsNilWhenItsDayBreaksTheSeries(t *testing.T) {
	sound := peso(t, "2025-06-02", 110)
	for name, change := range map[string]func(before, after *Row){
		"invalid before":  func(b, _ *Row) { b.Quota = 0 },
		"invalid on it":   func(_, a *Row) { a.Quota = math.NaN() },
		"currency change": func(_, a *Row) { a.Moneda = "PROM" },
		"restart":         func(b, _ *Row) { b.Equity = 0 },
		"factor on it":    func(_, a *Row) { a.Adjust = 10 },
		"not finite":      func(b, a *Row) { b.Quota, a.Quota = math.SmallestNonzeroFloat64, math.MaxFloat64 },
	} {
		m := New()
		b, a := peso(t, "2025-06-01", 100), sound
		change(&b, &a)
		m.Add(b)
		m.Add(a)
		if got := m.DailyChange(run, "A", on(t, "2025-06-02")); got != nil {
			t.Errorf("%s: %v", name, *got)
		}
	}
	m := New()
	b := peso(t, "2025-06-01", 100)
	b.Adjust = 10 // on the day before, so it does not count
	m.Add(b)
	m.Add(sound)
	if got := m.DailyChange(run, "A", on(t, "2025-06-02")); !near(got, 10) {
		t.Errorf("a factor the day before: %v", got)
	}
	m.Void(run, "A", on(t, "2025-06-01"))
	if m.DailyChange(run, "A", on(t, "2025-06-02")) != nil {
		t.Error("a change against a void quote")
	}
}

func TestMonthlyChangeEndsOnTheSeriesLatestDay(t *testing.T) {
	m := New()
	cutoff := on(t, "2025-06-30")
	if m.MonthlyChange(run, "A", cutoff) != nil {
		t.Error("a change of nothing")
	}
	m.Add(peso(t, "2025-05-10", 100))
	m.Add(peso(t, "2025-05-20", 200))
	m.Add(peso(t, "2025-06-10", 105)) // 20 days before the cutoff
	if got := m.MonthlyChange(run, "A", cutoff); !near(got, 5) {
		t.Errorf("%v, want 5 percent points", got)
	}
	if day, ok := m.LatestDay(run, "A", cutoff); !ok || iso(day) != "2025-06-10" {
		t.Errorf("latest day %v", day)
	}
	if m.MonthlyChange(run, "A", on(t, "2025-06-09")) != nil {
		t.Error("a change without a quote a month before")
	}
	if _, ok := m.LatestDay(run, "A", on(t, "2025-05-09")); ok {
		t.Error("a latest day before the first")
	}
}
