package projector

import (
	"context"
	"regexp"
	"slices"

	"cuota/sql"
)

// step is one projection of a batch, and which of the steps before it must have
// ended first, by their places.
type step struct {
	sql.Script
	after []int
}

// cutoffKnown stands among the tables that steps write for the cutoff, which is
// no table but comes from one.
const cutoffKnown = "{as_of}"

// steps gives the projections in their order. A step waits for those before it
// that write what it reads or writes, and for those that read what it writes: so
// that whatever runs side by side gives what one after the other would.
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

// queriesOf names what is asked beside a projection.
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
	// A table or a view stands behind one of these words, and nowhere else.
	read = regexp.MustCompile(`\b(?:FROM|JOIN|IN)\s+(\w+)`)
)

// collectReads adds every table, and every view with what it reads, that a
// statement names. Names of its own parts are among them and do no harm.
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

// sideBySide is how many statements of a batch run at once. Most of a daily batch
// is their planning, which takes one processor each.
const sideBySide = 2

// inOrder runs every step as soon as those that it waits for have ended, as many
// at once as limit says. It returns the first error, when whatever was running has
// ended.
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
