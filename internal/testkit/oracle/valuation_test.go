package oracle

import (
	"math"
	"testing"
)

// dollars returns a valid row of series A in dollars.
func dollars(t *testing.T, day string, quota float64) Row {
	t.Helper()
	return Row{Run: run, Serie: "A", Day: on(t, day), Moneda: "PROM", Quota: quota, Equity: 1000}
}

// A quota rises from 10 to 11 dollars while the dollar rises from 800 to 1000 pesos. So it is
// worth 8,000 and then 11,000 pesos. The UF rises from 20,000 to 25,000.
func TestDollarsBecomePesosAndPesosAreDeflated(t *testing.T) {
	m := New()
	m.Add(dollars(t, "2025-01-28", 10))
	m.Add(dollars(t, "2025-02-28", 11))
	m.Dolar(on(t, "2025-01-25"), "800")
	m.Dolar(on(t, "2025-02-28"), "1000")
	m.UF(on(t, "2025-01-28"), "20000")
	m.UF(on(t, "2025-02-28"), "25000")
	for valuation, want := range map[string]struct {
		value    float64
		currency string
	}{"clp": {0.375, "PESOS"}, "real_uf": {0.1, "UF"}} {
		a := m.AdjustedPeriod(run, "A", on(t, "2025-02-28"), "1m", valuation)
		if !near(a.Value, want.value) || a.Currency != want.currency || a.Status != "available" {
			t.Errorf("%s: %+v, want %v", valuation, a, want)
		}
		if a.Start.FX == nil || *a.Start.FX != (Rate{"2025-01-25", "800"}) || a.Start.Quota != 10 ||
			a.Start.Currency != "DOLAR" {
			t.Errorf("%s: start %+v", valuation, a.Start)
		}
		if (a.End.UF != nil) != (valuation == "real_uf") {
			t.Errorf("%s: end %+v", valuation, a.End)
		}
	}
}

func TestPesosNeedNoDolar(t *testing.T) {
	m := New()
	m.Add(peso(t, "2025-01-28", 100))
	m.Add(peso(t, "2025-02-28", 110))
	if a := m.AdjustedPeriod(run, "A", on(t, "2025-02-28"), "1m", "clp"); !near(a.Value, 0.1) ||
		a.Currency != "PESOS" || a.End.FX != nil {
		t.Errorf("%+v", a)
	}
}

// The multiple 1.331·1.331 divided by a rise of the UF of 1.331 is 1.331 over three years: 10 %
// a year.
func TestTheWholeMultipleIsDeflatedBeforeItIsAnnualised(t *testing.T) {
	m := monthly(t, 2019, 2025)
	m.Add(peso(t, "2025-12-31", 100*1.331*1.331))
	m.Add(peso(t, "2022-12-31", 100))
	m.UF(on(t, "2025-12-31"), "26620")
	m.UF(on(t, "2022-12-31"), "20000")
	a := m.AdjustedPeriod(run, "A", on(t, "2025-12-31"), "3y_ann", "real_uf")
	if a.Value == nil || math.Abs(*a.Value-0.1) > 1e-14 {
		t.Errorf("%+v", a)
	}
}

// The rates of a window in dollars are repaired one at a time, in the order of the reasons.
func TestTheFirstRateReasonInOrderIsNamed(t *testing.T) {
	m := New()
	m.Add(dollars(t, "2025-01-28", 10))
	for _, step := range []struct {
		mend   func()
		reason string
	}{
		{func() {}, "missing_end_quote"}, // reasons of quotes come before reasons of rates
		{func() { m.Add(dollars(t, "2025-02-28", 11)) }, "missing_end_fx"},
		{func() { m.Dolar(on(t, "2025-02-20"), "0") }, "missing_start_fx"},
		{func() { m.Dolar(on(t, "2025-01-20"), "-1") }, "invalid_end_fx"},
		{func() { m.Dolar(on(t, "2025-02-20"), "900") }, "invalid_start_fx"},
		{func() { m.Dolar(on(t, "2025-01-20"), "900") }, "stale_end_fx"}, // 8 days
		{func() { m.Dolar(on(t, "2025-02-21"), "900") }, "stale_start_fx"},
		{func() { m.Dolar(on(t, "2025-01-21"), "900") }, "missing_end_uf"},
		{func() { m.UF(on(t, "2025-02-28"), "0") }, "missing_start_uf"},
		{func() { m.UF(on(t, "2025-01-28"), "0") }, "invalid_end_uf"},
		{func() { m.UF(on(t, "2025-02-28"), "1") }, "invalid_start_uf"},
		{func() { m.UF(on(t, "2025-01-28"), "1") }, ""},
	} {
		step.mend()
		a := m.AdjustedPeriod(run, "A", on(t, "2025-02-28"), "1m", "real_uf")
		if step.reason == "missing_end_quote" {
			a = m.AdjustedPeriod(run, "A", on(t, "2025-01-27"), "1m", "real_uf")
		}
		if a.Reason != step.reason || (a.Value != nil) != (step.reason == "") {
			t.Errorf("want %q: %+v", step.reason, a)
		}
	}
}

func TestARateOfADayAfterTheQuoteIsNotTaken(t *testing.T) {
	m := New()
	m.Add(dollars(t, "2025-01-28", 10))
	m.Add(dollars(t, "2025-02-28", 10))
	m.Dolar(on(t, "2025-01-29"), "500") // after the start
	m.Dolar(on(t, "2025-03-01"), "500") // after the end
	if a := m.AdjustedPeriod(run, "A", on(t, "2025-02-28"), "1m", "clp"); a.Reason != "missing_start_fx" ||
		*a.End.FX != (Rate{"2025-01-29", "500"}) {
		t.Errorf("%+v", a)
	}
}

func TestACuratedBreakIsAKnownDiscontinuityFromItsDayOn(t *testing.T) {
	for day, want := range map[string]string{
		"2025-01-28": "", "2025-01-29": "known_discontinuity", "2025-02-28": "known_discontinuity", "2025-03-01": "",
	} {
		m := New()
		m.Add(peso(t, "2025-01-28", 100))
		m.Add(peso(t, "2025-02-28", 110))
		m.Break(run, "a", on(t, day))
		if p := m.Period(run, "A", on(t, "2025-02-28"), "1m"); p.Reason != want {
			t.Errorf("%s: %+v, want %q", day, p, want)
		}
	}
}
