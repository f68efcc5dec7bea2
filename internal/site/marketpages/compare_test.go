package marketpages

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/locale"
	"cuota/query/market"
)

// comparison answers like the operations that a comparison asks. It knows the series 1 to 30, of
// which 1, 11 and 21 are in dollars, 2 is younger than the others, and 30 has no figures.
func comparison(t *testing.T) fundBatch {
	return func(path string, texts url.Values) (string, error) {
		switch path {
		case "/api/compare":
			var series, unknown []string
			for _, id := range strings.Split(texts.Get("series"), ",") {
				if len(id) > 2 {
					unknown = append(unknown, id)
				}
				currency := "PESOS"
				if strings.HasSuffix(id, "1") {
					currency = "DOLAR"
				}
				figures := `"price": 100, "dailyChange": 0.5, "patrimony": 7, "volatility_annualized_12m": 0.05,
					"volatility_annualized_36m": 0.06, "max_drawdown_36m": -0.1`
				if id == "30" {
					figures = `"price": null`
				}
				series = append(series, fmt.Sprintf(
					`{"id": %q, "attributes": {%[3]s, "agf": "ALFA", "fundName": "FONDO <%[1]s>", "run": "8011-K", "serie": "S%[1]s", "currency": %[2]q, "tac": 0.01, "fundFamily": "Deuda",
					"returns": {"periods": {"1y": {"value": 0.1, "target_start_date": "2024-07-20", "effective_start_date": "2024-07-20", "effective_end_date": "2025-07-20"},
					"3y_ann": {"value": null, "reason": "missing_start_quote", "target_start_date": "2022-07-20"}, "3m": {"value": null, "reason": "known_discontinuity", "target_start_date": "2025-04-20"}}}}}`, id, currency, figures))
			}
			if len(unknown) > 0 {
				return "", httpapi.NotFound("Not among the series that can be compared: " + strings.Join(unknown, ", "))
			}
			return `{"data": [` + strings.Join(series, ",") +
				`], "meta": {"as_of_date": "2025-07-20", "tac_kinds": {"1": "synthetic", "2": "stated"},
				"comparability": {"1y": {"comparable": true, "reasons": []}, "3y_ann": {"comparable": false, "reasons": ["unavailable_return", "currency_mismatch"]},
				"6m": {"comparable": false, "reasons": ["a_new_reason"]}},
				"cmf_spheres_comparability": {"comparable": false, "reasons": ["comparison_group_mismatch"]}}}`, nil
		case "/pages/quotas":
			if texts.Get("to_date") != "2025-07-20" {
				t.Errorf("quotas up to %v are drawn", texts)
			}
			type quotas struct {
				ID     string    `json:"serieId"`
				Days   []int     `json:"days"`
				Quotas []float64 `json:"quotas"`
			}
			var data []quotas
			for _, id := range strings.Split(texts.Get("series"), ",") {
				switch id {
				case "2": // begins on 21 July, with a quota that can't be the start of a line on the day before
					data = append(data, quotas{id, []int{7, 8, 12, 372}, []float64{0, 50, 60, 55}})
				case "3": // nothing
				case "24": // ends soon
					data = append(data, quotas{id, []int{0, 7, 8, 9}, []float64{5, 10, 20, 21}})
				case "25", "26": // one day
					data = append(data, quotas{id, []int{372}, []float64{7.5}})
				default:
					data = append(data, quotas{id, []int{0, 7, 8, 11, 12, 372}, []float64{5, 10, 20, 21, 22, 30}})
				}
			}
			body, err := json.Marshal(map[string]any{"from": "2024-07-13", "data": data})
			return string(body), err
		case "/pages/series/{asset_id}":
			switch texts.Get("asset_id") {
			case "777":
				return `{"id": "777", "run": "8011-K", "serie": "S<777>", "fund": "FONDO CERRADO"}`, nil
			case "778":
				return "", httpapi.NotFound("There is no series of this id.")
			}
			first := "2019-01-02"
			if texts.Get("asset_id") == "26" {
				first = "2025-07-01"
			}
			return `{"id": "` + texts.Get("asset_id") + `", "first_date": "` + first + `", "last_date": "2025-07-20"}`, nil
		case "/pages/correlations":
			if strings.Contains(texts.Get("series"), "26") {
				t.Error("correlations are asked of a series with three weeks")
			}
			ids := strings.Split(texts.Get("series"), ",")
			months, money := 30, "DOLAR"
			if slices.Contains(ids, "24") {
				months = 3
			}
			if texts.Get("valuation") == "clp" {
				money = "PESOS"
			}
			var own, pairs []string
			for i, id := range ids {
				own = append(own, fmt.Sprint(months+i%2))
				for j := i + 1; j < len(ids); j++ {
					value := fmt.Sprintf(`"value": -0.%d`, 5+j)
					switch {
					case months < 24:
						value = `"value": null, "reason": "under_24_months"`
					case ids[j] == "3":
						value = `"value": null, "reason": "no_variation"`
					}
					pairs = append(pairs, fmt.Sprintf(`{"first": %s, "second": %s, %s}`, id, ids[j], value))
				}
			}
			return fmt.Sprintf(`{"currency": %q, "months": %d, "first_month": "2023-01-31", "last_month": "2025-06-30",
				"own_months": [%s], "pairs": [%s]}`, money, months, strings.Join(own, ","), strings.Join(pairs, ",")), nil
		case "/pages/rates":
			if texts.Get("from_date") != "2024-07-20" || texts.Get("to_date") != "2025-07-20" {
				t.Errorf("rates of %v are drawn", texts)
			}
			fixed := "null"
			if rate := texts.Get("rate"); rate == "5.5" {
				fixed = "1.055"
			}
			if texts.Get("currency") == "DOLAR" {
				return `{"data": [{"date": "2024-07-20", "uf": 0.2, "dollar": 1}, {"date": "2025-07-20", "uf": 0.25, "dollar": 1}]}`, nil
			}
			return `{"data": [{"date": "2024-07-20", "uf": 200, "dollar": null, "fixed": 1}, {"date": "2024-07-21", "uf": 210, "dollar": 900, "fixed": 1},
				{"date": "2025-07-20", "uf": null, "dollar": 950, "fixed": ` + fixed + `}]}`, nil
		case "/api/families/{family_rar}/index":
			if texts.Get("family_rar") != "Deuda" || texts.Get("from_date") != "2024-07-13" {
				t.Errorf("the index of %v is drawn", texts)
			}
			if texts.Get("currency") == "DOLAR" {
				return `{"data": [{"date": "2024-07-20", "value": 40}, {"date": "2025-07-20", "value": 60}]}`, nil
			}
			return `{"data": [{"date": "2024-07-18", "value": 50}, {"date": "2024-07-19", "value": 40}, {"date": "2025-07-20", "value": 48}]}`, nil
		case "/pages/series/{asset_id}/growth":
			if texts.Get("from_date") != "2024-07-20" {
				t.Errorf("the growth of %v is drawn", texts)
			}
			if texts.Get("valuation") == "usd" {
				return `{"data": [{"date": "2024-07-20", "growth": 0}, {"date": "2025-07-20", "growth": 0.5}]}`, nil
			}
			switch texts.Get("asset_id") {
			case "11":
				return `{"data": [{"date": "2024-07-20", "growth": 0}, {"date": "2025-07-20", "growth": 0.25}]}`, nil
			case "21":
				return `{"data": []}`, nil
			}
			return `{"data": [{"date": "2024-07-20", "growth": 0}, {"date": "2025-07-20", "growth": 2}]}`, nil
		case "/api/screener":
			return `{"data": [{"id": "5", "attributes": {"fundName": "FONDO <5>", "run": "8011-K", "serie": "S5", "agf": "ALFA"}}, {"id": "1", "attributes": {"fundName": "FONDO <1>"}}], "meta": {"total": 40}}`, nil
		}
		return "", errors.New("asked " + path)
	}
}

