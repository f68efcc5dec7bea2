package backtest_test

import (
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cuota/backtest"
	"cuota/internal/testkit/demotest"
	"cuota/model"
	"cuota/sql"
)

// Statements of backtests group rows by build, and the builds that count are chosen afterwards. The views choose them row by row.
func TestABacktestReadsTheBuildsOfItsBatch(t *testing.T) {
	t.Parallel()
	dir := inventedMarket(t)
	m := demotest.New(t)
	early := model.NewDate(2025, time.February, 20).Time()
	m.IngestMarket(t, dir, time.Time{}, early)
	first := m.Build(t)
	signals := []backtest.Signal{{Day: model.NewDate(2024, time.September, 30)}, {Day: model.NewDate(2024, time.December, 15)}}
	for i := range signals {
		signals[i].Date, signals[i].Order = signals[i].Day, signals[i].Day
	}
	candidates := func(batch uint64) (rows [][]backtest.Row) {
		universes, err := source(m, batch).Candidates(t.Context(), signals, false, backtest.AllValues)
		must(t, err)
		for _, u := range universes {
			rows = append(rows, u.Rows())
		}
		return rows
	}
	before := candidates(first)
	m.IngestMarket(t, dir, early, marketEnd.AddDays(100).Time())
	second := m.Build(t)
	diff := gocmp.Diff(before, candidates(first), cmpopts.EquateNaNs(), gocmp.Comparer(func(a, b model.Date) bool { return a == b }))
	if diff != "" {
		t.Errorf("after another batch, the first one has other candidates (-before +after): %s", diff)
	}
	if rebuilt := sameBuilds(t, m, first) + sameBuilds(t, m, second); rebuilt == 0 {
		t.Error("no day was built twice, so nothing was put to the test")
	}
	// As if the first batch had not been published.
	must(t, m.Conn.Exec(t.Context(), "INSERT INTO batch_failure (batch, failed_at, reason) VALUES ($1, now(), 'test')", first))
	sameBuilds(t, m, second)
}

// sameBuilds checks that the builds of a batch have the rows that the views of the batch have, and gives the number of days that were
// built more than once.
func sameBuilds(t *testing.T, m *demotest.Market, batch uint64) (rebuilt int) {
	t.Helper()
	var built []struct {
		Date    time.Time `ch:"date"`
		Market  uint64    `ch:"market_build"`
		Windows uint64    `ch:"return_build"`
	}
	must(t, m.Conn.Select(t.Context(), &built, sql.Query("backtest_builds"), sql.Arg("batch", batch)))
	type day struct {
		Date  time.Time `ch:"date"`
		Build uint64    `ch:"build"`
		Rows  uint64    `ch:"rows"`
		Sum   uint64    `ch:"sum"`
	}
	for table, build := range map[string]func(i int) uint64{
		"market_day": func(i int) uint64 { return built[i].Market },
		"return_day": func(i int) uint64 { return built[i].Windows },
	} {
		var stored, viewed []day
		must(t, m.Conn.Select(t.Context(), &stored, "SELECT date, build, count() AS rows, sum(cityHash64(toString(tuple(COLUMNS('^[^b]|^b[^u]'))))) AS sum FROM "+table+" GROUP BY date, build"))
		must(t, m.Conn.Select(t.Context(), &viewed, fmt.Sprintf("SELECT date, toUInt64(0) AS build, count() AS rows, sum(cityHash64(toString(tuple(*)))) AS sum FROM batch_%s(batch = %d, from = '1971-01-01', to = '2149-06-06') GROUP BY date", table, batch)))
		type key struct {
			date  time.Time
			build uint64
		}
		of := map[key]day{}
		for _, d := range stored {
			if _, twice := of[key{d.Date, 0}]; twice {
				rebuilt++
			}
			of[key{d.Date, d.Build}], of[key{d.Date, 0}] = d, d
		}
		want := map[time.Time]day{}
		for _, d := range viewed {
			want[d.Date] = d
		}
		days := 0
		for i, b := range built {
			if build(i) == 0 {
				continue
			}
			days++
			got := of[key{b.Date, build(i)}]
			if viewed := want[b.Date]; got.Rows != viewed.Rows || got.Sum != viewed.Sum {
				t.Errorf("batch %d: build %d of %s has %d rows of %s with the sum %d, the view has %d with %d",
					batch, build(i), b.Date.Format(time.DateOnly), got.Rows, table, got.Sum, viewed.Rows, viewed.Sum)
			}
		}
		if days < 100 || days < len(want) {
			t.Errorf("batch %d: %d days of %s have a build, the view has %d", batch, days, table, len(want))
		}
	}
	return rebuilt
}
