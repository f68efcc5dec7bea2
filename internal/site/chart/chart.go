// Package chart computes the coordinates of charts: of lines over days, with the ticks of their axes
// and their labels, of scatters, and of treemaps. The pages that show them turn these into SVG and give them
// their style.
package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"cuota/internal/site/locale"
	"cuota/model"
)

// A chart is drawn twice, for screens and paper and for phones, because the text of a picture
// that is made smaller can't be read. The style of the page shows one of them.
var sizes = []Size{
	{Name: "wide", Width: 960, Height: 340, points: 1000, years: 14, dates: 9, letters: 18, letter: 8.5},
	{Name: "narrow", Width: 340, Height: 260, points: 350, years: 6, dates: 3, letter: 7},
}

// Size is a size of a picture in pixels.
type Size struct {
	Name          string
	Width, Height float64
	points        int // of a line, at most
	years, dates  int // labels on the axis, at most: years, and longer ones
	letters       int // of the name at the end of a line, at most; 0 if lines have no names there

	letter float64 // how wide a letter of a label is, in the largest type of this size
}

// The space around the part of a picture in which values are drawn. The space on the left
// depends on the labels.
const right, top, bottom = 14, 12, 34

// logarithmic is the ratio of the highest to the lowest value from which on the scale is
// logarithmic.
const logarithmic = 3

// The names at the ends of lines: how wide a letter is, how far the names are from each other, and
// how long the stroke is that leads from the line to its name. Letters are wider on a picture that is shown smaller.
const (
	nameLetter   = 9.3
	nameDistance = 17
	nameLead     = 16
)

// Chart is a chart of values over days. Draw sets the fields of the second group.
//
// A chart of what may be read as a size, such as a cost, an amount or a fall, sets FromZero: an
// axis that begins at another value makes small differences of it look great. A chart of growth
// may be cut, because its base is 100 and the reader looks at the changes. Its axis says where it
// begins.
type Chart struct {
	ID                       string // in the page
	Title, Description, Unit string
	Lines                    []Line
	Marks                    []Mark
	FromZero                 bool // the axis includes 0, and the first line has an area to it
	Axis                     Axis
	Label                    func(value, step float64) string // see PercentLabels
	Language                 locale.Language
	// Named puts the names of lines at their ends, in drawings that have room for them.
	Named bool

	First, Last model.Date // of all points
	// Every point is of the last day of a month, or of the last day of all, in a month that is not over. The axis of
	// dates names these days.
	MonthEnds bool
	Low, High float64   // ends of the axis of values
	Log       bool      // the axis of values is logarithmic
	Gaps      []Gap     // of the lines that are not Aside
	Drawings  []Drawing // one of each size

	margins []margin // of each size, at least; see Align
}

// margin is the room beside the part of a picture with values.
type margin struct{ left, right float64 }

// Align draws charts anew with the same room at their sides, so that the same dates stand below each other.
func Align(charts ...*Chart) {
	margins := make([]margin, len(sizes))
	for _, c := range charts {
		for i, d := range c.Drawings {
			margins[i] = margin{max(margins[i].left, d.Left), max(margins[i].right, d.Width-d.Right)}
		}
	}
	for _, c := range charts {
		c.margins = margins
		c.Draw()
	}
}

// markRoom is the part of the height of values that is left below a marked lowest value, for its text.
const markRoom = 0.09

// Gap is a span in which a line has no values, though it should have some: between two neighbouring
// points.
type Gap struct {
	Line     string
	From, To model.Date // the days of the points
}

// Axis says whether the axis of values is logarithmic. It is never so if a value is not above 0.
type Axis int

// The kinds of axes. Automatic is logarithmic if the highest value is more than three times the
// lowest.
const (
	Linear Axis = iota
	Automatic
	Logarithmic
)

// Line is a line of a chart.
type Line struct {
	Name   string
	Short  string // stands at the end of the line; "" for the name
	Class  string // in the style of the page
	Points []Point
	// Longest is how many days there may be between neighbouring points. Where there are more, values are missing: the
	// line is broken there, and the days are shaded. 0 means that nothing is known of missing days.
	Longest int
	// Aside is set for a line that others are read against. Days that it lacks are not shaded, because the others may
	// have a value on them.
	Aside bool
}

