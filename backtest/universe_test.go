package backtest

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAUniverseSortsByValueAndThenById(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		candidates := make([]Candidate, random.IntN(300))
		for i := range candidates {
			candidates[i].Series = uint32(10 + i)
			value := []float64{math.NaN(), 0, math.Copysign(0, -1), -0.5, 0.5, math.Inf(1), math.Inf(-1),
				random.NormFloat64(), random.NormFloat64()}[random.IntN(9)]
			if random.IntN(4) == 0 { // differs in its last bits only
				value = math.Nextafter(0.25, float64(random.IntN(2)))
			}
			candidates[i].TAC = value
		}
		u := NewUniverse(candidates)
		for _, descending := range []bool{false, true} {
			var want []int32
			for i := range candidates {
				if !math.IsNaN(candidates[i].TAC) {
					want = append(want, int32(i))
				}
			}
			slices.SortStableFunc(want, func(a, b int32) int {
				if descending {
					a, b = b, a
				}
				return cmp.Compare(candidates[a].TAC, candidates[b].TAC)
			})
			if got, _ := u.order(ByTAC, descending); !slices.Equal(got, want) {
				t.Fatalf("descending %t: %v, want %v", descending, got, want)
			}
		}
	}
}
