package clickhouse_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/embedded/clickhouse/clickhousetest"
)

// The drivers of other languages, by their package names, as people use them: over the doors, with
// the rights and settings of the product.
func TestDriversOfOtherLanguagesReadWithTheirDefaults(t *testing.T) {
	server := clickhousetest.Start(t, embedded.Config{Dir: t.TempDir(), HTTP: listen(t), Native: listen(t)})
	must(t, open(t, server.Options()).Exec(t.Context(), `CREATE VIEW funds.quote
		(day Date COMMENT 'a day', value Float64 COMMENT 'a value') SQL SECURITY DEFINER AS
		SELECT toDate('2025-01-01') + number AS day, toFloat64(number) AS value FROM numbers(100)`))
	t.Run("Python", func(t *testing.T) {
		dir, python := t.TempDir(), tool(t, "python3")
		install(t, dir, python, "-m", "venv", "venv")
		bin := filepath.Join(dir, "venv", "bin")
		install(t, dir, filepath.Join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check",
			"clickhouse-connect", "clickhouse-driver[lz4,zstd]")
		wantPrinted(t, server, filepath.Join(bin, "python"), "testdata/client.py")
	})
	t.Run("JavaScript", func(t *testing.T) {
		dir, npm, node := t.TempDir(), tool(t, "npm"), tool(t, "node")
		script, err := os.ReadFile("testdata/client.mjs")
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "client.mjs"), script, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true}`), 0o600))
		install(t, dir, npm, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "@clickhouse/client")
		wantPrinted(t, server, node, filepath.Join(dir, "client.mjs"))
	})
	t.Run("Java", func(t *testing.T) {
		dir, java, maven := t.TempDir(), tool(t, "java"), tool(t, "mvn")
		install(t, "", maven, "-q", "-B", "-f", filepath.Join("testdata", "pom.xml"), "dependency:copy-dependencies",
			"-DincludeScope=runtime", "-DoutputDirectory="+dir)
		wantPrinted(t, server, java, "-cp", filepath.Join(dir, "*"), "testdata/Client.java")
	})
}

// wantPrinted runs a program, which uses the doors as far as it can, and checks what it prints.
func wantPrinted(t *testing.T, server *embedded.Server, program string, args ...string) {
	t.Helper()
	overHTTP, native := server.Doors()
	output, err := execute(t, "", program, append(args, overHTTP, native)...)
	if err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(output) {
		if _, got, _ := strings.Cut(line, ": "); got != "100 people 497\n" {
			t.Errorf("%s", line)
		}
	}
	if strings.Count(output, "\n") < 2 {
		t.Errorf("too little is printed: %q", output)
	}
}

// tool returns the path of a program. If it is missing, the test is skipped, or fails if CI=true.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		skipOutsideCI(t, "there is no "+name)
	}
	return path
}

// install runs a command that downloads packages. If that fails, the test is skipped, or fails
// if CI=true.
func install(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	if _, err := execute(t, dir, program, args...); err != nil {
		skipOutsideCI(t, err.Error())
	}
}

func skipOutsideCI(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

func execute(t *testing.T, dir, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = dir
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, problems.String())
	}
	return string(output), err
}
