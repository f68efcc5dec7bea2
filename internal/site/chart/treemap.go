package chart

import (
	"math"
	"strconv"
	"strings"
	"unicode"
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
	Label      string // what fits of the name, and tells it from the others; "" if nothing does
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
		tellApart(d.Tiles)
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
	labelMargin = 12 // left and right of it
	lineHeight  = 16
	leastLabel  = 34 // a narrower one says nothing
)

// widthOf returns about how many pixels a text takes in a wide font, such as DejaVu Sans.
func widthOf(text string) (width float64) {
	for _, letter := range text {
		switch {
		case letter == '…' || strings.ContainsRune("mwMW%", letter):
			width += 13
		case unicode.IsUpper(letter) || strings.ContainsRune("<>=+−—", letter):
			width += 10.9
		case strings.ContainsRune("iíjlfrt.,:;' \u00a0", letter):
			width += 5.4
		default:
			width += 8.4
		}
	}
	return width
}

// shortened returns a text, or what fits of it; "" if too little does.
func shortened(text string, room float64) string {
	if widthOf(text) <= room {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && widthOf(string(runes)+"…") > room {
		runes = runes[:len(runes)-1]
	}
	if begins := strings.TrimRight(string(runes), " <>"); widthOf(begins+"…") >= leastLabel {
		return begins + "…"
	}
	return ""
}

// tellApart gives a tile whose label could be that of another one the end of its name in which they differ.
func tellApart(tiles []Tile) {
	for i := range tiles {
		t := &tiles[i]
		begins, cut := strings.CutSuffix(t.Label, "…")
		if !cut {
			continue
		}
		shared := ""
		for j := range tiles {
			if j == i || !strings.HasPrefix(tiles[j].Name, begins) {
				continue
			}
			if both := sharedWords(t.Name, tiles[j].Name); len(both) > len(shared) {
				shared = both
			}
		}
		if rest := strings.TrimPrefix(t.Name, shared); shared != "" && rest != "" {
			if label := shortened("…"+rest, t.W-labelMargin); label != "" {
				t.Label = label
			}
		}
	}
}

// sharedWords returns the words with which both texts begin, and the space behind them.
func sharedWords(a, b string) string {
	end := 0
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == ' ' {
			end = i + 1
		}
	}
	return a[:end]
}

func newTile(item TreemapItem, x, y, w, h float64) Tile {
	t := Tile{TreemapItem: item, X: round(x), Y: round(y), W: round(w), H: round(h)}
	if h >= lineHeight+6 {
		t.Label = shortened(item.Name, w-labelMargin)
		t.Value = t.Label != "" && h >= 2*lineHeight+8 && labelMargin+widthOf(item.Text) <= w
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
