package scrape

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestASourceThatGoesBackIsReported(t *testing.T) {
	h := newHarness(t)
	h.configure(oneDocument)
	for i, body := range []string{"1", "2", "1", "1", "3", "2"} {
		h.serve(uf("2026-08-18", body))
		got := h.once()
		if reverted := i == 2 || i == 5; (got.Reverted == 1) != reverted || got.Trouble != "" {
			t.Errorf("look %d: %+v, want reverted %t", i, got, reverted)
		}
		h.clock.pass(time.Hour)
	}
	if len(h.published) != 3 {
		t.Errorf("%d published, want each of the three payloads once", len(h.published))
	}
	if !strings.Contains(h.log.String(), "serves an earlier version") {
		t.Error("nothing told that the source went back")
	}
}

func TestASiteThatGivesOtherDaysThanAskedForIsRefused(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 0\n" + everyDay)
	h.serve(uf("2026-08-18", "1"))
	got := h.once()
	if got.Published != 1 || got.Refused != 1 ||
		!strings.Contains(got.Trouble,
			"the request was for 2026-08-17 to 2026-08-17, but the rows are of 2026-08-18 to 2026-08-18") {
		t.Errorf("%+v, want the 18th published and the 17th refused", got)
	}
}

func TestTheSameBytesForTwoPeriodsAreRefused(t *testing.T) {
	h := newHarness(t)
	h.configure(`
retries = 0
[[source]]
name = "naci"
dataset = "register"
url = "SERVER/r.csv"
form = { aa = "{yyyy}", mm = "{mm}", cartera = "NACI" }
file = "naci_{yyyy}{mm}.txt"
period = "monthly"
first = "2026-06-01"
at = "07:00"
`)
	h.serve(register)
	got := h.once()
	if got.Published != 1 || got.Refused != 1 ||
		!strings.Contains(got.Trouble, "it equals the document of 2026-07-01") {
		t.Errorf("%+v, want July published and June refused", got)
	}
	first := h.requests()[0]
	if first.method != http.MethodPost || first.form != "aa=2026&cartera=NACI&mm=07" ||
		h.published[0].File != "naci_202607.txt" {
		t.Errorf("asked by %s with %s, archived as %s", first.method, first.form, h.published[0].File)
	}
}

// register is a file whose rows have no dates.
const register = "RUT Administradora;Raz. Social Administradora;RUN Fondo;Nombre Fondo;Nombre Corto;Fecha Res. " +
	"Aprobación del RI;Nro. Res. Aprobación del RI;Tipo de Fondo Mutuo;Fecha Inicio Operaciones;Fecha Término " +
	"Operaciones;Moneda\n" +
	"96667040;SANTANDER ASSET MANAGEMENT S.A. ADMINISTRADORA GENERAL DE FONDOS;8057;FONDO MUTUO " +
	"UNIVERSO;UNIVERSO;01/01/2000;1;1;02/01/2000;;$$\n"

func TestRefusedPayloadsAreKeptAsEvidence(t *testing.T) {
	h := newHarness(t)
	h.configure("retries = 0\n" + oneDocument)
	page := "<html>maintenance</html>\n"
	h.serve(page)
	if got := h.once(); got.Refused != 1 || !strings.Contains(got.Trouble, shaOf(page)) || !h.archived(shaOf(page)) {
		t.Errorf("%+v, want the page archived and its sha256 told", got)
	}
}
