package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// step is a page on the path through the documentation, by its path from the root.
type step struct{ part, page string }

var (
	indexed = regexp.MustCompile(`^\| \[[^\]]+\]\(([^()\s#]+\.md)\) \|`)
	// The first line below the title of a page.
	signpost = regexp.MustCompile(
		`\A# [^\n]+\n\n\*([A-Z][a-z-]+), for [^\n]+?\. (?:Next: \[[^\]]+\]\(([^()\s]+)\)\.|The path ends here:) ?\[[Aa]ll pages\]\(([^()\s]+)\)\.\*\n\n\S`)
)

// readPath returns the steps in the order of an index in docs/.
func readPath(index string) []step {
	var steps []step
	part := ""
	for _, line := range strings.Split(index, "\n") {
		if heading, is := strings.CutPrefix(line, "## "); is {
			part = heading
		} else if found := indexed.FindStringSubmatch(line); found != nil {
			steps = append(steps, step{part, path.Join("docs", found[1])})
		}
	}
	return steps
}

// checkStep tells what is wrong with the line of a page that leads on. next is "" for the last page.
func checkStep(s step, text, next string) string {
	found := signpost.FindStringSubmatch(text)
	if found == nil {
		return s.page + " does not begin with its title and a line like: *" + s.part +
			", for operators. Next: [Scale](scale.md). [All pages](README.md).*"
	}
	from := func(link string) string {
		if link == "" {
			return ""
		}
		return path.Join(path.Dir(s.page), link)
	}
	switch {
	case found[1] != s.part:
		return s.page + " says that it belongs to " + found[1] + ", and the index lists it under " + s.part
	case from(found[2]) != next:
		return s.page + " leads to " + from(found[2]) + ", and the index to " + next
	case from(found[3]) != "docs/README.md":
		return s.page + " does not link to docs/README.md as the list of all pages"
	}
	return ""
}

func TestThePagesAreOnePathInTheOrderOfTheIndex(t *testing.T) {
	index, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	steps := readPath(string(index))
	for i, s := range steps {
		text, err := os.ReadFile(path.Join("..", s.page))
		if err != nil {
			t.Error(err)
			continue
		}
		next := ""
		if i+1 < len(steps) {
			next = steps[i+1].page
		}
		if problem := checkStep(s, string(text), next); problem != "" {
			t.Error(problem)
		}
	}
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		listed := slices.ContainsFunc(steps, func(s step) bool { return s.page == path.Join("docs", file) })
		if file != "README.md" && !listed {
			t.Errorf("the index does not list docs/%s", file)
		}
	}
}

func TestAPageOffThePathIsFound(t *testing.T) {
	s := step{"How-to", "docs/a.md"}
	for name, text := range map[string]string{
		"no line":              "# A\n\nText.\n",
		"another part":         "# A\n\n*Reference, for operators. Next: [B](b.md). [All pages](README.md).*\n\nText.\n",
		"another page":         "# A\n\n*How-to, for operators. Next: [C](c.md). [All pages](README.md).*\n\nText.\n",
		"an end in the middle": "# A\n\n*How-to, for operators. The path ends here: [all pages](README.md).*\n\nText.\n",
		"another index":        "# A\n\n*How-to, for operators. Next: [B](b.md). [All pages](../README.md).*\n\nText.\n",
	} {
		if checkStep(s, text, "docs/b.md") == "" {
			t.Errorf("%s is not found", name)
		}
	}
	if problem := checkStep(s, "# A\n\n*How-to, for operators. Next: [B](b.md). [All pages](README.md).*\n\nText.\n",
		"docs/b.md"); problem != "" {
		t.Error(problem)
	}
}
