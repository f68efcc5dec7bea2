package marketpages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/locale"
	"cuota/model"
)

// fundBatch is a batch whose replies a test writes.
type fundBatch func(path string, texts url.Values) (string, error)

func (fundBatch) Version() string                       { return "1" }
func (fundBatch) ID() string                            { return "20250720-1-aaaaaaaaaaaa" }
func (fundBatch) Cutoff() *model.Date                   { return new(model.NewDate(2025, 7, 20)) }
func (fundBatch) Parameters(string) []httpapi.Parameter { return nil }

func (fundBatch) Check(_ context.Context, err error) error { return err }

func (b fundBatch) Ask(_ context.Context, path string, texts url.Values) (any, error) {
	body, err := b(path, texts)
	if err != nil {
		return nil, err
	}
	return foundIn(path, texts, body)
}

// loadedPage returns a page as HTML without line breaks, or the error of its load.
func loadedPage(t *testing.T, p page, l locale.Language, address string, b fundBatch) (string, error) {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	texts := target.Query()
	if strings.Contains(p.path, "{run}") {
		texts.Set("run", strings.TrimPrefix(target.Path, "/fondos/"))
	}
	v := &visit{Visit: site.Visit{Lang: l, Path: target.Path, Texts: texts, Keys: p.keys}, Batch: b}
	data, err := p.load(t.Context(), v)
	if err != nil {
		return "", err
	}
	body, err := templates.Render(v.Lang, p.template, view{visit: v, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(body), "\n", " "), nil
}

// fundPageHas tells which texts are not on a page, and which are that must not be.
func fundPageHas(t *testing.T, body string, there []string, absent ...string) {
	t.Helper()
	for _, text := range there {
		if !strings.Contains(body, text) {
			t.Errorf("the page has no %q", text)
		}
	}
	for _, text := range absent {
		if strings.Contains(body, text) {
			t.Errorf("the page has %q", text)
		}
	}
}

const (
	openFund = `{"fundId": "7", "run": "8011-K", "name": "RENTA <script>alert(1)</script>", "agf": "ALFA & CIA", "vehicle": "mutual_fund", "category": "equity",
		"currency": "DOLAR", "started": "2015-04-27", "ended": null, "current": true, "portfolioMonths": ["2025-06", "2025-03"]}`
	seriesA = `{"id": "21", "attributes": {"agf": "ALFA & CIA", "fundName": "RENTA", "run": "8011-K", "fundFamily": "Deuda < 90 días / pesos", "serie": "A", "currency": "DOLAR",
		"tac": 0.0132, "tac_as_of_date": "2025-06-30", "investorClass": "Retail", "price": 1812.4835, "price_as_of_date": "2025-07-20", "dailyChange": -0.5,
		"patrimony": 21671.529895, "shareholders": 4549, "volatility_annualized_12m": 0.058498, "cmf_spheres": {"value": 4, "reason": null},
		"returns": {"periods": {"1y": {"value": 0.14084, "reason": null}, "5y_ann": {"value": null, "reason": "known_discontinuity"}}}}}`
	seriesB = `{"id": "22", "attributes": {"fundName": "RENTA", "run": "8011-K", "serie": "B", "cmf_spheres": {"value": null, "reason": "not_rated_by_cmf"},
		"returns": {"periods": {}}}}`
	otherFund = `{"id": "99", "attributes": {"fundName": "ALIEN", "run": "18011-5", "serie": "X", "returns": {"periods": {}}}}`
	noClause  = `{"article107RegulationStatus": "unknown", "sourceFreshness": "unknown", "source": {}, "review": {}, "evidence": null}`
)

// fundReplies answers like the operations that the page of a fund asks, with some replies
// replaced.
func fundReplies(replaced map[string]string) fundBatch {
	return func(path string, texts url.Values) (string, error) {
		if body, is := replaced[path]; is {
			return body, nil
		}
		switch path {
		case "/pages/funds/{run}":
			return openFund, nil
		case "/api/screener":
			return `{"data": [` + otherFund + "," + seriesB + "," + seriesA +
				`], "meta": {"as_of_date": "2025-07-20", "total": 3, "tac_kinds": {"21": "synthetic"}}}`, nil
		case "/api/conceptual_assets/{concept_id}/real_assets":
			return `{"data": [{"id": "21", "attributes": {"serie": "A"}}, {"id": "23", "attributes": {"serie": "VIEJA", "currency": "CLP",
				"last_day": {"net_asset_value": 1083.588, "total_net_assets": 2500000, "date": "2020-08-10"}}},
				{"id": "24", "attributes": {"serie": "NUNCA", "last_day": null}}]}`, nil
		case "/api/funds/{run}/article107":
			return noClause, nil
		case "/api/funds/{run}/cartera/resumen":
			return `{"data": [{"attributes": {"tipo_instrumento": "DPC", "num_holdings": 2, "valorizacion_nacional": 234887, "valorizacion_extranjera": 0, "pct_activo_fondo": 20.7}}]}`, nil
		case "/api/funds/{run}/cartera/holdings":
			return `{"data": [{"attributes": {"market": "nacional", "nemotecnico": "<b>FNEST</b>", "emisor": null, "rut_emisor": "97030000-7", "pais": "CL", "tipo_instrumento": "ZZZ",
				"valorizacion": 169918, "pct_activo_fondo": null}}], "meta": {"month": "` + texts.Get("month") + `"}}`,
				nil
		}
		return "", errors.New("asked " + path)
	}
}

func TestAFundShowsItsSeriesSideBySide(t *testing.T) {
	t.Parallel()
	es, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8011-K", fundReplies(nil))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, es, []string{
		"<h1>RENTA &lt;script&gt;alert(1)&lt;/script&gt;</h1>", "ALFA &amp; CIA", "Dólares", "Accionario",
		"27\u00a0abr\u00a02015",
		`href="/familias/Deuda%20%3C%2090%20d%C3%ADas%20%2F%20pesos"`, `href="/series/21"`, "1.812,4835",
		"20\u00a0jul\u00a02025", "−0,50\u00a0%",
		"1,32\u00a0%", "sintética, jun\u00a02025", "5,85\u00a0%", "21.671,5", "4.549", "&#43;14,08\u00a0%",
		"hay un quiebre en el período", "la CMF no la califica", "ninguna fuente informa la TAC",
		"falta la rentabilidad de alguno de sus 12 meses",
		`href="/comparar?series=21%2C22"`,
		`href="/series/23"`, "10\u00a0ago\u00a02020", "1.083,5880", "2,5", "nunca tuvo un valor cuota",
		"DPC", "Depósitos a plazo de corto plazo", "20,70\u00a0%", "234.887",
		"&lt;b&gt;FNEST&lt;/b&gt;", "RUT 97030000-7", "ZZZ", "169.918", "la fuente no lo informa",
		`<option value="2025-06" selected>jun`, "miles de dólares", "Todas las posiciones", "Nadie ha evaluado todavía",
	}, "<script>alert", "ALIEN", "<b>FNEST", `href="/series/99"`)

	en, err := loadedPage(t, fundPage, locale.English, "/fondos/8011-K?mes=2025-03&orden=tac&dir=desc",
		fundReplies(nil))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, en, []string{"Dollars", "1,812.4835", "1.32%", "synthetic", "the CMF does not rate it",
		"&#43;14.08%", `<option value="2025-03" selected>Mar`,
		"Short time deposits", "Nobody has assessed", "there is a break within the period",
		`<input type="hidden" name="orden" value="tac">`, `aria-sort="descending"`},
		"Ninguna", "sintética")
}

