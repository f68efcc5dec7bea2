package projector_test

import (
	"context"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// deflation checks a rule against the regulator's own table. The comparator gives nominal
// and real returns over 1, 3, 5 and 10 years side by side. The function by which the views
// value returns must compute the real return from the nominal one, with the UF of the last
// day and of the same day N years before.
func deflation(t *testing.T, conn driver.Conn, batch uint64) {
	t.Helper()
	var pairs uint64
	var worst float64
	if err := conn.QueryRow(context.Background(), `
		WITH uf AS (SELECT date, toFloat64(value) AS value FROM batch_indicator(batch = $1) WHERE code = 'uf')
		SELECT count(), max(abs(100 * cuota_real(pow(1 + nominal / 100, years), uf_start.value, uf_end.value, years) - real))
		FROM
		(
			SELECT date AS day, subtractYears(date, pair.1) AS years_before, pair.1 AS years, toFloat64(pair.2) AS nominal, toFloat64(pair.3) AS real
			FROM official_return_as_of(batch = $1, as_of = '2025-09-30')
			ARRAY JOIN [(1, nominal_1y, real_1y), (3, nominal_3y, real_3y), (5, nominal_5y, real_5y), (10, nominal_10y, real_10y)] AS pair
			WHERE pair.2 IS NOT NULL AND pair.3 IS NOT NULL
		) AS pairs
		INNER JOIN uf AS uf_start ON uf_start.date = pairs.years_before
		INNER JOIN uf AS uf_end ON uf_end.date = pairs.day`, batch).Scan(&pairs, &worst); err != nil {
		t.Fatal(err)
	}
	// Both columns are percentages rounded to four decimals. The greatest difference is
	// 1.1e-4 percent points, in the pair 14.2687 and 8.9855 over three years.
	if pairs != 6062 || worst >= 1.15e-4 || worst == 0 {
		t.Errorf("%d pairs differ by at most %v percent points, want 6062 and 1.1e-4", pairs, worst)
	}
}
