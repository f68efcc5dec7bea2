package sql

import (
	"regexp"
	"testing"
)

// A name in WITH hides a table with that name in every subquery, also after IN and in lists
// of tables.
func TestNoNameOfASubqueryIsThatOfATableOrView(t *testing.T) {
	tables := map[string]bool{}
	for _, script := range Views() {
		tables[script.Name] = true
	}
	for _, table := range Tables() {
		tables[table.Name] = true
	}
	if len(tables) < 100 {
		t.Fatalf("only %d tables and views are known", len(tables))
	}
	comment, subquery := regexp.MustCompile(`--.*`), regexp.MustCompile(`(?i)\b(\w+)\s+AS\s*\(\s*(?:SELECT|WITH)\b`)
	subqueries := 0
	for _, folder := range []string{"views", "projections", "checks", "garbage", "queries", "funds"} {
		for _, script := range scripts(folder) {
			for _, found := range subquery.FindAllStringSubmatch(comment.ReplaceAllString(script.Text, ""), -1) {
				subqueries++
				if tables[found[1]] {
					t.Errorf("%s/%s has a subquery with the name of the table %s", folder, script.Name, found[1])
				}
			}
		}
	}
	if subqueries < 100 {
		t.Errorf("only %d subqueries are known", subqueries)
	}
}
