package chart

import (
	"math"
	"strconv"

	"cuota/internal/site/locale"
)

// Scatter shows two values of each of many things as a point. Its drawing has one size in every window: it is as wide
// as the window lets it be, so horizontal places are percent of its width, and vertical ones pixels. Draw sets the
// fields of the second group.
type Scatter struct {
	ID, Title string // in the page
	// What stands on the axes, with its unit. The values are fractions, which are told in percent. The horizontal axis
	// has 0, because what stands on it is read as a size.
	Across, Up string
	Points     []ScatterPoint

	Height, Top, Bottom float64
	Columns, Rows       []Tick
}

// ScatterPoint is one thing, with the page that it leads to. Draw sets Left and Down.
type ScatterPoint struct {
	X, Y              float64
	Title, Name, Link string

	Left string // percent of the width
	Down float64
	// Label is the name, shown beside the point if there are few points. It is "" otherwise.
	Label                  string
	LabelAnchor            string
	LabelShift, LabelPlace float64 // to the side of the point, and down
}

// With so few points each one has its name beside it, of at most so many letters, and names are so far apart.
const (
	fewNamed        = 10
	pointLetters    = 20
	pointNameApart  = 15
	pointNameBeside = 9
)

// The edges of the part of a scatter in which points stand: left and right in percent of the width, the others in
// pixels.
const (
	scatterLeft, scatterRight = 1, 98
	scatterHeight             = 360
	scatterTop, scatterBottom = 20, 332
)

// Draw computes the places of points and of ticks. A scatter without points has none.
func (s *Scatter) Draw(l locale.Language) {
	s.Height, s.Top, s.Bottom = scatterHeight, scatterTop, scatterBottom
	if len(s.Points) == 0 {
		return
	}
	nearest, furthest, low, high := 0.0, 0.0, s.Points[0].Y, s.Points[0].Y
	for _, p := range s.Points {
		nearest, furthest, low, high = min(nearest, p.X), max(furthest, p.X), min(low, p.Y), max(high, p.Y)
	}
	x, y := scaleOf(nearest, furthest, false), scaleOf(low, high, false)
	across := func(value float64) float64 { return round(scatterLeft + (scatterRight-scatterLeft)*x.part(value)) }
	down := func(value float64) float64 { return round(scatterBottom - (scatterBottom-scatterTop)*y.part(value)) }
	label := PercentLabels(l)
	for i, value := range x.ticks {
		t := Tick{At: across(value), Text: label(value, x.step), Anchor: "middle", Strong: value == 0}
		switch i {
		case 0:
			t.Anchor = "start"
		case len(x.ticks) - 1:
			t.Anchor = "end"
		}
		s.Columns = append(s.Columns, t)
	}
	for _, value := range y.ticks {
		s.Rows = append(s.Rows, Tick{At: down(value), Text: label(value, y.step), Strong: math.Abs(value) < y.step/1e6})
	}
	for i := range s.Points {
		p := &s.Points[i]
		// One more decimal than ticks have: a percent of the width is several pixels.
		place := scatterLeft + (scatterRight-scatterLeft)*x.part(p.X)
		p.Left, p.Down = strconv.FormatFloat(place, 'f', 2, 64)+"%", down(p.Y)
		p.LabelShift, p.LabelAnchor = pointNameBeside, "start"
		if place > 50 {
			p.LabelShift, p.LabelAnchor = -pointNameBeside, "end"
		}
	}
	if len(s.Points) < fewNamed {
		places := make([]float64, len(s.Points))
		for i, p := range s.Points {
			places[i] = p.Down
		}
		apart(places, pointNameApart, scatterTop, scatterBottom)
		for i := range s.Points {
			s.Points[i].LabelPlace, s.Points[i].Label = round(places[i]), locale.Bounded(s.Points[i].Name, pointLetters)
		}
	}
}
