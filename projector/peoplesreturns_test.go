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
	every := arguments + ", series = [], all_series = true"
	for _, returns := range []string{
		"all_price_return_as_of(" + arguments + ")",
		"batch_valued_return(" + every + ", valuation = 'clp')",
		"batch_valued_return(" + every + ", valuation = 'real_uf')",
		"batch_total_return(" + every + ", valuation = 'real_uf')",
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
		"batch_price_return(batch = %d, as_of = '2025-07-20', series = [], all_series = false)",
		"batch_valued_return(batch = %d, as_of = '2025-07-20', series = [], all_series = false, valuation = 'clp')",
		"batch_total_return(batch = %d, as_of = '2025-07-20', series = [], all_series = false, valuation = 'clp')",
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
	for _, view := range []string{
		"batch_price_return(batch = %d, as_of = '2025-07-20', series = %s, all_series = %t)",
		"batch_valued_return(batch = %d, as_of = '2025-07-20', series = %s, all_series = %t, valuation = 'real_uf')",
		"batch_total_return(batch = %d, as_of = '2025-07-20', series = %s, all_series = %t, valuation = 'accounting')",
	} {
		const hash = "SELECT toString((count() > 100, count(), sum(cityHash64(toString(tuple(*)))))) FROM "
		want, got := column(t, m, hash+fmt.Sprintf(view, batch, "[]", true))[0],
			column(t, m, hash+fmt.Sprintf(view, batch, every, false))[0]
		if want != got || !strings.HasPrefix(want, "(1,") {
			t.Errorf("%s gives %s for all series, %s if each is named", view, want, got)
		}
	}
}

func unpublishedBatchesAreRefused(t *testing.T, m *demotest.Market, batch uint64) {
	for _, number := range []uint64{batch + 1, 4711, 0} {
		var rows uint64
		err := m.Conn.QueryRow(context.Background(), fmt.Sprintf(
			"SELECT count() FROM all_price_return_as_of(batch = %d, as_of = '2025-07-20')", number)).Scan(&rows)
		if err == nil || !strings.Contains(err.Error(), "not published") {
			t.Errorf("batch %d is answered with %v and %d rows, want an error", number, err, rows)
		}
	}
}
