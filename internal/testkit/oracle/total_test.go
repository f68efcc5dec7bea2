package oracle

import (
	"reflect"
	"testing"
	"time"
)

// daily adds a quote of 100 for every day from December 2024 to June 2025 to series A, B … of
// the run, in pesos, each with a factor line of 1.
func daily(t *testing.T, series ...string) *Market {
	t.Helper()
	m := New()
	for _, serie := range series {
		for day := on(t, "2024-12-01"); !day.After(on(t, "2025-06-30")); day = day.AddDate(0, 0, 1) {
			m.Add(Row{Run: run, Serie: serie, Day: day, Moneda: "$$", Quota: 100, Equity: 1000})
			m.AddFactor(line1(serie, day))
		}
	}
	return m
}

func line1(serie string, day time.Time) Factor {
	return Factor{Run: run, Serie: serie, Day: day, Distribution: "1", Adjustment: "1", Quota: "100", Currency: "PESOS",
		Document: "d"}
}

// edit changes the factor line of a day.
func edit(m *Market, serie string, day time.Time, change func(*Factor)) {
	for i := range m.factors[Series{run, serie}] {
		if f := &m.factors[Series{run, serie}][i]; f.Day.Equal(day) {
			change(f)
		}
	}
}

// june returns the 1m window that ends on 2025-06-30 and starts on 2025-05-30.
func june(t *testing.T, m *Market, serie string) Total {
	t.Helper()
	return m.TotalPeriod(run, serie, on(t, "2025-06-30"), "1m", "accounting")
}

func TestDistributionsAfterTheStartAndUpToTheEndMultiply(t *testing.T) {
	m := daily(t, "A")
	for day, factor := range map[string]string{
		"2025-05-30": "1.5", "2025-05-31": "1.1", "2025-06-15": "1.000000001", "2025-06-30": "1.2",
	} {
		edit(m, "A", on(t, day), func(f *Factor) { f.Distribution, f.Document = factor, day })
	}
	got := june(t, m, "A")
	// 1.1 · 1.000000001 · 1.2
	if got.DistributionMultiplier != "1.32000000132" || got.ExchangeMultiplier != "1" ||
		!near(got.Value, 0.32000000132) {
		t.Errorf("%+v", got)
	}
	if want := []Coverage{{Series{run, "A"}, "2025-05-31", "2025-06-30", 31,
		[]string{"2025-05-31", "2025-06-15", "2025-06-30", "d"}}}; !reflect.DeepEqual(got.Coverage, want) {
		t.Errorf("coverage %+v, want %+v", got.Coverage, want)
	}
	want := []Distribution{
		{Series{run, "A"}, "2025-05-31", "1.1"}, {Series{run, "A"}, "2025-06-15", "1.000000001"},
		{Series{run, "A"}, "2025-06-30", "1.2"},
	}
	if !reflect.DeepEqual(got.Distributions, want) {
		t.Errorf("distributions %+v, want %+v", got.Distributions, want)
	}
}

// The quota falls to a tenth on 10 June, and its factor compensates for that. The cartola
// states the factor too, which for price returns is a discontinuity.
func TestAnAcceptedAdjustmentMultiplies(t *testing.T) {
	m := daily(t, "A")
	for day := on(t, "2025-06-10"); !day.After(on(t, "2025-06-30")); day = day.AddDate(0, 0, 1) {
		m.Add(Row{Run: run, Serie: "A", Day: day, Moneda: "$$", Quota: 12, Equity: 1000})
		edit(m, "A", day, func(f *Factor) { f.Quota = "12" })
	}
	m.Add(Row{Run: run, Serie: "A", Day: on(t, "2025-06-10"), Moneda: "$$", Quota: 12, Equity: 1000, Adjust: 10})
	edit(m, "A", on(t, "2025-06-10"), func(f *Factor) { f.Adjustment = "10" })
	got := june(t, m, "A") // 12·10/100 moves by exactly 20 %
	if !near(got.Value, 0.2) || got.DistributionMultiplier != "10" {
		t.Errorf("%+v", got)
	}
	if p := m.Period(run, "A", on(t, "2025-06-30"), "1m"); p.Reason != "known_discontinuity" {
		t.Errorf("price: %+v", p)
	}
	edit(m, "A", on(t, "2025-06-10"), func(f *Factor) { f.Adjustment = "10.000001" })
	if got := june(t, m, "A"); got.Reason != "unsupported_adjustment" {
		t.Errorf("%+v", got)
	}
}

