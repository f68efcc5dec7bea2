package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// changedManagers is what a page gets of managers over a period.
type changedManagers struct {
	Date  string
	Start *string
	Data  []struct {
		Name         string
		Equity       *float64
		StartEquity  *float64 `json:"start_equity"`
		Change       *float64
		Relative     *float64
		ChangeReason *string `json:"change_reason"`
		Flow         *float64
		FlowReason   *string `json:"flow_reason"`
		FlowCoverage struct {
			Series      int
			Of          int      `json:"of_series"`
			EquityShare *float64 `json:"equity_share"`
		} `json:"flow_coverage"`
	}
}

// movedRow is a row of a series as its file states it.
type movedRow struct {
	Series     uint32    `ch:"series_id"`
	Date       time.Time `ch:"date"`
	Currency   string    `ch:"currency"`
	Manager    uint32    `ch:"manager_rut"`
	Quota      *float64  `ch:"quota"`
	Equity     *float64  `ch:"equity"`
	Contribute *float64  `ch:"contributed"`
	Redeem     *float64  `ch:"redeemed"`
}

// movedMarket has the rows of a market by series, and what else the changes of managers depend on.
type movedMarket struct {
	rows     map[uint32][]movedRow
	runs     map[uint32]string
	started  map[string]*time.Time
	ended    map[string]*time.Time
	dolar    map[string]float64
	complete map[string]bool
	names    map[uint32]string
}

func readMovedMarket(t *testing.T, r *rig) movedMarket {
	t.Helper()
	m := movedMarket{map[uint32][]movedRow{}, map[uint32]string{}, map[string]*time.Time{}, map[string]*time.Time{},
		map[string]float64{}, map[string]bool{}, map[uint32]string{}}
	var rows []movedRow
	must(t, r.conn.Select(t.Context(), &rows, `SELECT series_id, date, toString(currency) AS currency, manager_rut,
		toFloat64(quota) AS quota, toFloat64(equity) AS equity, toFloat64(units_contributed) AS contributed,
		toFloat64(units_redeemed) AS redeemed FROM current_series_day ORDER BY series_id, date`))
	for _, row := range rows {
		m.rows[row.Series] = append(m.rows[row.Series], row)
	}
	var series []struct {
		ID      uint32     `ch:"series_id"`
		RUN     string     `ch:"run"`
		Started *time.Time `ch:"started"`
		Ended   *time.Time `ch:"ended"`
	}
	must(t, r.conn.Select(t.Context(), &series, `SELECT series_id, run, started, ended FROM current_series
		INNER JOIN current_fund USING (fund_id)`))
	for _, of := range series {
		m.runs[of.ID], m.started[of.RUN], m.ended[of.RUN] = of.RUN, of.Started, of.Ended
	}
	var days []struct {
		Date     time.Time `ch:"date"`
		Value    float64   `ch:"value"`
		Complete bool      `ch:"complete"`
	}
	must(t, r.conn.Select(t.Context(), &days, `SELECT date, toFloat64(value) AS value, false AS complete
		FROM batch_dolar(batch = (SELECT max(batch) FROM batch))
		UNION ALL SELECT date, 0, complete FROM current_market_completeness`))
	for _, day := range days {
		if day.Value > 0 {
			m.dolar[day.Date.Format(time.DateOnly)] = day.Value
		}
		if day.Complete {
			m.complete[day.Date.Format(time.DateOnly)] = true
		}
	}
	var managers []struct {
		RUT  string `ch:"rut"`
		Name string `ch:"name"`
	}
	must(t, r.conn.Select(t.Context(), &managers, `SELECT assumeNotNull(rut) AS rut, name
		FROM current_manager WHERE rut IS NOT NULL`))
	for _, of := range managers {
		rut, err := model.ParseRUT(of.RUT)
		must(t, err)
		m.names[uint32(rut)] = of.Name
	}
	return m
}

// standing returns the row that counts for a series on a day, and nil if there is none with a quota.
func (m movedMarket) standing(series uint32, on time.Time) (found *movedRow) {
	for i, row := range m.rows[series] {
		if !row.Date.After(on) {
			found = &m.rows[series][i]
		}
	}
	if found == nil || on.Sub(found.Date) > 7*24*time.Hour || found.Quota == nil {
		return nil
	}
	if ended := m.ended[m.runs[series]]; ended != nil && !ended.After(on) && found.Date.Before(on) {
		return nil
	}
	return found
}

