package ingest

import (
	"encoding/csv"
	"strings"
	"testing"

	"cuota/model"
)

func TestMonthlyTACIsReadBetweenItsTitlesAndItsFootnotes(t *testing.T) {
	tacs := events[model.MonthlyTAC](t, model.TACMonthly, "tac.csv", fixture(t, "tac_monthly.csv"))
	if len(tacs) != 4 {
		t.Fatalf("%d rows, want 4", len(tacs))
	}
	first := tacs[0]
	if first.Line != 5 || first.Date != model.NewDate(2026, 5, 31) || first.Serie != "A" ||
		first.FixedFee != "Hasta 1,19" ||
		first.TotalPercent.Decimal.String() != "1.2219" || first.ExpensesPercent.Decimal.String() != "0.0312" ||
		first.VariablePercent.Valid {
		t.Errorf("the first row reads %+v", first)
	}
	if third := tacs[2]; third.Serie != model.SoleSerie || !third.TotalPercent.Valid ||
		!third.TotalPercent.Decimal.IsZero() {
		t.Errorf("a cost of zero, which is a value, reads %+v", third)
	}
	if last := tacs[3]; last.FixedPercent.Decimal.String() != "1.32" ||
		last.VariablePercent.Decimal.String() != "-0.25" || last.TotalPercent.Valid {
		t.Errorf("a row of a workbook's floats reads %+v", last)
	}
}

func TestMonthlyTACRepairsLettersAndCutsFootnoteMarks(t *testing.T) {
	tacs := events[model.MonthlyTAC](t, model.TACMonthly, "tac.csv", fixture(t, "tac_monthly.csv"))
	if tac := tacs[1]; tac.Fund != "ACCIONES NACIONALES MÓVIL" || tac.Features != "Planes APV; sin tope" ||
		tac.PlacementTerms != "Rescates antes de 90 días" || tac.FixedPercent.Decimal.String() != "3.4875" {
		t.Errorf("reads %+v", tac)
	}
	if tacs[0].Features != "Público en general" || tacs[2].Fund != "SURA MONEY MARKET DÓLAR" {
		t.Errorf("mangled and whole letters read %q and %q", tacs[0].Features, tacs[2].Fund)
	}
	if key := tacs[1].Key(); key != "2026-05-31:BANCHILEADMINISTRADORAGENERALDEFONDOSSA:ACCIONESNACIONALESMOVIL:APV" {
		t.Errorf("key %q", key)
	}
}

func TestMonthlyTACMayBeSavedWithCommas(t *testing.T) {
	reader := csv.NewReader(strings.NewReader(fixture(t, "tac_monthly.csv")))
	reader.Comma, reader.FieldsPerRecord = ';', -1
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var commas strings.Builder
	writer := csv.NewWriter(&commas)
	if err := writer.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	tacs := events[model.MonthlyTAC](t, model.TACMonthly, "tac.csv", commas.String())
	if want := events[model.MonthlyTAC](t, model.TACMonthly, "tac.csv", fixture(t, "tac_monthly.csv")); len(
		tacs) != len(want) ||
		tacs[1].Key() != want[1].Key() || tacs[1].FixedPercent.Decimal.String() != "3.4875" ||
		tacs[1].Features != want[1].Features {
		t.Errorf("with commas it reads %+v", tacs)
	}
}

func TestMonthlyTACDayMayBePlain(t *testing.T) {
	for _, day := range []string{"20260531", "20260531.0", "20260531,0", "20260531.00"} {
		content := strings.ReplaceAll(fixture(t, "tac_monthly.csv"), "20260531.0", day)
		if tacs := events[model.MonthlyTAC](t, model.TACMonthly, "tac.csv", content); tacs[3].Date != model.NewDate(
			2026, 5, 31) {
			t.Errorf("%s reads %s", day, tacs[3].Date)
		}
	}
}

func TestMonthlyTACRowThatBreaks(t *testing.T) {
	eachBreaksOneRow(t, model.TACMonthly, "tac_monthly.csv", []brokenRow{
		{"two decimal signs", ";0,0125;3,5;", ";0,0125;3.500,5;", "has a comma"},
		{"a percent sign", ";0,0125;3,5;", ";0,0125;3,5%;", "is not a number"},
		{"a number too large", ";0,0125;3,5;", ";0,0125;34875348753;", "more than 10 digits"},
		{"a day that does not exist", "\n20260531.0;BANCHILE", "\n20260532.0;BANCHILE", "not a calendar date"},
		{"a day to come", "\n20260531.0;BANCHILE", "\n20260930.0;BANCHILE", "lies in the future"},
		{"a day that is no number", "\n20260531.0;BANCHILE", "\n2026-05-31;BANCHILE", "not a calendar date"},
		{"a name of which nothing is left", "VISION MONEY MARKET", "---", "words"},
		{"no manager", ";PRINCIPAL  ADMINISTRADORA GENERAL DE FONDOS S.A.;", ";;", "manager"},
		{"a column missing", ";3,4875;", ";", "17 columns, expected 18"},
		{"quotes that do not match", "\"Planes APV; sin tope\"", "\"Planes APV; sin tope", "quotes"},
		{"a row that looks like a footnote but has costs", "20260531.0;SCOTIA", "(2) Nota;SCOTIA",
			"not a calendar date"},
	})
}

func TestAMonthlyTACRowWithABadDayIsNoTitle(t *testing.T) {
	broken := strings.Replace(fixture(t, "tac_monthly.csv"), "\n20260531.0;PRINCIPAL", "\nmayo 2026;PRINCIPAL", 1)
	report := newHarness(t).ingest(t, model.TACMonthly, fileOf(t, "tac.csv", broken))
	if report.Rejected != 1 || report.Published != 3 ||
		!strings.Contains(report.FirstRejects[0].Reason, "not a calendar date") {
		t.Errorf("report %+v", report)
	}
}

func TestMonthlyTACThatIsNoSheetIsRefused(t *testing.T) {
	good := fixture(t, "tac_monthly.csv")
	for _, test := range []struct{ name, content, reason string }{
		{"the workbook itself", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + good, "save the sheet as CSV"},
		{"titles alone", strings.Join(strings.SplitAfter(good, "\n")[:4], ""), "have no row of dataset tac-monthly"},
		{"another dataset", fixture(t, "tac.csv"), "have no row of dataset tac-monthly, which has 18 columns"},
		{"rows too far down", strings.Repeat("x\n", 40) + good, "have no row"},
	} {
		if reason := refusedFor(t, model.TACMonthly, "tac.csv", test.content); !strings.Contains(reason, test.reason) {
			t.Errorf("%s is refused for %q, want %q", test.name, reason, test.reason)
		}
	}
}

func TestMonthlyTACCutInARowIsNotTakenForAFootnote(t *testing.T) {
	good := fixture(t, "tac_monthly.csv")
	for _, end := range []string{"20260531.0;SCOT", "2026"} {
		h := newHarness(t)
		report := h.ingest(t, model.TACMonthly,
			fileOf(t, "tac.csv", good[:strings.Index(good, "20260531.0;SCOTIA")]+end))
		if report.Published != 3 || report.Rejected != 1 ||
			!strings.Contains(report.FirstRejects[0].Reason, "cut off") {
			t.Errorf("cut after %q: %+v, want the last row rejected", end, report)
		}
	}
}
