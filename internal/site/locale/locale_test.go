package locale

import (
	"html/template"
	"testing"
	"time"

	"cuota/model"
)

func TestNumbersAreWrittenAsTheLanguageDoes(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Spanish.Number(1234.5, 1), "1.234,5"},
		{English.Number(1234.5, 1), "1,234.5"},
		{Spanish.Number(-1234567.891, 2), "−1.234.567,89"},
		{English.Number(-0.04, 1), "0.0"},
		{English.Number(999.96, 1), "1,000.0"},
		{English.Number(1e18, 2), "1.000e+18"},
		{Spanish.Percent(12.345, 1), "1.234,5\u00a0%"},
		{English.Percent(-0.0125, 2), "−1.25%"},
		{Signed(.5, English.Number(.5, 1)), "+0.5"},
		{Signed(.001, English.Number(.001, 1)), "0.0"},
		{Signed(-.5, Spanish.Number(-.5, 1)), "−0,5"},
	} {
		if c.got != c.want {
			t.Errorf("%q is written, want %q", c.got, c.want)
		}
	}
}

func TestAMonthInASentenceIsWrittenInFull(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Spanish.MonthInWords(model.NewDate(2025, time.May, 31)), "mayo de\u00a02025"},
		{English.MonthInWords(model.NewDate(2024, time.September, 1)), "September\u00a02024"},
		{Spanish.Month(model.NewDate(2025, time.May, 31)), "may\u00a02025"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestANameFromRightToLeftStandsAloneAndIsEscaped(t *testing.T) {
	for text, want := range map[string]any{
		"FONDO <b>Ñ</b> + 1": "FONDO <b>Ñ</b> + 1", "": "", "東京": "東京", // the template escapes these
		"שלום":        template.HTML("<bdi>שלום</bdi>"),
		"سلام <i>":    template.HTML("<bdi>سلام &lt;i&gt;</bdi>"),
		"a\u202eb":    template.HTML("<bdi>a\u202eb</bdi>"),
		"a\u2067\"b'": template.HTML("<bdi>a\u2067&#34;b&#39;</bdi>"),
		"\u200fA":     template.HTML("<bdi>\u200fA</bdi>"),
	} {
		if got := Name(text); got != want {
			t.Errorf("%q: %#v, want %#v", text, got, want)
		}
	}
}

func TestANameStaysWithTheSeriesAndANumberWithItsUnit(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Together("DEUDA < 90 DIAS 25", "A"), "DEUDA <\u00a090 DIAS 25\u00a0·\u00a0A"},
		{Together("RENTA INTERNACIONAL", "ALTOPATRIM"), "RENTA INTERNACIONAL ·\u00a0ALTOPATRIM"},
		{Together("RENTA 7", "I-APV"), "RENTA 7 ·\u00a0I-APV"},
		{Together("", ""), "\u00a0·\u00a0"},
		{Bound("UF > 3 años y ≤ 5 %"), "UF >\u00a03\u00a0años y ≤\u00a05\u00a0%"},
		{Bound("9809-4 B, 1 Año"), "9809-4 B, 1\u00a0Año"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
	if got := Breakable("a_<b>_c"); got != template.HTML("a_<wbr>&lt;b&gt;_<wbr>c") {
		t.Errorf("%q", got)
	}
	if got := Breakable("שלום_"); got != Name("שלום_") {
		t.Errorf("%q", got)
	}
}
