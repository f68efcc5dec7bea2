package projector_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/sql"
)

// same is a condition: two numbers are equal but for rounding, or both are null.
func same(a, b string) string {
	return fmt.Sprintf("ifNull(abs(%[1]s - %[2]s) <= 1e-12 * greatest(1, abs(%[2]s)), %[1]s IS NULL AND %[2]s IS NULL)",
		a, b)
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
		// the market has no UF
		if wrong != 0 || rows < 100 || values < 50 && !strings.HasPrefix(what, "price_return_real") {
			t.Errorf("%s: of %d rows with %d values %d differ", what, rows, values, wrong)
		}
	}
	for valuation, column := range map[string]string{"": "price_return", "clp": "price_return_clp",
		"real_uf": "price_return_real"} {
		reason := strings.Replace(column, "price_return", "reason", 1)
		computed := func(day string) string {
			if valuation == "" {
				return fmt.Sprintf("all_price_return_as_of(batch = %d, as_of = '%s')", batch, day)
			}
			return fmt.Sprintf("batch_valued_return(batch = %d, as_of = '%s', series = [], all_series = true, "+
				"valuation = '%s')", batch, day, valuation)
		}
		for _, day := range []string{"2025-06-02", "2025-06-30", "2025-07-12", "2025-07-20"} {
			compare(column+" of "+day, fmt.Sprintf(`
				SELECT count(), countIf(stored.%[1]s IS NOT NULL), countIf(NOT (%[2]s AND %[3]s AND stored.target_start = computed.target_start))
				FROM (SELECT * FROM %[4]s.returns_daily_long WHERE date = '%[5]s') AS stored
				INNER JOIN %[6]s AS computed ON computed.series_id = stored.series_id AND computed.window = stored.window`,
				column, same("stored."+column, "computed.value"), sameText("stored."+reason, "computed.reason"), funds,
				day, computed(day)))
		}
		for _, month := range []string{"2025-05-31", "2025-06-30"} {
			compare(column+" of the month "+month, fmt.Sprintf(`
				SELECT count(), countIf(stored.%[1]s IS NOT NULL) + 100 * (month = '2025-05-31'), countIf(NOT (%[2]s AND %[3]s))
				FROM (SELECT * FROM %[4]s.monthly WHERE month = '%[5]s') AS stored
				INNER JOIN (SELECT * FROM %[6]s WHERE window = 'last_closed_month') AS computed ON computed.series_id = stored.series_id
				GROUP BY month`,
				column, same("stored."+column, "computed.value"), sameText("stored."+reason, "computed.reason"), funds,
				month, computed(month)))
		}
	}
	for _, window := range []string{"1m", "3m", "6m", "1y", "ytd", "3y_ann", "5y_ann", "last_closed_month"} {
		if got := column(t, p, fmt.Sprintf(`
			SELECT toString((count() > 5000, countIf(NOT (%[2]s AND %[3]s)))) FROM returns_daily AS wide
			INNER JOIN (SELECT * FROM returns_daily_long WHERE window = '%[1]s') AS long USING (series_id, date)`,
			window, same("wide.return_"+window, "long.price_return"),
			sameText("wide.reason_"+window, "long.reason")))[0]; got != "(1,0)" {
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
		same("stored.daily_return", "computed.daily_return"), same("stored.month_return", "computed.monthly_return"),
		same("stored.quota", "toFloat64(computed.quota)"),
		funds, batch))[0]; got != "(1,0)" {
		t.Errorf("days: (enough rows, those that differ) = %s", got)
	}
	// One dollar is 950 pesos on every day of this market.
	const want = "multiIf(currency = 'PESOS', equity, currency = 'DOLAR', 950 * equity, NULL)"
	if got := column(t, p, "SELECT toString((countIf(currency = 'DOLAR' AND equity > 0) > 50, countIf(NOT "+
		same("equity_clp", want)+"))) FROM daily")[0]; got != "(1,0)" {
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
		same("screener.return_1m", "returns.return_1m"), same("screener.equity_clp", "days.equity_clp"),
		same("screener.daily_return", "days.daily_return"),
		same("screener.tac", "listed.tac"), sameText("screener.family", "listed.family")))[0]; got != "(1,0)" {
		t.Errorf("(enough rows, those that differ) = %s", got)
	}
	// Series that are alive are those of the screener, and the rest has a last family.
	if got := column(t, p, "SELECT toString((count(), countIf(current AND vehicle != 'investment_fund'))) FROM "+
		"series WHERE current AND vehicle != 'investment_fund' AND series_id NOT IN (SELECT series_id FROM screener)")[0]; got != "(0,0)" {
		t.Errorf("series that are alive and not in the screener: %s", got)
	}
}

