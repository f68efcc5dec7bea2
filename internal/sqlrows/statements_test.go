package sqlrows_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/sqlrows"
)

// packages are the packages that read their statements with sqlrows.Statements.
var packages = []string{"../account", "../alert", "../mail", "../webhook"}

func TestStatementsAndTheirFilesNameEachOther(t *testing.T) {
	for _, dir := range packages {
		used := namedIn(t, dir)
		var kept []string
		for _, file := range glob(t, filepath.Join(dir, "sql", "*.sql")) {
			kept = append(kept, strings.TrimSuffix(filepath.Base(file), ".sql"))
		}
		if len(kept) == 0 {
			t.Errorf("%s has no statements", dir)
		}
		for _, name := range used {
			if !slices.Contains(kept, name) {
				t.Errorf("%s names the statement %s, and has no file of it", dir, name)
			}
		}
		for _, name := range kept {
			if !slices.Contains(used, name) {
				t.Errorf("%s has sql/%s.sql, and does not use it", dir, name)
			}
		}
	}
}

func TestAStatementIsTheTextOfItsFileAndAnUnknownNamePanics(t *testing.T) {
	for _, dir := range packages {
		statement := sqlrows.Statements(os.DirFS(dir))
		for _, file := range glob(t, filepath.Join(dir, "sql", "*.sql")) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := statement(strings.TrimSuffix(filepath.Base(file), ".sql")); got != string(text) {
				t.Errorf("the statement of %s is %q", file, got)
			}
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("an unknown statement does not panic")
				}
			}()
			statement("unknown")
		}()
	}
}

// namedIn lists the names that the Go files of a folder, except tests, give to statement.
func namedIn(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	positions := token.NewFileSet()
	for _, file := range glob(t, filepath.Join(dir, "*.go")) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(positions, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			if called, is := call.Fun.(*ast.Ident); !is || called.Name != "statement" {
				return true
			}
			given, is := call.Args[0].(*ast.BasicLit)
			if !is {
				t.Errorf("%s: the name of a statement must be written where the statement is used",
					positions.Position(call.Pos()))
				return true
			}
			name, err := strconv.Unquote(given.Value)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, name)
			return true
		})
	}
	return names
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
