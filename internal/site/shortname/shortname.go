// Package shortname shortens the names of managers and funds for tables, where the names of the register take too much
// room. It drops words that tell nothing there, and never abbreviates a word.
//
// The register has short names too (Nombre Corto), but of at most 20 characters: they are cut off, or abbreviated in
// ways that only the manager knows, such as FMCODCREC.
package shortname

import (
	"slices"
	"strings"
	"unicode/utf8"

	"cuota/model"
)

// legalWords are phrases that names of managers have in common, folded, the longer ones before their parts.
var legalWords = [][]string{
	{"administradora", "general", "de", "fondos"}, {"administradora", "de", "fondos", "mutuos"},
	{"administradora", "de", "fondos", "de", "inversion"}, {"administradora", "de", "fondos"},
	{"asset", "management"}, {"agf"}, {"s.a."}, {"s.a"}, {"sa"},
}

// mutualFund is what most names of funds begin or end with, folded.
var mutualFund = []string{"fondo", "mutuo"}

// leastLetters is how many letters a name of a fund must have besides that of its manager, or this one stays in it:
// "SANTANDER A" is not called "A".
const leastLetters = 3

// Manager returns the name of a manager without legal words. A name that has no other words stays as it is.
func Manager(name string) string {
	words := strings.Fields(name)
	var kept []string
	for len(words) > 0 {
		dropped := slices.IndexFunc(legalWords, func(phrase []string) bool { return beginsWith(words, phrase) })
		if dropped >= 0 {
			words = words[len(legalWords[dropped]):]
			continue
		}
		kept, words = append(kept, words[0]), words[1:]
	}
	if len(kept) == 0 {
		return strings.Join(strings.Fields(name), " ")
	}
	return strings.Join(kept, " ")
}

// Fund is a fund with the name that it has in the register.
type Fund struct{ RUN, Name, Manager string }

// Short returns the name of the fund without "Fondo Mutuo" and, at its beginning, the name of its manager. Funds have
// that name without its country: the funds of Zurich Chile are called Zurich.
func (f Fund) Short() string {
	words := strings.Fields(f.Name)
	switch {
	case beginsWith(words, mutualFund) && len(words) > len(mutualFund):
		words = words[len(mutualFund):]
	case len(words) > len(mutualFund) && beginsWith(words[len(words)-len(mutualFund):], mutualFund):
		words = words[:len(words)-len(mutualFund)]
	}
	own := strings.Fields(model.Fold(Manager(f.Manager)))
	if last := len(own) - 1; last > 0 && own[last] == "chile" {
		own = own[:last]
	}
	same := 0
	for same < len(own) && same < len(words) && model.Fold(words[same]) == own[same] {
		same++
	}
	if left := strings.Join(words[same:], " "); utf8.RuneCountInString(left) >= leastLetters {
		return left
	}
	return strings.Join(words, " ")
}

// Of returns the short names of funds that are shown together, in their order. Funds of one manager whose short names
// are equal apart from case and accents, as when a new fund has the name of a closed one, have their RUN behind it.
func Of(funds []Fund) []string {
	type key struct{ manager, name string }
	keyOf := func(f Fund) key { return key{model.Fold(Manager(f.Manager)), model.Fold(f.Short())} }
	runs := map[key][]string{}
	for _, f := range funds {
		if k := keyOf(f); !slices.Contains(runs[k], f.RUN) {
			runs[k] = append(runs[k], f.RUN)
		}
	}
	names := make([]string, len(funds))
	for i, f := range funds {
		if names[i] = f.Short(); len(runs[keyOf(f)]) > 1 {
			names[i] += " (" + f.RUN + ")"
		}
	}
	return names
}

// beginsWith reports whether the first words are those of a folded phrase.
func beginsWith(words, phrase []string) bool {
	if len(words) < len(phrase) {
		return false
	}
	for i, word := range phrase {
		if model.Fold(words[i]) != word {
			return false
		}
	}
	return true
}
