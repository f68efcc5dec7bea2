package oracle

import (
	"fmt"
	"math"
	"testing"
)

// Real rows of a fund in pesos in August 2025. Friday the 15th is a holiday, so Thursday the 14th has
// contributions alone, and the redemptions of that business day are on Sunday the 17th. The file ends on
// Sunday the 24th.
func TestTheFlowOfABusinessDayHasBothHalves(t *testing.T) {
	m, err := Load("../../../testdata/real/cartola/month_10772_202508.txt")
	if err != nil {
		t.Fatal(err)
	}
	stated := func(serie, day string) float64 {
		quotes := m.quotes[Series{10772, serie}]
		q := quotes[quoteOn(quotes, on(t, day))]
		return (q.contributed - q.redeemed) * q.quota
	}
	for _, c := range []struct {
		serie, day, until, reason string
	}{
		{"CLASICO", "2025-08-08", "2025-08-10", ""},
		{"APV", "2025-08-14", "2025-08-17", ""},
		{"APV", "2025-08-13", "2025-08-13", ""},
		{"APV", "2025-08-15", "", notABusinessDay},
		{"APV", "2025-08-16", "", notABusinessDay},
		{"APV", "2025-08-17", "", notABusinessDay},
		{"APV", "2025-08-19", "2025-08-19", ""},
		{"WEB", "2025-08-22", "2025-08-24", ""}, // the last rows are redemptions
		{"APV", "2025-08-24", "", notABusinessDay},
		{"CLASICO", "2025-08-25", "", incompleteBusinessDay}, // no row
	} {
		f := m.Flow(10772, c.serie, on(t, c.day), on(t, "2025-08-24"))
		if f.Until != c.until || f.Reason != c.reason || (f.Value != nil) != (c.reason == "") {
			t.Errorf("%s on %s: %+v", c.serie, c.day, f)
		}
		if f.Value == nil {
			continue
		}
		want := 0.0
		for d := on(t, c.day); !d.After(on(t, c.until)); d = d.AddDate(0, 0, 1) {
			want += stated(c.serie, iso(d))
		}
		if math.Abs(*f.Value-want) > 1e-6 {
			t.Errorf("%s on %s: %v, want %v", c.serie, c.day, *f.Value, want)
		}
	}
	if stated("APV", "2025-08-14") <= 0 || stated("APV", "2025-08-17") >= 0 {
		t.Error("the two halves are not on two days")
	}
}

func TestAFlowIsKnownOnADayOnlyFromRowsUpToIt(t *testing.T) {
	m, err := Load("../../../testdata/real/cartola/month_10772_202508.txt")
	if err != nil {
		t.Fatal(err)
	}
	for day, until := range map[string]string{
		"2025-08-14": "", "2025-08-15": "", "2025-08-16": "", "2025-08-17": "2025-08-17", "2025-08-19": "2025-08-19",
		"2025-08-22": "", "2025-08-23": "", "2025-08-24": "2025-08-24",
	} {
		if f := m.FlowKnownOn(10772, "APV", on(t, day)); f.Until != until || (f.Reason == "") != (until != "") {
			t.Errorf("on %s: %+v, want until %q", day, f, until)
		}
	}
}

