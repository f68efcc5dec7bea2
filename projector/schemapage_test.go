package projector_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

var update = flag.Bool("update", false, "write docs/schema.md anew")

const schemaPage = "../docs/schema.md"

const schemaHead = `# Tables for people

*Reference, for analysts who query in SQL. Next: [Figures](figures.md). [All pages](README.md).*

This page is generated from the running engine: ` + "`go test ./projector -run TestTheSchemaPage -update`" +
	` writes it,
and the same test compares. It lists every table of the database for people: ` + "`funds`" + `, or ` + "`funds_NAME`" +
	` where the
database of cuota has another name than ` + "`cuota`" + `. The tables are views of the published batch. They change
only when the next batch is published, and none holds two rows for one key.

- Returns and rates are fractions: 0.0132 is 1.32 %. Amounts are in full units. A name that ends in ` + "`_clp`" +
	` is in pesos.
- ` + "`series_id`, `fund_id` and `manager_id`" +
	` join the tables. RUN and RUT are text with the check digit, as in ` + "`9809-4`" + `.
- Dates are ` + "`Date`" + `; a ` + "`month`" +
	` is its last day. A value that can't be computed is null, and a column ` + "`reason…`" + ` says why.
- Numbers are ` + "`Float64`" + `, so that clients compute with them. Sums of them can differ in the last digit.
- ` + "`SHOW TABLES`, `DESCRIBE daily`" + ` and ` +
	"`SELECT name, comment FROM system.tables WHERE database = currentDatabase()`" + ` tell the same as this page.
  Only of the views with parameters, ` + "`quotas_known_at`, `quota_revisions`, `total_returns` and `total_returns_of`, `DESCRIBE`" +
	` shows no columns: this page lists them.
- The examples have ids and names of the demo market. To find those of your market: ` +
	"`SELECT series_id, fund, serie FROM funds.series`" + `.

### Fast and slow filters

- ` + "`daily`, `returns_daily` and `returns_daily_long`" + ` are stored by date and by series: a filter by ` +
	"`date`" + ` is fast, and so is one by
  ` + "`series_id`" + `. ` + "`cartola_daily` and `investment_daily`" +
	` are stored by series, and the other tables with ` + "`daily`" + ` in their names by date.
  ` + "`monthly`" + ` is small, and fast with any filter.
- ` + "`price_return_clp` and `price_return_real` of `returns_daily_long`" +
	` are computed while they are read: ask for some days or some series.
- ` + "`holdings`" + `: a filter by month or fund still reads the whole table, to find the newest file of each fund and month. Take the
  newest month from ` + "`SELECT last_date FROM funds.freshness WHERE dataset = 'holdings'`" + `.
- ` + "`manager_monthly`: a filter by `month` is fast, but `max(month)`" +
	` computes all months. Take the newest month from
  ` + "`SELECT toLastDayOfMonth(as_of_date) FROM funds.published`" + `.
- ` + "`total_returns`" + ` computes all series, even for a filter by one. For some series, ask ` +
	"`total_returns_of`" + `.
- ` + "`rejected_rows`" + ` judges all rejected rows before it filters. Ask once for all that you need.

[figures.md](figures.md) compares figures that are easily mixed up, and [rules.md](rules.md) says how each is computed.

`

// schemaPageOf returns docs/schema.md.
func schemaPageOf(t *testing.T, m *demotest.Market) string {
	t.Helper()
	p := asPeople(t, m)
	views := peoplesViews(t)
	filled, err := filledFrom(t.Context(), m.Conn)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(schemaHead)
	page.WriteString("| table | holds | key |\n|---|---|---|\n")
	for _, view := range views {
		holds, _, _ := strings.Cut(shown(t, p, view), " Key: ")
		fmt.Fprintf(&page, "| [%[1]s](#%[1]s) | %s | %s |\n", view.name, holds, view.key)
	}
	page.WriteString("\n" + keysDiagram(views))
	for _, view := range views {
		script := scriptOf(t, view.name)
		fmt.Fprintf(&page, "\n## %s\n\n%s\n\n```sql\n%s\n```\n\n| column | type | meaning |\n|---|---|---|\n",
			view.name, shown(t, p, view), exampleOf(t, script))
		for _, c := range view.columns {
			fmt.Fprintf(&page, "| `%s` | %s | %s |\n", c.name, c.kind, c.comment)
		}
		tables := tablesBelow(t, m, script)
		fmt.Fprintf(&page, "\nComputed from %s, which depend on the files: %s.\n", code(tables),
			datasetsOf(filled, tables))
	}
	return page.String()
}

