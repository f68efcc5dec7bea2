package query_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

// pageOf is one page of any list.
type pageOf struct {
	items
	Meta  struct{ Total *int }
	Links *struct{ Next string }
}

// walk follows the links from a page to the last one, and returns the ids of all pages.
func (r *rig) walk(t *testing.T, target string) (ids []string, pages int) {
	t.Helper()
	for target != "" {
		page := decode[pageOf](t, r.get(t, target))
		if pages++; pages > 1000 {
			t.Fatalf("%s: the pages have no end", target)
		}
		ids = append(ids, page.ids()...)
		target = ""
		if page.Links != nil {
			target = page.Links.Next
		}
	}
	return ids, pages
}

func TestAListLeadsToItsNextPageUntilItEnds(t *testing.T) {
	longtest.Skip(t)
	t.Parallel()
	options := demotest.Published(t)
	memory := newRig(t, options, unlimited)
	plain := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	for _, c := range []struct {
		paged, whole string
		size         int
	}{
		{longHistory + "?from_date=2023-01-01&to_date=2025-02-28",
			longHistory + "?from_date=2023-01-01&to_date=2025-02-28", 100},
		{longHistory, longHistory, 1500},
		{"/api/fi/instruments?status=unknown&q=fondo", "", 120},
		{"/api/screener?q=%C3%B3n&currency=clp&sort=1y&order=desc", "", 30},
		{"/api/screener?category=balanced&administrator=BANCO&sort=tac", "", 25},
		{"/api/screener", "", 200},
	} {
		for name, r := range map[string]*rig{"memory": memory, "SQL": plain} {
			separator := "?"
			if strings.Contains(c.paged, "?") {
				separator = "&"
			}
			ids, pages := r.walk(t, c.paged+separator+fmt.Sprintf("limit=%d", c.size))
			var want []string
			if c.whole != "" {
				want = decode[items](t, r.get(t, c.whole)).ids()
			} else { // pages of another size, by offset
				total := *decode[pageOf](t, r.get(t, c.paged)).Meta.Total
				for offset := 0; offset < total; offset += 199 {
					want = append(want, decode[items](t,
						r.get(t, c.paged+separator+fmt.Sprintf("limit=199&offset=%d", offset))).ids()...)
				}
			}
			if diff := cmp.Diff(want, ids); diff != "" || len(want) <= c.size || pages != (len(want)+c.size-1)/c.size {
				t.Errorf("%s from %s: %d rows on %d pages of %d, want %d rows: %.600s", c.paged, name, len(ids), pages,
					c.size, len(want), diff)
			}
		}
	}
}

func TestALinkRepeatsWhatWasAskedAndNamesTheBatch(t *testing.T) {
	t.Parallel()
	r := littleMarket(t)
	upper := strings.ToUpper(instrumentAina)
	for target, want := range map[string]string{
		"/api/screener?limit=3":                                "/api/screener?limit=3&offset=3&batch_id=" + batchID(1),
		"/api/screener?limit=1&offset=2":                       "/api/screener?limit=1&offset=3&batch_id=" + batchID(1),
		"/api/screener?limit=2&sort=id&order=asc&q=&unknown=1": "/api/screener?limit=2&offset=2&batch_id=" + batchID(1),
		"/api/screener?limit=1&order=desc&q=%C3%B3n%20%26&q2=": "",
		"/api/screener?limit=1&order=desc&q=acci%C3%B3n%20":    "/api/screener?q=acci%C3%B3n+&order=desc&limit=1&offset=1&batch_id=" + batchID(1),
		"/api/screener?limit=1&sort=1m&currency=clp":           "/api/screener?currency=PESOS&sort=1m&limit=1&offset=1&batch_id=" + batchID(1),
		"/api/screener?limit=4":                                "",
		"/api/screener?limit=1&offset=4":                       "",
		"/api/screener?limit=1&offset=9007199254740991":        "",
		"/api/real_assets/0201/days?limit=1":                   "/api/real_assets/201/days?from_date=2026-06-30&limit=1&batch_id=" + batchID(1),
		"/api/real_assets/201/days?limit=2&to_date=2026-07-31": "/api/real_assets/201/days?from_date=2026-07-31&to_date=2026-07-31&limit=2&batch_id=" + batchID(1),
		"/api/real_assets/201/days?limit=2&to_date=2026-07-30": "",
		"/api/real_assets/201/days?limit=3":                    "",
		"/api/real_assets/201/days":                            "",
		"/api/fi/instruments?limit=1":                          "",
		"/api/fi/instruments/" + upper + "/prices?limit=2&from_date=2026-01-01": "/api/fi/instruments/" +
			instrumentAina +
			"/prices?from_date=2026-01-01&limit=2&offset=2&batch_id=" + batchID(1),
		"/api/fi/instruments/" + instrumentAina + "/prices?limit=2&offset=2": "",
		"/api/fi/instruments/" + instrumentAina + "/prices":                  "",
	} {
		got := r.get(t, target)
		var body struct{ Links *struct{ Next string } }
		wantStatus(t, got, http.StatusOK)
		must(t, json.Unmarshal(got.body, &body))
		switch {
		case body.Links == nil && want != "":
			t.Errorf("%s leads nowhere, want %s", target, want)
		case body.Links != nil && body.Links.Next != want:
			t.Errorf("%s leads to %s, want %q", target, body.Links.Next, want)
		}
		if _, err := url.ParseRequestURI(want); want != "" && err != nil {
			t.Error(err)
		}
	}
}

func TestPagesComeFromTheBatchOfTheFirstThoughAnotherIsPublished(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, published(t), unlimited)
	first := decode[pageOf](t, r.get(t, "/api/screener?limit=1"))
	r.publish(t, 2)
	must(t, r.Refresh(t.Context()))
	if first.Links == nil {
		t.Fatal("the first page leads nowhere")
	}
	for next, pages := first.Links.Next, 1; next != ""; pages++ {
		got := r.get(t, next)
		page, meta := decode[pageOf](t, got), decode[screen](t, got).Meta
		if name := page.Data[0].Attributes["fundName"]; meta.BatchID != batchID(1) || name != "FONDO MUTUO ACCIÓN 1" {
			t.Errorf("%s: %v of batch %s", next, name, meta.BatchID)
		}
		if next = ""; page.Links != nil {
			next = page.Links.Next
		} else if pages != 3 {
			t.Errorf("the last page comes after %d others", pages)
		}
	}
}
