package query_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"testing"

	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// What a server makes of the rows of one day and of histories in memory must be what another one, which
// keeps nothing in memory, gets from ClickHouse.
func TestPastDatesAreTheSameFromMemoryAndFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, statements := fromMemoryAndSQL(t, publishedInvention(t))
	first, err := model.ParseDate("2024-05-20") // the history begins a week later
	must(t, err)
	var families []string
	var series []uint32
	must(t, plain.conn.QueryRow(t.Context(), "SELECT groupArray(series_id) FROM current_screener").Scan(&series))
	must(t, plain.conn.QueryRow(t.Context(), "SELECT groupUniqArray(assumeNotNull(family_rar)) FROM current_screener WHERE family_rar IS NOT NULL").Scan(&families))
	random := rand.New(rand.NewPCG(14, 29))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	dates := longtest.Times(120)
	unlike, rows := 0, 0
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
		screener := "/api/screener?limit=200&order=" + pick("asc", "desc") + "&sort=" + pick("id", "tac", "1m", "1y", "5y_ann", "last_closed_month") + "&currency=" + pick("PESOS", "DOLAR")
		targets := []string{"/api/all-funds?" + asked.Encode(), "/api/market-summary?date=" + date}
		if date <= "2025-07-20" { // as_of_date must not be in the future
			targets = append(targets, screener+"&as_of_date="+date,
				fmt.Sprintf("/api/compare?series=%d,%d&as_of_date=%s", series[random.IntN(len(series)/2)], series[len(series)/2+random.IntN(len(series)/2)], date))
		}
		for _, target := range targets {
			before := statements.Load()
			got, want := serve(memory.Handler(), sameRequest(memory, target)), serve(plain.Handler(), sameRequest(plain, target))
			if got.status != want.status || got.status == http.StatusServiceUnavailable || !bytes.Equal(got.body, want.body) {
				t.Fatalf("%s: status %d\nfrom memory: %s\nfrom SQL:    %s", target, got.status, got.body, want.body)
			}
			rows += bytes.Count(got.body, []byte(`"serieId"`))
			// The rows of the day, those of investment funds or the windows, and a check; for a summary two reads and
			// a check, unless the caller seems to walk.
			if ran := statements.Load() - before; ran > 4 {
				unlike++
			}
		}
	}
	if rows < 20*dates {
		t.Errorf("only %d series in the replies of %d dates", rows, dates)
	}
	if unlike > dates/5 {
		t.Errorf("%d replies of %d dates took more than four statements", unlike, dates)
	}
}

func TestTheDayThatAnswersIsTheSameFromMemoryAndFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, publishedInvention(t))
	date, err := model.ParseDate("2024-05-01")
	must(t, err)
	dates := make([]model.Date, 470)
	for i := range dates {
		dates[i] = date.AddDays(i)
	}
	for _, date := range longtest.Sample(t, dates, 120) {
		target := fmt.Sprintf("/api/agf_stats/ranking?date=%s", date)
		if got, want := serve(memory.Handler(), sameRequest(memory, target)), serve(plain.Handler(), sameRequest(plain, target)); !bytes.Equal(got.body, want.body) {
			t.Fatalf("%s:\nfrom memory: %s\nfrom SQL:    %s", target, got.body, want.body)
		}
	}
}
