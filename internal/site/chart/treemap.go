package chart

import (
	"math"
	"strconv"
)

// Treemap shows sizes as rectangles. It is drawn for three widths of screens, so that labels keep their size.
type Treemap struct {
	Drawings []TreemapDrawing
	Measure  string  // what the colour shows
	Full     float64 // percent points from which on the colour is the strongest
}

// TreemapDrawing is a treemap in one width.
type TreemapDrawing struct {
	Name          string // wide, medium or narrow
	Width, Height float64
	Tiles         []Tile
}

// TreemapItem is one thing that a treemap shows. Its size is positive.
type TreemapItem struct {
	Name, Text, Link string
	Size             float64
	Shade            string // class of its colour
}

// Tile is an item with its rectangle.
type Tile struct {
	TreemapItem
	X, Y, W, H float64
	Label      string // the part of the name that fits; "" if nothing does
	Value      bool   // Text fits too
}

// NewTreemap lays items out, which must come in descending order of size.
func NewTreemap(items []TreemapItem, measure string, full float64) Treemap {
	if len(items) == 0 {
		return Treemap{}
	}
	t := Treemap{Measure: measure, Full: full, Drawings: []TreemapDrawing{{Name: "wide", Width: 960, Height: 400},
		{Name: "medium", Width: 680, Height: 400}, {Name: "narrow", Width: 340, Height: 420}}}
	for i := range t.Drawings {
		d := &t.Drawings[i]
		d.Tiles = squarified(items, d.Width, d.Height)
	}
	return t
}

// squarified fills a rectangle with tiles whose areas are in proportion to the sizes, and whose
// sides differ little. It follows Bruls, Huizing and van Wijk, "Squarified treemaps" (2000):
// tiles are put into a row along the shorter side of what is left, as long as that makes the
// worst ratio of their sides better.
func squarified(items []TreemapItem, width, height float64) []Tile {
	total := 0.0
	for _, item := range items {
		total += item.Size
	}
	scale := width * height / total
	var tiles []Tile
	x, y := 0.0, 0.0
	for from := 0; from < len(items); {
		side := min(width-x, height-y)
		to, sum := from+1, items[from].Size*scale
		for ; to < len(items); to++ {
			longer := sum + items[to].Size*scale
			if worst(items[from:to+1], scale, longer, side) > worst(items[from:to], scale, sum, side) {
				break
			}
			sum = longer
		}
		thickness := sum / side
		along := 0.0
		for _, item := range items[from:to] {
			length := item.Size * scale / thickness
			if width-x < height-y {
				tiles = append(tiles, newTile(item, x+along, y, length, thickness))
			} else {
				tiles = append(tiles, newTile(item, x, y+along, thickness, length))
			}
			along += length
		}
		if width-x < height-y {
			y += thickness
		} else {
			x += thickness
		}
		from = to
	}
	return tiles
}

// worst returns the greatest ratio of the sides of the tiles of a row. sum is their area.
func worst(row []TreemapItem, scale, sum, side float64) float64 {
	largest, smallest := row[0].Size*scale, row[len(row)-1].Size*scale
	return max(side*side*largest/(sum*sum), sum*sum/(side*side*smallest))
}

// The size of a label in pixels.
const (
	letterWidth = 7.2
	lineHeight  = 16
)

func newTile(item TreemapItem, x, y, w, h float64) Tile {
	t := Tile{TreemapItem: item, X: round(x), Y: round(y), W: round(w), H: round(h)}
	if letters := int((w - 12) / letterWidth); letters >= 4 && h >= lineHeight+6 {
		t.Label = item.Name
		if name := []rune(item.Name); len(name) > letters {
			t.Label = string(name[:letters-1]) + "…"
		}
		t.Value = h >= 2*lineHeight+8 && 12+letterWidth*float64(len([]rune(item.Text))) <= w
	}
	return t
}

// shadeSteps are the percent points of change from which on a colour is stronger.
var shadeSteps = []float64{.025, .125, .375, 1}

// Shade returns the class of the colour of a change: shade-up-1 to shade-up-4, shade-down-1 to
// shade-down-4, shade-flat, or shade-none if it is unknown. Changes of full and more have the strongest colour.
func Shade(change *float64, full float64) string {
	if change == nil {
		return "shade-none"
	}
	step := 0
	for _, from := range shadeSteps {
		if math.Abs(*change) >= from*full {
			step++
		}
	}
	switch {
	case step == 0:
		return "shade-flat"
	case *change > 0:
		return "shade-up-" + strconv.Itoa(step)
	}
	return "shade-down-" + strconv.Itoa(step)
}
