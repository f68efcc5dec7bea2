package sql

import (
	"strings"
)

// currentNumber is the number of the views of the current batch: after all that they could read.
const currentNumber = 91

// buildsOf names the table that lists the builds of a table of days, where that is not
// market_day_version.
var buildsOf = map[string]string{
	"series_day": "series_day_version", "later_row": "series_day_version", "fi_day": "fi_day_version",
	"return_day": "return_day_version", "standing_quote": "return_day_version",
}

// currentViews returns the views that show a table as the current batch sees it. A table that has such a
// view names it at the end of its comment. Two templates make them.
func currentViews() (made []Script) {
	ofBatch, ofDays := text("templates", "current_of_batch"), text("templates", "current_of_days")
	for _, table := range Tables() {
		name := "current_" + table.Name
		template := ""
		switch {
		case strings.Contains(table.Text, "Holds several batches: read "+name):
			template = ofBatch
		case strings.Contains(table.Text, "Holds superseded days: read "+name):
			template = ofDays
		}
		if template == "" {
			continue
		}
		builds := buildsOf[table.Name]
		if builds == "" {
			builds = "market_day_version"
		}
		made = append(made, Script{Name: name, Number: currentNumber,
			Text: strings.NewReplacer("TABLE", table.Name, "BUILDS", builds).Replace(template)})
	}
	return made
}
