package query_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/site/docspages/reference"
	"cuota/internal/site/locale"
	"cuota/internal/testkit/clienttest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/openapitest"
	"cuota/internal/testkit/sampletest"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// listenForSamples serves on a socket. seen returns the statuses since its last call.
func (r *rig) listenForSamples(t *testing.T) (address string, seen func() []int) {
	t.Helper()
	var statuses sampletest.Statuses
	server := httptest.NewServer(statuses.Of(r.Handler()))
	t.Cleanup(server.Close)
	return server.URL, statuses.Take
}

// samplesPrintTheExamples runs the samples of the operations, except those of the account, in
// every language, and compares what they print with the examples of the document. added reports
// whether the sample files were added to the demo market: only then are there answers to some of
// the operations.
func samplesPrintTheExamples(t *testing.T, r *rig, added bool) {
	address, seen := r.listenForSamples(t)
	batch := r.listed(t).Meta.BatchID
	ref, err := reference.New(query.Document(), locale.English)
	must(t, err)
	shown := map[string]openapitest.Operation{}
	for _, o := range ours.Operations(t, func(string) bool { return true }) {
		shown[o.ID] = o
	}
	// the document shows invented ones
	batches := strings.NewReplacer("20250720-1-000000000001", batch, "20250721-1-6f1e7a3c0b52", batch)
	programs := map[string][]sampletest.Program{}
	for _, o := range ref.Operations() {
		if o.Tag == "Account" || (o.Example != nil && strings.HasPrefix(o.Example.Note, sampled)) != added {
			continue
		}
		key := r.key
		if o.ID == "get_key_info" { // it shows a key without any requests
			key = r.issue(t, account.Free, account.Named("example"))
		}
		for _, s := range o.Samples(address) {
			programs[s.Language] = append(programs[s.Language], sampletest.Program{
				Name: o.ID, Text: batches.Replace(s.Text), Env: map[string]string{"CUOTA_KEY": key},
			})
		}
	}
	if least := map[bool]int{false: 20, true: 5}[added]; len(programs) != 3 || len(programs[reference.Bash]) < least {
		t.Fatalf("samples in %d languages, %d in the first", len(programs), len(programs[reference.Bash]))
	}
	for language, list := range programs {
		t.Run(language, func(t *testing.T) {
			run := func() []sampletest.Outcome { return sampletest.Run(t, language, list) }
			if language != reference.Bash {
				longtest.InTurns(t) // the samples in bash prove the examples
				run = throughClient(t, language, address, list)
			}
			seen()
			outcomes := run()
			answered := seen()
			if language == reference.Bash && len(answered) != len(list) {
				t.Fatalf("%d samples made %d requests", len(list), len(answered))
			}
			if slices.ContainsFunc(answered, func(status int) bool { return status != http.StatusOK }) {
				t.Errorf("the requests were answered with %v", answered)
			}
			for i, p := range list {
				if outcomes[i].Error != "" {
					t.Errorf("%s: %s\n%s", p.Name, outcomes[i].Error, p.Text)
					continue
				}
				if strings.Contains(p.Text, "to_pylist()") {
					rowsAreOfTheExample(t, ref.Operation(p.Name), outcomes[i].Output)
					continue
				}
				printed := answer{status: http.StatusOK, body: []byte(outcomes[i].Output)}
				note := ""
				if added {
					note = sampled
				}
				switch p.Name {
				case "get_bulk": // the sizes of files differ between versions of the engine
					if language == reference.Python {
						if !strings.Contains(outcomes[i].Output, "returns_daily ['returns_daily_") {
							t.Errorf("%s printed %.300s", p.Name, printed.body)
						}
						continue
					}
					if list := decode[bulkList](t, printed); list.Meta.BatchID != batch || len(list.Data) == 0 {
						t.Errorf("%s printed %.300s", p.Name, printed.body)
					}
				case "get_batches": // the moments of publication are of this run
					if list := decode[items](t, printed).ids(); !slices.Contains(list, batch) {
						t.Errorf("%s printed %.300s", p.Name, printed.body)
					}
				case "get_bulk_file": // it saves a file
				case "get_changes": // of a batch since itself
					if language == reference.Python && outcomes[i].Output == "0 rows differ\n" {
						continue
					}
					if !strings.Contains(outcomes[i].Output, "end") || !strings.Contains(outcomes[i].Output, batch) {
						t.Errorf("%s printed %s", p.Name, outcomes[i].Output)
					}
				case "get_document":
					ours.IsExample(t, shown[p.Name], "Cut to what names the document.", names(t, printed))
				default:
					ours.IsExample(t, shown[p.Name], note, printed.body)
				}
			}
		})
	}
}