// shown returns the comment of a view as people see it.
func shown(t *testing.T, p *demotest.Market, view peoplesView) string {
	t.Helper()
	return column(t, p, "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = $1",
		view.name)[0]
}

func scriptOf(t *testing.T, view string) string {
	t.Helper()
	scripts, err := sql.PeoplesViews("funds")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(scripts, func(s sql.Script) bool { return s.Name == view })
	return scripts[at].Text
}

var example = regexp.MustCompile(`(?m)^--   (SELECT .*)$`)

// exampleOf returns the query in the comment at the head of a view.
func exampleOf(t *testing.T, script string) string {
	t.Helper()
	found := example.FindStringSubmatch(script)
	if found == nil {
		t.Fatalf("the comment at the head of a view has no example: %s", script[:100])
	}
	return found[1]
}

// keysDiagram draws how the tables join: which of them have the key of another one.
func keysDiagram(views []peoplesView) string {
	owners := map[string]string{"series_id": "series", "fund_id": "funds", "manager_id": "managers"}
	var lines []string
	for _, view := range views {
		for _, c := range view.columns {
			owner := owners[c.name]
			if owner == "" || owner == view.name {
				continue
			}
			many := "o{"
			if view.key == c.name {
				many = "o|"
			}
			lines = append(lines, fmt.Sprintf("    %s ||--%s %s : %s", owner, many, view.name, c.name))
		}
	}
	return "```mermaid\nerDiagram\n" + strings.Join(lines, "\n") + "\n```\n"
}

// bookkeeping are tables that say which rows count, and hold none of the values.
var bookkeeping = []string{"batch", "batch_failure", "batch_new_file", "series_day_version", "market_day_version",
	"return_day_version", "fi_day_version"}

// tablesBelow asks the engine which tables a view reads.
func tablesBelow(t *testing.T, m *demotest.Market, script string) []string {
	t.Helper()
	_, selected, found := strings.Cut(script, "\nSQL SECURITY DEFINER AS\n")
	if !found {
		t.Fatal("a view does not state SQL SECURITY DEFINER AS in a line of its own")
	}
	selected = viewComment.ReplaceAllString(selected, "")
	question, err := os.ReadFile("testdata/tables_read.sql")
	if err != nil {
		t.Fatal(err)
	}
	bound := clickhouse.Context(context.Background(),
		clickhouse.WithParameters(clickhouse.Parameters{"as_of": "2025-07-20", "known_at": "2100-01-01 00:00:00",
			"valuation": "clp", "series": "[1]"}))
	var read []struct {
		Name     string `ch:"name"`
		Function bool   `ch:"function"`
	}
	if err := m.Conn.Select(bound, &read,
		strings.Replace(string(question), "\n    {select}", "\n"+selected, 1)); err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, one := range read {
		if !one.Function && !slices.Contains(bookkeeping, one.Name) {
			tables = append(tables, one.Name)
		}
	}
	if len(tables) == 0 { // the view of the batch itself
		tables = []string{"batch"}
	}
	return tables
}

// datasetsOf follows the projections from tables back to the facts, and returns the datasets of
// these.
func datasetsOf(filled map[string][]string, tables []string) string {
	known, open := map[string]bool{}, slices.Clone(tables)
	for len(open) > 0 {
		table := open[len(open)-1]
		open = open[:len(open)-1]
		if !known[table] {
			known[table] = true
			open = append(open, filled[table]...)
		}
	}
	datasets := map[string]bool{}
	for _, fact := range model.Facts {
		if known[fact.Table] {
			datasets[string(fact.Dataset)] = true
		}
	}
	if len(datasets) == 0 || slices.Contains(tables, "rejected_row") {
		return "all"
	}
	return code(slices.Sorted(maps.Keys(datasets)))
}

func code(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

func TestTheSchemaPageHasTheTablesOfTheEngine(t *testing.T) {
	t.Parallel()
	want := schemaPageOf(t, demotest.New(t))
	if *update {
		if err := os.WriteFile(schemaPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/schema.md is not what the engine has (go test ./projector -run TestTheSchemaPage -update "+
			"writes it):\n%s", diff)
	}
}

// The examples speak of the demo market.
func TestTheExamplesOfTheTablesForPeopleAnswer(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := publishedDemo(t)
	p := asPeople(t, m)
	answered := 0
	for _, view := range peoplesViews(t) {
		query := strings.ReplaceAll(exampleOf(t, scriptOf(t, view.name)), "funds.",
			sql.PeoplesDatabase(m.Options.Auth.Database)+".")
		if count(t, p, "SELECT count() FROM ("+query+")") > 0 {
			answered++
		}
	}
	if answered < 18 {
		t.Errorf("only %d examples have rows", answered)
	}
}
