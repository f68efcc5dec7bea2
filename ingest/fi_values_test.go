package ingest

import (
	"strings"
	"testing"

	"cuota/model"
)

func TestInvestmentValuesTakeTheirFundFromTheNameOrAColumn(t *testing.T) {
	for _, name := range []string{"fi_9278_202506.csv", "FI_9278-9_x.csv"} {
		values := events[model.InvestmentValue](t, model.FIValues, name, fixture(t, "fi_9278_202506.csv"))
		if v := values[0]; v.RUN != 9278 || v.Serie != "A" || v.Date != model.NewDate(2025, 6, 30) ||
			v.BookValue.String() != "1234.5678" ||
			v.EconomicValue.Decimal.String() != "1240.12" || v.Equity.Decimal.String() != "1234567890" ||
			v.TotalAssets.Decimal.String() != "1334567890.5" || *v.Contributors != 1204 || *v.Institutional != 12 ||
			v.Agency != "" {
			t.Errorf("%s reads %+v", name, v)
		}
		if v := values[1]; v.Serie != "I" || v.Currency != "PROM" || v.EconomicValue.Valid {
			t.Errorf("%s reads %+v", name, v)
		}
	}
	values := events[model.InvestmentValue](t, model.FIValues, "all.csv", fixture(t, "fi_values.csv"))
	if values[0].RUN != 9278 || values[1].RUN != 10654 || values[1].Agency != "SANTIAGO" {
		t.Errorf("with a column RUN it reads %+v", values)
	}
	for _, name := range []string{"values.csv", "fi_.csv", "fi_9278-0_x.csv", "fi_9278.csv"} {
		if reason := refusedFor(t, model.FIValues, name, fixture(t, "fi_9278_202506.csv")); !strings.Contains(reason,
			"begin its name with fi_RUN_") {
			t.Errorf("%s is refused for %q", name, reason)
		}
	}
}

func TestInvestmentValuesHeaderMayBeThePagesOwn(t *testing.T) {
	content := strings.NewReplacer("N Aportantes;", "N° de Aportantes;", "N Aportantes Inst", "N° Aportantes Inst",
		"Economico", "Económico").
		Replace(fixture(t, "fi_9278_202506.csv"))
	if values := events[model.InvestmentValue](t, model.FIValues, "fi_9278_.csv", content); len(values) != 3 {
		t.Errorf("%d rows, want 3", len(values))
	}
}

func TestInvestmentValuesAreReadFromASavedPage(t *testing.T) {
	h := newHarness(t)
	report := h.ingest(t, model.FIValues, fileOf(t, "fi_9278_page.html", fixture(t, "fi_9278_page.html")))
	if report.Published != 2 || report.Rejected != 1 || report.Keys != 2 {
		t.Fatalf("report %+v, want two of three rows published", report)
	}
	v := decoded[model.InvestmentValue](t, h.out.topics[model.FIValues.Topic()][0])
	if v.RUN != 9278 || v.BookValue.String() != "1234.5678" || v.Agency != "VIÑA DEL MAR & CONCÓN; SUR" ||
		*v.Contributors != 1204 {
		t.Errorf("reads %+v", v)
	}
	if v = decoded[model.InvestmentValue](t, h.out.topics[model.FIValues.Topic()][1]); v.EconomicValue.Valid ||
		v.Serie != "I" {
		t.Errorf("reads %+v", v)
	}
	reject := report.FirstRejects[0]
	if !strings.Contains(reject.Reason, "of the form 1.234.567,89") ||
		!strings.HasPrefix(reject.Raw, "29/06/2025;A;$$;1234.5;") {
		t.Errorf("rejected %q for %q", reject.Raw, reject.Reason)
	}
	if !reject.HasDay() || reject.RUN != 9278 || reject.Serie != "A" || reject.Date != model.NewDate(2025, 6, 29) {
		t.Errorf("the rejection is of %s %s %s", reject.RUN, reject.Serie, reject.Date)
	}
}

