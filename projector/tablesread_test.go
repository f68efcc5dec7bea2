package projector_test

import (
	"context"
	_ "embed" // the question
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/sql"
	sqltext "cuota/sql/text"
)

// access is what a projection touches: tables, and parameters that projections set. before
// has the tables that it reads, but not for the rows of its own batch.
type access struct {
	reads, writes, before map[string]bool
}

// parameterName is the name of a parameter among the names of tables.
func parameterName(parameter string) string { return "{" + parameter + "}" }

// accessOf asks ClickHouse which tables each projection reads, also in the queries that its
// header names. It fails if ClickHouse does not know a name of a statement, or can't tell
// which tables a statement reads.
func accessOf(ctx context.Context, conn driver.Conn, list []sql.Projection) ([]access, error) {
	var found []struct {
		Name string `ch:"name"`
		View bool   `ch:"view"`
	}
	if err := conn.Select(ctx, &found,
		"SELECT name, engine = 'View' AS view FROM system.tables WHERE database = currentDatabase()"); err != nil {
		return nil, fmt.Errorf("list the tables and views: %w", err)
	}
	isView := map[string]bool{} // by table or view
	for _, table := range found {
		isView[table.Name] = table.View
	}
	settable := map[string]bool{}
	for _, p := range list {
		if p.Sets != "" {
			settable[p.Sets] = true
		}
	}
	all := make([]access, len(list))
	for i, p := range list {
		if view, known := isView[p.Table]; !known || view {
			return nil, fmt.Errorf("projection %s fills %s, which is not a table of the database", p.Name, p.Table)
		}
		all[i] = access{reads: map[string]bool{}, writes: map[string]bool{p.Table: true}, before: map[string]bool{}}
		if p.Sets != "" {
			all[i].writes[parameterName(p.Sets)] = true
		}
		texts := []string{insertion.ReplaceAllString(p.Text, "")}
		for _, query := range p.Queries() {
			texts = append(texts, sql.Query(query))
		}
		for _, text := range texts {
			if err := tablesRead(ctx, conn, p, text, isView, all[i].reads); err != nil {
				return nil, fmt.Errorf("projection %s: %w", p.Name, err)
			}
			for parameter := range settable {
				if sqltext.HasParameter(text, parameter) {
					all[i].reads[parameterName(parameter)] = true
				}
			}
		}
		if p.Before != "" {
			all[i].before[p.Before] = true
			if !all[i].reads[p.Before] {
				return nil, fmt.Errorf("projection %s states that it comes before %s, but does not read that table",
					p.Name, p.Before)
			}
		}
	}
	return all, nil
}

// filledFrom returns, for each table that projections fill, the tables that these read.
func filledFrom(ctx context.Context, conn driver.Conn) (map[string][]string, error) {
	list, err := sql.Projections()
	if err != nil {
		return nil, err
	}
	accesses, err := accessOf(ctx, conn, list)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for i, p := range list {
		all[p.Table] = append(all[p.Table], slices.Sorted(maps.Keys(accesses[i].reads))...)
	}
	return all, nil
}

var (
	// tablesQuestion returns rows of (name String, function UInt8).
	//go:embed testdata/tables_read.sql
	tablesQuestion string

	insertion = regexp.MustCompile(`(?s)INSERT INTO \w+\s*\([^)]*\)`)
)

// noBatch has the parameters of projections, for a batch that has no rows.
var noBatch = clickhouse.Parameters{"batch": "0", "previous": "0", "rebuild": "false", "as_of": "1971-01-01",
	"finer": "1", "plan": "0"}

// tablesRead adds to into what ClickHouse says that a statement of a projection reads.
func tablesRead(ctx context.Context, conn driver.Conn, p sql.Projection, selected string,
	isView, into map[string]bool) error {
	values := maps.Clone(noBatch)
	if p.Chunks != "" {
		values["from"], values["to"] = "1971-01-01", "1971-01-01"
	}
	if p.Until != "" {
		values["attempt"] = "0"
	}
	var found []struct {
		Name     string `ch:"name"`
		Function bool   `ch:"function"`
	}
	if err := conn.Select(sql.WithParameters(ctx, values), &found,
		strings.Replace(tablesQuestion, "\n    {select}", "\n"+selected, 1)); err != nil {
		return fmt.Errorf("ask which tables it reads: %w", err)
	}
	for _, read := range found {
		view, known := isView[read.Name]
		switch {
		case read.Function && read.Name == "values": // its rows are in the statement
		case read.Function:
			return fmt.Errorf("it reads the table function %s, and ClickHouse does not tell what that reads", read.Name)
		case view:
			return fmt.Errorf("it reads the view %s, whose text could not be put in place, and ClickHouse does not "+
				"tell what that reads: give the view values or parameters, and no query", read.Name)
		case !known:
			return fmt.Errorf("it reads %s, which is not a table of the database", read.Name)
		default:
			into[read.Name] = true
		}
	}
	return nil
}
