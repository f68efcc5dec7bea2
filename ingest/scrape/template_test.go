package scrape

import (
	"strings"
	"testing"
	"time"

	"cuota/model"
)

func TestPlaceholdersAreTheDaysOfThePeriod(t *testing.T) {
	p := quarterly.around(model.NewDate(2026, time.May, 9))
	for text, want := range map[string]string{
		"a":                                     "a",
		"{yyyy}{mm}{dd}":                        "20260401",
		"{last_dd}/{last_mm}/{last_yyyy}?q={q}": "30/06/2026?q=2",
		"%7Byyyy%7D-{q}":                        "%7Byyyy%7D-2",
	} {
		parsed, err := parseTemplate(text)
		if err != nil || parsed.expand(p) != want {
			t.Errorf("%q gives %q, %v; want %q", text, parsed.expand(p), err, want)
		}
	}
	for _, text := range []string{"{", "}", "{year}", "{yyyy", "yyyy}", "{{yyyy}}", "{}", "{ yyyy }"} {
		if _, err := parseTemplate(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"https://example.org/{yyyy}/{mm}/{dd}.csv", "{q}{last_yyyy}", "{", "{{yyyy}}", "a}b",
		""} {
		f.Add(text)
	}
	p := monthly.around(model.NewDate(2026, time.February, 9))
	// Another way to the same text.
	replacer := strings.NewReplacer("{yyyy}", "2026", "{mm}", "02", "{dd}", "01",
		"{last_yyyy}", "2026", "{last_mm}", "02", "{last_dd}", "28", "{q}", "1")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseTemplate(text)
		want := replacer.Replace(text)
		if brackets := strings.ContainsAny(want, "{}"); brackets != (err != nil) {
			t.Fatalf("%q gives %v", text, err)
		}
		if err == nil && parsed.expand(p) != want {
			t.Fatalf("%q gives %q, want %q", text, parsed.expand(p), want)
		}
	})
}