func TestRowsOfAPageOnOneLineHaveNumbersOfTheirOwn(t *testing.T) {
	page := strings.ReplaceAll(fixture(t, "fi_9278_page.html"), "\n", " ")
	h := newHarness(t)
	report := h.ingest(t, model.FIValues, fileOf(t, "fi_9278_page.html", strings.ReplaceAll(page, "1,0021", "1.5")))
	if report.Rejected != 2 || report.FirstRejects[0].Line == report.FirstRejects[1].Line {
		t.Errorf("report %+v, want two rejections with numbers of their own", report)
	}
}

func TestPageWithoutItsTableOrCutInItIsReported(t *testing.T) {
	page := fixture(t, "fi_9278_page.html")
	for name, content := range map[string]string{
		"no table":      strings.ReplaceAll(page, "Patrimonio Neto", "Otro"),
		"another page":  "<html><body>Ingrese el código</body></html>",
		"a token alone": "<",
	} {
		if reason := refusedFor(t, model.FIValues, "fi_9278_page.html", content); !strings.Contains(reason,
			"has no table with the columns Fecha") {
			t.Errorf("%s is refused for %q", name, reason)
		}
	}
	if reason := refusedFor(t, model.FIValues, "fi_9278_page.html",
		page[:strings.Index(page, "<tbody>")]+"</table>"); !strings.Contains(reason, "has a header and no rows") {
		t.Errorf("a table without rows is refused for %q", reason)
	}
	h := newHarness(t)
	report := h.ingest(t, model.FIValues, fileOf(t, "fi_9278_page.html", page[:strings.Index(page, "\n<tr>\n")]))
	if report.Published != 2 || report.Rejected != 1 ||
		!strings.Contains(report.FirstRejects[0].Reason, "the page ends inside its table") {
		t.Errorf("report %+v, want the page's end told", report)
	}
}

func TestInvestmentValueRowThatBreaks(t *testing.T) {
	eachBreaksOneRow(t, model.FIValues, "fi_9278_202506.csv", []brokenRow{
		{"decimal point", ";1.234,5678;", ";1234.5678;", "of the form 1.234.567,89"},
		{"points between other than three digits", ";1.234.567.890;", ";1.2345.67.890;", "of the form"},
		{"book value blank", ";1.234,5678;", ";;", "of the form"},
		{"too many decimals", ";1.234,5678;", ";1.234,56789012;", "more than 6 decimals"},
		{"people by halves", ";1.204;", ";1,5;", "is not a count"},
		{"a negative number of people", ";1.204;", ";-3;", "is not a count"},
		{"a day to come", "30/06/2025;A", "30/06/2027;A", "lies in the future"},
		{"an American day", "30/06/2025;A", "06/30/2025;A", "not a calendar date"},
		{"a column more", ";SANTIAGO", ";SANTIAGO;1", "11 columns, expected 10"},
	})
}

func TestInvestmentValueThatBreaksTellsItsDay(t *testing.T) {
	for _, test := range []struct {
		old, new string
		hasDay   bool
	}{
		{";1.234,5678;", ";x;", true}, {"30/06/2025;A", "31/06/2025;A", false}, {";1.234,5678;", ";", false},
	} {
		h := newHarness(t)
		report := h.ingest(t, model.FIValues,
			fileOf(t, "fi_9278_x.csv", strings.Replace(fixture(t, "fi_9278_202506.csv"), test.old, test.new, 1)))
		if report.Rejected != 1 || report.FirstRejects[0].HasDay() != test.hasDay {
			t.Errorf("%q for %q: %+v, want a day: %t", test.new, test.old, report, test.hasDay)
		}
	}
}

func TestNegativeBookValueIsAFact(t *testing.T) {
	content := strings.Replace(fixture(t, "fi_9278_202506.csv"), ";1.234,5678;", ";-1.234,5678;", 1)
	if v := events[model.InvestmentValue](t, model.FIValues, "fi_9278_x.csv",
		content)[0]; v.BookValue.String() != "-1234.5678" {
		t.Errorf("reads %+v", v)
	}
}
