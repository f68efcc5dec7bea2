package oracle

import (
	"path/filepath"
	"testing"
	"time"
)

// fund returns a row with its quotas, of which the equity is the product.
func fund(t *testing.T, day string, quota, outstanding, contributed, redeemed float64) Row {
	r := peso(t, day, quota)
	r.Equity, r.Outstanding, r.Contributed, r.Redeemed = quota*outstanding, outstanding, contributed, redeemed
	return r
}

func TestAChangeOfUnitThatTheRowsThemselvesShowIsABreak(t *testing.T) {
	for name, c := range map[string]struct {
		before, after Row
		broken        bool
	}{
		"a thousandth": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			fund(t, "2025-03-04", 1.2346, 5_000_000, 0, 0), true},
		"a thousandth on a day of 3 %": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			fund(t, "2025-03-04", 1.2716, 5_000_000, 0, 0), true},
		"a hundred times": {fund(t, "2025-03-03", 12.3456, 5000, 0, 0),
			fund(t, "2025-03-04", 1234.56, 50, 0, 0), true},
		"with contributions": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			fund(t, "2025-03-04", 1.2346, 9_000_000, 4_000_000, 0), true},
		"with redemptions": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			fund(t, "2025-03-04", 1.2346, 2_000_000, 0, 3_000_000), true},
		"half": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 750, 10_000, 0, 0), true},
		"half on a day of -4 %": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 720, 10_000, 0, 0), true},
		"a third more": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 4500, 5000.0/3, 0, 0), true},
		"a thousandth with a payment": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			paying(fund(t, "2025-03-04", 1.1223, 5_000_000, 0, 0), 1.1), true},
		"half with a payment": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			paying(fund(t, "2025-03-04", 720, 10_000, 0, 0), 1.05), true},
		"quotas outstanding as they were": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			equal(fund(t, "2025-03-04", 150, 5000, 0, 0), 7_500_000), true},

		"an ordinary day": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 1500.15, 5000, 0, 0), false},
		"quotas and quota move inversely": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 1499.85, 5000.5, 0, 0), false},
		"contributions of half the equity": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 1501, 10_000, 5000, 0), false},
		"redemptions of 63 %": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 1501, 1850, 0, 3150), false},
		"a payment": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			paying(fund(t, "2025-03-04", 1000, 5000, 0, 0), 1.5), false},
		"a crash": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 750, 5000, 0, 0), false},
		"a crash to a tenth": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 150, 5000, 0, 0), false},
		"a crash that contributions fill up": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 150, 50_000, 45_000, 0), false},
		"quotas doubled without being stated": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-04", 1500, 10_000, 0, 0), false},
		"equity that does not fit": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			equal(fund(t, "2025-03-04", 750, 10_000, 0, 0), 7_510_000), false},
		"a thousandth after a day without a row": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			fund(t, "2025-03-05", 1.2346, 9_000_000, 0, 0), true},
		"a hundred times after a day without a row": {fund(t, "2025-03-03", 12.3456, 5000, 0, 0),
			fund(t, "2025-03-05", 1234.56, 20, 0, 0), true},
		"a crash to a tenth after a day without a row": {fund(t, "2025-03-03", 1500, 5000, 0, 0),
			fund(t, "2025-03-05", 150, 5000, 0, 0), false},
		"a thousandth with an equity that does not stay": {fund(t, "2025-03-03", 1234.5678, 5000, 0, 0),
			fund(t, "2025-03-04", 1.2346, 9_000_000, 0, 0), false},
		"an empty series": {fund(t, "2025-03-03", 1500, 0, 0, 0),
			fund(t, "2025-03-04", 1.5, 0, 0, 0), false},
	} {
		m := New()
		m.Add(c.before)
		m.Add(c.after)
		if got := discontinuous(m.quotes[Series{c.before.Run, "A"}]); got != c.broken {
			t.Errorf("%s: broken %v, want %v", name, got, c.broken)
		}
		if change := m.DailyChange(c.before.Run, "A", c.after.Day); (change == nil) != c.broken {
			t.Errorf("%s: daily change %v", name, change)
		}
	}
}

// paying returns a row a factor de reparto.
func paying(r Row, factor float64) Row {
	r.Payout = factor
	return r
}

// equal returns a row another equity.
func equal(r Row, equity float64) Row {
	r.Equity = equity
	return r
}

func TestAChangeOfUnitIsJudgedAgainstTheLastValidQuote(t *testing.T) {
	m := New()
	m.Add(fund(t, "2025-03-03", 1234.5678, 5000, 0, 0))
	m.Void(run, "A", on(t, "2025-03-04"))
	m.Add(fund(t, "2025-03-05", 1.2346, 5_000_000, 0, 0))
	if !discontinuous(m.quotes[Series{run, "A"}]) {
		t.Error("no break across a void row")
	}
	stated := fund(t, "2025-03-05", 1.2346, 5_000_000, 0, 0)
	stated.Adjust = 1000
	m.Add(stated)
	if interrupted(m.quotes[Series{run, "A"}]) {
		t.Error("a stated factor is a break of its own")
	}
	if change := m.DailyChange(run, "A", on(t, "2025-03-05")); !near(change, 100*(1.2346*1000/1234.5678-1)) {
		t.Errorf("daily change %v", change)
	}
}

func TestNoReturnNorRiskCrossesAChangeOfUnit(t *testing.T) {
	m := New()
	for day, quota := on(t, "2022-01-01"), 1000.0; !day.After(on(t, "2025-02-28")); day = day.AddDate(0, 0, 1) {
		quota *= 1.0001
		r := fund(t, iso(day), quota, 5000, 0, 0)
		if !day.Before(on(t, "2025-01-15")) {
			r = fund(t, iso(day), quota/1000, 5_000_000, 0, 0)
		}
		m.Add(r)
	}
	end := on(t, "2025-02-28")
	for window, reason := range map[string]string{"1m": "", "3m": "known_discontinuity", "1y": "known_discontinuity",
		"last_closed_month": ""} {
		if p := m.Period(run, "A", end, window); p.Reason != reason {
			t.Errorf("%s: %q, want %q", window, p.Reason, reason)
		}
	}
	r := m.Risk(end)[Series{run, "A"}]
	if r.Volatility12 != nil || r.Volatility36 != nil || r.Drawdown36 != nil {
		t.Errorf("risk across a change of unit: %+v", r)
	}
	if r := m.Risk(Date(2024, time.December, 31))[Series{run, "A"}]; r.Volatility12 == nil {
		t.Error("no risk before it")
	}
}

// The rows of testdata/real/cartola are of the regulator's files of whole months: distributions, lumps of
// flows on Sundays, emptied series and series that begin and end inside the month.
func TestRealHistoriesShowNoChangeOfUnit(t *testing.T) {
	months, err := filepath.Glob("../../../testdata/real/cartola/*.txt")
	if err != nil || len(months) == 0 {
		t.Fatal("no real months", err)
	}
	ofMonths, err := Load(months...)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Market{realMarket(t), ofMonths} {
		for series, quotes := range m.quotes {
			before := quotes[0]
			for _, q := range quotes[1:] {
				if changesUnit(before, q) {
					t.Errorf("%v changes its unit on %s", series, iso(q.day))
				}
				before = q
			}
		}
	}
}
