package stats

import (
	"testing"
	"time"
)

func TestSpreadIsHalfTheRangeOverTheMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Stat
	}{
		{nil, Stat{}},
		{[]float64{4}, Stat{4, 0}},
		{[]float64{12, 8, 10}, Stat{10, 0.2}},
		{[]float64{6, 2}, Stat{4, 0.5}},
	} {
		if got := NewStat(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

func TestRatioComparesRoundWithRound(t *testing.T) {
	at := func(seconds ...float64) (list []Reading) {
		for _, s := range seconds {
			list = append(list, Reading{Units: 1, Wall: time.Duration(s * float64(time.Second))})
		}
		return list
	}
	// Both sides are slower in the last two rounds, and the ratio stays the same.
	if got := ratio(at(2, 20, 40), at(1, 10, 20), Reading.Millis); got != (Stat{2, 0}) {
		t.Errorf("ratio %v, want 2 in every round", got)
	}
}

func TestQuantileIsTheNearestRank(t *testing.T) {
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1))
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 50, 0.99: 99, 1: 100} {
		if got := Quantile(hundred, q); got != want {
			t.Errorf("quantile %g of 1 to 100 is %d, want %d", q, got, want)
		}
	}
	if Quantile(nil, 0.5) != 0 {
		t.Error("a quantile of nothing")
	}
}

func TestNumbersAreWrittenWithThreeSignificantDigits(t *testing.T) {
	for x, want := range map[float64]string{
		1234567.8: "1,234,568", 1000: "1,000", 999.4: "999", 45.26: "45.3", 1.234: "1.23", 0.03456: "0.0346",
		-1234: "-1,234", 0: "0",
	} {
		if got := Significant(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}

func TestOthersTookWhatWasBusyAndNotOurs(t *testing.T) {
	before := Processors{busy: 1000, idle: 1000, own: 10}
	for _, c := range []struct {
		after Processors
		want  float64
	}{
		{Processors{busy: 1150, idle: 1050, own: 60}, 0.5},
		{Processors{busy: 1150, idle: 1050, own: 160}, 0},
		{Processors{busy: 1100, idle: 1100, own: 500}, 0}, // the two clocks differ a little
		{before, 0},
	} {
		if got := TakenByOthers(before, c.after); got != c.want {
			t.Errorf("%+v: %v, want %v", c.after, got, c.want)
		}
	}
}
