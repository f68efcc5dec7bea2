package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/client"
	"cuota/internal/testkit/waittest"

	"github.com/google/go-cmp/cmp"
)

// conformanceCase is a rule that clients of the API keep (clients/conformance/cases.json, whose README explains it).
type conformanceCase struct {
	Name    string            `json:"name"`
	Rule    string            `json:"rule"`
	Faults  []*injected       `json:"faults"`
	Ask     conformanceAsk    `json:"ask"`
	Error   map[string]any    `json:"error"`    // nil: the client gives what the service gives
	MayFail bool              `json:"may_fail"` // an error is right too
	Count   int               `json:"requests"` // of what is asked for; 0: any number
	Most    int               `json:"most"`     // the same, if their number depends on the client
	Ranges  int               `json:"ranges"`   // requests for the rest of a file
	Batches int               `json:"batches"`  // batches that pages after the first name
	Not     map[string]string `json:"not"`      // clients that it does not apply to, and why
}

// conformanceAsk is what a case asks for. Each What uses some of the others.
type conformanceAsk struct {
	What     string          `json:"what"`
	Key      string          `json:"key,omitempty"`
	Filters  json.RawMessage `json:"filters,omitempty"`
	Screens  json.RawMessage `json:"screens,omitempty"`
	Strategy json.RawMessage `json:"strategy,omitempty"`
	Series   []string        `json:"series,omitempty"`
	BatchID  string          `json:"batch_id,omitempty"`
	AsOfDate string          `json:"as_of_date,omitempty"`
	From     string          `json:"from,omitempty"`
	To       string          `json:"to,omitempty"`
	Date     string          `json:"date,omitempty"`
	Q        string          `json:"q,omitempty"`
	Run      string          `json:"run,omitempty"`
	Since    string          `json:"since,omitempty"`
	Path     string          `json:"path,omitempty"`
	Params   json.RawMessage `json:"params,omitempty"`
	Name     string          `json:"name,omitempty"`
	Table    string          `json:"table,omitempty"`
}

// conformanceCases are the cases with the batches and ids of a service, and the file that has them for the runners.
type conformanceCases struct {
	Clients []string           `json:"clients"`
	Cases   []*conformanceCase `json:"cases"`

	file string
}

// readCases reads the cases, and puts real values where the file has names in braces.
func readCases(t *testing.T, from string, values map[string]any) *conformanceCases {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range values {
		written, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`"{`+name+`}"`), written)
	}
	all := &conformanceCases{file: filepath.Join(t.TempDir(), "cases.json")}
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	if err := read.Decode(all); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(all.file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range all.Cases {
		if seen[c.Name] || c.Rule == "" || len(c.Not) >= len(all.Clients) {
			t.Errorf("%q is there twice, states no rule, or applies to no client", c.Name)
		}
		seen[c.Name] = true
		for name, why := range c.Not {
			if !slices.Contains(all.Clients, name) || why == "" {
				t.Errorf("%s does not apply to %q because %q", c.Name, name, why)
			}
		}
	}
	return all
}

// caseLine is the line of a runner about a case.
type caseLine struct {
	Case  string          `json:"case"`
	Gives json.RawMessage `json:"gives"`
	Error map[string]any  `json:"error"`
}

// conformance runs every case with every client. copied is a copy of the folder clients, with the package of
// TypeScript built, and python an interpreter that has the package of Python.
func conformance(t *testing.T, copied, python, api, key string, publish func()) {
	values := map[string]any{"earlier": servedBatch(t, api, key)}
	publish()
	values["twelve"] = firstSeries(t, api, key, 12)
	all := readCases(t, filepath.Join(copied, "conformance", "cases.json"), values)
	// The runner of JavaScript finds the package beside it.
	runner := filepath.Join(copied, "typescript", "conformance.mjs")
	if err := os.Rename(filepath.Join(copied, "conformance", "run.mjs"), runner); err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{
		"python":     {python, filepath.Join(copied, "conformance", "run.py")},
		"typescript": {"node", runner},
		"sheets":     {"node", filepath.Join(copied, "conformance", "sheets.mjs")},
	}
	for _, name := range all.Clients {
		waittest.Until(t, "the files of the batch are made", func() bool {
			status, _ := ask(t, api+"/api/bulk", key)
			return status == http.StatusOK
		})
		t.Run(name, func(t *testing.T) {
			proxy := &faultProxy{t: t, api: api, key: key, cases: all.Cases, publish: publish,
				states: map[string]*caseState{}}
			proxy.elsewhere = httptest.NewServer(&proxy.strayed)
			t.Cleanup(proxy.elsewhere.Close)
			server := httptest.NewServer(proxy)
			t.Cleanup(server.Close)
			output := ""
			if command := commands[name]; command != nil {
				output = runCases(t, command, all.file, server.URL, key)
			} else {
				output = goRunner(t, all, server.URL, key)
			}
			checkCases(t, name, all, proxy, output)
			for _, c := range all.Cases {
				if strings.Contains(output, key) || c.Ask.Key != "" && strings.Contains(output, c.Ask.Key) {
					t.Error("a key is in what the client gives")
				}
			}
			if asked := proxy.strayed.asked(); asked != 0 {
				t.Errorf("the client asked another host %d times", asked)
			}
		})
	}
}

