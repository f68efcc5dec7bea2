package oracle

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var (
	unseen       = regexp.MustCompile(`[\p{Mn}\p{Cf}]`)
	anyDash      = regexp.MustCompile(`[\p{Pd}\x{2212}\x{2043}]`)
	anySpaces    = regexp.MustCompile(`[\s\p{Z}\x{85}\v]+`)
	noLetters    = regexp.MustCompile(`[^\p{L}\p{Nd}]+`)
	outside      = regexp.MustCompile(`^[^\p{L}\p{Nd}]+|[^\p{L}\p{Nd}]+$`)
	leadingZeros = regexp.MustCompile(`^0+([0-9])`)
	saysNothing  = regexp.MustCompile(`^(run|series?)$`)
)

// Finds reports whether a text finds a series (RULES 6, how a text finds series). run has its check digit.
func Finds(text, fund, run, serie string, ids ...string) bool {
	plain := func(s string) string {
		s = unseen.ReplaceAllString(norm.NFD.String(strings.ToLower(s)), "")
		return strings.Trim(anySpaces.ReplaceAllString(anyDash.ReplaceAllString(s, "-"), " "), " ")
	}
	inWords := func(s string) []string { return strings.Fields(noLetters.ReplaceAllString(s, " ")) }
	text, fund, run, serie = plain(text), plain(fund), plain(run), plain(serie)
	undotted := func(s string) string { return strings.ReplaceAll(s, ".", "") }
	number, check, _ := strings.Cut(run, "-")

	if text == "" {
		return false
	}
	if strings.Contains(fund, text) {
		return true
	}
	var words, said []string
	for _, word := range strings.Split(text, " ") {
		if word = outside.ReplaceAllString(word, ""); word == "" {
			continue
		}
		words = append(words, word)
		if !saysNothing.MatchString(word) {
			said = append(said, word)
		}
	}
	if len(words) == 0 {
		return false
	}
	if len(said) == 0 {
		said = words
	}
	for _, form := range []string{run, number + check} {
		short := strings.TrimLeft(undotted(text), "0")
		if strings.Contains(form, undotted(text)) || short != "" && strings.HasPrefix(form, short) {
			return true
		}
	}
	whole := func(name, word string) bool {
		for _, part := range inWords(word) {
			if !strings.Contains(" "+strings.Join(inWords(name), " ")+" ", " "+part+" ") {
				return false
			}
		}
		return len(inWords(word)) > 0
	}
	some := func(name, word string) bool {
		for _, part := range inWords(word) {
			if !whole(name, part) && (utf8.RuneCountInString(part) <= 3 || !strings.Contains(name, part)) {
				return false
			}
		}
		return true
	}
	unpadded := func(word string) string { return strings.TrimLeft(undotted(word), "0") }
	forms := []string{run, number + check, number}
	numberSaid := false
	for _, word := range said {
		numberSaid = numberSaid || number != "" && unpadded(word) == number
	}
	for _, word := range said {
		found := word == serie || number != "" && slices.Contains(forms, unpadded(word)) || some(fund, word) ||
			some(serie, word)
		found = found || word == check && numberSaid
		short := leadingZeros.ReplaceAllString(undotted(word), "$1")
		if len(short) >= 3 && short[0] >= '0' && short[0] <= '9' {
			found = found || strings.HasPrefix(run, short) || strings.HasPrefix(number+check, short)
		}
		for _, form := range forms {
			if behind, is := strings.CutPrefix(unpadded(word), form+"-"); is && form != "" && behind != "" {
				found = found || behind == undotted(serie) || whole(serie, behind)
			}
		}
		for _, id := range ids {
			found = found || id == word || id == short
		}
		if !found {
			return false
		}
	}
	return true
}
