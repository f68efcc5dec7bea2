package marketpages

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/locale"
	"cuota/model"
)

// seriesReplies is a batch that answers operations with given bodies.
type seriesReplies map[string]string

func (seriesReplies) Version() string { return "1" }
func (seriesReplies) ID() string      { return "batch-1" }
func (seriesReplies) Cutoff() *model.Date {
	cutoff := model.NewDate(2025, 7, 20)
	return &cutoff
}
func (seriesReplies) Parameters(string) []httpapi.Parameter    { return nil }
func (seriesReplies) Check(_ context.Context, err error) error { return err }
func (r seriesReplies) Ask(_ context.Context, path string, texts url.Values) (any, error) {
	body, there := r[path]
	if kind := texts.Get("valuation") + texts.Get("return_basis"); kind != "" {
		body, there = r[path+" "+kind]
	}
	if dated, has := r[path+" "+texts.Get("as_of_date")]; has {
		body, there = dated, true
	}
	switch {
	case body == "refused":
		return nil, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "valuation_not_enabled"}
	case !there:
		return nil, httpapi.NotFound("There is no series of this id.")
	}
	return foundIn(path, texts, body)
}

const (
	identityPath = "/pages/series/{asset_id}"
	returnsPath  = "/api/real_assets/{asset_id}/returns"
)

// completeSeries are the replies about a series with names that must be escaped.
func completeSeries() seriesReplies {
	return seriesReplies{
		identityPath: `{"id":"7","run":"9809-4","serie":"<B>","names":["<B>","OLD & B"],"currency":"PESOS","fund":"FONDO \"A\" <b>","manager":"AGF & CO",
			"vehicle":"mutual_fund","category":"balanced","family":"Deuda < 365 días / UF","investor_class":"Retail","apv":true,"digital":false,"alive":true,
			"first_date":"2025-06-29","last_date":"2025-07-20","quota":1100.5,"equity":2500000,"shareholders":12,"tac":0.0123,"tac_kind":"synthetic","tac_date":"2025-06-30"}`,
		"/pages/series/{asset_id}/growth":  `{"data":[{"date":"2025-06-29","quota":1000,"growth":0},{"date":"2025-06-30","quota":1200},{"date":"2025-07-20","quota":1100.5,"growth":0.05}]}`,
		"/api/families/{family_rar}/index": `{"data":[{"date":"2025-06-28","value":50},{"date":"2025-06-29","value":200},{"date":"2025-07-20","value":210}]}`,
		returnsPath: `{"data":{"attributes":{"as_of_date":"2025-07-20","periods":{"1m":{"value":-0.0123,"effective_start_date":"2025-06-20","effective_end_date":"2025-07-20"},
			"1y":{"value":null,"reason":"missing_start_quote","effective_end_date":"2025-07-20"},"6m":{"value":null,"reason":"new_reason"}},
			"cmf_spheres":{"value":4,"as_of_date":"2025-06-30","family":"Deuda < 365 días / UF","investor_type":"Retail"}}}}`,
		"/api/real_assets/{asset_id}/expense_ratio/history": `{"data":[{"attributes":{"date":"20250531","expense_ratio":0.012,"tac_kind":"synthetic"}},
			{"attributes":{"date":"20250630","expense_ratio":null,"tac_kind":"computed"}}]}`,
		"/api/real_assets/{asset_id}/risk_metrics": `{"data":{"attributes":{"as_of_date":"2025-06-30","volatility_annualized_12m":0.0585,"risk_level":"high","risk_score":83,"risk_score_coverage":{"series":1234,"of_series":2500,"equity_share":0.9123}}}}`,
		"/pages/series/{asset_id}/events": `{"data":[{"kind":"unit","date":"2025-07-01","factor":2},{"kind":"rename","date":"2025-01-02","other_serie":"OLD & B → <B>","applied":true,"other_id":0},
			{"kind":"verified","date":"2024-05-26","factor":1.013885,"payment":31.675,"evidence_url":"javascript:alert(1)"}],"more":true}`,
		"/pages/series/{asset_id}/sources": `{"data":[{"item":"quota","dataset":"cartola","date":"2025-07-20","sha256":"0123456789abcdef","line":3514,"published_at":"2025-07-21T00:30:00Z","file":"ffmm.txt"},
			{"item":"rating","dataset":"returns-comparator","date":"2025-06-30","sha256":"ff","line":2,"published_at":"2025-07-01T00:00:00Z","seen_at":"2025-07-02T15:00:00Z","official":[0.42,null,null,null,null,null]}]}`,
		"/pages/series/{asset_id}/rolling": `{"data":[{"window":"1y","windows":12,"lowest":-0.0123,"lowest_date":"2024-10-31","highest":0.2,"highest_date":"2025-06-30","median":0.0456,"negative":0.25,
			"ends":[{"date":"2024-08-31","reason":"missing_start_quote"},{"date":"2024-09-30","value":0.05},{"date":"2025-05-31","reason":"known_discontinuity"},{"date":"2025-06-30","value":0.2}]},
			{"window":"3y_ann","windows":1,"ends":[{"date":"2024-08-31","reason":"missing_start_quote"},{"date":"2024-09-30","reason":"missing_start_quote"},{"date":"2025-05-31","reason":"missing_start_quote"},{"date":"2025-06-30","value":0.031}]}]}`,
		"/pages/series/{asset_id}/years": `{"years":[{"year":2025,"partial":true,"value":0.031,"effective_start_date":"2024-12-31","effective_end_date":"2025-07-20"},
			{"year":2024,"partial":false,"value":null,"reason":"missing_start_quote"}],
			"falls":[{"peak_date":"2025-06-30","lowest_date":"2025-07-20","status":"open","depth":-0.0829,"days_long":20},
			{"peak_date":"2024-01-02","lowest_date":"2024-01-05","status":"broken","depth":-0.05,"verified_depth":-0.0312,"days_long":9},
			{"peak_date":"2024-03-02","lowest_date":"2024-03-05","recovered_date":"2024-05-06","status":"recovered","depth":-0.01,"days_long":65}]}`,
		"/pages/series/{asset_id}/official_returns": `{"data":[{"date":"2025-06-30","years":1,"basis":"nominal","official_return":0.42,"price_return":0.4,"reinvested_return":0.42,"cause":"distributions"},
			{"date":"2025-06-30","years":5,"basis":"real","cause":"absent_on_both_sides","reason":"missing_start_quote"}]}`,
		returnsPath + " clp":   `{"data":{"attributes":{"periods":{"1m":{"value":0.02}}}}}`,
		returnsPath + " total": "refused",
	}
}