func TestABusinessDayOfWhichACalendarDayIsMissingHasNoFlow(t *testing.T) {
	for name, change := range map[string]func(m *Market){
		"a day is missing": func(m *Market) {
			quotes := m.quotes[Series{10772, "APV"}]
			at := quoteOn(quotes, on(t, "2025-08-16"))
			m.quotes[Series{10772, "APV"}] = append(quotes[:at:at], quotes[at+1:]...)
		},
		"a day is void":  func(m *Market) { m.Void(10772, "APV", on(t, "2025-08-17")) },
		"the first void": func(m *Market) { m.Void(10772, "APV", on(t, "2025-08-14")) },
	} {
		m, err := Load("../../../testdata/real/cartola/month_10772_202508.txt")
		if err != nil {
			t.Fatal(err)
		}
		change(m)
		if f := m.Flow(10772, "APV", on(t, "2025-08-14"), on(t, "2025-08-24")); f.Reason != incompleteBusinessDay ||
			f.Value != nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
	// A market of one Sunday has the second half of a business day alone.
	m := New()
	sunday := peso(t, "2025-07-20", 1000)
	sunday.Redeemed = 5
	m.Add(sunday)
	if f := m.Flow(run, "A", sunday.Day, sunday.Day); f.Reason != incompleteBusinessDay {
		t.Errorf("one Sunday: %+v", f)
	}
	// And the business day before a weekend has its first half alone until the Sunday is there.
	friday := peso(t, "2025-07-18", 1000)
	friday.Contributed = 7
	m.Add(friday)
	if f := m.Flow(run, "A", friday.Day, friday.Day); f.Reason != incompleteBusinessDay {
		t.Errorf("one Friday: %+v", f)
	}
	m.Add(peso(t, "2025-07-19", 1000))
	if f := m.Flow(run, "A", friday.Day, sunday.Day); !near(f.Value, 2000) || f.Until != "2025-07-20" {
		t.Errorf("Friday to Sunday: %+v", f)
	}
}

func TestDollarsHaveBusinessDaysOfTheirOwn(t *testing.T) {
	m := New()
	for _, r := range []struct {
		serie, moneda, day    string
		contributed, redeemed float64
	}{
		// Monday the 19th of January 2026 is a holiday in the United States.
		{"P", "$$", "2026-01-16", 3, 0}, {"P", "$$", "2026-01-17", 0, 0}, {"P", "$$", "2026-01-18", 0, 2},
		{"P", "$$", "2026-01-19", 5, 4},
		{"D", "PROM", "2026-01-16", 3, 0}, {"D", "PROM", "2026-01-17", 0, 0}, {"D", "PROM", "2026-01-18", 0, 0},
		{"D", "PROM", "2026-01-19", 0, 2},
	} {
		row := peso(t, r.day, 10).in(r.serie)
		row.Moneda, row.Contributed, row.Redeemed = r.moneda, r.contributed, r.redeemed
		m.Add(row)
	}
	friday, monday := on(t, "2026-01-16"), on(t, "2026-01-19")
	if f := m.Flow(run, "P", friday, monday); !near(f.Value, 10) || f.Until != "2026-01-18" {
		t.Errorf("pesos: %+v", f)
	}
	if f := m.Flow(run, "D", friday, monday); !near(f.Value, 10) || f.Until != "2026-01-19" {
		t.Errorf("dollars: %+v", f)
	}
	if f := m.Flow(run, "D", friday, on(t, "2026-01-18")); f.Reason != incompleteBusinessDay {
		t.Errorf("dollars, the holiday before: %+v", f)
	}
}

// A Saturday on which one of forty series has a contribution belongs to the business day of Friday.
func TestASingleContributionOfAWeekendBeginsNoBusinessDay(t *testing.T) {
	m := New()
	for i := range 40 {
		for day, flows := range map[string][2]float64{"2025-07-18": {3, 0}, "2025-07-19": {0, 0}, "2025-07-20": {0, 2},
			"2025-07-21": {1, 1}} {
			row := peso(t, day, 10).in(fmt.Sprintf("S%d", i))
			row.Contributed, row.Redeemed = flows[0], flows[1]
			if i == 0 && day == "2025-07-19" {
				row.Contributed = 1
			}
			m.Add(row)
		}
	}
	friday, monday := on(t, "2025-07-18"), on(t, "2025-07-21")
	if f := m.Flow(run, "S1", friday, monday); !near(f.Value, 10) || f.Until != "2025-07-20" {
		t.Errorf("an ordinary series: %+v", f)
	}
	if f := m.Flow(run, "S0", friday, monday); !near(f.Value, 20) || f.Until != "2025-07-20" {
		t.Errorf("the series with a contribution on Saturday: %+v", f)
	}
}