func compared(t *testing.T, l locale.Language, address string) string {
	t.Helper()
	body, err := loadedPage(t, comparePage, l, address, comparison(t))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestAComparisonWithoutSeriesExplainsHowToChoose(t *testing.T) {
	t.Parallel()
	fundPageHas(t, compared(t, locale.Spanish, "/comparar"), []string{"Busque abajo un fondo", `name="buscar"`},
		"Crecimiento de 100</h2>", "<table")
	fundPageHas(t, compared(t, locale.English, "/comparar?buscar=fondo"),
		[]string{`<input type="checkbox" name="series" value="5">`, "FONDO &lt;5&gt;", "There are more"}, "<5>")
}

func TestGrowthStartsAt100OnTheFirstDayThatAllSeriesShare(t *testing.T) {
	t.Parallel()
	// 21 July 2024 is the first day with a quota above 0 of both: 20 becomes 22 and 30, 50 becomes 60 and 55.
	body := compared(t, locale.Spanish, "/comparar?series=1&series=2")
	fundPageHas(t, body, []string{
		"<strong>21\u00a0jul\u00a02024</strong> al <strong>20\u00a0jul\u00a02025</strong>",
		"FONDO &lt;2&gt; · S2 empieza más tarde que las demás: no hay valor cuota antes del 21\u00a0jul\u00a02024.",
		`<a class="alone" href="/comparar?series=1#crecimiento">Comparar sin ella</a>`,
		"monedas distintas: las líneas",
		"S1 150,00; FONDO &lt;2&gt; · S2 110,00", "FONDO &lt;1&gt; · S1, Dólares",
		`<th scope="row">21` + "\u00a0jul\u00a02024" + `</th><td class="n">100,00</td><td class="n">100,00</td>`,
		`<th scope="row">25` + "\u00a0jul\u00a02024" + `</th><td class="n">110,00</td><td class="n">120,00</td>`,
		`<th scope="row">20` + "\u00a0jul\u00a02025" + `</th><td class="n">150,00</td><td class="n">110,00</td>`,
		`class="line first"`, `class="line second"`, "su línea salta",
	}, "<1>")
	// Alone the series starts on 20 July, with 10.
	fundPageHas(t, compared(t, locale.English, "/comparar?series=1"),
		[]string{"<strong>20\u00a0Jul\u00a02024</strong>", `<td class="n">300.00</td>`}, `"line second"`,
		"The span is shorter", "Can they be compared?")
	// The span of all begins on the first day of all, with 5.
	fundPageHas(t, compared(t, locale.English, "/comparar?series=1&plazo=all"),
		[]string{"<strong>13\u00a0Jul\u00a02024</strong>", `<td class="n">600.00</td>`})
	fundPageHas(t, compared(t, locale.English, "/comparar?series=1,3"),
		[]string{"FONDO &lt;3&gt; · S3: has no unit prices in the span."})
	fundPageHas(t, compared(t, locale.English, "/comparar?series=3"), []string{"no common span to draw"}, `<figure class="chart"`)
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=2,24"), []string{
		"<strong>No es un año completo:</strong> FONDO &lt;24&gt; · S24 termina antes que las demás: no hay valor cuota después del 22\u00a0jul\u00a02024.",
		`href="/comparar?series=2#crecimiento"`}, "empieza más tarde que las demás: no hay valor cuota antes del 20")
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=25,26"), []string{
		"Hay valor cuota de un solo día del período, el 20\u00a0jul\u00a02025: FONDO &lt;25&gt; · S25 7,5000 pesos; FONDO &lt;26&gt; · S26 7,5000 pesos.",
		"FONDO &lt;25&gt; · S25; FONDO &lt;26&gt; · S26: no hay valor cuota antes del 20\u00a0jul\u00a02025."},
		"<figure", "Comparar sin ella")
}

