package marketpages

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
)

// titles returns the titles of the columns of the screener's table.
func titles(t *testing.T, page string) (list []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for node := range root.Descendants() {
		if node.Data == "th" && node.Parent.Parent.Data == "thead" {
			text := node.FirstChild
			for text.Type != html.TextNode {
				text = text.FirstChild
			}
			list = append(list, strings.TrimRight(text.Data, "\u00a0▲▼"))
		}
	}
	return list
}

func TestTheReaderChoosesTheColumnsInTheAddress(t *testing.T) {
	usual := []string{"Fondo", "Serie", "TAC", "Categoría", "Moneda", "1 mes", "1 año", "3 años", "5 años", "Esferas CMF",
		"Patrimonio", "Partícipes"}
	for query, want := range map[string][]string{
		"":                              usual,
		"columnas=":                     usual,
		"columnas=nothing,fund":         usual,
		"columnas=run,tac":              {"Fondo", "Serie", "TAC", "RUN"},
		"columnas=run&columnas=tac":     {"Fondo", "Serie", "TAC", "RUN"},
		"columnas=tac,tac,%3Cb%3E,6m":   {"Fondo", "Serie", "TAC", "6 meses"},
		"columnas=equity&sort=id":       {"Fondo", "Serie", "Patrimonio"},
		"columnas=equity&sort=1y":       {"Fondo", "Serie", "1 año", "Patrimonio"},        // what sorts is shown
		"columnas=tac,equity&sort=1y":   {"Fondo", "Serie", "1 año", "TAC", "Patrimonio"}, // and comes first
		"columnas=volatility,drawdown":  {"Fondo", "Serie", "TAC", "Volatilidad", "Mayor caída"},
		"columnas=family,price&sort=id": {"Fondo", "Serie", "Familia", "Valor cuota"},
	} {
		m := newScreenerMarket() // each of its usual columns has a value
		m.bodies["/pages/official-returns/series"] = `{"date":"2025-09-30","series":[{"id":7,"returns":[0.1,0.1,0.1]}]}`
		if got := titles(t, m.page(t, locale.Spanish, query)); !slices.Equal(got, want) {
			t.Errorf("%q shows %q, want %q", query, got, want)
		}
	}
}

func TestColumnsForWhichThereIsNoRoomAreLeftOutAndTold(t *testing.T) {
	var names []string
	for _, c := range screenerColumns {
		names = append(names, c.name)
	}
	all := strings.Join(names, ",")
	if len(names) > 20 || len(all) > 200 {
		t.Errorf("%d columns of %d bytes: a form could not ask for all of them", len(names), len(all))
	}
	page := newScreenerMarket().page(t, locale.English, "sort=id&columnas="+all)
	if got := titles(t, page); len(got) != 2+mostColumns || got[2] != "TAC" {
		t.Errorf("the table has %d columns: %q", len(got), got)
	}
	const told = "The table has the first 11."
	wantIn(t, page, told)
	wantNotIn(t, newScreenerMarket().page(t, locale.English, "columnas="+strings.Join(names[:mostColumns], ",")), told)
	wantIn(t, newScreenerMarket().page(t, locale.English,
		"sort=5y_ann&columnas="+strings.Join(names[:mostColumns], ",")), told)
}

// Each link to the page itself keeps the columns: those that sort, turn pages, remove a filter or change the language.
// So do both forms.
func TestLinksOfTheScreenerKeepTheColumns(t *testing.T) {
	page := newScreenerMarket().page(t, locale.Spanish, "columnas=run&columnas=tac&q=x&offset=50&lang=es")
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for node := range root.Descendants() {
		to, hidden := "", ""
		for _, a := range node.Attr {
			switch {
			case node.Data == "a" && a.Key == "href":
				to = a.Val
			case node.Data == "input" && a.Key == "value" && node.Attr[0].Val == "hidden":
				hidden = a.Val
			}
		}
		u, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		usual := node.Data == "a" && strings.Contains(node.FirstChild.Data, "habituales")
		inNavigation := node.Data == "a" && node.Parent.Data == "li" && node.FirstChild.Data == "Fondos"
		if u.Path == "/fondos" && !inNavigation {
			links++
			if got := u.Query().Get(columnsKey); (got == "tac,run") == usual {
				t.Errorf("the link %s has the columns %q", to, got)
			}
		}
		if hidden == "tac,run" {
			links++
		}
	}
	if links < 8 {
		t.Errorf("only %d links were found", links)
	}
	wantIn(t, page, `<input type="checkbox" name="columnas" value="run" checked>`,
		`<input type="checkbox" name="columnas" value="family">`, `name="columnas" value="tac,run"`)
	wantNotIn(t, newScreenerMarket().page(t, locale.Spanish, ""), `columnas=`)
	wantNotIn(t, newScreenerMarket().page(t, locale.Spanish, "columnas="+strings.Join(usualColumns, ",")), `columnas=`)
}

