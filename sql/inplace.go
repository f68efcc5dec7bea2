package sql

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	sqltext "cuota/sql/text"
)

// InPlace returns a statement with the text of our views in place of their names and calls.
// It is exported for a test, which compares the results of both forms.
func InPlace(statement string) (string, error) { return ourViews().InPlace(statement) }

// ourViews has the views of the folder views.
var ourViews = sync.OnceValue(func() sqltext.Views {
	known := sqltext.Views{}
	for _, view := range Views() {
		if err := known.Add(view.Text); err != nil {
			panic(fmt.Sprintf("sql: view %s: %v", view.Name, err))
		}
	}
	return known
})

// inlineViews is InPlace for a statement of the program. It panics if that is not possible.
func inlineViews(name, text string) string {
	sent, err := InPlace(text)
	if err != nil {
		panic(fmt.Sprintf("sql: %s: %v", name, err))
	}
	return sent
}

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
