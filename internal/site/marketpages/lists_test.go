package marketpages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/summary"
)

// told is a batch whose operations find what given replies have, by path. An operation without a reply
// says that there is no such thing.
type told map[string]string

func (told) Version() string                          { return "1" }
func (told) ID() string                               { return "20250720-1-aaaaaaaaaaaa" }
func (told) Cutoff() *model.Date                      { day := model.NewDate(2025, 7, 20); return &day }
func (told) Parameters(string) []httpapi.Parameter    { return nil }
func (told) Check(_ context.Context, err error) error { return err }
func (b told) Ask(_ context.Context, path string, texts url.Values) (any, error) {
	if body, there := b[path+" "+texts.Get("direction")+texts.Get("metric")]; there {
		return foundIn(path, texts, body)
	}
	if body, there := b[path]; there {
		return foundIn(path, texts, body)
	}
	return nil, httpapi.NotFound("There is no such thing.")
}

// renderedPage renders a page as the reader gets it. pairs are parameters.
func renderedPage(t *testing.T, p page, lang locale.Language, bodies told, path string, pairs ...string) string {
	t.Helper()
	texts := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		texts.Set(pairs[i], pairs[i+1])
	}
	v := &visit{Visit: site.Visit{Lang: lang, Path: path, Texts: texts, Chosen: true, Keys: p.keys}, Batch: bodies}
	data, err := p.load(t.Context(), v)
	if err != nil {
		t.Fatalf("%s: %v", p.path, err)
	}
	body, err := templates.Render(v.Lang, p.template, view{visit: v, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, string(body))
	return string(body)
}

var (
	attack    = regexp.MustCompile(`(?i)<img|<script>|<b>|javascript:|style=|ZgotmplZ`)
	emptyCell = regexp.MustCompile(`<(td|th|dd)[^>]*>—</`)
)

// checkPage finds what no page may have, whatever its data is.
func checkPage(t *testing.T, body string) {
	t.Helper()
	if found := attack.FindString(body); found != "" {
		i := strings.Index(body, found)
		t.Errorf("the page has %q: %.200s", found, body[max(0, i-100):])
	}
	if found := emptyCell.FindString(body); found != "" {
		t.Errorf("a value is missing without its reason: %s", found)
	}
	if strings.Count(body, "<h1>") != 1 {
		t.Error("the page has not one h1")
	}
	ids := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if ids[id[1]] {
			t.Errorf("the id %s is there twice", id[1])
		}
		ids[id[1]] = true
	}
}

func wantTexts(t *testing.T, body string, texts ...string) {
	t.Helper()
	body = strings.ReplaceAll(strings.ReplaceAll(body, locale.NoBreak, " "), "&#43;", "+")
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("the page has no %q", text)
		}
	}
}

// hostile is a name that a file may hold.
const hostile = `A/B <img src=x onerror=alert(1)> & "c"`

// inJSON is hostile in a JSON text.
const inJSON = `A/B <img src=x onerror=alert(1)> & \"c\"`

func families() told {
	return told{
		"/api/families/{family_rar}/index": `{"data":[{"date":"2025-07-01","value":100},{"date":"2025-07-18","value":101.5},{"date":"2025-07-20","value":103,"change":1.5,"coverage":{"series":172,"of_series":179,"equity_share":0.996}}],
			"meta":{"family":"` + inJSON +
			`","currency":"PESOS","availableCurrencies":["PESOS","DOLAR"],"available":true}}`,
		"/api/market-summary": `{"meta":{"date":"2025-07-20","complete":true},"families":[{"family":"` + inJSON +
			`","dailyChange":0.5,"monthlyChange":null,"patrimonyClp":1234567.8,
			"seriesCount":3,"fundCount":2,"coverage":{"dailyChange":{"series":3,"of_series":3,"equity_share":1,"reason":null},"monthlyChange":{"series":2,"of_series":3,"equity_share":0.4567,"reason":"low_coverage"}},
			"byCurrency":{"DOLAR":{"dailyChange":null,"monthlyChange":null,"patrimony":7.6,"seriesCount":1},"PESOS":{"dailyChange":0.5,"monthlyChange":-1.25,"patrimony":9,"seriesCount":2}}},
			{"family":"Sin filas","patrimonyClp":null,"seriesCount":1,"fundCount":1}],"topGainersDaily":[],"topLosersDaily":[],"topGainersMonthly":[],"topLosersMonthly":[]}`,
		"/pages/families": `{"date":"2025-07-20","families":[{"family":"` + inJSON +
			`","series":3,"dailyKnown":3,"dailyFlow":-12.6,"dailyFrom":"2025-07-18","dailyTo":"2025-07-18","monthlyKnown":2,"monthlyFlow":null,"tacKind":"synthetic","tacSeries":2,"tacMean":0.0123,"tacMedian":0.02,"tacShare":0.75}]}`,
		"/api/screener": `{"data":[{"id":"7","attributes":{"fundName":"` + inJSON +
			`","serie":"<b>A","agf":"<b>AGF","currency":null,"classificationInvestorClass":null,"tac":0.01,"patrimony":null,"shareholders":12345,
			"returns":{"periods":{"1m":{"value":0.01},"1y":{"value":null,"reason":"missing_start_quote"}}}}}],"meta":{"total":120,"tac_kinds":{"7":"stated"}}}`,
		"/api/benchmarks/{family_rar}/prices": `{"data":[{"date":"2025-07-18","close":50},{"date":"2025-07-20","close":51}],"meta":{"family_rar":"x","symbol":"^X","index_name":"<b>Index","native_currency":"CLP","has_benchmark":true}}`,
		"/api/agf_stats/ranking patrimony":    `{"data":[],"meta":{"date":"2025-07-20"}}`,
		"/pages/history":                      `{"series":2840,"ofOneDay":1421}`,
		"/pages/market_then":                  `{"meta":{"date":"2025-07-18","universe":"then"},"families":[{"family":"Cerrada desde entonces","patrimonyClp":1,"seriesCount":1,"fundCount":1}]}`,
		"/pages/official-returns/series":      `{"date":null,"series":[]}`,
		"/pages/official-returns":             `{"date":"2025-09-30","families":[{"family":"` + inJSON + `","returns":[{"value":0.123,"coverage":{"series":2,"of_series":3,"equity_share":0.75,"reason":null}},{"value":null,"coverage":{"series":0,"of_series":3,"equity_share":0,"reason":"low_coverage"}},{"value":null,"coverage":{"series":0,"of_series":3,"equity_share":0,"reason":"low_coverage"}}]}]}`,
	}
}

