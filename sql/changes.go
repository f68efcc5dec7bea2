package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sqltext "cuota/sql/text"
)

// ComparedTable is a table of the database for people whose rows can be compared between two
// batches.
type ComparedTable struct {
	Name string
	Key  []string // the columns that identify a row
	// ByDay says that the rows of a date can differ only if a batch has built the date, or if
	// its rates differ. The statement then takes the days to compare.
	ByDay bool

	// text returns the rows (key, was, is) that differ, as texts of JSON. Its parameters are since, batch and, if
	// ByDay is set, days.
	text string
}

// ChangedRow is a row that differs between two batches, as JSON. Was is empty if the older batch
// does not have the row, and Is if the newer one does not.
type ChangedRow struct {
	Key string `ch:"key"`
	Was string `ch:"was"`
	Is  string `ch:"is"`
}

// changesWithin limits one comparison. The largest table takes a few seconds on a market of
// 3,000 series.
const changesWithin = time.Minute

// Changes calls each with every row of the table that differs between two batches, in the order
// of the keys. Of a table that is compared by days, only these days, as YYYY-MM-DD, are read. It holds one block
// of rows in memory, so ClickHouse waits for a slow caller. It fails with *ReadError if
// ClickHouse does not return all rows, and with the error of each.
func (r Reader) Changes(ctx context.Context, t ComparedTable, since, batch uint64, days []string,
	each func(ChangedRow) error) error {
	name := "changes/" + t.Name
	passed, open := r.gate.pass()
	if !open {
		return &ReadError{name, errClosed}
	}
	ctx, cancel := context.WithTimeout(ctx, changesWithin)
	defer cancel()
	args := []any{Arg("since", since), Arg("batch", batch)}
	if t.ByDay {
		args = append(args, Arg("days", days))
	}
	found, err := r.conn.Query(ctx, t.text, args...)
	if err != nil {
		return &ReadError{name, err}
	}
	defer func() { _ = found.Close() }() // Err has what went wrong
	for found.Next() {
		var row ChangedRow
		if err := found.ScanStruct(&row); err != nil {
			return &ReadError{name, err}
		}
		if err := each(row); err != nil {
			return err
		}
	}
	if err := found.Err(); err != nil {
		return &ReadError{name, err}
	}
	if again, open := r.gate.pass(); !open || again != passed {
		return &ReadError{name, errClosed}
	}
	return nil
}

// ComparedTables returns the tables for people that a batch determines, in the order of their
// names. The header of a table states changes: days if it is compared by days, and changes:
// none if it is not compared. It panics if a file is wrong, because the files are part of the
// program.
func ComparedTables() []ComparedTable { return slices.Clone(comparedTables()) }

var comparedTables = sync.OnceValue(func() (list []ComparedTable) {
	for _, script := range scripts("funds") {
		table, compared, err := comparedTable(script)
		if err != nil {
			panic(fmt.Sprintf("sql: funds/%s: %v", script.Name, err))
		}
		if compared {
			list = append(list, table)
		}
	}
	return list
})

func comparedTable(script Script) (table ComparedTable, compared bool, err error) {
	stated, err := sqltext.Header(script.Text, "changes")
	if err != nil {
		return table, false, err
	}
	by := stated["changes"]
	switch by {
	case "none":
		return table, false, nil
	case "", "days":
	default:
		return table, false, fmt.Errorf("the header states changes: %s: write days or none, or nothing", by)
	}
	view, err := ourViews().Definition(script.Name, script.Text)
	if err != nil {
		return table, false, err
	}
	const batch = "{batch:UInt64}"
	if !strings.Contains(view.Body, batch) {
		return table, false, errors.New("the SELECT does not read a batch: state changes: none")
	}
	columns := make([]string, len(view.Columns))
	for i, column := range view.Columns {
		columns[i] = column.Name
	}
	where := ""
	if by == "days" {
		where = " WHERE date IN {days:Array(Date)}"
	}
	var template strings.Builder // without the comment at the head, which explains the places
	for line := range strings.Lines(text("changes", "changed_rows")) {
		if !strings.HasPrefix(line, "--") {
			template.WriteString(line)
		}
	}
	return ComparedTable{Name: script.Name, Key: strings.Split(view.Key, ", "), ByDay: by == "days",
		text: strings.NewReplacer(
			"{key}", view.Key, "{columns}", strings.Join(columns, ", "), "{where}", where,
			"{from}", strings.ReplaceAll(view.Body, batch, "{since:UInt64}"), "{to}", view.Body,
		).Replace(template.String())}, true, nil
}