// pesos converts an amount at the dólar of a day.
func (m movedMarket) pesos(currency string, amount *float64, on time.Time) (float64, bool) {
	rate, known := 1.0, currency == "PESOS"
	if currency == "DOLAR" {
		rate, known = m.dolar[on.Format(time.DateOnly)]
	}
	if amount == nil || !known {
		return 0, false
	}
	return *amount * rate, true
}

// managerSums is what a manager comes to, computed from rows.
type managerSums struct {
	now, then, flow, weight, known, without float64
	isNow, was                              bool
	series, of                              int
}

func (m movedMarket) sums(day time.Time, start *time.Time) map[string]*managerSums {
	all := map[string]*managerSums{}
	of := func(rut uint32) *managerSums {
		if all[m.names[rut]] == nil {
			all[m.names[rut]] = &managerSums{}
		}
		return all[m.names[rut]]
	}
	fundWas := map[string]bool{}
	for series := range m.rows {
		if start != nil && m.standing(series, *start) != nil {
			fundWas[m.runs[series]] = true
		}
	}
	for series, rows := range m.rows {
		var then *movedRow
		now := m.standing(series, day)
		weight, manager, inPeriod := 0.0, uint32(0), []movedRow{}
		if start != nil {
			then = m.standing(series, *start)
			for _, row := range rows {
				if row.Date.After(*start) && !row.Date.After(day) {
					inPeriod = append(inPeriod, row)
				}
			}
		}
		if then != nil {
			worth, _ := m.pesos(then.Currency, then.Equity, *start)
			of(then.Manager).then += worth
			of(then.Manager).was = true
			weight, manager = worth, then.Manager
		}
		for _, row := range inPeriod {
			if row.Quota != nil {
				manager = row.Manager
			}
		}
		if now != nil {
			worth, _ := m.pesos(now.Currency, now.Equity, day)
			of(now.Manager).now += worth
			of(now.Manager).isNow = true
			weight, manager = weight+worth, now.Manager
			if started := m.started[m.runs[series]]; start != nil && !fundWas[m.runs[series]] &&
				(started == nil || !started.After(*start)) {
				of(now.Manager).without += worth
			}
		}
		if manager == 0 || start == nil {
			continue
		}
		flow, known := 0.0, true
		for i, row := range inPeriod {
			var net *float64
			if row.Quota != nil && row.Contribute != nil && row.Redeem != nil {
				net = new((*row.Contribute - *row.Redeem) * *row.Quota)
			}
			worth, is := m.pesos(row.Currency, net, row.Date)
			flow, known = flow+worth, known && is
			before := *start
			if i > 0 {
				before = inPeriod[i-1].Date
			}
			if i == 0 && then == nil {
				known = known && row.Equity != nil && math.Abs(*net-*row.Equity) <= 0.01**row.Equity
			} else if row.Date.Sub(before) != 24*time.Hour {
				known = false
			}
		}
		switch last := len(inPeriod) - 1; {
		case last < 0:
			known = then.Equity != nil && *then.Equity == 0
		case !inPeriod[last].Date.Equal(day):
			known = known && inPeriod[last].Equity != nil && *inPeriod[last].Equity == 0
		}
		sum := of(manager)
		sum.of++
		sum.weight += weight
		if known {
			sum.series++
			sum.flow += flow
			sum.known += weight
		}
	}
	return all
}

