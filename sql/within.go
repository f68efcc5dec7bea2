package sql

import (
	"regexp"
	"strings"
)

// within finds where a statement of the folder queries reads the rows of another one, as in
// FROM queries.market.
var within = regexp.MustCompile(`\bqueries\.([a-z0-9_]+)`)

// withStatements puts the text of other statements of the folder queries in place of their names.
// So statements that give the same rows in other units have the rule in one place only. A
// statement that is read in this way may not read another one. It panics if there is no such
// file, because the statements are part of the program.
func withStatements(folder, statement string) string {
	if folder != "queries" {
		return statement
	}
	return within.ReplaceAllStringFunc(statement, func(found string) string {
		content, err := files.ReadFile("queries/" + strings.TrimPrefix(found, "queries.") + ".sql")
		if err != nil {
			panic("sql: no " + found)
		}
		return "(\n" + string(content) + ")"
	})
}
