package query_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

// JSON is put together from the rows of one day and from histories in memory. Tables come from statements over the
// views that state the rules.
func TestPastDatesInMemoryAreWhatTheViewsHave(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, publishedInvention(t), unlimited)
	first, err := model.ParseDate("2024-05-20") // the history begins a week later
	must(t, err)
	var families []string
	var series []uint32
	must(t, r.conn.QueryRow(t.Context(), "SELECT groupArray(series_id) FROM current_screener").Scan(&series))
	must(t, r.conn.QueryRow(t.Context(),
		"SELECT groupUniqArray(assumeNotNull(family_rar)) FROM current_screener WHERE family_rar IS NOT NULL").Scan(
		&families))
	random := rand.New(rand.NewPCG(14, 29))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	dates := longtest.Times(60)
	rows, shownFamilies := 0, 0
	compare := func(target string, columns map[string]shown) {
		got := serve(r.Handler(), r.request(http.MethodGet, target))
		if got.status == http.StatusNotFound { // neither had a quota then
			return
		}
		wantStatus(t, got, http.StatusOK)
		items, table := decode[map[string]any](t, got)["data"].([]any),
			readTable(t, "ndjson", r.get(t, target+"&format=ndjson").body, nil)
		if len(items) != len(table) {
			t.Fatalf("%s: %d rows in JSON, %d in the table", target, len(items), len(table))
		}
		if sameAsJSON(t, columns, items, table); t.Failed() {
			t.Fatal(target)
		}
		rows += len(items)
	}
	for range dates {
		date := first.AddDays(random.IntN(440)).String() // beyond the cutoff too
		asked := url.Values{"date": {date}}
		for name, value := range map[string]string{
			"vehicle":                      pick("", "", "mutual_fund", "etf", "investment_fund", "all"),
			"category":                     pick("", "", "", "equity", "Money_Market", "no such"),
			"fund_family":                  pick("", "", "", families[random.IntN(len(families))]),
			"article107_regulation_status": pick("", "", "", "unknown", "declares_eligible"),
		} {
			if value != "" {
				asked.Set(name, value)
			}
		}
		compare("/api/all-funds?"+asked.Encode(), allFundsColumns)
		shownFamilies += sameFamilies(t, r, "/api/market-summary?date="+date)
		if date <= "2025-07-20" { // as_of_date must not be in the future
			compare("/api/screener?limit=200&order="+pick("asc", "desc")+"&sort="+
				pick("id", "tac", "1m", "1y", "5y_ann", "last_closed_month")+"&currency="+pick("PESOS", "DOLAR")+
				"&as_of_date="+date, screenerColumns)
			compare(fmt.Sprintf("/api/compare?series=%d,%d&as_of_date=%s", series[random.IntN(len(series)/2)],
				series[len(series)/2+random.IntN(len(series)/2)], date), screenerColumns)
		}
	}
	if rows < 20*dates || shownFamilies < dates {
		t.Errorf("only %d series and %d families in the replies of %d dates", rows, shownFamilies, dates)
	}
}

func TestTheDayThatAnswersIsThatOfTheStatement(t *testing.T) {
	t.Parallel()
	r := newRig(t, publishedInvention(t), unlimited)
	first, err := model.ParseDate("2024-05-01")
	must(t, err)
	dates := make([]model.Date, 446) // to the cutoff
	list := ""
	for i := range dates {
		dates[i] = first.AddDays(i)
		list += ",'" + dates[i].String() + "'"
	}
	type answer struct {
		Asked time.Time `ch:"asked"`
		Day   time.Time `ch:"day"`
	}
	found, err := sql.Select[answer](t.Context(), r.conn, "backtest_answering_days",
		clickhouse.Parameters{"batch": "1", "dates": "[" + list[1:] + "]"}, "read the days that answer")
	must(t, err)
	want := map[model.Date]string{}
	for _, of := range found {
		want[model.DateOf(of.Asked)] = model.DateOf(of.Day).String()
	}
	for _, date := range longtest.Sample(t, dates, 120) {
		got := decode[struct{ Meta struct{ Date *string } }](t, r.get(t, "/api/agf_stats/ranking?date="+date.String()))
		if day := got.Meta.Date; day == nil && want[date] != "" || day != nil && *day != want[date] {
			t.Errorf("%s: answered of %v, want %s", date, day, want[date])
		}
	}
	if len(want) < 400 {
		t.Errorf("only %d dates have a day that answers", len(want))
	}
}