// Point is a value on a day.
type Point struct {
	Day   model.Date
	Value float64
}

// Mark is a point with a text beside it.
type Mark struct {
	At    Point
	Text  string
	Above bool // the text stands above the point, else below it
}

// Drawing is a chart in one size, with all coordinates.
type Drawing struct {
	Size
	ID                    string
	Left, Right           float64 // edges of the part with values
	Top, Bottom           float64
	Values, Dates         []Tick
	Areas, Paths          []Path
	Dots                  []Dot
	Marks                 []Placed
	Bands                 []Band
	Names                 []EndName
	DateLabels, TextShift float64 // where the labels of dates and of values stand
}

// Band is the shade over neighbouring days without values. A day reaches half way to the days beside it, so a day with
// a value between two gaps is not shaded.
type Band struct{ X, Width float64 }

// EndName is the name at the end of a line, with the stroke that leads to it.
type EndName struct {
	Class, Text string
	X, Y        float64
	Lead        string
}

// Tick is a label of an axis, and the line of the grid beside it.
type Tick struct {
	At     float64
	Text   string
	Anchor string // of a date
	Strong bool   // the value is 0
}

// Path is a line or an area in the notation of SVG.
type Path struct{ Class, D string }

// Dot is a line of one point.
type Dot struct {
	Class string
	X, Y  float64
}

// Placed is a mark and where its text stands.
type Placed struct {
	X, Y, TextX, TextY float64
	Text, Anchor       string
}

// Thinned reports whether no drawing has all points.
func (c *Chart) Thinned() bool {
	return slices.ContainsFunc(c.Lines, func(l Line) bool { return len(l.Points) > sizes[0].points })
}

// Draw computes the drawings. A chart without points has none.
func (c *Chart) Draw() {
	low, high := math.Inf(1), math.Inf(-1)
	var first, last model.Date
	for _, l := range c.Lines {
		for _, p := range l.Points {
			low, high = min(low, p.Value), max(high, p.Value)
			if first.IsZero() || p.Day.Compare(first) < 0 {
				first = p.Day
			}
			if last.IsZero() || p.Day.Compare(last) > 0 {
				last = p.Day
			}
		}
	}
	if first.IsZero() {
		return
	}
	if c.FromZero {
		low, high = min(low, 0), max(high, 0)
		if low == high {
			low = -.01 // all values are 0
		}
	}
	c.MonthEnds = first != last
	for _, l := range c.Lines {
		for _, p := range l.Points {
			c.MonthEnds = c.MonthEnds && (p.Day == last || p.Day.AddDays(1).Time().Day() == 1)
		}
	}
	c.First, c.Last, c.Gaps, c.Drawings = first, last, gapsOf(c.Lines), nil
	c.Log = low > 0 && (c.Axis == Logarithmic || c.Axis == Automatic && high/low > logarithmic)
	y := scaleOf(low, high, c.Log)
	for _, m := range c.Marks {
		if !m.Above && !c.Log && y.part(m.At.Value) < markRoom {
			y = scaleOf(low-markRoom*(high-low), high, false)
		}
	}
	c.Low, c.High = y.low, y.high
	for i, s := range sizes {
		var least margin
		if i < len(c.margins) {
			least = c.margins[i]
		}
		c.Drawings = append(c.Drawings, c.drawn(s, y, least))
	}
}

// gapsOf returns the gaps of the lines that are not aside.
func gapsOf(lines []Line) (gaps []Gap) {
	for _, l := range lines {
		if l.Aside {
			continue
		}
		parts := l.unbroken()
		for i := 1; i < len(parts); i++ {
			before := parts[i-1]
			gaps = append(gaps, Gap{l.Name, before[len(before)-1].Day, parts[i][0].Day})
		}
	}
	return gaps
}

