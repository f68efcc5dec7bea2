package oracle

import (
	"testing"
	"time"
)

// stating adds synthetic or stated rates. The first is that of series A, the others complete
// its file.
func stating(t *testing.T, m *Market, month time.Time, kind, file string, percents ...string) {
	t.Helper()
	for i, percent := range percents {
		// The first rate is that of the tested series. The others belong to the same file.
		s := Statement{Run: run + i, Serie: "A", Month: month, Kind: kind, Percent: percent, File: file}
		if err := m.State(s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADifferenceBelowHalfOfTheLastPublishedDecimalIsNoChange(t *testing.T) {
	may, june := on(t, "2025-05-31"), on(t, "2025-06-30")
	for name, c := range map[string]struct {
		kind         string
		before, this []string
		want         bool
	}{
		"a hundredth between files of two decimals": {StatedTAC, []string{"1.31", "0.77"}, []string{"1.32", "0.77"},
			true},
		"nothing": {StatedTAC, []string{"1.32"}, []string{"1.32"}, false},
		"the same figure, rounded": {StatedTAC, []string{"1.319958", "0.5"}, []string{"1.32", "0.77"},
			false},
		"just below half":                     {StatedTAC, []string{"1.315001"}, []string{"1.32", "0.77"}, false},
		"half":                                {StatedTAC, []string{"1.315"}, []string{"1.32", "0.77"}, true},
		"the file drops zeros":                {StatedTAC, []string{"1.53", "0.77"}, []string{"1.5", "2.987158"}, true},
		"a whole file without a hundredth":    {StatedTAC, []string{"1.53"}, []string{"1.5"}, true},
		"a small change between files of six": {SyntheticTAC, []string{"2.037158"}, []string{"2.037159"}, true},
		"a float of 32 bits, and the decimal that it is of": {SyntheticTAC, []string{"1.3200000524520874"},
			[]string{"1.32"}, false},
		"of one that keeps five decimals": {SyntheticTAC, []string{"22.299999237060547"},
			[]string{"22.3"}, false},
		"a small one, as it is printed": {SyntheticTAC, []string{"4.8e-05"}, []string{"0.000048"},
			false},
	} {
		m := New()
		stating(t, m, may, c.kind, "may", c.before...)
		stating(t, m, june, c.kind, "june", c.this...)
		change, ok := m.TACChange(run, "a", june, june)
		if ok != c.want || ok && change.Kind != c.kind {
			t.Errorf("%s: %+v, %t, want %t", name, change, ok, c.want)
		}
	}
	if change := changeOf(t, "1.19", "1.32"); change.Before != 0.0119 || change.After != 0.0132 {
		t.Errorf("fractions: %+v", change)
	}
}

func changeOf(t *testing.T, before, after string) TACChange {
	t.Helper()
	m := New()
	stating(t, m, on(t, "2025-05-31"), StatedTAC, "may", before)
	stating(t, m, on(t, "2025-06-01"), StatedTAC, "june", after)
	change, ok := m.TACChange(run, "A", on(t, "2025-06-15"), on(t, "2025-05-31"))
	if !ok {
		t.Fatalf("no change from %s to %s", before, after)
	}
	return change
}

func TestChangesCompareLikeWithLike(t *testing.T) {
	may, june := on(t, "2025-05-31"), on(t, "2025-06-30")
	costlyMonths := func(m *Market) { // twice as much in June as in May
		costly(t, m, "2025-04-30", "2025-05-31", 1)
		costly(t, m, "2025-06-01", "2025-06-30", 2)
	}
	for name, c := range map[string]struct {
		state  func(m *Market)
		cutoff string
		want   string // kind; empty if there is no change
	}{
		"computed with computed":   {costlyMonths, "2025-06-30", ComputedTAC},
		"a month that is not over": {costlyMonths, "2025-06-29", ""},
		"stated in one month alone": {func(m *Market) {
			costlyMonths(m)
			stating(t, m, june, StatedTAC, "june", "9")
		}, "2025-06-30", ComputedTAC},
		"stated with stated, where both are": {func(m *Market) {
			costlyMonths(m)
			stating(t, m, may, StatedTAC, "may", "8")
			stating(t, m, june, StatedTAC, "june", "9")
		}, "2025-06-30", StatedTAC},
		"stated says that nothing changed": {func(m *Market) {
			costlyMonths(m)
			stating(t, m, may, StatedTAC, "may", "9")
			stating(t, m, june, StatedTAC, "june", "9")
		}, "2025-06-30", ""},
		"synthetic beside real": {func(m *Market) {
			stating(t, m, on(t, "2024-01-31"), StatedTAC, "january", "9")
			stating(t, m, may, SyntheticTAC, "may", "8")
			stating(t, m, june, SyntheticTAC, "june", "9")
		}, "2025-06-30", ""},
		"synthetic alone": {func(m *Market) {
			stating(t, m, may, SyntheticTAC, "may", "8")
			stating(t, m, june, SyntheticTAC, "june", "9")
		}, "2025-06-30", SyntheticTAC},
		"one month of each": {func(m *Market) {
			stating(t, m, may, SyntheticTAC, "may", "8")
			stating(t, m, june, StatedTAC, "june", "9")
		}, "2025-06-30", ""},
	} {
		m := New()
		c.state(m)
		change, ok := m.TACChange(run, "A", june, on(t, c.cutoff))
		if ok != (c.want != "") || ok && change.Kind != c.want {
			t.Errorf("%s: %+v, %t", name, change, ok)
		}
	}
}

func TestACostChangeBelowTheSheetsPrecisionIsNone(t *testing.T) {
	for _, c := range []struct {
		costs   float64 // of June; a cost of 1 in May is a rate of about 36 %
		changes bool
	}{
		{1 + 1e-10, false}, // 3.6e-9 percent points
		{1 + 1e-6, false},
		{1 - 1.2e-6, false},
		{1 + 1.6e-6, true}, // 0.00006
		{1 - 1.6e-6, true},
	} {
		m := New()
		costly(t, m, "2025-04-30", "2025-05-31", 1)
		costly(t, m, "2025-06-01", "2025-06-30", c.costs)
		change, ok := m.TACChange(run, "A", on(t, "2025-06-30"), on(t, "2025-06-30"))
		if ok != c.changes {
			t.Errorf("costs of %v: %v percent points, %t", c.costs, 100*(change.After-change.Before), ok)
		}
	}
}
