package oracle

import (
	"math"
	"slices"
	"testing"
	"time"
)

const run = 8011

// on parses a date, so that tests can write dates as text.
func on(t *testing.T, day string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// peso gives a valid row of series A in pesos.
func peso(t *testing.T, day string, quota float64) Row {
	t.Helper()
	return Row{Run: run, Serie: "A", Day: on(t, day), Moneda: "$$", Quota: quota, Equity: 1000}
}

// monthly adds a quote of 100 of series A on the 28th of every month of the given years, so
// that there are no gaps.
func monthly(t *testing.T, from, to int) *Market {
	t.Helper()
	m := New()
	for year := from; year <= to; year++ {
		for month := time.January; month <= time.December; month++ {
			m.Add(Row{Run: run, Serie: "A", Day: Date(year, month, 28), Moneda: "$$", Quota: 100, Equity: 1000})
		}
	}
	return m
}

func TestTargetDatesAreCalendarMonthsClampedToTheirEnd(t *testing.T) {
	for _, c := range []struct{ asOf, window, start, end string }{
		{"2025-03-31", "1m", "2025-02-28", "2025-03-31"},
		{"2024-03-31", "1m", "2024-02-29", "2024-03-31"},
		{"2025-03-30", "1m", "2025-02-28", "2025-03-30"},
		{"2025-03-28", "1m", "2025-02-28", "2025-03-28"},
		{"2025-04-30", "1m", "2025-03-30", "2025-04-30"}, // a month end does not stay a month end
		{"2025-02-28", "1m", "2025-01-28", "2025-02-28"},
		{"2025-01-31", "1m", "2024-12-31", "2025-01-31"},
		{"2025-05-31", "3m", "2025-02-28", "2025-05-31"},
		{"2025-01-15", "3m", "2024-10-15", "2025-01-15"},
		{"2025-08-31", "6m", "2025-02-28", "2025-08-31"},
		{"2024-08-31", "6m", "2024-02-29", "2024-08-31"},
		{"2025-06-30", "6m", "2024-12-30", "2025-06-30"},
		{"2024-02-29", "1y", "2023-02-28", "2024-02-29"},
		{"2025-02-28", "1y", "2024-02-28", "2025-02-28"},
		{"2025-12-31", "1y", "2024-12-31", "2025-12-31"},
		{"2025-08-31", "ytd", "2024-12-31", "2025-08-31"},
		{"2025-12-31", "ytd", "2024-12-31", "2025-12-31"},
		{"2025-01-01", "ytd", "2024-12-31", "2025-01-01"},
		{"2024-02-29", "3y_ann", "2021-02-28", "2024-02-29"},
		{"2025-08-31", "3y_ann", "2022-08-31", "2025-08-31"},
		{"2028-02-29", "5y_ann", "2023-02-28", "2028-02-29"},
		{"2025-02-28", "5y_ann", "2020-02-28", "2025-02-28"},
		{"2025-08-31", "last_closed_month", "2025-07-31", "2025-08-31"},
		{"2025-08-30", "last_closed_month", "2025-06-30", "2025-07-31"},
		{"2024-02-28", "last_closed_month", "2023-12-31", "2024-01-31"},
		{"2024-02-29", "last_closed_month", "2024-01-31", "2024-02-29"},
		{"2023-02-28", "last_closed_month", "2023-01-31", "2023-02-28"},
		{"2100-02-28", "last_closed_month", "2100-01-31", "2100-02-28"}, // 2100 isn't a leap year
		{"2000-02-28", "last_closed_month", "1999-12-31", "2000-01-31"}, // 2000 is one
		{"2025-01-10", "last_closed_month", "2024-11-30", "2024-12-31"},
	} {
		p := New().Period(run, "A", on(t, c.asOf), c.window)
		if p.TargetStart != c.start || p.TargetEnd != c.end {
			t.Errorf("%s at %s: %s to %s, want %s to %s",
				c.window, c.asOf, p.TargetStart, p.TargetEnd, c.start, c.end)
		}
	}
}

func TestValueIsTheRatioOfTheQuotesLessOne(t *testing.T) {
	m := monthly(t, 2019, 2025)
	m.Add(peso(t, "2025-08-31", 133.1))
	m.Add(peso(t, "2025-07-31", 121))
	m.Add(peso(t, "2025-05-31", 110))
	m.Add(peso(t, "2024-12-31", 125))
	for _, c := range []struct {
		window string
		want   float64
	}{
		{"1m", 0.1},                     // 133.1/121
		{"3m", 0.21},                    // 133.1/110
		{"6m", 0.331},                   // 133.1/100, the 28th of February
		{"1y", 0.331},                   // 133.1/100
		{"ytd", 0.0648},                 // 133.1/125
		{"3y_ann", 0.1},                 // 1.331 is 1.1 to the third
		{"5y_ann", 0.05885285292178454}, // the fifth root of 1.331 is 1.1^(3/5)
		{"last_closed_month", 0.1},      // August is closed on its last day
	} {
		p := m.Period(run, "a", on(t, "2025-08-31"), c.window)
		if p.Status != "available" || p.Reason != "" || p.Currency != "PESOS" || p.Value == nil {
			t.Errorf("%s: %+v", c.window, p)
			continue
		}
		if math.Abs(*p.Value-c.want) > 1e-14 {
			t.Errorf("%s: %.17g, want %.17g", c.window, *p.Value, c.want)
		}
	}
}

func TestEveryWindowIsCovered(t *testing.T) {
	m := monthly(t, 2019, 2025)
	for _, window := range Windows {
		if p := m.Period(run, "A", on(t, "2025-12-31"), window); p.Status != "available" || *p.Value != 0 {
			t.Errorf("%s: %+v", window, p)
		}
	}
}

func TestAQuoteStandsForATargetSevenDaysAfterItNotEight(t *testing.T) {
	for _, c := range []struct{ start, end, reason string }{
		{"2025-01-28", "2025-02-28", ""},
		{"2025-01-21", "2025-02-21", ""},
		{"2025-01-20", "2025-02-21", "stale_start_quote"},
		{"2025-01-21", "2025-02-20", "stale_end_quote"},
		{"2025-01-20", "2025-02-20", "stale_end_quote"},
	} {
		m := New()
		m.Add(peso(t, c.start, 100))
		m.Add(peso(t, "2025-02-01", 100))
		m.Add(peso(t, c.end, 110))
		m.Add(peso(t, "2025-03-01", 500)) // a later quote is never used
		p := m.Period(run, "A", on(t, "2025-02-28"), "1m")
		if p.Reason != c.reason || p.EffectiveStart != c.start || p.EffectiveEnd != c.end {
			t.Errorf("%+v: %+v", c, p)
		}
	}
}

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

func TestDollarSeriesReturnInDollars(t *testing.T) {
	m := New()
	for _, r := range []Row{
		{Day: on(t, "2025-01-28"), Quota: 1.25},
		{Day: on(t, "2025-02-28"), Quota: 1.5},
	} {
		r.Run, r.Serie, r.Moneda, r.Equity = run, "A", "PROM", 1
		m.Add(r)
	}
	p := m.Period(run, "A", on(t, "2025-02-28"), "1m")
	if p.Status != "available" || p.Currency != "DOLAR" || math.Abs(*p.Value-0.2) > 1e-15 {
		t.Errorf("%+v", p)
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
			row("2024-01-28", 1, 0), row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
		}, ""},
		"a restart inside": {[]Row{
			row("2025-01-28", 1, 0), row("2025-02-28", 0, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
		}, "known_discontinuity"},
		"a restart just after the start": {[]Row{
			row("2025-01-28", 0, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
		}, "known_discontinuity"},
		"a restart on the start": {[]Row{
			row("2025-01-27", 0, 0), row("2025-01-28", 1, 0), row("2025-02-28", 1, 0), row("2025-03-28", 1, 0), row("2025-04-28", 1, 0),
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

// On 3 January, without a quote since New Year's Eve, both ends of ytd are the same quote.
func TestBothEndsOfYTDMayBeOneQuote(t *testing.T) {
	m := New()
	m.Add(peso(t, "2024-12-31", 100))
	p := m.Period(run, "A", on(t, "2025-01-03"), "ytd")
	if p.Status != "available" || *p.Value != 0 || p.EffectiveStart != "2024-12-31" || p.EffectiveEnd != "2024-12-31" {
		t.Errorf("%+v", p)
	}
}

func TestALaterRowOfADayCorrectsIt(t *testing.T) {
	m := New()
	m.Add(peso(t, "2025-02-28", 110))
	m.Add(peso(t, "2025-01-28", 100)) // out of order
	m.Void(run, " a ", on(t, "2025-02-28"))
	m.Add(peso(t, "2025-02-28", 150))
	p := m.Period(run, "A", on(t, "2025-02-28").Add(13*time.Hour), "1m")
	if p.Status != "available" || *p.Value != 0.5 {
		t.Errorf("%+v", p)
	}
	if got := m.Series(); !slices.Equal(got, []Series{{run, "A"}}) {
		t.Errorf("series %v", got)
	}
}

func TestSeriesNamesAreWrittenOneWay(t *testing.T) {
	for published, want := range map[string]string{
		"  col-z   apv/apvc ": "COL-Z APV/APVC",
		"":                    "UNICA",
		"   ":                 "UNICA",
		"única":               "ÚNICA",
		"u\u0301nica":         "ÚNICA", // NFC
		"107a":                "107A",
	} {
		if got := SerieName(published); got != want {
			t.Errorf("%q: %q, want %q", published, got, want)
		}
	}
}