// unbroken cuts the points of a line where more days than Longest are between two neighbours.
func (l Line) unbroken() (parts [][]Point) {
	begin := 0
	for i, p := range l.Points {
		if i > 0 && l.Longest > 0 && p.Day.DaysSince(l.Points[i-1].Day) > l.Longest {
			parts = append(parts, l.Points[begin:i])
			begin = i
		}
	}
	if len(l.Points) > 0 {
		parts = append(parts, l.Points[begin:])
	}
	return parts
}

// bands returns the shades of gaps, those that touch each other as one. half is half of the width of a day.
func bands(gaps []Gap, horizontal func(model.Date) float64, half float64) (shades []Band) {
	gaps = slices.Clone(gaps)
	slices.SortStableFunc(gaps, func(a, b Gap) int { return a.From.Compare(b.From) })
	for _, g := range gaps {
		from, to := round(horizontal(g.From)+half), round(horizontal(g.To)-half)
		if last := len(shades) - 1; last >= 0 && from <= shades[last].X+shades[last].Width {
			shades[last].Width = round(max(shades[last].Width, to-shades[last].X))
			continue
		}
		shades = append(shades, Band{from, round(to - from)})
	}
	return shades
}

// endText is the name at the end of a line, cut to a number of letters.
func (l Line) endText(letters int) string {
	name := l.Short
	if name == "" {
		name = l.Name
	}
	return locale.Bounded(name, letters-1) // which adds a sign if it cuts
}

// nameRoom returns how much room the names at the ends of lines take.
func (c *Chart) nameRoom(s Size) float64 {
	longest := 0
	for _, l := range c.Lines {
		if len(l.Points) > 0 {
			longest = max(longest, len([]rune(l.endText(s.letters))))
		}
	}
	return nameLead + nameLetter*float64(longest)
}

// apart moves places so that neighbours are at least a distance apart and none is outside of a range,
// if there is room for all, and leaves their order. Those that are in nobody's way stay.
func apart(places []float64, distance, top, bottom float64) {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	next := top
	for _, i := range order {
		places[i] = max(places[i], next)
		next = places[i] + distance
	}
	next = bottom
	for _, i := range slices.Backward(order) {
		places[i] = min(places[i], next)
		next = places[i] - distance
	}
}

// fewPoints is the most points of a line of which each is marked: between so few the line says little.
const fewPoints = 6

