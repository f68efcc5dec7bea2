package familyname_test

import (
	"encoding/csv"
	"os"
	"slices"
	"testing"

	"cuota/internal/site/familyname"
)

// The names that the regulator's comparator has, as a reader writes them.
var written = map[string]string{
	"Accionario america latina":       "Accionario América Latina",
	"Accionario asia emergente":       "Accionario Asia emergente",
	"Accionario desarrollado":         "Accionario desarrollado",
	"Accionario eeuu":                 "Accionario EE.UU.",
	"Accionario emergente":            "Accionario emergente",
	"Accionario europa desarrollado":  "Accionario Europa desarrollado",
	"Accionario internacional":        "Accionario internacional",
	"Accionario nacional":             "Accionario nacional",
	"Balanceado agresivo":             "Balanceado agresivo",
	"Balanceado conservador":          "Balanceado conservador",
	"Balanceado moderado":             "Balanceado moderado",
	"Deuda < 365 dias":                "Deuda < 365 días",
	"Deuda < 365 dias internacional":  "Deuda < 365 días internacional",
	"Deuda < 90 dias":                 "Deuda < 90 días",
	"Deuda < 90 dias en dolar":        "Deuda < 90 días en dólar",
	"Deuda < 90 dias en pesos":        "Deuda < 90 días en pesos",
	"Deuda < 90 dias nacional":        "Deuda < 90 días nacional",
	"Deuda > 365 dias":                "Deuda > 365 días",
	"Deuda > 365 dias orig. flex":     "Deuda > 365 días origen flexible",
	"Estructurados":                   "Estructurados",
	"Otros":                           "Otros",
	"Deuda < 365 dias nacional en uf": "Deuda < 365 días nacional en UF",

	"Deuda < 365 dias nacional en pesos":                    "Deuda < 365 días nacional en pesos",
	"Deuda < 90 dias internacional dolar":                   "Deuda < 90 días internacional dólar",
	"Deuda > 365 dias internacional mercados emergentes":    "Deuda > 365 días internacional mercados emergentes",
	"Deuda > 365 dias nacional inversion en pesos":          "Deuda > 365 días nacional inversión en pesos",
	"Deuda > 365 dias nacional inversion en uf < 3 anos":    "Deuda > 365 días nacional inversión en UF < 3 años",
	"Deuda > 365 dias nacional inversion en uf > 5 anos":    "Deuda > 365 días nacional inversión en UF > 5 años",
	"Deuda > 365 dias nacional inversion uf > 3 anos y =<5": "Deuda > 365 días nacional inversión UF > 3 años y ≤ 5",
	"Deuda > 365 dias internacional mercados emergentes dolar": "Deuda > 365 días internacional mercados " +
		"emergentes dólar",
	"Deuda > 365 dias internacional mercados internacionales": "Deuda > 365 días internacional mercados internacionales",
	"Deuda > 365 dias internacional mercados internacionales dolar": "Deuda > 365 días internacional mercados " +
		"internacionales dólar",
}

func TestFamiliesAreSpeltAsReadersWriteThem(t *testing.T) {
	file, err := os.Open("../../../demo/files/comparator/cmf_rentabilidades_20250930.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, column := range []string{"familia_rar", "familia_visualizador", "familia_estudios"} {
		at := slices.Index(rows[0], column)
		for _, row := range rows[1:] {
			seen[row[at]] = true
		}
	}
	for name := range seen {
		if want, known := written[name]; !known || familyname.Spelt(name) != want {
			t.Errorf("%q is spelt %q, want %q", name, familyname.Spelt(name), want)
		}
	}
	if len(seen) < 25 {
		t.Errorf("the file has only the families %v", seen)
	}
}

func TestAnUnknownFamilyStaysAsItIs(t *testing.T) {
	for _, name := range []string{"", "Inmobiliario Ñuñoa 2030", "Accionario América Latina", "FUTURO"} {
		if got := familyname.Spelt(name); got != name {
			t.Errorf("%q is spelt %q", name, got)
		}
	}
}