// seriesHTML renders the page for an address of it.
func seriesHTML(t *testing.T, replies seriesReplies, lang locale.Language, query string) (string, error) {
	t.Helper()
	texts, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	texts.Set("id", "7")
	v := &visit{Visit: site.Visit{Lang: lang, Path: "/series/7", Texts: texts, Keys: seriesPage.keys, Accounts: true},
		Batch: replies, base: "https://funds.example.org"}
	data, err := seriesPage.load(t.Context(), v)
	if err != nil {
		return "", err
	}
	body, err := templates.Render(v.Lang, "series", view{visit: v, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return string(body), nil
}

func TestThePageOfASeriesShowsWhatTheAPISaysInBothLanguages(t *testing.T) {
	for name, c := range map[string]struct {
		lang  locale.Language
		query string
		want  []string
	}{
		"Spanish": {locale.Spanish, "historia=ver", []string{
			"FONDO &#34;A&#34; &lt;b&gt; · serie &lt;B&gt;", "(APV)</dt><dd>sí", "Serie digital</dt><dd>no",
			`Inversionistas calificados</dt><dd title="ningún archivo lo dice">`,
			`href="/familias/Deuda%20%3C%20365%20d%C3%ADas%20%2F%20UF"`, `href="/fondos/9809-4"`, "1.100,5000", "1,23",
			"sintética",
			"−1,23", "sin valor cuota al inicio", "(new_reason)", "4 de 5 esferas", "5,85", "alto",
			"83 de 100, entre 1.234 de 2.500 series (91\u00a0% del patrimonio)", "110,05", "105,00", "−8,29",
			"lo calculado no es una tasa entre 0 y 1", "Hay un quiebre o un cambio de unidad",
			"Con ellos, y entre los mismos días: la que empieza el 2\u00a0ene\u00a02024 es de −3,12\u00a0%.",
			"en curso, incompleto", "&#43;3,10", "todavía no", "la historia se quiebra antes", "6\u00a0may\u00a02024",
			"Solo los cien más recientes", "3.514", "20\u00a0jul\u00a02025, 20:30",
			"antes de que se guardara ese momento", "hasta oct\u00a02024", "25,0\u00a0%", "&#43;4,56",
			"son menos de doce ventanas", `data-chart="ventanas-grafico"`, "&#43;42,00", "regulador=comparar", "/account/watchlist?q=7",
			"curl -H &#34;X-Api-Key: $KEY&#34; " +
				"&#34;https://funds.example.org/api/real_assets/7/days?from_date=2024-07-20&amp;to_date=2025-07-20&#34;",
		}},
		"English": {locale.English, "valor=pesos&plazo=all&escala=log&regulador=comparar&historia=ver", []string{
			"(APV)</dt><dd>yes", "Digital series</dt><dd>no", `Qualified investors</dt><dd title="no file states it">`,
			"series &lt;B&gt;", "1,100.5000", "In pesos", "&#43;2.00%", "no unit price at the start",
			"high", "83 of 100, among 1,234 of 2,500 series (91% of the equity)", "logarithmic scale",
			"the CMF counts distributions; with them reinvested it is the same", "there is no figure on either side",
			"valuation=clp", "Rolling returns", "there are fewer than twelve windows",
		}},
		"without its history": {locale.English, "", []string{
			`href="/series/7?historia=ver#historia"`, "See the deepest falls"}},
		"not enabled": {locale.English, "valor=total",
			[]string{"This server does not offer these returns of the series: total, with distributions.", "−1.23%"}},
	} {
		page, err := seriesHTML(t, completeSeries(), c.lang, c.query)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		for _, never := range []string{"<B>", " style=", "<nil>", "NaN", `href="javascript:`, "%!"} {
			if strings.Contains(page, never) {
				t.Errorf("%s: the page has %q", name, never)
			}
		}
	}
}

func TestThePageOfASeriesAtAPastDateShowsTheRiskOfThen(t *testing.T) {
	replies := completeSeries()
	const risk = "/api/real_assets/{asset_id}/risk_metrics"
	replies[risk+" 2025-05-10"] = strings.NewReplacer("2025-06-30", "2025-04-30", "0.0585",
		"0.0712").Replace(replies[risk])
	for query, want := range map[string][]string{
		"":                 {"Riesgo al 30\u00a0jun\u00a02025", "5,85"},
		"fecha=2025-05-10": {"Riesgo al 30\u00a0abr\u00a02025", "7,12", "/risk_metrics?as_of_date=2025-05-10"},
	} {
		page, err := seriesHTML(t, replies, locale.Spanish, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("at %q the page does not say %q", query, text)
			}
		}
	}
}

func TestThePastPageOfASeriesSaysWhatWasStatedOnlyLater(t *testing.T) {
	replies := completeSeries()
	replies[identityPath] = strings.NewReplacer(`"category":`, `"category_since":"2025-05-31","family_since":"2025-06-30","category":`,
		`"apv":true`, `"apv":null`).Replace(replies[identityPath])
	replies[identityPath+" 2025-05-31"] = strings.Replace(replies[identityPath], `"alive"`, `"class_later":true,"alive"`, 1)
	unrated := strings.Replace(replies[returnsPath], `"family":"Deuda < 365 días / UF","investor_type":"Retail"`,
		`"family":null`, 1)
	replies[returnsPath+" 2025-05-31"] = unrated
	const family = "se informó después de esa fecha, el 30\u00a0jun\u00a02025"
	for query, want := range map[string][]string{
		"fecha=2025-05-31": {`UF</a><span class="sub">` + family, `Minorista<span class="sub">se informó después de esa fecha</span>`,
			"Balanceado</dd>", "ningún archivo lo decía a esa fecha"},
		"fecha=2025-07-01": {`UF</a></dd>`, "Minorista</dd>", "ningún archivo lo decía a esa fecha"},
		"":                 {`UF</a></dd>`, "Minorista</dd>", "ningún archivo lo dice"},
	} {
		page, err := seriesHTML(t, replies, locale.Spanish, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("at %q the page does not say %q", query, text)
			}
		}
	}
	// The comparator in force at the date has the family: it was stated, whatever the newest says.
	replies[returnsPath+" 2025-05-31"] = replies[returnsPath]
	page, err := seriesHTML(t, replies, locale.Spanish, "fecha=2025-05-31")
	if err != nil || strings.Contains(page, family) {
		t.Errorf("the family was stated by the date: %v", err)
	}
}

