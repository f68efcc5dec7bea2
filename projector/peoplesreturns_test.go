package projector_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

func returnsCanBeJoined(t *testing.T, m *demotest.Market, batch uint64) {
	arguments := fmt.Sprintf("batch = %d, as_of = '2025-07-20'", batch)
	windows := count(t, m, "SELECT count() FROM all_price_return_as_of("+arguments+
		") WHERE series_id IN (SELECT series_id FROM current_series)")
	var joins []string
	for _, returns := range []string{
		"all_price_return_as_of(" + arguments + ")",
		"all_valued_return_as_of(" + arguments + ", valuation = 'clp')",
		"all_valued_return_as_of(" + arguments + ", valuation = 'real_uf')",
		"all_total_return_as_of(" + arguments + ", valuation = 'real_uf')",
	} {
		joins = append(joins,
			returns+" AS r INNER JOIN current_series AS s ON s.series_id = r.series_id",
			returns+" AS r INNER JOIN current_series AS s USING (series_id)",
			"current_series AS s INNER JOIN "+returns+" AS r ON s.series_id = r.series_id",
			"current_series AS s LEFT JOIN "+returns+" AS r USING (series_id)",
			returns+" AS r RIGHT JOIN current_series AS s ON s.series_id = r.series_id",
			returns+" AS r, current_series AS s WHERE s.series_id = r.series_id",
			returns+" AS r INNER JOIN current_series AS s USING (series_id) LEFT JOIN current_fund AS f ON f.fund_id "+
				"= s.fund_id",
			returns+" AS r INNER JOIN all_price_return_as_of("+arguments+
				") AS p USING (series_id, window) INNER JOIN current_series AS s USING (series_id)",
		)
	}
	for _, from := range longtest.Sample(t, joins, 12) {
		if got := count(t, m, "SELECT count(s.fund_id) FROM "+from); got != windows {
			t.Errorf("%d rows instead of %d FROM %s", got, windows, from)
		}
	}
	if windows < 100 {
		t.Errorf("only %d windows", windows)
	}
}

func allSeriesAreNamed(t *testing.T, m *demotest.Market, batch uint64) {
	for _, view := range []string{
		"price_return_as_of(batch = %d, as_of = '2025-07-20', series = [])",
		"valued_return_as_of(batch = %d, as_of = '2025-07-20', series = [], valuation = 'clp')",
		"total_return_as_of(batch = %d, as_of = '2025-07-20', series = [], valuation = 'accounting')",
		"batch_series_day(batch = %d, series = [], all_series = false)",
		"batch_fi_day(batch = %d, series = [], all_series = false)",
		"batch_market_change(batch = %d, from = '2025-07-01', to = '2025-07-20', series = [], all_series = false)",
		"risk_as_of(batch = %d, as_of = '2025-07-20', series = [], all_series = false)",
		"batch_tac_history(batch = %d, series = [], all_series = false)",
		"batch_holding(batch = %d, runs = [], all_runs = false)",
		"batch_benchmark_price(batch = %d, symbols = [], all_symbols = false)",
	} {
		if rows := count(t, m, "SELECT count() FROM "+fmt.Sprintf(view, batch)); rows != 0 {
			t.Errorf("%d rows of %s", rows, view)
		}
	}
	// A query for each single series gives the same as a query for all.
	every := column(t, m, "SELECT toString(groupArray(id)) FROM registry WHERE kind = 'fi_series' OR id IN (SELECT "+
		"series_id FROM current_series)")[0]
	for all, some := range map[string]string{
		"all_price_return_as_of(batch = %[1]d, as_of = '2025-07-20')":                           "price_return_as_of(batch = %[1]d, as_of = '2025-07-20', series = %[2]s)",
		"all_valued_return_as_of(batch = %[1]d, as_of = '2025-07-20', valuation = 'real_uf')":   "valued_return_as_of(batch = %[1]d, as_of = '2025-07-20', series = %[2]s, valuation = 'real_uf')",
		"all_total_return_as_of(batch = %[1]d, as_of = '2025-07-20', valuation = 'accounting')": "total_return_as_of(batch = %[1]d, as_of = '2025-07-20', series = %[2]s, valuation = 'accounting')",
	} {
		const hash = "SELECT toString((count() > 100, count(), sum(cityHash64(toString(tuple(*)))))) FROM "
		want, got := column(t, m, hash+fmt.Sprintf(all, batch, every))[0],
			column(t, m, hash+fmt.Sprintf(some, batch, every))[0]
		if want != got || !strings.HasPrefix(want, "(1,") {
			t.Errorf("%s gives %s, all of them one by one %s", all, want, got)
		}
	}
}

func wrongQuestionsAreRefused(t *testing.T, m *demotest.Market, batch uint64) {
	for _, c := range []struct{ returns, message string }{
		{"price_return_as_of(batch = %[2]d, as_of = '2025-07-20', series = [])", "not published"},
		{"all_price_return_as_of(batch = %[2]d, as_of = '2025-07-20')", "not published"},
		{"valued_return_as_of(batch = %[2]d, as_of = '2025-07-20', series = [], valuation = 'clp')", "not published"},
		{"all_valued_return_as_of(batch = 4711, as_of = '2025-07-20', valuation = 'clp')", "not published"},
		{"total_return_as_of(batch = %[2]d, as_of = '2025-07-20', series = [], valuation = 'clp')", "not published"},
		{"all_total_return_as_of(batch = 0, as_of = '2025-07-20', valuation = 'clp')", "not published"},
		{"valued_return_as_of(batch = %[1]d, as_of = '2025-07-20', series = [], valuation = 'uf')",
			"valuation must be clp or real_uf"},
		{"all_valued_return_as_of(batch = %[1]d, as_of = '2025-07-20', valuation = 'accounting')",
			"valuation must be clp or real_uf"},
		{"total_return_as_of(batch = %[1]d, as_of = '2025-07-20', series = [], valuation = 'CLP')",
			"valuation must be accounting, clp or real_uf"},
		{"all_total_return_as_of(batch = %[1]d, as_of = '2025-07-20', valuation = '')",
			"valuation must be accounting, clp or real_uf"},
	} {
		query := "SELECT count() FROM " + strings.ReplaceAll(strings.ReplaceAll(c.returns, "%[1]d", fmt.Sprint(batch)),
			"%[2]d", fmt.Sprint(batch+1))
		var rows uint64
		if err := m.Conn.QueryRow(context.Background(), query).Scan(&rows); err == nil ||
			!strings.Contains(err.Error(), c.message) {
			t.Errorf("%s ended with %v and %d rows, want an error with %q", query, err, rows, c.message)
		}
	}
}
