package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"cuota/internal/testkit/longtest"
)

// commandTree returns every command by its path, such as "cuota key create".
func commandTree(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	root, err := newRoot(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	tree := map[string]*cobra.Command{}
	var walk func(*cobra.Command)
	walk = func(command *cobra.Command) {
		command.InitDefaultHelpFlag()
		command.InitDefaultVersionFlag()
		tree[command.CommandPath()] = command
		for _, below := range command.Commands() {
			walk(below)
		}
	}
	walk(root)
	return tree
}

func hasFlag(command *cobra.Command, name string) bool {
	return command != nil && (command.Flags().Lookup(name) != nil || command.InheritedFlags().Lookup(name) != nil)
}

var (
	flagInText    = regexp.MustCompile(`(?:^|[\s("'` + "`" + `])--([a-z][a-z-]*[a-z])(?:[^a-z=]|$)`)
	commandInText = regexp.MustCompile(`cuota(?: [a-z]+){1,2}`)
)

// wrongFlags returns the flags in a text that the command meant does not have: the
// last one that the text names before the flag, else the given one.
func wrongFlags(tree map[string]*cobra.Command, text, running string) []string {
	var wrong []string
	for _, at := range flagInText.FindAllStringSubmatchIndex(text, -1) {
		meant := running
		for _, named := range commandInText.FindAllString(text[:at[0]], -1) {
			for tree[named] == nil && strings.Contains(named, " ") {
				named = named[:strings.LastIndex(named, " ")] // the words after the command
			}
			if named != "cuota" {
				meant = named
			}
		}
		if flag := text[at[2]:at[3]]; !hasFlag(tree[meant], flag) {
			wrong = append(wrong, meant+" --"+flag)
		}
	}
	return wrong
}

func TestEveryFlagThatAMessageNamesExists(t *testing.T) {
	tree := commandTree(t)
	everywhere := map[string]bool{}
	for _, command := range tree {
		command.Flags().VisitAll(func(flag *pflag.Flag) { everywhere[flag.Name] = true })
		command.PersistentFlags().VisitAll(func(flag *pflag.Flag) { everywhere[flag.Name] = true })
	}
	found := 0
	for _, folder := range []string{".", "../../internal", "../../ingest", "../../projector", "../../query",
		"../../model", "../../demo"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || strings.Contains(path, "/docspages/reference/") || // flags of curl
				!strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(filepath.Dir(path), "test") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			// Each subcommand has a file of its own, and what is in it is said by that command.
			running := "cuota " + strings.TrimSuffix(filepath.Base(path), ".go")
			ast.Inspect(file, func(node ast.Node) bool {
				literal, ok := node.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				for _, flag := range flagInText.FindAllStringSubmatch(text, -1) {
					found++
					if !everywhere[flag[1]] {
						t.Errorf("%s names --%s, which no command has: %s", path, flag[1], text)
					}
				}
				if folder == "." && tree[running] != nil && !tree[running].HasSubCommands() {
					if wrong := wrongFlags(tree, text, running); len(wrong) > 0 {
						t.Errorf("%s names %v: %s", path, wrong, text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found < 10 {
		t.Errorf("only %d flags found in messages: the search is broken", found)
	}
}

func TestAMessageNamesFlagsOfItsCommandAndRepeatsNothing(t *testing.T) {
	longtest.InTurns(t)
	tree := commandTree(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	used := taken.Addr().String()
	dir := directoryWithBatch(t)
	missing := filepath.Join(t.TempDir(), "missing")
	config := filepath.Join(t.TempDir(), "sources.toml")
	if err := os.WriteFile(config, []byte("user_agent = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := filepath.Join(t.TempDir(), "pepper")
	if err := os.WriteFile(open, make([]byte, 32), 0o644); err != nil {
		t.Fatal(err)
	}
	free := " --listen 127.0.0.1:0 --clickhouse-listen 127.0.0.1:0 --kafka-listen 127.0.0.1:0"
	inData := " --data " + dir
	servers := []string{"CUOTA_KAFKA=127.0.0.1:1", "CUOTA_CLICKHOUSE=http://127.0.0.1:1/cuota",
		"CUOTA_ACCOUNTS=sqlite://" + filepath.Join(t.TempDir(), "a.db"),
		"CUOTA_PEPPER=" + filepath.Join(t.TempDir(), "pepper"), "CUOTA_ARCHIVE=" + t.TempDir()}
	// A message that comes only after the engines have started takes seconds. The short form draws
	// three of these lines.
	const lateLines = 3
	type attempt struct {
		line string
		env  []string
		late bool // the engines have started by then
	}
	attempts := []attempt{
		{line: "up --data a?b"},
		{line: "up --listen nonsense" + inData},
		{line: "up --listen 127.0.0.1:99999" + inData},
		{line: "up --listen 203.0.113.7:8080" + inData},
		{line: "up --listen " + used + inData},
		{line: "up --listen 127.0.0.1:0 --clickhouse-listen 0.0.0.0:0" + inData},
		{line: "up --listen 127.0.0.1:0 --clickhouse-listen 127.0.0.1:0 --kafka-listen 0.0.0.0:0" + inData},
		{line: "up --no-demo" + free + inData, env: []string{"CHDB_LIB_PATH=" + missing}},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_BASE_URL=https://funds.example.org"}},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_TRUSTED_PROXIES=everybody"}},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_SMTP=mail.example.org"}, late: true},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_SMTP=smtp://mail.example.org"}, late: true},
		{line: "up --no-demo" + free + inData,
			env: []string{"CUOTA_SMTP=mail.example.org", "CUOTA_MAIL_FROM=a@example.org"}, late: true},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_RETURNS=dollars"}, late: true},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_BASE_URL=nonsense"}, late: true},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_GOOGLE_CLIENT_ID=only"}, late: true},
		{line: "up --no-demo" + free + inData, env: []string{"CUOTA_ORIGINS=nonsense"}, late: true},
		{line: "up" + free + inData, late: true}, // a file of the demo was ingested with another date
		{line: "up --market " + missing + free + inData, late: true},
		{line: "status", env: []string{"CUOTA_LOG=loud"}},
		{line: "status --data " + missing},
		{line: "status", env: servers[:1]},
		{line: "status", env: servers},
		{line: "ingest cartola"},
		{line: "ingest nosuch " + config + inData},
		{line: "ingest cartola " + missing + inData},
		{line: "ingest cartola " + config + " --published yesterday" + inData},
		{line: "ingest cartola ../../demo/files/cartola/cartola_9809_9810_20191014_20191231.txt --published 2020-01-02" + inData, late: true},
		{line: "ingest cartola " + config, env: servers[:1]},
		{line: "ingest cartola " + config + " --data " + filepath.Join(config, "below")},
		{line: "scrape"},
		{line: "scrape --config " + missing + inData},
		{line: "scrape --config " + config + inData},
		{line: "scrape --config ../../docs/sources.example.toml", env: servers[:1]},
		{line: "project"},
		{line: "project" + inData},
		{line: "project", env: servers[:1]},
		{line: "project --now --data " + missing},
		{line: "project --now", env: servers[:1]},
		{line: "rebuild --data " + missing},
		{line: "rebuild", env: servers[:1]},
		{line: "query"},
		{line: "query", env: servers[1:2]},
		{line: "query --listen " + used, env: servers},
		{line: "query --listen 127.0.0.1:0", env: append([]string{"CUOTA_RETURNS=dollars"}, servers...)},
		{line: "query --listen 127.0.0.1:0",
			env: append([]string{"CUOTA_BASE_URL=https://funds.example.org"}, servers...)},
		{line: "query --listen 127.0.0.1:0", env: append([]string{"CUOTA_BASE_URL=nonsense"}, servers...)},
		{line: "query --listen 127.0.0.1:0", env: append(append([]string{}, servers...), "CUOTA_CLICKHOUSE=:")},
		{line: "query --listen 127.0.0.1:0", env: append(append([]string{}, servers...), "CUOTA_ACCOUNTS=mysql://x")},
		{line: "query --listen 127.0.0.1:0",
			env: append(append([]string{}, servers...), "CUOTA_ACCOUNTS=sqlite://"+filepath.Join(missing, "a.db"))},
		{line: "query --listen 127.0.0.1:0", env: append(append([]string{}, servers...), "CUOTA_PEPPER="+open)},
		{line: "key create"},
		{line: "key create --email nobody" + inData},
		{line: "key create --email a@example.org --tier gold" + inData},
		{line: "key list --data " + missing},
		{line: "key list", env: servers[2:3]},
		{line: "key revoke"},
		{line: "key revoke a b" + inData},
		{line: "key revoke nobody@example.org" + inData},
		{line: "synth --end yesterday"},
		{line: "synth --end 2999-01-01"},
		{line: "synth --out " + dir},
		{line: "synth --series 0 --out " + missing},
	}
	var failings, late []attempt
	for _, one := range attempts {
		if one.late {
			late = append(late, one)
		} else {
			failings = append(failings, one)
		}
	}
	for _, failing := range append(failings, longtest.Sample(t, late, lateLines)...) {
		args := strings.Fields(failing.line)
		running := "cuota " + args[0]
		if args[0] == "key" {
			running += " " + args[1]
		}
		r := cuotaIn(t, failing.env, args...)
		said := strings.TrimSpace(r.stderr)
		if r.code == 0 || said == "" {
			t.Errorf("%s %v ended with %d:\n%s%s", failing.line, failing.env, r.code, r.stdout, r.stderr)
		}
		message := ""
		for _, line := range strings.Split(said, "\n") {
			var logged struct{ Level, Error string } // the last line of a role, whose log is JSON
			switch {
			case strings.HasPrefix(line, "cuota: "):
				message = line
			case json.Unmarshal([]byte(line), &logged) == nil && logged.Level == "fatal":
				message = logged.Error
			}
		}
		if message == "" {
			t.Errorf("%s %v ends without a message:\n%s", failing.line, failing.env, said)
		}
		if wrong := wrongFlags(tree, message, running); len(wrong) > 0 {
			t.Errorf("%s names %v: %s", failing.line, wrong, message)
		}
		parts := map[string]bool{}
		for _, part := range strings.Split(message, ": ") {
			if part = strings.ToLower(strings.TrimSpace(part)); parts[part] {
				t.Errorf("%s says %q twice: %s", failing.line, part, message)
			}
			parts[part] = true
		}
		t.Logf("%s %v\n\t%s", failing.line, failing.env, message)
	}
}