// throughClient installs the client of a language for the service at an address, and returns what runs samples with it.
// Those of TypeScript must have the types of the client too.
func throughClient(t *testing.T, language, address string, list []sampletest.Program) func() []sampletest.Outcome {
	copied := clienttest.Copy(t)
	if language == reference.Python {
		python := clienttest.Python(t, filepath.Join(copied, "python"))
		return func() []sampletest.Outcome { return sampletest.RunWith(t, language, python, t.TempDir(), list) }
	}
	dir := clienttest.TypeScript(t, copied, address)
	return func() []sampletest.Outcome {
		outcomes := sampletest.RunWith(t, language, "", dir, list)
		must(t, os.WriteFile(filepath.Join(dir, "node.d.ts"), []byte(`
declare const process: { env: Record<"CUOTA_KEY", string> };
declare const Buffer: { from(content: ArrayBuffer): Uint8Array };
declare module "node:fs/promises" { export function writeFile(name: string, content: Uint8Array): Promise<void>; }
`), 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), []byte(`{
"compilerOptions": { "strict": true, "allowJs": true, "checkJs": true, "target": "es2022", "lib": ["es2022", "dom"],
	"module": "nodenext", "types": [] },
"include": ["node.d.ts", "sample*.mjs"]
}`), 0o600))
		checks := exec.CommandContext(t.Context(), filepath.Join(dir, "node_modules", ".bin", "tsc"), "--noEmit", "--listFiles")
		checks.Dir = dir
		out, err := checks.CombinedOutput()
		if checked := strings.Count(string(out), dir+"/sample"); err != nil || checked != len(list) {
			t.Errorf("the types of %d of %d samples: %v\n%s", checked, len(list), err, out)
		}
		return outcomes
	}
}

// rowsAreOfTheExample compares rows that a sample printed with the example. A row has columns of a table, which have
// other names, so only what the rows are about is compared: series and families.
func rowsAreOfTheExample(t *testing.T, shown *reference.Operation, printed string) {
	var subjects []string
	var find func(value any)
	find = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, one := range value {
				find(one)
			}
		case map[string]any:
			if id, _ := value["id"].(string); value["attributes"] != nil {
				id, _, _ = strings.Cut(id, "_") // of a series and a day
				subjects = append(subjects, id)
			}
			if name, is := value["family"].(string); is {
				subjects = append(subjects, name)
			}
			for _, name := range []string{"data", "families"} {
				find(value[name])
			}
		}
	}
	var example any
	must(t, json.Unmarshal(shown.Example.Answer, &example))
	find(example)
	if len(subjects) == 0 {
		t.Errorf("the example of %s is about no series and no family", shown.ID)
	}
	for _, subject := range subjects {
		if !strings.Contains(printed, subject) {
			t.Errorf("%s printed nothing of %s:\n%.2000s", shown.ID, subject, printed)
		}
	}
}

// samplesOfGuidesRun runs the code of the guides. Each must end well, and say something.
func samplesOfGuidesRun(t *testing.T, r *rig, options *clickhouse.Options) {
	address, seen := r.listenForSamples(t)
	person := strings.NewReplacer(
		// The server of the tests has many databases, and asks for the name of the user.
		"http://127.0.0.1:8123/?", "http://"+clickhousetest.Server(t).HTTP()+"/?user=people&",
		"http://127.0.0.1:8123/'", "http://"+clickhousetest.Server(t).HTTP()+"/?user=people'",
		"FROM funds", "FROM "+sql.PeoplesDatabase(options.Auth.Database), "DESCRIBE funds",
		"DESCRIBE "+sql.PeoplesDatabase(options.Auth.Database),
	)
	programs := map[string][]sampletest.Program{}
	for _, g := range reference.Guides(locale.English, address) { // the Spanish ones have the same code
		if g.Name == "clientes" { // which the tests of the clients run
			continue
		}
		for _, block := range sampletest.Blocks(g.Markdown) {
			if block.Language != "" {
				programs[block.Language] = append(programs[block.Language],
					sampletest.Program{Name: g.Name, Text: person.Replace(block.Text),
						Env: map[string]string{"CUOTA_KEY": r.key}})
			}
		}
	}
	if len(programs[reference.Bash]) < 8 || len(programs[reference.Python]) < 4 {
		t.Fatalf("%d samples in bash, %d in Python", len(programs[reference.Bash]), len(programs[reference.Python]))
	}
	for language, list := range programs {
		t.Run(language, func(t *testing.T) {
			for i, outcome := range sampletest.Run(t, language, list) {
				saved := strings.Contains(list[i].Text, "--output ")
				if outcome.Error != "" || outcome.Output == "" && !saved {
					t.Errorf("%s: %s\n%s\n%s", list[i].Name, outcome.Error, outcome.Output, list[i].Text)
				}
			}
			for _, status := range seen() {
				if status != http.StatusOK && status != http.StatusNotModified {
					t.Errorf("a sample in %s got the status %d", language, status)
				}
			}
		})
	}
}
