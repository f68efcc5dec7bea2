package marketpages

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/site"
	"cuota/internal/site/locale"
)

// pointsFamily is a family of six series, of which each lacks something else.
func pointsFamily() told {
	bodies := families()
	var data []string
	add := func(id int, serie, class, currency, tac, volatility, oneYear string) {
		data = append(data, fmt.Sprintf(`{"id":"%d","attributes":{"fundName":"FONDO","run":"8011-K","serie":"%s","agf":"AGF",
			"currency":"%s","classificationInvestorClass":"%s","tac":%s,"volatility_annualized_12m":%s,"shareholders":%d,
			"returns":{"periods":{"1y":%s}}}}`, id, serie, currency, class, tac, volatility, id, oneYear))
	}
	add(1, "A", "Retail", "PESOS", "0.01", "0.05", `{"value":0.08}`)
	add(2, "B", "APV", "PESOS", "0.02", "null", `{"value":null,"reason":"missing_start_quote"}`)
	add(3, "C", "Retail", "DOLAR", "0.03", "0.07", `{"value":0.04}`)
	add(4, "D", "Retail", "PESOS", "0.015", "0.06", `{"value":-0.02}`)
	add(5, "E", "Retail", "PESOS", "null", "0.065", `{"value":0.02}`)
	add(6, "F", "APV", "PESOS", "0.025", "0.01", `{"value":0.03}`)
	bodies["/api/screener"] = `{"data":[` + strings.Join(data, ",") + `],"meta":{"as_of_date":"2025-07-20","total":6,
		"tac_kinds":{"1":"synthetic","2":"synthetic","3":"synthetic","4":"computed","6":"synthetic"}}}`
	bodies["/pages/official-returns/series"] = `{"date":"2025-09-30","series":[{"id":1,"returns":[0.1,null,0.2]},
		{"id":2,"returns":[0.11,0.12,null]},{"id":3,"returns":[0.13,null,null]},{"id":4,"returns":[0.14,null,null]},
		{"id":5,"returns":[0.15,null,null]}]}`
	return bodies
}

func TestPointsAreOfOneKindOfCostAndOneSource(t *testing.T) {
	of := func(pairs ...string) string {
		pairs = append([]string{"family", hostile}, pairs...)
		body := renderedPage(t, familyPage, locale.Spanish, pointsFamily(), "/familias/"+url.PathEscape(hostile), pairs...)
		return strings.ReplaceAll(strings.ReplaceAll(body, locale.NoBreak, " "), "&#43;", "+")
	}
	type chosen struct {
		pairs  []string
		points []string // titles, the cheapest or calmest first
		lacks  []string
	}
	for _, one := range []chosen{
		// The regulator states three with a synthetic TAC, and the quotas of two are in pesos.
		{nil, []string{"A: TAC 1,00 %, rentabilidad +10,00 %", "B: TAC 2,00 %, rentabilidad +11,00 %",
			"C: TAC 3,00 %, rentabilidad +13,00 %"},
			[]string{"1: el comparador de la CMF no tiene esta serie", "1: ninguna fuente informa su TAC",
				"1: su TAC es calculada"}},
		{[]string{sourceKey, ownReturns}, []string{"A: TAC 1,00 %, rentabilidad +8,00 %",
			"F: TAC 2,50 %, rentabilidad +3,00 %"},
			[]string{"1: no está en pesos", "1: sin valor cuota al inicio", "1: ninguna fuente informa su TAC",
				"1: su TAC es calculada"}},
		{[]string{kindKey, "computed", sourceKey, ownReturns}, []string{"D: TAC 1,50 %, rentabilidad −2,00 %"},
			[]string{"3: su TAC es sintética"}},
		{[]string{classKey, "APV", sourceKey, ofCMF}, []string{"B: TAC 2,00 %, rentabilidad +11,00 %"}, nil},
		{[]string{spanKey, "3y"}, []string{"B: TAC 2,00 %, rentabilidad +12,00 %"},
			[]string{"2: la CMF no informa su rentabilidad de ese plazo"}},
		// Of the risk of series in dollars nothing is drawn beside returns in pesos.
		{[]string{plotKey, byRisk, sourceKey, ofCMF}, []string{"A: Volatilidad 5,00 %, rentabilidad +10,00 %",
			"D: Volatilidad 6,00 %, rentabilidad +14,00 %", "E: Volatilidad 6,50 %, rentabilidad +15,00 %"},
			[]string{"1: no está en pesos", "1: sin volatilidad: falta la rentabilidad de alguno de sus 12 meses"}},
		{[]string{plotKey, byRisk, sourceKey, ownReturns, moneyKey, "PESOS"}, []string{
			"F: Volatilidad 1,00 %, rentabilidad +3,00 %", "A: Volatilidad 5,00 %, rentabilidad +8,00 %",
			"D: Volatilidad 6,00 %, rentabilidad −2,00 %", "E: Volatilidad 6,50 %, rentabilidad +2,00 %"}, nil},
	} {
		body := of(one.pairs...)
		from := strings.Index(body, `<svg width="100%"`)
		svg := body[from:][:strings.Index(body[from:], "</svg>")]
		if n := strings.Count(svg, "<circle"); n != len(one.points) {
			t.Errorf("%q: %d points, want %q in %s", one.pairs, n, one.points, svg)
		}
		at := 0
		for _, title := range one.points {
			i := strings.Index(svg[at:], "FONDO · "+title)
			if i < 0 {
				t.Errorf("%q: no point %q after %d in %s", one.pairs, title, at, svg)
				continue
			}
			at += i
		}
		for _, lack := range one.lacks {
			if !strings.Contains(body, "<li>"+lack+"</li>") {
				t.Errorf("%q: it is not said that %q", one.pairs, lack)
			}
		}
	}
	body := of()
	wantTexts(t, body, "↑ Rentabilidad de 1 año según la CMF, nominal en pesos, al 30 sep 2025, en por ciento",
		"Costo anual (TAC sintética), en por ciento del patrimonio →", "Puntos: 3 de 6 series.",
		"oficiales, de la CMF (3)",
		"del valor cuota (2)", "APV (2)", "Minorista (4)", "TAC calculada (1)", `<a href="/series/1?lang=es" tabindex="-1">`)
	body = of(sourceKey, ownReturns, classKey, "APV", kindKey, "stated")
	wantTexts(t, body, "Puntos: 0 de 2 series. Con otra elección puede haber.")
}

