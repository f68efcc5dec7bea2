package oracle

import (
	"math"
	"testing"
	"time"
)

// A market with every defect is repaired one defect at a time, in the order of the reasons. The
// reason given must always be the first one that is left.
func TestTheFirstReasonInOrderIsNamed(t *testing.T) {
	m := New()
	var asOf time.Time
	row := func(day, moneda string, quota, adjust float64) func() {
		return func() {
			m.Add(Row{Run: run, Serie: "A", Day: on(t, day), Moneda: moneda, Quota: quota, Equity: 1, Adjust: adjust})
		}
	}
	const tiny, huge = math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, step := range []struct {
		mend             func()
		reason           string
		effStart, effEnd string
	}{
		{func() {}, "no_complete_cutoff", "", ""},
		{func() { asOf = on(t, "2025-02-28") }, "missing_end_quote", "", ""},
		{func() { m.Void(run, "A", on(t, "2025-02-10")) }, "invalid_end_quote", "", "2025-02-10"},
		{row("2025-02-10", "EUR", 0, 0), "invalid_end_quote", "", "2025-02-10"},
		{row("2025-02-10", "EUR", -1, 0), "invalid_end_quote", "", "2025-02-10"},
		{row("2025-02-10", "EUR", math.NaN(), 0), "invalid_end_quote", "", "2025-02-10"},
		{row("2025-02-10", "EUR", math.Inf(1), 0), "invalid_end_quote", "", "2025-02-10"},
		{row("2025-02-10", "EUR", 1, 0), "stale_end_quote", "", "2025-02-10"},
		{row("2025-02-28", "EUR", huge, 2), "missing_start_quote", "", "2025-02-28"},
		{func() { m.Void(run, "A", on(t, "2025-01-10")) }, "invalid_start_quote", "2025-01-10", "2025-02-28"},
		{row("2025-01-10", "EUR", 0, 0), "invalid_start_quote", "2025-01-10", "2025-02-28"},
		{row("2025-01-10", "EUR", tiny, 0), "stale_start_quote", "2025-01-10", "2025-02-28"},
		{row("2025-01-28", "EUR", tiny, 0), "unknown_currency", "2025-01-28", "2025-02-28"},
		{row("2025-02-28", "$$", huge, 2), "unknown_currency", "2025-01-28", "2025-02-28"},
		{row("2025-02-28", "EUR", huge, 2), "unknown_currency", "2025-01-28", "2025-02-28"},
		{row("2025-01-28", "$$", tiny, 0), "unknown_currency", "2025-01-28", "2025-02-28"},
		{row("2025-02-28", "PROM", huge, 2), "currency_change", "2025-01-28", "2025-02-28"},
		{row("2025-02-28", "$$", huge, 2), "currency_change", "2025-01-28", "2025-02-28"}, // to euros and back
		{row("2025-02-10", "$$", 1, 0), "known_discontinuity", "2025-01-28", "2025-02-28"},
		{row("2025-02-28", "$$", huge, 0), "non_finite_return", "2025-01-28", "2025-02-28"},
		{row("2025-01-28", "$$", huge, 0), "", "2025-01-28", "2025-02-28"},
	} {
		step.mend()
		p := m.Period(run, "A", asOf, "1m")
		if p.Reason != step.reason || p.EffectiveStart != step.effStart || p.EffectiveEnd != step.effEnd {
			t.Errorf("want %q with quotes of %q and %q: %+v", step.reason, step.effStart, step.effEnd, p)
		}
		if available := step.reason == ""; (p.Status == "available") != available ||
			(p.Value != nil) != available || (p.Currency != "") != available {
			t.Errorf("%q: value, currency and status disagree: %+v", step.reason, p)
		}
		if asOf.IsZero() != (p.TargetStart == "") || asOf.IsZero() != (p.TargetEnd == "") {
			t.Errorf("%q: target dates %q to %q", step.reason, p.TargetStart, p.TargetEnd)
		}
	}
}

// If the quote at a target date is invalid, an older valid one is not used instead.
func TestAnInvalidQuoteHidesTheSoundOneBeforeIt(t *testing.T) {
	m := monthly(t, 2024, 2025)
	m.Void(run, "A", on(t, "2025-02-28"))
	if p := m.Period(run, "A", on(t, "2025-03-01"), "1m"); p.Reason != "invalid_end_quote" {
		t.Errorf("%+v", p)
	}
	if p := m.Period(run, "A", on(t, "2025-03-28"), "1m"); p.Reason != "invalid_start_quote" {
		t.Errorf("%+v", p)
	}
}

