package marketpages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

// reader is a person who reads the site in a browser.
type reader struct {
	t testing.TB
	s *servedSite
	b *browsertest.Browser
}

// loads runs a step that loads a page, and checks its status.
func (r reader) loads(status int64, step chromedp.Action[chromedp.Void]) {
	r.t.Helper()
	response, err := chromedp.RunResponse(r.b.Ctx, step)
	must(r.t, err)
	if response.Status != status {
		r.t.Fatalf("%s: status %d, want %d", response.URL, response.Status, status)
	}
}

// sees fails unless the page shows the texts.
func (r reader) sees(texts ...string) {
	r.t.Helper()
	body, err := chromedp.Run(r.b.Ctx, chromedp.Text(chromedp.CSS("body")))
	must(r.t, err)
	body = strings.ReplaceAll(body, "\u00a0", " ")
	for _, text := range texts {
		if !strings.Contains(body, text) {
			r.t.Errorf("the page does not show %q:\n%.1500s", text, body)
		}
	}
}

func (r reader) clicks(selector string) {
	r.t.Helper()
	r.loads(http.StatusOK, chromedp.Click(chromedp.CSS(selector)))
}

// address returns the address that a link on the page leads to.
func (r reader) address(selector string) string {
	r.t.Helper()
	found, err := chromedp.Run(r.b.Ctx,
		chromedp.Evaluate[string](`document.querySelector(`+"`"+selector+"`"+`).getAttribute("href")`))
	must(r.t, err)
	return found
}

// A person goes from the search to a series, on to a comparison, and to a file of the screener;
// sees a past date, and the other language. Scripts are not needed.
func TestAReaderGoesFromSearchToAFile(t *testing.T) {
	s := synthetic(t)
	typeIntoTheSearch(t, s)
	fillTheBasket(t, s)
	t.Run("words are explained", func(t *testing.T) { explainsItsWords(t, s) })
	t.Run("somebody watches a series", func(t *testing.T) { watchASeries(t, s) })
	t.Run("phones show whole tables", func(t *testing.T) { phonesShowWholeTables(t, s) })
	t.Run("paper has whole pages", func(t *testing.T) { printsWholePages(t, s) })
	t.Run("saved screens find what they show", func(t *testing.T) { savedScreensFindWhatTheyShow(t, s) })
	for name, scripts := range map[string]bool{"without scripts": false, "with scripts": true} {
		t.Run(name, func(t *testing.T) {
			b := browsertest.New(t, func(address string) bool {
				return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
			})
			r := reader{t, s, b}
			b.Scripts(scripts)
			r.loads(http.StatusOK, chromedp.Navigate(s.base+"/?lang=es"))
			r.sees("Fondos mutuos chilenos", "Familias por patrimonio")
			r.loads(http.StatusOK, chromedp.SendKeys(chromedp.CSS("#find"), "accionario nacional\r"))
			r.clicks(`main a[href^="/series/"]`)
			r.sees("Valor cuota", "Rentabilidades", "De dónde viene")
			r.loads(http.StatusOK, chromedp.Navigate(s.base+r.address(`dd a[href^="/fondos/"]`)))
			r.clicks(`main a[href^="/comparar"]`)
			r.sees("Comparar", "Crecimiento de 100")

			// What the front page offers first: the cheapest money-market series in pesos for retail.
			r.loads(http.StatusOK, chromedp.Navigate(s.base+"/?lang=es"))
			r.clicks(`a[href*="money_market"]`)
			cheapest := r.address(`#series tbody a[href^="/series/"]`)
			status, header, body := s.get(r.address(`a[href^="/fondos.csv"]`))
			if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") ||
				strings.Count(body, "\n") < 2 {
				t.Errorf("the file: %d %v %.300s", status, header, body)
			}
			r.loads(http.StatusOK, chromedp.Navigate(s.base+cheapest))
			r.sees("real, sobre UF")

			// The same series at a past date, and in English.
			r.loads(http.StatusOK, chromedp.Navigate(s.base+strings.ReplaceAll(cheapest, "?", "?fecha=2025-03-31&")))
			r.sees("31 mar 2025")
			r.clicks("a.language")
			r.sees("Returns", "31 Mar 2025", "Where it comes from")
		})
	}
}
