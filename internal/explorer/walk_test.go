package explorer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

// visits are the pages of the walk by the name of their picture. {series}, {closed}, {run} and so on
// are filled in by the market.
var visits = []struct{ name, path string }{
	{"market", "/"},
	{"market-past", "/?fecha=2025-03-31"},
	{"search", "/buscar?q=renta"},
	{"search-nothing", "/buscar?q=zzzz"},
}

// faults are rules that every page keeps. It gives what is wrong.
const faults = `(() => {
	const found = [];
	if (!["es", "en"].includes(document.documentElement.lang)) found.push("the page is in no language");
	if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
	if (document.querySelectorAll("main").length !== 1) found.push("not one main");
	if (!document.title.includes("cuota")) found.push("no title");
	if (document.documentElement.scrollWidth > window.innerWidth) {
		const wide = [...document.querySelectorAll("body *")].filter(of => !of.closest(".scroll") && of.getBoundingClientRect().right > window.innerWidth + 1);
		found.push("wider than the window: " + document.documentElement.scrollWidth + " " + wide.slice(0, 3).map(of => of.outerHTML.slice(0, 120)).join(" | "));
	}
	if (document.querySelector("[style], style, script:not([src])")) found.push("style or script in the page");
	const ids = [...document.querySelectorAll("[id]")].map(of => of.id);
	const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
	if (twice.length) found.push("an id is there twice: " + twice[0]);
	for (const table of document.querySelectorAll("table")) if (!table.caption) found.push("a table without a caption");
	for (const missing of document.querySelectorAll("td, th"))
		if (missing.textContent.trim() === "—") found.push("a value is missing without its reason: " + missing.parentElement.textContent.slice(0, 100));
	return found;
})()`

func TestEveryPageIsReadableInARealBrowser(t *testing.T) {
	s := synthetic(t)
	axe := browsertest.Axe(t)
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:") // icons of form fields
	})
	screens := []struct {
		name          string
		width, height int64
		scheme        string
		language      string
	}{
		{"375", 375, 740, "light", "es"}, {"768", 768, 1000, "dark", "en"}, {"1280", 1280, 900, "light", "es"},
		{"375-dark", 375, 740, "dark", "en"}, {"1280-dark", 1280, 900, "dark", "es"},
	}
	b.Looks(1280, 800, "light")
	must(t, chromedp.Do(b.Ctx, chromedp.Navigate(s.base+"/?lang=en")))
	b.PictureOfWindow("readme.png")
	for _, visit := range visits {
		for i, screen := range screens {
			b.Looks(screen.width, screen.height, screen.scheme)
			separator := "?"
			if strings.Contains(visit.path, "?") {
				separator = "&"
			}
			b.Problems()
			must(t, chromedp.Do(b.Ctx, chromedp.Navigate(s.base+visit.path+separator+"lang="+screen.language)))
			problems, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]string](faults))
			must(t, err)
			problems = append(problems, b.Problems()...)
			if i < 2 {
				problems = append(problems, b.Violations(axe)...)
			}
			for _, problem := range problems {
				t.Errorf("%s at %s: %s", visit.path, screen.name, problem)
			}
			b.Picture(fmt.Sprintf("%s-%s.png", visit.name, screen.name))
		}
	}
}