func TestAFamilyIsShownWhateverItsNameIs(t *testing.T) {
	path := "/familias/" + url.PathEscape(hostile)
	body := renderedPage(t, familyPage, locale.Spanish, families(), path, "family", hostile, pageKey, "2")
	wantTexts(t, body,
		`<h1>A/B &lt;img src=x onerror=alert(1)&gt; &amp; &#34;c&#34;</h1>`,
		// the other currency
		`href="/familias/A%2FB%20%3Cimg%20src=x%20onerror=alert%281%29%3E%20&amp;%20%22c%22?lang=es&amp;moneda=DOLAR&amp;pagina=2#indice"`,
		// of the form of the date
		`action="/familias/A%2FB%20`,
		"+0,50 %", "1.234.568", // of the day
		"2 de 3 series, 46 %", "hay muy pocos datos: se muestra con al menos tres series", // of the month
		"El último cambio es de 172 de 179 series, 99,60 % del patrimonio.",
		// flows and costs
		"−13", "solo se conocen los flujos de 2 de sus 3 series<", "Flujo neto del último día hábil, 18 jul 2025, millones de pesos",
		"Flujo neto de un mes, hasta el 20 jul 2025, millones de pesos", "1,23 %", "sintética, 75 %", "2 de 3",
		"Index", "El índice de referencia parte del nivel de la familia", // the benchmark, in the same currency
		"51–51", "de 120", `rel="prev"`, `rel="next"`, `pagina=3`, // the second page of three
		"(sin valor cuota al inicio)", "(no se conoce la moneda)", "12.345",
		`role="img"`, "De 100,00 el 1 jul 2025 a 103,00 el 20 jul 2025.")
	past := families()
	past["/pages/families"] = strings.Replace(past["/pages/families"], `"dailyFrom":"2025-07-18"`,
		`"dailyFrom":"2025-07-17"`, 1)
	past["/api/market-summary"] = strings.Replace(past["/api/market-summary"], "2025-07-20", "2025-07-18", 1)
	english := renderedPage(t, familyPage, locale.English, past, path, "family", hostile, dateKey, "2025-07-18",
		moneyKey, "PESOS")
	wantTexts(t, english, `lang="en"`, "the flows of only 2 of its 3 series are known<", "synthetic, 75%",
		"The percentage beside the kind", "day, 17 Jul 2025 or 18 Jul 2025 by the currency of the series, millions",
		"to 101.50 on 18 Jul 2025")
	if strings.Contains(english, "103.00") {
		t.Error("the index goes on after the date")
	}
}

func TestAFamilyOfWhichNothingIsKnownIsNotFound(t *testing.T) {
	bodies := families()
	bodies["/api/families/{family_rar}/index"] = `{"data":[],"meta":{"family":"Nada","currency":null,"availableCurrencies":[],"available":false}}`
	bodies["/api/screener"] = `{"data":[],"meta":{"total":0,"tac_kinds":{}}}`
	bodies["/api/benchmarks/{family_rar}/prices"] = `{"data":[],"meta":{"family_rar":"Nada","has_benchmark":false}}`
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/familias/Nada", Texts: url.Values{"family": {"Nada"}}},
		Batch: bodies}
	_, err := familyPage.load(t.Context(), v)
	if p := (*httpapi.Problem)(nil); !errors.As(err, &p) || p.Status != http.StatusNotFound {
		t.Errorf("%v", err)
	}
	// A family that has series and no index, and none that is quoted on the day.
	bodies["/api/families/{family_rar}/index"] = `{"data":[],"meta":{"family":"Sin filas","currency":null,"availableCurrencies":[],"available":false}}`
	body := renderedPage(t, familyPage, locale.English, bodies, "/familias/Sin%20filas", "family", "Sin filas")
	wantTexts(t, body, "none of its series has a unit price on that day<", "an exchange rate to pesos is missing<",
		"There is no index of the family", "No series.")
}

func TestTheFrontPageShowsFlowsAndCostsOfFamilies(t *testing.T) {
	body := renderedPage(t, marketPage, locale.English, families(), "/", sortKey, "flujo", orderKey, "desc")
	wantTexts(t, body, "12.30%", "2 of 3 series, 75%", "Without any value, and so not shown", "Flow, business day", "−13", "Flow, month (the flows of only 2 of its 3 series are known;", "1.23%",
		"synthetic, 75%", "(none of its series has a unit price on that day)", `aria-sort="descending"`,
		"Of 1,421 of the 2,840 series only one day was loaded")
	if strings.Contains(body, "Without a family (") {
		t.Error("the table has a row of series without a family, and there are none")
	}
	long := families()
	long["/pages/history"] = `{"series":2840,"ofOneDay":1420}`
	if body := renderedPage(t, marketPage, locale.English, long, "/"); strings.Contains(body, "only one day") {
		t.Error("half of the series have more than a day, and the page says that most have not")
	}
}

func TestTheMarketSaysWhereFamiliesWereFirstStatedLater(t *testing.T) {
	for later, want := range map[string]bool{"true": true, "false": false} {
		bodies := families()
		bodies["/api/market-summary"] = strings.Replace(bodies["/api/market-summary"], `"complete":true`,
			`"complete":true,"classification":{"available":true,"reportDate":"2025-09-30","classified_later":`+later+`}`, 1)
		for language, text := range map[locale.Language]string{
			locale.Spanish: "la CMF informó la familia por primera vez después del día que se muestra",
			locale.English: "the CMF first stated the family after the day shown"} {
			if body := renderedPage(t, marketPage, language, bodies, "/"); strings.Contains(body, text) != want {
				t.Errorf("classified later: %s, and the page in %s says so: %t", later, language, !want)
			}
		}
	}
}

