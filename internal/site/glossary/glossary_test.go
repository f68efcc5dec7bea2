package glossary_test

import (
	"os"
	"strings"
	"testing"

	"cuota/internal/site/glossary"
	"cuota/internal/site/locale"
)

func TestPagesExplainWordsAsTheGlossaryDoes(t *testing.T) {
	text, err := os.ReadFile("../../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	meanings := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"); len(cells) > 2 {
			meanings[strings.TrimSpace(cells[0])] = strings.TrimSpace(cells[len(cells)-1])
		}
	}
	for _, term := range glossary.Terms {
		if there, want := meanings[term.Word], term.Meaning.In(locale.English); !strings.HasPrefix(there, want) {
			t.Errorf("%s: a page says %q, docs/glossary.md %q", term.Word, want, there)
		}
	}
}

func TestATitleIsExplainedInItsLanguage(t *testing.T) {
	for _, c := range []struct {
		title    string
		language locale.Language
		begins   string
	}{
		{"Patrimonio", locale.Spanish, "Lo que pertenece"},
		{"Volatilidad, 36 meses", locale.Spanish, "Cuánto varían"},
		{"Maximum drawdown, 36 months", locale.English, "The deepest fall"},
		{"Beta con su familia", locale.Spanish, "Cuánto se movió una serie"},
		{"Tracking error to its family", locale.English, "How much the difference"},
		{"sintética, 31\u00a0mar\u00a02025", locale.Spanish, "La tasa del comparador"},
		{"computed", locale.English, "The mean of the daily rates"},
		{"Patrimonio", locale.English, ""},
		{"Día", locale.Spanish, ""},
	} {
		got := glossary.Meaning(c.title, c.language)
		if !strings.HasPrefix(got, c.begins) || (c.begins == "") != (got == "") {
			t.Errorf("%s in %s is explained as %q", c.title, c.language, got)
		}
	}
}