func (c *Chart) drawn(s Size, y scale, least margin) Drawing {
	first, last := c.First, c.Last
	d := Drawing{Size: s, ID: c.ID + "-" + s.Name, Right: s.Width - right, Top: top, Bottom: s.Height - bottom,
		DateLabels: s.Height - 8}
	longest := 0
	for _, value := range y.ticks {
		t := Tick{At: value, Text: c.Label(value, y.step), Strong: value == 0}
		longest = max(longest, len([]rune(t.Text)))
		d.Values = append(d.Values, t)
	}
	d.Left = max(14+7*float64(longest), least.left)
	named := c.Named && s.letters > 0
	if named {
		d.Right = round(s.Width - c.nameRoom(s))
	}
	if least.right > 0 {
		d.Right = min(d.Right, s.Width-least.right)
	}
	d.TextShift = d.Left - 8
	vertical := func(value float64) float64 { return round(d.Bottom - (d.Bottom-d.Top)*y.part(value)) }
	days := float64(max(1, last.DaysSince(first)))
	horizontal := func(day model.Date) float64 {
		return round(d.Left + (d.Right-d.Left)*float64(day.DaysSince(first))/days)
	}
	for i := range d.Values {
		d.Values[i].At = vertical(d.Values[i].At)
	}
	for _, day := range dateTicks(first, last, s, c.MonthEnds) {
		t := Tick{At: horizontal(day.day), Text: day.text(c.Language), Anchor: "middle"}
		// A label near an end must not leave the picture.
		if half := 3.5 * float64(len([]rune(t.Text))); t.At+half > s.Width {
			t.Anchor = "end"
		} else if t.At < half {
			t.Anchor = "start"
		}
		d.Dates = append(d.Dates, t)
	}
	d.Dates = spread(d.Dates, s.letter)
	d.Bands = bands(c.Gaps, horizontal, (d.Right-d.Left)/days/2)
	for i, l := range c.Lines {
		var line, area strings.Builder
		if len(l.Points) <= fewPoints {
			for _, p := range l.Points {
				d.Dots = append(d.Dots, Dot{l.Class, horizontal(p.Day), vertical(p.Value)})
			}
		}
		for _, part := range l.unbroken() {
			points := thinned(part, max(2, s.points*len(part)/len(l.Points)))
			if len(points) == 1 { // a line of one point is not seen
				if len(l.Points) > fewPoints {
					d.Dots = append(d.Dots, Dot{l.Class, horizontal(points[0].Day), vertical(points[0].Value)})
				}
				continue
			}
			var text strings.Builder
			for n, p := range points {
				letter := "L"
				if n == 0 {
					letter = "M"
				}
				fmt.Fprintf(&text, "%s%g %g", letter, horizontal(p.Day), vertical(p.Value))
			}
			line.WriteString(text.String())
			fmt.Fprintf(&area, "%sL%g %gL%g %gZ", text.String(), horizontal(points[len(points)-1].Day), vertical(0),
				horizontal(points[0].Day), vertical(0))
		}
		if line.Len() > 0 {
			d.Paths = append(d.Paths, Path{l.Class, line.String()})
			if c.FromZero && i == 0 {
				d.Areas = append(d.Areas, Path{l.Class, area.String()})
			}
		}
		if end := len(l.Points) - 1; named && end >= 0 {
			at := l.Points[end]
			x, y := horizontal(at.Day), vertical(at.Value)
			d.Names = append(d.Names, EndName{Class: l.Class, Text: l.endText(s.letters), X: d.Right + nameLead, Y: y,
				Lead: fmt.Sprintf("M%g %gL%g ", x, y, d.Right+nameLead-4)})
		}
	}
	d.placeNames()
	for _, m := range c.Marks {
		p := Placed{X: horizontal(m.At.Day), Y: vertical(m.At.Value), Text: m.Text, Anchor: "middle"}
		p.TextX, p.TextY = p.X, min(p.Y+markBelow, d.Bottom-4)
		if m.Above {
			p.TextY = p.Y - markAbove
		}
		half := s.letter / 2 * float64(len([]rune(m.Text)))
		switch {
		case p.X-half < d.Left:
			p.Anchor, p.TextX = "start", max(p.X-half, d.Left+4)
		case p.X+half > d.Right:
			p.Anchor, p.TextX = "end", min(p.X+half, d.Right)
		}
		d.Marks = append(d.Marks, p)
	}
	slices.Reverse(d.Paths) // the first line is drawn over the others
	return d
}

// How far the text of a mark stands below and above its point.
const markBelow, markAbove = 20, 9

// dateGap is the least room between two labels of dates.
const dateGap = 14

// spread leaves out every second label of dates as long as neighbours would almost touch.
func spread(dates []Tick, letter float64) []Tick {
	near := func() bool {
		for i := 1; i < len(dates); i++ {
			letters := len([]rune(dates[i-1].Text)) + len([]rune(dates[i].Text))
			if dates[i].At-dates[i-1].At < letter/2*float64(letters)+dateGap {
				return true
			}
		}
		return false
	}
	for len(dates) > 2 && near() {
		var half []Tick
		for i := 0; i < len(dates); i += 2 {
			half = append(half, dates[i])
		}
		dates = half
	}
	return dates
}

// placeNames moves the names at the ends of lines apart.
func (d *Drawing) placeNames() {
	places := make([]float64, len(d.Names))
	for i, n := range d.Names {
		places[i] = n.Y
	}
	apart(places, nameDistance, d.Top, d.Bottom)
	for i := range d.Names {
		d.Names[i].Y = round(places[i])
		d.Names[i].Lead += fmt.Sprintf("%g", d.Names[i].Y)
	}
}

// round returns tenths of a pixel, so that a path is short.
func round(pixels float64) float64 { return math.Round(pixels*10) / 10 }