func TestFiguresOfASeriesSayTheirCurrencyWhereTheyAreRead(t *testing.T) {
	for query, want := range map[string][]string{
		"": {"pesos, al 20\u00a0jul\u00a02025", `Del valor cuota<span class="sub">en pesos, sin repartos</span>`,
			`Pago por cuota<span class="sub">en pesos</span>`, `CMF<span class="sub">con repartos</span>`,
			`1 año, nominal<span class="sub">en pesos</span>`, `1 año, real<span class="sub">sobre UF</span>`,
			`data-label="real, sobre UF"`, `data-label="Crecimiento, en pesos"`,
			"con períodos hasta el 30\u00a0jun\u00a02025", "hasta ese día; sin repartos"},
		"regulador=comparar&historia=ver": {`Calculada aquí<span class="sub">sin repartos</span>`,
			`5 años, por año, real<span class="sub">sobre UF</span>`,
			"Las cinco mayores caídas, con los repartos reinvertidos"},
		"valor=pesos":      {`En pesos<span class="sub">sin repartos</span>`},
		"fecha=2025-05-10": {"Datos hasta el 10\u00a0may\u00a02025; no es lo más reciente.", "Último valor cuota hasta esa fecha"},
	} {
		replies := completeSeries()
		page, err := seriesHTML(t, replies, locale.Spanish, query)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("at %q the page does not say %q", query, text)
			}
		}
	}
	dollars := completeSeries()
	dollars[identityPath] = strings.Replace(dollars[identityPath], `"PESOS"`, `"DOLAR"`, 1)
	page, err := seriesHTML(t, dollars, locale.English, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"dollars, on 20\u00a0Jul", "in dollars, without distributions",
		`1 year, nominal<span class="sub">in pesos</span>`, "real, net of UF inflation, converted to pesos",
		"unit price in dollars</span>"} {
		if !strings.Contains(page, text) {
			t.Errorf("of a series in dollars the page does not say %q", text)
		}
	}
}

