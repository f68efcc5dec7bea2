package sql

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// BulkTable is a table of the database for people that is offered as files. What a column means and
// how it is computed stand in the definition of its view, in the folder funds. The statement has
// the parameter batch where the view has the published batch.
type BulkTable struct {
	Name    string
	Comment string
	Columns []BulkColumn
	Yearly  bool // one file for each year of the column date
	text    string
}

// BulkColumn is a column of a table, as ClickHouse names its type.
type BulkColumn struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Comment string `json:"meaning"`
}

// bulkTables lists the tables, which are those of ComparedTables: who copies the files follows their
// changes. Another one is a line here: its columns, what they mean and its key come from the view.
// Tables that are compared by days have a row for each series and day, and are split by years.
var bulkTables = []struct {
	name   string
	yearly bool
}{
	{"series", false}, {"series_names", false}, {"funds", false}, {"managers", false}, {"screener", false},
	{"daily", true}, {"cartola_daily", true}, {"monthly", false}, {"returns_daily", true}, {"investment_daily", true},
	{"family_daily", false}, {"family_index", false}, {"family_monthly", false}, {"manager_daily", false},
	{"manager_monthly", false},
	{"holdings", false}, {"costs_monthly", false}, {"benchmarks", false}, {"benchmark_prices", false}, {"rates", false},
	{"official_returns", false}, {"reconciliation", false}, {"classifications", false}, {"distributions", false},
	{"exchanges", false}, {"discontinuities", false},
	{"renames", false}, {"calendar", false}, {"freshness", false},
}

// BulkTables returns the tables that are offered as files. It panics if the definition of one is
// wrong, because it is part of the program.
func BulkTables() []BulkTable { return bulkTablesOnce() }

var bulkTablesOnce = sync.OnceValue(func() []BulkTable {
	var list []BulkTable
	for _, of := range bulkTables {
		table, err := bulkTableOf(of.name, of.yearly, text("funds", of.name))
		if err != nil {
			panic(fmt.Sprintf("sql: funds/%s: %v", of.name, err))
		}
		list = append(list, table)
	}
	return list
})

func bulkTableOf(name string, yearly bool, create string) (BulkTable, error) {
	view, err := ourViews().Definition(name, create)
	if err != nil {
		return BulkTable{}, err
	}
	table := BulkTable{Name: name, Yearly: yearly, Comment: view.Comment}
	var values []string
	for _, column := range view.Columns {
		kind := strings.ReplaceAll(column.Type, "UUID", "String") // the formats have no UUID that all readers know
		table.Columns = append(table.Columns, BulkColumn{column.Name, kind, column.Comment})
		values = append(values, fmt.Sprintf("    CAST(%s AS %s) AS %s", column.Name, kind, column.Name))
	}
	where := ""
	if yearly {
		where = "WHERE date BETWEEN {from:Date} AND {to:Date}\n"
	}
	table.text = "SELECT\n" + strings.Join(values, ",\n") + "\nFROM\n(\n" + view.Body + "\n)\n" + where + "ORDER BY " +
		view.Key + "\n"
	return table, nil
}

// name returns the name of the statement of the rows, for the log of ClickHouse.
func (t BulkTable) name() string { return "bulk/" + t.Name }

// counted returns the statement that counts the rows.
func (t BulkTable) counted() string {
	return "SELECT count() AS rows FROM (\n" + t.text + ")\n"
}

// years returns the statement of the first and the last year that have rows.
func (t BulkTable) years() string {
	all := strings.Replace(t.text, "WHERE date BETWEEN {from:Date} AND {to:Date}\n", "", 1)
	return "SELECT toYear(min(date)) AS first, toYear(max(date)) AS last, count() AS rows FROM (\n" + all + ")\n"
}

// BulkPart is the rows of one file: all rows of a table, or those of one year.
type BulkPart struct {
	Table    BulkTable
	Year     int // 0: all rows
	from, to string
}

// FileName returns the name of the file of the part, which has no other characters than letters,
// digits, _ and a dot.
func (p BulkPart) FileName() string {
	if p.Year == 0 {
		return p.Table.Name + ".parquet"
	}
	return fmt.Sprintf("%s_%d.parquet", p.Table.Name, p.Year)
}

// BulkParts returns the parts of a table in a batch.
func (r Reader) BulkParts(ctx context.Context, table BulkTable, batch uint64) ([]BulkPart, error) {
	if !table.Yearly {
		return []BulkPart{{Table: table}}, nil
	}
	type span struct {
		First uint16 `ch:"first"`
		Last  uint16 `ch:"last"`
		Rows  uint64 `ch:"rows"`
	}
	found, err := bulkRows[span](ctx, r, table, table.years(), Arg("batch", batch))
	if err != nil || len(found) == 0 || found[0].Rows == 0 {
		return nil, err
	}
	var parts []BulkPart
	for year := int(found[0].First); year <= int(found[0].Last); year++ {
		parts = append(parts, BulkPart{table, year, fmt.Sprintf("%d-01-01", year), fmt.Sprintf("%d-12-31", year)})
	}
	return parts, nil
}

// WriteBulk writes the rows of a part as Parquet, as Stream does, and returns their number.
func (r Reader) WriteBulk(ctx context.Context, to io.Writer, limits Bounds, part BulkPart,
	batch uint64) (rows uint64, err error) {
	if r.http == nil {
		return 0, ErrNoHTTP
	}
	args := []any{Arg("batch", batch)}
	if part.Table.Yearly {
		args = append(args, Arg("from", part.from), Arg("to", part.to))
	}
	type number struct {
		Rows uint64 `ch:"rows"`
	}
	counted, err := bulkRows[number](ctx, r, part.Table, part.Table.counted(), args...)
	if err != nil || len(counted) != 1 {
		return 0, err
	}
	return counted[0].Rows, r.stream(ctx, to, Parquet, limits, part.Table.name(), part.Table.text, args)
}

// bulkTime limits a statement that counts rows.
const bulkTime = 5 * time.Minute

func bulkRows[T any](ctx context.Context, r Reader, table BulkTable, text string, args ...any) ([]T, error) {
	passed, open := r.gate.pass()
	if !open {
		return nil, &ReadError{table.name(), errClosed}
	}
	ctx, cancel := context.WithTimeout(ctx, bulkTime)
	defer cancel()
	var list []T
	if err := r.conn.Select(ctx, &list, text, args...); err != nil {
		return nil, &ReadError{table.name(), err}
	}
	if again, open := r.gate.pass(); !open || again != passed {
		return nil, &ReadError{table.name(), errClosed}
	}
	return list, nil
}
