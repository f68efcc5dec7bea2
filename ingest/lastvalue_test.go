package ingest

import (
	"strings"
	"testing"

	"cuota/ingest/drift"
	"cuota/model"
)

const valuesHeader = "RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N Aportantes;N " +
	"Aportantes Institucionales;Agencia\n"

// A program that takes the comma for a sign between thousands saves 998,765 as 998765, and
// nothing in the file shows it. The last values of the series do.
func TestValuesAThousandTimesTheLastOnesWaitForAPerson(t *testing.T) {
	const before = valuesHeader + "9278-9;30/06/2025;A;$$;998,765;;;;;;\n9278-9;29/06/2025;A;$$;1.000.000;;;;;;\n" +
		"9278-9;30/06/2025;B;PROM;1.250,5;;;;;;\n10654-2;30/06/2025;U;$$;2,5;;;;;;\n"
	for _, test := range []struct {
		name, rows string
		waits      bool
	}{
		{"as before", "9278-9;01/07/2025;A;$$;999,1;;;;;;\n9278-9;01/07/2025;B;PROM;1.251,5;;;;;;\n10654-2;01/07/2025;U;$$;2,5;;;;;;\n", false},
		{"a thousand times", "9278;01/07/2025;A;$$;999100;;;;;;\n9278-9;01/07/2025;B;PROM;1251500;;;;;;\n10654-2;01/07/2025;U;$$;2,5;;;;;;\n", true},
		{"a thousandth", "9278-9;01/07/2025;A;$$;0,9991;;;;;;\n9278-9;01/07/2025;B;PROM;1,2515;;;;;;\n10654-2;01/07/2025;U;$$;2,5;;;;;;\n", true},
		{"one of two", "9278-9;01/07/2025;A;$$;0,9991;;;;;;\n9278-9;01/07/2025;B;PROM;1.251,5;;;;;;\n10654-2;01/07/2025;U;$$;2,5;;;;;;\n", false},
		{"one up, one down", "9278-9;01/07/2025;A;$$;0,9991;;;;;;\n9278-9;01/07/2025;B;PROM;1.251.500;;;;;;\n10654-2;01/07/2025;U;$$;2,5;;;;;;\n", false},
		{"from pesos to dollars", "9278-9;01/07/2025;A;PROM;1,05;;;;;;\n10654-2;01/07/2025;U;PROM;0,0026;;;;;;\n",
			false},
		{"later rows of the file alone",
			"9278-9;01/07/2025;A;$$;999,1;;;;;;\n9278-9;02/07/2025;A;$$;0,9991;;;;;;\n10654-2;02/07/2025;U;$$;2,5;;;;;;\n", false},
		{"series that no file had",
			"9278-9;01/07/2025;C;$$;999.100;;;;;;\n9278-9;02/07/2025;C;$$;1,5;;;;;;\n10654-2;02/07/2025;U;$$;2,5;;;;;;\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t)
			if first := h.ingest(t, model.FIValues, fileOf(t, "june.csv", before)); first.Refused ||
				first.Published != 4 {
				t.Fatalf("the first file: %+v", first)
			}
			report := h.ingest(t, model.FIValues, fileOf(t, "july.csv", valuesHeader+test.rows))
			if report.Quarantined != test.waits || report.Refused != test.waits ||
				strings.Contains(found(report), "thousandfold") != test.waits {
				t.Fatalf("it waits: %v, want %v; found %s; %+v", report.Quarantined, test.waits, found(report),
					report.FirstRejects)
			}
			if !test.waits {
				return
			}
			if reason := report.FirstRejects[0].Reason; !strings.Contains(reason,
				"of 9278-9 A on 2025-07-01; it was 998.765 of 9278-9 A on 2025-06-30") {
				t.Errorf("it waits for %q", reason)
			}
			if accepted, err := h.Accept(t.Context(), report.SHA256, nil); err != nil || accepted.Refused ||
				accepted.Published < 2 {
				t.Errorf("a person accepts it: %+v, %v", accepted, err)
			}
		})
	}
}

// Files of one fund each are compared with those of the same fund, however many of other
// funds lie between.
func TestValuesOfAFundsOwnPageAreComparedWithItsOwn(t *testing.T) {
	header := strings.TrimPrefix(valuesHeader, "RUN;")
	h := newHarness(t)
	h.ingest(t, model.FIValues, fileOf(t, "fi_9278_june.csv", header+"30/06/2025;A;$$;998,7654;;;;;;\n"))
	for day := 1; day <= drift.FilesCompared+1; day++ {
		date := model.NewDate(2025, 7, day).Time().Format("02/01/2006")
		h.ingest(t, model.FIValues, fileOf(t, "fi_10654_july.csv", header+date+";A;$$;1,5;;;;;;\n"))
	}
	if report := h.ingest(t, model.FIValues,
		fileOf(t, "fi_9278_august.csv", header+"01/08/2025;A;$$;999100;;;;;;\n")); found(
		report) != "thousandfold Valor Libro at stake" {
		t.Errorf("found %q", found(report))
	}
	if report := h.ingest(t, model.FIValues,
		fileOf(t, "fi_10654_august.csv", header+"01/08/2025;A;$$;1,5;;;;;;\n")); report.Refused {
		t.Errorf("found %q", found(report))
	}
}