// The coverage says that a fifth of the equity has no family.
func TestSeriesWithoutAFamilyAreARowAndATileOfTheMarket(t *testing.T) {
	bodies := families()
	bodies["/api/market-summary"] = strings.Replace(bodies["/api/market-summary"], `"complete":true`,
		`"complete":true,"classification":{"available":true,"unclassifiedSeries":82,"coverageByPatrimonyClp":0.8}`, 1)
	for _, order := range []string{"", "desc"} {
		body := renderedPage(t, marketPage, locale.Spanish, bodies, "/", sortKey, "patrimonio", orderKey, order)
		wantTexts(t, body, "Sin familia: 82 series</title>", "(solo se calcula de familias)",
			"Familias por patrimonio, 20 jul 2025", "según la CMF, al 30 sep 2025")
		rows := strings.Split(body[strings.Index(body, `id="familias"`):strings.Index(body, "Alzas y bajas")], "<tr>")
		if last := rows[len(rows)-1]; !strings.Contains(last, "Sin familia (82 series)") || !strings.Contains(last, "308.642<") {
			t.Errorf("the last row is %s", last)
		}
	}
	// Where the families lack closed series, the rest of the equity is not that of series without a family.
	bodies["/api/market-summary"] = strings.Replace(bodies["/api/market-summary"], `"complete":true`,
		`"complete":true,"survivorship_bias":true`, 1)
	if body := renderedPage(t, marketPage, locale.Spanish, bodies, "/"); strings.Contains(body, "Sin familia (") {
		t.Error("living series are summed with others")
	}
}

func TestAFigureOfASingleFundSaysSo(t *testing.T) {
	v := &visit{Visit: site.Visit{Lang: locale.Spanish}}
	share, low, reason := 0.97, 0.4, "low_coverage"
	for want, of := range map[string]summary.FigureCoverage{
		"datos de un solo fondo":   {Coverage: facts.Coverage{Series: 6, OfSeries: 7, EquityShare: &share}, Reason: &reason},
		"2 de 7 series, 97\u00a0%": {Coverage: facts.Coverage{Series: 2, OfSeries: 7, EquityShare: &share}, Reason: &reason},
		"6 de 7 series, 40\u00a0%": {Coverage: facts.Coverage{Series: 6, OfSeries: 7, EquityShare: &low}, Reason: &reason},
	} {
		if got := v.changeOf(nil, of); got.Sub != want || got.Reason == "" {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

func TestEquityInAnotherCurrencyNamesIt(t *testing.T) {
	v := &visit{Visit: site.Visit{Lang: locale.Spanish}}
	equity := 48.2
	for currency, want := range map[string]string{"PESOS": "48", "DOLAR": "48\u00a0US$", "EUR": "48\u00a0€", "YEN": "48\u00a0YEN", "": "48"} {
		if got := v.ownMillions(&equity, currency).Text; got != want {
			t.Errorf("%s: %q, want %q", currency, got, want)
		}
	}
	if got := v.ownMillions(nil, "DOLAR"); got.Text != locale.Dash || got.Reason == "" {
		t.Errorf("no equity is %+v", got)
	}
}

func TestAPastMarketIsShownAsItWasIfAsked(t *testing.T) {
	bodies := families()
	bodies["/api/market-summary"] = strings.Replace(bodies["/api/market-summary"], `"complete":true`,
		`"complete":true,"survivorship_bias":true`, 1)
	living := renderedPage(t, marketPage, locale.Spanish, bodies, "/", dateKey, "2025-07-18")
	wantTexts(t, living, `href="/?fecha=2025-07-18&amp;lang=es&amp;universo=entonces"`, "Ver el mercado como era entonces")
	then := renderedPage(t, marketPage, locale.Spanish, bodies, "/", dateKey, "2025-07-18", universeKey, everySeries)
	wantTexts(t, then, "Cerrada desde entonces", `href="/?fecha=2025-07-18&amp;lang=es"`, "Ver solo las vigentes hoy")
	if strings.Contains(then, "A/B &lt;img") {
		t.Error("the page has families of the other universe")
	}
}

func TestClosedSeriesAreShownWithWhatEndedThem(t *testing.T) {
	bodies := told{"/pages/closed": `{"date":"2025-07-20","total":120,"years":[2025,2019],"managers":["` + inJSON + `","OTRA"],"data":[
		{"id":"7","run":"8011-K","serie":"<b>A","fund":"` + inJSON + `","manager":"` + inJSON + `","family":null,"reason":"exchanged",
		 "currency":"PESOS","equity":5e9,"equity_clp":5e9,"last_date":"2025-06-07","ended_on":"2025-06-08","other_id":"9","other_run":"8012-8","other_serie":"C","other_fund":"DESTINO"},
		{"id":"8","run":"8013-6","serie":"B","fund":"VACIO","manager":null,"family":"Balanceado","reason":"redeemed","currency":"DOLAR","equity":0,"equity_clp":0,"last_date":"2025-05-01"},
		{"id":"0","run":"8014-4","serie":"","fund":"SIN DATOS","manager":"OTRA","reason":"register","ended_on":"2019-01-31","fund_ended":"2019-01-31"}]}`}
	body := renderedPage(t, closedPage, locale.Spanish, bodies, "/cerrados", managerKey, "Otra mas", pageKey, "2")
	wantTexts(t, body, `href="/series/9?lang=es">canjeada por la serie C de DESTINO`, "8 jun 2025", "5.000",
		"sus partícipes rescataron todo", `href="/series/8?lang=es">B`, "el fondo terminó, según el registro",
		"31 ene 2019", "(ningún archivo tiene valores cuota del fondo)", "(no se informa un día de cierre)",
		`href="/fondos/8014-4?lang=es"`,
		`<option value="Otra mas" selected>`, `<option value="2019">2019</option>`, "de 120", `rel="next"`)
	nothing := told{"/pages/closed": `{"date":null,"total":0,"years":[],"managers":[],"data":[]}`}
	wantTexts(t, renderedPage(t, closedPage, locale.English, nothing, "/cerrados", dateKey, "1990-01-01"),
		"There is no data at that date.", "Nothing closed in this selection.")
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/cerrados", Texts: url.Values{yearKey: {"ayer"}}},
		Batch: bodies}
	if _, err := closedPage.load(t.Context(), v); len(violationsOf(err)) != 1 {
		t.Errorf("a year that is none: %v", err)
	}
}

func TestManagersAreShownWithTheirChangeOverAPeriod(t *testing.T) {
	bodies := told{"/pages/managers": `{"date":"2025-07-20","start":"2025-06-20","data":[
		{"name":"` + inJSON + `","equity":3e9,"start_equity":4e9,"change":-1e9,"relative":-0.25,"flow":-12e8,"flow_coverage":{"series":9,"of_series":10,"equity_share":0.99}},
		{"name":"BETA ADMINISTRADORA GENERAL DE FONDOS S.A.","equity":2e9,"start_equity":1e9,"change_reason":"incomplete_start","flow_reason":"incomplete_flows","flow_coverage":{"series":1,"of_series":4,"equity_share":0.5}},
		{"name":"GAMA","equity":null,"start_equity":1e9,"change_reason":"no_equity_now","flow":0,"flow_coverage":{"series":1,"of_series":1,"equity_share":1}},
		{"name":"DELTA","equity":5e9,"start_equity":0,"change":5e9,"relative":null,"flow":5e9,"flow_coverage":{"series":1,"of_series":1,"equity_share":1}}]}`}
	body := renderedPage(t, managersPage, locale.Spanish, bodies, "/administradoras", periodKey, "mes",
		sortKey, "cambio")
	wantTexts(t, body, "20 jun 2025", "−1.000", "−25,00 %", "−1.200", "99 %", "9 de 10 series", "+5.000",
		`title="BETA`,
		"del patrimonio final: el registro dice que ya existían, o no dice",
		"(no tiene series al final del período)",
		"(se conocen los flujos de menos del 98 % del patrimonio)", "Administradoras, cambio del 20 jun 2025 al 20 jul 2025", "(el patrimonio inicial era cero)",
		`aria-sort="ascending"`,
		`href="/administradoras?lang=es&amp;periodo=12m"`, `aria-current="true">cambio en un mes`)
	if strings.Contains(body, "No hay con qué comparar") {
		t.Error("the page compares, and says that there is nothing to compare with")
	}
	alone := told{"/pages/managers": `{"date":"2025-07-20","start":null,"data":[
		{"name":"BETA","equity":2e9,"change_reason":"no_start_day","flow_reason":"no_start_day","flow_coverage":{"series":0,"of_series":0}}]}`}
	body = renderedPage(t, managersPage, locale.Spanish, alone, "/administradoras", periodKey, "12m")
	wantTexts(t, body, "No hay con qué comparar", "Cambio relativo (ningún día de la semana anterior al período está completo)")
	if head, _, _ := strings.Cut(body, "</thead>"); strings.Contains(head, "Flujo neto") {
		t.Error("a column without a value is shown")
	}
	none := told{"/pages/managers": `{"date":null,"start":null,"data":[]}`}
	wantTexts(t, renderedPage(t, managersPage, locale.English, none, "/administradoras", periodKey, "12m"),
		"That day has no managers.")
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/administradoras",
		Texts: url.Values{periodKey: {"siglo"}}}, Batch: bodies}
	if _, err := managersPage.load(t.Context(), v); len(violationsOf(err)) != 1 {
		t.Errorf("a period that is none: %v", err)
	}
}

