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

// peso returns a valid row of series A in pesos.
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