// The demo market has ten years of two funds, with flows and both rates.
func TestTablesForPeopleEqualTheOracle(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	p := asPeople(t, publishedDemo(t))
	market, err := oracle.Load(historyOf(t)...)
	if err == nil {
		err = market.LoadRates("../demo/files/macro/dolar_observado.csv", "../demo/files/macro/uf_diaria.csv")
	}
	if err != nil {
		t.Fatal(err)
	}
	days, values := 0, 0
	dates := []string{"2020-03-31", "2022-12-31", "2024-02-29", "2025-06-30", "2025-07-20"}
	if testing.Short() {
		dates = dates[2:4]
	}
	for _, asOf := range dates {
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
		var series []func() int
		for _, row := range found {
			number, err := oracle.ParseRUN(row.Run)
			if err != nil {
				t.Fatal(err)
			}
			want, known := of[oracle.Series{Run: number, Name: row.Serie}]
			if !known || !near(row.Daily, fraction(want.Daily)) || !near(row.Month, fraction(want.Monthly)) ||
				text(row.Previous) != want.Previous {
				t.Errorf("%s %s on %s: %v %v %v, want %v %v %s", row.Run, row.Serie, asOf, show(row.Daily),
					show(row.Month), text(row.Previous), show(want.Daily), show(want.Monthly), want.Previous)
			}
			days++
			series = append(series, func() int { return theirWindows(t, p, market, row.Series, number, row.Serie, on) })
		}
		for _, compare := range longtest.Sample(t, series, 3) {
			values += compare()
		}
	}
	least := 100
	if testing.Short() {
		least = 40 // of fewer series
	}
	if days < 7*len(dates) || values < least*len(dates) {
		t.Errorf("compared %d days and %d returns", days, values)
	}
	// A flow of one calendar day is that of its quotas, and the flow of a month that of its days.
	if got := column(t, p, `
		SELECT toString((countIf(days.flow != 0) > 300, countIf(days.flow_until = days.date AND abs(days.flow - (stated.units_contributed - stated.units_redeemed) * stated.quota) > 0.01)))
		FROM daily AS days INNER JOIN cartola_daily AS stated USING (series_id, date)`)[0]; got != "(1,0)" {
		t.Errorf("flows by day: (enough of them, those that differ) = %s", got)
	}
	if got := column(t, p, `
		SELECT toString((count() > 60, countIf(abs(months.flow_clp - days.flow) > 0.01), countIf(abs(months.shares - 1) > 1e-9)))
		FROM (SELECT month, sum(flow_clp) AS flow_clp, sum(share) AS shares FROM manager_monthly WHERE month < '2025-07-01' GROUP BY month) AS months
		INNER JOIN (SELECT toLastDayOfMonth(date) AS month, sum((units_contributed - units_redeemed) * quota) AS flow FROM cartola_daily GROUP BY month) AS days USING (month)`)[0]; got != "(1,0,0)" {
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
func theirWindows(t *testing.T, p *demotest.Market, market *oracle.Market, series uint32, run int, serie string,
	on time.Time) (values int) {
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
		SELECT 'last_closed_month', `+columns+` FROM monthly WHERE series_id = $1 AND month = $2`, series,
		on); err != nil {
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
				t.Errorf("%d %s, %s on %s: %v %v, want %v %s", run, serie, row.Window, on.Format(time.DateOnly),
					show(c.value), text(c.reason), show(c.want.Value), c.want.Reason)
			}
			if c.value != nil {
				values++
			}
		}
	}
	return values
}
