package projector_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/sql"
)

// asPeople returns the market to the user people, on the database for people.
func asPeople(t *testing.T, m *demotest.Market) *demotest.Market {
	t.Helper()
	options := *m.Options
	options.Auth, options.Settings = clickhouse.Auth{Database: sql.PeoplesDatabase(m.Options.Auth.Database),
		Username: "people"}, nil
	person := *m
	var err error
	if person.Conn, err = clickhouse.Open(&options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Conn.Close() })
	return &person
}

// theirDatabase tests the database for people on the market of TestWhatPeopleRead, which has
// corrections, several batches and a batch that failed.
func theirDatabase(t *testing.T, m *demotest.Market, batch uint64) {
	p := asPeople(t, m)
	views := peoplesViews(t)
	t.Run("people find exactly the views that are for them, and nothing else", func(t *testing.T) {
		found := column(t, p, "SHOW TABLES")
		slices.Sort(found)
		var names []string
		for _, view := range views {
			names = append(names, view.name)
		}
		if slices.Sort(names); !slices.Equal(found, names) {
			t.Errorf("people find %v, want %v", found, names)
		}
		nothingElse(t, m, p, batch)
	})
	t.Run("no view holds two rows for one key", func(t *testing.T) {
		for _, view := range views {
			rows, distinct := countOf(t, p, view.key, view.call())
			if rows != distinct {
				t.Errorf("%s has %d rows for %d of (%s)", view.name, rows, distinct, view.key)
			}
			if rows == 0 {
				t.Errorf("%s has no row: this proves nothing", view.name)
			}
		}
	})
	// Memory stands for the time of planning, which depends on the machine.
	t.Run("no view takes 80 MB to plan", func(t *testing.T) {
		for _, view := range views {
			if err := p.Conn.Exec(context.Background(), "SELECT * FROM "+view.call()+" LIMIT 0 SETTINGS max_memory_usage = "+
				"80000000"); err != nil {
				t.Errorf("%s: %v", view.name, err)
			}
		}
	})
	t.Run("of the lines about a day one counts, and it has the quota of the day", func(t *testing.T) {
		const lines = "quota_revisions(series = (SELECT toString(groupArray(series_id)) FROM series))"
		for what, query := range map[string]string{
			"days of which not one line counts": "SELECT toString((series_id, date)) FROM " + lines +
				" GROUP BY series_id, date HAVING countIf(counts) != 1",
			"quotas of the lines that are not those of the days": "SELECT toString((series_id, date, quota)) FROM " + lines +
				" WHERE dataset = 'cartola' AND counts AND NOT void EXCEPT SELECT toString((series_id, date, quota)) FROM cartola_daily WHERE quota IS NOT NULL",
			"quotas of days that no line states": "SELECT toString((series_id, date, quota)) FROM cartola_daily WHERE quota IS NOT " +
				"NULL AND series_id IN (SELECT series_id FROM series) EXCEPT SELECT toString((series_id, date, quota)) FROM " +
				lines + " WHERE counts",
		} {
			if wrong := column(t, p, query); len(wrong) > 0 {
				t.Errorf("%d %s, the first is %s", len(wrong), what, wrong[0])
			}
		}
		if n := count(t, p, "SELECT count() FROM "+lines+" WHERE NOT counts"); n < 50 {
			t.Errorf("only %d lines were corrected: this proves too little", n)
		}
	})
	t.Run("a series is digital if the regulator says so", func(t *testing.T) {
		// Of fund 60004 a newer comparator of costs says otherwise.
		const query = "SELECT DISTINCT toString((series.run LIKE '60004-%', length(serie) % 2, " +
			"official_returns.digital, series.digital)) FROM official_returns INNER JOIN series USING (series_id) ORDER BY 1"
		want := []string{"(0,0,false,false)", "(0,1,true,true)", "(1,1,true,false)"}
		if got := column(t, p, query); !slices.Equal(got, want) {
			t.Errorf("fund 60004, odd letters, digital in the comparator and in series: %v", got)
		}
	})
	t.Run("every view and every column has a comment, and every amount and rate its unit", func(t *testing.T) {
		theirComments(t, p, views)
	})
	t.Run("each idea has one spelling", func(t *testing.T) { theirSpelling(t, views) })
	t.Run("no setting that people may send changes what a view returns", func(t *testing.T) {
		for _, view := range longtest.Sample(t, views, 10) {
			query := "SELECT arrayJoin([hash, hash]) FROM (SELECT toString((sum(cityHash64(toString(tuple(*)))), " +
				"count())) AS hash FROM " + view.call() + ")"
			want := hashWith(t, p, query, nil)
			all := clickhouse.Settings{}
			for name, value := range deciding {
				all[name] = value
			}
			if hashWith(t, p, query, all) == want {
				continue
			}
			for name, value := range deciding {
				if got := hashWith(t, p, query, clickhouse.Settings{name: value}); got != want {
					t.Errorf("%s: with %s = %s it returns %s, without %s", view.name, name, value, got, want)
				}
			}
		}
	})
	t.Run("quotas are those that were corrected last", func(t *testing.T) {
		const corrected = `run = '60006-0' AND serie < 'S20' AND date BETWEEN '2025-07-01' AND '2025-07-05'`
		run := column(t, p, "SELECT run FROM series WHERE startsWith(run, '60006-') LIMIT 1")[0]
		where := strings.Replace(corrected, "60006-0", run, 1)
		for _, view := range []string{"daily", "cartola_daily"} {
			if got := column(t, p, "SELECT toString((count(), countIf(quota != 1101.5 + toDayOfYear(date)))) FROM "+
				view+" INNER JOIN series USING (series_id) WHERE "+where)[0]; got != "(100,0)" {
				t.Errorf("rows of %s, and those with another quota: %s", view, got)
			}
		}
	})
	t.Run("returns are those that the quotes give", func(t *testing.T) { theirReturns(t, m, p, batch) })
	t.Run("days are those of the market", func(t *testing.T) { theirDays(t, m, p, batch) })
	t.Run("the screener has the values of the other views", func(t *testing.T) { theirScreener(t, p) })
	t.Run("total returns refuse a valuation that does not exist", func(t *testing.T) {
		var rows uint64
		err := p.Conn.QueryRow(context.Background(),
			"SELECT count() FROM total_returns(as_of = '2025-07-20', valuation = 'uf')").Scan(&rows)
		if err == nil || !strings.Contains(err.Error(), "valuation must be accounting, clp or real_uf") {
			t.Errorf("%d rows and %v", rows, err)
		}
	})
	t.Run("the comment of a view with parameters has a call that answers", func(t *testing.T) {
		theirCalls(t, p, views)
	})
	t.Run("filters reach the primary keys of the tables", func(t *testing.T) { theirFilters(t, m, p) })
}

