package query_test

import (
	"fmt"
	"math"
	"net/url"
	"testing"
)

// What is left is counted year by year: the return is added, and then the cost is taken.
func TestADifferenceInCostIsWhatTheYearsLeaveOneByOne(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for _, of := range []struct{ gross, first, second float64 }{{0.05, 0.02, 0.005}, {-0.1, 0, 0.03}, {0, 0.01, 0.01}} {
		got := askPage[struct {
			Years []struct {
				Year                      int
				First, Second, Difference float64
			}
		}](t, r, "/pages/cost-difference", url.Values{"amount": {"2500000"}, "years": {"30"},
			"gross": {fmt.Sprint(of.gross)},
			"first": {fmt.Sprint(of.first)}, "second": {fmt.Sprint(of.second)}})
		first, second := 2.5e6, 2.5e6
		for i, year := range got.Years {
			first += first * of.gross
			first -= first * of.first
			second += second * of.gross
			second -= second * of.second
			if year.Year != i+1 || math.Abs(year.First-first) > 1e-3 || math.Abs(year.Second-second) > 1e-3 ||
				math.Abs(year.Difference-(second-first)) > 1e-3 {
				t.Errorf("%+v: %+v, want %v and %v", of, year, first, second)
			}
		}
		if len(got.Years) != 30 {
			t.Errorf("%d years", len(got.Years))
		}
	}
}
