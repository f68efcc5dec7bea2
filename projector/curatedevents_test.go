package projector_test

import (
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

func TestANewerFileOfFactorsReplacesItsDaysAsAWhole(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	w := &madeMarket{t: t}
	w.series("A", onDay("2025-06-10", func(_ *cartolaDay, f *oracle.Factor) { f.Distribution = "1.1" }))
	w.factors = append(w.factors, w.factors[len(w.factors)-1]) // the last day is stated twice
	w.series("B", nil)
	w.exchange("x", "B", "A", "2025-06-15", nil)
	w.breaks = append(w.breaks, "B 2024-09-02")
	m := demotest.New(t)
	_, batch := w.build(m)
	june := func(batch uint64) valuedReturn {
		return total(t, m.Conn, batch, "2025-06-30", "accounting")["9809:A:1m"]
	}
	if got := june(batch); got.reason != "duplicate_factor_date" {
		t.Errorf("a day stated twice: %+v", got)
	}
	corrected := w.factors[len(w.factors)-1]
	for _, f := range w.factors {
		if f.Serie == "A" {
			corrected = f
		}
	}
	corrected.Distribution = "1.2"
	ingestWhole(t, m, model.Events, eventsOf(t, factorHeader, []string{factorRow(corrected)}),
		demotest.Clock.AddDate(0, 0, 1))
	second := m.Build(t)
	if got := june(second); got.reason != "" || got.total.distributed != "1.32" {
		t.Errorf("corrected: %+v", got)
	}
	if got := june(batch); got.reason != "duplicate_factor_date" {
		t.Errorf("the batch before answers differently: %+v", got)
	}
}

func TestACuratedDiscontinuityBreaksPriceReturnsToo(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	w := &madeMarket{t: t}
	for _, serie := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		w.series(serie, nil)
	}
	w.exchange("x", "B", "A", "2025-06-15", nil)
	w.breaks = append(w.breaks, "A 2025-06-10")
	m := demotest.New(t)
	market, batch := w.build(m)
	for _, asOf := range []string{"2025-06-30", "2025-06-10", "2025-06-09"} {
		compareWindows(t, m.Conn, market, batch, asOf)
	}
	if p := market.Period(9809, "A", date(t, "2025-06-30"), "1m"); p.Reason != "known_discontinuity" {
		t.Errorf("the oracle has %+v", p)
	}
}
