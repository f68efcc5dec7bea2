package marketpages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"

	"cuota/internal/site/locale"
	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query/portfolio"
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

// table reads a table of the page.
func (a *asker) table(id string) shownTable {
	a.t.Helper()
	page, err := chromedp.Run(a.b.Ctx, chromedp.Evaluate[string](`document.documentElement.outerHTML`))
	must(a.t, err)
	shown := tableOf(a.t, page, id)
	if len(shown.rows) == 0 {
		a.t.Fatalf("%s has no row in the table %s", a.where(), id)
	}
	return shown
}

// row returns the cells of the row that begins so.
func (a *asker) row(table, begin string) []string {
	a.t.Helper()
	shown := a.table(table)
	for _, cells := range shown.rows {
		if cells[0] == begin {
			return cells
		}
	}
	a.t.Fatalf("%s has no row %q in the table %s: %q", a.where(), begin, table, shown.rows)
	return nil
}

// agrees fails unless a text of the page is a value of the API, which must be known.
func (a *asker) agrees(what, text string, value *float64) {
	a.t.Helper()
	if value == nil {
		a.t.Fatalf("the API does not know the %s", what)
	}
	if err := agrees(text, value); err != nil {
		a.t.Errorf("%s: %v", what, err)
	}
}

// askedSeries is a series of the screener of the API.
type askedSeries struct {
	ID         string `json:"id"`
	Attributes struct {
		RUN     string   `json:"run"`
		Serie   string   `json:"serie"`
		TAC     *float64 `json:"tac"`
		Returns struct {
			Periods apiPeriods `json:"periods"`
		} `json:"returns"`
	} `json:"attributes"`
}

