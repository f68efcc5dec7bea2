package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"cuota/cmd/cuota/exit"
)

func TestAnIncompleteCommandPrintsItsUsageAndEndsWithStatus2(t *testing.T) {
	dir := t.TempDir()
	for line, usage := range map[string]string{
		"":                         "Available Commands:",
		"key":                      "cuota key [command]",
		"completion":               "cuota completion [command]",
		"key create --data " + dir: "cuota key create --email ADDRESS",
		"key revoke --data " + dir: "cuota key revoke ID|NAME|ADDRESS|LAST4",
	} {
		r := cuota(t, strings.Fields(line)...)
		if r.code != exit.Incomplete || r.stdout != "" || !strings.Contains(r.stderr, "Usage:") ||
			!strings.Contains(r.stderr, usage) {
			t.Errorf("cuota %s ended with %d:\n%s%s", line, r.code, r.stdout, r.stderr)
		}
	}
	for _, line := range []string{"kye", "key craete", "completion bsah"} {
		if r := cuota(t, strings.Fields(line)...); r.code != exit.Failed ||
			!strings.Contains(r.stderr, "unknown command") {
			t.Errorf("cuota %s ended with %d: %s", line, r.code, r.stderr)
		}
	}
	if r := cuota(t, "up", "--nosuch"); r.code != exit.Failed ||
		!strings.Contains(r.stderr, "--nosuch; see cuota up --help") {
		t.Errorf("an unknown flag ended with %d: %s", r.code, r.stderr)
	}
	for _, line := range []string{"--help", "help key", "key --help"} {
		if r := cuota(t, strings.Fields(line)...); r.code != 0 || !strings.Contains(r.stdout, "Usage:") {
			t.Errorf("cuota %s ended with %d: %s", line, r.code, r.stderr)
		}
	}
}

func TestStatus2OfIngestAndScrapeSaysOnlyThatRowsWereRejected(t *testing.T) {
	for _, line := range []string{"ingest", "ingest cartola", "scrape"} {
		if r := cuota(t, strings.Fields(line)...); r.code != exit.Failed || r.stderr == "" {
			t.Errorf("cuota %s ended with %d: %s", line, r.code, r.stderr)
		}
	}
}

func TestTheVersionNamesTheSourceAndThePinnedEngine(t *testing.T) {
	pinned, err := os.ReadFile("../../scripts/fetch-engine")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(pinned), "\nreadonly release=")
	release, _, ended := strings.Cut(after, "\n")
	if !found || !ended {
		t.Fatal("scripts/fetch-engine pins no release")
	}
	if out := succeed(t, "--version"); !strings.HasPrefix(out, "cuota ") ||
		!strings.Contains(out, "ClickHouse "+release+"\n") {
		t.Errorf("the engine is %s, and the version says:\n%s", release, out)
	}
	changelog, err := os.ReadFile("../../docs/changelog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ = strings.Cut(string(changelog), "\n## ")
	changed, _, _ := strings.Cut(after, "\n") // the newest version that the changelog tells of
	told := versionOf(&debug.BuildInfo{
		GoVersion: "go1.26.0",
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
			{Key: "vcs.modified", Value: "true"},
		},
	})
	for _, part := range []string{"cuota     " + changed, "0123abcd", "2026-01-02T03:04:05Z", "uncommitted",
		"go1.26.0"} {
		if !strings.Contains(told, part) {
			t.Errorf("the version lacks %q:\n%s", part, told)
		}
	}
}

func TestShellsCompleteCommandsFlagsAndDatasets(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := succeed(t, "completion", shell); !strings.Contains(out, "cuota") {
			t.Errorf("the completion of %s is:\n%.300s", shell, out)
		}
	}
	for line, want := range map[string]string{"k": "key", "key re": "revoke", "up --kaf": "--kafka-listen",
		"ingest cart": "cartola", "key create --tier in": "institutional"} {
		// A shell asks for completions in this form of cobra's.
		words := strings.Fields(line)
		if out := succeed(t, append([]string{"__complete"}, words...)...); !strings.Contains(out, want) {
			t.Errorf("%q is completed by:\n%s", line, out)
		}
	}
}
