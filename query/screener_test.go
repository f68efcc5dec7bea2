package query_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sortValue(sort string, row screenerRow) *float64 {
	switch sort {
	case "", "id":
		id := float64(row.ID)
		return &id
	case "tac", "tac_by_kind":
		return row.TAC
	case "cmf_spheres":
		if row.Spheres == nil {
			return nil
		}
		value := float64(*row.Spheres)
		return &value
	}
	return row.WindowReturns[slices.Index(model.Windows, sort)]
}

// expected returns the ids of the page and the total that the screener must answer.
func expected(all []screenerRow, v url.Values) ([]string, int) {
	var matching []screenerRow
	for _, row := range all {
		if selects(v, row) {
			matching = append(matching, row)
		}
	}
	slices.SortFunc(matching, func(a, b screenerRow) int {
		x, y := sortValue(v.Get("sort"), a), sortValue(v.Get("sort"), b)
		byID := cmp.Compare(a.ID, b.ID)
		if kinds := "synthetic stated computed"; v.Get("sort") == "tac_by_kind" && x != nil && y != nil {
			if *a.TACKind != *b.TACKind {
				return cmp.Compare(strings.Index(kinds, *a.TACKind), strings.Index(kinds, *b.TACKind))
			}
		}
		switch {
		case x == nil && y == nil:
			return byID
		case x == nil:
			return 1
		case y == nil:
			return -1
		case v.Get("order") == "desc":
			return cmp.Or(cmp.Compare(*y, *x), byID)
		}
		return cmp.Or(cmp.Compare(*x, *y), byID)
	})
	number := func(name string, fallback int) int {
		if n, err := strconv.Atoi(v.Get(name)); err == nil {
			return n
		}
		return fallback
	}
	from := min(number("offset", 0), len(matching))
	to := min(from+number("limit", 50), len(matching))
	ids := make([]string, 0, to-from)
	for _, row := range matching[from:to] {
		ids = append(ids, strconv.FormatUint(uint64(row.ID), 10))
	}
	return ids, len(matching)
}

type screen struct {
	items
	Meta struct {
		BatchID string `json:"batch_id"`
		Total   int    `json:"total"`
		Limit   int    `json:"limit"`
		Offset  int    `json:"offset"`
		AgeDays int    `json:"cutoff_age_days"`
		LagDays int    `json:"snapshot_lag_days"`
		Count   int    `json:"series_count"`

		TACKinds map[string]string `json:"tac_kinds"`
	} `json:"meta"`
}

func agrees(t testing.TB, r *rig, all []screenerRow, v url.Values) {
	t.Helper()
	got := decode[screen](t, r.get(t, "/api/screener?"+v.Encode()))
	ids, total := expected(all, v)
	if diff := gocmp.Diff(ids, got.ids()); diff != "" || got.Meta.Total != total {
		t.Fatalf("%s: total %d, want %d; page (-want +got):\n%s", v.Encode(), got.Meta.Total, total, diff)
	}
	kinds := map[string]string{}
	for _, row := range all {
		if id := strconv.FormatUint(uint64(row.ID), 10); row.TACKind != nil && slices.Contains(ids, id) {
			kinds[id] = *row.TACKind
		}
	}
	if diff := gocmp.Diff(kinds, got.Meta.TACKinds); diff != "" {
		t.Fatalf("%s: kinds of the cost rates (-want +got):\n%s", v.Encode(), diff)
	}
}

