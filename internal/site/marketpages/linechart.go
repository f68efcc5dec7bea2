package marketpages

import (
	"cuota/internal/site/chart"
	"cuota/model"
)

// lineChart is a line chart of a page, with the table of the same values that stands behind it.
type lineChart struct {
	chart.Chart
	Table table
	Sum   string // what the lines did over the whole span; "" if nothing is said
	Note  string
	// Also are further values of its file, which are not drawn. Percent says that the values of lines are fractions.
	Also    []chart.Line
	Percent bool
	Files   []tableFile // with the values of all days
}

// The classes of the lines of a chart. Each has a colour and a pattern of its own.
var lineClasses = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
	"tenth"}

// draw computes the drawings.
func (c *lineChart) draw(v *visit) {
	c.Language = v.Lang
	for i := range c.Lines {
		c.Lines[i].Class = lineClasses[i%len(lineClasses)]
	}
	c.Draw()
}

// mostEnds is how many rows the table behind a chart has.
const mostEnds = 100

// endsOf returns the positions of the last point of each month, or of each quarter or year if there
// would be more than mostEnds.
func endsOf(points []chart.Point) []int {
	for _, months := range []int{1, 3} {
		if ends := endsOfSpans(points, months); len(ends) <= mostEnds {
			return ends
		}
	}
	ends := endsOfSpans(points, 12)
	return ends[max(0, len(ends)-mostEnds):]
}

func endsOfSpans(points []chart.Point, months int) []int {
	span := func(d model.Date) int {
		year, month, _ := d.Time().Date()
		return (year*12 + int(month) - 1) / months
	}
	var ends []int
	for i, p := range points {
		if i+1 == len(points) || span(points[i+1].Day) != span(p.Day) {
			ends = append(ends, i)
		}
	}
	return ends
}