// yearOf is the return of a series over a year, in a unit.
func yearOf(s *servedSite, id, valuation string) *float64 {
	return fromAPI[struct {
		Data struct {
			Attributes struct {
				Periods apiPeriods `json:"periods"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/real_assets/"+id+"/returns?valuation="+valuation).Data.Attributes.Periods["1y"].Value
}

// quotasOf are the days of a series.
func quotasOf(s *servedSite, id string) (days []model.Date, quotas []float64) {
	for _, of := range fromAPI[struct {
		Data []struct {
			Attributes struct {
				Date  model.Date `json:"date"`
				Price float64    `json:"price"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/real_assets/"+id+"/days?limit=5000").Data {
		days, quotas = append(days, of.Attributes.Date), append(quotas, of.Attributes.Price)
	}
	return days, quotas
}

// threeYearsOf returns a family whose name begins so, and the series that its page compares, which all have a return
// over three years.
func threeYearsOf(s *servedSite, begin string) (family string, compared []askedSeries) {
	s.t.Helper()
	for _, of := range fromAPI[struct {
		Families []struct {
			Family string `json:"family"`
		} `json:"families"`
	}](s, "/api/market-summary").Families {
		_, _, page := s.get("/familias/" + url.PathEscape(of.Family) + "?lang=es")
		_, link, there := strings.Cut(page, `class="button" href="/comparar?`)
		if link, _, _ = strings.Cut(link, `"`); !there || !strings.HasPrefix(of.Family, begin) {
			continue
		}
		query, err := url.ParseQuery(html.UnescapeString(link))
		must(s.t, err)
		compared := fromAPI[struct{ Data []askedSeries }](s, "/api/compare?series="+strings.Join(query["series"], ",")).Data
		if len(compared) == 3 && !slices.ContainsFunc(compared, func(of askedSeries) bool {
			return of.Attributes.Returns.Periods["3y_ann"].Value == nil
		}) {
			return of.Family, compared
		}
	}
	s.t.Fatalf("no family %s… compares three series of three years", begin)
	return "", nil
}

// equities are the equities of the managers on a day, by name.
func equities(s *servedSite, day string) map[string]float64 {
	of := map[string]float64{}
	for _, m := range fromAPI[struct {
		Data []struct {
			Attributes struct {
				Manager string   `json:"administrator"`
				Equity  *float64 `json:"total_patrimony"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/agf_stats/ranking?metric=patrimony&date="+day).Data {
		if m.Attributes.Equity != nil {
			of[m.Attributes.Manager] = *m.Attributes.Equity
		}
	}
	return of
}

// The questions that people bring, each from the front page to its answer, without scripts, in a market of more than
// three years. What they read is what the API answers. The one about keys is in the tests of the account area.
func TestEverydayQuestionsAreAnsweredInFourClicks(t *testing.T) {
	longtest.InTurns(t)
	s := syntheticOf(t, 200, 1600, published)
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
	type screened struct{ Data []askedSeries }
	fund := fromAPI[screened](s,
		"/api/screener?limit=1&category=money_market&currency=PESOS&investor_class=Retail&sort=tac_by_kind&held=true")
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
		a.sees("real, sobre UF")
		a.follows(`#rentabilidades a[href*="valor=uf"]`)
		a.agrees("return beyond the UF", a.row("tabla-rentabilidades", "1 año")[2], yearOf(s, cheapest.ID, "real_uf"))
	})
	ask("the lines of the regulator's file that a return comes from", func(t *testing.T, a *asker) {
		a.follows(`a[href*="money_market"]`)
		a.follows(`#series tbody td a[href^="/series/"]`)
		a.follows(`#tabla-rentabilidades a[href^="/recibo?"]`)
		a.sees("Valor cuota al final", "líneas que lo informan", "Línea", " ÷ ")
	})
	ask("three balanced funds over three years, after costs", func(t *testing.T, a *asker) {
		family, api := threeYearsOf(s, "Balanceado ")
		a.follows(`#familias a[href*="` + url.PathEscape(family) + `"]`)
		a.follows(`a.button[href^="/comparar"]`)
		a.follows(`a[href*="plazo=3y"]`)
		ids := texts(t, b, `[...document.querySelectorAll("ul.chosen li span > a")].map(of => of.pathname.split("/").pop())`)
		if len(ids) != 3 || len(api) != 3 {
			t.Fatalf("the series %q are compared, want three of %s: %v", ids, family, api)
		}
		span := texts(t, b, `(of => [of.first, of.last])(document.querySelector('figure[data-chart="crecimiento"]').dataset)`)
		want := []string{marketEnd.Time().AddDate(-3, 0, 0).Format("2006-01-02"), marketEnd.String()}
		if !slices.Equal(span, want) {
			t.Errorf("the chart is of %q, want %q", span, want)
		}
		year, cost := a.row("comparacion", "Rentabilidad, 3 años, anual"), a.row("comparacion", "TAC")
		funds := map[string]bool{}
		for _, of := range api {
			i := 1 + slices.Index(ids, of.ID)
			a.agrees("return of "+of.ID, year[i], of.Attributes.Returns.Periods["3y_ann"].Value)
			a.agrees("cost of "+of.ID, cost[i], of.Attributes.TAC)
			funds[of.Attributes.RUN] = true
		}
		if len(funds) != 3 {
			t.Errorf("they are of the funds %v", funds)
		}
	})
	ask("the managers that lost most equity this year", func(t *testing.T, a *asker) {
		a.follows(`nav a[href^="/administradoras"]`)
		a.follows(`a[href*="periodo=anio"]`)
		a.follows(`#cambios th a[href*="orden=cambio"]`)
		a.follows(`#cambios th a[href*="orden=cambio"]`)
		a.sees("comparadas con el 31 dic 2024")
		before, now := equities(s, "2024-12-31"), equities(s, marketEnd.String())
		loser, most := "", 0.0
		for manager, equity := range now {
			if was, there := before[manager]; there && (loser == "" || equity-was < most) {
				loser, most = manager, equity-was
			}
		}
		name := texts(t, b, `[new URL(document.querySelector("#cambios tbody a").href).searchParams.get("administradora")]`)[0]
		if name != loser {
			t.Errorf("%q lost most, want %q", name, loser)
		}
		millions := most / 1e6
		a.agrees("change of "+loser, a.table("cambios").rows[0][2], &millions)
	})
	ask("what a fund holds", func(t *testing.T, a *asker) {
		a.finds(cheapest.Attributes.RUN)
		a.follows(`#fondos a[href^="/fondos/"]`)
		a.sees("Cartera", "Lo que el fondo tenía al cierre de")
		held := fromAPI[struct {
			Data []struct {
				Attributes struct {
					Name   string   `json:"nemotecnico"`
					Amount *float64 `json:"valorizacion"`
					Share  *float64 `json:"pct_activo_fondo"`
				} `json:"attributes"`
			} `json:"data"`
		}](s, "/api/funds/"+cheapest.Attributes.RUN+"/cartera/holdings").Data
		if len(held) == 0 {
			t.Fatal("the API has no position of the fund")
		}
		of, shown := held[0].Attributes, a.table("posiciones").rows[0]
		if shown[0] != of.Name {
			t.Errorf("the largest position is %q, want %q", shown[0], of.Name)
		}
		part := *of.Share / 100
		a.agrees("amount of "+of.Name, shown[2], of.Amount)
		a.agrees("share of "+of.Name, shown[1], &part)
	})
	ask("who raised and who lowered costs", func(t *testing.T, a *asker) {
		a.follows(`nav a[href^="/tac"]`)
		for table, direction := range map[string]string{"alzas": "up", "bajas": "down"} {
			shown := a.table(table)
			found := false
			for _, of := range fromAPI[struct {
				Data []struct {
					ID     string   `json:"serieId"`
					Before *float64 `json:"tacPrevious"`
					Now    *float64 `json:"tac"`
				} `json:"data"`
			}](s, "/api/reports/tac-changes?limit=100&direction="+direction).Data {
				if of.ID == shown.ids[0] {
					found = true
					a.agrees("cost before of "+of.ID, shown.rows[0][2], of.Before)
					a.agrees("cost now of "+of.ID, shown.rows[0][3], of.Now)
				}
			}
			if !found {
				t.Errorf("the API does not have the first of %s, series %s", table, shown.ids[0])
			}
		}
	})
	ask("which funds have closed, and why", func(t *testing.T, a *asker) {
		a.follows(`a[href^="/cerrados"]`)
		cells := a.table("cerrados").rows[0]
		id, _, _ := strings.Cut(strings.TrimPrefix(a.address(`#cerrados tbody td a[href^="/series/"]`), "/series/"), "?")
		days, _ := quotasOf(s, id)
		if want := locale.Spanish.Day(days[len(days)-1]); cells[2] != want {
			t.Errorf("the last day of series %s is %s, want %s", id, cells[2], want)
		}
		if cells[3] == "" || cells[3] == "—" {
			t.Errorf("why series %s closed is %q", id, cells[3])
		}
	})
	ask("the daily values of a fund for Excel", func(t *testing.T, a *asker) {
		a.finds(cheapest.Attributes.RUN + " " + cheapest.Attributes.Serie)
		a.follows(`#fondos a[href^="/series/` + cheapest.ID + `"]`)
		a.clicked++
		file := b.Download(`#grafico figure > p a[href*=".xlsx"]`)
		book, err := excelize.OpenReader(bytes.NewReader(file))
		must(t, err)
		lines, err := book.GetRows(book.GetSheetName(0), excelize.Options{RawCellValue: true})
		must(t, err)
		days, quotas := quotasOf(s, cheapest.ID)
		filed := map[string]bool{}
		for _, line := range lines {
			for _, text := range line {
				filed[text] = true
			}
		}
		for i, quota := range quotas {
			text := strconv.FormatFloat(quota, 'f', -1, 64)
			if days[i].Compare(marketEnd.AddDays(-365)) >= 0 && !filed[text] {
				t.Fatalf("the file has no %s, the quota of %s: %.500q", text, days[i], lines)
			}
		}
	})
	ask("the market of a past day as it was", func(t *testing.T, a *asker) {
		const day = "2024-03-15"
		must(t, chromedp.Do(b.Ctx, chromedp.SetValue(chromedp.CSS("#fecha"), day)))
		a.follows(`form.date button`)
		a.follows(`a[href*="universo=entonces"]`)
		a.sees("15 mar 2024", "también las que cerraron después")
		then, shown := equities(s, day), a.table("administradoras")
		name := texts(t, b, `[new URL(document.querySelector("#administradoras tbody a").href).searchParams.get("administradora")]`)[0]
		for _, equity := range then {
			if equity > then[name] {
				t.Errorf("%q is first with %v, another has %v", name, then[name], equity)
			}
		}
		millions := then[name] / 1e6
		i := slices.IndexFunc(shown.rows[0], func(text string) bool { return agrees(text, &millions) == nil })
		if i < 0 {
			t.Errorf("the first row %q has no equity of %v", shown.rows[0], millions)
		}
	})
	ask("a fund in dollars, in pesos", func(t *testing.T, a *asker) {
		dollar := fromAPI[screened](s, "/api/screener?limit=1&currency=DOLAR&sort=1y&order=desc").Data
		if len(dollar) != 1 {
			t.Fatal("the market has no series in dollars")
		}
		of := dollar[0].Attributes
		a.finds(fmt.Sprint(of.RUN, " ", of.Serie))
		a.follows(`#fondos a[href^="/series/` + dollar[0].ID + `"]`)
		a.follows(`a[href*="valor=pesos"]`)
		cells := a.row("tabla-rentabilidades", "1 año")
		a.agrees("return in dollars", cells[1], of.Returns.Periods["1y"].Value)
		a.agrees("return in pesos", cells[2], yearOf(s, dollar[0].ID, "clp"))
	})
	ask("what my own purchases earned", func(t *testing.T, a *asker) {
		const day, amount = "2025-03-14", 1000000
		a.follows(`nav a[href^="/mi-cartera"]`)
		must(t, chromedp.Do(b.Ctx, chromedp.SetValue(chromedp.CSS(`textarea[name="movimientos"]`),
			fmt.Sprintf("%s;%s %s;compra;%d", day, cheapest.Attributes.RUN, cheapest.Attributes.Serie, amount))))
		a.follows(`form[data-portfolio] button[type="submit"]`)
		a.sees("La serie más barata", "UF")
		status, _, body := s.send("/api/portfolio", "application/json",
			fmt.Sprintf(`{"movements": [{"series": %q, "date": %q, "kind": "buy", "amount": %d}]}`, cheapest.ID, day, amount))
		var reply portfolio.Reply
		if err := json.Unmarshal([]byte(body), &reply); err != nil || status != http.StatusOK {
			t.Fatalf("%d %v %.300s", status, err, body)
		}
		facts := texts(t, b, `[...document.querySelectorAll("#resultado dl.facts dt")].flatMap(of =>
			[of.textContent, of.nextElementSibling.firstChild.textContent])`)
		for name, value := range map[string]*float64{"Valor, en pesos": reply.Data.Total.Value.Value,
			"Ganancia, en pesos": reply.Data.Total.Gain.Value} {
			i := slices.Index(facts, name)
			if i < 0 {
				t.Fatalf("the answer has no %q: %q", name, facts)
			}
			a.agrees(name, facts[i+1], value)
		}
	})
	watches := func(a *asker) {
		a.finds(cheapest.Attributes.RUN + " " + cheapest.Attributes.Serie)
		a.follows(`#fondos a[href^="/series/` + cheapest.ID + `"]`)
		a.follows(`form[action^="/account/watch"] button`)
	}
	watched := func(t *testing.T, a *asker, session string) {
		a.sees("Ahora sigue esta serie", "Se activaron las alertas", "Deshacer")
		person, err := s.accounts.Session(t.Context(), session)
		must(t, err)
		list, err := s.accounts.Watchlist(t.Context(), person.ID)
		must(t, err)
		if !person.Alerts || len(list) != 1 || list[0].SeriesID != cheapest.ID {
			t.Errorf("alerts %t about %v, want them about %s", person.Alerts, list, cheapest.ID)
		}
	}
	ask("a watched series with an alert, for somebody who is signed in", func(t *testing.T, a *asker) {
		session := s.session("ana@example.cl")
		a.has(session)
		watches(a)
		watched(t, a, session)
	})
	// Whoever is not signed in does the same. After it they open the link of the mail, confirm the sign-in, and press
	// the button once more, because a link of a mail may not change an account.
	t.Run("a first sign-in adds three clicks to a watched series", func(t *testing.T) {
		_, err := chromedp.Call(b.Ctx, network.ClearBrowserCookies, chromedp.Void{})
		must(t, err)
		a := &asker{reader: reader{t, s, b}}
		a.begins()
		watches(a)
		signedIn := a.clicked
		a.loads(http.StatusOK, chromedp.SendKeys(chromedp.CSS("#email"), "nueva@example.cl\r"))
		a.clicked++
		a.loads(http.StatusOK, chromedp.Navigate(mailedLink.FindString(*s.mails.newest.Load())))
		a.follows("main form button")
		a.follows(`form[action^="/account/watch"] button`)
		cookies, err := chromedp.Call(b.Ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{s.base}})
		must(t, err)
		i := slices.IndexFunc(cookies.Cookies, func(of *network.Cookie) bool { return of.Name == sessionCookie })
		if i < 0 {
			t.Fatal("nobody is signed in")
		}
		watched(t, a, cookies.Cookies[i].Value)
		if added := a.clicked - signedIn; added != 3 {
			t.Errorf("the sign-in added %d clicks", added)
		}
	})
}

// mailedLink is the link in the text of a mail.
var mailedLink = regexp.MustCompile(`https?://\S+`)
