package cookbook_test

import (
	"fmt"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// mostRead is how many rows ClickHouse may read for each row that an answer is made of.
const mostRead = 100

// readsBySeries asks for all that the tables have of the series with the longest history, and counts the rows that
// ClickHouse reads.
func readsBySeries(t *testing.T, people database) {
	id := people.ask(t, "SELECT series_id FROM daily GROUP BY series_id ORDER BY count() DESC, series_id LIMIT 1").rows[0][0]
	days, _ := people.read(t, "SELECT date FROM cartola_daily WHERE series_id = "+id)
	if days < 1800 {
		t.Fatalf("the series has only %d days: this proves nothing", days)
	}
	for _, c := range []struct {
		from string
		made func(rows uint64) uint64 // of how many stored rows an answer is made
	}{
		{"daily WHERE series_id = " + id, func(rows uint64) uint64 { return rows }},
		{"returns_daily WHERE series_id = " + id, func(rows uint64) uint64 { return rows }},
		// eight windows are one row
		{"returns_daily_long WHERE series_id = " + id, func(rows uint64) uint64 { return rows / 8 }},
		// A month is made of its quotes, costs, risk, returns and the build of their day, and of five rates: the
		// dollar of the month end, and dollar and UF of both ends of the return.
		{"monthly WHERE series_id = " + id, func(rows uint64) uint64 { return 10 * rows }},
		// A window needs each day's quote and factors.
		{"total_returns_of(series = [" + id + "], as_of = '2025-06-30', valuation = 'accounting')",
			func(uint64) uint64 {
				return days
			}},
		{"total_returns_of(series = [" + id + "], as_of = '2025-06-30', valuation = 'real_uf')", func(uint64) uint64 {
			return days
		}},
	} {
		rows, read := people.read(t, "SELECT * FROM "+c.from)
		t.Logf("%s: %d rows, %d read", c.from, rows, read)
		if rows == 0 || read > mostRead*c.made(rows) {
			t.Errorf("%s reads %d rows for an answer of %d rows that is made of %d", c.from, read, rows, c.made(rows))
		}
	}
}

// totalsOfSome compares the total returns of some series with those of all.
func totalsOfSome(t *testing.T, people database) {
	for _, valuation := range []string{"accounting", "clp", "real_uf"} {
		const arguments = "as_of = '2025-06-27', valuation = "
		const order = " ORDER BY series_id, window"
		some := "(SELECT series_id FROM screener ORDER BY cityHash64(series_id) LIMIT 20)"
		ids := people.ask(t, "SELECT toString(groupArray(series_id)) FROM "+some).rows[0][0]
		want := people.ask(t, fmt.Sprintf("SELECT * FROM total_returns(%s'%s') WHERE series_id IN %s%s", arguments,
			valuation, ids, order))
		got := people.ask(t, fmt.Sprintf("SELECT * FROM total_returns_of(series = %s, %s'%s')%s", ids, arguments,
			valuation, order))
		if len(want.rows) != 20*8 || got.tsv() != want.tsv() {
			t.Errorf("%s: of some series\n%s\nand among all\n%s", valuation, got.tsv(), want.tsv())
		}
	}
	_, err := people.conn.Query(t.Context(),
		"SELECT * FROM total_returns_of(series = [1], as_of = '2025-06-27', valuation = 'uf')")
	if err == nil {
		t.Error("a valuation that does not exist is answered")
	}
}

// read counts the rows of an answer, and the rows that ClickHouse reads for it.
func (d database) read(t *testing.T, query string) (rows, read uint64) {
	t.Helper()
	ctx := clickhouse.Context(t.Context(), clickhouse.WithProgress(func(p *clickhouse.Progress) { read += p.Rows }))
	found, err := d.conn.Query(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		rows++
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return rows, read
}
