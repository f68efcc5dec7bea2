package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const header = "RUN_ADM;NOM_ADM;RUN_FM;FECHA_INF;ACTIVO_TOT;MONEDA;PARTICIPES_INST;INVERSION_EN_FONDOS;SERIE;" +
	"CUOTAS_APORTADAS;CUOTAS_RESCATADAS;CUOTAS_EN_CIRCULACION;VALOR_CUOTA;PATRIMONIO_NETO;NUM_PARTICIPES;" +
	"NUM_PARTICIPES_INST;FONDO_PEN;REM_FIJA;REM_VARIABLE;GASTOS_AFECTOS;GASTOS_NO_AFECTOS;COMISION_INVERSION;" +
	"COMISION_RESCATE;FACTOR DE AJUSTE;FACTOR DE REPARTO"

// line returns a cartola line of fund 8011 on 2025-02-28.
func line(serie, quota, equity, adjust string) string {
	return "91999000;ADM;8011;20250228;1000;PROM;N;0;" + serie + ";0;0;0;" + quota + ";" + equity +
		";1;0;N;0;0;0;0;0;0;" + adjust + ";"
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cartola.txt")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestALineIsReadAsPublished(t *testing.T) {
	path := write(t, "\ufeff"+header+"\r\n"+line("a", ".0881", "12.5", "1.25")+"\r\n"+line("b", "7", "0", "")+"\r\n")
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	a := m.quotes[Series{8011, "A"}]
	if want := (quote{day: on(t, "2025-02-28"), moneda: "PROM", quota: .0881, equity: 12.5, adjust: 1.25,
		manager: 91999000, shareholders: 1}); len(a) != 1 || a[0] != want {
		t.Errorf("%+v, want %+v", a, want)
	}
	b := m.quotes[Series{8011, "B"}]
	if want := (quote{day: on(t, "2025-02-28"), moneda: "PROM", quota: 7, manager: 91999000, shareholders: 1}); len(
		b) != 1 || b[0] != want {
		t.Errorf("%+v, want %+v", b, want)
	}
}

func TestLatin1IsReadWhenTheFileIsNotUTF8(t *testing.T) {
	m, err := Load(write(t, header+"\n"+line("\xdanica", "1", "1", "")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Series(); len(got) != 1 || got[0].Name != "ÚNICA" {
		t.Errorf("%v", got)
	}
}

func TestOfTwoFilesTheLaterCorrects(t *testing.T) {
	first := write(t, header+"\n"+line("A", "1", "1", "")+"\n")
	second := write(t, header+"\n"+line("A", "2", "1", "")+"\n")
	m, err := Load(first, second)
	if err != nil {
		t.Fatal(err)
	}
	if q := m.quotes[Series{8011, "A"}]; len(q) != 1 || q[0].quota != 2 {
		t.Errorf("%+v", q)
	}
}

func TestABadLineFailsTheLoadWithItsNumber(t *testing.T) {
	good := line("A", "1", "1", "")
	for name, bad := range map[string]string{
		"a column missing": strings.TrimSuffix(good, ";"),
		"a RUN":            strings.Replace(good, ";8011;", ";8011-K;", 1),
		"a date":           strings.Replace(good, "20250228", "20250229", 1),
		"a comma":          line("A", "1,5", "1", ""),
		"an exponent":      line("A", "1e5", "1", ""),
		"no quota":         line("A", "", "1", ""),
		"no number":        line("A", "1", "NaN", ""),
		"a factor":         line("A", "1", "1", "x"),
	} {
		if _, err := Load(write(t, header+"\n"+good+"\n"+bad+"\n")); err == nil ||
			!strings.Contains(err.Error(), "line 3") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "absent.txt")); err == nil {
		t.Error("an absent file was read")
	}
}

func FuzzParseGivesFiniteNumbersOrAnError(f *testing.F) {
	f.Add(line("A", ".0881", "-12.5", "1"))
	f.Add(line("", "1e400", "NaN", "-"))
	f.Add(strings.Repeat(";", columns-1))
	f.Fuzz(func(t *testing.T, line string) {
		row, err := parse(line)
		if err != nil {
			return
		}
		if !finite(row.Quota) || !finite(row.Equity) || !finite(row.Adjust) {
			t.Errorf("%q: %+v", line, row)
		}
	})
}
