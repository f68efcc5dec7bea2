package sql

import (
	"fmt"
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
