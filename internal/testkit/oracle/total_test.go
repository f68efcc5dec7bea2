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
	return Factor{Run: run, Serie: serie, Day: day, Distribution: "1", Adjustment: "1", Quota: "100", Currency: "PESOS", Document: "d"}
}

// edit changes the factor line of a day.
func edit(m *Market, serie string, day time.Time, change func(*Factor)) {
	for i := range m.factors[Series{run, serie}] {
		if f := &m.factors[Series{run, serie}][i]; f.Day.Equal(day) {
			change(f)
		}
	}
}

// swap gives an exchange of series of the run, one for one.
func swap(t *testing.T, event, from, to, effective string) Exchange {
	t.Helper()
	return Exchange{
		Event: event, Revision: 1, Origin: Series{run, from}, Destination: Series{run, to},
		Effective: on(t, effective), Valuation: on(t, effective).AddDate(0, 0, -1), Factor: "1",
	}
}

// june gives the 1m window that ends on 2025-06-30 and starts on 2025-05-30.
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
	if got.DistributionMultiplier != "1.32000000132" || got.ExchangeMultiplier != "1" || !near(got.Value, 0.32000000132) {
		t.Errorf("%+v", got)
	}
	if want := []Coverage{{Series{run, "A"}, "2025-05-31", "2025-06-30", 31, []string{"2025-05-31", "2025-06-15", "2025-06-30", "d"}}}; !reflect.DeepEqual(got.Coverage, want) {
		t.Errorf("coverage %+v, want %+v", got.Coverage, want)
	}
	want := []Distribution{
		{Series{run, "A"}, "2025-05-31", "1.1"}, {Series{run, "A"}, "2025-06-15", "1.000000001"}, {Series{run, "A"}, "2025-06-30", "1.2"},
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
		"quota beyond 1e-9":      {func(f *Factor) { f.Quota = "100.0000002" }, "factor_quote_mismatch"},
		"quota within 1e-9":      {func(f *Factor) { f.Quota = "100.0000001" }, ""},
		"another currency":       {func(f *Factor) { f.Currency = "DOLAR" }, "factor_currency_mismatch"},
		"reparto below 1":        {func(f *Factor) { f.Distribution = "0.999999999" }, "invalid_distribution_factor"},
		"reparto above 1.5":      {func(f *Factor) { f.Distribution = "1.500000001" }, "invalid_distribution_factor"},
		"reparto of 1.5":         {func(f *Factor) { f.Distribution = "1.5" }, ""},
		"ajuste of 0":            {func(f *Factor) { f.Adjustment = "0" }, "unsupported_adjustment"},
		"ajuste of 1.2":          {func(f *Factor) { f.Adjustment = "1.2" }, ""},
		"ajuste of 0.8":          {func(f *Factor) { f.Adjustment = "0.8" }, ""},
		"ajuste above 1.2":       {func(f *Factor) { f.Adjustment = "1.200000001" }, "unsupported_adjustment"},
		"quota before reparto":   {func(f *Factor) { f.Quota, f.Distribution = "1", "9" }, "factor_quote_mismatch"},
		"reparto before ajuste":  {func(f *Factor) { f.Distribution, f.Adjustment = "9", "9" }, "invalid_distribution_factor"},
		"currency before ajuste": {func(f *Factor) { f.Currency, f.Adjustment = "DOLAR", "9" }, "factor_currency_mismatch"},
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
		"2025-05-30": "", "2025-05-31": "missing_factor_coverage", "2025-06-15": "missing_factor_coverage", "2025-06-30": "missing_factor_coverage",
	} {
		m := daily(t, "A")
		edit(m, "A", on(t, day), func(f *Factor) { f.Day = on(t, "2020-01-01") })
		if got := june(t, m, "A"); got.Reason != want {
			t.Errorf("none on %s: %+v, want %q", day, got, want)
		}
	}
	m := daily(t, "A")
	m.AddFactor(line1("A", on(t, "2025-06-15")))
	if got := june(t, m, "A"); got.Reason != "duplicate_factor_date" || got.DistributionMultiplier != "" || got.Coverage != nil {
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

// A is exchanged for 0.5 of B on 10 June: 100 becomes 0.5 of 220.
func TestAnExchangeIsFollowedForward(t *testing.T) {
	m := daily(t, "A", "B")
	x := swap(t, "x", "A", "B", "2025-06-10")
	x.Factor = "0.5"
	m.AddExchange(x)
	m.Add(Row{Run: run, Serie: "B", Day: on(t, "2025-06-30"), Moneda: "$$", Quota: 220, Equity: 1})
	edit(m, "B", on(t, "2025-06-30"), func(f *Factor) { f.Quota = "220" })
	edit(m, "A", on(t, "2025-06-05"), func(f *Factor) { f.Distribution = "1.1" })
	edit(m, "B", on(t, "2025-06-05"), func(f *Factor) { f.Distribution = "1.3" }) // B is not held yet
	edit(m, "A", on(t, "2025-06-20"), func(f *Factor) { f.Distribution = "1.3" }) // A is no longer held
	got := june(t, m, "A")
	if !near(got.Value, 0.21) || got.DistributionMultiplier != "1.1" || got.ExchangeMultiplier != "0.5" || !reflect.DeepEqual(got.Exchanges, []string{"x"}) {
		t.Errorf("%+v", got)
	}
	if want := []Coverage{
		{Series{run, "A"}, "2025-05-31", "2025-06-09", 10, []string{"d"}}, {Series{run, "B"}, "2025-06-10", "2025-06-30", 21, []string{"d"}},
	}; !reflect.DeepEqual(got.Coverage, want) {
		t.Errorf("coverage %+v", got.Coverage)
	}
	if back := june(t, m, "B"); back.ExchangeMultiplier != "1" || back.Exchanges != nil || !near(back.Value, 2.2*1.3-1) {
		t.Errorf("the destination goes back to the origin: %+v", back)
	}
	x.Revision, x.Effective, x.Valuation = 2, on(t, "2025-07-01"), on(t, "2025-06-30")
	m.AddExchange(x)
	if got := june(t, m, "A"); got.Exchanges != nil || got.ExchangeMultiplier != "1" {
		t.Errorf("an exchange after the end: %+v", got)
	}
}

func TestEachExchangeThatIsNotFollowedHasItsReason(t *testing.T) {
	all := []string{"A", "B", "C", "D", "E", "F", "G"}
	chain := func(hops int) func(*Market) {
		return func(m *Market) {
			for i := range hops {
				m.AddExchange(swap(t, all[i], all[i], all[i+1], "2025-06-1"+string(rune('0'+i))))
			}
		}
	}
	with := func(change func(*Exchange)) func(*Market) {
		return func(m *Market) {
			x := swap(t, "x", "A", "B", "2025-06-10")
			change(&x)
			m.AddExchange(x)
		}
	}
	for name, c := range map[string]struct {
		make func(*Market)
		want string
	}{
		"five hops": {chain(5), ""},
		"six hops":  {chain(6), "continuation_limit"},
		"two out of one": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "A", "C", "2025-06-20"))
		}, "ambiguous_continuation"},
		"two out of one, one of them after the end": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "A", "C", "2025-07-01"))
		}, ""},
		"back again": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "B", "A", "2025-06-20"))
		}, "continuation_cycle"},
		"no factor":              {with(func(x *Exchange) { x.Factor = "0" }), "invalid_continuation"},
		"valued later":           {with(func(x *Exchange) { x.Valuation = on(t, "2025-06-11") }), "invalid_continuation"},
		"valued without quote":   {with(func(x *Exchange) { x.Valuation = on(t, "2024-11-30") }), "invalid_continuation"},
		"an unknown destination": {with(func(x *Exchange) { x.Destination.Name = "Z" }), "invalid_continuation"},
		"on the start":           {with(func(x *Exchange) { x.Effective, x.Valuation = on(t, "2025-05-30"), on(t, "2025-05-29") }), "origin_not_active_at_start"},
		"on the day after":       {with(func(x *Exchange) { x.Effective, x.Valuation = on(t, "2025-05-31"), on(t, "2025-05-30") }), ""},
		"on the end":             {with(func(x *Exchange) { x.Effective, x.Valuation = on(t, "2025-06-30"), on(t, "2025-06-30") }), ""},
		"received after it left": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "B", "C", "2025-06-09"))
		}, "invalid_continuation"},
		"both on one day": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "B", "C", "2025-06-10"))
		}, ""},
		"a distribution of the origin on its day": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			edit(m, "A", on(t, "2025-06-10"), func(f *Factor) { f.Distribution = "1.1" })
		}, "ambiguous_exchange_distribution"},
		"a distribution of the destination on its day": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			edit(m, "B", on(t, "2025-06-10"), func(f *Factor) { f.Distribution = "1.1" })
		}, "ambiguous_exchange_distribution"},
		"factors come first": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "A", "C", "2025-06-20"))
			edit(m, "A", on(t, "2025-06-05"), func(f *Factor) { f.Quota = "1" })
		}, "factor_quote_mismatch"},
		"factors after the exchange aren't looked at": {func(m *Market) {
			m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
			m.AddExchange(swap(t, "y", "A", "C", "2025-06-20"))
			edit(m, "A", on(t, "2025-06-15"), func(f *Factor) { f.Quota = "1" })
		}, "ambiguous_continuation"},
	} {
		m := daily(t, all...)
		c.make(m)
		if got := june(t, m, "A"); got.Reason != c.want || (got.Value == nil) != (c.want != "") {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}

func TestQuotesOfTheDestinationAreJudgedAsOneHistory(t *testing.T) {
	m := daily(t, "A", "B")
	m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
	m.Break(run, "B", on(t, "2025-06-09"))
	if got := june(t, m, "A"); got.Reason != "" {
		t.Errorf("a break of the destination before it is held: %+v", got)
	}
	m.Break(run, "B", on(t, "2025-06-10"))
	if got := june(t, m, "A"); got.Reason != "known_discontinuity" {
		t.Errorf("a break of the destination: %+v", got)
	}
	m = daily(t, "A", "B")
	m.AddExchange(swap(t, "x", "A", "B", "2025-06-10"))
	for day := on(t, "2024-12-01"); !day.After(on(t, "2025-06-30")); day = day.AddDate(0, 0, 1) {
		m.Add(Row{Run: run, Serie: "B", Day: day, Moneda: "PROM", Quota: 100, Equity: 1000})
	}
	if got := june(t, m, "A"); got.Reason != "currency_change" {
		t.Errorf("a destination in dollars: %+v", got)
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
	if got := m.TotalPeriod(run, "A", asOf, "1m", "real_uf"); !near(got.Value, 0) || got.Currency != "UF" || got.Basis != "total" {
		t.Errorf("%+v", got)
	}
	m.AddFactor(line1("A", on(t, "2025-06-15")))
	delete(m.uf, asOf)
	if got := m.TotalPeriod(run, "A", asOf, "1m", "real_uf"); got.Reason != "missing_end_uf" { // reasons of rates come before reasons of factors
		t.Errorf("%+v", got)
	}
	if got := m.TotalPeriod(run, "A", time.Time{}, "1m", "clp"); got.Reason != "no_complete_cutoff" {
		t.Errorf("%+v", got)
	}
}