func TestTheRollingChartHasTheWindowsOfItsTable(t *testing.T) {
	page, err := seriesHTML(t, completeSeries(), locale.Spanish, "historia=ver")
	if err != nil {
		t.Fatal(err)
	}
	// There is one window of three years: it is neither in the table nor drawn, and the title says what the line is.
	for _, want := range []string{"Rentabilidad de 1 año, hasta cada fin de mes", "son menos de doce ventanas"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, not := range []string{"3,10\u00a0%</td>", "la de 3 años, por año"} {
		if _, chart, _ := strings.Cut(page, `data-chart="ventanas-grafico"`); strings.Contains(chart, not) {
			t.Errorf("the chart has %q", not)
		}
	}
	few := completeSeries()
	few["/pages/series/{asset_id}/rolling"] = strings.Replace(few["/pages/series/{asset_id}/rolling"], `"windows":12`,
		`"windows":11`, 1)
	if page, err = seriesHTML(t, few, locale.Spanish, "historia=ver"); err != nil ||
		strings.Contains(page, `data-chart="ventanas-grafico"`) {
		t.Errorf("eleven windows are drawn: %v", err)
	}
}

func TestATableWithoutAnyValueIsASentence(t *testing.T) {
	closed := completeSeries()
	closed[identityPath] = strings.Replace(closed[identityPath], `"alive":true`, `"alive":false`, 1)
	closed[returnsPath] = `{"data":{"attributes":{"as_of_date":"2025-07-20","periods":{}}}}`
	page, err := seriesHTML(t, closed, locale.Spanish, "")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page, `<table id="tabla-rentabilidades"`) || !strings.Contains(page, "<strong>Rentabilidades al ") {
		t.Error("a table of dashes is shown")
	}
	if strings.Contains(page, "data-alerts") {
		t.Error("alerts are offered of a closed series")
	}
}

