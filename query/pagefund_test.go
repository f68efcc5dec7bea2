package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"

	"github.com/google/go-cmp/cmp"
)

func TestThePageOfAFundFindsItByRUNOpenOrClosed(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	held := func(file rune, month, market string, position int) row {
		return row{"run": 8011, "month": month, "market": market, "revision": "2026-07-01 00:00:00.000",
			"source_sha256": sha(file), "position": position,
			"source_line": position, "instrument": "DPC", "valuation_thousands": "1.5"}
	}
	insert(t, r.conn, "fact_holding",
		held('a', "2025-12-31", "E", 1), held('a', "2026-06-30", "N", 1), held('a', "2026-06-30", "N", 2),
		held('b', "2026-06-30", "E", 3),
		held('a', "2026-03-31", "B", 1), // another market, which the API does not show
		held('z', "2026-01-31", "N", 1), // of a file that the batch does not have
		held('a', "2030-01-31", "N", 1)) // not over yet
	insert(t, r.conn, "fund", row{"batch": 1, "fund_id": 105, "run": "9278-9", "vehicle": "investment_fund",
		"name": "AINA", "current": true})
	type fund struct {
		FundID, RUN, Name, AGF, Vehicle string
		Category, Currency              *string
		Current                         bool
		PortfolioMonths                 []string
	}
	ask := func(path string, reply any, texts url.Values) error {
		body, err := foundBy(t, r.PageBatch(), path, texts)
		if err != nil {
			return err
		}
		return json.Unmarshal(body, reply)
	}
	read := func(run string) (f fund) {
		t.Helper()
		must(t, ask("/pages/funds/{run}", &f, url.Values{"run": {run}}))
		return f
	}

	// What the lists of the manager and the portfolios say is read on another way.
	for _, listed := range decode[items](t, r.get(t, "/api/asset_providers/11/conceptual_assets")).Data {
		want, got := listed.Attributes, read(listed.Attributes["run"].(string))
		if got.FundID != listed.ID || got.RUN != want["run"] || got.Name != want["name"] || got.AGF != "ALFA AGF" ||
			got.Vehicle != "mutual_fund" || !got.Current {
			t.Errorf("%+v, the list of its manager says %s %v", got, listed.ID, want)
		}
	}
	got := read("8011")
	if diff := cmp.Diff([]string{"2026-06", "2025-12"}, got.PortfolioMonths); diff != "" {
		t.Error(diff)
	}
	if newest := decode[portfolio](t, r.get(t, "/api/funds/8011/cartera/holdings")); newest.Meta.Month == nil ||
		*newest.Meta.Month != got.PortfolioMonths[0] {
		t.Errorf("the newest portfolio is of %v", newest.Meta.Month)
	}
	for _, month := range got.PortfolioMonths {
		if len(decode[portfolio](t, r.get(t, "/api/funds/8011/cartera/holdings?month="+month)).Data) == 0 {
			t.Errorf("%s has no positions", month)
		}
	}
	if closed := read("8012-8"); closed.Current || closed.FundID != "102" || *closed.Currency != "DOLAR" ||
		closed.Category != nil || len(closed.PortfolioMonths) != 0 {
		t.Errorf("the closed fund is %+v", closed)
	}
	if other := read("9278"); other.Vehicle != "investment_fund" {
		t.Errorf("the investment fund is %+v", other)
	}

	var unknown *httpapi.Problem
	if err := ask("/pages/funds/{run}", &fund{}, url.Values{"run": {"7777"}}); !errors.As(err, &unknown) ||
		unknown.Status != http.StatusNotFound {
		t.Errorf("a RUN that no fund has: %v", err)
	}
	if got := r.get(t, "/pages/funds/8011"); got.status != http.StatusNotFound {
		t.Errorf("a reader gets %d", got.status)
	}
}

func TestTheQuotasOfAChartAreThoseOfTheDaysOfEachSeries(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	for _, span := range []url.Values{{}, {"from_date": {"2026-01-01"}, "to_date": {"2026-07-31"}},
		{"from_date": {"2019-01-01"}, "to_date": {"2020-12-31"}}} {
		texts := url.Values{"series": {fmt.Sprintf("%d,%d,%d", seriesOpen, seriesClosed, seriesYoung)}}
		maps.Copy(texts, span)
		body, err := foundBy(t, r.PageBatch(), "/pages/quotas", texts)
		must(t, err)
		var reply struct {
			From model.Date
			Data []struct {
				SerieID string
				Days    []int
				Quotas  []float64
			}
		}
		must(t, json.Unmarshal(body, &reply))
		got, want := map[string]float64{}, map[string]float64{}
		for _, s := range reply.Data {
			for i, day := range s.Days {
				got[s.SerieID+" "+reply.From.AddDays(day).String()] = s.Quotas[i]
			}
			if !slices.IsSorted(s.Days) || len(s.Days) != len(s.Quotas) {
				t.Errorf("%+v", s)
			}
		}
		for _, id := range []int{seriesOpen, seriesClosed, seriesYoung} {
			for _, day := range decode[items](t,
				r.get(t, fmt.Sprintf("/api/real_assets/%d/days?%s", id, span.Encode()))).Data {
				want[fmt.Sprint(id, " ", day.Attributes["date"])] = day.Attributes["price"].(float64)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
			t.Errorf("%v: %s", span, diff)
		}
	}
}

func TestFundsAndPortfoliosAreTheSameFromMemoryAsFromSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	memory, plain, _ := fromMemoryAndSQL(t, demotest.Published(t))
	var funds, instruments []string
	must(t, plain.conn.QueryRow(t.Context(), `SELECT
		(SELECT groupArray(20)(run) FROM (SELECT run FROM current_fund ORDER BY vehicle, run)), (SELECT groupArray(10)(toString(instrument_id)) FROM current_fi_instrument)`).Scan(&funds, &instruments))
	if len(funds) == 0 || len(instruments) == 0 {
		t.Fatalf("funds %q, instruments %q", funds, instruments)
	}
	for _, run := range funds {
		samePart(t, memory, plain, "/pages/funds/{run}", url.Values{"run": {run}})
		for _, month := range []string{"", "2024-12", "1999-01"} {
			texts := url.Values{"run": {run}}
			if month != "" {
				texts.Set("month", month)
			}
			samePart(t, memory, plain, "/api/funds/{run}/cartera/resumen", texts)
		}
	}
	for _, id := range instruments {
		samePart(t, memory, plain, "/api/fi/instruments/{instrument_id}", url.Values{"instrument_id": {id}})
	}
}
