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
	"unicode"

	"cuota/internal/testkit/demotest"
	"cuota/model"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// listed is a row of the screener, for the filters and sorts of this test.
type listed struct {
	ID            uint32     `ch:"series_id"`
	RUN           string     `ch:"run"`
	Fund          string     `ch:"fund"`
	Manager       string     `ch:"manager"`
	Category      *string    `ch:"category"`
	Family        *string    `ch:"family_rar"`
	ClassDated    *string    `ch:"class_dated"`
	ClassTAC      *string    `ch:"class_tac"`
	Currency      *string    `ch:"currency"`
	TAC           *float64   `ch:"tac"`
	TACKind       *string    `ch:"tac_kind"`
	Spheres       *uint8     `ch:"spheres"`
	WindowReturns []*float64 `ch:"window_returns"`
}

func (r *rig) listed(t testing.TB, batch int) []listed {
	t.Helper()
	var all []listed
	must(t, r.conn.Select(t.Context(), &all, `SELECT series_id, run, fund, manager, category, family_rar, class_dated, class_tac, currency, tac, tac_kind, spheres,
		[return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month] AS window_returns
		FROM screener WHERE batch = `+strconv.Itoa(batch)))
	return all
}

func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ToLower(text)))
}

func is(value *string, want string) bool { return value != nil && strings.EqualFold(*value, want) }

// selects computes the filter of the interface for one row.
func selects(v url.Values, row listed) bool {
	get := v.Get
	if q := get("q"); q != "" {
		part := strings.ToUpper(strings.ReplaceAll(q, ".", ""))
		inRUN := part != "" && (strings.Contains(row.RUN, part) || strings.Contains(strings.ReplaceAll(row.RUN, "-", ""), part))
		if !inRUN && !strings.Contains(folded(row.Fund), folded(q)) {
			return false
		}
	}
	class := row.ClassDated
	if class == nil {
		class = row.ClassTAC
	}
	wanted := map[string]string{"clp": "PESOS", "pesos": "PESOS", "usd": "DOLAR", "dolar": "DOLAR"}[strings.ToLower(get("currency"))]
	switch {
	case get("fund_family") != "" && !is(row.Family, get("fund_family")),
		get("investor_class") != "" && !is(class, get("investor_class")),
		wanted != "" && !is(row.Currency, wanted),
		get("category") != "" && !is(row.Category, get("category")),
		!strings.Contains(folded(row.Manager), folded(get("administrator"))),
		v.Has("cmf_family") && (row.Family == nil || *row.Family != get("cmf_family")),
		v.Has("tac_kind") && (row.TACKind == nil || *row.TACKind != get("tac_kind")),
		v.Has("cmf_investor_type") && (row.ClassDated == nil || *row.ClassDated != get("cmf_investor_type")):
		return false
	}
	for name, sign := range map[string]int{"cmf_spheres_min": 1, "cmf_spheres_max": -1} {
		if v.Has(name) {
			bound, _ := strconv.Atoi(get(name))
			if row.Spheres == nil || sign*int(*row.Spheres) < sign*bound {
				return false
			}
		}
	}
	return true
}

