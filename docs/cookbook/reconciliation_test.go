package cookbook_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// tolerance is the difference up to which returns agree. The regulator rounds to 0.0001 percent
// points, which is 0.000001.
const tolerance = 0.00001

// reconciled holds each row of the view against its own values. On the synthetic market, where
// the regulator's returns are written from the same state as the quotas, nothing is unexplained.
func reconciled(t *testing.T, markets map[string]database) {
	for name, market := range markets {
		rows := market.ask(t, `SELECT toString(series_id) AS series, years, basis, official_return, price_return, difference, reinvested_difference,
			ifNull(cause, '') AS cause, ifNull(reason, '') AS reason, date, compared_date, effective_start, effective_end, distributions FROM funds.reconciliation ORDER BY series, date, years, basis`)
		official, ours := rows.numbers(t, "official_return"), rows.numbers(t, "price_return")
		difference, reinvested := rows.numbers(t, "difference"), rows.numbers(t, "reinvested_difference")
		cause, reason, paid := rows.column(t, "cause"), rows.column(t, "reason"), rows.column(t, "distributions")
		agreeing := 0
		for i := range rows.rows {
			compared := !math.IsNaN(official[i]) && !math.IsNaN(ours[i])
			if compared != !math.IsNaN(difference[i]) ||
				compared && math.Abs(ours[i]-official[i]-difference[i]) > 1e-15 {
				t.Errorf("%s: the difference of %v is not that of the returns", name, rows.rows[i])
			}
			if (reason[i] == "") != !math.IsNaN(ours[i]) {
				t.Errorf("%s: %v has a return and a reason, or neither", name, rows.rows[i])
			}
			if compared && math.Abs(difference[i]) <= tolerance {
				agreeing++
			}
			if ok := map[string]bool{
				"": compared && math.Abs(difference[i]) <= tolerance,
				"distributions": compared && math.Abs(difference[i]) > tolerance &&
					math.Abs(reinvested[i]) <= tolerance && paid[i] != "0",
				"different_date":       compared && math.Abs(difference[i]) > tolerance,
				"absent_there":         math.IsNaN(official[i]) && !math.IsNaN(ours[i]),
				"absent_on_both_sides": math.IsNaN(official[i]) && math.IsNaN(ours[i]),
				"missing_history":      !math.IsNaN(official[i]) && math.IsNaN(ours[i]),
				"invalid_quote": !math.IsNaN(official[i]) && strings.HasPrefix(reason[i], "invalid_") &&
					strings.HasSuffix(reason[i], "_quote"),
				"break": !math.IsNaN(official[i]) && math.IsNaN(ours[i]),
			}[cause[i]]; !ok {
				t.Errorf("%s: %v does not have the cause %q", name, rows.rows[i], cause[i])
			}
		}
		if name == "synthetic" && agreeing < 500 {
			t.Errorf("only %d rows agree", agreeing)
		}
		if rows := market.ask(t, "SELECT uniqExact(series_id) - (SELECT uniqExact(series_id) FROM "+
			"funds.official_returns), count() - 6 * uniqExact(series_id, date) FROM funds.reconciliation"); rows.rows[0][0] != "0" || rows.rows[0][1] != "0" {
			t.Errorf("%s: the view lacks series or rows: %v", name, rows.rows)
		}
	}
}

// reconciliationPage returns the generated part of docs/reconciliation.md.
func reconciliationPage(t *testing.T, markets map[string]database) string {
	var page strings.Builder
	for _, part := range []struct{ title, market, query string }{
		{"The synthetic market, by cause", "synthetic", `
			SELECT years, basis, ifNull(cause, '(agrees)') AS cause_of_difference, count() AS series, round(100 * max(abs(difference)), 4) AS largest_points
			FROM funds.reconciliation GROUP BY years, basis, cause_of_difference ORDER BY years, basis, series DESC, cause_of_difference`},
		{"The synthetic market, differences series by series", "synthetic", `
			SELECT run, serie, years, basis, round(100 * official_return, 4) AS official_percent, round(100 * price_return, 4) AS ours_percent,
				round(100 * difference, 4) AS difference_points, round(100 * reinvested_difference, 4) AS reinvested_difference_points, cause, distributions
			FROM funds.reconciliation INNER JOIN funds.series USING (series_id)
			WHERE cause IS NOT NULL AND difference IS NOT NULL ORDER BY run, serie, years, basis`},
		{"The synthetic market, values that one side lacks", "synthetic", `
			SELECT run, serie, years, basis, round(100 * official_return, 4) AS official_percent, round(100 * price_return, 4) AS ours_percent, cause, reason
			FROM funds.reconciliation INNER JOIN funds.series USING (series_id)
			WHERE cause != 'absent_on_both_sides' AND difference IS NULL ORDER BY run, serie, years, basis`},
		{"The demo market, by cause", "demo", `
			SELECT years, basis, ifNull(cause, '(agrees)') AS cause_of_difference, count() AS series, round(100 * max(abs(difference)), 2) AS largest_points
			FROM funds.reconciliation GROUP BY years, basis, cause_of_difference ORDER BY years, basis, series DESC, cause_of_difference`},
		{"The demo market, series by series", "demo", `
			SELECT run, serie, years, basis, round(100 * official_return, 4) AS official_percent, round(100 * price_return, 4) AS ours_percent,
				round(100 * difference, 4) AS difference_points, cause, date, compared_date, effective_start, effective_end
			FROM funds.reconciliation INNER JOIN funds.series USING (series_id)
			WHERE difference IS NOT NULL ORDER BY run, serie, years, basis`},
	} {
		rows := markets[part.market].ask(t, part.query)
		if len(rows.rows) == 0 {
			t.Errorf("%s: no rows", part.title)
		}
		fmt.Fprintf(&page, "\n## %s\n\n%s", part.title, rows.markdown(len(rows.rows)))
	}
	return page.String()
}
