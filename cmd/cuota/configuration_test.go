package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/cmd/cuota/environment"
)

// variable is a row of the table in docs/configuration.md.
type variable struct{ fallback, readers, meaning string }

func documentedVariables(t *testing.T) map[string]variable {
	t.Helper()
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]variable{}
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			t.Fatalf("a row has %d cells: %s", len(cells), line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		for _, name := range strings.Split(cells[0], ", ") {
			if name = strings.Trim(name, "`"); documented[name] != (variable{}) {
				t.Errorf("%s is in the table twice", name)
			}
			documented[name] = variable{cells[1], cells[2], cells[3]}
		}
	}
	return documented
}

// readVariables returns every variable that something reads, each with one place that
// reads it.
func readVariables(t *testing.T) map[string]string {
	t.Helper()
	read := map[string]string{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[environment.Settings]()) {
		if name := field.Tag.Get("env"); name != "" {
			read[name] = "settings." + field.Name
		}
	}
	ours := regexp.MustCompile(`^CUOTA_[A-Z0-9_]+$`)
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING &&
					ours.MatchString(text) {
					read[text] = path
				}
			case *ast.CallExpr:
				call, ok := node.Fun.(*ast.SelectorExpr)
				if !ok || len(node.Args) != 1 || call.Sel.Name != "Getenv" && call.Sel.Name != "LookupEnv" ||
					strings.HasSuffix(path, "_test.go") {
					return true
				}
				if literal, ok := node.Args[0].(*ast.BasicLit); ok {
					name, err := strconv.Unquote(literal.Value)
					if err != nil {
						t.Fatal(err)
					}
					read[name] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// Variables that shell scripts and make use and do not set themselves.
	for pattern, used := range map[string]string{
		"../../scripts/*": `\$\{?([A-Z][A-Z0-9_]+)`, "../../docker-compose*.yml": `\$\{([A-Z][A-Z0-9_]+)`,
		"../../Makefile": `\$\(([A-Z][A-Z0-9_]+)\)`,
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				continue // a directory
			}
			for _, found := range regexp.MustCompile(used).FindAllStringSubmatch(string(text), -1) {
				set := regexp.MustCompile(`(?m)^\s*` + found[1] + `\s*:?=`)
				// bash and make set these
				if !set.Match(text) && found[1] != "SECONDS" && found[1] != "MAKEFILE_LIST" && found[1] != "CURDIR" {
					read[found[1]] = path
				}
			}
		}
	}
	return read
}

func TestTheTableOfVariablesIsWhatTheCodeReads(t *testing.T) {
	documented, read := documentedVariables(t), readVariables(t)
	for name, where := range read {
		if _, there := documented[name]; !there {
			t.Errorf("%s, read in %s, is not in docs/configuration.md", name, where)
		}
	}
	for name := range documented {
		if _, there := read[name]; !there {
			t.Errorf("%s is in docs/configuration.md, and nothing reads it", name)
		}
	}
	readers := []string{"all", "make", "docker-compose.yml", "tests"}
	for path := range commandTree(t) {
		readers = append(readers, strings.TrimPrefix(path, "cuota "))
	}
	for name, row := range documented {
		if row.meaning == "" {
			t.Errorf("%s has no meaning", name)
		}
		for _, reader := range strings.Split(row.readers, ", ") {
			if !slices.Contains(readers, reader) {
				t.Errorf("%s is read by %q, which is nothing of ours", name, reader)
			}
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[environment.Settings]()) {
		name, fallback := field.Tag.Get("env"), field.Tag.Get("envDefault")
		if stated := documented[name].fallback; fallback != "" && stated != "`"+fallback+"`" {
			t.Errorf("the default of %s is %q, and the table says %s", name, fallback, stated)
		}
	}
	t.Logf("%d variables: %v", len(read), slices.Sorted(maps.Keys(read)))
}

// Every command and flag in the documents exists in the program.
func TestEveryCommandAndFlagInTheDocumentsExists(t *testing.T) {
	tree := commandTree(t)
	paths := []string{"../../README.md", "../../docker-compose.yml", "../../docker-compose.copies.yml"}
	for _, pattern := range []string{"../../docs/*.md", "../../demo/*.md", "../../docs/decisions/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	called := regexp.MustCompile("(?:^|[`(|] ?)(?:bin/)?cuota ([a-z]+(?:-[a-z]+)*)([^`|)]*)")
	found := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			for _, call := range called.FindAllStringSubmatch(line, -1) {
				if strings.HasPrefix(strings.TrimSpace(line), "cuota ") && !strings.Contains(line, "bin/") {
					continue // a sentence about the product
				}
				found++
				command := "cuota " + call[1]
				if below, _, _ := strings.Cut(strings.TrimSpace(call[2]), " "); tree[command+" "+below] != nil {
					command += " " + below
				}
				if tree[command] == nil {
					t.Errorf("%s: there is no %s: %s", path, command, line)
				} else if wrong := wrongFlags(tree, call[2], command); len(wrong) > 0 {
					t.Errorf("%s: %v: %s", path, wrong, line)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands found: the search is broken", found)
	}
}
