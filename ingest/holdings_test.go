package ingest

import (
	"strings"
	"testing"

	"cuota/model"
)

func TestNationalHoldingsAreRead(t *testing.T) {
	holdings := events[model.Holding](t, model.Holdings, "naci_202506.txt", fixture(t, "naci_202506.txt"))
	h := holdings[0]
	if h.RUN != 8011 || h.Month != model.NewDate(2025, 6, 30) || h.Market != "N" || h.Nemotecnico != "SNTANN050618" ||
		h.Issuer != "" ||
		h.IssuerRUT != 96667560 || h.Country != "CL" || h.Instrument != "PE" ||
		h.Units.Decimal.String() != "98775.125" ||
		h.Valuation.Decimal.String() != "98775" || h.Percent.Decimal.String() != "0.087" || h.Currency != "$$" {
		t.Errorf("reads %+v", h)
	}
	if h := holdings[3]; h.IssuerRUT != 9027 || h.Position != 1 || h.Units.Decimal.String() != "1204.123456" {
		t.Errorf("another fund's position reads %+v", h)
	}
	if h := holdings[4]; h.IssuerRUT != 0 || h.Valuation.Decimal.String() != "400123.5" {
		t.Errorf("an issuer without RUT reads %+v", h)
	}
}

func TestTwoLotsOfOneInstrumentAreTwoPositions(t *testing.T) {
	holdings := events[model.Holding](t, model.Holdings, "naci_202506.txt", fixture(t, "naci_202506.txt"))
	if holdings[1].Nemotecnico != holdings[2].Nemotecnico || holdings[1].Position != 2 || holdings[2].Position != 3 ||
		holdings[1].Key() == holdings[2].Key() || holdings[2].Key() != "8011-K:2025-06-30:N:3" {
		t.Errorf("the two lots are %s and %s", holdings[1].Key(), holdings[2].Key())
	}
}

func TestForeignHoldingsAreRead(t *testing.T) {
	holdings := events[model.Holding](t, model.Holdings, "EXTR_202506.TXT", fixture(t, "extr_202506.txt"))
	h := holdings[0]
	if h.RUN != 8684 || h.Market != "E" || h.Nemotecnico != "SUZB3 BZ Equity" ||
		h.Issuer != "SUZANO PAPEL E CELULOSE SA" ||
		h.IssuerRUT != 0 || h.Country != "BR" || h.Instrument != "ACE" || h.Units.Decimal.String() != "3250.5" ||
		h.Valuation.Decimal.String() != "32889" || h.Percent.Decimal.String() != "1.474" || h.Currency != "PROM" {
		t.Errorf("reads %+v", h)
	}
}

func TestHoldingsOfInvestmentFundsAreReadWithoutTheirTotals(t *testing.T) {
	holdings := events[model.Holding](t, model.Holdings, "portfolio_202506.csv", fixture(t, "portfolio_202506.csv"))
	if len(holdings) != 4 {
		t.Fatalf("%d positions, want 4 without the two totals", len(holdings))
	}
	if h := holdings[0]; h.RUN != 9278 || h.Market != "N" || h.IssuerRUT != 96667560 ||
		h.Valuation.Decimal.String() != "1234567.89" ||
		h.Percent.Decimal.String() != "61.7284" || h.Units.Valid || h.Currency != "" {
		t.Errorf("reads %+v", h)
	}
	if h := holdings[2]; h.Nemotecnico != "TOTAL FP Equity" || h.Market != "E" || h.Position != 1 ||
		h.Valuation.Decimal.String() != "-1500.5" {
		t.Errorf("an instrument that is called TOTAL reads %+v", h)
	}
	if h := holdings[3]; h.Market != "B" || h.Issuer != "OFICINAS; NUEVA LAS CONDES" {
		t.Errorf("real estate reads %+v", h)
	}
}

