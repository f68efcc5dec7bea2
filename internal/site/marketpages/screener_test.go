package marketpages

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/model"

	"cuota/internal/site"
	"cuota/internal/testkit/parquettest"
	"cuota/query/market"
)

// screenerMarket is a batch whose operations answer with given bodies.
type screenerMarket struct {
	bodies     map[string]string // by path
	errors     func(texts url.Values) error
	asked      []url.Values // of the screener
	parameters []httpapi.Parameter
}

func (m *screenerMarket) Batch() (Batch, bool) { return m, true }

func (*screenerMarket) Version() string { return "1" }

func (*screenerMarket) ID() string { return "20250720-2-b" }

func (*screenerMarket) Cutoff() *model.Date {
	day := model.NewDate(2025, 7, 20)
	return &day
}

func (m *screenerMarket) Parameters(string) []httpapi.Parameter { return m.parameters }

func (*screenerMarket) Check(_ context.Context, err error) error { return err }

func (m *screenerMarket) Ask(_ context.Context, path string, texts url.Values) (any, error) {
	if path == screenerOperation || path == market.ScreenerRanking.Path {
		m.asked = append(m.asked, texts)
		if m.errors != nil {
			if err := m.errors(texts); err != nil {
				return nil, err
			}
		}
	}
	if path == market.ScreenerRanking.Path && m.bodies[path] == "" { // our own returns sort as the screener does
		return foundIn(path, texts, strings.Replace(m.bodies[screenerOperation], `"meta":{`,
			`"meta":{"source":"own","own":2,"official":0,`, 1))
	}
	return foundIn(path, texts, m.bodies[path])
}

func screenerParameter(name string, schema httpapi.Schema) httpapi.Parameter {
	return httpapi.Parameter{Name: name, In: "query", Description: "What " + name + " is", Schema: schema,
		Default: schema["default"]}
}

const screenerReply = `{"data":[
	{"id":"7","attributes":{"agf":"<b>Manager</b>","fundName":"=HYPERLINK(\"x\")","run":"9809-4","serie":"A<script>","category":"money_market","fundFamily":"Deuda < 90",
	 "classificationInvestorClass":null,"investorClass":"Retail","currency":"PESOS","tac":0.0123,"tac_as_of_date":"2025-06-30","patrimony":1234.6,"shareholders":1000,
	 "volatility_annualized_12m":0.05,"cmf_spheres":{"value":null,"reason":"not_rated_by_cmf"},
	 "returns":{"periods":{"1m":{"value":-0.0123,"reason":null},"1y":{"value":null,"reason":"missing_start_quote"}}}}},
	{"id":"8","attributes":{"agf":"M","fundName":"F","run":"1-9","serie":"B","category":null,"fundFamily":null,"currency":"DOLAR","tac":null,"patrimony":null,"shareholders":null,
	 "volatility_annualized_12m":null,"cmf_spheres":{"value":5,"reason":null},"returns":{"periods":{}}}}],
	"meta":{"as_of_date":"2025-07-20","batch_id":"20250720-2-b","tac_kinds":{"7":"synthetic"},"total":120,"offset":50}}`

func newScreenerMarket() *screenerMarket {
	return &screenerMarket{
		bodies: map[string]string{
			screenerOperation:                screenerReply,
			"/pages/official-returns/series": `{"date":null,"series":[]}`,
			"/pages/screener_choices":        `[{"parameter":"category","value":"money_market","series":3},{"parameter":"administrator","value":"A & B","series":1}]`,
		},
		parameters: []httpapi.Parameter{
			screenerParameter("q", httpapi.Schema{"type": []string{"string", "null"}, "maxLength": 200}),
			screenerParameter("category", httpapi.Schema{"type": []string{"string", "null"}, "maxLength": 100}),
			screenerParameter("currency", httpapi.Schema{"type": []string{"string", "null"}, "maxLength": 20}),
			screenerParameter("administrator", httpapi.Schema{"type": []string{"string", "null"}, "maxLength": 200}),
			screenerParameter("cmf_spheres_min",
				httpapi.Schema{"type": []string{"integer", "null"}, "minimum": int64(1), "maximum": int64(5)}),
			screenerParameter("tac_kind", httpapi.Schema{"type": "string",
				"enum": []string{"synthetic", "stated", "computed"}}),
			screenerParameter("newest_filter", httpapi.Schema{"type": []string{"string", "null"}, "maxLength": 9}),
			screenerParameter("sort", httpapi.Schema{"type": "string", "enum": []string{"id", "tac", "tac_by_kind", "1y"},
				"default": "id"}),
			screenerParameter("order", httpapi.Schema{"type": "string", "enum": []string{"asc", "desc"},
				"default": "asc"}),
			screenerParameter("limit", httpapi.Schema{"type": "integer"}),
			screenerParameter("offset", httpapi.Schema{"type": "integer"}),
			screenerParameter("as_of_date", httpapi.Schema{"type": "string", "format": "date"}),
			screenerParameter("batch_id", httpapi.Schema{"type": "string", "maxLength": 200}),
			screenerParameter("format", httpapi.Schema{"type": "string", "enum": []string{"json", "csv"}}),
			screenerParameter("fields", httpapi.Schema{"type": "string", "maxLength": 1000}),
		},
	}
}

