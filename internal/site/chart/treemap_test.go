package chart

import (
	"strings"
	"testing"
)

func TestLabelsOfATreemapFitAndCanBeToldApart(t *testing.T) {
	names := []string{"Deuda > 365 días nacional en UF > 3 años", "Deuda > 365 días nacional en UF < 3 años", "Accionario Asia",
		"Accionario emergente", "Accionario nacional", "Balanceado"}
	var items []TreemapItem
	for i, name := range names {
		items = append(items, TreemapItem{Name: name, Size: float64(10 - i)})
	}
	for _, drawing := range NewTreemap(items, "", 4).Drawings {
		seen := map[string]string{}
		for _, tile := range drawing.Tiles {
			if width := labelMargin + widthOf(tile.Label); tile.Label != "" && width > tile.W {
				t.Errorf("%s: %q is %v wide in a tile of %v", drawing.Name, tile.Label, width, tile.W)
			}
			if other, twice := seen[tile.Label]; twice && tile.Label != "" {
				t.Errorf("%s: %q stands for %s and %s", drawing.Name, tile.Label, other, tile.Name)
			}
			seen[tile.Label] = tile.Name
		}
	}
	tiles := []Tile{{TreemapItem: TreemapItem{Name: names[0]}, W: 100, Label: "Deuda > 3…"},
		{TreemapItem: TreemapItem{Name: names[1]}, W: 200, Label: "Deuda > 365 días nacio…"},
		{TreemapItem: TreemapItem{Name: names[5]}, W: 60, Label: "Balan…"}}
	tellApart(tiles)
	if got := tiles[0].Label + "|" + tiles[1].Label + "|" + tiles[2].Label; got != "…> 3 años|…< 3 años|Balan…" {
		t.Errorf("the labels are %s", got)
	}
	if strings.Contains(tiles[2].Label, "ceado") {
		t.Error("a label that can't be mistaken has changed")
	}
}
