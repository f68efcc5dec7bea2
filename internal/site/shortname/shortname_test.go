package shortname

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"cuota/model"
)

// demoColumns reads columns of a file of the demo, which are named in its first line.
func demoColumns(t *testing.T, path string, comma rune, names ...string) (rows [][]string) {
	t.Helper()
	file, err := os.Open("../../../demo/files/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	reader := csv.NewReader(file)
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = comma, true, -1
	lines, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		var row []string
		for _, name := range names {
			row = append(row, line[slices.Index(lines[0], name)])
		}
		rows = append(rows, row)
	}
	return rows
}

// registerFunds returns the funds of the demo's register, each once: the name that its last line states.
func registerFunds(t *testing.T) (funds []Fund) {
	t.Helper()
	at := map[string]int{}
	for _, row := range demoColumns(t, "register/fm_ident_20250721.txt", ';', "RUN Fondo", "Nombre Fondo",
		"Raz. Social Administradora") {
		f := Fund{RUN: row[0], Name: row[1], Manager: row[2]}
		if i, there := at[f.RUN]; there {
			funds[i] = f
			continue
		}
		at[f.RUN] = len(funds)
		funds = append(funds, f)
	}
	if len(funds) < 1300 {
		t.Fatalf("the register has %d funds", len(funds))
	}
	return funds
}