// The quotas of a closed series are not too old: there are no more.
func TestAClosedSeriesSaysWhenItClosedWhereReturnsAreMissing(t *testing.T) {
	const stale = `{"value":null,"reason":"stale_end_quote","target_end_date":"2025-07-20"}`
	quiet := completeSeries()
	quiet[identityPath] = strings.NewReplacer(`"alive":true`, `"alive":false`, `"last_date":"2025-07-20"`,
		`"last_date":"2025-07-03"`).Replace(quiet[identityPath])
	quiet[returnsPath] = `{"data":{"attributes":{"as_of_date":"2025-07-20","periods":{"1m":` + stale + `,"1y":` + stale +
		`,"last_closed_month":{"value":0.01,"target_end_date":"2025-06-30"}}}}}`
	quiet["/pages/series/{asset_id}/years"] = `{"years":[{"year":2025,"partial":true,"reason":"stale_end_quote"},
		{"year":2024,"reason":"stale_end_quote"},{"year":2023,"value":0.1}],"falls":[]}`
	exchanged, ended := maps.Clone(quiet), maps.Clone(quiet)
	exchanged["/pages/series/{asset_id}/events"] = `{"data":[{"kind":"exchange_out","date":"2025-07-04","other_run":"9810-8","other_serie":"C"}]}`
	ended[identityPath] = strings.Replace(quiet[identityPath], `"alive"`, `"fund_ended":"2025-07-05","alive"`, 1)
	// The page is of a day in a pause of a series that had later quotas, before it closed.
	paused := maps.Clone(quiet)
	paused[identityPath+" 2025-07-20"] = quiet[identityPath]
	paused[identityPath] = strings.Replace(quiet[identityPath], "2025-07-03", "2025-09-30", 1)
	open := maps.Clone(quiet)
	open[identityPath] = strings.Replace(quiet[identityPath], `"alive":false`, `"alive":true`, 1)
	const old = "el último valor cuota es demasiado antiguo"
	for name, c := range map[string]struct {
		replies seriesReplies
		query   string
		want    string
	}{
		"quiet":     {quiet, "", "la serie cerró: su último valor cuota es del 3\u00a0jul\u00a02025"},
		"exchanged": {exchanged, "", "la serie cerró: sus cuotas se canjearon el 4\u00a0jul\u00a02025"},
		"ended":     {ended, "", "la serie cerró: su fondo terminó el 5\u00a0jul\u00a02025"},
		"paused":    {paused, "&fecha=2025-07-20", old},
		"open":      {open, "", old},
	} {
		page, err := seriesHTML(t, c.replies, locale.Spanish, "historia=ver"+c.query)
		if err != nil {
			t.Fatal(err)
		}
		_, returns, _ := strings.Cut(page, `<table id="tabla-rentabilidades"`)
		returns, _, _ = strings.Cut(returns, "</table>")
		if !strings.Contains(returns, c.want) || c.want != old && strings.Contains(returns, old) {
			t.Errorf("%s: the returns do not say %q", name, c.want)
		}
		_, years, _ := strings.Cut(page, `<table id="tabla-anios"`)
		years, _, _ = strings.Cut(years, "</table>")
		_, closes, _ := strings.Cut(years, ">2025<")
		closes, before, _ := strings.Cut(closes, ">2024<")
		if !strings.Contains(closes, c.want) || !strings.Contains(before, old) {
			t.Errorf("%s: the years do not say %q of the last year, or say it of one before", name, c.want)
		}
	}
	quiet["/api/explain"] = `{"data":{"attributes":{"subject":{"series":"7","run":"9809-4","names":[{"serie":"<B>"}],"date":"2025-07-20",
		"field":"return","window":"1y"},"value":null,"unit":"fraction","reason":"stale_end_quote",
		"rule":{"id":"windows-and-the-quotes-that-stand-for-their-dates","text":"","sql":"sql/x.sql"},"formula":null,"inputs":[]}}}`
	page := receiptOf(t, quiet, locale.English, "serie=7&periodo=1y")
	if want := "the series closed: its last unit price is of 3\u00a0Jul\u00a02025"; !strings.Contains(page, want) {
		t.Errorf("the receipt does not say %q", want)
	}
}

