package marketpages

import (
	"os"
	"strings"
	"testing"
)

func TestEveryPageIsInTheReferenceWithItsParameters(t *testing.T) {
	text, err := os.ReadFile("../../../docs/pages.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		row := ""
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "| `/") && strings.Contains(line[:strings.Index(line, " | ")], "`"+p.path+"`") {
				row = line
			}
		}
		if row == "" {
			t.Errorf("docs/pages.md has no row for %s", p.path)
			continue
		}
		for _, key := range p.keys {
			if !strings.Contains(row, "`"+key+"`") {
				t.Errorf("docs/pages.md does not name the parameter %s of %s", key, p.path)
			}
		}
	}
}