func TestAReaderAddsLinesToAComparison(t *testing.T) {
	t.Parallel()
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=7&linea=uf&linea=familia&tasa=5,5"), []string{
		"S7 300,00; 5,5\u00a0% al año 105,50; Series en pesos de la familia Deuda 120,00",
		`class="line line-uf"`, `class="line line-family"`, `class="line line-rate"`,
		`name="linea" value="uf" checked`, `name="linea" value="dolar">`, `name="tasa"`,
		`value="5,5"`, "UF, Pesos", `<input type="hidden" name="series" value="7">`,
		// The UF has no value on the last day, and says so in the table.
		"(ese día no tiene valor)",
	}, `class="line line-dollar"`, "monedas distintas", "Dólar observado 1", "familia Deuda, Pesos")
	// The dollar has no value on the first day. A series in dollars does not compare with the UF.
	fundPageHas(t, compared(t, locale.English, "/comparar?series=11&linea=dolar&linea=uf"), []string{
		"Observed dollar: the value is unknown on 20\u00a0Jul\u00a02024.", "There are lines in different currencies",
		`href="/comparar?linea=dolar&amp;linea=uf&amp;moneda=pesos&amp;series=11#crecimiento"`})
	for _, address := range []string{"linea=euro", "tasa=x", "tasa=-100", "moneda=usd"} {
		var invalid httpapi.Invalid
		if _, err := loadedPage(t, comparePage, locale.Spanish, "/comparar?series=1&"+address,
			comparison(t)); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestAComparisonInPesosShowsWhatTheOperationFinds(t *testing.T) {
	t.Parallel()
	body := compared(t, locale.Spanish, "/comparar?series=11,7,21&moneda=pesos")
	fundPageHas(t, body, []string{"S11 125,00; FONDO &lt;7&gt; · S7 300,00", "de cada serie en pesos",
		"FONDO &lt;21&gt; · S21: no hay con qué convertirla el 20\u00a0jul\u00a02024.", "FONDO &lt;11&gt; · S11, Pesos"},
		"monedas distintas: las", `class="line third"`)
	body = compared(t, locale.English, "/comparar?series=11,7&moneda=dolares&linea=uf&linea=dolar")
	fundPageHas(t, body, []string{"S11 150.00; FONDO &lt;7&gt; · S7 150.00; UF 125.00; Observed dollar 100.00",
		"of each series in dollars", "UF, Dollars", "FONDO &lt;7&gt; · S7, Dollars"}, "different currencies: the")
}

// The family has no index of all its series: beside converted lines the page says of which ones it is (RULES 7).
func TestTheLineOfAFamilyIsNamedByTheSeriesThatItIsOf(t *testing.T) {
	t.Parallel()
	for money, want := range map[string][2]string{"": {"pesos", "120.00"}, "&moneda=pesos": {"pesos", "120.00"},
		"&moneda=dolares": {"dollars", "150.00"}} {
		fundPageHas(t, compared(t, locale.English, "/comparar?series=7&linea=familia"+money), []string{
			"Series in " + want[0] + " of the family Deuda " + want[1],
			"is the index of its series in " + want[0] + "; those",
		}, "Family Deuda", "family Deuda, ")
	}
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=11&linea=familia&moneda=pesos"),
		[]string{"Series en pesos de la familia Deuda 120,00"})
	fundPageHas(t, compared(t, locale.English, "/comparar?series=7&moneda=dolares"), nil, "The line of the family")
}