func TestTheLinkToTheHistoryNamesWhatThereIs(t *testing.T) {
	for _, c := range []struct{ first, last, want string }{
		{"2025-06-29", "2025-07-20", "See the deepest falls"},
		{"2024-12-31", "2025-07-20", "See the return of each year and the deepest falls"},
		{"2025-01-01", "2025-07-20", "See the deepest falls"},
		{"2022-05-10", "2022-12-23", "See the deepest falls"},                             // closed within a year
		{"2021-12-31", "2022-12-24", "See the return of each year and the deepest falls"}, // 31 December is 7 days later
		{"2023-07-31", "2025-07-20", "See the return of each year, the deepest falls and what all windows of 1 year returned"},
		{"2023-08-01", "2025-07-20", "See the return of each year and the deepest falls"}, // eleven windows of a year
		{"2021-07-31", "2025-07-20", "See the return of each year, the deepest falls and what all windows of 1 and of 3 years returned"},
		{"2021-08-01", "2025-07-20", "See the return of each year, the deepest falls and what all windows of 1 year returned"},
		// of a closed series, the last window ends at most 7 days after its last quota
		{"2018-01-31", "2021-12-24", "See the return of each year, the deepest falls and what all windows of 1 and of 3 years returned"},
		{"2018-01-31", "2021-12-23", "See the return of each year, the deepest falls and what all windows of 1 year returned"},
	} {
		replies := completeSeries()
		replies[identityPath] = strings.NewReplacer("2025-06-29", c.first, `"last_date":"2025-07-20"`,
			`"last_date":"`+c.last+`"`).Replace(replies[identityPath])
		page, err := seriesHTML(t, replies, locale.English, "")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page, ">"+c.want+"</a>") {
			_, said, _ := strings.Cut(page, `historia=ver#historia">`)
			said, _, _ = strings.Cut(said, "<")
			t.Errorf("from %s to %s the link says %q, want %q", c.first, c.last, said, c.want)
		}
	}
	none := completeSeries()
	none[identityPath] = `{"id":"7","run":"9809-4","serie":"Z","names":["Z"]}`
	if page, err := seriesHTML(t, none, locale.English, ""); err != nil || strings.Contains(page, "historia=ver#historia") {
		t.Errorf("without quotas there is a link: %v", err)
	}
}

func TestTheSpanOfAllDaysIsChosenWhereThereIsNoMore(t *testing.T) {
	page, err := seriesHTML(t, completeSeries(), locale.Spanish, "") // three weeks
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page, `#grafico" aria-current="true">todo<`) {
		t.Error("the chosen span says more than the chart has")
	}
	long := completeSeries()
	long[identityPath] = strings.Replace(long[identityPath], "2025-06-29", "2020-06-29", 1)
	if page, err = seriesHTML(t, long, locale.Spanish, ""); err != nil || !strings.Contains(page, `aria-current="true">1 año<`) {
		t.Errorf("a year is not chosen: %v", err)
	}
}

func TestTheChartOfASeriesSaysWhatItGained(t *testing.T) {
	broken := completeSeries()
	whole := completeSeries()
	whole["/pages/series/{asset_id}/events"] = `{"data":[],"more":false}`
	const sum = "Del 29\u00a0jun\u00a02025 al 20\u00a0jul\u00a02025: valor cuota en pesos &#43;10,05\u00a0%; real, sobre UF " +
		"&#43;5,00\u00a0%; familia Deuda &lt; 365 días / UF, en pesos &#43;5,00\u00a0%."
	for name, c := range map[string]struct {
		replies seriesReplies
		want    bool
	}{"whole": {whole, true}, "broken": {broken, false}} {
		page, err := seriesHTML(t, c.replies, locale.Spanish, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page, sum); got != c.want {
			t.Errorf("%s: the page says it: %t, want %t", name, got, c.want)
		}
	}
}