// theirCalls runs the call in the comment of each view with parameters, which people see where they forget the
// arguments.
func theirCalls(t *testing.T, p *demotest.Market, views []peoplesView) {
	with := 0
	for _, view := range views {
		if len(view.parameters) == 0 {
			continue
		}
		with++
		call := regexp.MustCompile("\\b" + view.name + `\([^)]*\)`).FindString(view.comment)
		for _, name := range view.parameters {
			if !strings.Contains(call, name+" = ") {
				t.Errorf("the comment of %s has the call %q without %s", view.name, call, name)
			}
		}
		listed := column(t, p, "SELECT arrayJoin(parameterized_view_parameters).1 FROM system.tables WHERE database "+
			"= currentDatabase() AND name = $1", view.name)
		if slices.Sort(listed); !slices.Equal(listed, slices.Sorted(slices.Values(view.parameters))) {
			t.Errorf("people are told that %s has the parameters %v, and it has %v", view.name, listed, view.parameters)
		}
		count(t, p, "SELECT count() FROM (SELECT * FROM "+call+")")
	}
	if with < 3 {
		t.Errorf("only %d views have parameters", with)
	}
}

// nothingElse tries to read every table and view of the internal database as people.
func nothingElse(t *testing.T, m, p *demotest.Market, batch uint64) {
	internal := m.Options.Auth.Database
	options := *m.Options
	options.Auth, options.Settings = clickhouse.Auth{Database: internal, Username: "people"}, nil
	inside, err := clickhouse.Open(&options) // so that views find the views that they read
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inside.Close() }()
	names := column(t, m, "SELECT name FROM system.tables WHERE database = currentDatabase() AND "+
		"parameterized_view_parameters = []")
	for _, call := range viewCalls(t, batch) {
		if strings.Contains(call, "(") {
			names = append(names, strings.ReplaceAll(call, "("+someSeries+")", "[]"))
		}
	}
	for _, name := range names {
		err := inside.Exec(context.Background(), fmt.Sprintf("SELECT * FROM %s LIMIT 0", name))
		var refused *clickhouse.Exception
		if !errors.As(err, &refused) || refused.Code != accessDenied {
			t.Errorf("people may read %s: %v", name, err)
		}
	}
	if len(names) < 150 {
		t.Errorf("only %d tables and views were tried", len(names))
	}
	for _, table := range []string{"tables", "columns", "parts"} {
		if seen := count(t, p, "SELECT count() FROM system."+table+" WHERE database = $1", internal); seen != 0 {
			t.Errorf("people see %d rows about the internal database in system.%s", seen, table)
		}
	}
}