// visitOf is a visit of a page of the screener with parameters.
func (m *screenerMarket) visitOf(l locale.Language, query string) *visit {
	texts, _ := url.ParseQuery(query)
	v := &visit{Visit: site.Visit{Lang: l, Path: "/fondos", Texts: texts,
		Keys: append(slices.Clone(screenerPage.keys), screenerKeys(m)...)}, Batch: m}
	v.Chosen = texts.Has(site.LanguageKey)
	return v
}

// page returns the page with parameters as a browser gets it.
func (m *screenerMarket) page(t *testing.T, l locale.Language, query string) string {
	t.Helper()
	body, err := screenerPage.body(t.Context(), m.visitOf(l, query))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func wantIn(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
}

func wantNotIn(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("the page has %q", text)
		}
	}
}

func TestTheScreenerShowsEachValueOrWhyItIsMissing(t *testing.T) {
	const all = "&columnas=tac,category,family,1m,1y,cmf_spheres,equity"
	page := newScreenerMarket().page(t, locale.Spanish, "sort=tac&offset=50"+all)
	wantIn(t, page, "1,23\u00a0%", "−1,23\u00a0%", ">1.235<", `href="/fondos/9809-4"`, `href="/series/7"`,
		"Mercado monetario (corto plazo)", "sintética",
		"sin valor cuota al inicio", "(sin calificación)", `<span class="sub">sin clase</span>`, "sin TAC informada",
		"sin patrimonio informado", "120 series",
		"ordena juntas las TAC de distinto tipo")
	wantNotIn(t, page, "<script>", "<b>Manager")
	wantIn(t, newScreenerMarket().page(t, locale.English, "offset=50"+all), "1.23%", "−1.23%", ">1,235<",
		"no unit price at the start", "no TAC was stated")
}

func TestReturnsOfTheRegulatorFillWhatHasNoHistory(t *testing.T) {
	market := newScreenerMarket()
	market.bodies["/pages/official-returns/series"] = `{"date":"2025-06-30","series":[
		{"id":7,"returns":[0.0777,null,0.0555]},{"id":8,"returns":[-0.0333,null,null]}]}`
	const columns = "&columnas=1m,1y,3y_ann,5y_ann"
	page := market.page(t, locale.Spanish, columns)
	wantIn(t, page, "&#43;7,77\u00a0%<span class=\"sub\">CMF</span>", "&#43;5,55\u00a0%<span class=\"sub\">CMF</span>",
		"−3,33\u00a0%<span class=\"sub\">CMF, en pesos</span>", // the series is in dollars
		"nominal en pesos que informa la CMF al 30\u00a0jun\u00a02025", "−1,23\u00a0%")
	wantNotIn(t, page, "De ninguna de estas series se conoce")
	if got := strings.Count(page, `"sub">CMF`); got != 3 {
		t.Errorf("%d values are of the regulator", got)
	}

	// Our own return stands, wherever there is one.
	market.bodies[screenerOperation] = strings.Replace(screenerReply, `"1y":{"value":null,"reason":"missing_start_quote"}`,
		`"1y":{"value":0.0444,"reason":null}`, 1)
	page = market.page(t, locale.Spanish, columns)
	wantIn(t, page, "&#43;4,44\u00a0%")
	wantNotIn(t, page, "&#43;7,77")
}

