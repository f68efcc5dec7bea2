package ingest

import (
	"strings"
	"testing"

	"cuota/model"
)

// only returns the event at index of a file. It expects exactly so many rejected rows.
func only[T any](t *testing.T, dataset model.Dataset, name, content string, rejected uint64, index int) T {
	t.Helper()
	h := newHarness(t)
	report := h.ingest(t, dataset, fileOf(t, name, content))
	if report.Refused || report.Rejected != rejected {
		t.Fatalf("report %+v, want %d rows rejected", report, rejected)
	}
	return decoded[T](t, h.out.topics[dataset.Topic()][index])
}

func TestRegisterKeepsAFundsLife(t *testing.T) {
	content := fixture(t, "register.txt")
	fund := only[model.Fund](t, model.Register, "r.txt", content, 0, 2)
	if fund.RUN != 8001 || fund.Approved != model.NewDate(1959, 11, 6) || fund.Ended != model.NewDate(2017, 8, 1) ||
		fund.Kind != 5 || fund.Resolution != "0" {
		t.Errorf("the oldest fund reads %+v", fund)
	}
	fund = only[model.Fund](t, model.Register, "r.txt", content, 0, 3)
	if fund.ShortName != "DEPÃ¿SITO PLUS G" || fund.Resolution != "" {
		t.Errorf("a name broken at the source reads %+v", fund)
	}
	fund = only[model.Fund](t, model.Register, "r.txt", content, 0, 5)
	if !fund.Ended.IsZero() || fund.Currency != "PROM" ||
		fund.Manager != "ADMINISTRADORA GENERAL DE FONDOS SECURITY S.A." {
		t.Errorf("an open fund reads %+v", fund)
	}
}

func TestRegisterWithoutAccentsInItsHeaderIsTaken(t *testing.T) {
	content := strings.NewReplacer("Aprobación", "Aprobacion", "Término", "Termino").Replace(fixture(t, "register.txt"))
	only[model.Fund](t, model.Register, "r.txt", content, 0, 6)
	latin1 := strings.NewReplacer("ó", "\xf3", "é", "\xe9", "Ñ", "\xd1", "Ã¿",
		"\xd3").Replace(fixture(t, "register.txt"))
	if fund := only[model.Fund](t, model.Register, "r.txt", latin1, 0, 4); fund.ShortName != "LARRAINVIAL ESPAÑA" {
		t.Errorf("a register in Latin-1 reads %+v", fund)
	}
}

func TestRepeatedLineIsPublishedAgainUnderOneKey(t *testing.T) {
	h := newHarness(t)
	report := h.ingest(t, model.Register, fileOf(t, "r.txt", fixture(t, "register.txt")))
	if report.Published != 7 || report.Keys != 6 {
		t.Errorf("published %d rows under %d keys, want 7 under 6", report.Published, report.Keys)
	}
}

func TestSheetTakesItsDayFromThePeriodOrElseTheName(t *testing.T) {
	content := fixture(t, "sheet_20250720.csv")
	preamble := "\n,,,\n\"Resumen, diario\",,,\nPeriodo: 18/07/2025,,,\n" + content
	for _, test := range []struct {
		name, content string
		want          model.Date
	}{
		{"aafm_resumen_diario_20250720.csv", content, model.NewDate(2025, 7, 20)},
		{"sheet.csv", preamble, model.NewDate(2025, 7, 18)},
		{"sheet_20250720.csv", preamble, model.NewDate(2025, 7, 18)},
	} {
		if sheet := only[model.AAFMDaily](t, model.AAFM, test.name, test.content, 1, 0); sheet.Date != test.want {
			t.Errorf("%s has day %s, want %s", test.name, sheet.Date, test.want)
		}
	}
	for _, name := range []string{"sheet.csv", "sheet_20250732.csv", "sheet_20250720.csv.bak"} {
		h := newHarness(t)
		report := h.ingest(t, model.AAFM, fileOf(t, name, content))
		if !report.Refused || !strings.Contains(report.FirstRejects[0].Reason, "_YYYYMMDD.csv") {
			t.Errorf("%s: report %+v, want a refusal that tells the remedy", name, report)
		}
	}
}

func TestSheetOfAFundThatDidNotReportHasNulls(t *testing.T) {
	sheet := only[model.AAFMDaily](t, model.AAFM, "s_20250720.csv", fixture(t, "sheet_20250720.csv"), 1, 3)
	if sheet.RUN != 10508 || sheet.EquityCLP.Valid || sheet.Quota.Valid || sheet.Shareholders != nil ||
		sheet.Currency != "" {
		t.Errorf("reads %+v, want null amounts", sheet)
	}
}

func TestSheetNoiseIsRoundedToFourDecimals(t *testing.T) {
	content := strings.Replace(fixture(t, "sheet_20250720.csv"), "1328198.321,", "1328198.3209999998,", 1)
	sheet := only[model.AAFMDaily](t, model.AAFM, "s_20250720.csv", content, 1, 0)
	if sheet.UnitsOutstanding.Decimal.String() != "1328198.321" {
		t.Errorf("units outstanding %s, want 1328198.321", sheet.UnitsOutstanding.Decimal)
	}
}

func TestSheetQuotesMustMatch(t *testing.T) {
	content := strings.Replace(fixture(t, "sheet_20250720.csv"), `> 5 años",Si`, `> 5 años,Si`, 1)
	h := newHarness(t)
	report := h.ingest(t, model.AAFM, fileOf(t, "s_20250720.csv", content))
	if report.Rejected != 2 || !strings.Contains(report.FirstRejects[0].Reason, "quotes") {
		t.Errorf("report %+v, want the row with an open quote rejected", report)
	}
}

