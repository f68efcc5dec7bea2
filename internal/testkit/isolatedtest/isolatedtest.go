// Package isolatedtest finds names in a page that could turn the direction of the texts around them.
package isolatedtest

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// alone are the elements whose text does not touch the direction of other texts: one is for that, and the others are
// shown as lines of their own, or not at all.
var alone = []atom.Atom{atom.Bdi, atom.Title, atom.Option, atom.Textarea, atom.Pre, atom.Script, atom.Style}

// Find returns how many texts with Hebrew letters or marks of direction stand alone in a page, and the others.
func Find(t testing.TB, page string) (count int, turning []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for node := range root.Descendants() {
		turns := func(r rune) bool { return unicode.Is(unicode.Hebrew, r) || unicode.Is(unicode.Bidi_Control, r) }
		if node.Type != html.TextNode || !strings.ContainsFunc(node.Data, turns) {
			continue
		}
		isolated := false
		for of := node.Parent; of != nil; of = of.Parent {
			isolated = isolated || slices.Contains(alone, of.DataAtom) || of.Namespace == "svg"
		}
		if isolated {
			count++
		} else {
			turning = append(turning, node.Parent.Data+": "+node.Data)
		}
	}
	return count, turning
}
