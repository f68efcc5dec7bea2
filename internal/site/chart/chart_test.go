package chart

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

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
			for _, monthEnds := range []bool{false, true} {
				ticks := dateTicks(first, last, s, monthEnds)
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
}

// The line of the grid that is called June is where the value of June is, not that of May or July.
func TestTheValueOfAMonthStandsOnTheLineOfItsMonth(t *testing.T) {
	c := Chart{Language: locale.English, Label: NumberLabels(locale.English), Lines: []Line{{Name: "costs"}}}
	for month := time.January; month <= time.December; month++ {
		end := model.NewDate(2024, month+1, 1).AddDays(-1)
		c.Lines[0].Points = append(c.Lines[0].Points, Point{end, float64(month)})
	}
	c.Lines[0].Points = append(c.Lines[0].Points, Point{model.NewDate(2025, 1, 20), 13}) // in a month that is not over
	c.Draw()
	for _, drawing := range c.Drawings {
		days := float64(c.Last.DaysSince(c.First))
		if len(drawing.Dates) < 2 {
			t.Fatalf("%s has %d labels", drawing.Name, len(drawing.Dates))
		}
		for _, label := range drawing.Dates {
			named, err := time.Parse("Jan 2006", strings.ReplaceAll(label.Text, "\u00a0", " "))
			if err != nil {
				t.Fatal(err)
			}
			of := c.Lines[0].Points[named.Month()-1].Day
			at := drawing.Left + (drawing.Right-drawing.Left)*float64(of.DaysSince(c.First))/days
			if math.Abs(label.At-at) > 0.1 {
				t.Errorf("%s: %s is at %g, its value at %g", drawing.Name, label.Text, label.At, at)
			}
		}
	}
}