func TestCurrencyMayChangeBeforeTheStartAndAfterTheEnd(t *testing.T) {
	m := monthly(t, 2024, 2025)
	m.Add(Row{Run: run, Serie: "A", Day: on(t, "2025-01-27"), Moneda: "PROM", Quota: 1, Equity: 1})
	m.Add(Row{Run: run, Serie: "A", Day: on(t, "2025-03-01"), Moneda: "PROM", Quota: 1, Equity: 1})
	if p := m.Period(run, "A", on(t, "2025-02-28"), "1m"); p.Status != "available" {
		t.Errorf("%+v", p)
	}
	if p := m.Period(run, "A", on(t, "2025-03-28"), "1m"); p.Reason != "currency_change" {
		t.Errorf("%+v", p)
	}
}

// The currency of a void row is unknown, which is not a change. A void row between pesos and
// dollars does not hide that change.
func TestAVoidQuoteInsideThePeriodSaysNothingOfCurrencyOrEquity(t *testing.T) {
	m := New()
	m.Add(peso(t, "2025-01-28", 100))
	m.Void(run, "A", on(t, "2025-02-10"))
	m.Add(peso(t, "2025-02-20", 100))
	m.Add(peso(t, "2025-02-28", 110))
	period := func() Period { return m.Period(run, "A", on(t, "2025-02-28"), "1m") }
	if p := period(); p.Status != "available" {
		t.Errorf("a void quote inside: %+v", p)
	}
	m.Add(Row{Run: run, Serie: "A", Day: on(t, "2025-02-20"), Moneda: "PROM", Quota: 1, Equity: 1})
	if p := period(); p.Reason != "currency_change" {
		t.Errorf("dollars behind a void quote: %+v", p)
	}
	m.Add(peso(t, "2025-02-20", 100))
	m.Add(Row{Run: run, Serie: "A", Day: on(t, "2025-01-28"), Moneda: "$$", Quota: 100})
	if p := period(); p.Reason != "known_discontinuity" {
		t.Errorf("a restart behind a void quote: %+v", p)
	}
}

func TestDiscontinuityIsAGapOver31DaysARestartOrAFactor(t *testing.T) {
	row := func(day string, equity, adjust float64) Row {
		return Row{Run: run, Serie: "A", Day: on(t, day), Moneda: "$$", Quota: 100, Equity: equity, Adjust: adjust}
	}
	const start, end = "2025-01-28", "2025-04-28"
	for name, c := range map[string]struct {
		rows []Row
		want string
	}{
		"gaps of 31 days": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-31", 1, 0), row("2025-04-28", 1, 0),
		}, ""},
		"a gap of 32 days": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-04-01", 1, 0), row("2025-04-28", 1, 0),
		}, "known_discontinuity"},
		"a gap that ends on the start": {[]Row{
			row("2024-01-28", 1, 0), row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0),
			row("2025-04-28", 1, 0),
		}, ""},
		"a restart inside": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 0, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
		}, "known_discontinuity"},
		"a restart just after the start": {[]Row{
			row("2025-01-28", 0, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
		}, "known_discontinuity"},
		"a restart on the start": {[]Row{
			row("2025-01-27", 0, 0), row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0),
			row("2025-04-28", 1, 0),
		}, ""},
		"a restart on the end": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 0, 0), row("2025-04-28", 1, 0),
		}, "known_discontinuity"},
		"emptied and not restarted": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 0, 0), row("2025-04-28", 0, 0),
		}, ""},
		"a factor on the end": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 10),
		}, "known_discontinuity"},
		"a factor on the start": {[]Row{
			row("2025-01-28", 1, 10), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
		}, ""},
		"factors of one": {[]Row{
			row("2025-01-28", 1, 1), row("2025-02-28", 1, 1), row("2025-03-28", 1, 1), row("2025-04-28", 1, 1),
		}, ""},
	} {
		m := New()
		for _, r := range c.rows {
			m.Add(r)
		}
		p := m.Period(run, "A", on(t, end), "3m")
		if p.EffectiveStart != start || p.Reason != c.want {
			t.Errorf("%s: %+v", name, p)
		}
	}
	m := New() // a void quote fills a gap
	m.Add(row("2025-01-28", 1, 0))
	m.Void(run, "A", on(t, "2025-02-20"))
	m.Add(row("2025-03-20", 1, 0))
	m.Add(row("2025-04-20", 1, 0))
	m.Add(row("2025-04-28", 1, 0))
	if p := m.Period(run, "A", on(t, end), "3m"); p.Reason != "" {
		t.Errorf("a void quote in a gap: %+v", p)
	}
}
