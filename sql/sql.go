// Package sql holds every statement that cuota runs in ClickHouse, as .sql
// files that an analyst can read: the schema, the functions and views, the
// projections that compute a batch, the checks it must pass, and the queries
// that the API answers from. Business rules that compute live here and nowhere
// else. The package imports nothing of ours.
//
// Values are never spliced into a statement: each is a {name:Type} parameter,
// bound by the server.
package sql

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Schema holds the table migrations, numbered, in goose's format.
//
//go:embed schema/*.sql
var Schema embed.FS

//go:embed versions/*.sql inserts/*.sql functions/*.sql views/*.sql projections/*.sql checks/*.sql abandonment/*.sql retirement/*.sql supersession/*.sql mending/*.sql queries/*.sql
var files embed.FS

// Script is one statement with the name of its file, without number and ending.
type Script struct {
	Name string
	Text string
}

// Functions gives the SQL functions that views and projections call. Each
// statement replaces the function that is there.
func Functions() []Script { return scripts("functions") }

// Views gives the views in the order in which they depend on each other. Each
// statement replaces the view that is there.
func Views() []Script { return scripts("views") }

// Projections gives the statements that build a batch, in the order in which
// they must run. Their parameters are documented on package projector.
func Projections() []Script { return slices.Clone(projections()) }

// Checks gives the queries that a built batch must pass before it is
// published: each returns rows of (violation String), none when all is well.
func Checks() []Script { return slices.Clone(checks()) }

// Retirement gives the statements that drop an old batch, in their order.
func Retirement() []Script { return slices.Clone(retirement()) }

// Abandonment gives the statements that drop what a batch that was never published
// wrote into the tables of days: the lists of builds before the rows that they tell of.
// The statements of Retirement drop the rest of the batch.
func Abandonment() []Script { return slices.Clone(abandonment()) }

// Supersession gives the statements that drop days which were built anew and
// whose older build no kept batch sees, in their order: rows before the lists of
// builds that tell of them. The last one drops rejected rows beyond those kept.
func Supersession() []Script { return slices.Clone(supersession()) }

// Mending gives the statements that delete what is left when two projectors built at the
// same moment: failures that were noted of a published batch, and doubled ids.
func Mending() []Script { return slices.Clone(mending()) }

// Rules is the sha256, in hex, over the statements that compute a batch: functions,
// views and projections as they are sent, without the lines that are comments.
// Programs with equal Rules compute equal batches from equal facts.
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

// Query gives one statement of the folder queries by name. An unknown name is
// a programming error and panics.
func Query(name string) string {
	statement, ok := queries()[name]
	if !ok {
		panic("sql: no queries/" + name)
	}
	return statement
}

// QueryAsWritten is Query with the views called by name, as the file has them. The views
// of the database answer then, which the projector has made: for a batch that another
// version of the program computed.
func QueryAsWritten(name string) string { return text("queries", name) }

// The statements as they are sent.
var (
	projections  = inlined("projections")
	checks       = inlined("checks")
	abandonment  = inlined("abandonment")
	retirement   = inlined("retirement")
	supersession = inlined("supersession")
	mending      = inlined("mending")

	queries = sync.OnceValue(func() map[string]string {
		byName := map[string]string{}
		for _, script := range scripts("queries") {
			byName[script.Name] = inlineViews("queries/"+script.Name, script.Text)
		}
		return byName
	})
)

// inlined gives the statements of a folder as they are sent.
func inlined(folder string) func() []Script {
	return sync.OnceValue(func() []Script {
		list := scripts(folder)
		for i, script := range list {
			list[i].Text = inlineViews(folder+"/"+script.Name, script.Text)
		}
		return list
	})
}

// Insert gives the head of the insert into a table that the program fills row
// by row, with its explicit column list. An unknown name is a programming error
// and panics.
func Insert(name string) string { return text("inserts", name) }

func text(folder, name string) string {
	content, err := files.ReadFile(path.Join(folder, name+".sql"))
	if err != nil {
		panic("sql: no " + folder + "/" + name)
	}
	return string(content)
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
		if number, rest, found := strings.Cut(name, "_"); found && strings.Trim(number, "0123456789") == "" {
			name = rest
		}
		list[i] = Script{Name: name, Text: string(text)}
	}
	return list
}
