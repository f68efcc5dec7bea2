package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A reader of the log must not have to guess the unit of a number.
func TestEveryDurationInALogLineHasItsUnitInItsName(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || method.Sel.Name != "Dur" {
				return true
			}
			name, ok := call.Args[0].(*ast.BasicLit)
			if !ok {
				return true
			}
			found++
			if text, err := strconv.Unquote(name.Value); err != nil || !strings.HasSuffix(text, "_ms") {
				t.Errorf("%s logs a duration as %s; zerolog writes milliseconds, so its name ends in _ms", path,
					name.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 5 {
		t.Errorf("only %d durations found: the search is broken", found)
	}
}
