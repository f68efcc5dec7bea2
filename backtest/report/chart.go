package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cuota/model"
)

// A chart is drawn twice, for screens and paper and for phones, because the text of a picture
// that is made smaller can't be read. The style of the page shows one of them.
var sizes = []size{
	{Name: "wide", Width: 960, Height: 340, points: 1000, years: 14, dates: 9},
	{Name: "narrow", Width: 340, Height: 260, points: 350, years: 6, dates: 3},
}

// size is a size of a picture in pixels.
type size struct {
	Name          string
	Width, Height float64
	points        int // of a line, at most
	years, dates  int // labels on the axis, at most: years, and longer ones
}

// The space around the part of a picture in which values are drawn. The space on the left
// depends on the labels.
const right, top, bottom = 14, 12, 28

// logarithmic is the ratio of the highest to the lowest value from which on the scale is
// logarithmic.
const logarithmic = 3

// chart is a chart of values over days.
type chart struct {
	ID                       string
	Title, Description, Unit string
	Lines                    []line
	Marks                    []mark
	fromZero                 bool // the axis includes 0, and the first line has an area to it
	mayBeLog                 bool
	label                    func(value, step float64) string
	language                 Language
	Drawings                 []drawing
	Log                      bool
	ThinnedNote              string
	Table                    grid // the values behind the chart
}

// line is a line of a chart.
type line struct {
	Name   string
	Class  string // in the style: portfolio or benchmark
	points []point
}

type point struct {
	day   model.Date
	value float64
}

// mark is a point with a text beside it.
type mark struct {
	at   point
	Text string
}

// drawing is a chart in one size, with all coordinates.
type drawing struct {
	size
	ID                    string
	Left, Right           float64
	Top, Bottom           float64
	Values, Dates         []tick
	Areas, Paths          []path
	Dots                  []dot
	Marks                 []placed
	DateLabels, TextShift float64
}

type tick struct {
	At     float64
	Text   string
	Anchor string // of a date
	Strong bool
}

type path struct{ Class, D string }

// dot is a line of one point.
type dot struct {
	Class string
	X, Y  float64
}

type placed struct {
	X, Y, TextX, TextY float64
	Text, Anchor       string
}

// draw computes the drawings. A chart without points has none.
func (c *chart) draw() {
	low, high := math.Inf(1), math.Inf(-1)
	var first, last model.Date
	for _, l := range c.Lines {
		for _, p := range l.points {
			low, high = min(low, p.value), max(high, p.value)
			if first.IsZero() || p.day.Compare(first) < 0 {
				first = p.day
			}
			if last.IsZero() || p.day.Compare(last) > 0 {
				last = p.day
			}
		}
	}
	if first.IsZero() {
		return
	}
	if c.fromZero {
		low, high = min(low, 0), max(high, 0)
		if low == high {
			low = -.01 // all values are 0
		}
	}
	c.Log = c.mayBeLog && low > 0 && high/low > logarithmic
	for _, s := range sizes {
		c.Drawings = append(c.Drawings, c.drawn(s, scaleOf(low, high, c.Log), first, last))
	}
}

func (c *chart) drawn(s size, y scale, first, last model.Date) drawing {
	d := drawing{size: s, ID: c.ID + "-" + s.Name, Right: s.Width - right, Top: top, Bottom: s.Height - bottom, DateLabels: s.Height - 8}
	longest := 0
	for _, value := range y.ticks {
		t := tick{At: value, Text: c.label(value, y.step), Strong: value == 0}
		longest = max(longest, len([]rune(t.Text)))
		d.Values = append(d.Values, t)
	}
	d.Left = 14 + 7*float64(longest)
	d.TextShift = d.Left - 8
	vertical := func(value float64) float64 { return round(d.Bottom - (d.Bottom-d.Top)*y.part(value)) }
	days := float64(max(1, last.DaysSince(first)))
	horizontal := func(day model.Date) float64 {
		return round(d.Left + (d.Right-d.Left)*float64(day.DaysSince(first))/days)
	}
	for i := range d.Values {
		d.Values[i].At = vertical(d.Values[i].At)
	}
	for _, day := range dateTicks(first, last, s) {
		t := tick{At: horizontal(day.day), Text: day.text(c.language), Anchor: "middle"}
		// A label near an end must not leave the picture.
		if half := 3.5 * float64(len([]rune(t.Text))); t.At+half > s.Width {
			t.Anchor = "end"
		} else if t.At < half {
			t.Anchor = "start"
		}
		d.Dates = append(d.Dates, t)
	}
	for i, l := range c.Lines {
		points := thinned(l.points, s.points)
		if len(points) == 0 {
			continue
		}
		if len(points) == 1 { // a line of one point is not seen
			d.Dots = append(d.Dots, dot{l.Class, horizontal(points[0].day), vertical(points[0].value)})
			continue
		}
		var text strings.Builder
		for n, p := range points {
			letter := "L"
			if n == 0 {
				letter = "M"
			}
			fmt.Fprintf(&text, "%s%g %g", letter, horizontal(p.day), vertical(p.value))
		}
		d.Paths = append(d.Paths, path{l.Class, text.String()})
		if c.fromZero && i == 0 {
			area := fmt.Sprintf("%sL%g %gL%g %gZ", text.String(), horizontal(points[len(points)-1].day), vertical(0), horizontal(points[0].day), vertical(0))
			d.Areas = append(d.Areas, path{l.Class, area})
		}
	}
	for _, m := range c.Marks {
		p := placed{X: horizontal(m.at.day), Y: vertical(m.at.value), Text: m.Text, Anchor: "start"}
		p.TextX, p.TextY = p.X+9, min(p.Y+4, d.Bottom-4)
		if p.X > (d.Left+d.Right)/2 {
			p.Anchor, p.TextX = "end", p.X-9
		}
		d.Marks = append(d.Marks, p)
	}
	slices.Reverse(d.Paths) // the portfolio is drawn over its benchmark
	return d
}

