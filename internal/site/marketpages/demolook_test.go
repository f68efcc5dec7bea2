package marketpages_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

// emptyColumns lists the columns of which no cell has a value.
const emptyColumns = `[...document.querySelectorAll("main table")].flatMap(table => [...table.tHead.rows[0].cells].
	filter((_, i) => table.tBodies[0].rows.length && [...table.tBodies[0].rows].every(row =>
		row.cells[i].firstChild.textContent.trim() === "—")).map(of => table.id + ": " + of.textContent))`

// unmoved lists the rises and falls that are none.
const unmoved = `["alzas", "bajas", "alzas-mes", "bajas-mes"].flatMap(id => [...document.querySelectorAll(
	"#" + id + " tbody tr")].filter(row => !row.querySelector(id.startsWith("alzas") ? ".gain" : ".loss") ||
		/^[+−]?0,00/.test(row.cells[1].textContent.trim())).map(row => row.textContent))`

// uncovered lists the changes and returns of families below a half, and those that don't say of how many series they
// are though the table hides others for that.
const uncovered = `[...document.querySelectorAll("#familias tbody td .sub")].filter(of =>
	/ de .* series, /.test(of.textContent)).filter(of => of.parentElement.firstChild.textContent.trim() !== "—" &&
		parseFloat(of.textContent.split("series, ")[1].replace(",", ".")) < 50).map(of => of.parentElement.textContent)`

// longNames lists the names of families that take more than three lines.
const longNames = `[...document.querySelectorAll("#familias tbody th")].filter(of => {
	const range = document.createRange();
	range.selectNodeContents(of.querySelector("a") ?? of);
	return new Set([...range.getClientRects()].map(line => Math.round(line.bottom))).size > 3;
}).map(of => of.textContent)`

// scrolled lists the tables that are wider than their box.
const scrolled = `[...document.querySelectorAll("main .scroll")].filter(of => of.scrollWidth > of.clientWidth).map(of =>
	of.querySelector("table").id)`

// The demo market has one day of nearly all series, so what a reader sees first must not come from the few others.
func TestTheFrontPageOfTheDemoLeadsToNoWrongHeadline(t *testing.T) {
	longtest.InTurns(t)
	s := serve(t, demotest.Published(t), time.Date(2025, 7, 21, 12, 0, 0, 0, time.UTC))
	t.Run("a manager's two counts of funds are what their labels say", func(t *testing.T) { fundsAreCounted(t, s) })
	b := browsertest.New(t, func(string) bool { return true })
	t.Run("a series with one day has a sentence and no chart", func(t *testing.T) { saysOneDay(chartReader{reader{t, s, b}}) })
	r := reader{t, s, b}
	b.Looks(1280, 800, "light")
	r.loads(http.StatusOK, chromedp.Navigate(s.base+"/?lang=es"))
	for name, expression := range map[string]string{"has only dashes": emptyColumns, "does not move": unmoved,
		"is of less than half": uncovered, "is a name on more than three lines": longNames, "scrolls at 1280": scrolled} {
		if faults := texts(t, b, expression); len(faults) > 0 {
			t.Errorf("the front page shows what %s: %.600q", name, faults)
		}
	}
	r.sees("make demo-market", "entre las 9 series con más de un día de datos",
		"el color, la rentabilidad de un año al", "según la CMF", "Flujo día hábil (el día hábil no está completo")
	if covered := texts(t, b, `[...document.querySelectorAll("#familias tbody .sub")].map(of => of.textContent).
		filter(of => of.includes(" series, "))`); len(covered) < 10 {
		t.Errorf("%d returns of families state their coverage", len(covered))
	}
	if heads := texts(t, b, `[...document.querySelectorAll("#familias thead th")].map(of => of.textContent)`); strings.
		Contains(strings.Join(heads, "|"), "Flujo día") {
		t.Errorf("the table has a flow of the Sunday: %q", heads)
	}
	r.clicks(`.starts a[href*="sort=1y"]`)
	r.sees("según la CMF, de mayor a menor", "y por ella se ordena")
	first := texts(t, b, `[...document.querySelectorAll("#series tbody tr")].map(row => [...row.cells].find(cell =>
		cell.dataset.label === "1 año").textContent.trim())`)
	if len(first) != 50 {
		t.Fatalf("%d rows", len(first))
	}
	previous := 1e9
	for _, text := range first {
		number, source, found := strings.Cut(strings.NewReplacer("\u00a0", "", "+", "", ",", ".").Replace(text), "%")
		value, err := strconv.ParseFloat(number, 64)
		if err != nil || !found || !strings.Contains(source, "CMF") || value > previous {
			t.Errorf("%q stands after %v (%v)", text, previous, err)
		}
		previous = value
	}
	// The file of the same list has what gave each row its place.
	_, _, file := s.get("/fondos.csv?currency=PESOS&sort=1y&order=desc")
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	must(t, err)
	at := slices.IndexFunc(rows[0], func(name string) bool { return strings.HasPrefix(name, "official_return_1y") })
	previous = 1e9
	for _, row := range rows[1:] {
		value, err := strconv.ParseFloat(row[at], 64)
		if err != nil || value > previous {
			t.Errorf("in the file %q stands after %v (%v)", row[at], previous, err)
		}
		previous = value
	}
	if len(rows) != 51 {
		t.Errorf("the file has %d lines", len(rows))
	}
}