func TestAListWhoseCostRatesAreAllOfOneKindIsNotSaidToMixThem(t *testing.T) {
	market := newScreenerMarket()
	whole := strings.Replace(screenerReply, `"total":120`, `"total":2`, 1)
	if whole == screenerReply {
		t.Fatal("the reply does not have its total")
	}
	market.bodies[screenerOperation] = whole
	wantNotIn(t, market.page(t, locale.Spanish, "sort=tac"), "ordena juntas las TAC de distinto tipo")
	market.bodies[screenerOperation] = strings.Replace(whole, `"tac_kinds":{`, `"tac_kinds":{"77":"computed",`, 1)
	wantIn(t, market.page(t, locale.Spanish, "sort=tac"), "ordena juntas las TAC de distinto tipo")
}

// A page needs all attributes of its series, whatever its address asks for.
func TestTheScreenerAsksForWholeSeries(t *testing.T) {
	m := newScreenerMarket()
	if asked := m.visitOf(locale.Spanish, "fields=tac&q=x").screenerTexts(); asked.Has("fields") || !asked.Has("q") {
		t.Errorf("the page asks for %v", asked)
	}
}

func TestTheFormOfTheScreenerHasAFieldForEachFilterOfTheAPI(t *testing.T) {
	m := newScreenerMarket()
	page := m.page(t, locale.English, `q=x"><i>&category=MONEY_MARKET&newest_filter=9&sort=tac&currency=CLP&lang=en`)
	for _, p := range m.parameters {
		name := p.Name
		switch name {
		case "as_of_date":
			name = dateKey
		case "limit", "offset", "batch_id", "format", "fields":
			wantNotIn(t, page, `name="`+name+`"`)
			continue
		}
		wantIn(t, page, ` name="`+name+`"`)
	}
	wantIn(t, page, `value="x&#34;&gt;&lt;i&gt;"`, `<option value="money_market" selected>Money market (short term)`,
		"What newest_filter is", `<option value="A &amp; B">`,
		`<option value="tac" selected>TAC of any kind`, `min="1" max="5"`, `<input type="hidden" name="lang" value="en">`,
		`<details class="panel"><summary>Filters`)
	asked := m.asked[0]
	want := url.Values{"q": {`x"><i>`}, "category": {"MONEY_MARKET"}, "newest_filter": {"9"}, "sort": {"tac"},
		"currency": {"CLP"}, "limit": {"50"}}
	if asked.Encode() != want.Encode() {
		t.Errorf("asked %s, want %s", asked.Encode(), want.Encode())
	}
	wantIn(t, page, `curl -H &#34;X-Api-Key: $KEY&#34; &#39;http://127.0.0.1:8080/api/screener?`+
		strings.ReplaceAll(want.Encode(), "&", "&amp;"))
}

func TestPagesOfTheScreenerStayOnTheirBatch(t *testing.T) {
	m := newScreenerMarket()
	page := m.page(t, locale.Spanish, "sort=tac&offset=50&fecha=2025-06-30")
	wantIn(t, page, `href="/fondos?batch_id=20250720-2-b&amp;fecha=2025-06-30&amp;sort=tac#resultado"`, "51–52",
		"30 jun 2025",
		`href="/fondos?batch_id=20250720-2-b&amp;fecha=2025-06-30&amp;offset=52&amp;sort=tac#resultado"`,
		`href="/fondos.csv?batch_id=20250720-2-b&amp;fecha=2025-06-30&amp;offset=50&amp;sort=tac"`)
	if got := m.asked[0].Get("as_of_date"); got != "2025-06-30" {
		t.Errorf("asked for the date %q", got)
	}
	older := newScreenerMarket()
	older.bodies[screenerOperation] = strings.ReplaceAll(screenerReply, "20250720-2-b", "20250720-1-a")
	wantIn(t, older.page(t, locale.English, "offset=50&batch_id=20250720-1-a"), "These pages still show the batch",
		"20250720-1-a")

	gone := newScreenerMarket()
	gone.errors = func(texts url.Values) error {
		if texts.Has("batch_id") {
			return &httpapi.Problem{Status: http.StatusGone, Code: "batch_gone"}
		}
		return nil
	}
	page = gone.page(t, locale.English, "q=x&offset=50&batch_id=20250101-1-a")
	wantIn(t, page, "is not kept any more")
	if last := gone.asked[len(gone.asked)-1]; last.Has("offset") || last.Get("q") != "x" {
		t.Errorf("asked again with %s", last.Encode())
	}
}

