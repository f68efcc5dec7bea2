package report

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var variable = regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`)

// The contrast is that of WCAG 2: 4.5 for text and 3 for lines of pictures.
func TestColoursHaveEnoughContrastInLightAndDark(t *testing.T) {
	content, err := os.ReadFile("page/style.css")
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(content), "@media screen and (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there are no dark colours")
	}
	for name, part := range map[string]string{"light": before, "dark": after} {
		colours := map[string]string{}
		for _, set := range variable.FindAllStringSubmatch(part, -1) {
			colours[set[1]] = set[2]
		}
		check := func(front, back string, least float64) {
			if got := contrast(t, colours[front], colours[back]); got < least {
				t.Errorf("%s: the contrast of %s on %s is %.2f, less than %g", name, front, back, got, least)
			}
		}
		for _, text := range []string{"ink", "quiet", "accent"} {
			check(text, "paper", 4.5)
			check(text, "tint", 4.5)
		}
		for _, cell := range []string{"down3", "down2", "down1", "level", "up1", "up2", "up3"} {
			check("ink", cell, 4.5)
		}
		check("portfolio", "paper", 3)
		check("benchmark", "paper", 3)
		check("portfolio", "area", 3)
		check("benchmark", "area", 3)
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	return (max(light, dark) + .05) / (min(light, dark) + .05)
}

func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
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
