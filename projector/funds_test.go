package projector_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/sql"
)

// asPeople gives the market to the user people, on the database for people.
func asPeople(t *testing.T, m *demotest.Market) *demotest.Market {
	t.Helper()
	options := *m.Options
	options.Auth, options.Settings = clickhouse.Auth{Database: sql.PeoplesDatabase(m.Options.Auth.Database), Username: "people"}, nil
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
			rows, distinct := count(t, p, "SELECT count() FROM "+view.call()), count(t, p, "SELECT uniqExact("+view.key+") FROM "+view.call())
			if rows != distinct {
				t.Errorf("%s has %d rows for %d of (%s)", view.name, rows, distinct, view.key)
			}
			if rows == 0 {
				t.Errorf("%s has no row: this proves nothing", view.name)
			}
		}
	})
	t.Run("every view and every column has a comment, and every amount and rate its unit", func(t *testing.T) { theirComments(t, p, views) })
	t.Run("each idea has one spelling", func(t *testing.T) { theirSpelling(t, views) })
	t.Run("no setting that people may send changes what a view returns", func(t *testing.T) {
		for _, view := range views {
			query := "SELECT arrayJoin([hash, hash]) FROM (SELECT toString((sum(cityHash64(toString(tuple(*)))), count())) AS hash FROM " + view.call() + ")"
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
			if got := column(t, p, "SELECT toString((count(), countIf(quota != 1101.5 + toDayOfYear(date)))) FROM "+view+" INNER JOIN series USING (series_id) WHERE "+where)[0]; got != "(100,0)" {
				t.Errorf("rows of %s, and those with another quota: %s", view, got)
			}
		}
	})
	t.Run("returns are those that the quotes give", func(t *testing.T) { theirReturns(t, m, p, batch) })
	t.Run("days are those of the market", func(t *testing.T) { theirDays(t, m, p, batch) })
	t.Run("the screener has the values of the other views", func(t *testing.T) { theirScreener(t, p) })
	t.Run("total returns refuse a valuation that does not exist", func(t *testing.T) {
		var rows uint64
		err := p.Conn.QueryRow(context.Background(), "SELECT count() FROM total_returns(as_of = '2025-07-20', valuation = 'uf')").Scan(&rows)
		if err == nil || !strings.Contains(err.Error(), "valuation must be accounting, clp or real_uf") {
			t.Errorf("%d rows and %v", rows, err)
		}
	})
	t.Run("filters reach the primary keys of the tables", func(t *testing.T) { theirFilters(t, m, p) })
}

// peoplesView is a view for people, as its file states it.
type peoplesView struct {
	name, comment, key string
	parameters         []string
	columns            []peoplesColumn
}

type peoplesColumn struct{ name, kind, comment string }

var (
	viewComment   = regexp.MustCompile(`COMMENT '((?:[^']|'')*)'\s*$`)
	viewKey       = regexp.MustCompile(` Key: (\w+(?:, \w+)*)\.$`)
	viewColumn    = regexp.MustCompile(`(?m)^    (\w+) +(\S.*?) +COMMENT '((?:[^']|'')*)',?$`)
	viewParameter = regexp.MustCompile(`\{(\w+):`)
)

// peoplesViews reads the views from their statements, so that a test can compare them with what
// the engine shows.
func peoplesViews(t *testing.T) (views []peoplesView) {
	t.Helper()
	scripts, err := sql.Cluster("").PeoplesViews("funds")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		view := peoplesView{name: script.Name}
		if found := viewComment.FindStringSubmatch(script.Text); found != nil {
			view.comment = strings.ReplaceAll(found[1], "''", "'")
		}
		if found := viewKey.FindStringSubmatch(view.comment); found != nil {
			view.key = found[1]
		} else {
			t.Errorf("the comment of %s does not end with its key, as in Key: series_id, date.", script.Name)
		}
		head, _, _ := strings.Cut(script.Text, "\nSQL SECURITY DEFINER AS\n")
		for _, found := range viewColumn.FindAllStringSubmatch(head, -1) {
			view.columns = append(view.columns, peoplesColumn{found[1], found[2], strings.ReplaceAll(found[3], "''", "'")})
		}
		for _, found := range viewParameter.FindAllStringSubmatch(script.Text, -1) {
			if !slices.Contains(view.parameters, found[1]) {
				view.parameters = append(view.parameters, found[1])
			}
		}
		views = append(views, view)
	}
	if len(views) < 30 {
		t.Fatalf("only %d views", len(views))
	}
	return views
}

