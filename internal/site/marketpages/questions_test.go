package marketpages_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/site/locale"
	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
)

// What charts and tables answer about series, in one market because that takes longest. It has a history of two years
// and a half.
func TestQuestionsAboutSeriesAreAnsweredInABrowser(t *testing.T) {
	longtest.InTurns(t)
	s := syntheticOf(t, 120, 900, published)
	axe := browsertest.Axe(t)
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	type screened struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes struct {
				RUN        string
				Serie      string
				Currency   string
				Family     *string  `json:"fundFamily"`
				Class      *string  `json:"classificationInvestorClass"`
				TAC        *float64 `json:"tac"`
				Volatility *float64 `json:"volatility_annualized_12m"`
				Returns    struct {
					Periods apiPeriods `json:"periods"`
				} `json:"returns"`
			} `json:"attributes"`
		} `json:"data"`
		Meta struct {
			Kinds map[string]string `json:"tac_kinds"`
		} `json:"meta"`
	}
	market := fromAPI[screened](s, "/api/screener?limit=200")
	family, most := "", 0
	sizes := map[string]int{}
	for _, of := range market.Data {
		if name := of.Attributes.Family; name != nil && of.Attributes.Currency == "PESOS" {
			if sizes[*name]++; sizes[*name] > most {
				family, most = *name, sizes[*name]
			}
		}
	}
	opens := func(t *testing.T, width int64, scheme, path string) {
		t.Helper()
		b.Looks(width, 900, scheme)
		b.Problems()
		r := reader{t, s, b}
		r.loads(http.StatusOK, chromedp.Navigate(s.base+path))
		faults := append(b.Faults(), b.Problems()...)
		for _, fault := range append(faults, b.Violations(axe)...) {
			t.Errorf("%s at %d: %s", path, width, fault)
		}
	}
	// everywhere opens a page in windows of phones and screens.
	everywhere := func(t *testing.T, path string) {
		t.Helper()
		opens(t, 320, "dark", path)
		opens(t, 1280, "light", path)
	}

	t.Run("a family is points of the values of the API", func(t *testing.T) {
		for _, risk := range []bool{false, true} {
			path := "/familias/" + url.PathEscape(family) + "?lang=es&fuente=cuota&moneda=PESOS"
			if risk {
				path += "&puntos=riesgo"
			}
			everywhere(t, path)
			var want []string
			for _, of := range market.Data {
				a := of.Attributes
				across, kind := a.TAC, market.Meta.Kinds[of.ID] == "synthetic"
				if risk {
					across, kind = a.Volatility, true
				}
				up := a.Returns.Periods["1y"].Value
				if a.Family == nil || *a.Family != family || a.Currency != "PESOS" || across == nil || !kind || up == nil {
					continue
				}
				want = append(want, fmt.Sprintf("/series/%s?lang=es %s, rentabilidad %s", of.ID,
					locale.Spanish.Percent(*across, 2), locale.Signed(*up, locale.Spanish.Percent(*up, 2))))
			}
			got := texts(t, b, `[...document.querySelectorAll(".points svg a")].map(a => a.getAttribute("href") + " " +
				a.querySelector("title").textContent.replace(/^.*: (TAC|Volatilidad) /, ""))`)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) || len(want) < 4 {
				t.Errorf("the points are %q\nwant %q", got, want)
			}
			if outside := number(t, b, `(box => [...document.querySelectorAll(".points circle")].filter(of => {
				const at = of.getBoundingClientRect();
				return at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top || at.bottom > box.bottom;
			}).length)(document.querySelector(".points svg").getBoundingClientRect())`); outside > 0 {
				t.Errorf("%v points are outside of the chart", outside)
			}
			zero := texts(t, b, `[document.querySelector(".points svg text").textContent]`)[0]
			if strings.Trim(zero, "0,") != "" {
				t.Errorf("the axis begins at %s", zero)
			}
		}
		// A point leads to its series.
		r := reader{t, s, b}
		point := r.address(".points svg a")
		r.loads(http.StatusOK, chromedp.Navigate(s.base+point))
		r.sees("Valor cuota", "Rentabilidades")
	})

	t.Run("rolling returns are those of the API at month ends", func(t *testing.T) {
		id := ""
		for _, of := range market.Data {
			if id == "" && of.Attributes.Returns.Periods["1y"].Value != nil && of.Attributes.Volatility != nil {
				id = of.ID
			}
		}
		var values []float64
		for end := marketEnd; end.Compare(marketEnd.AddDays(-900)) > 0; end = end.AddDays(-1) {
			if end.AddDays(1).Time().Day() != 1 {
				continue
			}
			value := fromAPI[struct {
				Data struct {
					Attributes struct {
						Periods apiPeriods `json:"periods"`
					} `json:"attributes"`
				} `json:"data"`
			}](s, "/api/real_assets/"+id+"/returns?as_of_date="+end.String()).Data.Attributes.Periods["1y"].Value
			if value != nil {
				values = append(values, *value)
			}
		}
		if len(values) < 12 {
			t.Fatalf("series %s has only %d windows of a year", id, len(values))
		}
		slices.Sort(values)
		n := len(values)
		negative := 0
		for _, value := range values {
			if value < 0 {
				negative++
			}
		}
		signed := func(value float64) string { return locale.Signed(value, locale.Spanish.Percent(value, 2)) }
		want := []string{"1 año", fmt.Sprint(n), signed(values[0]), signed((values[(n-1)/2] + values[n/2]) / 2),
			signed(values[n-1]), locale.Spanish.Percent(float64(negative)/float64(n), 1)}
		everywhere(t, "/series/"+id+"?historia=ver&lang=es")
		got := texts(t, b, `[...document.querySelectorAll("#tabla-ventanas tbody tr:first-child > *")].map(
			of => of.firstChild.textContent)`)
		if !slices.Equal(got, want) {
			t.Errorf("the row is %q, want %q", got, want)
		}
		drawn := `document.querySelectorAll('[data-chart="ventanas-grafico"] svg.wide path.line').length`
		if number(t, b, drawn) < 1 {
			t.Error("the chart has no line")
		}
	})

	t.Run("correlations are those of the monthly growth of quotas", func(t *testing.T) {
		// Two series in pesos without a break in any month, by their quotas of the API.
		var ids []string
		var grown [][]float64
		for _, of := range market.Data {
			if len(ids) == 2 || of.Attributes.Currency != "PESOS" || of.Attributes.Volatility == nil {
				continue
			}
			quotas := map[string]float64{}
			for _, day := range fromAPI[struct {
				Data []struct {
					Attributes struct {
						Date  string  `json:"date"`
						Price float64 `json:"price"`
					} `json:"attributes"`
				} `json:"data"`
			}](s, "/api/real_assets/"+of.ID+"/days?limit=5000").Data {
				quotas[day.Attributes.Date] = day.Attributes.Price
			}
			var months []float64
			// the first month end of the market is 28 February 2023
			for end := marketEnd.AddDays(-marketEnd.Time().Day()); end.Time().Year() > 2022 && len(months) < 28; {
				before := end.AddDays(-end.Time().Day())
				if quotas[before.String()] == 0 || quotas[end.String()] == 0 {
					break
				}
				growth := quotas[end.String()] / quotas[before.String()]
				if growth < .7 || growth > 1.4 { // a change of unit
					break
				}
				months = append(months, growth-1)
				end = before
			}
			if len(months) == 28 {
				ids, grown = append(ids, of.ID), append(grown, months)
			}
		}
		if len(ids) < 2 {
			t.Fatalf("only the series %v have 28 months", ids)
		}
		everywhere(t, "/comparar?correlacion=ver&lang=es&series="+strings.Join(ids, ","))
		got := texts(t, b, `[document.querySelector("#correlaciones tbody tr td:nth-child(3)").textContent]`)[0]
		var n, x, y, xx, yy, xy float64
		for i := range grown[0] {
			a, b := grown[0][i], grown[1][i]
			n, x, y, xx, yy, xy = n+1, x+a, y+b, xx+a*a, yy+b*b, xy+a*b
		}
		want := locale.Spanish.Number((n*xy-x*y)/math.Sqrt((n*xx-x*x)*(n*yy-y*y)), 2)
		if got != want {
			t.Errorf("the correlation is %s, want %s", got, want)
		}
		reader{t, s, b}.sees("28 meses comunes, de marzo de 2023 a junio de 2025.", "mensuales, en pesos")
	})

	t.Run("a fund has the series for one class of investor", func(t *testing.T) {
		// The fund with the most classes among its series.
		classes, fund := map[string]map[string][]string{}, ""
		for _, of := range market.Data {
			a := of.Attributes
			if a.Class == nil {
				continue
			}
			if classes[a.RUN] == nil {
				classes[a.RUN] = map[string][]string{}
			}
			classes[a.RUN][*a.Class] = append(classes[a.RUN][*a.Class], a.Serie)
			if len(classes[a.RUN]) > len(classes[fund]) {
				fund = a.RUN
			}
		}
		if len(classes[fund]) < 2 {
			t.Fatalf("no fund has series of two classes: %v", classes)
		}
		for class, want := range classes[fund] {
			everywhere(t, "/fondos/"+fund+"?lang=es")
			reader{t, s, b}.clicks(`#series .choices a[href*="clase=` + url.QueryEscape(class) + `"]`)
			got := texts(t, b, `[...document.querySelectorAll("#valores tbody th a")].map(of => of.textContent)`)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the fund %s has %q for %s, want %q", fund, got, class, want)
			}
		}
	})
}
