package projector_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// statementOf reads a statement of a rule that only tests run.
func statementOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compareStoredSummaries compares what a batch stores of the market summary of every day with the views and
// statements that state the rules, which compute it from the daily market. Rows must be equal to the last digit.
func compareStoredSummaries(t *testing.T, m *demotest.Market, batch uint64) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "from": "1980-01-01", "to": "2100-01-01",
	}))
	const days = "SELECT date FROM batch_market_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})"
	movers := func(currentOnly, place string) [2]string {
		computed := strings.ReplaceAll(statementOf(t, "summary_movers"), "{current_only:Bool}", currentOnly)
		return [2]string{
			"SELECT date, list, " + place +
				" AS place, series_id, fund_id, category, family_rar, currency, price, daily_change, monthly_change, " +
				"equity FROM summary_mover WHERE batch = {batch:UInt64} AND place > 0",
			"SELECT date, list, row_number() OVER (PARTITION BY date, list ORDER BY abs(if(endsWith(list, '_daily'), " +
				"daily_change, monthly_change)) DESC, series_id), series_id, fund_id, category, family_rar, " +
				"currency, price, daily_change, monthly_change, equity FROM (" + computed + ")",
		}
	}
	// Without a complete day there is no cutoff, and no summary.
	summarised := count(t, m, "SELECT count() FROM batch WHERE batch = $1 AND as_of_date IS NOT NULL", batch) > 0
	for what, pair := range map[string][2]string{
		"families": {
			"SELECT date, family_rar, currency, family_display, previous_date, daily_return, daily_series, " +
				"daily_share, monthly_return, monthly_series, monthly_share, equity, series, funds FROM summary_family WHERE batch = {batch:UInt64} AND shown",
			`SELECT date, family_rar, currency, family_display, previous_date, daily_return, length(eligible), cuota_equity_share(eligible, equity),
				monthly_return, length(monthly), cuota_equity_share(monthly, equity), equity, series, length(runs)
			 FROM batch_family_summary(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = true) WHERE date IN (` + days + ")",
		},
		"coverage": {
			`SELECT date, sumIf(series, family_rar != ''), sumIf(series, family_rar = ''), sum(unconverted_series),
			        toFloat64(sumIf(equity_clp, family_rar != '')) / nullIf(toFloat64(sum(equity_clp)), 0), max(newest_previous), max(shown AND classified_later)
			 FROM summary_family WHERE batch = {batch:UInt64} GROUP BY date`,
			`SELECT date, classified, unclassified, unconverted, coverage, previous_date, classified_later
			 FROM (` + statementOf(t, "summary_classification") +
				") WHERE classified + unclassified > 0 AND date IN (" + days + ")",
		},
		"flows": {
			"SELECT date, series, daily_known, monthly_known FROM batch_flow_day(batch = {batch:UInt64})",
			statementOf(t, "summary_flows"),
		},
		"rises and falls among living series": movers("true", "place"),
		"rises and falls among all series":    movers("false", "place_then"),
	} {
		var found struct {
			Rows      uint64 `ch:"all"`
			Different uint64 `ch:"different"`
		}
		query := "SELECT count() AS all, countIf(times != 2) AS different FROM (SELECT *, count() AS times FROM (" +
			pair[0] + " UNION ALL SELECT * FROM (" + pair[1] + ")) GROUP BY ALL) SETTINGS join_use_nulls = 0"
		if strings.Contains(what, "all series") {
			query = strings.Replace(query, "AND place > 0", "AND place_then > 0", 1)
		}
		if err := m.Conn.QueryRow(ctx, query).ScanStruct(&found); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		// of a small market no series may be among rises and falls
		if found.Different > 0 || found.Rows == 0 && what == "families" && summarised {
			t.Errorf("%s of batch %d: %d of %d rows are not in both", what, batch, found.Different, found.Rows)
		}
	}
}

// compareLaterRows compares the rows that are stored as stated later with those that the view returns for the whole
// history.
func compareLaterRows(t *testing.T, m *demotest.Market, batch uint64) {
	t.Helper()
	const stored, computed = "batch_later_row(batch = $1)",
		"batch_later_statement(batch = $1, from = '1971-01-01', to = '2149-06-06')"
	if n := count(t, m, "SELECT countIf(times != 2) FROM (SELECT *, count() AS times FROM (SELECT series_id, date, "+
		"loaded_later, statements FROM "+stored+
		" UNION ALL SELECT series_id, date, loaded_later, statements FROM "+computed+") GROUP BY ALL)", batch); n != 0 {
		t.Errorf("%d rows that were stated later are not both stored by batch %d and computed", n, batch)
	}
}

