package oracle

import (
	"testing"
)

// member adds a series of a fund with a change of 1 % on the second day, or without one, to a family.
func member(t *testing.T, m *Market, fund int, serie string, equity float64, changes bool) {
	t.Helper()
	m.Classify(Classification{Run: fund, Serie: serie, Day: on(t, "2025-01-31"), Family: "F", Category: "equity"})
	if changes {
		m.Add(Row{Run: fund, Serie: serie, Day: on(t, "2025-06-01"), Moneda: "$$", Quota: 100, Equity: equity})
	}
	m.Add(Row{Run: fund, Serie: serie, Day: on(t, "2025-06-02"), Moneda: "$$", Quota: 101, Equity: equity})
}

func TestAFamilyIsShownIfThreeSeriesOfTwoFundsHaveHalfOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		add    func(m *Market)
		series int
		share  float64
		shown  bool
	}{
		"three of two funds, half": {func(m *Market) {
			member(t, m, 1, "A", 100, true)
			member(t, m, 1, "B", 100, true)
			member(t, m, 2, "A", 100, true)
			member(t, m, 3, "A", 300, false)
		}, 3, 0.5, true},
		"a peso less than half": {func(m *Market) {
			member(t, m, 1, "A", 100, true)
			member(t, m, 1, "B", 100, true)
			member(t, m, 2, "A", 99, true)
			member(t, m, 3, "A", 300, false)
		}, 3, 299.0 / 599, false},
		"two series": {func(m *Market) {
			member(t, m, 1, "A", 100, true)
			member(t, m, 2, "A", 100, true)
		}, 2, 1, false},
		"one fund": {func(m *Market) {
			member(t, m, 1, "A", 100, true)
			member(t, m, 1, "B", 100, true)
			member(t, m, 1, "C", 100, true)
		}, 3, 1, false},
	} {
		m := New()
		c.add(m)
		f := m.FamilyDays(on(t, "2025-06-02"))[[2]string{"F", "PESOS"}]
		if f.Eligible.Series != c.series || !near(f.Eligible.Share, c.share) || (f.Daily != nil) != c.shown ||
			(len(m.FamilyIndex("F", "PESOS")) == 2) != c.shown {
			t.Errorf("%s: %+v, share %v", name, f, show(f.Eligible.Share))
		}
	}
}
