package oracle

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func TestTheIndexIsChainedFromWhatTheEligibleSeriesDid(t *testing.T) {
	m := New()
	m.quorum = quorum{} // the family has one fund
	quoted(t, m, "A", 300, 100, 101, 102.01)
	quoted(t, m, "B", 100, 100, 105, 105)
	quoted(t, m, "BIG", 1e9, 100, 50, 50) // halved, beyond the cap: does not count
	m.Add(peso(t, "2025-06-02", 7).in("NEW"))
	m.Add(peso(t, "2025-06-03", 7.7).in("NEW")) // counts from its second day: 1000 of 1400
	quoted(t, m, "UNNAMED", 1e9, 1, 1.1, 1.2)
	named(t, m, "F", "equity", "A", "B", "BIG", "NEW")
	// A alone is quoted after a day without quotes, then after nine such days.
	m.Add(peso(t, "2025-06-05", 103.0301).in("A"))
	m.Add(peso(t, "2025-06-14", 110).in("A"))

	got := m.FamilyIndex("F", "PESOS")
	first := (3*0.01 + 0.05) / 4
	second := (300*0.01 + 1000*0.1) / 1400
	want := []float64{100, 100 * (1 + first), 100 * (1 + first) * (1 + (second*1400)/(1400+1e9)), 0}
	want[3] = want[2] * 1.01
	if len(got) != 4 {
		t.Fatalf("%d points: %+v", len(got), got)
	}
	for i, p := range got {
		if math.Abs(p.Value-want[i]) > 1e-9 || (p.Change == nil) != (i == 0) {
			t.Errorf("point %d is %v, want %v", i, p, want[i])
		}
	}
	if level, ok := levelAt(got, on(t, "2025-06-12")); !ok || level != got[3].Value {
		t.Errorf("level %v %t", level, ok)
	}
	if _, ok := levelAt(got, on(t, "2025-06-13")); ok {
		t.Error("a point of eight days before stands for a month end")
	}
	m.Void(run, "A", on(t, "2025-06-02"))
	if after := m.FamilyIndex("F", "PESOS"); after[1].Value == got[1].Value {
		t.Error("the index does not know of the change")
	}
}

// levels writes an index as text: the day in June 2025, the value and the change, if any, of
// each point.
func levels(points []Point) (text string) {
	for _, p := range points {
		text += fmt.Sprintf("%d: %.4f", p.Day.Day(), p.Value)
		if p.Change != nil {
			text += fmt.Sprintf(" %+.4f since %d", *p.Change, p.Previous.Day())
		}
		text += "; "
	}
	return text
}

