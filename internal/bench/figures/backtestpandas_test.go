package figures

import (
	"strings"
	"testing"
)

func TestFewEqualSelectionsFailTheComparisonWithPandas(t *testing.T) {
	of := func(equal, other int) (ours, theirs []map[string][]uint32) {
		a, b := map[string][]uint32{}, map[string][]uint32{}
		for i := range equal + other {
			date := string(rune('a' + i))
			a[date], b[date] = []uint32{1, 2}, []uint32{2, 1} // the order does not count
			if i < other {
				b[date] = []uint32{1, 3}
			}
		}
		return []map[string][]uint32{a}, []map[string][]uint32{b}
	}
	for _, c := range []struct {
		equal, other int
		want         float64
		fails        bool
	}{{20, 0, 1, false}, {19, 1, 0.95, false}, {18, 1, 18.0 / 19, true}, {0, 3, 0, true}, {0, 0, 0, true}} {
		ours, theirs := of(c.equal, c.other)
		share, err := equalSelections(ours, theirs)
		if share != c.want || (err != nil) != c.fails {
			t.Errorf("%d equal and %d others: %v, %v", c.equal, c.other, share, err)
		}
		if c.other > 0 && c.fails && !strings.Contains(err.Error(), "on a, [1 2] and in pandas [1 3]") {
			t.Errorf("the error does not tell an example: %v", err)
		}
	}
}

func TestADateOnWhichOnlyOneSideSelectsIsNotEqual(t *testing.T) {
	selected, nothing := []map[string][]uint32{{"2025-01-31": {1}}}, []map[string][]uint32{{}}
	for _, sides := range [][2][]map[string][]uint32{{selected, nothing}, {nothing, selected}} {
		if share, err := equalSelections(sides[0], sides[1]); share != 0 || err == nil {
			t.Errorf("%v: %v, %v", sides, share, err)
		}
	}
}
