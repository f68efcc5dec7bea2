package projector_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
)

// compareCandidates compares the lists of candidate_day with the rows that stand on each day by the oracle.
// days are all days with a row, by the oracle. It counts what it compared.
func compareCandidates(t *testing.T, m *demotest.Market, market *oracle.Market,
	days map[time.Time]map[oracle.Series]oracle.MarketDay, batch uint64, seen map[string]int) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch)}))
	var registered []struct {
		ID    uint32 `ch:"id"`
		Run   uint32 `ch:"run"`
		Serie string `ch:"serie"`
	}
	if err := m.Conn.Select(ctx, &registered, "SELECT id, run, serie FROM registry WHERE kind = 'series'"); err != nil {
		t.Fatal(err)
	}
	series := map[uint32]oracle.Series{}
	for _, r := range registered {
		series[r.ID] = oracle.Series{Run: int(r.Run), Name: r.Serie}
	}
	var lists []struct {
		Date         time.Time   `ch:"date"`
		IDs          []uint32    `ch:"series_ids"`
		Void         []uint32    `ch:"void_ids"`
		Dollars      []uint32    `ch:"dollar_ids"`
		Unknown      []uint32    `ch:"unknown_ids"`
		Earlier      []uint32    `ch:"earlier_ids"`
		EarlierDates []time.Time `ch:"earlier_dates"`
	}
	if err := m.Conn.Select(ctx, &lists, statementOf(t, "candidate_lists")); err != nil {
		t.Fatal(err)
	}
	if len(lists) != len(days) {
		t.Errorf("%d days have lists, want %d", len(lists), len(days))
	}
	type standing struct {
		Day, Currency string
		Void          bool
	}
	for _, of := range lists {
		want := map[oracle.Series]standing{}
		for _, s := range market.Series() {
			if row, stands := market.Standing(s, of.Date); stands {
				want[s] = standing{day(&row.Day), days[row.Day.UTC()][s].Currency, row.Quota == 0}
			}
		}
		if days[of.Date.UTC()] == nil {
			t.Errorf("%s has lists, but no row", day(&of.Date))
		}
		got := map[oracle.Series]standing{}
		for _, id := range of.IDs {
			row := standing{day(&of.Date), "PESOS", slices.Contains(of.Void, id)}
			if slices.Contains(of.Dollars, id) {
				row.Currency = "DOLAR"
			}
			if slices.Contains(of.Unknown, id) {
				row.Currency = ""
			}
			if at := slices.Index(of.Earlier, id); at >= 0 {
				row.Day = day(&of.EarlierDates[at])
				seen["stands on a later day"]++
			}
			if row.Void {
				seen["void and stands"]++
			}
			got[series[id]] = row
			seen["stands in "+row.Currency]++
		}
		if slices.ContainsFunc(of.Dollars, func(id uint32) bool { return slices.Contains(of.Unknown, id) }) {
			t.Errorf("%s: a series is in dollars and in an unknown currency: %v, %v", day(&of.Date), of.Dollars,
				of.Unknown)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what stands on %s (-want +got):\n%s", day(&of.Date), diff)
		}
		for _, ids := range [][]uint32{of.IDs, of.Void, of.Dollars, of.Unknown, of.Earlier} {
			if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
				t.Errorf("%s: ids do not ascend: %v", day(&of.Date), ids)
			}
			if slices.ContainsFunc(ids, func(id uint32) bool { return !slices.Contains(of.IDs, id) }) {
				t.Errorf("%s: %v has a series that does not stand", day(&of.Date), ids)
			}
		}
	}
}