func TestTheScreenerSaysWhatToChooseAndKeepsTheForm(t *testing.T) {
	m := newScreenerMarket()
	m.errors = func(url.Values) error {
		return httpapi.Invalid{{Loc: []string{"query", "currency"}, Type: "missing", Msg: "Required to sort by 1y"},
			{Loc: []string{"query", "cmf_spheres_min"}, Type: "less_than_equal", Msg: "Must be at most 5"},
			{Loc: []string{"query", "newest_filter"}, Type: "novelty", Msg: "Must be <new>"}}
	}
	page := m.page(t, locale.Spanish, "sort=1y&q=abc&cmf_spheres_min=9")
	wantIn(t, page, "para ordenar por rentabilidad hay que elegir una",
		`href="/fondos?cmf_spheres_min=9&amp;currency=PESOS&amp;q=abc&amp;sort=1y"`, `value="abc"`,
		`aria-invalid="true" aria-describedby="campo-currency-falta"`, "el número es demasiado grande",
		`falta">Para ordenar por rentabilidad hay que elegir una`, `falta">Must be &lt;new&gt;.<`,
		`<span lang="en">Must be &lt;new&gt;</span>`, `value="9"`, `<details class="panel" open><summary>Filtros`)
	wantNotIn(t, page, "<table", "fondos.csv")
	if _, err := screenerCSV.body(t.Context(), m.visitOf(locale.Spanish, "sort=1y")); err == nil {
		t.Error("the file has no error")
	}
}

func TestTheScreenerShowsTheLowestCostsFirst(t *testing.T) {
	for given, want := range map[string]string{"": "tac_by_kind", "sort=tac": "tac", "sort=id": "id",
		"sort=cmf_spheres&order=desc": "cmf_spheres"} {
		m := newScreenerMarket()
		page := m.page(t, locale.English, given)
		if got := m.asked[0].Get("sort"); got != want {
			t.Errorf("%q sorts by %s, want %s", given, got, want)
		}
		order := worded(sortWords, want)[1]
		if want == usualSort {
			order += " (synthetic, stated, computed)"
		}
		wantIn(t, page, order+", ")
	}
	wantIn(t, newScreenerMarket().page(t, locale.English, ""), `<option value="" selected>TAC`,
		`<option value="id">Id of the series`, `fondos.csv?sort=tac_by_kind"`)
	wantIn(t, newScreenerMarket().page(t, locale.English, "sort=tac"), "sorts TACs of different kinds together")
}

func TestTheScreenerWithoutSeries(t *testing.T) {
	m := newScreenerMarket()
	m.bodies[screenerOperation] = `{"data":[],"meta":{"as_of_date":"2025-07-20","batch_id":"20250720-2-b","tac_kinds":{},"total":0,"offset":0}}`
	wantIn(t, m.page(t, locale.Spanish, "q=nada"), "Ninguna serie cumple", `href="/fondos">Quitar todos los filtros`)
	wantIn(t, m.page(t, locale.English, "q=nada"), "No series has all that was chosen")
	m.bodies[screenerOperation] = `{"data":[],"meta":{"as_of_date":"2025-07-20","batch_id":"20250720-2-b","tac_kinds":{},"total":7,"offset":500}}`
	wantIn(t, m.page(t, locale.English, "offset=500"), "beyond the last series")
}

func TestTheScreenerAsksForWhomASeriesIs(t *testing.T) {
	m := newScreenerMarket()
	flag := httpapi.Schema{"type": []string{"boolean", "null"}}
	m.parameters = append(m.parameters, screenerParameter("investor_class", httpapi.Schema{"type": "string"}),
		screenerParameter("apv", flag), screenerParameter("digital", flag), screenerParameter("qualified", flag))
	page := m.page(t, locale.Spanish, "apv=true&digital=false&offset=50")
	_, group, _ := strings.Cut(page, "<legend>¿Para quién?")
	group, _, _ = strings.Cut(group, "</fieldset>")
	wantIn(t, group, `name="investor_class"`, `name="apv"`, `name="digital"`, `name="qualified"`,
		`<option value="true" selected>Solo series para APV`, `<option value="false" selected>Solo series que no son digitales`,
		`<option value="" selected>Cualquiera`, "montos mínimos")
	wantNotIn(t, group, `name="category"`, `name="newest_filter"`)
	wantIn(t, page, "Ahorro previsional voluntario (APV): Solo series para APV", `href="/fondos?apv=true"`,
		"ninguna fuente informa lo elegido", `href="/fondos#resultado"`)
	if asked := m.asked[0]; asked.Get("apv") != "true" || asked.Get("digital") != "false" || asked.Has("qualified") {
		t.Errorf("the page asks for %v", asked)
	}
}

