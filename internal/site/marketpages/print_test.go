package marketpages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

// Paper of A4 without the margins of the browser, in pixels.
const paperPortrait, paperLandscape = 718, 1047

// leftOut lists what is beyond the right margin of the paper. A line of a chart ends at its edge.
const leftOut = `[...document.querySelectorAll("main *, footer *")].filter(of => of.checkVisibility() &&
	!of.closest(".hidden") && of.getBoundingClientRect().right > innerWidth + 1 &&
	of.getBoundingClientRect().width).map(of => of.outerHTML.slice(0, 120))`

// onlyClicked lists what is of no use on paper. Buttons of a chart are its legend.
const onlyClicked = `[...document.querySelectorAll("header nav, nav ul.choices li:not(:has([aria-current])), form, " +
	"summary, button:not(.named), .button, .basket, .keep, .remove")].filter(of => of.checkVisibility()).
	map(of => of.outerHTML.slice(0, 120))`

// unrepeated lists tables whose titles are not on each sheet, or that scroll.
const unrepeated = `[...document.querySelectorAll("table")].filter(of => of.tHead && of.checkVisibility() &&
	(getComputedStyle(of.tHead).display !== "table-header-group" ||
		getComputedStyle(of.closest(".scroll") ?? of).overflowX !== "visible")).map(of => of.id)`

func printsWholePages(t *testing.T, s *servedSite) {
	b := browsertest.New(t, func(string) bool { return true })
	r := reader{t, s, b}
	found := fromAPI[struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}](s, "/api/screener?limit=10&currency=PESOS")
	ten := url.Values{}
	for _, of := range found.Data {
		ten.Add("series", of.ID)
	}
	if len(found.Data) != 10 {
		t.Fatalf("there are %d series to compare", len(found.Data))
	}
	pages := append(s.visits(), visit{"compare-ten", "/comparar?" + ten.Encode()})
	for _, visit := range pages {
		if strings.HasSuffix(visit.name, "-unknown") || visit.name == "no-page" {
			continue
		}
		b.Looks(1280, 800, "light")
		r.loads(http.StatusOK, chromedp.Navigate(s.base+visit.path))
		b.Prints(paperPortrait, 1000)
		if of := texts(t, b, `[getComputedStyle(document.body).page]`)[0]; of == "wide" {
			b.Prints(paperLandscape, 700)
		}
		for name, expression := range map[string]string{"is cut off": leftOut, "can only be clicked": onlyClicked,
			"has no titles on each sheet": unrepeated} {
			if faults := texts(t, b, expression); len(faults) > 0 {
				t.Errorf("%s on paper: %d × %s: %.400q", visit.path, len(faults), name, faults)
			}
		}
		b.Picture("paper-" + visit.name + ".png")
		if slices.Contains([]string{"screener", "series", "compare-ten", "family"}, visit.name) {
			printsAllSheets(t, b, visit.name)
		}
	}
	b.Looks(1280, 800, "light")
	r.loads(http.StatusOK, chromedp.Navigate(s.base+"/mi-cartera?lang=es"))
	must(t, chromedp.Do(b.Ctx, chromedp.SetValue(chromedp.CSS("#movimientos"), "2025-03-31;"+found.Data[0].ID+";compra;1000000")))
	r.clicks("form.portfolio button")
	r.sees("Su cartera al")
	b.Prints(paperPortrait, 1000)
	printsAllSheets(t, b, "portfolio")
}

// printsAllSheets prints the page, which the browser shows as on paper, into a PDF. It must have as many sheets as the
// height of the page takes.
func printsAllSheets(t *testing.T, b *browsertest.Browser, name string) {
	t.Helper()
	wide := texts(t, b, `[getComputedStyle(document.body).page]`)[0] == "wide"
	sheet := float64(paperLandscape)
	options := []chromedp.PDFOption{chromedp.PDFPaper(chromedp.PaperA4)}
	if wide {
		sheet, options = paperPortrait, append(options, chromedp.PDFLandscape())
	}
	least := int(number(t, b, `document.documentElement.scrollHeight`) / sheet)
	file, err := chromedp.Run(b.Ctx, chromedp.PrintToPDF(options...))
	must(t, err)
	if sheets := len(sheetOfPDF.FindAll(file, -1)); sheets < max(1, least) {
		t.Errorf("the PDF of %s has %d sheets, want %d or more", name, sheets, least)
	}
	title, numbers, clicked := texts(t, b, `[document.querySelector("h1").textContent]`), texts(t, b, printedNumbers),
		texts(t, b, clickedTexts)
	if len(numbers) < 3 || len(clicked) < 5 {
		t.Fatalf("%s has the numbers %q, and %q only on the screen", name, numbers, clicked)
	}
	t.Run("the text of "+name, func(t *testing.T) {
		read := browsertest.TextOfPDF(t, file)
		for _, text := range append(title, numbers...) {
			if text = strings.Join(strings.Fields(text), " "); !strings.Contains(read, text) {
				t.Errorf("the PDF does not have %q: %.2000s", text, read)
			}
		}
		for _, text := range clicked {
			if strings.Contains(read, text) {
				t.Errorf("the PDF has %q, which can only be clicked", text)
			}
		}
	})
}

// printedNumbers are some numbers of the page: amounts, rates and quotas with decimals.
const printedNumbers = `[...document.querySelectorAll("main td, main dd")].filter(of => of.checkVisibility()).
	map(of => of.firstChild?.textContent.trim() ?? "").filter(text => /^[+−-]?\d[\d.,]*[.,]\d+(\s?%)?$/.test(text)).slice(0, 5)`

// clickedTexts are what links of the navigation and buttons say, without what the page says elsewhere too.
const clickedTexts = `[...document.querySelectorAll("header nav a, .bar a:not(.brand), button:not(.named), .button")].
	map(of => of.textContent.trim().replace(/\s+/g, " ")).
	filter(text => text.length > 3 && !document.body.innerText.replace(/\s+/g, " ").includes(text))`

var sheetOfPDF = regexp.MustCompile(`/Type\s*/Page\b[^s]`)
