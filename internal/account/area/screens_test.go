package area_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestAScreenIsSavedOpenedAndRemoved(t *testing.T) {
	r := newRig(t, options{})
	b := r.browser(t)
	const query = "category=balanced&currency=PESOS&columnas=tac,1y&offset=50&batch_id=20250720-1-a&lang=en&fecha=2024-01-01"
	form := "/account/screens?nombre=" + url.QueryEscape("Categoría: <b>") + "&busqueda=" + url.QueryEscape(query)
	b.page(form).want(http.StatusSeeOther) // to sign in
	b.signIn("ana@example.cl")
	const kept = "category=balanced&amp;columnas=tac%2C1y&amp;currency=PESOS"
	b.page(form).want(http.StatusOK).shows(`value="Categoría: &lt;b&gt;"`, `name="busqueda" value="`+kept+`"`)
	save := func(name, query string) answer { return b.form("/account/screens", "nombre", name, "busqueda", query) }
	save("  Balanceados\n en pesos ", query).want(http.StatusSeeOther)
	save("<script>", "?q=a%26b").want(http.StatusSeeOther)
	b.page("/account").want(http.StatusOK).shows(`href="/fondos?`+kept+`">Balanceados en pesos</a>`,
		`href="/fondos?q=a%26b">&lt;script&gt;</a>`)

	for name, got := range map[string]answer{
		"no name":           save(" ", query),
		"a name too long":   save(strings.Repeat("ñ", 81), query),
		"a hidden sign":     save("a\u202eb", query),
		"a query too long":  save("x", "q="+strings.Repeat("x", 1000)),
		"a broken query":    save("x", "q=%zz"),
		"a semicolon":       save("x", "q=1;held=todas"),
		"what is not UTF-8": save("x", "q=%ff"),
		"a zero":            save("x", "q=%00"),
		"no such filter":    save("x", "filter=1"),
		"its page":          b.page("/account/screens?busqueda=filter%3D1"),
	} {
		if got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d", name, got.status)
		}
	}
	r.market.gone.Store(true)
	save("x", "q=1").want(http.StatusServiceUnavailable)
	r.market.gone.Store(false)
	// The same page in the other language has the same choice.
	if other := `class="language" href="/account/screens?busqueda=` + url.QueryEscape(query) + `&lang=en&nombre=` +
		url.QueryEscape("Categoría: <b>") + `"`; !strings.Contains(html.UnescapeString(b.page(form).body), other) {
		t.Errorf("the page has no %s", other)
	}
	b.form("/account/screens/remove", "nombre", "<script>").want(http.StatusSeeOther)
	if page := b.page("/account").want(http.StatusOK).content(); strings.Contains(page, "&lt;script&gt;") {
		t.Error("a removed screen is still shown")
	}
	for i := range 19 {
		save(fmt.Sprint("número ", i), "q=1").want(http.StatusSeeOther)
	}
	if got := save("uno más", "q=1"); got.status != http.StatusConflict || !strings.Contains(got.content(), "veinte") {
		t.Errorf("a screen too many: %d %s", got.status, got.content())
	}
	other := r.browser(t)
	other.signIn("eva@example.cl")
	if page := other.page("/account").want(http.StatusOK).content(); strings.Contains(page, "Balanceados") {
		t.Error("another person sees the screens")
	}
}
