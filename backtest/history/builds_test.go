package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cuota/backtest"
	"cuota/backtest/history"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

// The program groups rows by build and takes the groups of its batch. It must take the rows that the views of the
// batch have.
func TestABacktestReadsTheBuildsOfItsBatch(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	dir := inventedMarket(t)
	m := demotest.New(t)
	early := model.NewDate(2025, time.February, 20).Time()
	m.IngestMarket(t, dir, time.Time{}, early)
	first := m.Build(t)
	var signals []backtest.Signal
	for day := model.NewDate(2024, time.December, 15); day.Compare(model.NewDate(2025, time.January,
		31)) <= 0; day = day.AddDays(1) {
		signals = append(signals, backtest.Signal{Date: day, Day: day, Order: day})
	}
	candidatesOf := func(d *history.Source, values backtest.Values) (rows [][]backtest.Candidate) {
		universes, err := d.Candidates(t.Context(), signals, backtest.Sight{}, values)
		must(t, err)
		for _, u := range universes {
			rows = append(rows, u.Candidates())
		}
		return rows
	}
	alike := []gocmp.Option{cmpopts.EquateNaNs(), gocmp.Comparer(func(a, b model.Date) bool { return a == b })}
	// candidates returns the candidates with all values. It also checks that the lists of each day and the rows of the
	// market have the same candidates without equity.
	candidates := func(batch uint64) [][]backtest.Candidate {
		without := backtest.AllValues &^ backtest.EquityValues
		market := source(m, batch)
		must(t, market.ReadTheMarket(t.Context()))
		lists := candidatesOf(source(m, batch), without)
		rows := candidatesOf(market, without)
		if diff := gocmp.Diff(rows, lists, alike...); diff != "" {
			t.Errorf("batch %d: the lists of the days have other candidates than the market (-market +lists): %s",
				batch, diff)
		}
		return candidatesOf(source(m, batch), backtest.AllValues)
	}
	before := candidates(first)
	m.IngestMarket(t, dir, early, marketEnd.AddDays(100).Time())
	changed := m.Build(t) // the days that changed have two builds now
	if gocmp.Equal(before, candidates(changed), alike...) {
		t.Error("both batches have the same candidates, so another build would not be noticed")
	}
	second := m.Rebuild(t) // and now every day has another one
	if diff := gocmp.Diff(before, candidates(first), alike...); diff != "" {
		t.Errorf("after another batch, the first one has other candidates (-before +after): %s", diff)
	}
	if diff := gocmp.Diff(candidates(changed), candidates(second), alike...); diff != "" {
		t.Errorf("the batch that builds everything has other candidates (-before +everything): %s", diff)
	}
	listedBuildsHaveTheRowsOfTheViews(t, m, first)
	listedBuildsHaveTheRowsOfTheViews(t, m, second)
	// Days without lists are read from the market.
	without := backtest.RowValues
	want := candidatesOf(source(m, second), without)
	m.Change(t, "DELETE FROM candidate_day WHERE date > '2025-01-10'")
	if diff := gocmp.Diff(want, candidatesOf(source(m, second), without), alike...); diff != "" {
		t.Errorf("without the lists of some days, the candidates differ (-with +without): %s", diff)
	}
	// As if the second batch had failed before a third one.
	must(t, m.Conn.Exec(t.Context(), "INSERT INTO batch_failure (batch, failed_at, reason) VALUES ($1, now(), 'test')",
		second))
	listedBuildsHaveTheRowsOfTheViews(t, m, second+1)
	// Rows that were deleted after the windows of a day were read.
	reading := source(m, first)
	candidatesOf(reading, backtest.Values(1)) // a window
	m.Change(t, "DELETE FROM market_day WHERE date = '2025-01-10' AND series_id % 2 = 0")
	if _, err := reading.Candidates(t.Context(), signals, backtest.Sight{},
		backtest.Values(1)|backtest.EquityValues); err == nil ||
		!strings.Contains(err.Error(), "differ from those that were read before") {
		t.Errorf("half of the rows of a day are gone, and the error is %v", err)
	}
}

// listedBuildsHaveTheRowsOfTheViews compares the rows of the builds that backtest_builds lists with those of the
// views, day by day.
func listedBuildsHaveTheRowsOfTheViews(t *testing.T, m *demotest.Market, batch uint64) {
	t.Helper()
	var listed []struct {
		Date    time.Time `ch:"date"`
		Market  uint64    `ch:"market_build"`
		Returns uint64    `ch:"return_build"`
		Stored  uint64    `ch:"stored_builds"`
	}
	must(t, m.Conn.Select(t.Context(), &listed, sql.Query("backtest_builds"), sql.Arg("batch", batch)))
	type key struct {
		date  time.Time
		build uint64
	}
	type day struct {
		Date  time.Time `ch:"date"`
		Build uint64    `ch:"build"`
		Rows  uint64    `ch:"rows"`
		Sum   uint64    `ch:"sum"`
	}
	for table, build := range map[string]func(i int) uint64{
		"market_day":    func(i int) uint64 { return listed[i].Market },
		"candidate_day": func(i int) uint64 { return listed[i].Market },
		"return_day":    func(i int) uint64 { return listed[i].Returns },
	} {
		var stored, viewed []day
		must(t, m.Conn.Select(t.Context(), &stored,
			"SELECT date, build, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (build))))) AS sum FROM "+
				table+" GROUP BY date, build"))
		must(t, m.Conn.Select(t.Context(), &viewed,
			fmt.Sprintf("SELECT date, toUInt64(0) AS build, count() AS rows, sum(cityHash64(toString(tuple(*)))) AS "+
				"sum FROM batch_%s(batch = %d, from = '1971-01-01', to = '2149-06-06') GROUP BY date", table, batch)))
		of, want := map[key]day{}, map[time.Time]day{}
		for _, d := range stored {
			of[key{d.Date, d.Build}] = d
		}
		for _, d := range viewed {
			want[d.Date] = d
		}
		days := 0
		for i, l := range listed {
			if l.Stored < 1 || l.Stored > 3 {
				t.Errorf("%d builds of %s are stored, want one to three", l.Stored, l.Date.Format(time.DateOnly))
			}
			if build(i) == 0 {
				continue
			}
			days++
			got := of[key{l.Date, build(i)}]
			if viewed := want[l.Date]; got.Rows != viewed.Rows || got.Sum != viewed.Sum {
				t.Errorf("batch %d: build %d of %s has %d rows of %s with the sum %d, the view has %d with %d",
					batch, build(i), l.Date.Format(time.DateOnly), got.Rows, table, got.Sum, viewed.Rows, viewed.Sum)
			}
		}
		if days < 100 || days < len(want) {
			t.Errorf("batch %d: %d days of %s have a build, the view has %d", batch, days, table, len(want))
		}
	}
}
