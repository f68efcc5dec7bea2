package oracle

import (
	"fmt"
	"testing"
)

func TestOutliersAreBeyondTheirCapOrFarFromTenPeers(t *testing.T) {
	here := group{"F", "PESOS"}
	peers := func(n int, more ...float64) map[Series]candidate {
		changes := map[Series]candidate{}
		for i := range n { // -0.2, -0.1, 0, 0.1, 0.2, -0.2 …: median 0, MAD 0.1
			changes[Series{1, fmt.Sprint(i)}] = candidate{0.1 * float64(i%5-2), 20, here, true}
		}
		for i, change := range more {
			changes[Series{2, fmt.Sprint(i)}] = candidate{change, 20, here, true}
		}
		return changes
	}
	reason := func(changes map[Series]candidate, floor float64) string {
		return outliers(changes, floor)[Series{2, "0"}]
	}
	for name, c := range map[string]struct{ got, want string }{
		"at the cap":                     {reason(peers(0, 20), 0.5), ""},
		"beyond it":                      {reason(peers(0, -20.1), 0.5), "cap"},
		"nine peers":                     {reason(peers(8, 5), 0.5), ""},
		"ten":                            {reason(peers(9, 5), 0.5), "peers"},
		"z of 6.7":                       {reason(peers(20, 1), 0.5), ""},
		"z of 8.1":                       {reason(peers(20, 1.2), 0.5), "peers"},
		"under the floor":                {reason(peers(20, 1.2), 2), ""},
		"what is capped is no peer":      {reason(peers(8, 5, 25), 0.5), ""},
		"no spread, over the floor":      {reason(still(0.6), 0.5), "peers"},
		"no spread, under it":            {reason(still(0.4), 0.5), ""},
		"of no group, whatever its size": {reason(map[Series]candidate{{2, "0"}: {change: 19, cap: 20}}, 0.5), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	for category, want := range map[string][2]float64{
		"money_market": {1, 3}, "fixed_income": {5, 12}, "balanced": {10, 25}, "equity": {20, 40},
		"structured": {20, 40}, "other": {20, 40}, "": {20, 40},
	} {
		if got := capOf(category); got != want {
			t.Errorf("%q: %v", category, got)
		}
	}
}

// still returns twelve changes of 0 and one of the given size.
func still(change float64) map[Series]candidate {
	changes := map[Series]candidate{{2, "0"}: {change, 20, group{"F", "PESOS"}, true}}
	for i := range 12 {
		changes[Series{1, fmt.Sprint(i)}] = candidate{0, 20, group{"F", "PESOS"}, true}
	}
	return changes
}

func TestASpikeIsALeapThatComesBack(t *testing.T) {
	for name, c := range map[string]struct {
		quotas []float64
		want   string // of each day
	}{
		"up and back":       {[]float64{100, 112, 100, 100}, "0110"},
		"down and back":     {[]float64{100, 80, 97, 97}, "0110"},
		"four fifths back":  {[]float64{100, 120, 103.9, 103.9}, "0110"},
		"less than that":    {[]float64{100, 120, 104.1, 104.1}, "0000"},
		"ten percent":       {[]float64{100, 109.9, 100, 100}, "0000"},
		"not yet come back": {[]float64{100, 120}, "00"},
	} {
		m := New()
		quoted(t, m, "A", 1, c.quotas...)
		got := ""
		for i := range c.quotas {
			got += map[bool]string{true: "1", false: "0"}[spike(m.quotes[Series{run, "A"}], i)]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
