package ingest

import (
	"strings"
	"testing"

	"cuota/model"
)

func TestNumbersThatCanBeReadInTwoWaysAreDecidedByTheWholeFile(t *testing.T) {
	const header = "RUN;Fecha;Serie;Moneda;Valor Libro;Valor Economico;Patrimonio Neto;Activo Total;N Aportantes;N " +
		"Aportantes Institucionales;Agencia\n"
	const row = "9278-9;30/06/2025;A;$$;998.765;;1000;1000;3;0;\n"
	for _, test := range []struct{ name, more, reason, value string }{
		{"decimal points", "9278-9;29/06/2025;A;$$;998.76;;1000.5;1000;3;0;\n", "have decimal points", ""},
		{"no number that tells", "", "can be read as a number with three decimals", ""},
		{"a decimal comma", "9278-9;29/06/2025;A;$$;998.765,5;;1000;1000;3;0;\n", "", "998765"},
		{"commas between thousands", "9278-9;29/06/2025;A;$$;998.765;;998,765;1000;3;0;\n",
			"can be read as a number with three decimals", ""},
		{"commas between thousands and a point", "9278-9;29/06/2025;A;$$;998.765;;1,234.56;1000;3;0;\n",
			"have decimal points", ""},
		{"points between thousands of people", "9278-9;29/06/2025;A;$$;998.765;;1000;1000;1.204;0;\n", "", "998765"},
		{"commas between thousands of people", "9278-9;29/06/2025;A;$$;998.765;;1000;1000;1,204;0;\n",
			"have decimal points", ""},
		{"people with decimals", "9278-9;29/06/2025;A;$$;998.765;;1000;1000;1.2;0;\n", "have decimal points", ""},
		{"one column with decimal points", "9278-9;29/06/2025;A;$$;998.76;;1.000,5;1.234.567;3;0;\n",
			"the numbers of the column Valor Libro have decimal points", ""},
		{"two points between thousands", "9278-9;29/06/2025;A;$$;998.765;;1.234.567;1000;3;0;\n", "", "998765"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.reason != "" {
				if reason := refusedFor(t, model.FIValues, "values.csv", header+row+test.more); !strings.Contains(
					reason, test.reason) {
					t.Errorf("refused for %q", reason)
				}
				return
			}
			if value := events[model.InvestmentValue](t, model.FIValues, "values.csv",
				header+row+test.more)[0]; value.BookValue.String() != test.value {
				t.Errorf("reads %s", value.BookValue)
			}
		})
	}
}
