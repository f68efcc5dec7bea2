package main

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A text in quotes counts as its quotes alone: a message, a header of a file or a statement stays whole where that
// reads better. So does a comment that is code.
func TestNoLineOfGoIsLongerThan120Columns(t *testing.T) {
	const most, tab = 120, "    "
	out, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "ls-files", "*.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(out))
	if len(names) < 800 {
		t.Fatalf("git lists %d files", len(names))
	}
	for _, name := range names {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(withoutTexts(text), "\n") {
			code := strings.TrimSpace(line)
			if strings.HasPrefix(code, "//\t") || strings.HasPrefix(code, "//go:") {
				continue
			}
			if columns := len([]rune(strings.ReplaceAll(line, "\t", tab))); columns > most {
				t.Errorf("%s:%d has %d columns", name, i+1, columns)
			}
		}
	}
}

// withoutTexts returns the source with nothing between the quotes of its texts but their line breaks.
func withoutTexts(source []byte) string {
	var read scanner.Scanner
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	read.Init(file, source, nil, scanner.ScanComments)
	var kept []byte
	done := 0
	for {
		at, kind, text := read.Scan()
		if kind == token.EOF {
			return string(append(kept, source[done:]...))
		}
		if kind != token.STRING {
			continue
		}
		begin := file.Offset(at)
		kept = append(kept, source[done:begin+1]...)
		kept = append(kept, slices.Repeat([]byte("\n"), strings.Count(text, "\n"))...)
		done = begin + len(text) - 1
	}
}
