package projector

import (
	"context"
	"regexp"
	"slices"

	"cuota/sql"
)

// step is one projection of a batch. after lists the indexes of the earlier steps that must
// end before it begins.
type step struct {
	sql.Script
	after []int
}

// cutoffKnown represents the cutoff among the tables that steps write and read.
const cutoffKnown = "{as_of}"

// steps gives the projections in their order. A step waits for each earlier step that
// writes what it reads or writes, or reads what it writes. So steps that run at the same
// time give the same result as one after the other.
func steps() []step {
	views := map[string]string{}
	for _, view := range sql.Views() {
		views[view.Name] = view.Text
	}
	scripts := sql.Projections()
	list := make([]step, len(scripts))
	reads, writes := make([]map[string]bool, len(scripts)), make([]map[string]bool, len(scripts))
	for i, script := range scripts {
		list[i].Script = script
		reads[i], writes[i] = map[string]bool{}, map[string]bool{}
		collectReads(script.Text, views, reads[i])
		for _, query := range queriesOf(script.Name) {
			collectReads(sql.Query(query), views, reads[i])
		}
		for _, found := range written.FindAllStringSubmatch(script.Text, -1) {
			writes[i][found[1]] = true
		}
		if script.Name == cutoffScript {
			writes[i][cutoffKnown] = true
		}
		for j := range i {
			if meet(reads[i], writes[j]) || meet(writes[i], writes[j]) || meet(writes[i], reads[j]) {
				list[i].after = append(list[i].after, j)
			}
		}
	}
	return list
}

// queriesOf names the queries that run before a projection.
func queriesOf(projection string) []string {
	var queries []string
	for _, of := range []map[string]string{optionalScripts, chunkedScripts} {
		if query, found := of[projection]; found {
			queries = append(queries, query)
		}
	}
	if projection == registryScript {
		queries = append(queries, "unregistered")
	}
	return queries
}

var (
	comment = regexp.MustCompile(`--[^\n]*`)
	written = regexp.MustCompile(`INSERT INTO (\w+)`)
	// A table or view is always named after one of these words, and nowhere else.
	read = regexp.MustCompile(`\b(?:FROM|JOIN|IN)\s+(\w+)`)
)

// collectReads adds to into the tables and views that a statement reads, and what those
// views read. It also adds the names of subqueries in WITH, which does no harm.
func collectReads(text string, views map[string]string, into map[string]bool) {
	text = comment.ReplaceAllString(text, "")
	if asOfParameter.MatchString(text) {
		into[cutoffKnown] = true
	}
	for _, found := range read.FindAllStringSubmatch(text, -1) {
		name := found[1]
		if into[name] {
			continue
		}
		into[name] = true
		if view, is := views[name]; is {
			collectReads(view, views, into)
		}
	}
}

var asOfParameter = regexp.MustCompile(`\{as_of:`)

func meet(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

// sideBySide is how many statements of a batch run at once. Most of the time of a daily
// batch is spent planning them, which uses one processor for each.
const sideBySide = 2

// inOrder runs every step as soon as the steps in its after have ended. limit gives how
// many may run at once. After an error it begins no step, waits for the running ones, and
// returns the first error.
func inOrder(ctx context.Context, list []step, limit func() int64, run func(context.Context, step) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type end struct {
		place int
		err   error
	}
	ends := make(chan end)
	begun, ended := make([]bool, len(list)), make([]bool, len(list))
	running := int64(0)
	for {
		for place, s := range list {
			if running >= limit() || ctx.Err() != nil {
				break
			}
			if begun[place] || slices.ContainsFunc(s.after, func(before int) bool { return !ended[before] }) {
				continue
			}
			begun[place] = true
			running++
			go func() { ends <- end{place, run(ctx, s)} }()
		}
		if running == 0 {
			return context.Cause(ctx)
		}
		e := <-ends
		running--
		ended[e.place] = true
		if e.err != nil {
			cancel(e.err)
		}
	}
}
