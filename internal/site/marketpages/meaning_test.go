package marketpages_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

// What a word means in docs/glossary.md is told to whoever points at it, and to whoever opens the words of the page.
func explainsItsWords(t *testing.T, s *servedSite) {
	text, err := os.ReadFile("../../../docs/glossary.md")
	must(t, err)
	b := browsertest.New(t, func(string) bool { return true })
	r := reader{t, s, b}
	family, series := "", ""
	for _, visit := range s.visits() {
		switch visit.name {
		case "family":
			family = visit.path
		case "series":
			series = visit.path
		}
	}
	for _, page := range []struct{ path, selector, shown string }{
		{series, "#tabla-riesgo tbody th", "Beta with its family"},
		{series, "#tabla-riesgo tbody th", "Tracking error to its family"},
		{series, "dl.facts dt", "Annual cost (TAC)"},
		{"/fondos?columnas=tac,shareholders", "#series thead th", "Shareholders"},
		{family, "dl.facts dt", "Mean TAC"},
	} {
		separator := "?"
		if strings.Contains(page.path, "?") {
			separator = "&"
		}
		r.loads(http.StatusOK, chromedp.Navigate(s.base+page.path+separator+"lang=en"))
		found := `[...document.querySelectorAll("` + page.selector + `")].find(of => of.textContent.trim().startsWith("` + page.shown + `"))`
		do(t, b, found+`.scrollIntoView({block: "center"})`)
		box := `(box => box.left + Math.min(12, box.width / 2))(` + found + `.getBoundingClientRect())`
		x, y := number(t, b, box), number(t, b, `(box => box.top + box.height / 2)(`+found+`.getBoundingClientRect())`)
		must(t, chromedp.Do(b.Ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y)))
		meaning := texts(t, b, `[[...document.querySelectorAll(":hover")].findLast(of => of.title)?.title ?? ""]`)[0]
		if meaning == "" || !strings.Contains(string(text), "| "+meaning) {
			t.Errorf("%s: whoever points at %q is told %q, which docs/glossary.md lacks", page.path, page.shown, meaning)
		}
		must(t, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS("details:has(dl.terms) > summary"))))
		r.sees(meaning)
	}
}