func TestManagersAreShownWithTheirShareOfTheMarket(t *testing.T) {
	bodies := told{
		"/api/agf_stats/ranking patrimony": `{"data":[{"id":"1","attributes":{"administrator":"` + inJSON +
			`","total_patrimony":3000000000,"total_shareholders":10,"fund_count":2,"rank":1}},
			{"id":"2","attributes":{"administrator":"Otra","total_patrimony":1000000000,"total_shareholders":4,"fund_count":1,"rank":2}},{"id":"3","attributes":{"administrator":"Sin tasa","total_patrimony":null,"total_shareholders":3,"fund_count":1,"rank":3}}],"meta":{"date":"2025-07-15"}}`,
		"/api/agf_stats/evolution patrimony": `{"data":[{"month":"2025-05","` + inJSON +
			`":2000000000},{"month":"2025-06","` + inJSON + `":null},{"month":"no month","` + inJSON +
			`":1}],"meta":{"administrators":["` + inJSON + `"]}}`,
		"/api/agf_stats/evolution shareholders": `{"data":[{"month":"2025-05","` + inJSON +
			`":9}],"meta":{"administrators":["` + inJSON + `"]}}`,
		"/api/asset_providers": `{"data":[{"id":"1","attributes":{"name":"` + inJSON +
			`"}}]}`,
		"/api/asset_providers/{provider_id}/conceptual_assets": `{"data":[{"attributes":{"name":"<b>Fondo","run":"9809-4","category":"equity","currency":"USD"}},{"attributes":{"name":"F","run":"1-9","category":null,"currency":null}}]}`,
	}
	wantTexts(t, renderedPage(t, managersPage, locale.Spanish, bodies, "/administradoras"), "75,0 %", "25,0 %", "3.000",
		"Administradoras por patrimonio, 15 jul 2025", "sumados por serie",
		"(falta el tipo de cambio a pesos)",
		`href="/administradoras?administradora=A%2FB+%3Cimg`)
	body := renderedPage(t, managersPage, locale.English, bodies, "/administradoras", managerKey, hostile, dateKey,
		"2025-07-15")
	wantTexts(t, body, "1 of 3", "75.0%", "2,000", "May 2025", "(it has no series in that month)", "9809-4", "Equity",
		"Stocks", "Dollars", "(unclassified)", "Up to the last month that was over.", `href="/fondos/9809-4?`)

	// The cutoff is 20 July, so that month is not over.
	bodies["/api/agf_stats/evolution patrimony"] = `{"data":[{"month":"2025-06","` + inJSON + `":2000000000},{"month":"2025-07","` +
		inJSON + `":1000000000}],"meta":{"administrators":["` + inJSON + `"]}}`
	body = renderedPage(t, managersPage, locale.Spanish, bodies, "/administradoras", managerKey, hostile)
	wantTexts(t, body, ">jun 2025<", ">jul 2025 (hasta el 20)<")

	bodies["/api/asset_providers"] = `{"data":[]}`
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/administradoras",
		Texts: url.Values{managerKey: {"nadie"}}}, Batch: bodies}
	if _, err := managersPage.load(t.Context(), v); !isUnknown(err) {
		t.Errorf("%v", err)
	}
}

func TestAMonthCountsOnceTheDateHasSeenItsEnd(t *testing.T) {
	for day, want := range map[model.Date]string{
		model.NewDate(2025, 7, 15): "2025-06", model.NewDate(2025, 7, 31): "2025-07",
		model.NewDate(2025, 1, 30): "2024-12", model.NewDate(2024, 2, 29): "2024-02",
	} {
		v := &visit{Visit: site.Visit{Texts: url.Values{dateKey: {day.String()}}}}
		if got := v.lastMonth(&day); got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
	}
	if got := (&visit{Visit: site.Visit{Texts: url.Values{}}}).lastMonth(nil); got != "" {
		t.Error(got)
	}
}

