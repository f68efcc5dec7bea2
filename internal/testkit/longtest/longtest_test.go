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

func TestEachTestInTurnsHasOneTurn(t *testing.T) {
	for _, name := range []string{"TestA", "TestB", "TestSomething"} {
		turns := 0
		for _, turn := range []string{"0/3", "1/3", "2/3"} {
			mine, err := isTurn(turn, name)
			if err != nil {
				t.Fatal(err)
			}
			if mine {
				turns++
			}
		}
		if turns != 1 {
			t.Errorf("%s has %d turns of three", name, turns)
		}
	}
	if mine, err := isTurn("", "TestA"); mine || err != nil {
		t.Errorf("without a turn: %v, %v", mine, err)
	}
	for _, wrong := range []string{"3/3", "1", "x/3", "-1/3", "0/0"} {
		if _, err := isTurn(wrong, "TestA"); err == nil {
			t.Errorf("%s is taken for a turn", wrong)
		}
	}
}
