// Package sql holds every statement that cuota runs in ClickHouse, as .sql files that an
// analyst can read: the schema, the functions and views, the projections that compute a
// batch, the checks that a batch must pass, and the queries from which the API answers.
// Business rules that compute values are only here. A few are stated a second time in a form that ClickHouse
// runs faster, such as the dates of windows (45_window_endpoints), the market summary
// (docs/decisions/0047-summaries-by-day.md) and cost rates in force
// (docs/decisions/0056-past-dates-from-tables-by-day.md). The package also names statements in
// ClickHouse's logs and bounds those that read (connection.go, reader.go). Of the packages of the
// project it imports sql/text alone, which works on the texts of statements.
//
// Values are never put into the text of a statement. Each is a {name:Type} parameter, which
// the server binds. The comment at the head of a statement explains the parameters of its own. These
// mean the same in every statement and are explained here alone:
//
//	batch                     number of the batch that is read or built
//	as_of, date               the date that is asked about
//	from, to                  first and last day; from_date and to_date are the same
//	series, series_id         ids of series, or the id of one
//	limit, offset             the page
//	finer                     how many times smaller the chunks of a projection are; 1 except in tests
package sql

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// SchemaVersion is the version of the tables. It rises when tables change that have rows already.
const SchemaVersion = 3

//go:embed changes/*.sql checks/*.sql functions/*.sql funds/*.sql garbage/*.sql inserts/*.sql parts/*.sql
//go:embed projections/*.sql queries/*.sql supposed/*.sql tables/*.sql templates/*.sql views/*.sql
var files embed.FS

// Script is one statement. Name is the name of its file without number and ending. Number is 0
// if the file has none.
type Script struct {
	Name   string
	Number int
	Text   string
}

// Tables returns the statements that create the tables, by the name of the table. They change no table
// that exists.
func Tables() []Script { return tables() }

var tables = sync.OnceValue(func() (list []Script) {
	for _, file := range scripts("tables") {
		for statement := range strings.SplitSeq(file.Text, ";\n") {
			_, head, found := strings.Cut(statement, "CREATE TABLE IF NOT EXISTS ")
			if !found {
				continue
			}
			name, _, _ := strings.Cut(head, "\n")
			list = append(list, Script{Name: name, Text: strings.TrimSpace(statement)})
		}
	}
	return list
})

// Functions returns the statements that create the SQL functions of views and projections.
// Each replaces an existing function.
func Functions() []Script { return scripts("functions") }

// Views returns the statements that create the views, ordered so that a view comes after
// those that it reads. Each replaces an existing view.
func Views() []Script { return slices.Clone(views()) }

var views = sync.OnceValue(func() []Script {
	all := slices.Concat(scripts("views"), currentViews())
	slices.SortStableFunc(all, func(a, b Script) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Name, b.Name))
	})
	return all
})

// Checks returns the queries that a batch must pass before it is published. Each returns
// rows of (violation String), and no row if the batch passes.
func Checks() []Script { return slices.Clone(checks()) }

// RetiredGarbage returns the statements that drop an old batch, in the order in which they must
// run. Some run for each table of a kind (EachTable).
func RetiredGarbage() []Script { return garbageOf("retired") }

// AbandonedGarbage returns the statements that drop what a batch that was never published wrote
// into the tables of days, and into tables whose rows stay part of later batches. The lists
// of builds come first, and then the rows. The statements of RetiredGarbage drop the rest of
// such a batch. Some run for each table of a kind (EachTable).
func AbandonedGarbage() []Script { return garbageOf("abandoned") }

// SupersededGarbage returns the statements that drop older builds of days that no kept batch
// reads, in the order in which they must run: the rows before the lists of builds. They run
// for each table of a kind (EachTable), but for the last one, which drops rejected rows
// beyond those that are kept.
func SupersededGarbage() []Script { return garbageOf("superseded") }

// DoubledGarbage returns the statements that delete what two projectors leave when they build at
// the same time: failures that were noted for a published batch, and doubled ids.
func DoubledGarbage() []Script { return garbageOf("doubled") }

// Rules returns the sha256, in hex, over the statements that compute a batch: functions,
// views and projections as they are sent, without comment lines. Programs with the same
// Rules compute equal batches from equal facts.
func Rules() string { return rules() }

var rules = sync.OnceValue(func() string {
	hash := sha256.New()
	for _, script := range slices.Concat(Functions(), Views(), projections()) {
		fmt.Fprintf(hash, "%s\n", script.Name)
		for line := range strings.Lines(script.Text) {
			if !strings.HasPrefix(strings.TrimSpace(line), "--") {
				fmt.Fprint(hash, line)
			}
		}
	}
	return hex.EncodeToString(hash.Sum(nil))
})

// Query returns a statement of the folder queries by its name, with views in place. It
// panics if there is no such file.
func Query(name string) string {
	statement, ok := queries()[name]
	if !ok {
		panic("sql: no queries/" + name)
	}
	return statement
}

// QueryAsWritten returns a statement as its file has it, with calls of views. The views of
// the database answer it then. Use it for a batch that another version of the program
// built, because that version has also made the views.
func QueryAsWritten(name string) string { return text("queries", name) }

// The statements as they are sent, with views in place.
var (
	projections = inlined("projections")
	checks      = inlined("checks")
	garbage     = inlined("garbage")

	queries = sync.OnceValue(func() map[string]string {
		byName := map[string]string{}
		for _, script := range scripts("queries") {
			byName[script.Name] = inlineViews("queries/"+script.Name, script.Text)
		}
		return byName
	})
)

// inlined returns the statements of a folder as they are sent.
func inlined(folder string) func() []Script {
	return sync.OnceValue(func() []Script {
		list := scripts(folder)
		for i, script := range list {
			list[i].Text = inlineViews(folder+"/"+script.Name, script.Text)
		}
		return list
	})
}

// Insert returns the head of the insert statement for a table that the program fills row by
// row, with the list of columns. It panics if there is no such file.
func Insert(name string) string { return text("inserts", name) }

// InsertInto returns the head of the insert statement for a table whose columns are known
// from a struct. The table and the columns must be names that need no quotes.
func InsertInto(table string, columns []string) string {
	return insertInto + table + " (" + strings.Join(columns, ", ") + ")"
}

const insertInto = "INSERT INTO "

func text(folder, name string) string {
	content, err := files.ReadFile(path.Join(folder, name+".sql"))
	if err != nil {
		panic("sql: no " + folder + "/" + name)
	}
	return inFull(folder, string(content))
}

func scripts(folder string) []Script {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		panic("sql: " + err.Error()) // the folder is embedded
	}
	list := make([]Script, len(entries))
	for i, entry := range entries {
		text, err := files.ReadFile(path.Join(folder, entry.Name()))
		if err != nil {
			panic("sql: " + err.Error())
		}
		name := strings.TrimSuffix(entry.Name(), ".sql")
		number := 0
		if digits, rest, found := strings.Cut(name, "_"); found {
			if n, err := strconv.Atoi(digits); err == nil {
				number, name = n, rest
			}
		}
		list[i] = Script{Name: name, Number: number, Text: inFull(folder, string(text))}
	}
	return list
}