func TestChangesOfCostsAreShownWithTheirKind(t *testing.T) {
	change := func(id, currency, before, now, delta, percent string) string {
		return `{"fundName":"<b>F","agf":"` + inJSON + `","serie":"A","serieId":"` + id + `","currency":"` + currency +
			`","patrimony":null,"tac":` + now + `,"tacPrevious":` + before + `,"tacDelta":` + delta + `,"tacDeltaPct":` + percent + `}`
	}
	meta := `"meta":{"date":"2025-06-30","previousDate":"2025-05-31","tac_kinds":{"1":"stated","2":"computed"}}}`
	bodies := told{
		"/api/reports/tac-changes up": `{"data":[` + change("1", "DOLAR", "0.01", "0.0125", "0.0025", "25") + `,` +
			change("2", "PESOS", "0", "0.000000003", "0.000000003", "null") + `],` + meta,
		"/api/reports/tac-changes down": `{"data":[],` + meta,
	}
	wantTexts(t, renderedPage(t, costsPage, locale.Spanish, bodies, "/tac"),
		"De mayo de 2025 a <strong>junio de 2025<", "1,000 %", ">Dólares<", ">Pesos<", "1,250 %", "+0,250", "+25,0 %", "informada", "calculada",
		"menos de 0,001", "(la TAC anterior era cero)", "(no hay patrimonio de fin de mes)",
		"De ninguna serie de esta selección se conoce una baja entre estos dos meses.", `<option value="2025-06">`,
		`<option value="" selected>el más reciente`)
	body := renderedPage(t, costsPage, locale.English, bodies, "/tac", monthKey, "1999-03", directionKey, "alzas",
		dateKey, "2025-03-31")
	wantTexts(t, body, `<option value="1999-03" selected>`, `<option value="alzas" selected>`,
		`<option value="2025-03">`, `name="fecha" value="2025-03-31"`)
	if strings.Contains(body, "Lowered") || strings.Contains(body, `value="2025-04"`) {
		t.Error("falls are shown although rises were chosen, or a month that was not over")
	}
}

func TestThePageOfTheDataShowsWhatIsMissing(t *testing.T) {
	bodies := families()
	bodies["/pages/data"] = `{"batch":{"id":"<b>","asOf":null,"lastQuota":"2025-07-20","calculatedAt":"2025-07-21T12:34:00Z","fingerprint":"abc","rules":"","methodVersion":"m","series":4,"records":12345},
		"datasets":[{"dataset":"cartola","files":1,"rows":2,"rejected":1,"first":null,"last":"2025-07-20","publishedAt":"1970-01-01T00:00:00Z","dueOn":"2025-07-25","late":true},{"dataset":"<b>new","files":1,"rows":2,"rejected":0,"first":null,"last":null,"publishedAt":"2025-07-21T00:00:00Z"}],
		"batches":[{"id":"b","publishedAt":"2025-07-21T12:35:00Z","asOf":null,"readable":false}],
		"rejections":[{"dataset":"cartola","file":"<img src=x>.txt","open":3,"all":5,"reason":"column 2: <script>alert(1)</script> ` + strings.Repeat("x", 400) + `","line":17,"arrived":"2025-07-21T12:00:00Z"}],
		"findings":[{"dataset":"cartola","file":"<b>f.txt","state":"quarantined","judged":"2025-07-21T12:00:00Z","kind":"fewer_decimals","column":"VALOR_CUOTA","before":"4","now":"<i>2","line":2},
			{"dataset":"cartola","file":"g.txt","state":"taken","judged":"2025-07-21T12:00:00Z","kind":"ends_early","column":"","before":"2025-08-31","now":"2025-08-24","line":0}],
		"incomplete":{"total":51,"days":[{"date":"2025-07-19","hasRate":true,"hasData":false,"priorSeries":0,"presentSeries":0,"rejectedSeries":0},{"date":"2025-07-18","hasRate":false,"hasData":true,"priorSeries":100,"presentSeries":90,"rejectedSeries":2}]},
		"lacks":{"series":4,"family":1,"tac":2}}`
	body := renderedPage(t, dataPage, locale.Spanish, bodies, "/datos")
	wantTexts(t, body, "ningún día está completo todavía<", "21 jul 2025, 08:34", "12.345", "Cartola diaria", "CMF",
		"(no se conoce la fuente)", "(no se sabe cuándo)",
		`<span lang="en">column 2: &lt;script&gt;`, "…</span>", "sin ninguna fila, día bancario", "faltan series",
		"más antiguos: 49", "atrasado", "25 jul 2025", "en cuarentena: nada de él se publica", "menos decimales",
		"&lt;i&gt;2", "termina antes de lo que dice su nombre", "24 ago 2025", "25,0 %", "50,0 %", "no, ya no se guarda")
	bodies["/pages/data"] = `{"batch":{"calculatedAt":"2025-07-21T12:34:00Z"},"datasets":[],"batches":[],"rejections":[],"incomplete":{"total":0,"days":[]},"lacks":{"series":0}}`
	wantTexts(t, renderedPage(t, dataPage, locale.English, bodies, "/datos"), "No rejected row is left uncorrected.",
		"All days are complete.", "The batch has no files.", "There are no current series.",
		"No file differs from those before it.")
}

func TestBenchmarksAreShownWithTheirPrices(t *testing.T) {
	list := told{"/api/benchmarks": `{"data":[{"attributes":{"family_rar":"` + inJSON +
		`","symbol":"^X","index_name":"<b>Index","instrument_name":null,"native_currency":"USD"}}]}`}
	wantTexts(t, renderedPage(t, benchmarksPage, locale.Spanish, list, "/benchmarks", dateKey, "2025-07-18"),
		"(se usa el índice mismo)", "dólares", `href="/benchmarks/A%2FB%20%3Cimg`, "fecha=2025-07-18")
	wantTexts(t, renderedPage(t, benchmarksPage, locale.English, told{"/api/benchmarks": `{"data":[]}`}, "/benchmarks"),
		"No benchmarks are loaded.")

	body := renderedPage(t, benchmarkPage, locale.English, families(), "/benchmarks/x", "family", "x", dateKey,
		"2025-07-18")
	wantTexts(t, body, "50.00", "18 Jul 2025", "pesos")
	if strings.Contains(body, "51.00") {
		t.Error("a value after the date is shown")
	}
	wantTexts(t, renderedPage(t, benchmarkPage, locale.Spanish, families(), "/benchmarks/x", "family", "x", dateKey,
		"2001-01-01"), "No hay valores hasta esa fecha.")
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/benchmarks/x",
		Texts: url.Values{"family": {"x"}, dateKey: {"ayer"}}}, Batch: families()}
	if _, err := benchmarkPage.load(t.Context(), v); len(violationsOf(err)) != 1 {
		t.Errorf("%v", err)
	}
}