// Values of each quarter are of the last months of quarters, so a label elsewhere would stand beside all of them.
func TestLabelsOfQuartersStandInMonthsWithValues(t *testing.T) {
	for quarters := 5; quarters <= 60; quarters++ {
		c := Chart{Language: locale.English, Label: NumberLabels(locale.English), Lines: []Line{{Name: "book value"}}}
		for i := range quarters {
			end := model.NewDate(2010, time.Month(3*i+4), 1).AddDays(-1)
			c.Lines[0].Points = append(c.Lines[0].Points, Point{end, float64(i)})
		}
		c.Draw()
		for _, drawing := range c.Drawings {
			if len(drawing.Dates) < 2 {
				t.Errorf("%d quarters, %s: %d labels", quarters, drawing.Name, len(drawing.Dates))
			}
			for _, label := range drawing.Dates {
				words := strings.Split(label.Text, "\u00a0") // "Mar 2010", or "31 Mar 2010" where no other labels fit
				named, err := time.Parse("Jan", words[max(0, len(words)-2)])
				if err != nil || named.Month()%3 != 0 {
					t.Errorf("%d quarters, %s: a label is %q", quarters, drawing.Name, label.Text)
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

// daily are points on consecutive days.
func daily(first model.Date, values ...float64) (points []Point) {
	for i, value := range values {
		points = append(points, Point{first.AddDays(i), value})
	}
	return points
}

// A dot marks each point of a line of few, and of longer lines a point between two gaps.
func TestALineIsBrokenAndShadedWhereDaysAreMissing(t *testing.T) {
	first := model.NewDate(2024, 1, 1)
	broken := append(daily(first, 1, 2, 3), daily(first.AddDays(20), 4, 5)...)
	alone := append(daily(first, 2), daily(first.AddDays(15), 3, 3, 3, 3, 3, 3, 3)...)
	for _, of := range []struct {
		name                        string
		longest                     int
		lines                       []Line
		gaps, bands, strokes, areas int
		dots                        int
	}{
		{"nothing is known of missing days", 0, []Line{{Points: broken}}, 0, 0, 1, 1, 5},
		{"as many days as there may be", 18, []Line{{Points: broken}}, 0, 0, 1, 1, 5},
		{"a day more", 17, []Line{{Points: broken}}, 1, 1, 2, 2, 5},
		{"two lines, whose gaps overlap", 10, []Line{{Points: broken}, {Points: alone}}, 2, 1, 3, 2, 6},
	} {
		for i := range of.lines {
			of.lines[i].Longest = of.longest
		}
		c := Chart{FromZero: true, Lines: of.lines, Language: locale.Spanish,
			Label: NumberLabels(locale.Spanish)}
		c.Draw()
		for _, d := range c.Drawings {
			strokes, areas := 0, 0
			for _, p := range d.Paths {
				strokes += strings.Count(p.D, "M")
			}
			for _, p := range d.Areas {
				areas += strings.Count(p.D, "Z")
			}
			if len(c.Gaps) != of.gaps || len(d.Bands) != of.bands || strokes != of.strokes || areas != of.areas ||
				len(d.Dots) != of.dots {
				t.Errorf("%s, %s: gaps %v, bands %v, %d strokes, %d areas, %d dots", of.name, d.Name, c.Gaps, d.Bands,
					strokes, areas, len(d.Dots))
			}
		}
	}
	c := Chart{Lines: []Line{{Name: "a", Points: broken, Longest: 10}}, Language: locale.Spanish,
		Label: NumberLabels(locale.Spanish)}
	c.Draw()
	if want := (Gap{"a", first.AddDays(2), first.AddDays(20)}); len(c.Gaps) != 1 || c.Gaps[0] != want {
		t.Errorf("the gap is %v, want %v", c.Gaps, want)
	}
	d := c.Drawings[0]
	day := (d.Right - d.Left) / 21
	if b := d.Bands[0]; math.Abs(b.X-d.Left-2.5*day) > .1 || math.Abs(b.Width-17*day) > .2 {
		t.Errorf("the band is %+v, and a day is %g wide", b, day)
	}
}

func TestEachLineHasItsOwnLimitOfMissingDays(t *testing.T) {
	first := model.NewDate(2024, 1, 1)
	points := append(daily(first, 1, 2, 3), daily(first.AddDays(7), 4, 5)...) // five days apart
	c := Chart{Lines: []Line{{Name: "daily", Points: points, Longest: 1}, {Name: "weekly", Points: points, Longest: 7},
		{Name: "aside", Points: points, Longest: 1, Aside: true}}, Language: locale.Spanish,
		Label: NumberLabels(locale.Spanish)}
	c.Draw()
	if want := []Gap{{"daily", first.AddDays(2), first.AddDays(7)}}; !slices.Equal(c.Gaps, want) {
		t.Errorf("the gaps are %v, want %v", c.Gaps, want)
	}
	var strokes []int // of the last line first
	for _, p := range c.Drawings[0].Paths {
		strokes = append(strokes, strings.Count(p.D, "M"))
	}
	if !slices.Equal(strokes, []int{2, 1, 2}) {
		t.Errorf("the lines have %v strokes", strokes)
	}
}

func TestADayBetweenTwoMissingOnesIsNotShaded(t *testing.T) {
	first := model.NewDate(2024, 1, 1)
	points := daily(first, 1, 2, 3, 4, 5, 6, 7, 8)
	points = append(points[:2], points[3], points[5], points[6], points[7]) // without 3 and 5 January
	c := Chart{Lines: []Line{{Points: points, Longest: 1}}, Language: locale.Spanish,
		Label: NumberLabels(locale.Spanish)}
	c.Draw()
	for _, d := range c.Drawings {
		day := (d.Right - d.Left) / 7
		if len(d.Bands) != 2 {
			t.Fatalf("the bands are %v", d.Bands)
		}
		for i, missing := range []float64{2, 4} {
			if b := d.Bands[i]; math.Abs(b.X-d.Left-(missing-.5)*day) > .1 || math.Abs(b.Width-day) > .1 {
				t.Errorf("the band %d is %+v, and a day is %g wide", i, b, day)
			}
		}
	}
}

func TestALineOfManyPointsIsNotBrokenByThinning(t *testing.T) {
	values := make([]float64, 3650)
	for i := range values {
		values[i] = 100 + math.Sin(float64(i)/90)
	}
	points := daily(model.NewDate(2015, 1, 1), values...)
	points = append(points[:1000:1000], points[1200:]...)
	c := Chart{Lines: []Line{{Points: points, Longest: 10}}, Language: locale.Spanish,
		Label: NumberLabels(locale.Spanish)}
	c.Draw()
	for _, d := range c.Drawings {
		if strokes := strings.Count(d.Paths[0].D, "M"); strokes != 2 || len(d.Bands) != 1 {
			t.Errorf("%s: %d strokes, %d bands", d.Name, strokes, len(d.Bands))
		}
		if drawn := strings.Count(d.Paths[0].D, "L") + 2; drawn > d.points {
			t.Errorf("%s: %d points", d.Name, drawn)
		}
	}
}

func TestNamesAtTheEndsOfLinesDoNotOverlap(t *testing.T) {
	first := model.NewDate(2024, 1, 1)
	for _, ends := range [][]float64{{100, 100.01, 99.99}, {100, 150, 100.2, 149.9}, {90, 90, 90, 91},
		{110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110, 110}} {
		c := Chart{Named: true, Language: locale.Spanish, Label: NumberLabels(locale.Spanish)}
		for i, end := range ends {
			c.Lines = append(c.Lines, Line{Name: "FONDO DE NOMBRE LARGO " + string(rune('A'+i)),
				Points: daily(first, 100, end)})
		}
		c.Draw()
		wide, narrow := c.Drawings[0], c.Drawings[1]
		if len(narrow.Names) > 0 || narrow.Right != narrow.Width-right {
			t.Error("the narrow drawing has names, or room for them")
		}
		var places []float64
		for i, n := range wide.Names {
			places = append(places, n.Y)
			if n.Y < wide.Top-1e-9 || n.Y > wide.Bottom+1e-9 {
				t.Errorf("%v: the name %d stands at %g", ends, i, n.Y)
			}
			if letters := len([]rune(n.Text)); letters > wide.letters || n.X+nameLetter*float64(letters) > wide.Width {
				t.Errorf("%q at %g leaves the drawing", n.Text, n.X)
			}
		}
		if len(places) != len(ends) {
			t.Fatalf("there are %d names of %d lines", len(places), len(ends))
		}
		for i := range ends {
			for j := range ends {
				if i != j && math.Abs(places[i]-places[j]) < nameDistance-.2 {
					t.Errorf("%v: two names stand at %g and %g", ends, places[i], places[j])
				}
				if ends[i] > ends[j] && places[i] >= places[j] {
					t.Errorf("%v: the name of %g stands below that of %g", ends, ends[i], ends[j])
				}
			}
		}
	}
	free := []float64{20, 100, 200}
	if apart(free, nameDistance, 12, 312); free[0] != 20 || free[1] != 100 || free[2] != 200 {
		t.Errorf("names that are in nobody's way are moved: %v", free)
	}
}

func TestAScatterHasZeroAcrossAndItsPointsInside(t *testing.T) {
	s := Scatter{Points: []ScatterPoint{{X: .02, Y: .1}, {X: .013, Y: -.05}, {X: .02, Y: .2}, {X: 0, Y: .15}}}
	s.Draw(locale.Spanish)
	first, last := s.Columns[0], s.Columns[len(s.Columns)-1]
	if first.Text != "0,0" || !first.Strong || first.Anchor != "start" || last.Anchor != "end" || last.Text != "2,0" {
		t.Errorf("the ticks across are %+v", s.Columns)
	}
	zero := s.Rows[1]
	if zero.Text != "0" || !zero.Strong || s.Rows[0].Text != "−5" {
		t.Errorf("the ticks up are %+v", s.Rows)
	}
	// 0.02 stands on the last tick, and 0.15 on the line of 15.
	if s.Points[0].Left != "98.00%" || s.Points[3].Left != "1.00%" || s.Points[3].Down != s.Rows[4].At {
		t.Errorf("the points are %+v", s.Points)
	}
	for _, p := range s.Points {
		if p.Down < s.Top || p.Down > s.Bottom {
			t.Errorf("%+v is outside", p)
		}
	}
	for _, same := range [][]ScatterPoint{{{X: 0, Y: 0}}, {{X: .01, Y: .01}}, nil} {
		s := Scatter{Points: same}
		s.Draw(locale.Spanish)
		for _, p := range s.Points {
			if math.IsNaN(p.Down) || p.Down < s.Top || p.Down > s.Bottom {
				t.Errorf("%+v is outside", p)
			}
		}
	}
}

func TestAlignedChartsHaveTheSameDatesBelowEachOther(t *testing.T) {
	first := model.NewDate(2024, 1, 1)
	above := Chart{Named: true, Language: locale.Spanish, Label: NumberLabels(locale.Spanish),
		Lines: []Line{{Name: "a", Points: daily(first, 100, 101, 102)}, {Name: "b", Points: daily(first, 100, 99, 98)}}}
	below := Chart{FromZero: true, Language: locale.Spanish, Label: NumberLabels(locale.Spanish),
		Lines: []Line{{Name: "a", Points: daily(first, 0, -1234567, -2)}}}
	above.Draw()
	below.Draw()
	Align(&above, &below)
	for i, d := range above.Drawings {
		other := below.Drawings[i]
		if d.Left != other.Left || d.Right != other.Right || len(below.Drawings) != len(sizes) {
			t.Errorf("%s: from %g to %g, and from %g to %g below", d.Name, d.Left, d.Right, other.Left, other.Right)
		}
	}
}

func TestTheTextOfALowestPointStandsBelowIt(t *testing.T) {
	points := daily(model.NewDate(2024, 1, 1), 0, -.1, -.2, -.1, 0)
	c := Chart{FromZero: true, Language: locale.Spanish, Label: PercentLabels(locale.Spanish),
		Lines: []Line{{Name: "fall", Points: points}}, Marks: []Mark{{At: points[2], Text: "−20,0 %, 3 ene 2024"}}}
	c.Draw()
	for _, d := range c.Drawings {
		if m := d.Marks[0]; m.TextY < m.Y+markBelow-8 || m.TextY > d.Bottom {
			t.Errorf("%s: the point is at %g, its text at %g, and the foot at %g", d.Name, m.Y, m.TextY, d.Bottom)
		}
	}
}

func TestLabelsOfDatesThatAlmostTouchAreHalved(t *testing.T) {
	labels := func(distance float64) (dates []Tick) {
		for i := range 9 {
			dates = append(dates, Tick{At: distance * float64(i), Text: "feb 2025"})
		}
		return dates
	}
	for distance, want := range map[float64]int{100: 9, 60: 5, 25: 3, 1: 2} {
		if got := spread(labels(distance), 8.5); len(got) != want {
			t.Errorf("%g apart: %d labels, want %d", distance, len(got), want)
		}
	}
}
