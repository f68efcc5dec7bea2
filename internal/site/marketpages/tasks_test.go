package marketpages_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"cuota/internal/testkit/browsertest"
)

// mostClicks is how many clicks an everyday question may take from the front page. Text that is typed is no click, nor
// is the key that sends it.
const mostClicks = 4

// asker is a reader with a question, whose clicks are counted.
type asker struct {
	reader
	clicked int
}

// begins opens the front page.
func (a *asker) begins() {
	a.t.Helper()
	a.clicked = 0
	a.loads(http.StatusOK, chromedp.Navigate(a.s.base+"/?lang=es"))
}

// follows clicks on a link or a button that leads to another page.
func (a *asker) follows(selector string) {
	a.t.Helper()
	a.clicked++
	there, err := chromedp.Run(a.b.Ctx, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q) !== null", selector)))
	must(a.t, err)
	if !there {
		a.t.Fatalf("%s has no %s", a.where(), selector)
	}
	a.clicks(selector)
}

// finds searches for a text in the head of the page.
func (a *asker) finds(text string) {
	a.t.Helper()
	a.loads(http.StatusOK, chromedp.SendKeys(chromedp.CSS("#find"), text+"\r"))
}

// where returns the path and the query of the page.
func (a *asker) where() string {
	a.t.Helper()
	at, err := chromedp.Run(a.b.Ctx, chromedp.Evaluate[string](`location.pathname + location.search`))
	must(a.t, err)
	return at
}

// done fails if it took too many clicks.
func (a *asker) done() {
	a.t.Helper()
	if a.clicked > mostClicks {
		a.t.Errorf("it took %d clicks", a.clicked)
	}
}