// fundsAreCounted compares the two counts of each manager with its series and the list of the API.
func fundsAreCounted(t *testing.T, s *servedSite) {
	type list struct {
		Data []struct {
			ID         string
			Attributes struct{ Name, RUN, AGF string }
		}
		Meta struct{ Total int }
	}
	quoted := map[string]map[string]bool{} // RUNs of the series with a unit price, by manager
	for offset, total := 0, 1; offset < total; offset += 200 {
		page := fromAPI[list](s, "/api/screener?limit=200&offset="+strconv.Itoa(offset))
		total = page.Meta.Total
		for _, of := range page.Data {
			if quoted[of.Attributes.AGF] == nil {
				quoted[of.Attributes.AGF] = map[string]bool{}
			}
			quoted[of.Attributes.AGF][of.Attributes.RUN] = true
		}
	}
	managers, differ := fromAPI[list](s, "/api/asset_providers"), 0
	for _, m := range managers.Data {
		funds, listed := quoted[m.Attributes.Name], map[string]bool{}
		if len(funds) == 0 {
			continue
		}
		for _, of := range fromAPI[list](s, "/api/asset_providers/"+m.ID+"/conceptual_assets").Data {
			listed[of.Attributes.RUN] = true
		}
		for run := range funds {
			if !listed[run] {
				t.Errorf("%s: the list lacks %s, which has a unit price", m.Attributes.Name, run)
			}
		}
		if len(listed) != len(funds) {
			differ++
		}
		_, _, body := s.get("/administradoras?lang=es&administradora=" + url.QueryEscape(m.Attributes.Name))
		_, fact, there := strings.Cut(body, ">Fondos</dt><dd>"+strconv.Itoa(len(funds)))
		if !there || !strings.HasPrefix(fact, `<span class="sub">con valor cuota ese día o en los siete anteriores`) {
			t.Errorf("%s: the page does not count %d funds with a unit price", m.Attributes.Name, len(funds))
		}
		_, rest, there := strings.Cut(body, "Sus fondos mutuos vigentes hoy según el registro, también los que no tienen valor cuota")
		rest, _, _ = strings.Cut(rest, "</table>")
		if n := strings.Count(rest, `<th scope="row"`); !there || n != len(listed) {
			t.Errorf("%s: the page lists %d funds, the API %d", m.Attributes.Name, n, len(listed))
		}
	}
	if differ == 0 || len(quoted) < 15 {
		t.Errorf("of %d managers, the counts of %d differ: nothing was compared", len(quoted), differ)
	}
}
