package projector_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/sql"
)

// compareManagers compares batch_manager_day, the ranking and the evolution of managers with
// the oracle.
func compareManagers(t *testing.T, m *demotest.Market, market *oracle.Market, dolar oracle.Dolar, batch uint64) {
	t.Helper()
	ctx := func(parameters ...string) context.Context {
		values := clickhouse.Parameters{"batch": fmt.Sprint(batch)}
		for i := 0; i < len(parameters); i += 2 {
			values[parameters[i]] = parameters[i+1]
		}
		return clickhouse.Context(context.Background(), clickhouse.WithParameters(values))
	}
	var named []struct {
		ID   uint32 `ch:"manager_id"`
		RUT  uint32 `ch:"rut"`
		Name string `ch:"name"`
	}
	if err := m.Conn.Select(ctx(), &named, `
		SELECT manager_id, registered.run AS rut, name FROM (SELECT * FROM manager WHERE batch = {batch:UInt64}) AS managers
		INNER JOIN (SELECT id, run FROM registry WHERE kind = 'manager') AS registered ON registered.id = managers.manager_id`); err != nil {
		t.Fatal(err)
	}
	names, ids, ruts := map[int]string{}, []string{}, map[uint32]int{}
	for _, n := range named {
		names[int(n.RUT)], ruts[n.ID] = n.Name, int(n.RUT)
		ids = append(ids, fmt.Sprint(n.ID))
	}

	rated, unconverted, days := 0, 0, 0
	for on := date(t, firstQuoted); !on.After(date(t, lastQuoted)); on = on.AddDate(0, 0, 1) {
		days++
		for _, metric := range []string{"patrimony", "shareholders"} {
			if metric == "shareholders" && on.Weekday() != time.Monday {
				continue
			}
			var got []oracle.ManagerDay
			for _, r := range ranking(t, m, batch, on, metric) {
				got = append(got, oracle.ManagerDay{Manager: ruts[r.ID], Patrimony: r.Patrimony,
					Shareholders: int(r.Shareholders), Funds: int(r.Funds), Rank: int(r.Rank),
					Unconverted: int(r.Unconverted)})
				rated++
				unconverted += int(r.Unconverted)
			}
			if diff := cmp.Diff(market.RankManagers(on, dolar, metric == "shareholders", names), got,
				cmp.Comparer(near12)); diff != "" {
				t.Errorf("by %s on %s (-want +got):\n%s", metric, day(&on), diff)
			}
		}
	}
	if days != 79 || rated != (79+11)*3 || unconverted < 79 {
		t.Errorf("%d days, %d ranks, %d series without a rate", days, rated, unconverted)
	}

	var months []struct {
		Month       string   `ch:"month"`
		Name        string   `ch:"name"`
		Value       *float64 `ch:"value"`
		Unconverted uint64   `ch:"unconverted_series"`
	}
	if err := m.Conn.Select(ctx("managers", "["+strings.Join(ids, ",")+"]", "all_managers", "false", "metric",
		"patrimony", "from", firstQuoted, "to", lastQuoted), &months, sql.Query("agf_evolution")); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range months {
		got[row.Month+" "+row.Name] = fmt.Sprintf("%.3f %d", *row.Value, row.Unconverted)
	}
	want := map[string]string{}
	for _, on := range market.LastCompleteDays(dolar) {
		for rut, of := range market.Managers(on, dolar) {
			want[on.Format("2006-01")+" "+names[rut]] = fmt.Sprintf("%.3f %d", *of.Patrimony, of.Unconverted)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 6 { // two months with a complete day
		t.Errorf("evolution of %d months and managers (-want +got):\n%s", len(want), diff)
	}
}

// rankedManager is a row of the ranking of managers.
type rankedManager struct {
	Metric       string   `ch:"metric"`
	ID           uint32   `ch:"manager_id"`
	Name         string   `ch:"name"`
	Patrimony    *float64 `ch:"total_patrimony"`
	Shareholders uint64   `ch:"total_shareholders"`
	Funds        uint64   `ch:"fund_count"`
	Rank         uint64   `ch:"rank"`
	Unconverted  uint64   `ch:"unconverted_series"`
}

// ranking reads the ranking of managers on a day by a metric, from the build and with the dólar that the batch
// has for the day.
func ranking(t *testing.T, m *demotest.Market, batch uint64, on time.Time, metric string) (rows []rankedManager) {
	t.Helper()
	var build uint64
	var dolar string
	stored := m.Conn.QueryRow(clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "date": on.Format(time.DateOnly)})),
		"SELECT market_build, if(dolar = '', '\\\\N', dolar) FROM ("+sql.Query("days_of_batch")+
			") WHERE date = {date:Date}")
	if err := stored.Scan(&build, &dolar); err != nil {
		t.Fatalf("the day %s of batch %d: %v", on.Format(time.DateOnly), batch, err)
	}
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(clickhouse.Parameters{
		"batch": fmt.Sprint(batch), "date": on.Format(time.DateOnly), "metrics": "['" + metric + "']",
		"build": fmt.Sprint(build), "dolar": dolar}))
	if err := m.Conn.Select(ctx, &rows, sql.Query("agf_ranking")); err != nil {
		t.Fatal(err)
	}
	return rows
}

// compareRankings compares the ranking of managers on some days with the independent
// computation, except for their order.
func compareRankings(t *testing.T, m *demotest.Market, market *oracle.Market, dolar oracle.Dolar, batch uint64,
	days []time.Time) (unconverted int) {
	t.Helper()
	for _, on := range days {
		want, got := map[string]oracle.ManagerDay{}, map[string]oracle.ManagerDay{}
		for rut, of := range market.Managers(on, dolar) {
			of.Manager = 0
			want[fmt.Sprint(oracle.ID(oracle.ManagerKey(rut)))] = of
		}
		for _, r := range ranking(t, m, batch, on, "patrimony") {
			got[fmt.Sprint(r.ID)] = oracle.ManagerDay{Patrimony: r.Patrimony, Shareholders: int(r.Shareholders),
				Funds: int(r.Funds), Unconverted: int(r.Unconverted)}
			unconverted += int(r.Unconverted)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(near12)); diff != "" {
			t.Errorf("managers on %s (-want +got):\n%s", day(&on), diff)
		}
	}
	return unconverted
}