func TestHoldingsHeaderMayDifferInCapitalsAndUnderscores(t *testing.T) {
	header, rows, _ := strings.Cut(fixture(t, "naci_202506.txt"), "\n")
	lower := strings.ReplaceAll(strings.ToLower(header), " ", "_") + "\n" + rows
	if holdings := events[model.Holding](t, model.Holdings, "naci_202506.txt", lower); len(holdings) != 5 {
		t.Errorf("%d positions, want 5", len(holdings))
	}
}

func TestHoldingsTakeTheirMonthFromTheFileNameAlone(t *testing.T) {
	good := fixture(t, "naci_202506.txt")
	for name, want := range map[string]model.Date{
		"cartera_NACI_202402.txt": model.NewDate(2024, 2, 29), "x_202412.csv": model.NewDate(2024, 12, 31),
		"x_202608.csv": model.NewDate(2026, 8, 31),
	} {
		if h := events[model.Holding](t, model.Holdings, name, good)[0]; h.Month != want {
			t.Errorf("%s has month %s, want %s", name, h.Month, want)
		}
	}
	for name, reason := range map[string]string{
		"naci.txt": "its name ends in _YYYYMM.txt", "naci_2025.txt": "_YYYYMM", "naci_202513.txt": "_YYYYMM",
		"naci_20250630.txt":   "_YYYYMM",
		"naci_202506.txt.bak": "_YYYYMM", "naci_202609.txt": "in the future", "naci_196912.txt": "before 1971",
	} {
		if found := refusedFor(t, model.Holdings, name, good); !strings.Contains(found, reason) {
			t.Errorf("%s is refused for %q, want %q", name, found, reason)
		}
	}
}

func TestHoldingsUnderAWrongNameMayBeIngestedAgain(t *testing.T) {
	h := newHarness(t)
	for _, name := range []string{"naci.txt", "naci_202609.txt"} {
		if report := h.ingest(t, model.Holdings, fileOf(t, name, fixture(t, "naci_202506.txt"))); !report.Refused {
			t.Errorf("%s: report %+v, want it refused", name, report)
		}
	}
	if report := h.ingest(t, model.Holdings,
		fileOf(t, "naci_202608.txt", fixture(t, "naci_202506.txt"))); report.Refused || report.Published != 5 {
		t.Errorf("report %+v, want five rows published", report)
	}
}

func TestHoldingsRowThatBreaks(t *testing.T) {
	eachBreaksOneRow(t, model.Holdings, "naci_202506.txt", []brokenRow{
		{"decimal comma", ";98775.125;", ";98775,125;", "has a comma"},
		{"too many decimals of units", ";98775.125;", ";98775.1234567;", "more than 6 decimals"},
		{"a word for the valuation", ";98775;$$;", ";x;$$;", "column 20, FFM_6011200"},
		{"a fund that is no number", "8011;VISION", "VISION;VISION", "is not a RUN"},
		{"a column missing", ";.25;;;1;", ";.25;;1;", "24 columns, expected 25"},
	})
	eachBreaksOneRow(t, model.Holdings, "portfolio_202506.csv", []brokenRow{
		{"a decimal point", ";1.234.567,89;", ";1234567.89;", "of the form 1.234.567,89"},
		{"a market that is none", "9278;E;", "9278;X;", "\"X\" is unknown"},
	})
}

func TestATotalWithAnInstrumentIsARow(t *testing.T) {
	h := newHarness(t)
	content := strings.Replace(fixture(t, "portfolio_202506.csv"), "TOTAL GENERAL;;;;;;;", "TOTAL GENERAL;;;;;;ACC;", 1)
	if report := h.ingest(t, model.Holdings, fileOf(t, "portfolio_202506.csv", content)); report.Rejected != 1 {
		t.Errorf("report %+v, want it rejected and not passed over", report)
	}
}

func TestHoldingsOfAnotherKindAreRefused(t *testing.T) {
	futures := "Run Fondo;Nombre Fondo;FFM_6040111;FFM_6040112\n8011;X;USD;FORWARD\n"
	if reason := refusedFor(t, model.Holdings, "futu_202506.txt", futures); !strings.Contains(reason,
		"the header has 4 columns") {
		t.Errorf("futures are refused for %q", reason)
	}
}
