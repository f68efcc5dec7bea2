package docs_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const page = "docs/rules.md"

// source is a file of the repository by its path from the root.
type source struct{ path, text string }

// readSources returns every .go, .sql and .md file but those that cite nothing by
// themselves: the page and its test, the changelog, which tells of the past, and what
// tests are given to read.
func readSources(t *testing.T) []source {
	t.Helper()
	root := os.DirFS("..")
	var found []source
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
			if hidden || slices.Contains([]string{"vendor", "testdata", "node_modules"}, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".sql", ".md"}, path.Ext(name)) ||
			slices.Contains([]string{page, "docs/rules_test.go", "docs/changelog.md"}, name) {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		found = append(found, source{name, string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 100 {
		t.Fatalf("only %d files were found", len(found))
	}
	return found
}

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func isThere(name string) bool {
	_, err := os.Stat(path.Join("..", name))
	return err == nil
}