// The questions that people bring, each from the front page to its answer, without scripts. Those about keys, alerts
// and watched series are in the tests of the account area.
func askEverydayQuestions(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	b.Scripts(false)
	ask := func(question string, answer func(t *testing.T, a *asker)) {
		t.Run(question, func(t *testing.T) {
			a := &asker{reader: reader{t, s, b}}
			a.begins()
			answer(t, a)
			a.done()
		})
	}
	fund := fromAPI[struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes struct {
				RUN    string `json:"run"`
				Serie  string `json:"serie"`
				Family string `json:"fundFamily"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/screener?limit=1&category=money_market&currency=PESOS&investor_class=Retail&sort=tac_by_kind&held=true")
	if len(fund.Data) != 1 {
		t.Fatal("the market has no money-market series for retail")
	}
	cheapest := fund.Data[0]
	ask("the cheapest money-market series for retail, and how it did against the UF", func(t *testing.T, a *asker) {
		a.follows(`a[href*="money_market"]`)
		a.follows(`#series tbody td a[href^="/series/"]`)
		if at := a.where(); !strings.HasPrefix(at, "/series/"+cheapest.ID+"?") {
			t.Errorf("it leads to %s, want series %s", at, cheapest.ID)
		}
		a.sees("real, en pesos sobre UF")
	})
	ask("the lines of the regulator's file that a return comes from", func(t *testing.T, a *asker) {
		a.follows(`a[href*="money_market"]`)
		a.follows(`#series tbody td a[href^="/series/"]`)
		a.follows(`#tabla-rentabilidades a[href^="/recibo?"]`)
		a.sees("Valor cuota al final", "líneas que lo informan", "Línea", " ÷ ")
	})
	ask("three balanced funds over three years, after costs", func(t *testing.T, a *asker) {
		a.follows(`#familias a[href*="Balanceado"]`)
		a.follows(`a.button[href^="/comparar"]`)
		a.follows(`a[href*="plazo=3y"]`)
		a.sees("Comparar", "TAC")
		series, err := chromedp.Run(a.b.Ctx, chromedp.Evaluate[int](`document.querySelectorAll("ul.chosen li").length`))
		must(t, err)
		if series < 2 || series > 3 {
			t.Errorf("%d series are compared", series)
		}
	})
	ask("the managers that lost most equity this year", func(t *testing.T, a *asker) {
		a.follows(`nav a[href^="/administradoras"]`)
		a.follows(`a[href*="periodo=anio"]`)
		a.follows(`#cambios th a[href*="orden=cambio"]`)
		a.follows(`#cambios th a[href*="orden=cambio"]`)
		a.sees("comparadas con el")
		sorted, err := chromedp.Run(a.b.Ctx,
			chromedp.Evaluate[string](`document.querySelector("#cambios th[aria-sort]").ariaSort`))
		must(t, err)
		if sorted != "ascending" {
			t.Errorf("the change is sorted %s", sorted)
		}
	})
	ask("what a fund holds", func(t *testing.T, a *asker) {
		a.finds(cheapest.Attributes.RUN)
		a.follows(`#fondos a[href^="/fondos/"]`)
		a.sees("Cartera", "Lo que el fondo tenía al cierre de")
	})
	ask("who raised and who lowered costs", func(t *testing.T, a *asker) {
		a.follows(`nav a[href^="/tac"]`)
		a.sees("Antes", "Ahora")
	})
	ask("which funds have closed, and why", func(t *testing.T, a *asker) {
		a.follows(`a[href^="/cerrados"]`)
		a.sees("Por qué cerró")
	})
	ask("the daily values of a fund for Excel", func(t *testing.T, a *asker) {
		a.finds(cheapest.Attributes.RUN + " " + cheapest.Attributes.Serie)
		a.follows(`#fondos a[href^="/series/` + cheapest.ID + `"]`)
		a.clicked++ // the link to the file
		status, header, body := s.get(a.address(`#grafico a[href*=".xlsx"]`))
		if status != http.StatusOK || !strings.Contains(header.Get("Content-Type"), "spreadsheetml") || len(body) < 2000 {
			t.Errorf("the file: %d, %q, %d bytes", status, header.Get("Content-Type"), len(body))
		}
	})
	ask("the market of a past day as it was", func(t *testing.T, a *asker) {
		must(t, chromedp.Do(b.Ctx, chromedp.SetValue(chromedp.CSS("#fecha"), "2025-03-14")))
		a.follows(`form.date button`)
		a.follows(`a[href*="universo=entonces"]`)
		a.sees("14 mar 2025", "también las que cerraron después")
	})
	ask("a fund in dollars, in pesos", func(t *testing.T, a *asker) {
		dollar := fromAPI[struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}](s, "/api/screener?limit=1&currency=DOLAR&sort=1y&order=desc").Data
		if len(dollar) != 1 {
			t.Fatal("the market has no series in dollars")
		}
		of := fromAPI[struct {
			Data struct {
				Attributes struct {
					RUN   string `json:"run"`
					Serie string `json:"serie"`
				} `json:"attributes"`
			} `json:"data"`
		}](s, "/api/real_assets/"+dollar[0].ID).Data.Attributes
		a.finds(fmt.Sprint(of.RUN, " ", of.Serie))
		a.follows(`#fondos a[href^="/series/` + dollar[0].ID + `"]`)
		a.follows(`a[href*="valor=pesos"]`)
		a.sees("En pesos")
	})
	ask("what my own purchases earned", func(t *testing.T, a *asker) {
		a.follows(`nav a[href^="/mi-cartera"]`)
		must(t, chromedp.Do(b.Ctx, chromedp.SetValue(chromedp.CSS(`textarea[name="movimientos"]`),
			"2025-03-14;"+cheapest.Attributes.RUN+" "+cheapest.Attributes.Serie+";compra;1000000")))
		a.follows(`form[data-portfolio] button[type="submit"]`)
		a.sees("La serie más barata", "UF")
	})
}

// What a text finds is listed while it is typed, and read with the arrow keys.
func typeIntoTheSearch(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	axe := browsertest.Axe(t)
	fund := fromAPI[struct {
		Data []struct {
			Attributes struct {
				RUN  string `json:"run"`
				Fund string `json:"fundName"`
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
			// A search that finds the second has a button for it, which is pressed.
			opens(t, "/buscar?lang=es&q="+url.QueryEscape(second))
			found := text(t, `[...document.querySelectorAll("#fondos button.pick")].map(of => of.ariaPressed).join(" ")`)
			if strings.Count(found, "true") != 1 {
				t.Errorf("the buttons of the search are pressed: %q", found)
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
