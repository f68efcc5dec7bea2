package sql

import (
	"errors"
	"fmt"
	"strings"
)

// definition is what the file of a table for people states.
type definition struct {
	comment string       // of the table
	key     string       // the columns that identify a row, as in series_id, date
	columns []BulkColumn // in their order
	body    string       // the SELECT, with the text of views in place and the parameter batch
}

// definitionOf reads the definition of a table for people:
// CREATE OR REPLACE VIEW funds.name (columns) SQL SECURITY DEFINER AS SELECT … COMMENT '… Key: a, b.'
func definitionOf(name, create string) (definition, error) {
	tokens, err := tokenize(create)
	if err != nil {
		return definition{}, err
	}
	s := statement(tokens)
	if !s.begins("CREATE", "OR", "REPLACE", "VIEW", "funds", ".", name, "(") {
		return definition{}, fmt.Errorf("begin with CREATE OR REPLACE VIEW funds.%s and its columns", name)
	}
	last := closing(tokens, 7)
	as := last + 1
	for as < len(s) && !s[as].is("AS") {
		as++
	}
	end := len(s)
	if as+1 >= end-2 || !s[end-2].is("COMMENT") {
		return definition{}, errors.New("write AS after the columns, and COMMENT at the end")
	}
	view := definition{comment: unquoted(s[end-1].text)}
	var found bool
	if _, view.key, found = strings.Cut(strings.TrimSuffix(view.comment, "."), "Key: "); !found {
		return definition{}, errors.New("write the key at the end of the comment: Key: series_id, date")
	}
	for _, column := range s[8:last].split() {
		if len(column) < 4 || !column[len(column)-2].is("COMMENT") {
			return definition{}, fmt.Errorf("column %s has no type or no comment", column.head())
		}
		kind := create[column[1].start:column[len(column)-3].end]
		view.columns = append(view.columns, BulkColumn{column[0].text, kind, unquoted(column[len(column)-1].text)})
	}
	view.body, err = InPlace(create[s[as+1].start:s[end-3].end])
	return view, err
}

// unquoted returns the content of a text in quotes.
func unquoted(text string) string {
	return strings.ReplaceAll(strings.Trim(text, "'"), "''", "'")
}
