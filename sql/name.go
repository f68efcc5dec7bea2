package sql

import (
	"io/fs"
	"strings"
	"sync"
)

// NameOf returns the name of a statement by its text, as Query, QueryAsWritten, Insert and
// the functions that return scripts give it. The name of sql/queries/market.sql is market.
// All others have their folder in front, as in projections/market_day. The name of what
// InsertInto returns has the table, as in inserts/fact_quota. That of what Count runs ends in
// /count.
func NameOf(text string) (name string, known bool) {
	if name, known = names()[text]; known {
		return name, true
	}
	if head, inserts := strings.CutPrefix(text, insertInto); inserts {
		table, _, _ := strings.Cut(head, " ")
		return "inserts/" + table, true
	}
	if counted, counts := strings.CutPrefix(text, countHead); counts {
		name, known = names()[strings.TrimSuffix(counted, countTail)]
		return name + "/count", known
	}
	return "", false
}

var names = sync.OnceValue(func() map[string]string {
	byText := map[string]string{}
	folders, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("sql: " + err.Error()) // the folders are embedded
	}
	for _, folder := range folders {
		for _, script := range scripts(folder.Name()) {
			byText[script.Text] = strings.TrimPrefix(folder.Name()+"/"+script.Name, "queries/")
		}
	}
	for folder, list := range map[string][]Script{
		"projections": projections(), "checks": checks(), "garbage": garbage(), "tables": Tables(), "views": Views(),
	} {
		for _, script := range list {
			byText[script.Text] = folder + "/" + script.Name
		}
	}
	for _, table := range comparedTables() {
		byText[table.text] = "changes/" + table.Name
	}
	for name, text := range queries() {
		byText[text] = name
	}
	byText[Supposing("stated_returns")] = "stated_returns/supposed"
	for _, table := range BulkTables() {
		for _, text := range []string{table.text, table.counted(), table.years()} {
			byText[text] = table.name()
		}
	}
	return byText
})