// runCases runs a runner, and returns what it printed.
func runCases(t *testing.T, command []string, cases, address, key string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Env = append(os.Environ(), "CUOTA_CASES="+cases, "CUOTA_URL="+address, "CUOTA_KEY="+key)
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", strings.Join(command, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// checkCases compares the lines of a runner with what each case wants of a client.
func checkCases(t *testing.T, of string, all *conformanceCases, proxy *faultProxy, output string) {
	results := map[string]caseLine{}
	for line := range strings.Lines(output) {
		var r caseLine
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if _, twice := results[r.Case]; twice {
			t.Errorf("%s was run twice", r.Case)
		}
		results[r.Case] = r
	}
	ran := 0
	for _, c := range all.Cases {
		got, there := results[c.Name]
		why, isNot := c.Not[of]
		if there == isNot {
			t.Errorf("%s was run: %v, and does not apply: %q", c.Name, there, why)
		}
		if !there {
			continue
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			if problem := proxy.state(c.Name).judge(c, got); problem != "" {
				t.Errorf("%s\n%s", c.Rule, problem)
			}
		})
	}
	if ran != len(results) {
		t.Errorf("the runner gave %d lines about %d cases", len(results), ran)
	}
	t.Logf("%d of %d cases apply, and were run", ran, len(all.Cases))
}

// judge says what is wrong with a result; "" if nothing is.
func (s *caseState) judge(c *conformanceCase, got caseLine) string {
	asked, ranges, batches := s.counted(c)
	switch {
	case c.Count > 0 && asked != c.Count, c.Most > 0 && (asked == 0 || asked > c.Most):
		return fmt.Sprintf("%d requests, want %d, at most %d:\n%s", asked, c.Count, c.Most, strings.Join(s.seen, "\n"))
	case c.Ranges > 0 && ranges != c.Ranges:
		return fmt.Sprintf("%d requests for the rest of a file, want %d", ranges, c.Ranges)
	case c.Batches > 0 && batches != c.Batches:
		return fmt.Sprintf("the pages name %d batches, want %d:\n%s", batches, c.Batches, strings.Join(s.seen, "\n"))
	case s.strange != "":
		return s.strange
	case got.Error != nil && c.MayFail:
		return ""
	case c.Error == nil && got.Error != nil, c.Error != nil && got.Error == nil:
		return fmt.Sprintf("the client gives %.300s and the error %v, want the error %v", got.Gives, got.Error, c.Error)
	case c.Error == nil:
		if rows, is := s.gives.([]any); is && (len(rows) == 0) != (c.Name == "empty-list") {
			return fmt.Sprintf("the service gives %d rows", len(rows))
		}
		var gives any
		if err := json.Unmarshal(got.Gives, &gives); err != nil {
			return err.Error()
		}
		return cmp.Diff(s.gives, gives)
	}
	return s.judgeError(c.Error, got.Error)
}

// judgeError compares an error with what a case wants to know of it. Sheets tells a person, and has the text alone.
func (s *caseState) judgeError(want, got map[string]any) string {
	if len(got) == 1 && want["text"] != nil {
		if !strings.Contains(fmt.Sprint(got["text"]), fmt.Sprint(want["text"])) {
			return fmt.Sprintf("the text is %q, want %q", got["text"], want["text"])
		}
		return ""
	}
	for name, value := range want {
		if value == "{current}" {
			value = s.batch
		}
		there := got[name] != nil && got[name] != ""
		if name != "text" && (value == true && !there || value != true && !cmp.Equal(got[name], value)) {
			return fmt.Sprintf("%s is %v, want %v, in %v", name, got[name], value, got)
		}
	}
	return ""
}

func servedBatch(t *testing.T, api, key string) string {
	t.Helper()
	c, err := client.New(api, client.WithKey(key))
	if err != nil {
		t.Fatal(err)
	}
	batch, err := c.ServedBatch(t.Context())
	if err != nil || batch == "" {
		t.Fatalf("the service answers from batch %q: %v", batch, err)
	}
	return batch
}