// A date may be before that of every comparator.
func TestPointsOfTheRegulatorSayThatThereIsNoComparator(t *testing.T) {
	bodies := pointsFamily()
	bodies["/pages/official-returns/series"] = `{"date":null,"series":[]}`
	for date, lack := range map[string]string{
		"": "no hay comparador de la CMF", "2025-07-20": "no hay comparador de la CMF hasta la fecha",
	} {
		body := renderedPage(t, familyPage, locale.Spanish, bodies, "/familias/x", "family", "x", sourceKey, ofCMF, dateKey, date)
		if !strings.Contains(body, ": "+lack+"</li>") || strings.Contains(body, "no tiene esta serie") {
			t.Errorf("on %q it is not said that %q", date, lack)
		}
	}
}

func TestWrongChoicesOfPointsAreRefused(t *testing.T) {
	for key, text := range map[string]string{plotKey: "x", spanKey: "1m", sourceKey: "x", kindKey: "real"} {
		v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/familias/x",
			Texts: url.Values{"family": {"x"}, key: {text}}, Keys: familyPage.keys}, Batch: pointsFamily()}
		if _, err := familyPage.load(t.Context(), v); violationsOf(err) == nil {
			t.Errorf("%s=%s: %v", key, text, err)
		}
	}
}

func TestAtMostSoManyPointsAreDrawnTheMostHeldFirst(t *testing.T) {
	bodies := pointsFamily()
	var data, stated, kinds []string
	for id := 1; id <= mostPoints+20; id++ {
		data = append(data, fmt.Sprintf(`{"id":"%d","attributes":{"fundName":"FONDO","run":"8011-K","serie":"S%[1]d","agf":"AGF",
			"currency":"PESOS","tac":0.01,"shareholders":%d,"returns":{"periods":{}}}}`, id, 10000-id))
		stated = append(stated, fmt.Sprintf(`{"id":%d,"returns":[0.1,null,null]}`, id))
		kinds = append(kinds, fmt.Sprintf(`"%d":"synthetic"`, id))
	}
	bodies["/api/screener"] = fmt.Sprintf(`{"data":[%s],"meta":{"total":%d,"tac_kinds":{%s}}}`, strings.Join(data, ","), len(data),
		strings.Join(kinds, ","))
	bodies["/pages/official-returns/series"] = `{"date":"2025-09-30","series":[` + strings.Join(stated, ",") + `]}`
	body := renderedPage(t, familyPage, locale.Spanish, bodies, "/familias/x", "family", "x")
	// The answer of this test lists all 320 series; pages list 50.
	chart := strings.Index(body, `<table id="series"`)
	if size := chart + (len(body)-chart)*50/320; chart < 0 || size > 150_000 {
		t.Errorf("a page with so many points has %d bytes, %d of them before its list of series", size, chart)
	}
	wantTexts(t, body, "Puntos: las 300 series con más partícipes, de 320 que tienen ambos valores.", "S300: TAC")
	if strings.Contains(body, "S301: TAC") || strings.Count(body, `tabindex="-1"><circle`) != mostPoints {
		t.Errorf("%d points are drawn", strings.Count(body, `tabindex="-1"><circle`))
	}
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/familias/x", Texts: url.Values{"family": {"x"}}},
		Batch: bodies}
	data2, err := familyPage.load(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	file, err := v.fileOf(data2, "costo-rentabilidad", 1)
	if err != nil || strings.Count(string(file), "\n") != mostPoints+1 {
		t.Errorf("the file has %d lines: %v", strings.Count(string(file), "\n"), err)
	}
}
