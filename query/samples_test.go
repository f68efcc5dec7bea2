package query_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"cuota/internal/account"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/site/docspages/reference"
	"cuota/internal/site/locale"
	"cuota/internal/testkit/openapitest"
	"cuota/internal/testkit/sampletest"
	"cuota/query"
	"cuota/sql"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// listenForSamples serves on a socket. seen gives the statuses since its last call.
func (r *rig) listenForSamples(t *testing.T) (address string, seen func() []int) {
	t.Helper()
	var statuses sampletest.Statuses
	server := httptest.NewServer(statuses.Of(r.Handler()))
	t.Cleanup(server.Close)
	return server.URL, statuses.Take
}

// samplesPrintTheExamples runs the samples of the operations, except those of the account, in
// every language, and compares what they print with the examples of the document. added tells
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
			seen()
			outcomes := sampletest.Run(t, language, list)
			answered := seen()
			if len(answered) != len(list) {
				t.Fatalf("%d samples made %d requests", len(list), len(answered))
			}
			for i, p := range list {
				if answered[i] != http.StatusOK || outcomes[i].Error != "" {
					t.Errorf("%s: status %d, %s\n%s", p.Name, answered[i], outcomes[i].Error, p.Text)
					continue
				}
				printed := answer{status: answered[i], body: []byte(outcomes[i].Output)}
				note := ""
				if added {
					note = sampled
				}
				switch p.Name {
				case "get_bulk": // the sizes of files differ between versions of the engine
					if list := decode[bulkList](t, printed); list.Meta.BatchID != batch || len(list.Data) == 0 {
						t.Errorf("%s printed %.300s", p.Name, printed.body)
					}
				case "get_batches": // the moments of publication are of this run
					if list := decode[items](t, printed).ids(); !slices.Contains(list, batch) {
						t.Errorf("%s printed %.300s", p.Name, printed.body)
					}
				case "get_bulk_file": // it saves a file
				case "get_changes": // of a batch since itself
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
		for _, block := range g.CodeBlocks() {
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
