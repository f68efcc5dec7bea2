package sql

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	sqltext "cuota/sql/text"
)

// Projection is a statement that builds a part of a batch: INSERT INTO a table, with a
// SELECT. Its number is greater than the numbers of those that fill what it reads, so that those of
// one number may run at once. The comment at the head of its file may state what the statement
// needs, in lines of their own:
//
//	-- chunks: month_chunks
//
// Each line names a query of the folder queries, or a table after before.
type Projection struct {
	Script
	// Table is the table that the statement fills.
	Table string
	// Chunks lists chunks of days, months or ids of series, as the texts (first, last). The
	// statement runs once for each chunk, with the parameters from and to. So its memory does
	// not grow with the history, and it does not run when there is no chunk.
	Chunks string
	// When reports whether the batch needs the statement.
	When string
	// Until counts what is left to do. The statement runs again and again until that is 0,
	// with the parameter attempt, which counts from 0.
	Until string
	// Sets gives the parameter of the same name to the projections after this one.
	Sets string
	// Counts counts the stated rows on the days that the batch builds, which are known after this projection.
	Counts string
	// Before is a table that the statement reads, though not for the rows of its own batch.
	// So its number is smaller than those of the projections that fill the table.
	Before string
}

// Queries returns the queries that the header names.
func (p Projection) Queries() []string {
	named := []string{p.Chunks, p.When, p.Until, p.Sets, p.Counts}
	return slices.DeleteFunc(named, func(name string) bool { return name == "" })
}

// Projections returns the statements that build a batch, in the order of their files. It
// fails if a header is wrong. The documentation of package build of the projector
// lists the parameters of the statements.
func Projections() ([]Projection, error) {
	list, err := parsedProjections()
	return slices.Clone(list), err
}

var parsedProjections = sync.OnceValues(func() ([]Projection, error) {
	var all error
	list := make([]Projection, len(projections()))
	for i, script := range projections() {
		var err error
		if list[i], err = parseProjection(script, func(name string) bool { return queries()[name] != "" }); err != nil {
			all = errors.Join(all, fmt.Errorf("sql/projections, %s: %w", script.Name, err))
		}
	}
	return list, all
})

// parseProjection reads the header of a projection, and finds its table.
func parseProjection(script Script, isQuery func(name string) bool) (Projection, error) {
	stated, all := sqltext.Header(script.Text, "chunks", "when", "until", "sets", "counts", "before")
	p := Projection{
		Script: script, Chunks: stated["chunks"], When: stated["when"], Until: stated["until"],
		Sets: stated["sets"], Counts: stated["counts"], Before: stated["before"],
	}
	for _, name := range p.Queries() {
		if !isQuery(name) {
			all = errors.Join(all, fmt.Errorf("the header names the query %s, but there is no sql/queries/%s.sql", name,
				name))
		}
	}
	table, err := sqltext.InsertedTable(script.Text)
	p.Table = table
	return p, errors.Join(all, err)
}
