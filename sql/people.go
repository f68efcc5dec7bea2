package sql

import (
	"fmt"
	"strings"

	sqltext "cuota/sql/text"
)

// defaultDatabase is the name that the database of tables and batches has unless an operator
// chooses another one.
const defaultDatabase = "cuota"

// PeoplesDatabase returns the name of the database for people that belongs to a database of
// tables and batches: funds for the default one, and the name after funds_ otherwise. So
// several installations can use one server.
func PeoplesDatabase(database string) string {
	if database == defaultDatabase {
		return "funds"
	}
	return "funds_" + database
}

// publishedBatch is the value of the parameter batch in the views for people.
const publishedBatch = "(SELECT max(batch) FROM batch)"

// PeoplesViews returns the statements that create the views of the database for people. Each
// replaces an existing view. They must run in the database of tables and batches, where ClickHouse
// resolves the names of tables.
//
// Their files are written like other statements, with calls of views and the parameter batch.
// What is sent has the text of these views in place of the calls, and the published batch in
// place of the parameter. So people need no rights on internal views, and ClickHouse analyses
// each view once. Subqueries of WITH that are read once stand in their places too.
func PeoplesViews(database string) ([]Script, error) {
	list := scripts("funds")
	for i, script := range list {
		text, err := peoplesView(database, script)
		if err != nil {
			return nil, fmt.Errorf("view %s of the database for people: %w", script.Name, err)
		}
		list[i].Text = text
	}
	return list, nil
}

func peoplesView(database string, script Script) (string, error) {
	text, err := InPlace(script.Text)
	if err != nil {
		return "", err
	}
	if text, err = sqltext.InDatabase(script.Name, text, database); err != nil {
		return "", err
	}
	if text, err = sqltext.Nested(text); err != nil {
		return "", err
	}
	return strings.ReplaceAll(text, "{batch:UInt64}", publishedBatch), nil
}

// MakePeoplesDatabase returns the statement that creates the database for people if it does not
// exist.
func MakePeoplesDatabase(database string) string {
	return "CREATE DATABASE IF NOT EXISTS `" + database +
		"` ENGINE = Atomic COMMENT 'Tables for people, of the published batch'"
}
