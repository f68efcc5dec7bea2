package projector_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// Real months of a fund in pesos and of one in dollars, with weekends and holidays.
var realMonths = []string{
	"../testdata/real/cartola/month_10772_202508.txt", "../testdata/real/cartola/month_10151_202512.txt",
}

func TestFlowsOfBusinessDaysEqualTheIndependentComputation(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	for i, path := range realMonths {
		if report := m.Ingest(t, model.Cartola, path, demotest.Clock); report.Rejected != 0 {
			t.Fatalf("rejected: %+v", report.FirstRejects)
		}
		batch := m.Build(t)
		market, err := oracle.Load(realMonths[:i+1]...)
		if err != nil {
			t.Fatal(err)
		}
		compareFlows(t, m, market, batch)
	}
}

// compareFlows compares the flow of each row, and for how many series flows are known on each day, with the oracle.
func compareFlows(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch)}))
	var rows []struct {
		Run    uint32     `ch:"run"`
		Serie  string     `ch:"serie"`
		Date   time.Time  `ch:"date"`
		Flow   *float64   `ch:"business_flow"`
		Until  *time.Time `ch:"business_until"`
		Reason string     `ch:"flow_reason"`
	}
	if err := m.Conn.Select(ctx, &rows, `
		SELECT run, serie, date, business_flow, business_until, toString(market.flow_reason) AS flow_reason
		FROM batch_market_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS market
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = market.series_id
		ORDER BY date`); err != nil {
		t.Fatal(err)
	}
	last := rows[len(rows)-1].Date
	reasons, known := map[string]int{}, map[string]uint32{}
	for _, row := range rows {
		want := market.Flow(int(row.Run), row.Serie, row.Date, last)
		if (row.Flow == nil) != (want.Value == nil) ||
			row.Flow != nil && abs(*row.Flow-*want.Value) > 1e-6*max(1, abs(*want.Value)) ||
			day(row.Until) != want.Until || row.Reason != want.Reason {
			t.Errorf("%d %s on %s: %v until %s %q, want %v until %s %q", row.Run, row.Serie, day(&row.Date),
				show(row.Flow), day(row.Until), row.Reason, show(want.Value), want.Until, want.Reason)
		}
		reasons[row.Reason]++
		if market.FlowKnownOn(int(row.Run), row.Serie, row.Date).Value != nil {
			known[day(&row.Date)]++
		}
	}
	if reasons[""] < 30 || reasons["not_a_business_day"] < 10 {
		t.Errorf("flows by reason: %v", reasons)
	}
	var days []struct {
		Date  time.Time `ch:"date"`
		Daily uint32    `ch:"daily_known"`
	}
	if err := m.Conn.Select(ctx, &days,
		"SELECT date, daily_known FROM batch_flow_day(batch = {batch:UInt64})"); err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		if d.Daily != known[day(&d.Date)] {
			t.Errorf("on %s the flows of %d series are known, want %d", day(&d.Date), d.Daily, known[day(&d.Date)])
		}
	}
}

func TestAMonthThatIsNotOverHasOneCutoffForEquityAndFlows(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	var rows []cartolaDay
	for _, serie := range []string{"A", "B", "C"} {
		for at := date(t, "2025-06-25"); !at.After(date(t, "2025-07-25")); at = at.AddDate(0, 0, 1) {
			if serie == "A" || !at.After(date(t, "2025-07-20")) { // two of three series end on the cutoff
				rows = append(rows, cartolaDay{run: 60009, serie: serie, day: at, quota: 10, equity: 1000, units: 100,
					contributed: 2})
			}
		}
	}
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	m.Build(t)
	p := asPeople(t, m)
	if got := column(t, p, "SELECT toString((month, equity_date, flow_clp, flow_days)) FROM manager_monthly ORDER BY "+
		"month DESC LIMIT 1")[0]; got != "('2025-07-31','2025-07-20',1200,60)" {
		t.Errorf("the open month: %s", got)
	}
}

// A file of one fund that comes later can make every day of an old month incomplete.
func TestAMonthWithoutACompleteDayHasItsLastEquity(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	var rows []cartolaDay
	for _, serie := range []string{"A", "B", "C"} {
		for at := date(t, "2025-05-25"); !at.After(date(t, "2025-07-20")); at = at.AddDate(0, 0, 1) {
			if serie != "C" || at.Month() != time.June {
				rows = append(rows, cartolaDay{run: 60009, serie: serie, day: at, quota: 10, equity: 1000, units: 100,
					contributed: 2})
			}
		}
	}
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, cartolaOf(t, rows), demotest.Clock)
	m.Build(t)
	got := column(t, asPeople(t, m),
		"SELECT toString((month, equity_date, equity_clp, series, flow_clp)) FROM manager_monthly ORDER BY month")
	want := []string{"('2025-05-31','2025-05-31',3000,3,420)", "('2025-06-30','2025-06-30',2000,2,1200)",
		"('2025-07-31','2025-07-20',3000,3,1200)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("months:\n%s", diff)
	}
}

// On the Saturday one of 30 series has a contribution.
func TestASingleContributionOfAWeekendBeginsNoBusinessDay(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	var rows []cartolaDay
	for i := range 30 {
		for at := date(t, "2025-07-14"); !at.After(date(t, "2025-07-22")); at = at.AddDate(0, 0, 1) {
			row := cartolaDay{run: 60009, serie: fmt.Sprintf("S%d", i), day: at, quota: 10, equity: 1000, units: 100}
			if weekday := at.Weekday(); weekday != time.Saturday && weekday != time.Sunday ||
				i == 0 && weekday == time.Saturday {
				row.contributed = 2
			}
			rows = append(rows, row)
		}
	}
	path := cartolaOf(t, rows)
	m := demotest.New(t)
	m.Ingest(t, model.Cartola, path, demotest.Clock)
	batch := m.Build(t)
	market, err := oracle.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	compareFlows(t, m, market, batch)
	got := column(t, asPeople(t, m),
		"SELECT toString((flow, flow_until, count())) FROM daily WHERE date = '2025-07-18' GROUP BY flow, flow_until "+
			"ORDER BY flow")
	if diff := cmp.Diff([]string{"(20,'2025-07-20',29)", "(40,'2025-07-20',1)"}, got); diff != "" {
		t.Errorf("flows of Friday:\n%s", diff)
	}
}
