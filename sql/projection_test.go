package sql

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parse reads a projection that knows two queries.
func parse(text string) (Projection, error) {
	return parseProjection(Script{Name: "p", Text: text}, func(name string) bool {
		return name == "months" || name == "wanted"
	})
}

func TestAProjectionStatesInItsHeaderWhatItNeeds(t *testing.T) {
	got, err := parse("-- Months, for example: those that are closed.\n--\n-- chunks: months\n-- when:  wanted \n-- " +
		"before: day\n" +
		"INSERT INTO month (a, b)\nWITH x AS (SELECT 1) -- sets: nothing\nSELECT 1, 2")
	if err != nil {
		t.Fatal(err)
	}
	want := Projection{Script: got.Script, Table: "month", Chunks: "months", When: "wanted", Before: "day"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the projection differs (-want +got):\n%s", diff)
	}
}

func TestAHeaderThatIsNotUnderstoodIsAnError(t *testing.T) {
	const insert = "INSERT INTO month (a) SELECT 1"
	for text, want := range map[string]string{
		"-- chunk: months\n" + insert:                     `the header states "chunk"`,
		"-- Chunks: months\n" + insert:                    `the header states "Chunks"`,
		"-- Months.\n--chunks : month\n" + insert:         "there is no sql/queries/month.sql",
		"-- when:\n" + insert:                             "the header states nothing for when",
		"-- when: wanted or not\n" + insert:               "there is no sql/queries/wanted or not.sql",
		"-- chunks: months\n-- chunks: months\n" + insert: "the header states chunks twice",
		"-- before: day\n-- before: month\n" + insert:     "the header states before twice",
		insert + "\n-- chunks: months\nFROM day":          "chunks stands below the header",
		"SELECT 1":                                        "write INSERT INTO table (columns) SELECT",
		"INSERT INTO month SELECT 1":                      "write INSERT INTO table (columns) SELECT",
		"INSERT INTO month (a) VALUES (1)":                "write SELECT or WITH after the columns",
		"INSERT INTO month (a":                            "a bracket has no closing bracket",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives the error %v, want: %s", text, err, want)
		}
	}
}

func TestEveryProjectionIsUnderstood(t *testing.T) {
	list, err := Projections()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(projections(), scriptsOf(list)); diff != "" || len(list) == 0 {
		t.Errorf("the statements differ (-files +projections):\n%s", diff)
	}
}

func scriptsOf(list []Projection) []Script {
	scripts := make([]Script, len(list))
	for i, p := range list {
		scripts[i] = p.Script
	}
	return scripts
}
