package ingest

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"cuota/ingest/parse"
	"cuota/model"
)

// realRows is the folder of rows of whole-market files. Its README says what they are.
const realRows = "../testdata/real/cartola/"

// stated returns the text of each column of a quota as the file would write it, by the names
// of the file's header. NOM_ADM and SERIE have single spaces.
func stated(q model.Quota) map[string]string {
	factor := func(d decimal.NullDecimal) string {
		if !d.Valid {
			return ""
		}
		return d.Decimal.String()
	}
	plain := func(d decimal.Decimal) string { // the files write no zero before the point
		if rest, less := strings.CutPrefix(d.String(), "0."); less {
			return "." + rest
		}
		return d.String()
	}
	count := func(n uint32) string { return decimal.New(int64(n), 0).String() }
	cut := func(rol string) string { number, _, _ := strings.Cut(rol, "-"); return number }
	maybe := func(d decimal.NullDecimal) string {
		if !d.Valid {
			return "not a number"
		}
		return plain(d.Decimal)
	}
	institutional := "not a number"
	if q.Institutional != nil {
		institutional = count(*q.Institutional)
	}
	return map[string]string{
		"RUN_ADM": cut(q.ManagerRUT.String()), "NOM_ADM": q.Manager, "RUN_FM": cut(q.RUN.String()),
		"FECHA_INF": strings.ReplaceAll(q.Date.String(), "-", ""), "ACTIVO_TOT": maybe(q.TotalAssets),
		"MONEDA":          q.Currency,
		"PARTICIPES_INST": q.InstitutionalFlag, "INVERSION_EN_FONDOS": maybe(q.InvestedInFunds), "SERIE": q.Serie,
		"CUOTAS_APORTADAS": plain(q.UnitsContributed), "CUOTAS_RESCATADAS": plain(q.UnitsRedeemed),
		"CUOTAS_EN_CIRCULACION": plain(q.UnitsOutstanding), "VALOR_CUOTA": plain(q.Quota),
		"PATRIMONIO_NETO": plain(q.Equity),
		"NUM_PARTICIPES":  count(q.Shareholders), "NUM_PARTICIPES_INST": institutional, "FONDO_PEN": q.PensionFlag,
		"REM_FIJA": plain(q.FixedFee), "REM_VARIABLE": plain(q.VariableFee),
		"GASTOS_AFECTOS":    plain(q.AffectedExpenses),
		"GASTOS_NO_AFECTOS": plain(q.UnaffectedExpenses), "COMISION_INVERSION": maybe(q.SubscriptionFee),
		"COMISION_RESCATE": maybe(q.RedemptionFee), "FACTOR DE AJUSTE": factor(q.AdjustmentFactor),
		"FACTOR DE REPARTO": factor(q.DistributionFactor),
	}
}

func TestEveryRealRowIsReadAndEveryColumnArrivesAsWritten(t *testing.T) {
	for name, rows := range map[string]int{"odd.txt": 197, "month_9019_202512.txt": 31, "month_10151_202512.txt": 31,
		"month_10772_202508.txt": 74} {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(realRows + name)
			if err != nil {
				t.Fatal(err)
			}
			h := newHarness(t)
			report := h.ingest(t, model.Cartola, realRows+name)
			if report.Refused || report.Rejected != 0 || report.Published != uint64(rows) ||
				report.Keys != uint64(rows) || len(report.Unknown) != 0 {
				t.Fatalf("%+v, want %d rows and none rejected", report, rows)
			}
			lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
			header := strings.Split(lines[0], ";")
			for i, message := range h.out.topics[model.Cartola.Topic()] {
				want := map[string]string{}
				for column, text := range strings.Split(lines[i+1], ";") {
					want[header[column]] = strings.Join(strings.Fields(text), " ")
				}
				if diff := cmp.Diff(want, stated(decoded[model.Quota](t, message))); diff != "" {
					t.Errorf("line %d (-file +event):\n%s", i+2, diff)
				}
			}
		})
	}
}