// call gives the view as it stands after FROM, with values for its parameters.
func (v peoplesView) call() string {
	values := map[string]string{"as_of": "'2025-07-20'", "valuation": "'real_uf'"}
	arguments := make([]string, len(v.parameters))
	for i, name := range v.parameters {
		arguments[i] = name + " = " + values[name]
	}
	if len(arguments) == 0 {
		return v.name
	}
	return v.name + "(" + strings.Join(arguments, ", ") + ")"
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
	names := column(t, m, "SELECT name FROM system.tables WHERE database = currentDatabase() AND parameterized_view_parameters = []")
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

// unit finds the unit of a number in a comment.
var unit = regexp.MustCompile(`fraction|[Ff]actor|full units of|full pesos|in currency|[Nn]umber|Pesos for one|in pesos|Level of the index|0 to 100|1 to 5|Place|Id of|Line|1 for the newest`)

func theirComments(t *testing.T, p *demotest.Market, views []peoplesView) {
	for _, view := range views {
		if got := column(t, p, "SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = $1", view.name)[0]; got != view.comment || len(view.comment) < 30 {
			t.Errorf("the comment of %s is %q, and its file has %q", view.name, got, view.comment)
		}
		for _, c := range view.columns {
			number := regexp.MustCompile(`\b(U?Int\d+|Float64)\b`).MatchString(c.kind)
			if number && !unit.MatchString(c.comment) {
				t.Errorf("the comment of %s.%s tells no unit: %s", view.name, c.name, c.comment)
			}
			if pesos := strings.HasSuffix(c.name, "_clp"); pesos && strings.Contains(c.kind, "Float") && !strings.Contains(strings.ToLower(c.comment), "peso") {
				t.Errorf("the comment of %s.%s does not speak of pesos: %s", view.name, c.name, c.comment)
			}
		}
		if len(view.parameters) > 0 { // ClickHouse lists no columns of such a view
			continue
		}
		listed := column(t, p, "SELECT concat(name, ' ', type, ' ', comment) FROM system.columns WHERE database = currentDatabase() AND table = $1 ORDER BY position", view.name)
		var stated []string
		for _, c := range view.columns {
			stated = append(stated, c.name+" "+c.kind+" "+c.comment)
		}
		if !slices.Equal(listed, stated) {
			t.Errorf("%s has the columns\n%s\nand its file\n%s", view.name, strings.Join(listed, "\n"), strings.Join(stated, "\n"))
		}
	}
}

// foreignSpelling are words that the internal tables, the API or the files have for ideas that
// have another name here.
var foreignSpelling = regexp.MustCompile(`_rar|fund_family|familia|percent|moneda|valor|patrimon|^cuota|asset_id|concept_id|provider_id|label|class_dated|book_val$|_uf$|_change$|^rut$|_rol|thousands|millions`)

func theirSpelling(t *testing.T, views []peoplesView) {
	kinds := map[string]string{}
	for _, view := range views {
		for _, c := range view.columns {
			if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(c.name) || foreignSpelling.MatchString(c.name) && !(view.name == "managers" && c.name == "rut") {
				t.Errorf("%s.%s is spelled in another way elsewhere", view.name, c.name)
			}
			kind := strings.NewReplacer("LowCardinality(", "", "Nullable(", "", ")", "").Replace(c.kind)
			if kinds[c.name] == "" {
				kinds[c.name] = kind
			}
			if kinds[c.name] != kind {
				t.Errorf("%s.%s is %s, and %s in another view", view.name, c.name, kind, kinds[c.name])
			}
			if strings.Contains(c.kind, "Decimal") || strings.Contains(c.kind, "Array") || strings.Contains(c.kind, "Tuple") {
				t.Errorf("%s.%s is %s, which many clients can't use as a number or text", view.name, c.name, c.kind)
			}
		}
	}
	for name, kind := range map[string]string{"series_id": "UInt32", "fund_id": "UInt32", "manager_id": "UInt32", "run": "String", "date": "Date", "month": "Date", "family": "String", "equity_clp": "Float64"} {
		if kinds[name] != kind {
			t.Errorf("%s is %s, want %s", name, kinds[name], kind)
		}
	}
}

// same is a condition: two numbers are equal but for rounding, or both are null.
func same(a, b string) string {
	return fmt.Sprintf("ifNull(abs(%[1]s - %[2]s) <= 1e-12 * greatest(1, abs(%[2]s)), %[1]s IS NULL AND %[2]s IS NULL)", a, b)
}

// sameText is a condition: two texts are equal, or both are null.
func sameText(a, b string) string { return fmt.Sprintf("ifNull(%s, '') = ifNull(%s, '')", a, b) }

// theirReturns compares with the returns that are computed from the quotes at a date.
func theirReturns(t *testing.T, m, p *demotest.Market, batch uint64) {
	funds := sql.PeoplesDatabase(m.Options.Auth.Database)
	compare := func(what, query string) {
		t.Helper()
		var rows, values, wrong uint64
		if err := m.Conn.QueryRow(context.Background(), query).Scan(&rows, &values, &wrong); err != nil {
			t.Fatal(err)
		}
		if wrong != 0 || rows < 100 || values < 50 && !strings.HasPrefix(what, "price_return_real") { // the market has no UF
			t.Errorf("%s: of %d rows with %d values %d differ", what, rows, values, wrong)
		}
	}
	for valuation, column := range map[string]string{"": "price_return", "clp": "price_return_clp", "real_uf": "price_return_real"} {
		reason := strings.Replace(column, "price_return", "reason", 1)
		computed := func(day string) string {
			if valuation == "" {
				return fmt.Sprintf("all_price_return_as_of(batch = %d, as_of = '%s')", batch, day)
			}
			return fmt.Sprintf("all_valued_return_as_of(batch = %d, as_of = '%s', valuation = '%s')", batch, day, valuation)
		}
		for _, day := range []string{"2025-06-02", "2025-06-30", "2025-07-12", "2025-07-20"} {
			compare(column+" of "+day, fmt.Sprintf(`
				SELECT count(), countIf(stored.%[1]s IS NOT NULL), countIf(NOT (%[2]s AND %[3]s AND stored.target_start = computed.target_start))
				FROM (SELECT * FROM %[4]s.returns_daily_long WHERE date = '%[5]s') AS stored
				INNER JOIN %[6]s AS computed ON computed.series_id = stored.series_id AND computed.window = stored.window`,
				column, same("stored."+column, "computed.value"), sameText("stored."+reason, "computed.reason"), funds, day, computed(day)))
		}
		for _, month := range []string{"2025-05-31", "2025-06-30"} {
			compare(column+" of the month "+month, fmt.Sprintf(`
				SELECT count(), countIf(stored.%[1]s IS NOT NULL) + 100 * (month = '2025-05-31'), countIf(NOT (%[2]s AND %[3]s))
				FROM (SELECT * FROM %[4]s.monthly WHERE month = '%[5]s') AS stored
				INNER JOIN (SELECT * FROM %[6]s WHERE window = 'last_closed_month') AS computed ON computed.series_id = stored.series_id
				GROUP BY month`,
				column, same("stored."+column, "computed.value"), sameText("stored."+reason, "computed.reason"), funds, month, computed(month)))
		}
	}
	for _, window := range []string{"1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"} {
		if got := column(t, p, fmt.Sprintf(`
			SELECT toString((count() > 5000, countIf(NOT (%[2]s AND %[3]s)))) FROM returns_daily AS wide
			INNER JOIN (SELECT * FROM returns_daily_long WHERE window = '%[1]s') AS long USING (series_id, date)`,
			window, same("wide.return_"+window, "long.price_return"), sameText("wide.reason_"+window, "long.reason")))[0]; got != "(1,0)" {
			t.Errorf("%s in a column and in a row: (enough rows, those that differ) = %s", window, got)
		}
	}
}

// theirDays compares days with the view from which the market is built, and with amounts that
// are added up by hand.
func theirDays(t *testing.T, m, p *demotest.Market, batch uint64) {
	funds := sql.PeoplesDatabase(m.Options.Auth.Database)
	if got := column(t, m, fmt.Sprintf(`
		SELECT toString((count() > 8000, countIf(NOT (%s AND %s AND %s)))) FROM %s.daily AS stored
		INNER JOIN batch_market_change(batch = %d, from = '2025-05-01', to = '2025-07-20', series = [], all_series = true) AS computed
			ON computed.series_id = stored.series_id AND computed.date = stored.date`,
		same("stored.daily_return", "computed.daily_return"), same("stored.month_return", "computed.monthly_return"), same("stored.quota", "toFloat64(computed.quota)"),
		funds, batch))[0]; got != "(1,0)" {
		t.Errorf("days: (enough rows, those that differ) = %s", got)
	}
	// One dollar is 950 pesos on every day of this market.
	const want = "multiIf(currency = 'PESOS', equity, currency = 'DOLAR', 950 * equity, NULL)"
	if got := column(t, p, "SELECT toString((countIf(currency = 'DOLAR' AND equity > 0) > 50, countIf(NOT "+same("equity_clp", want)+"))) FROM daily")[0]; got != "(1,0)" {
		t.Errorf("equity_clp: (enough dollars, rows that differ) = %s", got)
	}
	// The managers of a day have the equity of the series that have a row on it.
	if got := column(t, p, `
		SELECT toString((count() > 50, countIf(abs(managers.clp / days.clp - 1) > 1e-9)))
		FROM (SELECT date, sum(equity_clp) AS clp FROM manager_daily WHERE date BETWEEN '2025-05-01' AND '2025-05-31' OR date BETWEEN '2025-06-09' AND '2025-07-09' GROUP BY date) AS managers
		INNER JOIN (SELECT date, sum(equity_clp) AS clp FROM daily WHERE quota IS NOT NULL GROUP BY date) AS days USING (date)`)[0]; got != "(1,0)" {
		t.Errorf("managers by day: (enough days, those that differ) = %s", got)
	}
}

func theirScreener(t *testing.T, p *demotest.Market) {
	if got := column(t, p, fmt.Sprintf(`
		SELECT toString((count() > 100, countIf(NOT (%s AND %s AND %s AND %s AND %s))))
		FROM screener
		INNER JOIN (SELECT * FROM returns_daily WHERE date = (SELECT as_of_date FROM published)) AS returns USING (series_id)
		INNER JOIN daily AS days ON days.series_id = screener.series_id AND days.date = screener.quota_date
		INNER JOIN series AS listed ON listed.series_id = screener.series_id`,
		same("screener.return_1m", "returns.return_1m"), same("screener.equity_clp", "days.equity_clp"), same("screener.daily_return", "days.daily_return"),
		same("screener.tac", "listed.tac"), sameText("screener.family", "listed.family")))[0]; got != "(1,0)" {
		t.Errorf("(enough rows, those that differ) = %s", got)
	}
	// Series that are alive are those of the screener, and the rest has a last family.
	if got := column(t, p, "SELECT toString((count(), countIf(current AND vehicle != 'investment_fund'))) FROM series WHERE current AND vehicle != 'investment_fund' AND series_id NOT IN (SELECT series_id FROM screener)")[0]; got != "(0,0)" {
		t.Errorf("series that are alive and not in the screener: %s", got)
	}
}

// theirFilters looks at how ClickHouse plans a statement of people: the conditions of the
// primary key of the table below the view hold what the statement asks for.
func theirFilters(t *testing.T, m, p *demotest.Market) {
	id := column(t, p, "SELECT toString(min(series_id)) FROM screener")[0]
	const day, number = "2025-07-01", "20270" // days since 1970-01-01
	ofSeries, ofDay := fmt.Sprintf("(series_id in [%s, %[1]s])", id), fmt.Sprintf("(date in [%s, %[1]s])", number)
	for _, c := range []struct {
		view, where, table string
		conditions         []string
	}{
		{"daily", "series_id = " + id, "market_day", []string{ofSeries}},
		{"daily", "date = '" + day + "'", "market_day", []string{ofDay}},
		{"daily", "series_id = " + id + " AND date = '" + day + "'", "market_day", []string{ofSeries, ofDay}},
		{"cartola_daily", "series_id = " + id + " AND date = '" + day + "'", "series_day", []string{ofSeries, ofDay}},
		{"returns_daily", "series_id = " + id + " AND date = '" + day + "'", "return_day", []string{ofSeries, ofDay}},
		{"returns_daily_long", "series_id = " + id + " AND date = '" + day + "'", "return_day", []string{ofSeries, ofDay}},
		{"monthly", "series_id = " + id, "series_month", []string{ofSeries}},
		{"holdings", "month = '2025-06-30'", "fact_holding", []string{"(month in [20269, 20269])"}},
	} {
		plan := strings.Join(column(t, p, fmt.Sprintf("EXPLAIN indexes = 1 SELECT * FROM %s WHERE %s", c.view, c.where)), "\n")
		key := primaryKeyOf(plan, m.Options.Auth.Database+"."+c.table)
		for _, condition := range c.conditions {
			if !slices.ContainsFunc(key, func(line string) bool { return strings.Contains(line, condition) }) {
				t.Errorf("%s WHERE %s: the primary key of %s is read with %v, want %s", c.view, c.where, c.table, key, condition)
			}
		}
	}
}

// primaryKeyOf gives the conditions on the primary key in each part of a plan that reads a table.
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

// The demo market has ten years of two funds, with flows and both rates.
func TestDaysReturnsAndMonthsForPeopleEqualTheIndependentComputation(t *testing.T) {
	t.Parallel()
	options := demotest.Published(t)
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p := asPeople(t, &demotest.Market{Options: options, Conn: conn})
	market, err := oracle.Load(historyOf(t)...)
	if err == nil {
		err = market.LoadRates("../demo/files/macro/dolar_observado.csv", "../demo/files/macro/uf_diaria.csv")
	}
	if err != nil {
		t.Fatal(err)
	}
	days, values := 0, 0
	for _, asOf := range []string{"2020-03-31", "2022-12-31", "2024-02-29", "2025-06-30", "2025-07-20"} {
		on := date(t, asOf)
		of := market.Day(on)
		var found []struct {
			Series   uint32   `ch:"series_id"`
			Run      string   `ch:"run"`
			Serie    string   `ch:"serie"`
			Previous *string  `ch:"previous"`
			Daily    *float64 `ch:"daily_return"`
			Month    *float64 `ch:"month_return"`
		}
		if err := p.Conn.Select(t.Context(), &found, `
			SELECT series_id, run, serie, toString(previous_date) AS previous, daily_return, month_return
			FROM daily INNER JOIN series USING (series_id) WHERE date = $1 AND (startsWith(run, '9809-') OR startsWith(run, '9810-'))`, on); err != nil {
			t.Fatal(err)
		}
		for _, row := range found {
			number, err := oracle.ParseRUN(row.Run)
			if err != nil {
				t.Fatal(err)
			}
			want, known := of[oracle.Series{Run: number, Name: row.Serie}]
			if !known || !near(row.Daily, fraction(want.Daily)) || !near(row.Month, fraction(want.Monthly)) || text(row.Previous) != want.Previous {
				t.Errorf("%s %s on %s: %v %v %v, want %v %v %s", row.Run, row.Serie, asOf, show(row.Daily), show(row.Month), text(row.Previous), show(want.Daily), show(want.Monthly), want.Previous)
			}
			days++
			values += theirWindows(t, p, market, row.Series, number, row.Serie, on)
		}
	}
	if days < 35 || values < 500 {
		t.Errorf("compared %d days and %d returns", days, values)
	}
	// A flow is that of the quotas of the day, and the flow of a month that of its days.
	if got := column(t, p, `
		SELECT toString((countIf(days.flow != 0) > 1000, countIf(abs(days.flow - (stated.units_contributed - stated.units_redeemed) * stated.quota) > 0.01)))
		FROM daily AS days INNER JOIN cartola_daily AS stated USING (series_id, date)`)[0]; got != "(1,0)" {
		t.Errorf("flows by day: (enough of them, those that differ) = %s", got)
	}
	if got := column(t, p, `
		SELECT toString((count() > 60, countIf(abs(months.flow_clp - days.flow) > 0.01), countIf(abs(months.shares - 1) > 1e-9)))
		FROM (SELECT month, sum(flow_clp) AS flow_clp, sum(share) AS shares FROM manager_monthly GROUP BY month) AS months
		INNER JOIN (SELECT toLastDayOfMonth(date) AS month, sum(flow_clp) AS flow FROM daily GROUP BY month) AS days USING (month)`)[0]; got != "(1,0,0)" {
		t.Errorf("managers by month: (enough months, other flows, other shares) = %s", got)
	}
}

// fraction turns percent points into a fraction.
func fraction(percent *float64) *float64 {
	if percent == nil {
		return nil
	}
	value := *percent / 100
	return &value
}

// theirWindows compares the windows of a series that end on a day, and its closed month if that is
// a month end, with the oracle.
func theirWindows(t *testing.T, p *demotest.Market, market *oracle.Market, series uint32, run int, serie string, on time.Time) (values int) {
	t.Helper()
	var found []struct {
		Window     string   `ch:"window"`
		Price      *float64 `ch:"price_return"`
		Clp        *float64 `ch:"price_return_clp"`
		Real       *float64 `ch:"price_return_real"`
		Reason     *string  `ch:"reason"`
		ReasonClp  *string  `ch:"reason_clp"`
		ReasonReal *string  `ch:"reason_real"`
	}
	const columns = "price_return, price_return_clp, price_return_real, reason, reason_clp, reason_real"
	if err := p.Conn.Select(t.Context(), &found, `
		SELECT window, `+columns+` FROM returns_daily_long WHERE series_id = $1 AND date = $2
		UNION ALL
		SELECT 'last_closed_month', `+columns+` FROM monthly WHERE series_id = $1 AND month = $2`, series, on); err != nil {
		t.Fatal(err)
	}
	want := 8
	if on.AddDate(0, 0, 1).Day() == 1 {
		want = 9
	}
	if len(found) != want {
		t.Errorf("%d %s on %s has %d windows, want %d", run, serie, on.Format(time.DateOnly), len(found), want)
	}
	for _, row := range found {
		for _, c := range []struct {
			value  *float64
			reason *string
			want   oracle.Period
		}{
			{row.Price, row.Reason, market.Period(run, serie, on, row.Window)},
			{row.Clp, row.ReasonClp, market.AdjustedPeriod(run, serie, on, row.Window, "clp").Period},
			{row.Real, row.ReasonReal, market.AdjustedPeriod(run, serie, on, row.Window, "real_uf").Period},
		} {
			if !near(c.value, c.want.Value) || text(c.reason) != c.want.Reason {
				t.Errorf("%d %s, %s on %s: %v %v, want %v %s", run, serie, row.Window, on.Format(time.DateOnly), show(c.value), text(c.reason), show(c.want.Value), c.want.Reason)
			}
			if c.value != nil {
				values++
			}
		}
	}
	return values
}
