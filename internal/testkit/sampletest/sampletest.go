// Package sampletest finds and runs the code samples of the documentation, many in one process for each
// language. Only tests import it.
package sampletest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Program is a code sample.
type Program struct {
	Name string // of the operation or guide, for messages
	Text string
	Env  map[string]string
}

// Outcome is what a program did.
type Outcome struct {
	Output string // standard output
	Error  string // "" if the program succeeded
}

// language is how the programs of a language are run.
type language struct {
	program string // interpreter
	suffix  string // of files with samples
	driver  string // program that runs the list of samples in its first argument
}

// The drivers read a file with names of files and environments, run each file, and write what it
// printed beside it, with the suffix .out, and its error with the suffix .err.
var languages = map[string]language{
	"bash": {"bash", ".sh", `
while IFS= read -r file; do
	if ! (. "$file.env"; exec bash -e -o pipefail "$file") >"$file.out" 2>"$file.problem"; then
		{ echo "failed"; cat "$file.problem"; } >"$file.err"
	fi
done <"$1"
`},
	"python": {"python3", ".py", `
import contextlib, io, json, os, sys, traceback

for file in open(sys.argv[1]).read().split():
    out = io.StringIO()
    os.environ.update(json.load(open(file + ".json")))
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(open(file).read(), file, "exec"), {"__name__": "__main__"})
    except BaseException:
        open(file + ".err", "w").write(traceback.format_exc())
    open(file + ".out", "w").write(out.getvalue())
`},
	"javascript": {"node", ".mjs", driverOfNode},
	"typescript": {"node", ".mjs", driverOfNode},
}

const driverOfNode = `
import { readFileSync, writeFileSync } from "node:fs";
import { format } from "node:util";

for (const file of readFileSync(process.argv[2], "utf8").trim().split("\n")) {
  let out = "";
  console.log = (...values) => { out += format(...values) + "\n"; };
  Object.assign(process.env, JSON.parse(readFileSync(file + ".json", "utf8")));
  try {
    await import(file);
  } catch (error) {
    writeFileSync(file + ".err", String(error.stack || error));
  }
  writeFileSync(file + ".out", out);
}
`

// Statuses records the statuses of a server's responses.
type Statuses struct {
	mutex sync.Mutex
	seen  []int
}

// Of returns a handler whose statuses are recorded.
func (s *Statuses) Of(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(recorded{w, s}, r) })
}

// Take returns the statuses since its last call, in their order.
func (s *Statuses) Take() []int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	taken := s.seen
	s.seen = nil
	return taken
}

type recorded struct {
	http.ResponseWriter
	statuses *Statuses
}

// WriteHeader implements http.ResponseWriter.
func (r recorded) WriteHeader(status int) {
	r.statuses.mutex.Lock()
	r.statuses.seen = append(r.statuses.seen, status)
	r.statuses.mutex.Unlock()
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find what the connection can do.
func (r recorded) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// patience is how long all programs of a language may take together.
const patience = 3 * time.Minute

// Run runs the programs of one language, bash, python or javascript, one after the other in one
// process, and returns what each did. If the interpreter is missing, the test is skipped, but fails
// in CI.
func Run(t *testing.T, name string, programs []Program) []Outcome {
	t.Helper()
	return RunWith(t, name, "", t.TempDir(), programs)
}

// RunWith runs programs with an interpreter of the caller and from its folder, in which they find packages. The
// language may be typescript as well: its samples have no types of their own.
func RunWith(t *testing.T, name, interpreter, dir string, programs []Program) []Outcome {
	t.Helper()
	l, known := languages[name]
	if !known {
		t.Fatalf("samples in %q can't be run", name)
	}
	l.program = cmp.Or(interpreter, l.program)
	if _, err := exec.LookPath(l.program); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("there is no %s", l.program)
		}
		t.Skipf("there is no %s", l.program)
	}
	list := ""
	files := make([]string, len(programs))
	for i, p := range programs {
		files[i] = filepath.Join(dir, fmt.Sprintf("sample%d%s", i, l.suffix))
		list += files[i] + "\n"
		write(t, files[i], p.Text)
		given := map[string]string{}
		maps.Copy(given, p.Env)
		env, err := json.Marshal(given)
		if err != nil {
			t.Fatal(err)
		}
		write(t, files[i]+".json", string(env))
		exports := ""
		for name, value := range p.Env {
			exports += fmt.Sprintf("export %s='%s'\n", name, value) // values are ours and have no quotes
		}
		write(t, files[i]+".env", exports)
	}
	write(t, filepath.Join(dir, "list"), list)
	driver := filepath.Join(dir, "driver"+l.suffix)
	write(t, driver, l.driver)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, l.program, driver, filepath.Join(dir, "list"))
	command.Dir = dir
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", l.program, err, output)
	}
	outcomes := make([]Outcome, len(programs))
	for i, file := range files {
		outcomes[i] = Outcome{Output: read(t, file+".out", true), Error: read(t, file+".err", false)}
	}
	return outcomes
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read returns the text of a file. A file that need not be there may be missing.
func read(t *testing.T, file string, needed bool) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && (needed || !os.IsNotExist(err)) {
		t.Fatal(err)
	}
	return string(text)
}
