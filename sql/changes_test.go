package sql_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"cuota/sql"
	sqltext "cuota/sql/text"
)

// Who copies the files of a batch must hear of every change of them, and of no others.
func TestFilesAndChangesAreOfTheSameTables(t *testing.T) {
	t.Parallel()
	files, changes := map[string]bool{}, map[string]bool{} // by name: whether it is split by days
	for _, table := range sql.BulkTables() {
		files[table.Name] = table.Yearly
	}
	for _, table := range sql.ComparedTables() {
		changes[table.Name] = table.ByDay
	}
	if !maps.Equal(files, changes) {
		t.Errorf("there are files of %v, and changes of %v", files, changes)
	}
}

func TestEveryTableForPeopleIsComparedByItsKey(t *testing.T) {
	t.Parallel()
	tables := map[string]sql.ComparedTable{}
	for _, table := range sql.ComparedTables() {
		tables[table.Name] = table
	}
	for name, key := range map[string][]string{"screener": {"series_id"}, "daily": {"series_id", "date"},
		"family_index": {"family", "currency", "date"}} {
		if got := tables[name].Key; !slices.Equal(got, key) {
			t.Errorf("the key of %s is %v, want %v", name, got, key)
		}
	}
	for _, name := range []string{"published", "rejected_rows", "total_returns", "total_returns_of",
		"returns_daily_long", "batches", "quotas_known_at", "quota_revisions"} {
		if _, compared := tables[name]; compared {
			t.Errorf("%s is compared, although no batch determines it or another table has the same rows", name)
		}
	}
	if len(tables) < 25 {
		t.Errorf("only %d tables are compared", len(tables))
	}
	for name, table := range tables {
		text := table.Statement()
		for _, mark := range []string{"{key}", "{columns}", "{from}", "{to}", "{where}"} {
			if strings.Contains(text, mark) {
				t.Errorf("%s: %s was not filled in", name, mark)
			}
		}
		if named, known := sql.NameOf(text); !known || named != "changes/"+name {
			t.Errorf("the statement of %s is called %q", name, named)
		}
		if sqltext.HasParameter(text, "days") != table.ByDay || !sqltext.HasParameter(text, "since") ||
			!sqltext.HasParameter(text, "batch") {
			t.Errorf("%s has the wrong parameters", name)
		}
	}
}
