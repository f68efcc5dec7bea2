package scrape

import (
	"fmt"
	"slices"
	"strings"
)

// words lists the placeholders that a template may hold.
var words = []string{"yyyy", "mm", "dd", "last_yyyy", "last_mm", "last_dd", "q"}

// template is a text with placeholders such as {yyyy} for the days of a period. They are
// replaced by digits only, so that the encoding of an address stays valid.
type template struct {
	text  string
	parts []string // literal, placeholder, literal, …: those at odd indexes are placeholders
}

func parseTemplate(text string) (template, error) {
	t := template{text: text}
	rest := text
	for {
		literal, after, found := strings.Cut(rest, "{")
		if strings.Contains(literal, "}") {
			return template{}, fmt.Errorf("a } has no matching {; write %%7D for the character itself")
		}
		t.parts = append(t.parts, literal)
		if !found {
			return t, nil
		}
		word, behind, closed := strings.Cut(after, "}")
		if !closed || !slices.Contains(words, word) {
			return template{}, fmt.Errorf(
				"a { does not begin a placeholder; the placeholders are {%s}; write %%7B for the character itself",
				strings.Join(words, "} {"))
		}
		t.parts = append(t.parts, word)
		rest = behind
	}
}

// holds reports whether the template contains one of the placeholders.
func (t template) holds(any ...string) bool {
	for i := 1; i < len(t.parts); i += 2 {
		if slices.Contains(any, t.parts[i]) {
			return true
		}
	}
	return false
}

// dated reports whether the template contains any placeholder.
func (t template) dated() bool { return len(t.parts) > 1 }

// expand replaces the placeholders with the days of the period.
func (t template) expand(p period) string {
	if !t.dated() {
		return t.text
	}
	first, last := p.first.Time(), p.last.Time()
	var b strings.Builder
	for i, part := range t.parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		switch part {
		case "yyyy":
			b.WriteString(first.Format("2006"))
		case "mm":
			b.WriteString(first.Format("01"))
		case "dd":
			b.WriteString(first.Format("02"))
		case "last_yyyy":
			b.WriteString(last.Format("2006"))
		case "last_mm":
			b.WriteString(last.Format("01"))
		case "last_dd":
			b.WriteString(last.Format("02"))
		case "q":
			fmt.Fprint(&b, (int(first.Month())+2)/3)
		}
	}
	return b.String()
}
