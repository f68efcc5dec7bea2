package projector_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
)

// near12 reports whether two numbers differ by less than 1e-12 relative to their size, or are
// both unknown.
func near12(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return abs(*a-*b) <= 1e-12*max(1, abs(*b))
}

// compareMarket compares batch_market_day, candidate_day, batch_family_day and batch_family_index with the
// oracle, in every day and column. It counts what it compared.
func compareMarket(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64) (seen map[string]int) {
	t.Helper()
	ctx := clickhouse.Context(context.Background(),
		clickhouse.WithParameters(clickhouse.Parameters{"batch": fmt.Sprint(batch)}))
	seen = map[string]int{}

	var rows []struct {
		Run            uint32     `ch:"run"`
		Serie          string     `ch:"serie"`
		Date           time.Time  `ch:"date"`
		Currency       string     `ch:"currency"`
		Price          *float64   `ch:"price"`
		Previous       *time.Time `ch:"previous_date"`
		PreviousEquity *float64   `ch:"previous_equity"`
		Daily          *float64   `ch:"daily_change"`
		Month          *time.Time `ch:"month_date"`
		MonthEquity    *float64   `ch:"month_equity"`
		Monthly        *float64   `ch:"monthly_change"`
		Family         *string    `ch:"family_rar"`
		Category       *string    `ch:"category"`
		Later          bool       `ch:"classified_later"`
		DailyOutlier   string     `ch:"daily_outlier"`
		MonthlyOutlier string     `ch:"monthly_outlier"`
		Spike          bool       `ch:"spike"`
	}
	if err := m.Conn.Select(ctx, &rows, `
		SELECT run, serie, date, currency, toFloat64(price) AS price, previous_date, toFloat64(market.previous_equity) AS previous_equity, daily_change,
		       month_date, toFloat64(market.month_equity) AS month_equity, monthly_change, family_rar, category, classified_later, daily_outlier, monthly_outlier, spike
		FROM batch_market_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS market
		INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = market.series_id
		ORDER BY date`); err != nil {
		t.Fatal(err)
	}
	want := map[time.Time]map[oracle.Series]oracle.MarketDay{}
	all := map[time.Time]map[oracle.Series]oracle.MarketDay{}
	for _, row := range rows {
		if want[row.Date] == nil {
			want[row.Date] = market.Day(row.Date)
			all[row.Date] = maps.Clone(want[row.Date])
		}
		key := oracle.Series{Run: int(row.Run), Name: row.Serie}
		expected, found := want[row.Date][key]
		if !found {
			t.Errorf("%v on %s: a row without a quote", key, day(&row.Date))
			continue
		}
		delete(want[row.Date], key)
		got := oracle.MarketDay{
			Void: row.Price == nil, Currency: row.Currency, Previous: day(row.Previous),
			PreviousEquity: row.PreviousEquity, Daily: row.Daily,
			Month: day(row.Month), MonthEquity: row.MonthEquity, Monthly: row.Monthly, Family: text(row.Family),
			Category: text(row.Category), Later: row.Later,
			DailyOutlier: row.DailyOutlier, MonthlyOutlier: row.MonthlyOutlier, Spike: row.Spike,
		}
		if got.Currency == "EUR" {
			got.Currency = ""
		}
		if diff := cmp.Diff(expected, got, cmp.Comparer(near12)); diff != "" {
			t.Errorf("%v on %s (-want +got):\n%s", key, day(&row.Date), diff)
		}
		seen[got.DailyOutlier]++
		seen["monthly "+got.MonthlyOutlier]++
		for what, is := range map[string]bool{"spike": got.Spike, "void": got.Void, "later": got.Later,
			"no daily change": got.Daily == nil} {
			if is {
				seen[what]++
			}
		}
	}
	for on, left := range want {
		for key := range left {
			t.Errorf("%v on %s is missing", key, day(&on))
		}
	}
	if len(want) == 0 {
		t.Error("nothing was compared")
	}

	var families []struct {
		Date     time.Time  `ch:"date"`
		Family   string     `ch:"family_rar"`
		Currency string     `ch:"currency"`
		Previous *time.Time `ch:"previous_date"`
		Daily    *float64   `ch:"daily_return"`
		Eligible uint32     `ch:"eligible_series"`
		Share    *float64   `ch:"eligible_share"`
		Chained  *float64   `ch:"chained_return"`
		Unspiked uint32     `ch:"chained_series"`
		Chain    *float64   `ch:"chained_share"`
		Monthly  *float64   `ch:"monthly_return"`
		InMonth  uint32     `ch:"monthly_series"`
		Month    *float64   `ch:"monthly_share"`
		Equity   float64    `ch:"equity"`
		Series   uint32     `ch:"series"`
		Funds    uint32     `ch:"funds"`
	}
	if err := m.Conn.Select(ctx, &families, `
		SELECT date, family_rar, currency, previous_date, daily_return, eligible_series, eligible_share, chained_return, chained_series, chained_share,
			monthly_return, monthly_series, monthly_share, toFloat64(days.equity) AS equity, series, funds
		FROM batch_family_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS days`); err != nil {
		t.Fatal(err)
	}
	wanted := map[time.Time]map[[2]string]oracle.FamilyDay{}
	for on := range want {
		wanted[on] = market.FamilyDays(on)
	}
	indices := map[[2]string]bool{}
	for _, f := range families {
		key := [2]string{f.Family, f.Currency}
		indices[key] = true
		expected, found := wanted[f.Date][key]
		delete(wanted[f.Date], key)
		got := oracle.FamilyDay{
			Previous: day(f.Previous), Daily: f.Daily, Chained: f.Chained, Monthly: f.Monthly, Equity: f.Equity,
			Series: int(f.Series), Funds: int(f.Funds),
			Eligible: oracle.GroupCoverage{Series: int(f.Eligible), Share: f.Share},
			Unspiked: oracle.GroupCoverage{Series: int(f.Unspiked), Share: f.Chain},
			InMonth:  oracle.GroupCoverage{Series: int(f.InMonth), Share: f.Month},
		}
		if got.Previous == "" { // the oracle has no coverage of a change that has no day to count from
			got.Eligible.Share, got.Unspiked.Share = nil, nil
		}
		if f.Daily == nil && f.Eligible > 0 {
			seen["changes of too few"]++
		}
		if diff := cmp.Diff(expected, got, cmp.Comparer(near12)); diff != "" || !found {
			t.Errorf("%v on %s (-want +got):\n%s", key, day(&f.Date), diff)
		}
		if f.Daily != nil && (f.Chained == nil || *f.Chained != *f.Daily) {
			seen["left out of the chain"]++
		}
	}
	for on, left := range wanted {
		for key := range left {
			t.Errorf("%v on %s is missing", key, day(&on))
		}
	}

	compareSummaries(t, m, market, batch, slices.Collect(maps.Keys(wanted)), seen)
	compareStoredSummaries(t, m, batch)
	compareLaterRows(t, m, batch)
	compareCandidates(t, m, market, all, batch, seen)
	for key := range indices {
		var points []struct {
			Date     time.Time  `ch:"date"`
			Previous *time.Time `ch:"previous_date"`
			Value    float64    `ch:"value"`
			Change   *float64   `ch:"change"`
			Series   uint32     `ch:"series"`
			Share    *float64   `ch:"equity_share"`
		}
		query := fmt.Sprintf(`SELECT date, previous_date, index.value AS value, index.change AS change, index.series AS series, index.equity_share AS equity_share FROM batch_family_index(batch = {batch:UInt64}, family = '%s') AS index
			INNER JOIN (SELECT * FROM index_day WHERE batch = {batch:UInt64}) AS days USING (family_rar, currency, date) WHERE currency = '%s' ORDER BY date`, key[0], key[1])
		if err := m.Conn.Select(ctx, &points, query); err != nil {
			t.Fatal(err)
		}
		expected := market.FamilyIndex(key[0], key[1])
		if len(points) != len(expected) {
			t.Errorf("%v: %d points, want %d", key, len(points), len(expected))
			continue
		}
		for i, p := range points {
			e := expected[i]
			since := ""
			if !e.Previous.IsZero() {
				since = day(&e.Previous)
				if e.Previous.Before(e.Day.AddDate(0, 0, -1)) {
					seen["chained over days"]++
				}
			} else if i > 0 {
				seen["carried on"]++
			}
			if !p.Date.Equal(e.Day) || day(p.Previous) != since || !near12(&p.Value, &e.Value) ||
				!near12(p.Change, e.Change) || int(p.Series) != e.Series || !near12(p.Share, e.Share) {
				t.Errorf("%v on %s: %v (%v since %s), want %v (%v since %s) on %s", key, day(&p.Date), p.Value,
					known(p.Change), day(p.Previous), e.Value, known(e.Change), since, day(&e.Day))
			}
			seen["index points"]++
		}
		seen["indices"]++
	}
	return seen
}

