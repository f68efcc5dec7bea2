package marketpages

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/portfolio"
	"cuota/query/savings"
)

// answeredWith is a batch in which the operation answers this.
func answeredWith(t *testing.T, asked *url.Values, answer portfolio.Answered) fundBatch {
	return func(path string, texts url.Values) (string, error) {
		if path != portfolio.OfText.Path {
			t.Errorf("the page asks %s", path)
		}
		*asked = texts
		body, err := json.Marshal(answer)
		return string(body), err
	}
}

func TestThePageOfAPortfolioEscapesAndTellsReasons(t *testing.T) {
	var asked url.Values
	text := "</textarea><script>alert(1)</script>"
	reason, later := "several_rates", "no_quote_within_7_days"
	figure := savings.Figure{Reason: &reason}
	value := 1234567.0
	total := savings.Figures{Value: savings.Figure{Value: &value}, Invested: figure, Withdrawn: figure, Gain: figure,
		MoneyWeighted: figure, RealTimeYear: savings.Figure{Value: new(.0321)},
		UF: savings.Comparison{EndValue: figure, Difference: figure}}
	reply := &portfolio.Reply{Data: portfolio.Data{Total: total,
		Movements: []portfolio.Movement{{Line: 2, Series: "<b>x</b>", Kind: "buy", Reason: &later,
			Date: model.NewDate(2024, 3, 15)}}}}
	reply.Meta.Refused, reply.Meta.AsOf = 1, model.NewDate(2025, 6, 30)
	address := "/mi-cartera?movimientos=" + url.QueryEscape(text) + "&al=2025-06-30"
	body, err := loadedPage(t, portfolioAnswer, locale.Spanish, address,
		answeredWith(t, &asked, portfolio.Answered{Reply: reply}))
	if err != nil {
		t.Fatal(err)
	}
	if asked.Get("csv") != text || asked.Get("as_of_date") != "2025-06-30" {
		t.Errorf("the page asks with %v", asked)
	}
	fundPageHas(t, body, []string{"&lt;/textarea&gt;", "&lt;b&gt;x&lt;/b&gt;", "1.234.567",
		"varias tasas cumplen la ecuación", "no hay valor cuota en ese día ni en los siete siguientes",
		"No se ejecutó ningún movimiento", "que ninguna cifra cuenta: 1",
		"<dt>Rentabilidad de los fondos sobre la UF, al año</dt>", "no guarda lo que usted escribe"},
		"<script>alert", "<b>x")
}

func TestThePageOfAPortfolioTellsWrongLines(t *testing.T) {
	var asked url.Values
	wrong := []savings.LineError{{Line: 7, Fault: savings.WrongDate, Text: "31<02"},
		{Line: 99, Fault: savings.TooManyWrong}}
	body, err := loadedPage(t, portfolioAnswer, locale.English, "/mi-cartera?movimientos=x",
		answeredWith(t, &asked, portfolio.Answered{Wrong: wrong}))
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"Line 7: needs a date", "31&lt;02", "Line 99: can", "there may be more"}, "There are no transactions", `id="resultado"`)
	body, err = loadedPage(t, portfolioAnswer, locale.English, "/mi-cartera", nil)
	if err != nil {
		t.Fatal(err)
	}
	fundPageHas(t, body, []string{"There are no transactions"})
	for fault := range faults {
		if (savings.LineError{Fault: fault}).Explain() == "" {
			t.Errorf("%s is no fault of a line", fault)
		}
	}
	if body, err = loadedPage(t, portfolioPage, locale.Spanish, "/mi-cartera", nil); err != nil ||
		strings.Contains(body, "No hay ningún movimiento") {
		t.Errorf("the empty form: %v %.200s", err, body)
	}
}
