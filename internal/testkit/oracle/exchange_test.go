package oracle

import (
	"reflect"
	"testing"
)

// swap returns an exchange of series of the run, one for one.
func swap(t *testing.T, event, from, to, effective string) Exchange {
	t.Helper()
	return Exchange{
		Event: event, Revision: 1, Origin: Series{run, from}, Destination: Series{run, to},
		Effective: on(t, effective), Valuation: on(t, effective).AddDate(0, 0, -1), Factor: "1",
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
	if !near(got.Value, 0.21) || got.DistributionMultiplier != "1.1" || got.ExchangeMultiplier != "0.5" ||
		!reflect.DeepEqual(got.Exchanges, []string{"x"}) {
		t.Errorf("%+v", got)
	}
	if want := []Coverage{
		{Series{run, "A"}, "2025-05-31", "2025-06-09", 10, []string{"d"}},
		{Series{run, "B"}, "2025-06-10", "2025-06-30", 21, []string{"d"}},
	}; !reflect.DeepEqual(got.Coverage, want) {
		t.Errorf("coverage %+v", got.Coverage)
	}
	if back := june(t, m, "B"); back.ExchangeMultiplier != "1" || back.Exchanges != nil ||
		!near(back.Value, 2.2*1.3-1) {
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
	first := swap(t, "x", "A", "B", "2025-06-10")
	only := func(change func(*Exchange)) []Exchange {
		x := first
		change(&x)
		return []Exchange{x}
	}
	then := func(from, to, effective string) []Exchange {
		return []Exchange{first, swap(t, "y", from, to, effective)}
	}
	chain := func(hops int) (list []Exchange) {
		for i := range hops {
			list = append(list, swap(t, all[i], all[i], all[i+1], "2025-06-1"+string(rune('0'+i))))
		}
		return list
	}
	pays, quoted1 := func(f *Factor) { f.Distribution = "1.1" }, func(f *Factor) { f.Quota = "1" }
	type line struct {
		serie, day string
		change     func(*Factor)
	}
	for name, c := range map[string]struct {
		exchanges []Exchange
		changed   line // the factor line that is changed, if it names a series
		want      string
	}{
		"five hops":      {chain(5), line{}, ""},
		"six hops":       {chain(6), line{}, "continuation_limit"},
		"two out of one": {then("A", "C", "2025-06-20"), line{}, "ambiguous_continuation"},
		"two out of one, one of them after the end": {then("A", "C", "2025-07-01"), line{}, ""},
		"back again": {then("B", "A", "2025-06-20"), line{}, "continuation_cycle"},
		"no factor":  {only(func(x *Exchange) { x.Factor = "0" }), line{}, "invalid_continuation"},
		"valued later": {only(func(x *Exchange) {
			x.Valuation = on(t, "2025-06-11")
		}), line{}, "invalid_continuation"},
		"valued without quote": {only(func(x *Exchange) {
			x.Valuation = on(t, "2024-11-30")
		}), line{}, "invalid_continuation"},
		"an unknown destination": {only(func(x *Exchange) {
			x.Destination.Name = "Z"
		}), line{}, "invalid_continuation"},
		"on the start": {only(func(x *Exchange) {
			x.Effective, x.Valuation = on(t, "2025-05-30"), on(t, "2025-05-29")
		}), line{}, "origin_not_active_at_start"},
		"on the day after": {only(func(x *Exchange) {
			x.Effective, x.Valuation = on(t, "2025-05-31"), on(t, "2025-05-30")
		}), line{}, ""},
		"on the end": {only(func(x *Exchange) {
			x.Effective, x.Valuation = on(t, "2025-06-30"), on(t, "2025-06-30")
		}), line{}, ""},
		"received after it left": {then("B", "C", "2025-06-09"), line{}, "invalid_continuation"},
		"both on one day":        {then("B", "C", "2025-06-10"), line{}, ""},
		"a distribution of the origin on its day": {[]Exchange{first}, line{"A", "2025-06-10", pays},
			"ambiguous_exchange_distribution"},
		"a distribution of the destination on its day": {[]Exchange{first}, line{"B", "2025-06-10", pays},
			"ambiguous_exchange_distribution"},
		"factors come first": {then("A", "C", "2025-06-20"), line{"A", "2025-06-05", quoted1},
			"factor_quote_mismatch"},
		"factors after the exchange aren't looked at": {then("A", "C", "2025-06-20"), line{"A", "2025-06-15", quoted1},
			"ambiguous_continuation"},
	} {
		m := daily(t, all...)
		for _, x := range c.exchanges {
			m.AddExchange(x)
		}
		if c.changed.serie != "" {
			edit(m, c.changed.serie, on(t, c.changed.day), c.changed.change)
		}
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
