package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/testkit/clienttest"
	"cuota/internal/testkit/longtest"
)

// The commands of the tutorial run as they are written, in a directory of their own, on a market
// of the same days with fewer series.
func TestTheCommandsOfTheTutorialRunAsWritten(t *testing.T) {
	longtest.Skip(t)
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/tutorial-backtest.md")
	if err != nil {
		t.Fatal(err)
	}
	files, data := filepath.Join(dir, "synthetic"), filepath.Join(dir, "data", "market")
	succeed(t, "synth", "--series", "80", "--days", "1095", "--out", files)
	market := up(t, data, "--no-demo", "--market", files)
	defer market.interrupt(t)
	environment := program(t.Context(), nil).Env
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "bin", "cuota")); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(script, filepath.Join(dir, "docs")); err != nil {
		t.Fatal(err)
	}
	ran := 0
	var lines []string
	for _, block := range regexp.MustCompile("(?s)```(\\w*)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		switch {
		case block[1] == "toml":
			if err := os.WriteFile(filepath.Join(dir, "study.toml"), []byte(block[2]), 0o600); err != nil {
				t.Fatal(err)
			}
		case block[1] == "" && !strings.HasPrefix(block[2], "make "):
			lines = append(lines, strings.ReplaceAll(block[2], "localhost:8080",
				strings.TrimPrefix(market.api, "http://")))
			ran += strings.Count(block[2], "\n")
		}
	}
	python := clienttest.Python(t, "pandas", "pyarrow")
	commands := strings.ReplaceAll(strings.Join(lines, ""), "python3 ", python+" ")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", commands)
	var stdout, stderr bytes.Buffer
	shell.Dir, shell.Env, shell.Stdout, shell.Stderr = dir, environment, &stdout, &stderr
	if err := shell.Run(); err != nil {
		t.Fatalf("%v\n%.3000s\n%.3000s", err, stdout.String(), stderr.String())
	}
	for _, want := range []string{"as_stated", `"ledger":[`, "worst quarter: ", "of 100 random rules were better",
		"survivors {"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%q is not in the output:\n%.3000s", want, stdout.String())
		}
	}
	if page, err := os.ReadFile(filepath.Join(dir, "study", "best-year-one-of-each-manager.html")); err != nil ||
		!bytes.Contains(page, []byte("bias ledger")) {
		t.Errorf("the report: %v", err)
	}
	if ran < 8 {
		t.Errorf("the tutorial has %d commands", ran)
	}
}
