// Package charttest draws small charts as SVG, for pages that tests write. The same values always
// give the same bytes. Only tests import it.
package charttest

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Kind is the form of a chart.
type Kind int

// The forms: bars side by side for each label, or a line for each set over the labels.
const (
	Bars Kind = iota
	Lines
)

// Chart is what to draw. Each set has a value for each label. NaN is a gap.
type Chart struct {
	Kind   Kind
	Title  string
	Unit   string // of the values, as in "% a year"
	Labels []string
	Sets   []Set
}

// Set is a set of values with its name in the legend.
type Set struct {
	Name   string
	Values []float64
}

// The picture in pixels, and the part of it in which values are drawn.
const (
	width, height            = 760, 380
	left, right, top, bottom = 64, 16, 74, 46
)

// ink is the colour of text and lines. Like the colours of the sets it can be read on white and
// on the dark grey of dark pages.
const ink = "#768390"

var colours = []string{"#3b82c4", "#c8742b", "#3f9a63", "#a06cc0", "#b8576b", "#8a8a2f"}

// SVG draws the chart. It fails if there is nothing to draw, there are more sets than colours,
// or a set has another number of values than there are labels.
func (c Chart) SVG() (string, error) {
	low, high, err := c.bounds()
	if err != nil {
		return "", fmt.Errorf("chart %q: %w", c.Title, err)
	}
	step := stepOf(high - low)
	low, high = math.Floor(low/step)*step, math.Ceil(high/step)*step
	y := func(value float64) float64 {
		return top + (height-top-bottom)*(high-value)/(high-low)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="13" fill="%s">`+"\n", width, height, ink)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(c.Title))
	fmt.Fprintf(&out, `<text x="%d" y="22" font-size="16">%s</text>`+"\n", left, html.EscapeString(c.Title))
	c.legend(&out)
	for i := 0; i <= int(math.Round((high-low)/step)); i++ {
		value := low + float64(i)*step
		weight := "0.5"
		if math.Abs(value) < step/1e6 {
			value, weight = 0, "1.5"
		}
		fmt.Fprintf(&out, `<path d="M%d %.1fH%d" stroke="%s" stroke-width="%s"/>`+"\n", left, y(value), width-right,
			ink, weight)
		fmt.Fprintf(&out, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, y(value)+4,
			label(value, step))
	}
	slot := float64(width-left-right) / float64(len(c.Labels))
	for i, name := range c.Labels {
		fmt.Fprintf(&out, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", left+slot*(float64(i)+.5),
			height-bottom+20, html.EscapeString(name))
	}
	for s, set := range c.Sets {
		if c.Kind == Lines {
			drawLine(&out, set, colours[s], slot, y)
			continue
		}
		bar := slot * .8 / float64(len(c.Sets))
		for i, value := range set.Values {
			if math.IsNaN(value) {
				continue
			}
			x := left + slot*(float64(i)+.1) + bar*float64(s)
			fmt.Fprintf(&out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x,
				y(max(value, 0)), bar, y(min(value, 0))-y(max(value, 0)), colours[s])
		}
	}
	out.WriteString("</svg>\n")
	return out.String(), nil
}

// bounds returns the least and the greatest value of the axis, of which one may be 0.
func (c Chart) bounds() (low, high float64, err error) {
	if len(c.Sets) > len(colours) {
		return 0, 0, fmt.Errorf("%d sets, and only %d colours", len(c.Sets), len(colours))
	}
	for _, set := range c.Sets {
		if len(set.Values) != len(c.Labels) {
			return 0, 0, fmt.Errorf("%d values of %q for %d labels", len(set.Values), set.Name, len(c.Labels))
		}
		for _, value := range set.Values {
			if math.IsInf(value, 0) {
				return 0, 0, fmt.Errorf("a value of %q is infinite", set.Name)
			}
			if !math.IsNaN(value) {
				low, high = min(low, value), max(high, value)
			}
		}
	}
	if low == high {
		return 0, 0, fmt.Errorf("no value differs from 0")
	}
	return low, high, nil
}

func (c Chart) legend(out *strings.Builder) {
	x := float64(left)
	if len(c.Sets) > 1 {
		for s, set := range c.Sets {
			fmt.Fprintf(out, `<rect x="%.0f" y="37" width="12" height="12" fill="%s"/>`+"\n", x, colours[s])
			fmt.Fprintf(out, `<text x="%.0f" y="48">%s</text>`+"\n", x+17, html.EscapeString(set.Name))
			x += 34 + 7.4*float64(len([]rune(set.Name)))
		}
	}
	fmt.Fprintf(out, `<text x="%d" y="66" font-size="11">%s</text>`+"\n", left, html.EscapeString(c.Unit))
}

// drawLine draws the values of a set as a line with a point at each value. The line has a gap
// where a value lacks.
func drawLine(out *strings.Builder, set Set, colour string, slot float64, y func(float64) float64) {
	var path strings.Builder
	move := "M"
	for i, value := range set.Values {
		if math.IsNaN(value) {
			move = "M"
			continue
		}
		x := left + slot*(float64(i)+.5)
		fmt.Fprintf(&path, "%s%.1f %.1f", move, x, y(value))
		fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y(value), colour)
		move = "L"
	}
	fmt.Fprintf(out, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(), colour)
}

// stepOf returns a round distance of about six lines over a span.
func stepOf(span float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(span/6)))
	for _, factor := range []float64{1, 2, 5} {
		if span/(factor*power) <= 7 {
			return factor * power
		}
	}
	return 10 * power
}

func label(value, step float64) string {
	return fmt.Sprintf("%.*f", max(0, -int(math.Floor(math.Log10(step)+1e-9))), value)
}
