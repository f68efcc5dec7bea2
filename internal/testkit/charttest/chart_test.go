package charttest

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestAChartHasABarOrAPointForEachValue(t *testing.T) {
	c := Chart{Title: "Cost < return", Unit: "%", Labels: []string{"a", "b", "c"},
		Sets: []Set{{"x & y", []float64{1, -2.5, 0}}, {"z", []float64{3, math.NaN(), 2}}}}
	for kind, mark := range map[Kind]string{Bars: "rect", Lines: "circle"} {
		c.Kind = kind
		drawn, err := c.SVG()
		if err != nil {
			t.Fatal(err)
		}
		want := 5
		if kind == Bars {
			want += len(c.Sets) // the legend
		}
		if got := count(t, drawn, mark); got != want {
			t.Errorf("%d of %s, want %d:\n%s", got, mark, want, drawn)
		}
		if again, _ := c.SVG(); again != drawn {
			t.Error("the same chart is drawn in two ways")
		}
	}
}

// count counts an element of a picture, which must be XML.
func count(t *testing.T, drawn, element string) (n int) {
	t.Helper()
	for decoder := xml.NewDecoder(strings.NewReader(drawn)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, drawn)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == element {
			n++
		}
	}
}

func TestAChartThatCanNotBeDrawnIsRefused(t *testing.T) {
	for name, c := range map[string]Chart{
		"nothing":      {},
		"only zeros":   {Labels: []string{"a"}, Sets: []Set{{"x", []float64{0}}}},
		"lacks values": {Labels: []string{"a", "b"}, Sets: []Set{{"x", []float64{1}}}},
		"infinite":     {Labels: []string{"a"}, Sets: []Set{{"x", []float64{math.Inf(1)}}}},
		"too many":     {Labels: []string{"a"}, Sets: make([]Set, len(colours)+1)},
	} {
		if _, err := c.SVG(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The contrast is that of WCAG. It asks for 3 of large text and of parts of pictures.
func TestColoursCanBeReadOnLightAndDarkPages(t *testing.T) {
	for _, colour := range append([]string{ink}, colours...) {
		for _, page := range []string{"#ffffff", "#0d1117"} {
			light, dark := max(luminance(t, colour), luminance(t, page)), min(luminance(t, colour), luminance(t, page))
			if contrast := (light + .05) / (dark + .05); contrast < 3 {
				t.Errorf("the contrast of %s on %s is %.1f", colour, page, contrast)
			}
		}
	}
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
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