// thinned leaves at most so many points of a line: of each span the lowest and the highest one,
// so that no extreme is lost, and the first and the last of all.
func thinned(points []Point, most int) []Point {
	if len(points) <= most {
		return points
	}
	inner := points[1 : len(points)-1]
	spans := (most - 2) / 2
	kept := []Point{points[0]}
	for i := range spans {
		span := inner[i*len(inner)/spans : (i+1)*len(inner)/spans]
		lowest, highest := 0, 0
		for j, p := range span {
			if p.Value < span[lowest].Value {
				lowest = j
			}
			if p.Value > span[highest].Value {
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
	// a flat line stands in the middle; one at 0 stands at the foot, without negative values below
	if high-low < 1e-9*max(1, math.Abs(high), math.Abs(low)) {
		margin := math.Abs(high) * .05
		if margin == 0 {
			margin = .01
		}
		if low != 0 {
			low -= margin
		}
		high += margin
	}
	step := roundStep(low, high)
	from, to := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	s := scale{low: from * step, high: to * step, step: step}
	for i := from; i <= to; i++ {
		s.ticks = append(s.ticks, i*step)
	}
	return s
}

// roundStep returns 1, 2 or 5 times a power of ten, so that a range has at most six such steps.
func roundStep(low, high float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, factor := range []float64{1, 2, 5} {
		if (high-low)/(factor*power) <= 6 {
			return factor * power
		}
	}
	return 10 * power
}

// logScale has ticks at 1, 2 and 5 times powers of ten, or at more of their multiples if there
// would be less than four. A range so short that hardly one of these is in it has ticks at equal
// distances.
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
	if len(s.ticks) < 3 {
		s.step, s.ticks = roundStep(s.low, s.high), nil
		for i := math.Ceil(s.low / s.step); i*s.step <= s.high; i++ {
			s.ticks = append(s.ticks, i*s.step)
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

func (t dateTick) text(l locale.Language) string {
	switch t.form {
	case "year":
		return t.day.Time().Format("2006")
	case "month":
		return l.Month(t.day)
	}
	return l.Day(t.day)
}

// dateTicks returns first days of months or years, at equal distances, as many as a size has room for; of a short
// range its first and its last day. With monthEnds it returns last days: else the value of June would stand on the line
// of July. They are then those of quarters, halves and years, because values of each quarter are of March, June,
// September and December; and years are named by their last month, because their line stands where the next one begins.
func dateTicks(first, last model.Date, s Size, monthEnds bool) []dateTick {
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
		form, most, before := "month", s.dates, 0 // before is how many months an end stands before the first day
		if monthEnds {
			before = 1
		} else if step >= 12 {
			form, most = "year", s.years
		}
		var ticks []dateTick
		for m := (months+before+step-1)/step*step - before; m <= months+span; m += step {
			day := model.NewDate(m/12, time.Month(m%12+1), 1)
			if monthEnds {
				day = model.NewDate(m/12, time.Month(m%12+2), 1).AddDays(-1)
			}
			if day.Compare(first) >= 0 && day.Compare(last) <= 0 {
				ticks = append(ticks, dateTick{day, form})
			}
		}
		if len(ticks) > 1 && len(ticks) <= most { // a single one says nothing about distances
			return ticks
		}
	}
	return []dateTick{{first, "day"}, {last, "day"}}
}

// PercentLabels returns the labels of fractions as percent, without the unit, which the chart has
// once.
func PercentLabels(l locale.Language) func(value, step float64) string {
	return func(value, step float64) string { return l.Number(value*100, decimals(step*100, value*100)) }
}

// NumberLabels returns the labels of numbers.
func NumberLabels(l locale.Language) func(value, step float64) string {
	return func(value, step float64) string { return l.Number(value, decimals(step, value)) }
}

// decimals returns how many decimals tell the labels of an axis apart. A step of 0 is that of a
// logarithmic axis.
func decimals(step, value float64) int {
	if step == 0 {
		if math.Abs(value) >= 1 && value != 1.5 {
			return 0
		}
		step = math.Abs(value) / 2
	}
	return max(0, -int(math.Floor(math.Log10(step)+1e-9)))
}