func TestInvestmentFundsAreShownWithWhatTheyHold(t *testing.T) {
	attributes := `{"name":"` + inJSON +
		`","fund_name":"F","run":"9278-9","serie":null,"administrator":null,"regulatory_type":"FINRE","is_etf":null,"status":"unknown","currency":null,"first_date":null,"last_day":null}`
	list := told{
		"/api/fi/instruments":  `{"data":[{"id":"i/d","attributes":` + attributes + `}],"meta":{"total":1}}`,
		"/api/asset_providers": `{"data":[{"id":"5","attributes":{"name":"<b>AGF"}}]}`,
	}
	wantTexts(t, renderedPage(t, investmentsPage, locale.Spanish, list, "/fondos-de-inversion", "q", `"><b>`,
		"provider_id", "5", "status", "all"), `href="/fondos-de-inversion/i%2Fd?lang=es"`, "no rescatable",
		"no se sabe",
		"(no hay valores publicados)", `<option value="5" selected>&lt;b&gt;AGF`, `<option value="all" selected>`,
		`value="&#34;&gt;&lt;b&gt;"`)
	one := told{
		"/pages/funds/{run}":                                  `{"fundId":"9","run":"9278-9","name":"F","vehicle":"investment_fund","current":true,"portfolioMonths":["2025-06","2025-03"]}`,
		"/api/fi/instruments/{instrument_id}":                 `{"data":{"attributes":` + attributes + `}}`,
		"/api/fi/instruments/{instrument_id}/prices":          `{"data":[{"attributes":{"date":"2025-03-31","valor_libro":1000.5,"patrimonio_neto":2000000,"activo_total":null}},{"attributes":{"date":"2025-06-30","valor_libro":null}}],"meta":{"total":2}}`,
		"/api/fi/instruments/{instrument_id}/cartera/resumen": `{"data":[{"attributes":{"tipo_instrumento":"ACC","num_holdings":2,"valorizacion_nacional":1234567.89,"valorizacion_extranjera":0,"pct_activo_fondo":61.7284}}],"meta":{"month":"2025-06"}}`,
		"/api/fi/instruments/{instrument_id}/cartera/holdings": `{"data":[` +
			strings.Repeat(`{"attributes":{"nemotecnico":null,"emisor":null,"rut_emisor":"96667560-8","pais":"CL","tipo_instrumento":"ACC","valorizacion":7,"pct_activo_fondo":null}},`, 59) + `{"attributes":{"tipo_instrumento":"X"}}],"meta":{"month":"2025-06"}}`,
	}
	body := renderedPage(t, investmentPage, locale.English, one, "/fondos-de-inversion/i", "id", "i")
	wantTexts(t, body, "not redeemable", "no series with values is known<", "1,000.5000",
		"(it was not stated for that day)", "Jun 2025", "1,234,568", "61.73%", "RUT 96667560-8",
		"(the source does not state it)", "The largest 50 of 60 positions are shown.", `<option value="2025-06" selected>`,
		`<option value="2025-03">`, "thousands of the fund&#39;s currency", "These are all days with values published")
	one["/api/fi/instruments/{instrument_id}/prices"] = `{"data":[],"meta":{"total":0}}`
	wantTexts(t, renderedPage(t, investmentPage, locale.Spanish, one, "/fondos-de-inversion/i", "id", "i", dateKey,
		"2025-01-01"), "No hay valores publicados hasta esa fecha.",
		"No se conoce ninguna cartera de este fondo hasta esa fecha.")
	delete(one, "/pages/funds/{run}")
	wantTexts(t, renderedPage(t, investmentPage, locale.Spanish, one, "/fondos-de-inversion/i", "id", "i"),
		"No se conoce ninguna cartera de este fondo.")
}

func TestAColumnOfOneValueFoldsIntoTheNote(t *testing.T) {
	of := func(run, kind string) string {
		return `{"id":"i","attributes":{"name":"N","fund_name":"F","run":"` + run + `","serie":null,"administrator":null,"regulatory_type":"` + kind +
			`","is_etf":null,"status":"active","currency":null,"first_date":null,"last_day":null}}`
	}
	list := told{"/api/asset_providers": `{"data":[]}`,
		"/api/fi/instruments": `{"data":[` + of("9278-9", "FINRE") + "," + of("9279-7", "RES") + `],"meta":{"total":2}}`}
	body := renderedPage(t, investmentsPage, locale.Spanish, list, "/fondos-de-inversion")
	wantTexts(t, body, "no se muestra: Estado (vigente).", ">Rescate</th>", "de fondos vigentes:", ">9279-7<")
	if strings.Contains(body, ">Estado</th>") {
		t.Error("the status is a column, though all have the same")
	}
}

func TestAPageOfAListBeyondItsEndLeadsBack(t *testing.T) {
	v := &visit{Visit: site.Visit{Path: "/x", Lang: locale.Spanish, Texts: url.Values{pageKey: {"9"}},
		Keys: []string{pageKey}}}
	if p := v.pagerOf(0, 120, "lista"); p == nil || p.Previous != "/x?pagina=3#lista" || p.Next != "" {
		t.Errorf("%+v", p)
	}
	for text, want := range map[string]int{"": 1, "2": 2, "0": 1, "-3": 1, "x": 1, "99999999999999": 1} {
		if got := (&visit{Visit: site.Visit{Texts: url.Values{pageKey: {text}}}}).pageNumber(); got != want {
			t.Errorf("%q is page %d", text, got)
		}
	}
}

func TestAListOfAnotherDateBeginsWithItsFirstPage(t *testing.T) {
	v := &visit{Visit: site.Visit{Path: "/x",
		Texts: url.Values{pageKey: {"9"}, dateKey: {"2025-01-31"}, moneyKey: {"PESOS"}},
		Keys:  []string{pageKey, dateKey, moneyKey}}}
	if got := v.OtherTexts(); len(got) != 1 || got[0].Name != moneyKey {
		t.Errorf("%v", got)
	}
	if got := v.Newest(); got != "/x?moneda=PESOS" {
		t.Error(got)
	}
}

