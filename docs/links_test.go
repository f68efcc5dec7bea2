package docs_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	decision = regexp.MustCompile(`docs/decisions/([0-9]{4})([a-z0-9-]*\.md)?`)
	link     = regexp.MustCompile(`\]\(([^()\s:#]+\.md)(?:#[^()\s]*)?\)`)
)

// checkDecisions tells of pages of docs/ that a file cites or links to and that are
// not there. pages are the names of the files in docs/decisions.
func checkDecisions(s source, pages []string, exists func(name string) bool) []string {
	var problems []string
	for _, found := range decision.FindAllStringSubmatch(s.text, -1) {
		if !slices.ContainsFunc(pages, func(name string) bool {
			return name == found[1]+found[2] || found[2] == "" && strings.HasPrefix(name, found[1]+"-")
		}) {
			problems = append(problems, s.path+" cites "+found[0]+", which is not there")
		}
	}
	if path.Ext(s.path) == ".md" {
		for _, found := range link.FindAllStringSubmatch(s.text, -1) {
			if !exists(path.Join(path.Dir(s.path), found[1])) {
				problems = append(problems, s.path+" links to "+found[1]+", which is not there")
			}
		}
	}
	return problems
}

func TestEveryPageThatIsCitedOrLinkedToExists(t *testing.T) {
	entries, err := os.ReadDir("decisions")
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, entry := range entries {
		pages = append(pages, entry.Name())
	}
	for _, s := range append(readSources(t), source{page, readPage(t)}) {
		for _, problem := range checkDecisions(s, pages, isThere) {
			t.Error(problem)
		}
	}
}