// The changes are compared with those that follow from the rows of each series, at the cutoff and on past days.
func TestChangesOfManagersFollowFromTheRowsOfTheirSeries(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, publishedInvention(t))
	m := readMovedMarket(t, plain)
	random, end := rand.New(rand.NewPCG(8, 37)), model.NewDate(2025, time.July, 20)
	near := func(got *float64, want float64) bool { // flows in dollars are rounded to four decimals each day
		return got != nil && math.Abs(*got-want) <= 1e-9*math.Abs(want)+100
	}
	changes, flows, reasons := 0, 0, map[string]int{}
	for i := range longtest.Times(18) {
		period := []string{"month", "year", "12m"}[i%3]
		asked := url.Values{"period": {period}}
		if i > 2 {
			asked.Set("date", end.AddDays(-1-random.IntN([]int{380, 190, 60}[i%3])).String())
		}
		samePart(t, memory, plain, "/pages/managers", asked)
		got := askPage[changedManagers](t, plain, "/pages/managers", asked)
		day, err := time.Parse(time.DateOnly, got.Date)
		must(t, err)
		target := time.Date(day.Year()-1, day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
		switch period {
		case "month":
			target = time.Date(day.Year(), day.Month()-1, day.Day(), 0, 0, 0, 0, time.UTC)
			if target.Month() == day.Month() { // the month before has no such day
				target = time.Date(day.Year(), day.Month(), 0, 0, 0, 0, 0, time.UTC)
			}
		case "year":
			target = time.Date(day.Year()-1, 12, 31, 0, 0, 0, 0, time.UTC)
		}
		var start *time.Time
		for ago := range 8 {
			if on := target.AddDate(0, 0, -ago); start == nil && m.complete[on.Format(time.DateOnly)] {
				start = &on
			}
		}
		if (start == nil) != (got.Start == nil) || start != nil && start.Format(time.DateOnly) != *got.Start {
			t.Fatalf("%s until %s begins on %v, want %v", period, got.Date, got.Start, start)
		}
		want := m.sums(day, start)
		for name, of := range want {
			if !of.isNow && !of.was {
				delete(want, name)
			}
		}
		if len(got.Data) != len(want) {
			t.Fatalf("%s until %s: %d managers, want %d", period, got.Date, len(got.Data), len(want))
		}
		for _, of := range got.Data {
			sum := want[of.Name]
			if sum == nil {
				t.Fatalf("%s is no manager of %s", of.Name, got.Date)
			}
			reason, noFlow := "", ""
			switch {
			case start == nil:
				reason = "no_start_day"
			case !sum.isNow:
				reason = "no_equity_now"
			case !sum.was:
				reason = "no_equity_at_start"
			case sum.without > 0.02*sum.now:
				reason = "incomplete_start"
			}
			switch {
			case start == nil:
				noFlow = "no_start_day"
			case day.Sub(*start) < 28*24*time.Hour:
				noFlow = "shorter_than_a_month"
			case sum.series == 0 || sum.weight > 0 && sum.known < 0.98*sum.weight:
				noFlow = "incomplete_flows"
			}
			about := fmt.Sprintf("%s, %s until %s: %+v, want %+v", of.Name, period, got.Date, of, *sum)
			if of.Equity == nil != !sum.isNow || sum.isNow && !near(of.Equity, sum.now) {
				t.Errorf("the equity of %s", about)
			}
			switch {
			case reason != "":
				reasons[reason]++
				if of.Change != nil || of.Relative != nil || of.ChangeReason == nil || *of.ChangeReason != reason {
					t.Errorf("want the reason %s of %s", reason, about)
				}
			case of.ChangeReason != nil || !near(of.Change, sum.now-sum.then) ||
				math.Abs(*of.Relative-(sum.now/sum.then-1)) > 1e-9:
				t.Errorf("the change of %s", about)
			default:
				changes++
			}
			switch {
			case noFlow != "":
				reasons[noFlow]++
				if of.Flow != nil || of.FlowReason == nil || *of.FlowReason != noFlow {
					t.Errorf("want the reason %s of the flow of %s", noFlow, about)
				}
			case of.FlowReason != nil || !near(of.Flow, sum.flow):
				t.Errorf("the flow of %s", about)
			default:
				flows++
			}
			if start != nil && (of.FlowCoverage.Series != sum.series || of.FlowCoverage.Of != sum.of) {
				t.Errorf("the coverage of %s", about)
			}
		}
	}
	t.Logf("%d changes, %d flows, %v", changes, flows, reasons)
	if changes < 10 || flows < 5 || reasons["incomplete_flows"] == 0 {
		t.Errorf("too little was compared: %d changes, %d flows, %v", changes, flows, reasons)
	}
}
