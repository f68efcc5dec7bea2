package query_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

func TestAnAsOfDateInTheFutureOrTooEarlyIsRefused(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for _, target := range []string{"/api/screener?", "/api/compare?series=201&", "/api/agf_stats/ranking?",
		"/api/reports/tac-changes?"} {
		for date, kind := range map[string]string{"9999-12-31": "date_future", "1975-12-31": "date_too_early",
			"2025-02-30": "date_parsing", "": "date_parsing"} {
			got := serve(r.Handler(), r.request(http.MethodGet, target+"as_of_date="+date))
			if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `"`+kind+`"`) {
				t.Errorf("%sas_of_date=%s: %d %s", target, date, got.status, got.body)
			}
		}
	}
}

func TestTheRankingTakesItsDateUnderBothNames(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	for _, metric := range []string{"patrimony", "shareholders"} {
		for _, date := range []string{"2025-06-30", "2025-07-20", "2021-08-15"} {
			a := r.get(t, "/api/agf_stats/ranking?metric="+metric+"&date="+date)
			b := r.get(t, "/api/agf_stats/ranking?metric="+metric+"&as_of_date="+date)
			c := r.get(t, "/api/agf_stats/ranking?metric="+metric+"&date="+date+"&as_of_date="+date)
			if string(a.body) != string(b.body) || string(a.body) != string(c.body) {
				t.Errorf("%s of %s differs under the two names", metric, date)
			}
		}
	}
	got := serve(r.Handler(), r.request(http.MethodGet, "/api/agf_stats/ranking?date=2025-06-30&as_of_date=2025-06-29"))
	if got.status != http.StatusUnprocessableEntity {
		t.Errorf("two different dates: %d %s", got.status, got.body)
	}
}

func TestChangesOfCostsKnowNoMonthAfterTheDate(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	var months []string
	must(t, r.conn.QueryRow(t.Context(),
		"SELECT groupArray(toString(m)) FROM (SELECT DISTINCT month AS m FROM current_tac_month WHERE tac IS NOT "+
			"NULL ORDER BY m)").Scan(&months))
	if len(months) < 2 {
		t.Fatalf("only %v", months)
	}
	latest, before := months[len(months)-1], months[len(months)-2]
	day, err := model.ParseDate(latest)
	must(t, err)
	for asOf, want := range map[string]string{latest: latest, day.AddDays(-1).String(): before} {
		got := r.get(t, "/api/reports/tac-changes?as_of_date="+asOf)
		named := r.get(t, "/api/reports/tac-changes?date="+want)
		if string(got.body) != string(named.body) {
			t.Errorf("as of %s it is not the report of %s: %.300s", asOf, want, got.body)
		}
	}
	refused := serve(r.Handler(), r.request(http.MethodGet,
		"/api/reports/tac-changes?"+url.Values{"date": {latest}, "as_of_date": {day.AddDays(-1).String()}}.Encode()))
	if refused.status != http.StatusUnprocessableEntity || !strings.Contains(string(refused.body), "month_open") {
		t.Errorf("%d %s", refused.status, refused.body)
	}
}