// A file that states two days covers those between. If it was published first and arrives later, what others state of
// these days was stated later.
func TestRowsBecomeLaterOnesOnDaysThatAnEarlierFileOnlyCovers(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := demotest.New(t)
	rows := func(quota float64, days ...string) (list []cartolaDay) {
		for _, day := range days {
			for _, serie := range []string{"A", "B"} {
				list = append(list, cartolaDay{run: 60020, serie: serie, day: date(t, day), quota: quota, equity: 1e9,
					units: 1})
			}
		}
		return list
	}
	published := demotest.Clock.AddDate(0, 0, -20)
	m.Ingest(t, model.Cartola, cartolaOf(t, rows(1000, "2026-07-01", "2026-07-02", "2026-07-03", "2026-07-04")),
		published)
	compareLaterRows(t, m, m.Build(t))
	m.Ingest(t, model.Cartola, cartolaOf(t, rows(1001, "2026-07-01", "2026-07-04")), published.AddDate(0, 0, -1))
	// An ingest that was interrupted stores rows twice, until ClickHouse merges them.
	for _, statement := range []string{"SYSTEM STOP MERGES fact_quota",
		"INSERT INTO fact_quota SELECT * FROM fact_quota"} {
		if err := m.Conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	two := m.Build(t)
	compareLaterRows(t, m, two)
	if n := count(t, m, "SELECT uniqExact(date) FROM batch_later_row(batch = $1)", two); n != 4 {
		t.Errorf("rows of %d days were stated later, want all 4", n)
	}
	if n := count(t, m, "SELECT countIf(length(statements) > 2) FROM batch_later_row(batch = $1)", two); n != 0 {
		t.Errorf("%d rows have more statements than files state them", n)
	}
}

// A series that is not alive at the cutoff any more changes the summary of its family on each day of its life, and the
// rises and falls of these days. Nothing else is computed again.
func TestSummariesOfASeriesThatClosesAreComputedAgain(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 30))
	const first, closed, last = "2024-04-01", "2024-05-20", "2024-06-20"
	families := map[member]string{}
	var series []member
	for i := range 12 {
		one := member{run: 60020 + i/3, serie: fmt.Sprintf("S%d", i), moneda: "$$",
			family: []string{equity, bonds, abroad}[i%3]}
		if i == 11 {
			one.run, one.moneda = 60030, "PROM"
		}
		series = append(series, one)
		families[one] = one.family
	}
	closes := series[4] // of the family bonds
	rows := func(from, to string, of func(member) bool) (list []cartolaDay) {
		for day := date(t, from); !day.After(date(t, to)); day = day.AddDate(0, 0, 1) {
			for i, one := range series {
				equity := float64(int64(i+2) * 100_000_000)
				if one.moneda == "PROM" {
					equity = 200_000
				}
				if of(one) {
					list = append(list, cartolaDay{run: one.run, serie: one.serie, day: day, moneda: one.moneda,
						quota: math.Round(1e7*(1+0.01*random.Float64())) / 1e4, equity: equity, units: 1})
				}
			}
		}
		return list
	}
	market := oracle.New()
	m := demotest.New(t)
	published := demotest.Clock.AddDate(0, 0, -20)
	m.Ingest(t, model.Dolar, rates{"2024-03-29": "950", "2024-04-15": "960", "2024-05-01": "955",
		"2024-06-14": "940"}.file(t, "dolar.csv"), published)
	m.Ingest(t, model.ReturnsComparator, comparator(t, "2024-04-20", families), published)
	classify(t, market, "2024-04-20", families)
	load(t, m, market, rows("2024-04-01", "2024-04-05", func(one member) bool { return one != closes }), published)
	load(t, m, market, rows("2024-04-06", closed, func(member) bool { return true }), published)
	one := m.Build(t)
	compareMarket(t, m, market, one)
	if n := count(t, m, "SELECT count() FROM summary_mover WHERE batch = $1", one); n < 200 {
		t.Fatalf("only %d rises and falls in 50 days: this proves too little", n)
	}

	// All days are stored twice now, by the batch in which the series lived and by that in which it has closed.
	load(t, m, market, rows("2024-05-21", last, func(one member) bool {
		return one != closes
	}), published.AddDate(0, 0, 1))
	m.IngestEnd(t, "2024-05-21", published.AddDate(0, 0, 1))
	market.End(0, "", date(t, "2024-05-21"))
	two := m.Build(t)
	compareMarket(t, m, market, two)
	compareStoredSummaries(t, m, one)
	if n := count(t, m, "SELECT countIf(series_id IN (SELECT series_id FROM screener WHERE batch = $1)) FROM "+
		"screener WHERE batch = $2", two, one); n != 11 {
		t.Fatalf("%d of 12 series are alive, want 11", n)
	}

	type due struct {
		Date   time.Time `ch:"date"`
		Whole  bool      `ch:"whole"`
		Family string    `ch:"family_rar"`
	}
	var computed []due
	if err := m.Conn.Select(context.Background(), &computed,
		fmt.Sprintf("SELECT date, whole, family_rar FROM summary_day_version WHERE batch = %d ORDER BY date",
			two)); err != nil {
		t.Fatal(err)
	}
	var want []due
	for day := date(t, "2024-04-06"); !day.After(date(t, last)); day = day.AddDate(0, 0, 1) {
		// Days from a week before the first new one on are built again. On the day before, a row of the series stands.
		if day.Before(date(t, "2024-05-14")) {
			want = append(want, due{day, false, bonds})
		} else {
			want = append(want, due{day, true, ""})
		}
	}
	computed = slices.DeleteFunc(computed, func(of due) bool {
		return !of.Whole && !of.Date.Before(date(t, "2024-05-14"))
	})
	if diff := cmp.Diff(want, computed); diff != "" {
		t.Errorf("what the second batch computed (-want +got):\n%s", diff)
	}

	// A dólar that is known later changes what is worth 100 million pesos.
	m.Ingest(t, model.Dolar, rates{"2024-05-02": "1"}.file(t, "dolar2.csv"), published.AddDate(0, 0, 2))
	three := m.Build(t)
	compareStoredSummaries(t, m, three)
	if n := count(t, m, "SELECT count() FROM summary_day_version WHERE batch = $1 AND whole", three); n != 8 {
		t.Errorf("%d days are computed again, want the 8 for which the rate counts", n)
	}
	inDollars := func(batch uint64) uint64 {
		return count(t, m, "SELECT count() FROM summary_mover WHERE batch = $1 AND currency = 'DOLAR' AND date = "+
			"'2024-05-04'", batch)
	}
	if inDollars(two) == 0 || inDollars(three) != 0 {
		t.Errorf("the series in dollars was %d times among rises and falls while it was worth 190 million pesos, and "+
			"is %d times at 200,000", inDollars(two), inDollars(three))
	}
}
