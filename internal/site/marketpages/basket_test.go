package marketpages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

// Series that a reader picks on several pages are compared together.
func fillTheBasket(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	axe := browsertest.Axe(t)
	opens := func(t *testing.T, path string) {
		t.Helper()
		reader{t, s, b}.loads(http.StatusOK, chromedp.Navigate(s.base+path))
	}
	text := func(t *testing.T, expression string) string {
		t.Helper()
		got, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](expression))
		must(t, err)
		return got
	}
	const told = `document.querySelector(".basket-told").textContent`
	const bar = `(of => of.hidden ? "hidden" : of.querySelector("a").textContent)(document.querySelector(".basket"))`
	picks := func(t *testing.T, nth int) {
		t.Helper()
		do(t, b, fmt.Sprintf(`document.querySelectorAll("button.pick")[%d].click()`, nth))
	}
	for _, width := range []int64{375, 1280} {
		t.Run(fmt.Sprintf("picked series at %d pixels", width), func(t *testing.T) {
			b.Looks(width, 800, "light")
			opens(t, "/fondos?lang=es")
			if got := text(t, bar); got != "hidden" {
				t.Fatalf("the bar says %q", got)
			}
			picks(t, 0)
			picks(t, 1)
			if got := text(t, bar); got != "Comparar: 2 series" {
				t.Errorf("the bar says %q", got)
			}
			pressed := text(t, `document.querySelectorAll("button.pick")[0].ariaPressed + " " + `+told)
			if !strings.HasPrefix(pressed, "true ") || !strings.HasSuffix(pressed, ": agregada a la comparación") {
				t.Errorf("the button and the message are %q", pressed)
			}
			for _, problem := range append(b.Violations(axe), b.Faults()...) {
				t.Error(problem)
			}
			id := func(nth int) string {
				return text(t, fmt.Sprintf(`document.querySelectorAll("#series a[data-series]")[%d].dataset.series`, nth))
			}
			second, third := id(1), id(2)
			opens(t, "/series/"+third+"?lang=es")
			if got := text(t, bar); got != "Comparar: 2 series" {
				t.Errorf("on another page the bar says %q", got)
			}
			picks(t, 0)
			r := reader{t, s, b}
			r.loads(http.StatusOK, chromedp.Click(chromedp.CSS(".basket a")))
			const compared = `document.querySelectorAll("ul.chosen li").length + " " + `
			if got := text(t, compared+`location.pathname`); got != "3 /comparar" {
				t.Errorf("it leads to %s", got)
			}
			// One that is removed from the comparison is not in the next one either.
			r.clicks("ul.chosen li:first-child a.remove")
			if got := text(t, compared+bar); got != "2 Comparar: 2 series" {
				t.Errorf("after a removal there are %s", got)
			}
			opens(t, "/comparar?lang=es&series=1,"+third) // 1 is no series; it was in no basket
			r.clicks(`a.remove[data-unpick="1"]`)
			r.clicks("a.remove")
			if got := text(t, bar); got != "Comparar: 1 serie" {
				t.Errorf("after the removal of the third the bar says %q", got)
			}
			// A search has ticks, which are sent without scripts: it has no buttons beside them.
			opens(t, "/buscar?lang=es&q="+url.QueryEscape(second))
			found := text(t, `document.querySelectorAll("#fondos button.pick").length + " buttons, ticks: " +
				(document.querySelectorAll("#fondos input[type=checkbox]").length > 0)`)
			if found != "0 buttons, ticks: true" {
				t.Errorf("the search has %s", found)
			}
			for _, problem := range append(b.Violations(axe), b.Faults()...) {
				t.Error(problem)
			}
			opens(t, "/fondos?lang=es&orden=&offset=50")
			for i := range 10 {
				picks(t, i)
			}
			if got := text(t, bar+` + ": " + `+told); got !=
				"Comparar: 10 series: La comparación ya tiene diez series: quite una" {
				t.Errorf("with ten it says %q", got)
			}
			picks(t, 0)
			if got := text(t, bar); got != "Comparar: 9 series" {
				t.Errorf("with one less the bar says %q", got)
			}
			must(t, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS(".basket button"))))
			if got := text(t, bar+` + " " + document.activeElement.id`); got != "hidden contenido" {
				t.Errorf("the emptied bar says %q", got)
			}
			do(t, b, `localStorage.setItem("cuota.comparar", "[broken")`)
			opens(t, "/fondos?lang=es")
			picks(t, 0)
			if got := text(t, bar); got != "Comparar: 1 serie" {
				t.Errorf("after what this site did not write the bar says %q", got)
			}
			// A browser whose room is full is not said to keep anything.
			do(t, b, `Storage.prototype.setItem = () => { throw new Error("full") }`)
			picks(t, 1)
			if got := text(t, bar+` + ": " + `+told); got !=
				"Comparar: 1 serie: Este navegador no pudo guardar la comparación" {
				t.Errorf("without room it says %q", got)
			}
			do(t, b, `localStorage.clear()`)
			for _, noted := range b.Problems() {
				t.Error(noted)
			}
		})
	}
}
