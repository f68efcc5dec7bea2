package query_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/oracle"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

// Fund 9809-4 of the demo market has a series B, whose id is 1161378270.
func TestOneRuleFindsSeriesForAPIPagesAndWatchlist(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	memory, plain := newRig(t, options, unlimited),
		newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	const seriesB = "1161378270"
	current := plain.screenerRows(t, 1)
	text := func(row screenerRow) string { return *row.text("run") + " " + *row.text("serie") }
	at := slices.IndexFunc(current, func(row screenerRow) bool {
		return strconv.FormatUint(uint64(row.ID), 10) == seriesB
	})
	if at < 0 || text(current[at]) != "9809-4 B" {
		t.Fatal("the demo market has another series B")
	}
	name := strings.Fields(*current[at].text("fund"))
	slices.Reverse(name)
	backwards := strings.Join(name, " ")

	type known struct {
		IDs    []string `ch:"ids"`
		Fund   string   `ch:"fund"`
		RUN    string   `ch:"run"`
		Serie  string   `ch:"serie"`
		Closed bool     `ch:"closed"`
	}
	var all []known // of investment funds too
	must(t, plain.conn.Select(t.Context(), &all,
		`SELECT ids, name AS fund, w.run AS run, serie, toBool(closed_on IS NOT NULL) AS closed
		FROM batch_watchable_series(batch = 1) AS w INNER JOIN (SELECT fund_id, name FROM fund WHERE batch = 1) AS f USING (fund_id)`))

	for asked, finds := range map[string]bool{ // whether series B is found
		"9809-4 B": true, "9809-4-B": true, "9809 B": true, "9809-B": true, "B 9809": true, "98094 b": true,
		"9.809-4 B": true, "009809-4 b": true, "  9809-4 \t B ": true,
		"9809\u2010B": true, "9809\u2011B": true, "9809\u2012B": true, "9809\u2013B": true, "9809\u2014B": true,
		"9809\u2212B": true, "9809\u00a0B": true, "9809 \u2013 B": true,
		"9809-4": true, "980": true, "809": true, "RUN 9809-4 serie B": true, "serie b, run 9.809": true, seriesB: true,
		"000" + seriesB: true,
		backwards:       true, strings.ToLower(backwards) + " b": true, backwards + " 9809": true,
		"\u200e9809\u202c": true,
		"9809 Z":           false, "9809-5": false, "9809-A": false, "9810 B": false, seriesB + "1": false,
		backwards + " 9810": false, "\u2013": false, "%": false, "b": true,
	} {
		var want []string
		for _, row := range current {
			if id := strconv.FormatUint(uint64(row.ID), 10); oracle.Finds(asked, *row.text("fund"), *row.text("run"),
				*row.text("serie"), id) {
				want = append(want, id)
			}
		}
		slices.SortFunc(want, func(a, b string) int { x, _ := strconv.Atoi(a); y, _ := strconv.Atoi(b); return x - y })
		if got := slices.Contains(want, seriesB); got != finds {
			t.Errorf("%q finds series B: %v, want %v", asked, got, finds)
		}
		closed := map[string]bool{}
		for _, of := range all {
			if oracle.Finds(asked, of.Fund, of.RUN, of.Serie, of.IDs...) {
				closed[of.IDs[0]] = of.Closed
			}
		}
		for from, r := range map[string]*rig{"memory": memory, "ClickHouse": plain} {
			for _, past := range []string{"", "&as_of_date=2025-07-20"} {
				got := decode[screen](t, r.get(t, "/api/screener?limit=200&q="+url.QueryEscape(asked)+past))
				if diff := cmp.Diff(slices.Clip(want[:min(len(want), 200)]), got.ids(),
					cmp.Transformer("list", func(list []string) []string {
						return append([]string{}, list...)
					})); diff != "" || got.Meta.Total != len(want) {
					t.Errorf("%q from %s%s: %d series, want %d (-want +got):\n%s", asked, from, past, got.Meta.Total,
						len(want), diff)
				}
			}
			table := strings.Count(strings.TrimSpace(
				string(r.get(t, "/api/screener?format=csv&q="+url.QueryEscape(asked)).body)), "\n")
			if table != len(want) {
				t.Errorf("%q from %s: a table of %d series, want %d", asked, from, table, len(want))
			}
			page := askPage[struct {
				Data []struct {
					ID     string
					Closed bool
				}
				Total int
			}](t, r, "/pages/search", url.Values{"q": {asked}, "limit": {"200"}})
			for _, of := range page.Data {
				if state, is := closed[of.ID]; !is || state != of.Closed {
					t.Errorf("%q from %s: the page has %s, closed %v; want %v %v", asked, from, of.ID, of.Closed, is,
						state)
				}
			}
			watch, err := r.FindSeries(t.Context(), asked, 100_000)
			must(t, err)
			if page.Total != len(closed) || len(watch) != len(closed) || len(page.Data) != min(200, len(closed)) {
				t.Errorf("%q from %s: the page finds %d series and the watchlist %d, want %d", asked, from, page.Total,
					len(watch), len(closed))
			}
		}
	}
	if first, err := memory.FindSeries(t.Context(), "9809 B", 1); err != nil || len(first) != 1 ||
		first[0].IDs[0] != seriesB {
		t.Errorf("the most likely series of 9809 B: %v, %v", first, err)
	}
}

func TestTheSearchOfThePageHasCostAndEquityOfTheScreener(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	var want []struct {
		ID     string   `ch:"id"`
		TAC    *float64 `ch:"tac"`
		Equity float64  `ch:"equity"`
	}
	must(t, r.conn.Select(t.Context(), &want, `SELECT toString(series_id) AS id, tac, toFloat64(equity) AS equity
		FROM screener WHERE batch = 1 AND run = '9809-4' AND currency = 'PESOS' AND equity IS NOT NULL`))
	page := askPage[struct {
		Data []struct {
			ID     string
			TAC    *float64
			Equity *float64 `json:"equity_clp"`
		}
	}](t, r, "/pages/search", url.Values{"q": {"9809-4"}})
	for _, of := range want {
		found := false
		for _, got := range page.Data {
			found = found || got.ID == of.ID && cmp.Equal(got.TAC, of.TAC) &&
				got.Equity != nil && *got.Equity == of.Equity
		}
		if !found {
			t.Errorf("the search lacks %+v", of)
		}
	}
	if len(want) == 0 {
		t.Error("the demo market has no fund 9809-4 in pesos")
	}
	var money uint64
	must(t, r.conn.QueryRow(t.Context(),
		`SELECT count() FROM series WHERE batch = 1 AND category = 'money_market'`).Scan(&money))
	liquid := askPage[struct{ Total uint64 }](t, r, "/pages/search", url.Values{"q": {"mercado monetario"}})
	if money == 0 || liquid.Total < money {
		t.Errorf("mercado monetario finds %d series, want those of the category, %d", liquid.Total, money)
	}
}