func TestValuesOfADayAreExactAndInTheFileOfTheChart(t *testing.T) {
	t.Parallel()
	address := "/comparar?series=7&linea=uf"
	fundPageHas(t, compared(t, locale.Spanish, address), []string{
		`data-chart="crecimiento" data-values="/comparar/grafico.json?linea=uf&amp;series=7" data-batch="20250720-1-aaaaaaaaaaaa"`,
		`data-first="2024-07-20" data-last="2025-07-20"`, `src="/static/chart.js`})
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	file := valuesOf(comparePage)
	body, err := file.file.load(t.Context(), &visit{Visit: site.Visit{Lang: locale.Spanish, Path: "/comparar/grafico.json",
		Texts: target.Query(), Keys: file.keys}, Batch: comparison(t)})
	if err != nil {
		t.Fatal(err)
	}
	var got drawnValues
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	want := chartValues{Decimals: 2, Lines: []lineValues{
		{"FONDO <7> · S7, Pesos", "first", longestOfQuotas, []int{0, 1, 4, 5, 365},
			[]json.Number{"100.00", "200.00", "210.00", "220.00", "300.00"}},
		{"UF, Pesos", "line-uf", longestOfRates, []int{0, 1}, []json.Number{"100.00", "105.00"}}}}
	if diff := cmp.Diff(map[string]chartValues{"crecimiento": want}, got.Charts); diff != "" {
		t.Error(diff)
	}
	if got.Batch != "20250720-1-aaaaaaaaaaaa" || got.Point != "," || got.Group != "." || got.Months[6] != "jul" {
		t.Errorf("%+v", got)
	}
}