func TestEachFilterInForceIsAChipThatRemovesIt(t *testing.T) {
	page := newScreenerMarket().page(t, locale.Spanish, "q=x&category=money_market&fecha=2025-06-30&sort=tac&order=desc")
	for text, link := range map[string]string{
		"Fondo o RUN: x": "/fondos?category=money_market&amp;fecha=2025-06-30&amp;order=desc&amp;sort=tac",
		"Categoría: Mercado monetario (corto plazo)": "/fondos?fecha=2025-06-30&amp;order=desc&amp;q=x&amp;sort=tac",
		"A una fecha pasada: 30 jun 2025":            "/fondos?category=money_market&amp;order=desc&amp;q=x&amp;sort=tac",
	} {
		wantIn(t, page, `<li><a href="`+link+`">`+text+` <span aria-hidden="true">×</span>`)
	}
	if n := strings.Count(page, `aria-hidden="true">×`); n != 3 {
		t.Errorf("there are %d chips", n)
	}
	// On paper there are no chips.
	wantIn(t, page, "<caption>Series: Fondo o RUN: x; Categoría: Mercado monetario (corto plazo); ")
	wantNotIn(t, newScreenerMarket().page(t, locale.Spanish, ""), `class="chips"`)
}

func TestTheScreenerShowsShortNamesAndTheFullOnesOnHover(t *testing.T) {
	m := newScreenerMarket()
	m.bodies[screenerOperation] = strings.NewReplacer(
		`"agf":"M","fundName":"F"`,
		`"agf":"BANCHILE ADMINISTRADORA GENERAL DE FONDOS S.A.","fundName":"FONDO MUTUO BANCHILE RENTA FUTURA"`,
	).Replace(screenerReply)
	page := m.page(t, locale.Spanish, "")
	wantIn(t, page, `<a href="/fondos/1-9" title="FONDO MUTUO BANCHILE RENTA FUTURA">RENTA FUTURA</a>`+
		`<span class="sub" title="BANCHILE ADMINISTRADORA GENERAL DE FONDOS S.A.">BANCHILE</span>`)
	file, err := screenerCSV.body(t.Context(), m.visitOf(locale.Spanish, ""))
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, string(file), "FONDO MUTUO BANCHILE RENTA FUTURA", "BANCHILE ADMINISTRADORA GENERAL DE FONDOS S.A.")
}

// The longest page has as many rows and columns as it may, and nearly no values, because each missing one has a reason.
func TestAPageOfTheScreenerStaysBelow150KB(t *testing.T) {
	var reply struct {
		Data []map[string]any `json:"data"`
		Meta map[string]any   `json:"meta"`
	}
	if err := json.Unmarshal([]byte(screenerReply), &reply); err != nil {
		t.Fatal(err)
	}
	reply.Data = nil
	for i := range screenerRows {
		reply.Data = append(reply.Data, map[string]any{"id": fmt.Sprint(1e9 + i), "attributes": map[string]any{
			"agf":      "CREDICORP CAPITAL ASSET MANAGEMENT S.A. ADMINISTRADORA GENERAL DE FONDOS",
			"fundName": "FONDO MUTUO CREDICORP CAPITAL DEUDA CORPORATIVA LATAM INVESTMENT GRADE",
			"run":      fmt.Sprintf("%d-9", 9000+i),
			"serie":    "APVDIGITAL", "category": "money_market", "currency": "PESOS", "investorClass": "Alto Patrimonio",
			"cmf_spheres": map[string]any{"reason": "not_in_source"}, "returns": map[string]any{"periods": map[string]any{}},
		}})
	}
	body, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	m := newScreenerMarket()
	m.bodies[screenerOperation] = string(body)
	// In the demo, the form lists 25 families, twice, and 22 managers.
	var choices []map[string]any
	for i := range 75 {
		choices = append(choices, map[string]any{"parameter": []string{"fund_family", "cmf_family", "administrator"}[i/25],
			"value": fmt.Sprintf("Deuda > 365 dias nacional, inversion en UF > 3 años y =<%d", i), "series": 1})
	}
	for _, name := range []string{"fund_family", "cmf_family", "investor_class", "cmf_investor_type", "cmf_spheres_max"} {
		m.parameters = append(m.parameters, screenerParameter(name, httpapi.Schema{"type": "string"}))
	}
	listed, err := json.Marshal(choices)
	if err != nil {
		t.Fatal(err)
	}
	m.bodies["/pages/screener_choices"] = string(listed)
	for _, l := range []locale.Language{locale.Spanish, locale.English} {
		page := m.page(t, l, "fecha=2025-06-30&lang="+string(l)+"&sort=tac&columnas=1m,3m,6m,1y,ytd,3y_ann,5y_ann,"+
			"last_closed_month,cmf_spheres,volatility")
		if got := len(titles(t, page)); got != 2+mostColumns {
			t.Fatalf("the table has %d columns", got)
		}
		if len(page) > 150_000 {
			t.Errorf("the page has %d bytes", len(page))
		}
	}
}
