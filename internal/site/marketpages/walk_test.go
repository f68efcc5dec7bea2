package marketpages_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
)

// visit is a page of the walk, with the name of its picture.
type visit struct{ name, path string }

// visits returns the pages that are walked: each page, at a past date, and with things that have no
// history, have closed, or are not there.
func (s *servedSite) visits() []visit {
	s.t.Helper()
	type resource struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes struct {
				RUN     string  `json:"run"`
				Family  *string `json:"fundFamily"`
				Manager string  `json:"agf"`
				FundID  string  `json:"fundId"`
				Class   string  `json:"classificationInvestorClass"`
				LastDay *struct {
					Date string `json:"date"`
				} `json:"last_day"`
				Returns struct {
					Periods apiPeriods `json:"periods"`
				} `json:"returns"`
			} `json:"attributes"`
		} `json:"data"`
	}
	old, young, manager, family, run := "", "", "", "", ""
	screened := fromAPI[resource](s, "/api/screener?limit=200").Data
	for _, of := range screened {
		a := of.Attributes
		if a.Returns.Periods["1y"].Value != nil && a.Family != nil && old == "" {
			old, manager, family, run = of.ID, a.Manager, *a.Family, a.RUN
		}
		if a.Returns.Periods["1y"].Value == nil {
			young = of.ID
		}
	}
	closed := ""
	for _, open := range screened {
		for _, of := range fromAPI[resource](s, "/api/conceptual_assets/"+open.Attributes.FundID+"/real_assets").Data {
			if last := of.Attributes.LastDay; last != nil && last.Date < marketEnd.AddDays(-31).String() {
				closed = of.ID
			}
		}
		if closed != "" {
			break
		}
	}
	benchmarks := fromAPI[struct {
		Data []struct {
			Attributes struct {
				Family string `json:"family_rar"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/benchmarks")
	instruments := fromAPI[resource](s, "/api/fi/instruments?status=active")
	if old == "" || young == "" || closed == "" || len(benchmarks.Data) == 0 || len(instruments.Data) == 0 {
		s.t.Fatalf("the market lacks something to walk: %q %q %q %d %d", old, young, closed, len(benchmarks.Data),
			len(instruments.Data))
	}
	const past = "fecha=2025-03-31"
	return []visit{
		{"market", "/"}, {"market-past", "/?" + past},
		{"search", "/buscar?q=accionario"}, {"search-nothing", "/buscar?q=zzzz"},
		{"screener", "/fondos"}, {"screener-chosen", "/fondos?currency=PESOS&sort=1y&order=desc"},
		{"screener-wrong", "/fondos?sort=1y"},
		{"screener-past", "/fondos?currency=PESOS&" + past}, {"screener-nothing", "/fondos?q=zzzz"},
		{"series", "/series/" + old}, {"series-past", "/series/" + old + "?escala=log&plazo=all&" + past},
		{"series-regulator", "/series/" + old + "?historia=ver&regulador=comparar&valor=uf"},
		{"series-young", "/series/" + young}, {"series-closed", "/series/" + closed},
		{"receipt", "/recibo?periodo=3y_ann&serie=" + old}, {"receipt-quota", "/recibo?serie=" + young},
		{"receipt-none", "/recibo?periodo=1y&serie=" + closed}, {"receipt-total", "/recibo?periodo=1y&valor=total&serie=" + old}, {"series-unknown", "/series/1"},
		{"receipt-rank", "/recibo?numero=rank&periodo=1y&serie=" + old}, {"receipt-score", "/recibo?numero=risk_score&serie=" + old},
		{"fund", "/fondos/" + run}, {"fund-unknown", "/fondos/1-9"},
		{"compare", "/comparar?correlacion=ver&series=" + old + "&series=" + young + "&series=" + closed},
		{"compare-nothing", "/comparar"}, {"portfolio", "/mi-cartera"},
		{"managers", "/administradoras"}, {"manager", "/administradoras?administradora=" + url.QueryEscape(manager)},
		{"managers-past", "/administradoras?" + past},
		{"managers-changes", "/administradoras?periodo=mes&orden=cambio&dir=desc"},
		{"managers-changes-past", "/administradoras?periodo=12m&" + past},
		{"closed", "/cerrados"}, {"closed-past", "/cerrados?anio=2025&" + past},
		{"family", "/familias/" + url.PathEscape(family)},
		{"family-past", "/familias/" + url.PathEscape(family) + "?" + past},
		{"difference", "/costos/diferencia?serie=" + old + "&serie=" + young},
		{"difference-empty", "/costos/diferencia"},
		{"costs", "/tac"}, {"data", "/datos"},
		{"benchmarks", "/benchmarks"},
		{"benchmark", "/benchmarks/" + url.PathEscape(benchmarks.Data[0].Attributes.Family)},
		{"investment-funds", "/fondos-de-inversion"},
		{"investment-fund", "/fondos-de-inversion/" + instruments.Data[0].ID},
		{"docs", "/docs"}, {"docs-operation", "/docs/get_screener"}, {"docs-guide", "/docs/guias/primeros-pasos"},
		{"docs-console", "/docs/consola"},
		{"no-page", "/nothing"},
	}
}

// mostOfPage is how many bytes a page may have.
const mostOfPage = 150_000

func TestEveryPageIsReadableInARealBrowser(t *testing.T) {
	longtest.InTurns(t)
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
		{"375-dark", 375, 740, "dark", "en"}, {"1280-dark", 1280, 900, "dark", "en"},
		{"768-light", 768, 1000, "light", "es"}, {"1920", 1920, 1080, "light", "en"}, {"1920-dark", 1920, 1080, "dark", "es"},
	}
	b.Looks(1280, 800, "light")
	must(t, chromedp.Do(b.Ctx, chromedp.Navigate(s.base+"/?lang=en")))
	// The window ends below the legend of the treemap.
	b.Looks(1280, int64(number(t, b, `document.querySelector(".legend").getBoundingClientRect().bottom`))+8, "light")
	b.PictureOfWindow("readme.png")
	for _, visit := range s.visits() {
		if _, _, page := s.get(visit.path); len(page) > mostOfPage {
			t.Errorf("%s has %d bytes", visit.path, len(page))
		}
		for i, screen := range screens {
			if i > 2 && testing.Short() {
				break
			}
			b.Looks(screen.width, screen.height, screen.scheme)
			separator := "?"
			if strings.Contains(visit.path, "?") {
				separator = "&"
			}
			b.Problems()
			must(t, chromedp.Do(b.Ctx, chromedp.Navigate(s.base+visit.path+separator+"lang="+screen.language)))
			problems := b.Faults()
			for _, noted := range b.Problems() {
				unknown := strings.HasSuffix(visit.name, "-unknown") || visit.name == "no-page"
				if !unknown || !strings.Contains(noted, "status of 404") {
					problems = append(problems, noted)
				}
			}
			if i < 2 {
				problems = append(problems, b.Violations(axe)...)
				other := map[string]string{"es": "en", "en": "es"}[screen.language]
				must(t, chromedp.Do(b.Ctx, chromedp.Navigate(s.base+visit.path+separator+"lang="+other)))
				for _, problem := range append(b.Faults(), b.Violations(axe)...) {
					problems = append(problems, "in "+other+": "+problem)
				}
				b.Problems() // which the first look has told
				must(t, chromedp.Do(b.Ctx, chromedp.Navigate(s.base+visit.path+separator+"lang="+screen.language)))
			}
			for _, problem := range problems {
				t.Errorf("%s at %s: %s", visit.path, screen.name, problem)
			}
			b.Picture(fmt.Sprintf("%s-%s.png", visit.name, screen.name))
		}
	}
}