func TestAReaderChoosesTheSeriesOfAFundByTheirClass(t *testing.T) {
	t.Parallel()
	of := func(serie, id, class string) string {
		return `{"id": "` + id + `", "attributes": {"fundName": "RENTA", "run": "8011-K", "serie": "` + serie + `", ` + class +
			`"fundFamily": "Deuda", "returns": {"periods": {}}}}`
	}
	// The class in force counts before that of the cost rate, as in the screener.
	replies := fundReplies(map[string]string{"/api/screener": `{"data": [` + of("A", "21",
		`"classificationInvestorClass": "APV", "investorClass": "Retail", `) + "," +
		of("B", "22", `"investorClass": "Retail", `) + "," + of("C", "23", "") +
		`], "meta": {"as_of_date": "2025-07-20", "total": 3, "tac_kinds": {}}}`})
	for query, c := range map[string]struct{ there, absent []string }{
		"": {[]string{`href="/series/21">A`, `href="/series/22">B`, `href="/series/23">C`, "todas las clases (3)", "APV (1)", "sin clase (1)",
			"Minorista (1)", "Aquí no está el monto mínimo", "ninguna fuente la da", "series=21%2C22%2C23"}, nil},
		"?clase=APV":       {[]string{`href="/series/21">A`, "series=21"}, []string{`href="/series/22">B`, "series=21%2C22"}},
		"?clase=Retail":    {[]string{`href="/series/22">B`}, []string{`href="/series/21">A`, `href="/series/23">C`}},
		"?clase=sin-clase": {[]string{`href="/series/23">C`}, []string{`href="/series/21">A`, `href="/series/22">B`}},
		"?clase=Otra":      {[]string{"Ninguna serie del fondo es de esa clase."}, []string{`">A</a>`, `">B</a>`}},
	} {
		body, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8011-K"+query, replies)
		if err != nil {
			t.Fatal(err)
		}
		fundPageHas(t, body, c.there, c.absent...)
	}
	without := fundReplies(map[string]string{"/api/screener": `{"data": [` + of("C", "23", "") +
		`], "meta": {"total": 1, "tac_kinds": {}}}`})
	body, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8011-K", without)
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{`href="/series/23">C`}, "todas las clases", "monto mínimo")
}