// round gives tenths of a pixel, so that a path is short.
func round(pixels float64) float64 { return math.Round(pixels*10) / 10 }

// thinned leaves at most so many points of a line: of each span the lowest and the highest one,
// so that no extreme is lost, and the first and the last of all.
func thinned(points []point, most int) []point {
	if len(points) <= most {
		return points
	}
	inner := points[1 : len(points)-1]
	spans := (most - 2) / 2
	kept := []point{points[0]}
	for i := range spans {
		span := inner[i*len(inner)/spans : (i+1)*len(inner)/spans]
		lowest, highest := 0, 0
		for j, p := range span {
			if p.value < span[lowest].value {
				lowest = j
			}
			if p.value > span[highest].value {
				highest = j
			}
		}
		kept = append(kept, span[min(lowest, highest)])
		if lowest != highest {
			kept = append(kept, span[max(lowest, highest)])
		}
	}
	return append(kept, points[len(points)-1])
}

// scale says where values stand on the vertical axis.
type scale struct {
	low, high float64
	log       bool
	ticks     []float64
	step      float64 // between ticks, 0 if they have no fixed distance
}

// part is where a value stands: 0 at the bottom, 1 at the top.
func (s scale) part(value float64) float64 {
	if s.log {
		return math.Log(value/s.low) / math.Log(s.high/s.low)
	}
	return (value - s.low) / (s.high - s.low)
}

// scaleOf chooses an axis for a range of values, with about five round ticks.
func scaleOf(low, high float64, log bool) scale {
	if log {
		return logScale(low, high)
	}
	if high-low < 1e-9*max(1, math.Abs(high), math.Abs(low)) { // a flat line stands in the middle
		margin := max(math.Abs(high)*.05, .01)
		low, high = low-margin, high+margin
	}
	power := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	step := 10 * power
	for _, factor := range []float64{1, 2, 5} {
		if (high-low)/(factor*power) <= 6 {
			step = factor * power
			break
		}
	}
	from, to := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	s := scale{low: from * step, high: to * step, step: step}
	for i := from; i <= to; i++ {
		s.ticks = append(s.ticks, i*step)
	}
	return s
}

// logScale has ticks at 1, 2 and 5 times powers of ten, or at more of their multiples if there
// would be less than four.
func logScale(low, high float64) scale {
	s := scale{low: low * .97, high: high * 1.03, log: true}
	for _, factors := range [][]float64{{1, 2, 5}, {1, 1.5, 2, 3, 5, 7}} {
		s.ticks = nil
		for power := math.Pow(10, math.Floor(math.Log10(s.low))); power <= s.high; power *= 10 {
			for _, factor := range factors {
				if value := factor * power; value >= s.low && value <= s.high {
					s.ticks = append(s.ticks, value)
				}
			}
		}
		if len(s.ticks) >= 4 {
			break
		}
	}
	for len(s.ticks) > 8 { // a range of many powers of ten
		var half []float64
		for i := 0; i < len(s.ticks); i += 2 {
			half = append(half, s.ticks[i])
		}
		s.ticks = half
	}
	return s
}

// dateTick is a label of the axis of dates.
type dateTick struct {
	day  model.Date
	form string // year, month or day
}

func (t dateTick) text(l Language) string {
	switch t.form {
	case "year":
		return t.day.Time().Format("2006")
	case "month":
		return l.Month(t.day)
	}
	return l.Day(t.day)
}

// dateTicks gives first days of months or years, at equal distances, as many as a size has room
// for; of a short range its first and its last day.
func dateTicks(first, last model.Date, s size) []dateTick {
	year, month, _ := first.Time().Date()
	months := year*12 + int(month) - 1
	lastYear, lastMonth, _ := last.Time().Date()
	span := lastYear*12 + int(lastMonth) - 1 - months
	if span < 2 {
		ticks := []dateTick{{first, "day"}}
		if last != first {
			ticks = append(ticks, dateTick{last, "day"})
		}
		return ticks
	}
	for _, step := range []int{1, 3, 6, 12, 24, 60, 120, 240, 600} {
		form, most := "month", s.dates
		if step >= 12 {
			form, most = "year", s.years
		}
		var ticks []dateTick
		for m := (months + step - 1) / step * step; m <= months+span; m += step {
			day := model.NewDate(m/12, time.Month(m%12+1), 1)
			if day.Compare(first) >= 0 && day.Compare(last) <= 0 {
				ticks = append(ticks, dateTick{day, form})
			}
		}
		if len(ticks) <= most {
			return ticks
		}
	}
	return []dateTick{{first, "day"}, {last, "day"}}
}