// accessDenied is ClickHouse's error code for a user without the right.
const accessDenied = 497

// theirFilters looks at how ClickHouse plans a statement of people: the conditions of the
// primary key of the table below the view hold what the statement asks for.
// bySeries is the name of the projections of the tables by day. A plan names them without a table.
const bySeries = "by_series"

func theirFilters(t *testing.T, m, p *demotest.Market) {
	id := column(t, p, "SELECT toString(min(series_id)) FROM screener")[0]
	const day, number = "2025-07-01", "20270" // days since 1970-01-01
	ofSeries, ofDay := fmt.Sprintf("(series_id in [%s, %[1]s])", id), fmt.Sprintf("(date in [%s, %[1]s])", number)
	for _, c := range []struct {
		view, where, table string
		conditions         []string
	}{
		{"daily", "series_id = " + id, bySeries, []string{ofSeries}},
		{"returns_daily", "series_id = " + id, bySeries, []string{ofSeries}},
		{"returns_daily_long", "series_id = " + id, bySeries, []string{ofSeries}},
		{"daily", "date = '" + day + "'", "market_day", []string{ofDay}},
		{"daily", "series_id = " + id + " AND date = '" + day + "'", "market_day", []string{ofSeries, ofDay}},
		{"cartola_daily", "series_id = " + id + " AND date = '" + day + "'", "series_day", []string{ofSeries, ofDay}},
		{"returns_daily", "series_id = " + id + " AND date = '" + day + "'", "return_day", []string{ofSeries, ofDay}},
		{"returns_daily_long", "series_id = " + id + " AND date = '" + day + "'", "return_day",
			[]string{ofSeries, ofDay}},
		{"monthly", "series_id = " + id, "series_month", []string{ofSeries}},
		{"holdings", "month = '2025-06-30'", "fact_holding", []string{"(month in [20269, 20269])"}},
	} {
		plan := strings.Join(column(t, p, fmt.Sprintf("EXPLAIN indexes = 1 SELECT * FROM %s WHERE %s", c.view,
			c.where)), "\n")
		table := m.Options.Auth.Database + "." + c.table
		if c.table == bySeries {
			table = bySeries
		}
		key := primaryKeyOf(plan, table)
		for _, condition := range c.conditions {
			if !slices.ContainsFunc(key, func(line string) bool { return strings.Contains(line, condition) }) {
				t.Errorf("%s WHERE %s: the primary key of %s is read with %v, want %s", c.view, c.where, c.table, key,
					condition)
			}
		}
	}
}

// primaryKeyOf returns the conditions on the primary key in each part of a plan that reads a table.
func primaryKeyOf(plan, table string) (conditions []string) {
	for _, part := range strings.Split(plan, "ReadFromMergeTree (")[1:] {
		if !strings.HasPrefix(part, table+")") {
			continue
		}
		if _, key, found := strings.Cut(part, "PrimaryKey"); found {
			_, condition, _ := strings.Cut(key, "Condition: ")
			condition, _, _ = strings.Cut(condition, "\n")
			conditions = append(conditions, condition)
		}
	}
	return conditions
}