func TestTheScreenerSaysWhatAFilterByClassLeavesOut(t *testing.T) {
	const leftOut, noReturns = "Series for which no source states what was chosen", "No return of these series is known"
	m := newScreenerMarket()
	page := m.page(t, locale.English, "investor_class=Retail&sort=tac&offset=50")
	wantIn(t, page, leftOut, `href="/fondos?sort=tac#resultado"`)
	wantNotIn(t, page, noReturns)
	wantNotIn(t, m.page(t, locale.English, "sort=tac"), leftOut)
	m.bodies[screenerOperation] = `{"data":[{"id":"7","attributes":{"fundName":"F","serie":"A","returns":{"periods":{"1m":{"value":null,"reason":"missing_start_quote"}}}}}],
		"meta":{"as_of_date":"2025-07-20","batch_id":"20250720-2-b","tac_kinds":{},"total":1,"offset":0}}`
	wantIn(t, m.page(t, locale.English, ""), noReturns)
}

func TestFilesOfTheScreenerHaveTheRowsOfThePageAndNoFormulas(t *testing.T) {
	m := newScreenerMarket()
	body, err := screenerCSV.body(t.Context(), m.visitOf(locale.Spanish, "offset=50"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil || len(records) != 3 {
		t.Fatal(len(records), err)
	}
	field := func(row int, name string) string { return records[row][slices.Index(records[0], name)] }
	for _, want := range []struct {
		row         int
		name, value string
	}{
		{1, "series_id", "7"}, {1, "fund", `'=HYPERLINK("x")`}, {1, "tac (fraction)", "0.0123"},
		{1, "tac_kind", "synthetic"}, {1, "return_1m (fraction)", "-0.0123"},
		{1, "reason_1y", "missing_start_quote"}, {1, "investor_class", "Retail"},
		{1, "equity (millions of the currency)", "1234.6"}, {1, "tac_date", "2025-06-30"},
		{2, "tac (fraction)", ""}, {2, "spheres (1 to 5)", "5"}, {2, "as_of_date", "2025-07-20"},
		{2, "batch_id", "20250720-2-b"},
	} {
		if got := field(want.row, want.name); got != want.value {
			t.Errorf("row %d has %s %q, want %q", want.row, want.name, got, want.value)
		}
	}

	body, err = screenerParquet.body(t.Context(), m.visitOf(locale.Spanish, "offset=50"))
	if err != nil {
		t.Fatal(err)
	}
	table := parquettest.Read(t, body)
	if len(table.Rows) != 2 || len(table.Columns) != len(records[0]) {
		t.Errorf("%d rows and %d columns", len(table.Rows), len(table.Columns))
	}
	at := func(name string) int {
		return slices.IndexFunc(table.Columns, func(c parquettest.Column) bool { return c.Name == name })
	}
	if tac := at("tac"); table.Rows[0][tac] != 0.0123 || table.Rows[1][tac] != nil {
		t.Error(table.Rows)
	}
	// Tests of tablefile prove that readers of Arrow find the texts of this message beside their columns.
	if schema, err := base64.StdEncoding.DecodeString(table.Notes["ARROW:schema"]); err != nil ||
		!bytes.Contains(schema, []byte("fraction")) {
		t.Errorf("the units are missing: %v", err)
	}
	if table.Rows[0][at("fund")] != `=HYPERLINK("x")` {
		t.Error(table.Rows) // no program takes a text of Parquet for a formula
	}
}

func TestAFileOfTheScreenerIsAnAttachmentAndItsErrorIsAPage(t *testing.T) {
	header := httptest.NewRecorder().Header()
	header.Set("Content-Disposition", `attachment; filename="fondos.csv"`)
	site.New(site.Config{}).Problem(httptest.NewRequest(http.MethodGet, "/fondos.csv?sort=1y", nil), header,
		httpapi.PageProblem{Status: http.StatusUnprocessableEntity})
	if got := header.Get("Content-Disposition"); got != "" {
		t.Errorf("the page of an error is %s", got)
	}
}

// The two series have a return of a year, one of our own and one of the regulator's. Where the regulator's sort, each
// cell shows the value that gave it its place, or says that it has none.
func TestReturnsThatSortAreOfOneSource(t *testing.T) {
	m := newScreenerMarket()
	m.bodies[market.ScreenerRanking.Path] = strings.NewReplacer(`"returns":{"periods":{}}`, `"returns":{"periods":{"1y":{"value":0.5}}}`,
		`"meta":{`, `"meta":{"source":"official","own":1,"official":1,"stated":{"date":"2025-09-30","series":[
			{"id":7,"returns":[0.0456,null,null]}]},`).Replace(screenerReply)
	body := m.page(t, locale.Spanish, "currency=PESOS&sort=1y&order=desc&"+heldKey+"="+allHeld)
	body = strings.ReplaceAll(strings.ReplaceAll(body, locale.NoBreak, " "), "&#43;", "+")
	for _, want := range []string{"Orden: rentabilidad a 1 año según la CMF, de mayor a menor", "+4,56 %", "+50,00 %", "del valor cuota",
		"ordenar por las del valor cuota (1 serie)<", "y por ella se ordena"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(body, "No se ordena por ella") {
		t.Error("the page says that the order is another one")
	}
	for _, one := range []struct{ query, want string }{{"", ""}, {"&fuente=cuota", "own"}, {"&fuente=cmf", "official"}} {
		m.page(t, locale.Spanish, "currency=PESOS&sort=1y"+one.query)
		if got := m.asked[len(m.asked)-1].Get("source"); got != one.want {
			t.Errorf("%q asks for the returns of %q, want %q", one.query, got, one.want)
		}
	}
}

// A column without any value says nothing on each row. One that the reader has chosen, or that sorts, stays.
func TestAScreenerFoldsColumnsWithoutAValue(t *testing.T) {
	m := newScreenerMarket()
	heads := func(query string) string {
		body := m.page(t, locale.English, query)
		return body[strings.Index(body, "<thead"):strings.Index(body, "</thead>")]
	}
	if head := heads(""); strings.Contains(head, "3 years") || !strings.Contains(head, "1 month") {
		t.Errorf("the columns are %s", head)
	}
	if body := m.page(t, locale.English, ""); !strings.Contains(body, "Without any value, and so not shown: 1 year") {
		t.Error("the page does not say which columns it leaves out")
	}
	for _, query := range []string{"columnas=tac,3y_ann", "currency=PESOS&sort=3y_ann"} {
		if head := heads(query); !strings.Contains(head, "3 years") {
			t.Errorf("%s: the columns are %s", query, head)
		}
	}
}

// In lists that compare series, an empty one looks like an investment that is open to anyone.
func TestASeriesThatNobodyHoldsIsMarkedInEachList(t *testing.T) {
	var shown market.Screened
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	found, err := foundIn(screenerOperation, nil, `{"data":[
		{"id":"1","attributes":{"agf":"AGF","fundName":"FONDO","run":"8011-K","serie":"A","currency":"PESOS","patrimony":5,"shareholders":2}},
		{"id":"2","attributes":{"agf":"AGF","fundName":"FONDO","run":"8011-K","serie":"B","currency":"PESOS","patrimony":5,"shareholders":0}},
		{"id":"3","attributes":{"agf":"AGF","fundName":"FONDO","run":"8011-K","serie":"C","currency":"PESOS","patrimony":0,"shareholders":2}},
		{"id":"4","attributes":{"agf":"AGF","fundName":"FONDO","run":"8011-K","serie":"D","currency":"PESOS","patrimony":null,"shareholders":null}}],
		"meta":{"total":4}}`)
	must(err)
	shown = found.(market.Screened)
	v := newScreenerMarket().visitOf(locale.Spanish, "")
	lists := map[string][]string{}
	for name, of := range map[string]table{"family": v.seriesList(shown), "fund": v.fundValueTable(fundSeries{Data: shown.Data}),
		"screener": v.screenerTable(screenedRows{Screened: shown}, nil)} {
		for _, r := range of.Rows {
			sub := ""
			for _, c := range r.Cells {
				if c.Series != "" {
					sub = c.Sub
				}
			}
			lists[name] = append(lists[name], sub)
		}
	}
	compared := compareView{found: shown}
	compared.complete(v)
	for _, s := range compared.Found {
		lists["words of a comparison"] = append(lists["words of a comparison"], s.Sub)
	}
	compared = compareView{}
	compared.compared.Data = shown.Data
	for _, s := range compared.chosen(v, nil) {
		lists["comparison"] = append(lists["comparison"], s.Sub)
	}
	if len(lists) != 5 {
		t.Fatalf("there are %d lists", len(lists))
	}
	for name, subs := range lists {
		for i, want := range []bool{false, true, true, false} {
			if got := i < len(subs) && strings.Contains(subs[i], "sin partícipes o patrimonio"); got != want || len(subs) != 4 {
				t.Errorf("%s: series %d is marked: %v, want %v (%q)", name, i+1, got, want, subs)
			}
		}
	}
}