func TestEachDefectOfALineHasItsReason(t *testing.T) {
	inside := "2025-06-15"
	for name, c := range map[string]struct {
		change func(*Factor)
		want   string
	}{
		"quota beyond 1e-9":    {func(f *Factor) { f.Quota = "100.0000002" }, "factor_quote_mismatch"},
		"quota within 1e-9":    {func(f *Factor) { f.Quota = "100.0000001" }, ""},
		"another currency":     {func(f *Factor) { f.Currency = "DOLAR" }, "factor_currency_mismatch"},
		"reparto below 1":      {func(f *Factor) { f.Distribution = "0.999999999" }, "invalid_distribution_factor"},
		"reparto above 1.5":    {func(f *Factor) { f.Distribution = "1.500000001" }, "invalid_distribution_factor"},
		"reparto of 1.5":       {func(f *Factor) { f.Distribution = "1.5" }, ""},
		"ajuste of 0":          {func(f *Factor) { f.Adjustment = "0" }, "unsupported_adjustment"},
		"ajuste of 1.2":        {func(f *Factor) { f.Adjustment = "1.2" }, ""},
		"ajuste of 0.8":        {func(f *Factor) { f.Adjustment = "0.8" }, ""},
		"ajuste above 1.2":     {func(f *Factor) { f.Adjustment = "1.200000001" }, "unsupported_adjustment"},
		"quota before reparto": {func(f *Factor) { f.Quota, f.Distribution = "1", "9" }, "factor_quote_mismatch"},
		"reparto before ajuste": {func(f *Factor) {
			f.Distribution, f.Adjustment = "9", "9"
		}, "invalid_distribution_factor"},
		"currency before ajuste": {func(f *Factor) {
			f.Currency, f.Adjustment = "DOLAR", "9"
		}, "factor_currency_mismatch"},
	} {
		m := daily(t, "A")
		edit(m, "A", on(t, inside), c.change)
		if got := june(t, m, "A"); got.Reason != c.want || (got.Value == nil) != (c.want != "") {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
		m = daily(t, "A")
		edit(m, "A", on(t, "2025-05-30"), c.change) // the start day is not part of the window
		if got := june(t, m, "A"); got.Reason != "" {
			t.Errorf("%s, on the start: %+v", name, got)
		}
	}
}

func TestEveryCalendarDayNeedsExactlyOneLine(t *testing.T) {
	for day, want := range map[string]string{
		"2025-05-30": "", "2025-05-31": "missing_factor_coverage", "2025-06-15": "missing_factor_coverage",
		"2025-06-30": "missing_factor_coverage",
	} {
		m := daily(t, "A")
		edit(m, "A", on(t, day), func(f *Factor) { f.Day = on(t, "2020-01-01") })
		if got := june(t, m, "A"); got.Reason != want {
			t.Errorf("none on %s: %+v, want %q", day, got, want)
		}
	}
	m := daily(t, "A")
	m.AddFactor(line1("A", on(t, "2025-06-15")))
	if got := june(t, m, "A"); got.Reason != "duplicate_factor_date" || got.DistributionMultiplier != "" ||
		got.Coverage != nil {
		t.Errorf("two lines: %+v", got)
	}
	edit(m, "A", on(t, "2025-06-20"), func(f *Factor) { f.Adjustment = "2" })
	if got := june(t, m, "A"); got.Reason != "unsupported_adjustment" {
		t.Errorf("two lines and an adjustment: %+v", got)
	}
	m = daily(t, "A")
	m.Void(run, "A", on(t, "2025-06-15"))
	if got := june(t, m, "A"); got.Reason != "factor_quote_mismatch" {
		t.Errorf("a line beside a void quote: %+v", got)
	}
}

func TestAFactorLineStatesAChangeOfUnitThatTheRowsDoNot(t *testing.T) {
	split := func(adjustment string) *Market {
		m := daily(t, "A")
		for day := on(t, "2025-06-15"); !day.After(on(t, "2025-06-30")); day = day.AddDate(0, 0, 1) {
			m.Add(Row{Run: run, Serie: "A", Day: day, Moneda: "$$", Quota: 10, Equity: 1000})
			edit(m, "A", day, func(f *Factor) { f.Quota = "10" })
		}
		edit(m, "A", on(t, "2025-06-15"), func(f *Factor) { f.Adjustment = adjustment })
		return m
	}
	if got := june(t, split("10"), "A"); got.Reason != "" || !near(got.Value, 0) || got.DistributionMultiplier != "10" {
		t.Errorf("a stated split: %+v", got)
	}
	if got := june(t, split("1"), "A"); got.Reason != "known_discontinuity" {
		t.Errorf("a split that nothing states: %+v", got)
	}
	if got := june(t, split("3"), "A"); got.Reason != "unsupported_adjustment" {
		t.Errorf("a split that is stated wrongly: %+v", got)
	}
}

func TestTotalReturnsAreValuedLikePriceReturns(t *testing.T) {
	m := daily(t, "A")
	edit(m, "A", on(t, "2025-06-15"), func(f *Factor) { f.Distribution = "1.1" })
	asOf := on(t, "2025-06-30")
	if got := m.TotalPeriod(run, "A", asOf, "1m", "real_uf"); got.Reason != "missing_end_uf" {
		t.Errorf("%+v", got)
	}
	m.UF(on(t, "2025-05-30"), "100")
	m.UF(asOf, "110")
	if got := m.TotalPeriod(run, "A", asOf, "1m", "real_uf"); !near(got.Value, 0) || got.Currency != "UF" ||
		got.Basis != "total" {
		t.Errorf("%+v", got)
	}
	m.AddFactor(line1("A", on(t, "2025-06-15")))
	delete(m.uf, asOf)
	// reasons of rates come before reasons of factors
	if got := m.TotalPeriod(run, "A", asOf, "1m", "real_uf"); got.Reason != "missing_end_uf" {
		t.Errorf("%+v", got)
	}
	if got := m.TotalPeriod(run, "A", time.Time{}, "1m", "clp"); got.Reason != "no_complete_cutoff" {
		t.Errorf("%+v", got)
	}
}
