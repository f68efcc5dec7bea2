package marketpages_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"cuota/internal/testkit/browsertest"
)

// What a text finds is listed while it is typed, and read with the arrow keys.
func typeIntoTheSearch(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	axe := browsertest.Axe(t)
	fund := fromAPI[struct {
		Data []struct {
			Attributes struct {
				RUN   string `json:"run"`
				Serie string `json:"serie"`
				Fund  string `json:"fundName"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/screener?limit=1").Data[0].Attributes
	listed := `document.querySelectorAll("#suggestions:not([hidden]) [role=option]").length`
	waits := func(t *testing.T, condition string) {
		t.Helper()
		if _, err := chromedp.Run(b.Ctx, chromedp.Poll[bool]("Boolean("+condition+")")); err != nil {
			t.Fatalf("%v: waiting for %s; %q", err, condition, b.Problems())
		}
	}
	types := func(t *testing.T, text string) {
		t.Helper()
		must(t, chromedp.Do(b.Ctx, chromedp.SendKeys(chromedp.CSS("#find"), text)))
	}
	for _, width := range []int64{375, 1280} {
		t.Run(fmt.Sprintf("suggestions at %d pixels", width), func(t *testing.T) {
			r := reader{t, s, b}
			b.Looks(width, 800, "light")
			r.loads(http.StatusOK, chromedp.Navigate(s.base+"/?lang=es"))
			types(t, fund.RUN[:len(fund.RUN)-1])
			waits(t, listed+` > 0 && document.querySelector("#find").getAttribute("aria-expanded") === "true"`)
			waits(t, `document.querySelector("#suggestions .name").textContent === `+fmt.Sprintf("%q", fund.Fund))
			for _, problem := range append(b.Violations(axe), b.Faults()...) {
				t.Error(problem)
			}
			types(t, kb.ArrowDown)
			waits(t, `document.getElementById(document.querySelector("#find").getAttribute("aria-activedescendant")).ariaSelected === "true"`)
			types(t, kb.Escape)
			waits(t, listed+` === 0`)
			types(t, fund.RUN[len(fund.RUN)-1:])
			waits(t, listed+` > 0`)
			types(t, kb.ArrowDown)
			r.loads(http.StatusOK, chromedp.SendKeys(chromedp.CSS("#find"), kb.Enter))
			r.sees(fund.Fund)
		})
	}
	t.Run("a series, a synonym and a typo are typed", func(t *testing.T) {
		b.Looks(1280, 800, "light")
		r := reader{t, s, b}
		words := strings.Fields(fund.Fund)
		longest := slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
		wrong := longest[:len(longest)-3] + longest[len(longest)-2:]
		for _, text := range []string{strings.ToLower(fund.Fund + " " + fund.Serie), "ee.uu.", wrong, "apv"} {
			r.loads(http.StatusOK, chromedp.Navigate(s.base+"/?lang=es"))
			types(t, text)
			waits(t, listed+` > 0`)
			var api struct {
				Items []struct{ Name, Link string } `json:"items"`
			}
			_, _, body := s.get("/buscar/sugerencias.json?lang=es&q=" + url.QueryEscape(text))
			must(t, json.Unmarshal([]byte(body), &api))
			if len(api.Items) == 0 {
				t.Fatalf("%q finds nothing", text)
			}
			waits(t, `document.querySelector("#suggestions .name").textContent === `+fmt.Sprintf("%q", api.Items[0].Name))
			types(t, kb.ArrowDown)
			r.loads(http.StatusOK, chromedp.SendKeys(chromedp.CSS("#find"), kb.Enter))
			if at := texts(t, b, `[location.pathname + location.search]`)[0]; at != api.Items[0].Link {
				t.Errorf("%q leads to %s, want %s", text, at, api.Items[0].Link)
			}
		}
	})
	t.Run("what is no name has no suggestions", func(t *testing.T) {
		for _, q := range []string{"", "a", "zzzzqqqq", strings.Repeat("x", 200), "%3Cscript%3E"} {
			if status, _, body := s.get("/buscar/sugerencias.json?q=" + q); status != http.StatusOK ||
				!strings.HasPrefix(body, `{"items":[],`) {
				t.Errorf("%q: %d %.200s", q, status, body)
			}
		}
	})
	t.Run("a search finds what its suggestions name", func(t *testing.T) {
		for _, q := range []string{"balanceado", "deuda+pesos", fund.RUN, "administradora", "acionario"} {
			found := fromAPI[struct {
				Items []struct {
					Name, Link string
				} `json:"items"`
			}](s, "/buscar/sugerencias.json?lang=es&q="+q)
			_, _, page := s.get("/buscar?lang=es&q=" + q)
			page = html.UnescapeString(page)
			if len(found.Items) == 0 || len(found.Items) > 12 {
				t.Errorf("%s has %d suggestions", q, len(found.Items))
			}
			for _, item := range found.Items {
				if !strings.Contains(page, `href="`+item.Link+`"`) {
					t.Errorf("%s: the page of the search has no link to %s", q, item.Link)
				}
			}
		}
	})
}