func TestEveryReasonWhyValuesDoNotCompareIsInWords(t *testing.T) {
	t.Parallel()
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=1,2"), []string{
		"alguna serie no tiene la rentabilidad; están en monedas distintas", "a_new_reason",
		"son de familias o clases de inversionista distintas",
		"son TAC de distinto tipo", "sin valor cuota al inicio", "sintética", "informada",
		"20\u00a0jul\u00a02024 – 20\u00a0jul\u00a02025",
	})
	fundPageHas(t, compared(t, locale.English, "/comparar?series=1,2"), []string{
		"a series does not have the return; they are in different currencies",
		"they are of different families or investor classes", "the TACs are of different kinds",
	}, "alguna serie", "Sí")
	for reason := range comparabilityReasons {
		if comparabilityReasons[reason][0] == "" || comparabilityReasons[reason][1] == "" {
			t.Errorf("%s has no words", reason)
		}
	}
}

func TestFiguresInDifferentCurrenciesAreSaidNotToCompare(t *testing.T) {
	t.Parallel()
	rows := func(page string) map[string]string {
		verdicts := map[string]string{}
		for _, row := range strings.Split(page, "<tr>")[1:] {
			_, head, _ := strings.Cut(row, `<th scope="row"`)
			_, head, _ = strings.Cut(head, ">")
			name, _, _ := strings.Cut(head, "<")
			if _, verdict, has := strings.Cut(row, `<td class=" verdict">`); has {
				verdicts[name], _, _ = strings.Cut(verdict, "</td>")
			}
		}
		return verdicts
	}
	const mixed = `No<span class="sub">están en monedas distintas`
	different := rows(compared(t, locale.Spanish, "/comparar?series=1,2"))
	same := rows(compared(t, locale.Spanish, "/comparar?series=2,4"))
	// Of a series without the figure, the currency is no reason. Among those that have it, it may be.
	lacking := rows(compared(t, locale.Spanish, "/comparar?series=1,30"))
	mixedAndLacking := rows(compared(t, locale.English, "/comparar?series=1,30,2"))
	for _, name := range []string{"Valor cuota", "Cambio del día", "Volatilidad, 12 meses", "Volatilidad, 36 meses",
		"Mayor caída, 36 meses", "Patrimonio"} {
		if !strings.HasPrefix(different[name], mixed) {
			t.Errorf("%s of different currencies: %q", name, different[name])
		}
		if strings.Contains(same[name], "monedas") || same[name] == "" {
			t.Errorf("%s of one currency: %q", name, same[name])
		}
		if want := `No<span class="sub">alguna serie no tiene este dato</span>`; lacking[name] != want {
			t.Errorf("%s of which one series lacks it: %q", name, lacking[name])
		}
		english := map[string]string{"Valor cuota": "Unit price", "Cambio del día": "Day&#39;s change",
			"Volatilidad, 12 meses": "Volatility, 12 months", "Volatilidad, 36 meses": "Volatility, 36 months",
			"Mayor caída, 36 meses": "Maximum drawdown, 36 months", "Patrimonio": "Equity"}[name]
		if want := `No<span class="sub">a series does not have this figure; they are in different currencies</span>`; want !=
			mixedAndLacking[english] {
			t.Errorf("%s of three series: %q", english, mixedAndLacking[english])
		}
	}
	// What two rates of different kinds are apart is not offered.
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=1,2"), nil, "Cuánto vale su diferencia")
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=5,7"), []string{"Cuánto vale su diferencia"})
}

