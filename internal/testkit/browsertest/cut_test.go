package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
)

func TestNumbersAndWordsThatAreCutAreFound(t *testing.T) {
	bodies := map[string]struct{ body, want string }{
		"a number that fits": {`<p>1.234.567,89</p>`, ""},
		"words that wrap":    {`<table><caption>c</caption><tr><td style="width: 5rem">much longer than this column is</td></tr></table>`, ""},
		"a table that scrolls": {`<div style="overflow: auto; width: 4rem"><table><caption>c</caption><tr><td>1.234.567.890,12</td></tr></table></div>`,
			""},
		"a text for screen readers": {`<span style="position: absolute; width: 1px; overflow: hidden; clip-path: inset(50%)">12.345 and words</span>`, ""},
		"a number in two lines":     {`<p style="width: 3rem; overflow-wrap: anywhere">1.234.567,89</p>`, "a number is broken: 1.234.567,89"},
		"a number behind an edge":   {`<div style="overflow: hidden; width: 3rem"><p style="width: 9rem">1.234.567,89</p></div>`, "a number is cut off: 1.234.567,89"},
		"a number over its edge":    {`<p style="white-space: nowrap; width: 3rem">1.234.567,89</p>`, "a number is outside of its element: 1.234.567,89"},
		"a folded number":           {`<details><summary>more</summary><p style="white-space: nowrap; width: 3rem">1.234.567,89</p></details>`, "a number is outside of its element: 1.234.567,89"},
		"a word in two lines": {`<table><caption>c</caption><tr><td style="width: 3rem; max-width: 3rem; overflow-wrap: anywhere">classification</td></tr></table>`,
			"a word is broken: classification"},
		"a label beside its cell": {`<table class="cards" style="width: 5rem; table-layout: fixed"><caption>c</caption><tr><td data-label="Equity, millions of pesos">1</td></tr></table>`,
			"a label is wider than its cell: Equity, millions of pesos"},
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<html lang="es"><style>td[data-label] { display: flex; flex-wrap: wrap; white-space: nowrap }
			td::before { content: attr(data-label) }</style><title>cuota</title><main><h1>Title</h1>%s</main></html>`, bodies[r.URL.Query().Get("of")].body)
	}))
	t.Cleanup(site.Close)
	b := browsertest.New(t, func(string) bool { return true })
	for name, of := range bodies {
		if err := chromedp.Do(b.Ctx, chromedp.Navigate(site.URL+"/?of="+strings.ReplaceAll(name, " ", "+"))); err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(b.Faults(), func(fault string) bool { return strings.HasPrefix(fault, "style or script") })
		fits := of.want == "" && len(found) == 0
		if !fits && (of.want == "" || len(found) != 1 || !strings.HasPrefix(found[0], of.want+" in ")) {
			t.Errorf("%s: it finds %q, want %q", name, found, of.want)
		}
	}
}
