package report

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"cuota/backtest"
)

// same has the words that are written alike in both languages.
var same = map[string]bool{"sharpe": true, "sortino": true, "index_uf": true, "currency_name.PESOS": true, "all": true,
	"zero": true, "series_many": true}

func TestEveryTextHasBothLanguagesAndTheSameValues(t *testing.T) {
	for key, text := range texts {
		if strings.TrimSpace(text.es) == "" || strings.TrimSpace(text.en) == "" {
			t.Errorf("%s is missing in a language", key)
		}
		if text.es == text.en && !same[key] {
			t.Errorf("%s is the same in both languages", key)
		}
		values := strings.Count(text.es, "%s")
		if values != strings.Count(text.en, "%s") {
			t.Errorf("%s does not have the same values in both languages", key)
		}
		for _, form := range []string{text.es, text.en} {
			if values == 0 {
				continue // it is not formatted
			}
			if out := fmt.Sprintf(form, make([]any, values)...); strings.Contains(strings.ReplaceAll(out, "%!s(<nil>)",
				""), "%!") {
				t.Errorf("%s can't be formatted: %s", key, out)
			}
		}
	}
}

var (
	said  = regexp.MustCompile(`say[ (]"([a-z0-9_.]+)"`)
	coded = regexp.MustCompile(`coded\("([a-z_]+)"`)
	built = regexp.MustCompile(`counted\("([a-z_]+)"`)
)

// Texts are found by the literals in the code and in the pages.
func TestEveryTextThatIsSaidExistsAndEveryTextIsSaid(t *testing.T) {
	needed := map[string]bool{}
	prefixes := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("page/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, pages...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range said.FindAllStringSubmatch(string(content), -1) {
			needed[found[1]] = true
		}
		for _, found := range coded.FindAllStringSubmatch(string(content), -1) {
			prefixes[found[1]] = true
		}
		for _, found := range built.FindAllStringSubmatch(string(content), -1) {
			needed[found[1]+"_one"], needed[found[1]+"_many"] = true, true
		}
	}
	for _, run := range []string{"survivors_only", "revised_data", "without_costs"} {
		for _, end := range []string{"_already", "_same", "_more", "_less"} {
			needed[run+end] = true
		}
	}
	for key := range needed {
		if _, found := texts[key]; !found {
			t.Errorf("%s is said, and no text", key)
		}
	}
	for key := range texts {
		prefix, _, code := strings.Cut(key, ".")
		if !needed[key] && !(code && prefixes[prefix]) {
			t.Errorf("%s is never said", key)
		}
	}
}

// The codes of docs/backtests.md and of the types of a result.
func TestEveryCodeOfAResultHasAText(t *testing.T) {
	codes := map[string][]string{
		"note": {"no_dates", "empty_universe", "nothing_selected", "sometimes_nothing", "unclassified",
			"no_reference"},
		"trade": {"buy", "sell", "exit", "exchange", "no_quote"},
		"why":   {"selected", "not_selected", "above_goal", "closed", "break", "exchanged", "no_quote"},
		"run":   {"as_stated", "survivors_only", "revised_data", "without_costs"},
	}
	for _, reason := range reasonOrder {
		if reason != filterPrefix {
			codes["left"] = append(codes["left"], reason)
		}
	}
	strategy := reflect.TypeOf(backtest.Strategy{})
	for kind, name := range map[string]string{"when": "Rebalance", "known": "Known", "universe": "Universe",
		"currency": "Currency", "sorted": "Order", "within": "Within", "weights": "Weights"} {
		field, _ := strategy.FieldByName(name)
		_, values, found := strings.Cut(field.Tag.Get("validate"), "oneof=")
		if !found {
			t.Fatalf("%s has no list of values", name)
		}
		codes[kind] = strings.Fields(values)
	}
	filter := reflect.TypeOf(backtest.Filter{})
	for i := range filter.NumField() {
		codes["filter"] = append(codes["filter"], filter.Field(i).Tag.Get("toml"))
	}
	codes["sort"] = backtest.Sorts
	for kind, list := range codes {
		for _, code := range list {
			if _, found := texts[kind+"."+code]; !found {
				t.Errorf("there is no text %s.%s", kind, code)
			}
		}
	}
}
