package longtest

import (
	"slices"
	"testing"
)

func TestEveryCaseIsDrawnBySomeSeedAndTheNumberIsRight(t *testing.T) {
	cases := []int{1, 2, 3, 4, 5, 6, 7}
	times := map[int]int{}
	for seed := range uint64(1000) {
		drawn := draw(cases, 3, seed)
		if len(drawn) != 3 || !slices.IsSorted(drawn) || len(slices.Compact(slices.Clone(drawn))) != 3 {
			t.Fatalf("seed %d draws %v", seed, drawn)
		}
		for _, one := range drawn {
			times[one]++
		}
	}
	for _, one := range cases {
		if got := times[one]; got < 350 || got > 510 { // 429 of 1,000 are expected
			t.Errorf("%d is drawn %d times", one, got)
		}
	}
}
