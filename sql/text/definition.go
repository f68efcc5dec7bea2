package sqltext

import (
	"errors"
	"fmt"
	"strings"
)

// Definition is what the file of a table for people states.
type Definition struct {
	Comment string   // of the table
	Key     string   // the columns that identify a row, as in series_id, date
	Columns []Column // in their order
	Body    string   // the SELECT, with the text of views in place and the parameter batch
}

// Column is a column of a table for people, as its definition names it.
type Column struct{ Name, Type, Comment string }

// Definition reads the definition of a table for people:
// CREATE OR REPLACE VIEW funds.name (columns) SQL SECURITY DEFINER AS SELECT … COMMENT '… Key: a, b.'
func (known Views) Definition(name, create string) (Definition, error) {
	s, err := peoplesView(name, create)
	if err != nil {
		return Definition{}, err
	}
	last := closing(s, 7)
	as := last + 1
	for as < len(s) && !s[as].is("AS") {
		as++
	}
	end := len(s)
	if as+1 >= end-2 || !s[end-2].is("COMMENT") {
		return Definition{}, errors.New("write AS after the columns, and COMMENT at the end")
	}
	view := Definition{Comment: unquoted(s[end-1].text)}
	var found bool
	if _, view.Key, found = strings.Cut(strings.TrimSuffix(view.Comment, "."), "Key: "); !found {
		return Definition{}, errors.New("write the key at the end of the comment: Key: series_id, date")
	}
	for _, column := range s[8:last].split() {
		if len(column) < 4 || !column[len(column)-2].is("COMMENT") {
			return Definition{}, fmt.Errorf("column %s has no type or no comment", column.head())
		}
		kind := create[column[1].start:column[len(column)-3].end]
		view.Columns = append(view.Columns, Column{column[0].text, kind, unquoted(column[len(column)-1].text)})
	}
	view.Body, err = known.InPlace(create[s[as+1].start:s[end-3].end])
	return view, err
}

// InDatabase returns the statement that makes a table for people, with another database in place of
// funds. The name of the database must have no backticks.
func InDatabase(name, create, database string) (string, error) {
	s, err := peoplesView(name, create)
	if err != nil {
		return "", err
	}
	out := edits{text: create}
	out.replace(s[4], s[4], "`"+database+"`")
	return out.result(), nil
}

// peoplesView returns the tokens of the statement that makes a table for people.
func peoplesView(name, create string) (statement, error) {
	tokens, err := tokenize(create)
	if err != nil {
		return nil, err
	}
	s := statement(tokens)
	if !s.begins("CREATE", "OR", "REPLACE", "VIEW", "funds", ".", name, "(") {
		return nil, fmt.Errorf("begin with CREATE OR REPLACE VIEW funds.%s and its columns", name)
	}
	return s, nil
}

// unquoted returns the content of a text in quotes.
func unquoted(text string) string {
	return strings.ReplaceAll(strings.Trim(text, "'"), "''", "'")
}
