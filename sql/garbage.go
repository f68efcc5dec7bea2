package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	sqltext "cuota/sql/text"
)

// The kinds of tables that batches fill, as in the view built_table.
const (
	TablesOfBatches = "batch"
	ListsOfDays     = "list"
	TablesOfDays    = "day"
)

// BuiltTable is a table that batches fill.
type BuiltTable struct {
	Name string `ch:"table"`
	List string `ch:"list"` // the table with the builds of its days; empty for a table of batches
}

// BuiltTables lists the tables of a kind.
func BuiltTables(ctx context.Context, conn driver.Conn, kind string) ([]BuiltTable, error) {
	return Select[BuiltTable](ctx, conn, "built_tables", clickhouse.Parameters{"kind": kind},
		"list the tables of kind "+kind)
}

// garbageOf returns the statements of sql/garbage that drop one kind of rows, in the order of
// their files. Each states its kind in its header, as in "-- garbage: retired". It panics if
// a header is wrong, because the statements are part of the program.
func garbageOf(kind string) []Script {
	var list []Script
	for _, script := range garbage() {
		stated, err := sqltext.Header(script.Text, "each", "garbage")
		if err == nil && !slices.Contains([]string{"retired", "abandoned", "superseded", "doubled"},
			stated["garbage"]) {
			err = errors.New("the header states no kind: write garbage: retired, abandoned, superseded or doubled")
		}
		if err != nil {
			panic(fmt.Sprintf("sql: garbage/%s: %v", script.Name, err))
		}
		if stated["garbage"] == kind {
			list = append(list, script)
		}
	}
	return list
}

// EachTable returns the kind of tables for which a statement of RetiredGarbage,
// AbandonedGarbage or SupersededGarbage runs, once for each. Its header states it, as in
// "-- each: day". The name of the table is the parameter {table:Identifier}. It returns ""
// for a statement that runs once. It panics if the header is wrong, because the statements are part of the program.
func (s Script) EachTable() string {
	stated, err := sqltext.Header(s.Text, "each", "garbage")
	if each := stated["each"]; err == nil && each != "" &&
		!slices.Contains([]string{TablesOfBatches, ListsOfDays, TablesOfDays}, each) {
		err = fmt.Errorf("the header states each: %s: write batch, list or day", each)
	}
	if err != nil {
		panic(fmt.Sprintf("sql: %s: %v", s.Name, err))
	}
	return stated["each"]
}
