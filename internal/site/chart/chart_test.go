package chart

import (
	"math"
	"testing"

	"cuota/internal/site/locale"
	"cuota/model"
)

func TestAThinnedLineKeepsItsEndsAndItsExtremes(t *testing.T) {
	var points []Point
	for i := range 3650 {
		points = append(points, Point{model.NewDate(2015, 1, 1).AddDays(i), math.Sin(float64(i) / 90)})
	}
	points[1234].Value, points[2345].Value = 50, -50
	for _, most := range []int{1000, 350, 4} {
		kept := thinned(points, most)
		if len(kept) > most {
			t.Errorf("%d points are kept, more than %d", len(kept), most)
		}
		high, low := 0., 0.
		for i, p := range kept {
			high, low = max(high, p.Value), min(low, p.Value)
			if i > 0 && p.Day.Compare(kept[i-1].Day) <= 0 {
				t.Fatal("the points are not in the order of their days")
			}
		}
		if kept[0] != points[0] || kept[len(kept)-1] != points[3649] || high != 50 || low != -50 {
			t.Errorf("of %d points an end or an extreme is lost", most)
		}
	}
}

func TestAnAxisHasAFewRoundTicksAroundItsValues(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
	}{{0, 1, false}, {-.37, 0, false}, {99.9, 100.1, false}, {100, 100, false}, {0, 0, false}, {1e9, 3e9, false},
		{90, 400, true}, {100, 301, true}, {5, 9e6, true}, {98.2, 103.7, true}, {.1, .1, true}} {
		s := scaleOf(c.low, c.high, c.log)
		if len(s.ticks) < 2 || len(s.ticks) > 8 {
			t.Errorf("%+v: ticks %v", c, s.ticks)
		}
		for _, value := range append([]float64{c.low, c.high}, s.ticks...) {
			if part := s.part(value); part < -1e-9 || part > 1+1e-9 || math.IsNaN(part) {
				t.Errorf("%+v: %g stands at %g", c, value, part)
			}
		}
	}
}

func TestLabelsOfDatesAreFewAndInsideTheRange(t *testing.T) {
	first := model.NewDate(2015, 1, 31)
	for _, days := range []int{0, 1, 20, 45, 70, 200, 400, 1000, 3650, 10000, 60000} {
		last := first.AddDays(days)
		for _, s := range sizes {
			ticks := dateTicks(first, last, s)
			if len(ticks) == 0 || len(ticks) > s.years {
				t.Errorf("%d days: %d labels of %d", days, len(ticks), s.years)
			}
			for _, tick := range ticks {
				if tick.day.Compare(first) < 0 || tick.day.Compare(last) > 0 {
					t.Errorf("%d days: the label %s is outside", days, tick.day)
				}
			}
		}
	}
}

func TestTheScaleIsLogarithmicBeyondThreeTimes(t *testing.T) {
	for factor, want := range map[float64]bool{2.9: false, 3.1: true} {
		c := Chart{Axis: Automatic, Language: locale.Spanish, Label: PercentLabels(locale.Spanish),
			Lines: []Line{{Points: []Point{{model.NewDate(2020, 1, 1), 100},
				{model.NewDate(2021, 1, 1), 100 * factor}}}}}
		c.Draw()
		if c.Log != want {
			t.Errorf("a range of %g times: logarithmic is %t", factor, c.Log)
		}
	}
}