func TestComparatorNoiseIsRoundedToSixDecimals(t *testing.T) {
	content := strings.Replace(fixture(t, "tac.csv"), "PRINCIPAL,0,1.32\n", "PRINCIPAL,0,1.3200000524520874\n", 1)
	tac := only[model.SyntheticTAC](t, model.TACComparator, "t.csv", content, 0, 0)
	if tac.Percent.String() != "1.32" || tac.Date != model.NewDate(2025, 9, 30) ||
		tac.EquityStated.Decimal.String() != "33.380849" || tac.Digital != "0" {
		t.Errorf("reads %+v", tac)
	}
	if tac = only[model.SyntheticTAC](t, model.TACComparator, "t.csv", content, 0,
		2); tac.EquityStated.Decimal.String() != "0.000048" {
		t.Errorf("4.8e-05 reads %v", tac.EquityStated)
	}
}

// Each rate stands beside the text of its nearest 32-bit float, in the way the
// comparator writes it.
func TestTheNoiseOfA32BitFloatLeavesNoTraceInACostRate(t *testing.T) {
	for published, written := range map[string]string{
		"1.32": "1.3200000524520874", "22.3": "22.299999237060547", "9.870001": "9.8700008392333984",
		"0.000048": "4.8e-05", "2.037158": "2.037158",
		"16.1": "16.100000381469727", "0.2": "0.20000000298023224",
	} {
		content := strings.Replace(fixture(t, "tac.csv"), "PRINCIPAL,0,1.32\n", "PRINCIPAL,0,"+written+"\n", 1)
		if tac := only[model.SyntheticTAC](t, model.TACComparator, "t.csv", content, 0,
			0); tac.Percent.String() != published {
			t.Errorf("%s reads %s, want %s", written, tac.Percent, published)
		}
	}
}

func TestComparatorCostAboveHundredPercentIsRejected(t *testing.T) {
	content := strings.Replace(fixture(t, "tac.csv"), "PRINCIPAL,0,1.32\n", "PRINCIPAL,0,132\n", 1)
	h := newHarness(t)
	report := h.ingest(t, model.TACComparator, fileOf(t, "t.csv", content))
	if report.Rejected != 1 || !strings.Contains(report.FirstRejects[0].Reason, "percent") {
		t.Errorf("report %+v, want the row rejected", report)
	}
}

func TestReturnsThatWereNotStatedAreNull(t *testing.T) {
	official := only[model.OfficialReturn](t, model.ReturnsComparator, "r.csv", fixture(t, "returns.csv"), 0, 0)
	if official.Real3Y.Decimal.String() != "-1.0707" || official.Nominal5Y.Valid || official.Spheres != 0 ||
		official.FamilyRAR != "Deuda < 90 dias internacional dolar" || official.Date != model.NewDate(2025, 9, 30) {
		t.Errorf("reads %+v", official)
	}
}

func TestIndicatorMayBePublishedAheadOfItsDay(t *testing.T) {
	for _, test := range []struct {
		dataset  model.Dataset
		day      string
		rejected uint64
	}{
		{model.UF, "2026-10-11", 0}, // 40 days ahead
		{model.UF, "2026-10-12", 1},
		{model.Dolar, "2026-09-08", 0}, // 7 days ahead
		{model.Dolar, "2026-09-09", 1},
	} {
		h := newHarness(t)
		report := h.ingest(t, test.dataset, fileOf(t, "i.csv", "fecha,valor\n"+test.day+",40000.12\n"))
		if report.Rejected != test.rejected {
			t.Errorf("%s of %s: %+v, want %d rejected", test.dataset, test.day, report, test.rejected)
		}
	}
}

func TestIndicatorIsPositiveAndHasNoNoise(t *testing.T) {
	if uf := only[model.Indicator](t, model.UF, "uf.csv", fixture(t, "uf.csv"), 0,
		2); uf.Value.String() != "23040.94" || uf.Code != "uf" {
		t.Errorf("reads %+v, want 23040.94", uf)
	}
	if dolar := only[model.Indicator](t, model.Dolar, "dolar.csv", fixture(t, "dolar.csv"), 0,
		0); dolar.Value.String() != "530.07" || dolar.Code != "dolar" {
		t.Errorf("reads %+v, want 530.07", dolar)
	}
	h := newHarness(t)
	if report := h.ingest(t, model.UF,
		fileOf(t, "uf.csv", "fecha,valor\n2025-01-01,0\n2025-01-02,\n")); report.Rejected != 2 {
		t.Errorf("report %+v, want zero and blank rejected", report)
	}
}

func TestAnInvestmentFundIsClosedOnlyWhereTheRegisterSaysSo(t *testing.T) {
	content := fixture(t, "fi.csv") + "9999,X FONDO,Y S.A.,FIXXX\n"
	if fund := events[model.InvestmentFund](t, model.FIRegister, "fi.csv", content)[4]; fund.RUN != 9999 ||
		fund.Kind != "FIXXX" {
		t.Errorf("reads %+v", fund)
	}
	for state, closed := range map[string]bool{"vigente": false, "no vigente": true, "liquidado": false, "": false} {
		told := "run,nombre,administradora,tipo,estado\n9278,AINA,BICE,FINRE," + state + "\n"
		if fund := events[model.InvestmentFund](t, model.FIRegister, "fi.csv", told)[0]; fund.State != state ||
			fund.Closed != closed {
			t.Errorf("%s: reads %+v", state, fund)
		}
	}
}