func TestNamesAtTheEndsOfLinesDiffer(t *testing.T) {
	t.Parallel()
	of := func(fund, run, serie string) market.Resource {
		return market.Resource{Attributes: market.Attributes{FundName: fund, RUN: run, Serie: serie}}
	}
	for _, list := range [][]market.Resource{
		{of("SINTETICO ACCIONARIO NACIONAL 3", "1-9", "S/B"), of("SINTETICO ACCIONARIO EEUU 1", "2-7", "S/B")},
		{of("AHORRO", "1-9", "A"), of("AHORRO", "2-7", "A"), of("OTRO", "3-5", "A")},
		{of("AHORRO", "1-9", "INVERSIONISTA A"), of("AHORRO", "1-9", "INVERSIONISTA B")},
	} {
		seen := map[string]bool{}
		for _, name := range lineEnds(list) {
			if seen[name] || len([]rune(name)) > endLetters || name == "" {
				t.Errorf("%q among %v", name, lineEnds(list))
			}
			seen[name] = true
		}
	}
	got := lineEnds([]market.Resource{of("SINTETICO ACCIONARIO NACIONAL 3", "1-9", "S"),
		of("SINTETICO ACCIONARIO EEUU 1", "2-7", "B"), of("SINTETICO ACCIONARIO EEUU 1", "2-7", "C")})
	if want := []string{"…NACIONAL 3 · S", "…EEUU 1 · B", "…EEUU 1 · C"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = lineEnds([]market.Resource{of("SINTETICO ACCIONARIO 6", "1-9", "BCI"),
		of("SINTETICO BALANCEADO 13", "2-7", "APV-AP-APVC")})
	if want := []string{"…ACCIONARI… · BCI", "…BALAN… · APV-AP…"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCorrelationsAreATableWithTheirMonthsOrTheReason(t *testing.T) {
	t.Parallel()
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?correlacion=ver&series=4,5,3"), []string{
		"Correlación de las rentabilidades mensuales, en dólares<", "1. FONDO &lt;4&gt; · S4", "−0,60", "1,00",
		"sus rentabilidades no varían", "30 meses comunes, de enero de\u00a02023 a junio de\u00a02025. " +
			"La que menos meses tiene por sí sola: FONDO &lt;4&gt; · S4 tiene 30."})
	fundPageHas(t, compared(t, locale.English, "/comparar?correlacion=ver&series=4,5&moneda=pesos"), []string{
		"Correlation of the monthly returns, in pesos<", "30 months in common, from January\u00a02023 to June\u00a02025. "})
	// All in dollars is no valuation of returns: what the operation has found them in is said.
	pesos := fundBatch(func(path string, texts url.Values) (string, error) {
		body, err := comparison(t)(path, texts)
		return strings.Replace(body, `{"currency": "DOLAR", "months"`, `{"currency": "PESOS", "months"`, 1), err
	})
	address := "/comparar?correlacion=ver&series=4,5&moneda=dolares"
	body, err := loadedPage(t, comparePage, locale.English, address, pesos)
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"Correlation of the monthly returns, in pesos<", "of each series in dollars"})
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?correlacion=ver&series=5,24"), []string{
		"hacen falta 24 meses en que todas tengan rentabilidad, y hay 3. FONDO &lt;5&gt; · S5 tiene 3."}, `id="correlaciones"`)
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=5"), nil, "Correlación")
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=5,26"), []string{
		"y los valores de FONDO &lt;26&gt; · S26 abarcan 20 días."}, `id="correlaciones"`)
}

func TestSeriesThatCannotBeComparedAreNamedAndTheOthersShown(t *testing.T) {
	t.Parallel()
	body := compared(t, locale.Spanish, "/comparar?series=1,777,2&plazo=3y&fecha=2025-07-20")
	fundPageHas(t, body, []string{"Fuera de la comparación:",
		`<a href="/series/777?fecha=2025-07-20">FONDO CERRADO · S&lt;777&gt;</a><span class="sub">no tiene valores cuota</span>`,
		`href="/comparar?fecha=2025-07-20&amp;plazo=3y&amp;series=1%2C2"`, "S1", "S2"})
	fundPageHas(t, compared(t, locale.Spanish, "/comparar?series=1,778"), []string{`<a href="/series/778">Serie 778</a><span class="sub">no existe</span>`})
	if _, err := loadedPage(t, comparePage, locale.Spanish, "/comparar?series=777,778",
		comparison(t)); !isUnknown(err) {
		t.Errorf("no series is known, and the error is %v", err)
	}
}

func TestAtMostTenSeriesAreCompared(t *testing.T) {
	t.Parallel()
	fundPageHas(t, compared(t, locale.English, "/comparar?series=4,5,6,7,8,9,10,12,13,14,15"),
		[]string{"The first ten series are compared", "There are ten series", `class="line tenth"`}, "S15",
		`name="buscar"`)
}

func TestIDsOfSeriesComeInOneTextOrInSeveral(t *testing.T) {
	t.Parallel()
	got, err := chosenSeries([]string{"0012, 7,", "12", "4294967295"})
	if err != nil || !slices.Equal(got, []string{"12", "7", "4294967295"}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, address := range []string{"/comparar?series=a", "/comparar?series=-1", "/comparar?series=4294967296",
		"/comparar?series=1&plazo=2y"} {
		var invalid httpapi.Invalid
		if _, err := loadedPage(t, comparePage, locale.Spanish, address, comparison(t)); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
