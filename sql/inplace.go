package sql

import (
	"fmt"
	"strings"
	"sync"

	sqltext "cuota/sql/text"
)

// InPlace returns a statement with the text of our views in place of their names and calls.
// It is exported for a test, which compares the results of both forms.
func InPlace(statement string) (string, error) { return ourViews().InPlace(statement) }

// ourViews has the views of the folder views.
var ourViews = sync.OnceValue(func() sqltext.Views { return viewsOver(nil) })

// viewsOver returns the views of the folder views, some of them over others of the same name. These may read the
// view that they replace.
func viewsOver(others map[string]string) sqltext.Views {
	known := sqltext.Views{}
	for _, view := range Views() {
		for _, text := range []string{view.Text, others[view.Name]} {
			if text == "" {
				continue
			}
			if err := known.Add(text); err != nil {
				panic(fmt.Sprintf("sql: view %s: %v", view.Name, err))
			}
		}
	}
	return known
}

// Supposing returns a statement of the folder queries in which the rules read the quotes that a file states in
// place of those that count: the views of the folder supposed stand in place of those of their names. The
// statement gets the external tables that these views read. It panics if the statement reads none of these views,
// because it would give what is published.
func Supposing(name string) string {
	written := text("queries", name)
	sent, err := supposedViews().InPlace(written)
	if err != nil {
		panic(fmt.Sprintf("sql: supposing queries/%s: %v", name, err))
	}
	if sent == inlineViews(name, written) {
		panic(fmt.Sprintf("sql: queries/%s reads no view of the folder supposed", name))
	}
	return sent
}

var supposedViews = sync.OnceValue(func() sqltext.Views {
	others := map[string]string{}
	known := ourViews()
	for _, view := range scripts("supposed") {
		if known[view.Name] == "" || !strings.Contains(view.Text, "\nCREATE OR REPLACE VIEW "+view.Name+" AS\n") {
			panic(fmt.Sprintf("sql: supposed/%s.sql stands in place of no view", view.Name))
		}
		others[view.Name] = view.Text
	}
	return viewsOver(others)
})

// inlineViews is InPlace for a statement of the program. It panics if that is not possible.
func inlineViews(name, text string) string {
	sent, err := InPlace(text)
	if err != nil {
		panic(fmt.Sprintf("sql: %s: %v", name, err))
	}
	return sent
}