func TestTheIndexChainsOverDaysWithoutAPoint(t *testing.T) {
	add := func(m *Market, serie string, quotas map[int]float64) {
		for day, quota := range quotas {
			m.Add(Row{Run: run, Serie: serie, Day: Date(2025, time.June, day), Moneda: "$$", Quota: quota,
				Equity: 1000})
		}
	}
	for name, c := range map[string]struct {
		rows func(m *Market)
		want string
	}{
		"a void day": {func(m *Market) {
			add(m, "A", map[int]float64{27: 123, 28: 123.5069, 30: 123.7491})
			m.Void(run, "A", Date(2025, time.June, 29))
		}, "27: 100.0000; 28: 100.4121 +0.4121 since 27; 30: 100.6090 +0.1961 since 28; "},
		"a day whose only series is an outlier": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 101, 3: 130, 4: 111.1})
		}, "1: 100.0000; 2: 101.0000 +1.0000 since 1; 4: 111.1000 +10.0000 since 2; "},
		"a spike, over which the rest remains": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 115, 3: 101, 4: 102.01})
		}, "1: 100.0000; 3: 101.0000 +1.0000 since 1; 4: 102.0100 +1.0000 since 3; "},
		"two series on alternate days: the other one never counts": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 3: 102, 5: 104.04})
			add(m, "B", map[int]float64{2: 100, 4: 110, 6: 121})
		}, "1: 100.0000; 3: 102.0000 +2.0000 since 1; 5: 104.0400 +2.0000 since 3; "},
		"a stray day is no base": {func(m *Market) {
			add(m, "A", map[int]float64{1: 50, 10: 100, 11: 101})
		}, "10: 100.0000; 11: 101.0000 +1.0000 since 10; "},
		"after a longer gap the level carries on": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 110, 10: 200, 11: 220, 18: 242})
		}, "1: 100.0000; 2: 110.0000 +10.0000 since 1; 10: 110.0000; 11: 121.0000 +10.0000 since 10; 18: 133.1000 " +
			"+10.0000 since 11; "},
		"a stray day in a gap": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 110, 10: 1, 18: 200, 19: 202})
		}, "1: 100.0000; 2: 110.0000 +10.0000 since 1; 18: 110.0000; 19: 111.1000 +1.0000 since 18; "},
		"the earliest day to which the second point chains is the base": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 3: 110, 4: 110})
			add(m, "B", map[int]float64{2: 100, 3: 120, 4: 120})
		}, "1: 100.0000; 3: 110.0000 +10.0000 since 1; 4: 110.0000 +0.0000 since 3; "},
		"a later quote does not take points away": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 5: 110})
			add(m, "B", map[int]float64{2: 100, 3: 101, 5: 102.01})
		}, "2: 100.0000; 3: 101.0000 +1.0000 since 2; 5: 102.0100 +1.0000 since 3; "},
		"factors and breaks between": {func(m *Market) {
			add(m, "A", map[int]float64{1: 100, 2: 130, 4: 54})
			m.Add(Row{Run: run, Serie: "A", Day: Date(2025, time.June, 3), Moneda: "$$", Quota: 55, Equity: 1000,
				Adjust: 2})
			m.Void(run, "A", Date(2025, time.June, 2))
			m.Break(run, "A", Date(2025, time.June, 5))
			add(m, "A", map[int]float64{6: 50, 7: 51})
			m.Void(run, "A", Date(2025, time.June, 5))
		}, "1: 100.0000; 3: 110.0000 +10.0000 since 1; 4: 108.0000 -1.8182 since 3; "},
	} {
		m := New()
		m.quorum = quorum{} // the family has one fund
		named(t, m, "F", "equity", "A", "B")
		c.rows(m)
		if got := levels(m.FamilyIndex("F", "PESOS")); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestASummaryCountsSinceThePreviousIndexDateAsItWasKnown(t *testing.T) {
	m := New()
	m.quorum = quorum{} // the family has one fund
	named(t, m, "F", "equity", "A", "B", "C")
	quoted(t, m, "A", 1000, 100, 115, 101) // its spike is visible only on the third day
	for day, quota := range map[int]float64{1: 100, 3: 104} {
		m.Add(Row{Run: run, Serie: "B", Day: Date(2025, time.June, day), Moneda: "$$", Quota: quota, Equity: 3000})
	}
	for _, c := range []struct {
		day   int
		alive map[Series]bool
		want  string
	}{
		{1, nil, " none"}, {2, nil, "2025-06-01 0.150000"}, {3, nil, "2025-06-02 -0.121739"}, {4, nil, " none"},
		{3, map[Series]bool{{run, "B"}: true}, "2025-06-02 none"},
	} {
		previous, change := m.FamilyChange("F", "PESOS", Date(2025, time.June, c.day), c.alive)
		got := previous + " none"
		if change != nil {
			got = fmt.Sprintf("%s %.6f", previous, *change)
		}
		if got != c.want {
			t.Errorf("on %d: %s, want %s", c.day, got, c.want)
		}
	}
	if got, want := levels(m.FamilyIndex("F", "PESOS")), "1: 100.0000; 3: 103.2500 +3.2500 since 1; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