// compareSummaries compares the families in market-summary, as the batch stores them, with the oracle, on
// every third of some days.
func compareSummaries(t *testing.T, m *demotest.Market, market *oracle.Market, batch uint64, days []time.Time,
	seen map[string]int) {
	t.Helper()
	parameters := clickhouse.Parameters{"batch": fmt.Sprint(batch)}
	ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(parameters))
	var alive []struct {
		Run   uint32 `ch:"run"`
		Serie string `ch:"serie"`
	}
	if err := m.Conn.Select(ctx, &alive, `SELECT run, serie FROM registry
		WHERE kind = 'series' AND id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))`); err != nil {
		t.Fatal(err)
	}
	universe := map[oracle.Series]bool{}
	for _, s := range alive {
		universe[oracle.Series{Run: int(s.Run), Name: s.Serie}] = true
	}
	for _, on := range days {
		if on.YearDay()%3 != 0 {
			continue
		}
		var families []struct {
			Family   string     `ch:"family_rar"`
			Currency string     `ch:"currency"`
			Previous *time.Time `ch:"previous_date"`
			Daily    *float64   `ch:"daily_return"`
		}
		parameters["date"] = on.Format(time.DateOnly)
		ctx := clickhouse.Context(context.Background(), clickhouse.WithParameters(parameters))
		if err := m.Conn.Select(ctx, &families, `SELECT family_rar, currency, previous_date, daily_return
			FROM summary_family WHERE batch = {batch:UInt64} AND date = {date:Date} AND shown`); err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			previous, change := market.FamilyChange(f.Family, f.Currency, on, universe)
			if day(f.Previous) != previous || !near12(f.Daily, change) {
				t.Errorf("summary of %s, %s %s: %v since %s, want %v since %s", day(&on), f.Family, f.Currency,
					known(f.Daily), day(f.Previous), known(change), previous)
			}
			seen["summaries"]++
			if f.Previous != nil && f.Previous.Before(on.AddDate(0, 0, -1)) {
				seen["summaries over days"]++
			}
		}
	}
}