func TestASearchFindsCategoriesByTheirNameInEitherLanguage(t *testing.T) {
	nothing := told{
		"/pages/search":        `{"data":[],"total":0}`,
		"/api/asset_providers": `{"data":[]}`,
		"/api/market-summary":  `{"families":[]}`,
	}
	for text, want := range map[string]string{"accionario": "equity", "EQUITY": "equity", "balánced": "balanced",
		"money": "money_market", "mercado monetario": "money_market", "liquidez": "money_market",
		"acionario": "equity", "stocks": "equity"} {
		wantTexts(t, renderedPage(t, searchPage, locale.Spanish, nothing, "/buscar", "q", text), "Categorías",
			`href="/fondos?category=`+want+`&amp;lang=es#resultado"`)
	}
	wantTexts(t, renderedPage(t, searchPage, locale.Spanish, nothing, "/buscar", "q", "zzz"),
		"No se encontró nada con ese nombre")
}

func TestASearchHasARowForEachFundAndMarksClosedSeries(t *testing.T) {
	found := told{
		"/pages/search": `{"data":[{"id":"7","fund":"RENTA","run":"8011-K","serie":"A","manager":"ALFA","closed":false,"by_book_value":false,"tac":0.015,"tac_kind":"stated","equity_clp":2e9},
			{"id":"9","fund":"RENTA","run":"8011-K","serie":"C","manager":"ALFA","closed":false,"by_book_value":false,"tac":0.005,"tac_kind":"stated","equity_clp":1234e6,"unheld":true},
			{"id":"8","fund":"RENTA","run":"8011-K","serie":"B","manager":"ALFA","closed":true,"by_book_value":false,"tac":0.09,"tac_kind":"stated","equity_clp":null},
			{"id":"ddf92f33-386c-55e2-9b10-9d87948dc8cf","fund":"AINA","run":"9278-9","serie":"A","manager":"","closed":false,"by_book_value":true,"tac":null,"equity_clp":null}],"total":4}`,
		"/api/asset_providers": `{"data":[]}`,
		"/api/market-summary":  `{"families":[]}`,
	}
	page := renderedPage(t, searchPage, locale.Spanish, found, "/buscar", "q", "x")
	wantTexts(t, page, `value="7"`, `B</a> (cerrada)`, `C</a> (sin partícipes o patrimonio)`, `informada 0,50–1,50`, "hasta diez<", `3.234`, `href="/fondos-de-inversion/ddf92f33-386c-55e2-9b10-9d87948dc8cf`)
	for _, not := range []string{`value="8"`, `value="ddf`, `A</a> (`, "9,00", "Nada tiene esas palabras"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %s", not)
		}
	}
	if n := strings.Count(page, `<th scope="row" role="rowheader">`); n != 2 {
		t.Errorf("%d rows, want one for each of 2 funds", n)
	}
}

func TestASearchGivesEachKindOfTACARangeAndSaysWhatASumLacks(t *testing.T) {
	found := told{
		"/pages/search": `{"data":[{"id":"7","fund":"RENTA","run":"8011-K","serie":"A","tac":0.015,"tac_kind":"stated","equity_clp":2e9},
			{"id":"9","fund":"RENTA","run":"8011-K","serie":"C","tac":0.005,"tac_kind":"synthetic","equity_clp":null},
			{"id":"11","fund":"VALOR","run":"8012-8","serie":"A","tac":0.010001,"tac_kind":"synthetic","equity_clp":1e9},
			{"id":"12","fund":"VALOR","run":"8012-8","serie":"B","tac":0.010002,"tac_kind":"synthetic","equity_clp":1e9}],"total":4}`,
		"/api/asset_providers": `{"data":[]}`,
		"/api/market-summary":  `{"families":[]}`,
	}
	page := renderedPage(t, searchPage, locale.Spanish, found, "/buscar", "q", "x")
	wantTexts(t, page, "sintética 0,50 %<", "informada 1,50 %<", "sin el de una serie", "sintética 1,00 %<")
	for _, not := range []string{"0,50–", "1,00–"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %s", not)
		}
	}
}

func TestASearchSaysThatItFoundTypos(t *testing.T) {
	found := told{
		"/pages/search":        `{"data":[{"id":"7","fund":"ALFA","run":"8011-K","serie":"A"}],"total":1,"typos":true}`,
		"/api/asset_providers": `{"data":[{"id":"1","attributes":{"name":"BANCHILE"}}]}`,
		"/api/market-summary":  `{"families":[{"family":"Accionario EEUU"}]}`,
	}
	page := renderedPage(t, searchPage, locale.Spanish, found, "/buscar", "q", "acionario")
	wantTexts(t, page, "Nada tiene esas palabras", "8011-K", "Accionario EEUU")
	page = renderedPage(t, searchPage, locale.Spanish, found, "/buscar", "q", "banchile")
	wantTexts(t, page, "BANCHILE")
	for _, not := range []string{"8011-K", "Nada tiene esas palabras"} { // the manager has the word as it is written
		if strings.Contains(page, not) {
			t.Errorf("the page has %s", not)
		}
	}
}