func TestLegalWordsAreLeftOutOfTheNameOfAManager(t *testing.T) {
	for name, want := range map[string]string{
		"BANCHILE ADMINISTRADORA GENERAL DE FONDOS S.A.":                           "BANCHILE",
		"ADMINISTRADORA GENERAL DE FONDOS  SECURITY S.A.":                          "SECURITY",
		"BCI ASSET MANAGEMENT ADMINISTRADORA  GENERAL DE FONDOS S.A.":              "BCI",
		"SANTANDER ASSET MANAGEMENT S.A. ADMINISTRADORA GENERAL DE FONDOS":         "SANTANDER",
		"CREDICORP CAPITAL ASSET MANAGEMENT S.A. ADMINISTRADORA GENERAL DE FONDOS": "CREDICORP CAPITAL",
		"SCOTIA  ADMINISTRADORA GENERAL DE FONDOS CHILE S.A.":                      "SCOTIA CHILE",
		"ZURICH ADMINISTRADORA GENERAL DE FONDOS S.A.":                             "ZURICH",
		"ZURICH CHILE ASSET MANAGEMENT ADMINISTRADORA GENERAL DE FONDOS S.A.":      "ZURICH CHILE",
		"INVERCHILE ADMINISTRADORA  DE FONDOS MUTUOS S.A.":                         "INVERCHILE",
		"Fintual Administradora General de Fondos S.A.":                            "Fintual",
		"Uno Administradora de Fondos de Inversión S.A.":                           "Uno",
		"ASSET ADMINISTRADORA GENERAL DE FONDOS S.A.":                              "ASSET",
		"BANCHILE":                               "BANCHILE",
		"ADMINISTRADORA  GENERAL DE FONDOS S.A.": "ADMINISTRADORA GENERAL DE FONDOS S.A.",
		"":                                       "",
	} {
		if got := Manager(name); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
}

func TestTheNameOfAFundLeavesOutItsKindAndItsManager(t *testing.T) {
	const banchile = "BANCHILE ADMINISTRADORA GENERAL DE FONDOS S.A."
	for _, want := range []struct{ name, manager, short string }{
		{"FONDO MUTUO BANCHILE RENTA CORTO PLAZO", banchile, "RENTA CORTO PLAZO"},
		{"FONDO MUTUO  AHORRO", banchile, "AHORRO"},
		{"FONDO DE INVERSIÓN BANCHILE USA EQUITY", banchile, "FONDO DE INVERSIÓN BANCHILE USA EQUITY"},
		{"FONDO MUTUO ITAÚ INCOME", "ITAU ADMINISTRADORA GENERAL DE FONDOS S.A.", "INCOME"},
		{"AMERIS LIQUIDEZ II FONDO MUTUO", "AMERIS CAPITAL ADMINISTRADORA GENERAL DE FONDOS S.A.", "LIQUIDEZ II"},
		{"FONDO MUTUO ZURICH CHILE ACCIONES",
			"ZURICH CHILE ASSET MANAGEMENT ADMINISTRADORA GENERAL DE FONDOS S.A.", "CHILE ACCIONES"},
		{"FONDO MUTUO CONSORCIO AHORRO DINÁMICO",
			"LARRAINVIAL ASSET MANAGEMENT ADMINISTRADORA GENERAL DE FONDOS S.A.", "CONSORCIO AHORRO DINÁMICO"},
		{"FONDO MUTUO SANTANDER A", "SANTANDER ASSET MANAGEMENT S.A. ADMINISTRADORA GENERAL DE FONDOS", "SANTANDER A"},
		{"FONDO MUTUO FONDO ACTIVO 2025", "ADMINISTRADORA GENERAL DE FONDOS  SECURITY S.A.", "FONDO ACTIVO 2025"},
		{"Fondo Mutuo Banchile", banchile, "Banchile"},
		{"FONDO MUTUO", banchile, "FONDO MUTUO"}, {"", "", ""},
		{"HORIZONTE", "BANCHILE", "HORIZONTE"},
	} {
		if got := (Fund{Name: want.name, Manager: want.manager}).Short(); got != want.short {
			t.Errorf("%q of %q is called %q, want %q", want.name, want.manager, got, want.short)
		}
	}
}

func TestTwoFundsOfOneManagerNeverHaveTheSameShortName(t *testing.T) {
	funds := registerFunds(t)
	of := map[[2]string]Fund{}
	marked := 0
	for i, name := range Of(funds) {
		key := [2]string{model.Fold(Manager(funds[i].Manager)), model.Fold(name)}
		if other, there := of[key]; there {
			t.Errorf("%v and %v are both called %q", other, funds[i], name)
		}
		if of[key] = funds[i]; strings.HasSuffix(name, "("+funds[i].RUN+")") {
			marked++
		}
	}
	// Nearly all of these are a fund that has closed and a newer one with its name.
	if marked > 60 {
		t.Errorf("%d of %d funds need their RUN", marked, len(funds))
	}
}

func TestSeriesOfOneFundHaveItsShortName(t *testing.T) {
	one := Fund{"8125-4", "FONDO MUTUO BANCHILE ESTRATEGICO", "BANCHILE"}
	other := Fund{"8120-3", "FONDO MUTUO ESTRATÉGICO", "BANCHILE"}
	if got := Of([]Fund{one, one}); !slices.Equal(got, []string{"ESTRATEGICO", "ESTRATEGICO"}) {
		t.Error(got)
	}
	want := []string{"ESTRATEGICO (8125-4)", "ESTRATEGICO (8125-4)", "ESTRATÉGICO (8120-3)"}
	if got := Of([]Fund{one, one, other}); !slices.Equal(got, want) {
		t.Error(got)
	}
}

func TestTwoManagersNeverHaveTheSameShortName(t *testing.T) {
	for _, names := range [][][]string{
		demoColumns(t, "register/fm_ident_20250721.txt", ';', "Raz. Social Administradora"),
		demoColumns(t, "fi/fondos_inversion.csv", ',', "administradora"),
	} {
		full := map[string]string{}
		for _, row := range names {
			name := strings.Join(strings.Fields(row[0]), " ")
			short := Manager(name)
			if other, there := full[model.Fold(short)]; there && other != name {
				t.Errorf("%q and %q are both called %q", other, name, short)
			}
			if full[model.Fold(short)] = name; strings.Contains(short, "ADMINISTRADORA") || strings.Contains(short, "S.A.") {
				t.Errorf("%q is called %q", name, short)
			}
		}
		if len(full) < 30 {
			t.Errorf("only %d managers were named", len(full))
		}
	}
}

func TestAShortNameHasOnlyWordsOfTheName(t *testing.T) {
	for _, f := range registerFunds(t) {
		words := strings.Fields(f.Name)
		for _, word := range strings.Fields(f.Short()) {
			if !slices.Contains(words, word) {
				t.Errorf("%q has a word %q that %q has not", f.Short(), word, f.Name)
			}
		}
		if f.Short() == "" || strings.HasPrefix(model.Fold(f.Short()), "fondo mutuo") {
			t.Errorf("%q is called %q", f.Name, f.Short())
		}
	}
}