func TestScreenerOfTheDemoMarketIsWhatAScanOfAllItsRowsGives(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Published(t)
	r := newRig(t, options, unlimited)
	all := r.screenerRows(t, 1)
	if len(all) != 2840 {
		t.Fatalf("%d rows in the screener, want 2,840", len(all))
	}

	t.Run("for each filter, sort and kind of page", func(t *testing.T) {
		for _, query := range []string{
			"", "limit=200&offset=2700", "offset=2840", "offset=9007199254740991", "order=desc&limit=1",
			"q=accion", "q=ACCI%C3%93N", "q=9809", "q=9.809-4", "q=98094", "q=9809-4", "q=.", "q=%25", "q=_", "q=%5C",
			"q='", "q=%09", "q=%00", "q=%5CN",
			"fund_family=accionario+NACIONAL", "investor_class=apv&limit=200", "currency=usd",
			"currency=Pesos&offset=100", "category=EQUITY",
			"administrator=Itau", "administrator=ita%C3%BA", "cmf_spheres_min=3", "cmf_spheres_max=2",
			"cmf_spheres_min=4&cmf_spheres_max=4",
			"cmf_family=Accionario+nacional", "cmf_family=accionario+nacional", "cmf_investor_type=Retail",
			"tac_kind=synthetic", "tac_kind=stated", "tac_kind=computed&sort=tac", "q=&category=&currency=",
			"sort=tac", "sort=tac&order=desc", "sort=tac_by_kind", "sort=tac_by_kind&order=desc", "held=true",
			"held=false", "held=true&sort=tac_by_kind&offset=40", "sort=tac&order=desc&offset=2500&limit=200",
			"sort=cmf_spheres&cmf_family=Accionario+nacional&cmf_investor_type=Retail&order=desc",
			"sort=1m&currency=CLP", "sort=1y&currency=CLP&order=desc", "sort=5y_ann&currency=USD",
			"sort=last_closed_month&currency=clp&limit=7&offset=3",
			"q=no+such+fund",
		} {
			v, err := url.ParseQuery(query)
			must(t, err)
			agrees(t, r, all, v)
		}
	})

	t.Run("for whatever else is asked", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
			agrees(t, r, all, screenerRequest(pick, all))
		})
	})

	t.Run("for each filter alone, from memory and from SQL, which selects some rows and not all", func(t *testing.T) {
		plain := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
		for _, f := range filters {
			narrows, tried := false, map[string]bool{}
			for _, row := range []screenerRow{all[0], all[len(all)/2], all[len(all)-1]} {
				for _, value := range f.choices(func(int) int { return 0 }, row) {
					if tried[value] {
						continue
					}
					tried[value] = true
					v := url.Values{f.name: {value}}
					agrees(t, r, all, v)
					agrees(t, plain, all, v)
					_, total := expected(all, v)
					narrows = narrows || 0 < total && total < len(all)
				}
			}
			if !narrows {
				t.Errorf("no value of %s selects some rows and not all", f.name)
			}
		}
	})

	t.Run("pages follow each other without gap or overlap", func(t *testing.T) {
		want, total := expected(all, url.Values{"limit": {"5000"}, "sort": {"tac"}})
		var got []string
		for offset := 0; offset < total; offset += 200 {
			got = append(got, decode[screen](t,
				r.get(t, fmt.Sprintf("/api/screener?sort=tac&limit=200&offset=%d", offset))).ids()...)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("the returns of a series are the same in screener, compare and returns", func(t *testing.T) {
		for _, item := range decode[items](t, r.get(t, "/api/screener?q=9809&limit=5")).Data {
			compared := decode[items](t, r.get(t, "/api/compare?series="+item.ID)).Data[0]
			if diff := gocmp.Diff(item, compared); diff != "" {
				t.Error("compare:", diff)
			}
			var own struct {
				Data struct {
					Attributes map[string]any
				}
			}
			must(t, json.Unmarshal(r.get(t, "/api/real_assets/"+item.ID+"/returns").body, &own))
			spheres := own.Data.Attributes["cmf_spheres"]
			delete(own.Data.Attributes, "cmf_spheres")
			if diff := gocmp.Diff(item.Attributes["returns"], any(own.Data.Attributes)); diff != "" {
				t.Error("returns:", diff)
			}
			if diff := gocmp.Diff(item.Attributes["cmf_spheres"], spheres); diff != "" {
				t.Error("spheres:", diff)
			}
		}
	})

	t.Run("at the cutoff, asking for the date computes what the batch has", func(t *testing.T) {
		for _, run := range []string{"9809", "9810"} {
			for _, item := range decode[items](t, r.get(t, "/api/screener?q="+run+"&limit=5")).Data {
				var snapshot, direct struct {
					Data struct {
						Attributes struct {
							Periods map[string]any
							Mode    string `json:"calculation_mode"`
						}
					}
				}
				must(t, json.Unmarshal(r.get(t, "/api/real_assets/"+item.ID+"/returns").body, &snapshot))
				must(t, json.Unmarshal(r.get(t, "/api/real_assets/"+item.ID+"/returns?as_of_date=2025-07-20").body,
					&direct))
				if diff := gocmp.Diff(snapshot.Data.Attributes.Periods, direct.Data.Attributes.Periods); diff != "" {
					t.Error(diff)
				}
				if snapshot.Data.Attributes.Mode != "snapshot" || direct.Data.Attributes.Mode != "direct" {
					t.Error(snapshot.Data.Attributes.Mode, direct.Data.Attributes.Mode)
				}
			}
		}
	})

	t.Run("every manager's funds and every fund's series can be walked", func(t *testing.T) {
		series := 0
		for _, manager := range decode[items](t, r.get(t, "/api/asset_providers?scope=mutual_fund")).ids()[:6] {
			for _, fund := range decode[items](t,
				r.get(t, "/api/asset_providers/"+manager+"/conceptual_assets")).ids() {
				series += len(decode[items](t, r.get(t, "/api/conceptual_assets/"+fund+"/real_assets")).Data)
			}
		}
		if series == 0 {
			t.Error("no series was found")
		}
	})
}

func TestScreenerKeepsAnswersOfCallersApart(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	all := r.screenerRows(t, 1)
	failed := make(chan string, 64)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for worker := range 4 {
		go func() {
			for n := range 25 {
				v := url.Values{"limit": {strconv.Itoa(1 + (worker+n)%4)}, "offset": {strconv.Itoa(n % 3)},
					"sort": {"tac"}}
				got := serve(r.Handler(), r.request(http.MethodGet, "/api/screener?"+v.Encode()))
				var page screen
				if err := json.Unmarshal(got.body, &page); err != nil {
					failed <- err.Error()
					return
				}
				if ids, total := expected(all, v); !slices.Equal(ids, page.ids()) || total != page.Meta.Total {
					failed <- fmt.Sprintf("%s: %v, want %v", v.Encode(), page.ids(), ids)
					return
				}
			}
			failed <- ""
		}()
	}
	for range 4 {
		select {
		case problem := <-failed:
			if problem != "" {
				t.Error(problem)
			}
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
}