// Its costs, risk and returns of zero would look like results.
func TestASeriesThatNobodyHoldsIsMarkedInBothTables(t *testing.T) {
	t.Parallel()
	held := `{"id": "21", "attributes": {"fundName": "RENTA", "run": "8011-K", "serie": "A", "patrimony": 4.56, "shareholders": 82, "returns": {"periods": {"1m": {"value": 0.01}}}}}`
	small := `{"id": "22", "attributes": {"fundName": "RENTA", "run": "8011-K", "serie": "B", "patrimony": 0.0213, "shareholders": 4, "returns": {"periods": {"1m": {"value": 0.01}}}}}`
	empty := `{"id": "23", "attributes": {"fundName": "RENTA", "run": "8011-K", "serie": "C", "patrimony": 0, "shareholders": 0, "tac": 0, "returns": {"periods": {"1m": {"value": 0}}}}}`
	body, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8011-K", fundReplies(map[string]string{
		"/api/screener": `{"data": [` + held + "," + small + "," + empty + `], "meta": {"total": 3, "tac_kinds": {}}}`}))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"valores", "rentabilidades-series"} {
		_, part, _ := strings.Cut(body, `<table id="`+id+`"`)
		part, _, _ = strings.Cut(part, "</table>")
		for i, line := range strings.Split(part, "<tr")[2:] {
			marked := strings.Contains(line, "sin partícipes o patrimonio") && strings.HasPrefix(line, ` class="quiet"`)
			if marked != (i == 2) {
				t.Errorf("%s, row %d is marked: %t", id, i, marked)
			}
		}
	}
	fundPageHas(t, body, []string{">4,56<", ">0,02<", ">0</td>"}, ">0,00<") // the same decimals in all rows
}