func TestAnUnknownWordIsKeptAndReportedAndCostsNoRow(t *testing.T) {
	lines := strings.SplitAfter(fixture(t, "cartola.txt"), "\n")
	change := func(line int, column int, text string) {
		fields := strings.Split(lines[line-1], ";")
		fields[column] = text
		lines[line-1] = strings.Join(fields, ";")
	}
	change(2, 6, "SI")
	change(3, 7, "1,5")
	change(4, 6, "SI")
	change(5, 5, "UF")
	change(2, 22, "12.34567")
	change(3, 15, "")
	change(4, 4, "n/a")
	change(4, 21, "")
	change(6, 6, "NO")
	change(6, 12, "-1") // rejected, so its words are not counted
	h := newHarness(t)
	report := h.ingest(t, model.Cartola, fileOf(t, "words.txt", strings.Join(lines, "")))
	if report.Published != 5 || report.Rejected != 1 {
		t.Fatalf("%+v, want five rows published and one rejected", report)
	}
	want := []parse.UnknownValue{
		{Column: "PARTICIPES_INST", Value: "SI", Rows: 2, FirstLine: 2},
		{Column: "COMISION_RESCATE", Value: "12.34567", Rows: 1, FirstLine: 2},
		{Column: "INVERSION_EN_FONDOS", Value: "1,5", Rows: 1, FirstLine: 3},
		{Column: "NUM_PARTICIPES_INST", Value: "", Rows: 1, FirstLine: 3},
		{Column: "ACTIVO_TOT", Value: "n/a", Rows: 1, FirstLine: 4},
		{Column: "COMISION_INVERSION", Value: "", Rows: 1, FirstLine: 4},
		{Column: "MONEDA", Value: "UF", Rows: 1, FirstLine: 5},
	}
	if diff := cmp.Diff(want, report.Unknown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each change puts a value that the program does not know into a column that no number
// depends on.
func TestAnUnknownValueCostsNoRowInAnyDataset(t *testing.T) {
	long := strings.Repeat("á ", 2000)
	for _, test := range []struct {
		dataset               model.Dataset
		file, old, new        string
		column, value, stored string // stored: in the event, as JSON
	}{
		{model.Cartola, "cartola.txt", ";PRINCIPAL ASSET", ";" + strings.Repeat("P", 200) + " ASSET", "NOM_ADM",
			strings.Repeat("P", 40), `"manager":"` + strings.Repeat("P", 200) + `"`},
		{model.Register, "register.txt", ";236;6;", ";236;9;", "Tipo de Fondo Mutuo", "9", `"kind":9`},
		{model.Register, "register.txt", ";236;6;", ";236;VI;", "Tipo de Fondo Mutuo", "VI", `"kind":0`},
		{model.Register, "register.txt", ";07/05/2004;", ";2004;", "Fecha Res. Aprobación del RI", "2004",
			`"resolution":"236"`},
		{model.Register, "register.txt", ";$$\n", ";UF\n", "Moneda", "UF", `"currency":"UF"`},
		{model.TACComparator, "tac.csv", "PRINCIPAL,0,", "PRINCIPAL,2,", "serie_digital", "2", `"serie_digital":"2"`},
		{model.TACComparator, "tac.csv", ",$$,", ",GBP,", "moneda_funcional", "GBP", `"currency":"GBP"`},
		{model.TACComparator, "tac.csv", ",33.380849,", ",s/i,", "pat_total", "s/i", `"equity_stated":null`},
		{model.AAFM, "sheet_20250720.csv", ",1395512948,", ",1.395.512.948,", "patrimonio_neto_clp", "1.395.512.948",
			`"equity_clp":null`},
		{model.AAFM, "sheet_20250720.csv", ",1328198.321,", ",muchas,", "cuotas_circulacion", "muchas",
			`"units_outstanding":null`},
		{model.AAFM, "sheet_20250720.csv", ",4705275.5906,", ",-1,", "cuotas_rescatadas", "-1",
			`"units_redeemed":null`},
		{model.AAFM, "sheet_20250720.csv", ",1050.6812,", ",1050.68.12,", "valor_cuota", "1050.68.12", `"quota":null`},
		{model.AAFM, "sheet_20250720.csv", ",41,S/C", ",41.5,S/C", "participes", "41.5", `"shareholders":null`},
		{model.ReturnsComparator, "returns.csv", "SURA,0,", "SURA,No,", "serie_digital", "No", `"serie_digital":"No"`},
		{model.FIRegister, "fi.csv", ",FINRE\n", ",FINUEVO\n", "tipo", "FINUEVO", `"kind":"FINUEVO"`},
		{model.TACMonthly, "tac_monthly.csv", ";3,4875;", ";s/i;", "tac_rem_fija", "s/i", `"fixed_percent":null`},
		{model.TACMonthly, "tac_monthly.csv", ";3,4875;", ";3,4,8;", "tac_rem_fija", "3,4,8", `"fixed_percent":null`},
		{model.Holdings, "naci_202506.txt", ";CL;PE;", ";CL;;", "FFM_6010400", "", `"instrument":""`},
		{model.Holdings, "naci_202506.txt", ";96667560;8;", ";96667560;7;", "FFM_6010211", "96667560",
			`"nemotecnico":"SNTANN050618"`},
		{model.Holdings, "naci_202506.txt", ";96667560;8;", ";SANTANDER;;", "FFM_6010211", "SANTANDER",
			`"nemotecnico":"SNTANN050618"`},
		{model.FIValues, "fi_values.csv", ";1.240,12;", ";1.24,12;", "Valor Económico", "1.24,12",
			`"economic_value":null`},
		{model.FIValues, "fi_values.csv", ";1.334.567.890,50;", ";n.d.;", "Activo Total", "n.d.",
			`"total_assets":null`},
		{model.FIValues, "fi_values.csv", ";1.204;12;", ";1.204;doce;", "N° Aportantes Institucionales", "doce",
			`"institutional":null`},
		{model.FIValues, "fi_values.csv", ";PROM;", ";XYZ;", "Moneda", "XYZ", `"currency":"XYZ"`},
		{model.Article107s, "article107.csv", ",3456,3.1,", ",3456,3.3,", "evidence_section", "3.3", `"section":""`},
		{model.Vehicles, "vehicles.csv", "Listed as an ETF", "Listed " + long, "note", "Listed á á", `"is_etf":true`},
	} {
		t.Run(test.column+" of "+test.file, func(t *testing.T) {
			good := fixture(t, test.file)
			content := strings.Replace(good, test.old, test.new, 1)
			if content == good {
				t.Fatalf("%q is not in the fixture", test.old)
			}
			unchanged := newHarness(t).ingest(t, test.dataset, fileOf(t, test.file, good))
			h := newHarness(t)
			report := h.ingest(t, test.dataset, fileOf(t, test.file, content))
			if report.Refused || report.Rejected != unchanged.Rejected ||
				len(report.Unknown) != len(unchanged.Unknown)+1 {
				t.Fatalf("%+v, want every row and one unknown value", report)
			}
			if u := report.Unknown[0]; u.Column != test.column || !strings.HasPrefix(u.Value, test.value) ||
				u.Rows != 1 {
				t.Errorf("%+v", u)
			}
			found := false
			for _, message := range h.out.topics[test.dataset.Topic()] {
				found = found || strings.Contains(string(message.Value), test.stored)
			}
			if !found {
				t.Errorf("no event has %s", test.stored)
			}
		})
	}
}