func TestThePageOfASeriesReadsWellWithoutHistoryAndAfterItsEnd(t *testing.T) {
	none := seriesReplies{
		identityPath: `{"id":"7","run":"9809-4","serie":"Z","names":["Z"]}`,
		returnsPath:  `{"data":{"attributes":{"cmf_spheres":{"reason":"not_in_source"}}}}`,
		"/api/real_assets/{asset_id}/expense_ratio/history": `{"data":[]}`,
		"/api/real_assets/{asset_id}/risk_metrics":          `{"data":{"attributes":{"as_of_date":null}}}`,
		"/pages/series/{asset_id}/events":                   `{"data":[]}`,
		"/pages/series/{asset_id}/years":                    `{"years":[],"falls":[]}`,
		"/pages/series/{asset_id}/rolling":                  `{"data":[]}`,
		"/pages/series/{asset_id}/sources":                  `{"data":[]}`,
	}
	oneDay, exchanged, ended, quiet := completeSeries(), completeSeries(), completeSeries(), completeSeries()
	oneDay[identityPath] = strings.Replace(oneDay[identityPath], "2025-06-29", "2025-07-20", 1)
	delete(oneDay, "/pages/series/{asset_id}/growth") // its only quota is known
	oneDay["/pages/series/{asset_id}/rolling"] = none["/pages/series/{asset_id}/rolling"]
	for _, of := range []seriesReplies{exchanged, ended, quiet} {
		of[identityPath] = strings.Replace(of[identityPath], `"alive":true`, `"alive":false`, 1)
	}
	exchanged["/pages/series/{asset_id}/events"] = `{"data":[{"kind":"exchange_out","date":"2025-01-02","other_run":"9810-8","other_serie":"C","other_id":8,"factor":1.5}]}`
	ended[identityPath] = strings.Replace(ended[identityPath], `"alive"`, `"fund_ended":"2025-03-31","alive"`, 1)
	for name, c := range map[string]struct {
		replies seriesReplies
		want    []string
	}{
		"nothing": {none, []string{"no tiene ningún valor cuota", "No hay valores cuota que dibujar",
			"No se conoce el costo", "Todavía no hay un mes cerrado", "el comparador de la CMF no tiene esta serie",
			"Ningún archivo de este lote", "No se conoce ningún cambio de nombre"}},
		"one day": {oneDay, []string{"un solo día, el 20\u00a0jul\u00a02025: 1.100,5000 pesos. Un gráfico necesita",
			"de cada mes: solo se conoce el valor de mayo de\u00a02025, 1,20\u00a0%."}},
		"exchanged": {exchanged, []string{"sus cuotas se canjearon por las de la serie C del fondo 9810-8",
			`href="/series/8"`}},
		"ended": {ended, []string{"el fondo terminó el 31\u00a0mar\u00a02025"}},
		"quiet": {quiet, []string{"no tiene valor cuota en los siete días"}},
	} {
		page, err := seriesHTML(t, c.replies, locale.Spanish, "historia=ver")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		if name == "one day" && strings.Contains(page, "<svg") {
			t.Error("one day has a chart")
		}
		if strings.Contains(page, "<td>—</td>") {
			t.Errorf("%s: a value is missing without a reason", name)
		}
	}
}

func TestThePageOfASeriesRefusesWhatItDoesNotKnow(t *testing.T) {
	_, err := seriesHTML(t, seriesReplies{}, locale.Spanish, "")
	if !isUnknown(err) {
		t.Errorf("an unknown series: %v", err)
	}
	for _, query := range []string{"plazo=7y", "escala=linear", "valor=usd", "regulador=si", "historia=si"} {
		_, err := seriesHTML(t, completeSeries(), locale.Spanish, query)
		if wrong := (httpapi.Invalid)(nil); !errors.As(err, &wrong) || len(wrong) != 1 {
			t.Errorf("%s: %v", query, err)
		}
	}
}

func TestASpanBeginsOnTheSameDayOfAnEarlierMonthOrItsLastDay(t *testing.T) {
	for _, c := range []struct {
		from   model.Date
		months int
		want   model.Date
	}{
		{model.NewDate(2025, 7, 20), 1, model.NewDate(2025, 6, 20)},
		{model.NewDate(2025, 3, 31), 1, model.NewDate(2025, 2, 28)},
		{model.NewDate(2024, 2, 29), 12, model.NewDate(2023, 2, 28)},
		{model.NewDate(2025, 1, 31), 3, model.NewDate(2024, 10, 31)},
	} {
		if got := monthsBefore(c.from, c.months); got != c.want {
			t.Errorf("%d months before %s are %s, want %s", c.months, c.from, got, c.want)
		}
	}
}