func TestAFundWithoutSeriesOrPortfolioSaysSo(t *testing.T) {
	t.Parallel()
	body, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8012", fundReplies(map[string]string{
		"/pages/funds/{run}": `{"fundId": "8", "run": "8012-8", "name": "CERRADO", "vehicle": "mutual_fund", "ended": "2020-01-31", "current": false, "portfolioMonths": []}`,
		"/api/screener":      `{"data": [], "meta": {"total": 0, "tac_kinds": {}}}`,
		"/api/conceptual_assets/{concept_id}/real_assets": `{"data": []}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"31\u00a0ene\u00a02020", "Ninguna serie del fondo tiene valor cuota a esa fecha.",
		"No se conoce ninguna cartera de este fondo.", "ninguna fuente la nombra", "sin clasificar", "sin familia"},
		"/comparar?", "<select", "Otras series", "Todas las posiciones")
}

func TestAPastDateHasThePortfolioOfThatTime(t *testing.T) {
	t.Parallel()
	body, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8011?fecha=2025-06-29",
		func(path string, texts url.Values) (string, error) {
			if path == "/api/screener" && texts.Get("as_of_date") != "2025-06-29" {
				t.Errorf("the screener is asked for %v", texts)
			}
			if strings.Contains(path, "cartera") && texts.Get("month") != "2025-03" {
				t.Errorf("the portfolio of %v is shown", texts)
			}
			return fundReplies(nil)(path, texts)
		})
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{`<option value="2025-03" selected>`,
		`<input type="hidden" name="fecha" value="2025-06-29">`, "los de esa fecha",
		`href="/series/21?fecha=2025-06-29"`}, `value="2025-06"`)
}

func TestAnInvestmentFundLeadsToItsInstruments(t *testing.T) {
	t.Parallel()
	body, err := loadedPage(t, fundPage, locale.English, "/fondos/9278", fundReplies(map[string]string{
		"/pages/funds/{run}": `{"fundId": "9", "run": "9278-9", "name": "AINA", "vehicle": "investment_fund", "current": true, "portfolioMonths": []}`,
		"/api/screener":      `{"data": [], "meta": {"total": 0, "tac_kinds": {}}}`,
		"/api/fi/instruments": `{"data": [{"id": "ddf92f33-386c-55e2-9b10-9d87948dc8cf", "attributes": {"name": "AINA Serie A", "run": "9278-9"}},
			{"id": "00000000-386c-55e2-9b10-9d87948dc8cf", "attributes": {"name": "ANOTHER", "run": "92789-2"}}]}`,
		"/api/conceptual_assets/{concept_id}/real_assets": `{"data": []}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{
		`<a href="/fondos-de-inversion/ddf92f33-386c-55e2-9b10-9d87948dc8cf">AINA Serie A</a>`, "book values"},
		"ANOTHER", "not classified")
}

func TestTheEvidenceAboutArticle107IsShownInWords(t *testing.T) {
	t.Parallel()
	clause := func(url string) map[string]string {
		return map[string]string{
			"/api/funds/{run}/article107": `{"article107RegulationStatus": "declares_eligible", "sourceFreshness": "stale", "lastSuccessfulAssessmentAt": "2026-05-31T18:00:00Z",
			"source": {"cmfDocumentId": "RI-1", "observedCmfDocumentId": "RI-2", "url": "` + url +
				`", "cmfDepositDate": "2025-11-03"}, "review": {"status": "approved", "reviewedAt": "2026-06-02T12:00:00Z"},
			"evidence": {"text": "Las cuotas se acogerán al <i>artículo 107</i>", "page": 12, "section": "3.1", "seriesException": true}}`}
	}
	body, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/8011",
		fundReplies(clause("https://example.org/ri/1.pdf")))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"declara que sus cuotas pueden acogerse al artículo 107",
		"acogerán al &lt;i&gt;artículo 107&lt;/i&gt;", "sección 3.1", "página 12", "Vale solo para algunas series.",
		"la CMF muestra ahora otro documento", "31\u00a0may\u00a02026", "aprobada, 2\u00a0jun\u00a02026",
		"no es asesoría tributaria",
		`<a href="https://example.org/ri/1.pdf" rel="noopener noreferrer nofollow">https://example.org/ri/1.pdf</a>`},
		"<i>")
	if body, err = loadedPage(t, fundPage, locale.English, "/fondos/8011",
		fundReplies(clause("javascript:alert(1)"))); err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"<dd>javascript:alert(1)</dd>", "units may fall under article 107", "in Spanish, section 3.1", "approved"},
		`href="javascript`)
}

func TestAnUnknownRUNIsNotFound(t *testing.T) {
	t.Parallel()
	_, err := loadedPage(t, fundPage, locale.Spanish, "/fondos/7777", func(string, url.Values) (string, error) {
		return "", httpapi.NotFound("none")
	})
	var p *httpapi.Problem
	if !errors.As(err, &p) || p.Status != http.StatusNotFound {
		t.Errorf("the error is %v", err)
	}
}