func sortValue(sort string, row listed) *float64 {
	switch sort {
	case "", "id":
		id := float64(row.ID)
		return &id
	case "tac":
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

// expected gives the ids of the page and the total that the screener must answer.
func expected(all []listed, v url.Values) ([]string, int) {
	var matching []listed
	for _, row := range all {
		if selects(v, row) {
			matching = append(matching, row)
		}
	}
	slices.SortFunc(matching, func(a, b listed) int {
		x, y := sortValue(v.Get("sort"), a), sortValue(v.Get("sort"), b)
		byID := cmp.Compare(a.ID, b.ID)
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

func agrees(t testing.TB, r *rig, all []listed, v url.Values) {
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
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	all := r.listed(t, 1)
	if len(all) != 2840 {
		t.Fatalf("%d rows in the screener, want 2,840", len(all))
	}

	t.Run("for each filter, sort and kind of page", func(t *testing.T) {
		for _, query := range []string{
			"", "limit=200&offset=2700", "offset=2840", "offset=9007199254740991", "order=desc&limit=1",
			"q=accion", "q=ACCI%C3%93N", "q=9809", "q=9.809-4", "q=98094", "q=9809-4", "q=.", "q=%25", "q=_", "q=%5C", "q='", "q=%09", "q=%00", "q=%5CN",
			"fund_family=accionario+NACIONAL", "investor_class=apv&limit=200", "currency=usd", "currency=Pesos&offset=100", "category=EQUITY",
			"administrator=Itau", "administrator=ita%C3%BA", "cmf_spheres_min=3", "cmf_spheres_max=2", "cmf_spheres_min=4&cmf_spheres_max=4",
			"cmf_family=Accionario+nacional", "cmf_family=accionario+nacional", "cmf_investor_type=Retail", "tac_kind=synthetic", "tac_kind=stated", "tac_kind=computed&sort=tac", "q=&category=&currency=",
			"sort=tac", "sort=tac&order=desc", "sort=tac&order=desc&offset=2500&limit=200",
			"sort=cmf_spheres&cmf_family=Accionario+nacional&cmf_investor_type=Retail&order=desc",
			"sort=1m&currency=CLP", "sort=1y&currency=CLP&order=desc", "sort=5y_ann&currency=USD", "sort=last_closed_month&currency=clp&limit=7&offset=3",
			"q=no+such+fund",
		} {
			v, err := url.ParseQuery(query)
			must(t, err)
			agrees(t, r, all, v)
		}
	})

	t.Run("for whatever else is asked", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			v := url.Values{}
			maybe := func(name string, choices ...string) {
				if rapid.Float64Range(0, 1).Draw(rt, name+"?") < 0.35 {
					v.Set(name, rapid.SampledFrom(choices).Draw(rt, name))
				}
			}
			sample := rapid.SampledFrom(all).Draw(rt, "row")
			maybe("q", "fondo", sample.RUN, sample.Fund[:min(len(sample.Fund), 5)], "ñ", "9", "-K", "renta fija")
			maybe("administrator", sample.Manager, "banco", "S.A.", "Ó")
			maybe("currency", "CLP", "usd", "PESOS", "dolar")
			maybe("category", "equity", "Balanced", "money_market", "none")
			maybe("investor_class", "retail", "APV", "Alto Patrimonio")
			maybe("cmf_spheres_min", "1", "2", "3")
			maybe("cmf_spheres_max", "3", "4", "5")
			maybe("tac_kind", "synthetic", "stated", "computed")
			maybe("order", "asc", "desc")
			maybe("limit", "1", "3", "17")
			maybe("offset", "0", "1", "50", "1000")
			if sample.Family != nil {
				maybe("fund_family", strings.ToUpper(*sample.Family))
				maybe("cmf_family", *sample.Family)
			}
			if sample.ClassDated != nil {
				maybe("cmf_investor_type", *sample.ClassDated)
			}
			sorts := []string{"id", "tac"}
			if v.Has("currency") {
				sorts = append(sorts, model.Windows...)
			}
			if v.Has("cmf_family") && v.Has("cmf_investor_type") {
				sorts = append(sorts, "cmf_spheres")
			}
			maybe("sort", sorts...)
			agrees(t, r, all, v)
		})
	})

	t.Run("pages follow each other without gap or overlap", func(t *testing.T) {
		want, total := expected(all, url.Values{"limit": {"5000"}, "sort": {"tac"}})
		var got []string
		for offset := 0; offset < total; offset += 200 {
			got = append(got, decode[screen](t, r.get(t, fmt.Sprintf("/api/screener?sort=tac&limit=200&offset=%d", offset))).ids()...)
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
				must(t, json.Unmarshal(r.get(t, "/api/real_assets/"+item.ID+"/returns?as_of_date=2025-07-20").body, &direct))
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
			for _, fund := range decode[items](t, r.get(t, "/api/asset_providers/"+manager+"/conceptual_assets")).ids() {
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
	all := r.listed(t, 1)
	failed := make(chan string, 64)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for worker := range 4 {
		go func() {
			for n := range 25 {
				v := url.Values{"limit": {strconv.Itoa(1 + (worker+n)%4)}, "offset": {strconv.Itoa(n % 3)}, "sort": {"tac"}}
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