func TestADifferenceInCostIsShownYearByYear(t *testing.T) {
	bodies := told{
		"/pages/series/{asset_id}": `{"id":"7","run":"8011-K","serie":"<b>A","fund":"` + inJSON +
			`","alive":true,"tac":0.01,"tac_kind":"stated","tac_date":"2025-06-30"}`,
		"/pages/cost-difference": `{"years":[{"year":1,"first":1038000.4,"second":1043000,"difference":4999.6},{"year":2,"first":1,"second":2,"difference":-12345}]}`,
	}
	wantTexts(t, renderedPage(t, differencePage, locale.Spanish, bodies, "/costos/diferencia"),
		"Se necesitan dos costos conocidos", `value="1000000"`, `name="costo"`, "Es aritmética sobre un supuesto")
	page := func(lang locale.Language, texts url.Values) string {
		v := &visit{Visit: site.Visit{Lang: lang, Path: "/costos/diferencia", Texts: texts, Chosen: true,
			Keys: differencePage.keys}, Batch: bodies}
		data, err := differencePage.load(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		body, err := templates.Render(lang, "difference", view{visit: v, Data: data})
		if err != nil {
			t.Fatal(err)
		}
		checkPage(t, string(body))
		return string(body)
	}
	wantTexts(t, page(locale.Spanish, url.Values{serieKey: {"7", "8"}, amountKey: {"1.000.000"},
		grossKey: {"5,5"}, yearsKey: {"2"}}),
		"1.038.000", "+5.000", "−12.345", "Con una rentabilidad supuesta de 5,50 % al año antes de costos, después de 2 años la segunda serie dejaría 12.345 pesos menos que la primera serie, en pesos nominales.",
		`value="5.5"`, `name="serie" value="7"`,
		"informada, 30 jun 2025")
	same := page(locale.Spanish, url.Values{serieKey: {"7", "8"}})
	wantTexts(t, same, "La diferencia es la segunda serie menos la primera", "1,000 %")
	if strings.Contains(same, `class="alarm"`) {
		t.Error("rates of one kind are said not to compare")
	}
	wantTexts(t, page(locale.English, url.Values{chargeKey: {"1,25", "0.5"}}), "Cost of 1.25%",
		"Cost of 0.50%", "1,043,000", `value="1,25"`)
	for _, texts := range []url.Values{
		{amountKey: {"-1"}}, {amountKey: {"1,500"}}, // one and a half, or a thousand and a half
		{amountKey: {"1000000000001"}}, {yearsKey: {"900"}}, {yearsKey: {"20,5"}}, {grossKey: {"mucho"}},
		{chargeKey: {"101"}}, {chargeKey: {"1", "2", "3"}},
	} {
		v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/costos/diferencia", Texts: texts}, Batch: bodies}
		if _, err := differencePage.load(t.Context(), v); len(violationsOf(err)) != 1 {
			t.Errorf("%v: %v", texts, err)
		}
	}
}

func TestCostsOfDifferentKindsHaveNoDifference(t *testing.T) {
	bodies := differentKinds{told{
		"/pages/series/{asset_id}": `{"id":"7","run":"8011-K","serie":"A","fund":"FONDO","alive":true,"tac":0.01,
			"tac_kind":"stated","tac_date":"2025-06-30","currency":"PESOS"}`,
		"/pages/cost-difference": `{"years":[{"year":1,"first":1038000.4,"second":1043000,"difference":4999.6}]}`,
	}}
	v := &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/costos/diferencia",
		Texts: url.Values{serieKey: {"7", "8"}}, Chosen: true, Keys: differencePage.keys}, Batch: bodies}
	data, err := differencePage.load(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	body, err := templates.Render(v.Lang, "difference", view{visit: v, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	page := string(body)
	checkPage(t, page)
	wantTexts(t, page, "son de tipos distintos, que no se comparan", "1.038.000", "1.043.000", "serie en dólares",
		"FONDO · B está en dólares. Los montos son en pesos")
	for _, not := range []string{"Diferencia</th>", "Diferencia<span", "5.000", "menos la primera", "dejaría"} {
		if strings.Contains(page, not) {
			t.Errorf("the page has %q", not)
		}
	}
	if table := strings.Index(page, "<table"); table < strings.Index(page, `class="alarm"`) ||
		strings.Index(page, `class="alarm"`) < strings.Index(page, "Año por año") {
		t.Error("the alarm does not stand at the table")
	}
	empty := renderedPage(t, differencePage, locale.Spanish, bodies.told, "/costos/diferencia")
	if strings.Contains(empty, "Año por año") {
		t.Error("a page without a table has its heading")
	}
}

// differentKinds has a series 8 that is in dollars, and whose cost rate is of another kind than that of the others.
type differentKinds struct{ told }

func (b differentKinds) Ask(ctx context.Context, path string, texts url.Values) (any, error) {
	body, there := b.told[path]
	if texts.Get("asset_id") != "8" || !there {
		return b.told.Ask(ctx, path, texts)
	}
	return foundIn(path, texts, strings.NewReplacer(`"stated"`, `"synthetic"`, `"PESOS"`, `"DOLAR"`, `"serie":"A"`,
		`"serie":"B"`).Replace(body))
}

// An amount that is not zero is never shown as zero.
func TestASmallAmountKeepsADigit(t *testing.T) {
	v := &visit{Visit: site.Visit{Lang: locale.Spanish}}
	for _, of := range []struct {
		millions float64
		decimals int
		want     string
	}{
		{0, 0, "0"}, {0, 1, "0,0"}, {1234.56, 0, "1.235"}, {1234.56, 1, "1.234,6"}, {0.6, 0, "1"}, {0.4, 0, "0,4"},
		{0.04, 1, "0,04"}, {-0.04, 0, "−0,04"}, {0.0006, 0, "0,001"}, {0.0004, 1, "menos de 0,001"},
	} {
		if got := v.millionsCell(&of.millions, of.decimals, "").Text; got != of.want {
			t.Errorf("%v with %d decimals is %q, want %q", of.millions, of.decimals, got, of.want)
		}
	}
	if got := v.millionsCell(nil, 0, "unknown"); got.Text != locale.Dash || got.Reason != "unknown" {
		t.Errorf("nothing is %+v", got)
	}
}

func TestSeriesOfAListHaveShortNames(t *testing.T) {
	v := &visit{Visit: site.Visit{Lang: locale.Spanish}}
	const manager = "SUR ADMINISTRADORA GENERAL DE FONDOS S.A."
	cells := v.seriesCells([]listedSeries{
		{"1", "8001-2", "FONDO MUTUO SUR ACCIONES", "A", manager}, {"2", "8002-3", "FONDO MUTUO SUR ACCIONES", "A", manager},
		{"3", "8003-4", "FONDO MUTUO NORTE", "B", ""}})
	for i, want := range []string{"ACCIONES (8001-2) · A", "ACCIONES (8002-3) · A", "NORTE · B"} {
		if strings.ReplaceAll(cells[i].Text, locale.NoBreak, " ") != want {
			t.Errorf("series %d is %q, want %q", i+1, cells[i].Text, want)
		}
	}
	if of := cells[0]; of.Full != "FONDO MUTUO SUR ACCIONES · A" || of.Sub != "SUR" || of.FullSub != manager ||
		of.Link != "/series/1" {
		t.Errorf("the full names are missing: %+v", of)
	}
}
