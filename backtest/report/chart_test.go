package report

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cuota/model"
)

func TestAThinnedLineKeepsItsEndsAndItsExtremes(t *testing.T) {
	var points []point
	for i := range 3650 {
		points = append(points, point{model.NewDate(2015, 1, 1).AddDays(i), math.Sin(float64(i) / 90)})
	}
	points[1234].value, points[2345].value = 50, -50
	for _, most := range []int{1000, 350, 4} {
		kept := thinned(points, most)
		if len(kept) > most {
			t.Errorf("%d points are kept, more than %d", len(kept), most)
		}
		high, low := 0., 0.
		for i, p := range kept {
			high, low = max(high, p.value), min(low, p.value)
			if i > 0 && p.day.Compare(kept[i-1].day) <= 0 {
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
	}{{0, 1, false}, {-.37, 0, false}, {99.9, 100.1, false}, {100, 100, false}, {0, 0, false}, {1e9, 3e9, false}, {90, 400, true}, {100, 301, true}, {5, 9e6, true}} {
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
		c := chart{mayBeLog: true, language: Spanish, label: percentLabels(Spanish), Lines: []line{{points: []point{{model.NewDate(2020, 1, 1), 100}, {model.NewDate(2021, 1, 1), 100 * factor}}}}}
		c.draw()
		if c.Log != want {
			t.Errorf("a range of %g times: logarithmic is %t", factor, c.Log)
		}
	}
}

var variable = regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`)

// The contrast is that of WCAG 2: 4.5 for text and 3 for lines of pictures.
func TestColoursHaveEnoughContrastInLightAndDark(t *testing.T) {
	content, err := os.ReadFile("page/style.css")
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(content), "@media screen and (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there are no dark colours")
	}
	for name, part := range map[string]string{"light": before, "dark": after} {
		colours := map[string]string{}
		for _, set := range variable.FindAllStringSubmatch(part, -1) {
			colours[set[1]] = set[2]
		}
		check := func(front, back string, least float64) {
			if got := contrast(t, colours[front], colours[back]); got < least {
				t.Errorf("%s: the contrast of %s on %s is %.2f, less than %g", name, front, back, got, least)
			}
		}
		for _, text := range []string{"ink", "quiet", "accent"} {
			check(text, "paper", 4.5)
			check(text, "tint", 4.5)
		}
		for _, cell := range []string{"down3", "down2", "down1", "level", "up1", "up2", "up3"} {
			check("ink", cell, 4.5)
		}
		check("portfolio", "paper", 3)
		check("benchmark", "paper", 3)
		check("portfolio", "area", 3)
		check("benchmark", "area", 3)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	return (max(light, dark) + .05) / (min(light, dark) + .05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
	for i, weight := range []float64{.2126, .7152, .0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(n) / 255
		if part <= .04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}
