package marketpages

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/site"
	"cuota/internal/site/locale"
)

// receiptHTML renders the page of a receipt.
func receiptHTML(t *testing.T, lang locale.Language, query, receipt string) string {
	t.Helper()
	replies := completeSeries()
	replies["/api/explain"] = receipt
	return receiptOf(t, replies, lang, query)
}

// receiptOf renders the page with the replies of operations.
func receiptOf(t *testing.T, replies seriesReplies, lang locale.Language, query string) string {
	t.Helper()
	texts, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return receiptWith(t, lang, texts, replies)
}

// receiptWith renders the page of a receipt from what operations find.
func receiptWith(t *testing.T, lang locale.Language, texts url.Values, replies seriesReplies) string {
	t.Helper()
	v := &visit{Visit: site.Visit{Lang: lang, Path: receiptPath, Texts: texts, Keys: receiptPage.keys}, Batch: replies}
	data, err := receiptPage.load(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	body, err := templates.Render(v.Lang, "receipt", view{visit: v, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestAReceiptSaysWhichLinesGiveANumberAndWhy(t *testing.T) {
	const (
		subject = `{"series":"7","run":"9809-4","names":[{"serie":"<B>"}],"date":"2025-07-20",`
		rule    = `"rule":{"id":"windows-and-the-quotes-that-stand-for-their-dates","text":"","sql":"sql/views/x.sql"}`
		line    = `"dataset":"cartola","sha256":"0123456789abcdef","serie":"<B>","published_at":"2025-07-21T00:30:00Z"`
		growth  = `{"data":{"attributes":{"subject":` + subject + `"field":"return","window":"3y_ann"},"value":"0.125","unit":"fraction per year",` + rule + `,
			"formula":{"op":"sum","of":[{"op":"power","of":[{"op":"quotient","of":[{"op":"input","input":0},{"op":"input","input":1}]},
				{"op":"quotient","of":[{"op":"number","number":"1"},{"op":"number","number":"3"}]}]},{"op":"number","number":"-1"}]},"inputs":[
			{"name":"end","target":"2025-07-20","date":"2025-07-19","value":"1812.4835","unit":"PESOS per quota","lines":[
				{` + line + `,"file":"<i>old.txt","line":7,"value":"1800","void":false,"counts":false},
				{` + line + `,"file":"new.txt","line":8,"value":"1812.4835","void":false,"counts":true,"seen_at":"2025-07-21T15:00:00Z"}]},
			{"name":"start","target":"2022-07-20","date":"2022-07-20","value":"1272.9","unit":"PESOS per quota","lines":[
				{` + line + `,"file":null,"line":9,"value":"1272.9","void":false,"counts":true}]}]}}}`
		none = `{"data":{"attributes":{"subject":` + subject + `"field":"return","window":"1y"},"value":null,"unit":"fraction","reason":"missing_start_quote",` + rule + `,"formula":null,
			"inputs":[{"name":"end","target":"2025-07-20","date":"2025-07-20","value":null,"unit":"currency per quota","lines":[
				{` + line + `,"file":"new.txt","line":8,"value":null,"void":true,"counts":true}]},
			{"name":"start","target":"2024-07-20","date":null,"value":null,"unit":"currency per quota","lines":[]}]}}}`
		stale = `{"data":{"attributes":{"subject":` + subject + `"field":"return","window":"1y"},"value":null,"unit":"fraction","reason":"stale_end_quote",` + rule + `,"formula":null,
			"inputs":[{"name":"end","target":"2025-07-20","date":"2025-06-08","value":"998.6451","unit":"DOLAR per quota","lines":[
				{` + line + `,"file":"new.txt","line":8,"value":"998.6451","counts":true}]},
				{"name":"start","target":"2024-07-20","date":null,"value":null,"unit":"currency per quota","lines":[]}]}}}`
		factor = `{` + line + `,"file":"f.csv","line":3,"value":"1.012345678901","void":false,"counts":true}`
		total  = `{"data":{"attributes":{"subject":` + subject + `"field":"return","window":"1y","basis":"total"},"value":"0.5","unit":"fraction",
			"rule":{"id":"total-returns","text":"","sql":"sql/views/t.sql"},
			"formula":{"op":"sum","of":[{"op":"product","of":[{"op":"quotient","of":[{"op":"input","input":0},{"op":"input","input":1}]},
				{"op":"input","input":2},{"op":"input","input":3},{"op":"input","input":4}]},{"op":"number","number":"-1"}]},"inputs":[
			{"name":"end","target":"2025-07-20","date":"2025-07-20","value":"3","unit":"PESOS per quota","lines":[],"held":{"series":"9","run":"9810-8","names":[{"serie":"<C>"}]}},
			{"name":"start","target":"2024-07-20","date":"2024-07-20","value":"2","unit":"PESOS per quota","lines":[]},
			{"name":"exchange","date":"2025-01-02","value":"0.987654321","unit":"quotas per quota","lines":[],"held":{"series":"9","run":"9810-8","names":[{"serie":"<C>"}]}},
			{"name":"factor","date":"2024-12-01","value":"1.012345678901","unit":"quotas per quota","lines":[` + factor + `]},
			{"name":"factor","date":"2024-12-02","value":"1.012345678901","unit":"quotas per quota","lines":[` + factor + `]}]}}}`
		uncovered = `{"data":{"attributes":{"subject":` + subject + `"field":"return","window":"1y","basis":"total"},"value":null,"unit":"fraction",
			"reason":"missing_factor_coverage","rule":{"id":"total-returns","text":"","sql":"sql/views/t.sql"},"formula":null,"inputs":[
			{"name":"end","lines":[]},{"name":"start","lines":[]},{"name":"factor","date":"2024-12-01","value":null,"unit":"quotas per quota","lines":[]}]}}}`
		cost = `{"data":{"attributes":{"subject":` + subject + `"field":"tac","kind":"synthetic"},"value":"0.013264","unit":"fraction per year",
			"rule":{"id":"the-history-and-the-current-rate","text":"","sql":"sql/views/z.sql"},
			"formula":{"op":"quotient","of":[{"op":"input","input":0},{"op":"number","number":"100"}]},
			"inputs":[{"name":"rate","date":"2025-06-30","value":"1.3264","unit":"percent per year","lines":[
				{"dataset":"tac-comparator","sha256":"0123456789abcdef","serie":"<B>","published_at":"2025-07-21T00:30:00Z","file":"tac.csv","line":9,"value":"1.3264","counts":true}]}]}}}`
		cartola = `{"dataset":"cartola","sha256":"0123456789abcdef","serie":"<B>","published_at":"2025-07-21T00:30:00Z","file":"c.txt","line":3,"value":"1","counts":true}`
		daily   = `{"data":{"attributes":{"subject":` + subject + `"field":"tac","kind":"computed"},"value":"0.0365","unit":"fraction per year",
			"rule":{"id":"the-daily-and-the-monthly-computed-rate","text":"","sql":"sql/projections/z.sql"},
			"formula":{"op":"product","of":[{"op":"quotient","of":[{"op":"sum","of":[{"op":"quotient","of":[{"op":"input","input":0},
				{"op":"sum","of":[{"op":"input","input":2},{"op":"input","input":0}]}]},{"op":"number","number":"0"}]},{"op":"number","number":"2"}]},{"op":"number","number":"365"}]},
			"inputs":[{"name":"costs","date":"2025-06-29","value":"1","unit":"currency of the series","lines":[` + cartola + `]},
				{"name":"costs","date":"2025-06-30","value":"2.5","unit":"currency of the series","lines":[` + cartola + `]},
				{"name":"bearing_equity","date":"2025-06-29","value":"4999","unit":"currency of the series","lines":[` + cartola + `]},
				{"name":"equity_before","date":"2025-06-28","value":"5000","unit":"currency of the series","lines":[` + cartola + `]}]}}}`
		swings = `{"data":{"attributes":{"subject":` + subject + `"field":"volatility_annualized_12m"},"value":"0.0365","unit":"fraction",
			"rule":{"id":"volatility-drawdown-downside-and-value-at-risk","text":"","sql":"sql/projections/r.sql"},
			"formula":{"op":"product","of":[{"op":"deviation","of":[{"op":"quotient","of":[{"op":"product","of":[{"op":"input","input":1},{"op":"input","input":3}]},
				{"op":"input","input":0}]},{"op":"quotient","of":[{"op":"input","input":2},{"op":"input","input":1}]}]},{"op":"power","of":[{"op":"number","number":"12"},
				{"op":"quotient","of":[{"op":"number","number":"1"},{"op":"number","number":"2"}]}]}]},
			"inputs":[{"name":"month_end","target":"2025-04-30","date":"2025-04-30","value":"1","unit":"PESOS per quota","lines":[` + cartola + `]},
				{"name":"month_end","target":"2025-05-31","date":"2025-05-30","value":"2","unit":"PESOS per quota","lines":[` + cartola + `]},
				{"name":"month_end","target":"2025-06-30","date":"2025-06-30","value":"3","unit":"PESOS per quota","lines":[` + cartola + `]},
				{"name":"stated_factor","date":"2025-05-02","value":"1.5","unit":"quotas per quota","lines":[` + cartola + `]}]}}}`
		fall = `{"data":{"attributes":{"subject":` + subject + `"field":"max_drawdown_36m"},"value":"-0.25","unit":"fraction",
			"rule":{"id":"volatility-drawdown-downside-and-value-at-risk","text":"","sql":"sql/projections/r.sql"},
			"formula":{"op":"sum","of":[{"op":"quotient","of":[{"op":"product","of":[{"op":"input","input":1},{"op":"input","input":3}]},{"op":"input","input":0}]},
				{"op":"number","number":"-1"}]},
			"inputs":[{"name":"peak","date":"2025-04-02","value":"2","unit":"PESOS per quota","lines":[` + cartola + `]},
				{"name":"trough","date":"2025-05-03","value":"1","unit":"PESOS per quota","lines":[` + cartola + `]},
				{"name":"month_end","target":"2025-05-31","date":"2025-05-30","value":"2","unit":"PESOS per quota","lines":[` + cartola + `]},
				{"name":"stated_factor","date":"2025-05-02","value":"1.5","unit":"quotas per quota","lines":[` + cartola + `]}]}}}`
		held  = `"held":{"series":"9","run":"9810-8","names":[{"serie":"<C>"}]}`
		point = `{"data":{"attributes":{"subject":{"series":"","run":"","names":[],"family":"Renta <b>","currency":"PESOS","date":"2025-07-18","field":"index"},
			"value":"110.5","unit":"index points","rule":{"id":"the-index-of-a-family","text":"","sql":"sql/projections/i.sql"},
			"formula":{"op":"product","of":[{"op":"input","input":0},{"op":"quotient","of":[{"op":"product","of":[{"op":"input","input":3},
				{"op":"quotient","of":[{"op":"input","input":1},{"op":"input","input":2}]}]},{"op":"input","input":3}]}]},
			"inputs":[{"name":"level_before","date":"2025-07-17","value":"100.25","unit":"index points","lines":[]},
				{"name":"member_end","date":"2025-07-18","value":"3","unit":"PESOS per quota",` + held + `,"lines":[` + cartola + `]},
				{"name":"member_start","date":"2025-07-17","value":"2","unit":"PESOS per quota",` + held + `,"lines":[` + cartola + `]},
				{"name":"member_equity","date":"2025-07-17","value":"5000","unit":"PESOS",` + held + `,"lines":[` + cartola + `]}]}}}`
		noPoint = `{"data":{"attributes":{"subject":{"series":"","run":"","names":[],"family":"inversion <b>","currency":null,"date":"2025-07-19","field":"index_change"},
			"value":null,"unit":"percent points","reason":"no_index_change","rule":{"id":"the-index-of-a-family","text":"","sql":"sql/projections/i.sql"},"formula":null,"inputs":[]}}}`
		unquoted = `{"data":{"attributes":{"subject":` + subject + `"field":"volatility_monthly_12m"},"value":null,"unit":"fraction","reason":"missing_monthly_return",
			"rule":{"id":"volatility-drawdown-downside-and-value-at-risk","text":"","sql":"sql/projections/r.sql"},"formula":null,
			"inputs":[{"name":"month_end","target":"2025-04-30","date":null,"value":null,"unit":"currency per quota","lines":[]},
				{"name":"month_end","target":"2025-05-31","date":"2025-05-30","value":"2","unit":"PESOS per quota","lines":[` + cartola + `]}]}}}`
		quota = `{"data":{"attributes":{"subject":` + subject + `"field":"price"},"value":null,"unit":"currency per quota","reason":"missing_quote",
			"rule":{"id":"which-value-of-several-counts","text":"","sql":"sql/views/y.sql"},"formula":null,
			"inputs":[{"name":"quote","date":"2025-07-20","value":null,"unit":"currency per quota","lines":[]}]}}}`
	)
	for name, c := range map[string]struct {
		lang           locale.Language
		query, receipt string
		want           []string
	}{
		"a return in Spanish": {locale.Spanish, "serie=7&periodo=3y_ann", growth, []string{
			"Rentabilidad del valor cuota, 3\u00a0años, anualizada, en pesos, al 20\u00a0jul\u00a02025", `href="/series/7"`,
			"(1.812,4835 ÷ 1.272,9000) ^ (1 ÷ 3) − 1 = &#43;12,50\u00a0%", "19\u00a0jul\u00a02025, 1 día antes.",
			"El período pide el 20\u00a0jul\u00a02022: hay valor cuota de ese mismo día.", "¿Es la línea vigente de su día?", "Resultado", "&lt;i&gt;old.txt", "no, otra la reemplaza", "new.txt",
			"no se guarda su nombre", "sql/views/x.sql",
		}},
		"a return in English": {locale.English, "serie=7&periodo=3y_ann&fecha=2025-07-20", growth, []string{
			"Return of the unit price, 3\u00a0years, annualised, in pesos", "1 day before.", "no, another one replaces it",
			`href="/series/7?fecha=2025-07-20"`,
		}},
		"the way to the place": {locale.English, "serie=7&periodo=3y_ann&fecha=2025-07-20", growth, []string{
			`href="/recibo?fecha=2025-07-20&amp;numero=rank&amp;periodo=3y_ann&amp;serie=7"`, "Its place among the series of the same currency",
		}},
		"a quote that is too old": {locale.Spanish, "serie=7&periodo=1y", stale, []string{
			"8\u00a0jun\u00a02025, 42 días antes; se aceptan a lo más siete días antes, así que no sirve.",
			"el último valor cuota es demasiado antiguo", "Rentabilidad del valor cuota, 1\u00a0año, en dólares, al ",
		}},
		"seven days are not too old": {locale.English, "serie=7&periodo=1y", strings.Replace(stale, "2025-06-08", "2025-07-13", 1), []string{
			"13\u00a0Jul\u00a02025, 7 days before.",
		}},
		"no return": {locale.Spanish, "serie=7&periodo=1y", none, []string{
			"sin valor cuota al inicio", "la línea no tiene un valor que se pueda usar", "No hay ningún valor cuota del 20\u00a0jul\u00a02024 ni de antes.",
			"Ningún archivo informa ese día.",
		}},
		"a total return": {locale.Spanish, "serie=7&periodo=1y&valor=total", total, []string{
			"Rentabilidad total, con repartos reinvertidos, 1\u00a0año, en pesos", "ajustes: líneas que los informan", "(3,0000 ÷ 2,0000) × 0,987654321 × 1,012345679 × 1,012345679 − 1",
			"Por el canje, las cuotas son entonces de la serie &lt;C&gt; del fondo 9810-8.", "Desde el 2\u00a0ene\u00a02025.",
			"Factores verificados de repartos y ajustes", "1\u00a0dic\u00a02024", "2\u00a0dic\u00a02024", "cuotas por cuota anterior", "f.csv",
		}},
		"no factor": {locale.English, "serie=7&periodo=1y&valor=total", uncovered, []string{
			"Total return, with distributions reinvested", "there are not verified factors of all days", "The factor of 1\u00a0Dec\u00a02024 is missing.",
		}},
		"a cost rate": {locale.Spanish, "serie=7&numero=tac", cost, []string{
			"Costo anual (TAC) al 20\u00a0jul\u00a02025", "1,3264 ÷ 100 = 1,33", "Del mes que termina el 30\u00a0jun\u00a02025",
			"Costo anual que informa un archivo", "tac.csv",
		}},
		"a computed cost rate": {locale.English, "serie=7&numero=tac", daily, []string{
			"((1.00 ÷ (4,999.00 &#43; 1.00) &#43; 0) ÷ 2) × 365 = 3.65", "Fees and expenses of each day", "29\u00a0Jun\u00a02025", "28\u00a0Jun\u00a02025",
			"Equity that bore them", "Equity of the day before", "in the currency of the series", "c.txt",
			"No file states the cost of this month, and no synthetic one of the last year counts",
		}},
		"a computed cost rate in Spanish": {locale.Spanish, "serie=7&numero=tac", daily, []string{
			"Ningún archivo informa el costo de este mes, ni vale un costo sintético del último año",
		}},
		"a volatility": {locale.Spanish, "serie=7&numero=volatility_annualized_12m", swings, []string{
			"Volatilidad anualizada de 12 meses, al 20\u00a0jul\u00a02025",
			"desviación((2,0000 × 1,50) ÷ 1,0000; 3,0000 ÷ 2,0000) × 12 ^ (1 ÷ 2) = 3,65", "Valor cuota de cada fin de mes",
			"30\u00a0may\u00a02025", "Factores que informa la cartola", "2\u00a0may\u00a02025",
		}},
		"a fall": {locale.Spanish, "serie=7&numero=max_drawdown_36m", fall, []string{
			"Mayor caída de 36 meses, al 20\u00a0jul\u00a02025", "(1,0000 × 1,50) ÷ 2,0000 − 1 = −25,00", "Valor cuota más alto, antes de la caída",
			"Del 2\u00a0abr\u00a02025.", "Valor cuota más bajo de la caída", "Del 3\u00a0may\u00a02025.", "la mayor caída va de un valor cuota máximo",
		}},
		"a fall in English": {locale.English, "serie=7&numero=max_drawdown_36m", fall, []string{
			"Deepest fall of 36 months, as of ", "Of 2\u00a0Apr\u00a02025.", "the deepest fall goes from a highest unit price to the lowest one that followed",
		}},
		"a point of an index": {locale.Spanish, "familia=Renta+<b>&moneda=PESOS", point, []string{
			"Índice de la familia en pesos, al 18\u00a0jul\u00a02025", "Renta &lt;b&gt;", `href="/familias/Renta%20%3Cb%3E?moneda=PESOS"`,
			"100,25 × ((5.000,00 × (3,0000 ÷ 2,0000)) ÷ 5.000,00) = 110,50", "Nivel del punto anterior del índice", "100,25, al 17\u00a0jul\u00a02025.",
			`href="/recibo?familia=Renta&#43;%3Cb%3E&amp;fecha=2025-07-17&amp;moneda=PESOS&amp;numero=index" rel="nofollow"`, "9810-8 &lt;C&gt;",
			"Patrimonio inicial de cada serie, con el que pesa", "Hacen falta tres series de dos fondos",
			"no es atípico ni un salto que se revierte", "Después de más de siete días sin un punto sigue el mismo nivel",
		}},
		"no change of an index": {locale.English, "familia=inversion+<b>&numero=index_change", noPoint, []string{
			"inversión &lt;b&gt;", `href="/familias/inversion%20%3Cb%3E"`,
			"Change of the index of the family since the point before", "the index begins on that day",
		}},
		"no volatility": {locale.English, "serie=7&numero=volatility_monthly_12m", unquoted, []string{
			"Monthly volatility of 12 months, as of ", "a month has no unit price at its end, or has a break",
			"There is no unit price on 30\u00a0Apr\u00a02025.",
		}},
		"no quota": {locale.English, "serie=7", quota, []string{
			"Unit price of 20\u00a0Jul\u00a02025", "no file states that day", "No file states that day.", "sql/views/y.sql",
		}},
	} {
		page := receiptHTML(t, c.lang, c.query, c.receipt)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q:\n%s", name, want, page)
			}
		}
		for _, never := range []string{"<i>", "<b>", "<B>", "<C>", " style=", "<nil>", "NaN", "%!"} {
			if strings.Contains(page, never) {
				t.Errorf("%s: the page has %q", name, never)
			}
		}
	}
}

// A fund may distribute on each day of five years.
func TestThePageOfAReceiptWithManyFactorsIsBounded(t *testing.T) {
	inputs := strings.Repeat(`{"name":"factor","date":"2024-12-01","value":"1.01","lines":[{"dataset":"events","sha256":"0123456789abcdef",
		"file":"f.csv","line":3,"value":"1.01","counts":true}]},`, 1800)
	var parts []string
	for i := range 1800 {
		parts = append(parts, fmt.Sprintf(`{"op":"input","input":%d}`, i))
	}
	page := receiptHTML(t, locale.English, "serie=7&periodo=5y_ann&valor=total", `{"data":{"attributes":{"subject":{"series":"7",
		"field":"return","date":"2025-07-20","window":"5y_ann"},"value":"0.5","formula":{"op":"product","of":[`+strings.Join(parts, ",")+`]},"rule":{"id":"total-returns"},
		"inputs":[`+strings.TrimSuffix(inputs, ",")+`]}}}`)
	for _, want := range []string{"Shown are 100 of 1,800 lines.", "1.01 × 1.01 × … × 1.01 = ", "The sign … stands for more parts. The API has all of them"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if shown := strings.Count(page, "f.csv"); shown != 100 || len(page) > 150_000 {
		t.Errorf("%d lines in %d bytes", shown, len(page))
	}
}

// peersOf is a receipt of a place or a score among so many peers, of which the subject is the first but two.
func peersOf(field, value, more string) string {
	return `{"data":{"attributes":{"subject":{"series":"7","run":"9809-4","names":[{"serie":"<B>"}],"date":"2025-07-20","field":"` + field + `"` + more + `},
		"value":"` + value + `","rule":{"id":"x"},"formula":{"op":"number","number":"` + value + `"},"inputs":[],
		"peers":{"own":"7","series":250,"left_out":[{"reason":"missing_start_quote","series":1234}]}}}}`
}

func TestTheReceiptOfAPlaceShowsTheNearestSeries(t *testing.T) {
	peers := func(fields, values string) string {
		var list []string
		for i := range 250 {
			id := i + 1000
			if i == 2 {
				id = 7
			}
			list = append(list, fmt.Sprintf(`{"series":"%d","run":"9809-4","serie":"<S%d>","values":[%s]}`, id, i, values))
		}
		return `{"data":{"attributes":{"fields":[` + fields + `],"peers":[` + strings.Join(list, ",") + `]}}}`
	}
	for _, c := range []struct {
		lang                    locale.Language
		query, receipt, listing string
		want                    []string
	}{
		{locale.Spanish, "serie=7&numero=rank&periodo=1y", peersOf("rank", "3", `,"window":"1y"`), peers(`"return"`, `"0.125"`), []string{
			"Lugar por rentabilidad del valor cuota, 1\u00a0año, al 20\u00a0jul\u00a02025", "3 de 250", "esta serie", "9809-4 &lt;S99&gt;",
			`href="/recibo?fecha=2025-07-20&amp;periodo=1y&amp;serie=1000"`, "Se muestran 100 de 250 series.", "Quedan fuera 1.234: sin valor cuota al inicio."}},
		{locale.English, "serie=7&numero=rank&periodo=1y", peersOf("rank", "3", `,"window":"1y"`), peers(`"return"`, `"0.125"`), []string{
			"Place by return of the unit price, 1\u00a0year", "3 of 250", "this series", "Left out are 1,234: "}},
		{locale.English, "serie=7&numero=risk_score", peersOf("risk_score", "63", ""),
			peers(`"volatility_monthly_36m","max_drawdown_36m"`, `"0.02","-0.25"`), []string{
				"Level of risk from 0 to 100, as of 20\u00a0Jul\u00a02025", "63 of 100", "Monthly volatility, 36 months", "−25.00",
				`href="/recibo?numero=max_drawdown_36m&amp;serie=1000"`}},
	} {
		texts, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		replies := completeSeries()
		replies["/api/explain"], replies["/api/explain/peers"] = c.receipt, c.listing
		page := receiptWith(t, c.lang, texts, replies)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q:\n%s", c.query, want, page)
			}
		}
		if strings.Contains(page, "&lt;S100&gt;") || strings.Contains(page, "<S") || len(page) > 150_000 {
			t.Errorf("%s: in %d bytes more series are shown", c.query, len(page))
		}
	}
}

func TestNumbersOfASeriesLeadToTheirReceipts(t *testing.T) {
	page, err := seriesHTML(t, completeSeries(), locale.Spanish, "fecha=2025-07-20")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"/recibo?fecha=2025-07-20&amp;periodo=1m&amp;serie=7", "/recibo?fecha=2025-07-20&amp;serie=7",
		"/recibo?fecha=2025-07-20&amp;numero=volatility_annualized_12m&amp;serie=7",
		"/recibo?fecha=2025-07-20&amp;numero=max_drawdown_36m&amp;serie=7", "/recibo?fecha=2025-07-20&amp;numero=risk_score&amp;serie=7"} {
		if !strings.Contains(page, `href="`+link+`"`) {
			t.Errorf("no link to %s", link)
		}
	}
	// A dash alone would be a link without a name.
	if !regexp.MustCompile(`<a href="[^"]*periodo=1y[^"]*">—<span class="hidden"> \([a-z]`).MatchString(page) {
		t.Error("a dash does not lead to the receipt that says why")
	}
}
