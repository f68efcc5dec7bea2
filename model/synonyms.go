package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// KindPension is the kind of the series for voluntary pension saving, for SearchIndex.Mark.
const KindPension = "apv"

// synonym is a group of texts that mean the same, in the form in which searches compare them.
type synonym struct {
	texts []string
	kind  string // of the series that they mean; empty if they are only names
}

// synonyms are the ways in which one thing is written in the names of funds and by people. The names are those of the
// regulator's families and of registered funds: "Accionario EEUU" (familia_rar) beside funds named EE.UU., USA and
// Estados Unidos; the manager Larraín Vial, whose funds are named LARRAINVIAL; "Deuda < 90 días", which is the
// category money_market (RULES 6) and which managers call money market, mercado monetario or liquidez; and APV, by
// which DL 3.500 and the regulator's investor class name voluntary pension saving.
var synonyms = []synonym{
	{texts: []string{"eeuu", "ee uu", "usa", "estados unidos"}},
	{texts: []string{"larrainvial", "larrain vial"}},
	{texts: []string{"money market", "mercado monetario", "liquidez"}, kind: "money_market"},
	{texts: []string{"apv", "ahorro previsional voluntario", "ahorro previsional"}, kind: KindPension},
}

// WithSynonyms returns the search that also finds what people call otherwise: names with a synonym of a word, series
// of the kind that a word means, and words that are joined by a mark, as in FOCUS-B. It is for people who look at what
// was found; it finds everything that the search finds.
func (s Search) WithSynonyms() Search { return s.withMeant(false) }

// WithTypos is WithSynonyms for a text that finds nothing: each of its words may have one typo.
func (s Search) WithTypos() Search { return s.withMeant(true) }

func (s Search) withMeant(typos bool) Search {
	var apart []string
	for _, word := range s.words {
		apart = append(apart, strings.FieldsFunc(word.text, func(r rune) bool {
			// A word that begins with a digit may be a RUN with its series.
			return notOfWord(r) && (word.run == "" || r != '-' && r != '.')
		})...)
	}
	words := NewSearch(strings.Join(apart, " ")).words
	for i := range words {
		words[i].typos = typos
	}
	s.meant = nil
	for len(words) > 0 {
		word, length := synonymAt(words)
		s.meant, words = append(s.meant, word), words[length:]
	}
	return s
}

// synonymAt returns the word at the beginning of words and how many of them it takes: several where they are one
// synonym.
func synonymAt(words []searchWord) (word searchWord, length int) {
	word, length = words[0], 1
	for _, group := range synonyms {
		for _, text := range group.texts {
			parts := strings.Fields(text)
			if len(parts) < length || len(parts) > len(words) || !areWritten(parts, words) {
				continue
			}
			length = len(parts)
			word = searchWord{text: text, parts: parts, kind: group.kind}
			for _, other := range group.texts {
				if other != text {
					word.others = append(word.others, strings.Fields(other))
				}
			}
		}
	}
	return word, length
}

// areWritten reports whether words begin with the parts of a synonym.
func areWritten(parts []string, words []searchWord) bool {
	for i, part := range parts {
		if words[i].text != part && !(words[i].typos && isNear(words[i].text, part)) {
			return false
		}
	}
	return true
}

// minTypo is how many letters a word has of which one may be written wrongly. Shorter words are near too many others.
const minTypo = 5

// isNearAny reports whether a word is one of these with a typo.
func isNearAny(written string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return isNear(written, word) })
}

// isNear reports whether a text is a word with at most one typo: a letter that is wrong, missing or too many, or two
// neighbours that are swapped. The word has at least minTypo letters, and both have letters alone: a number that is
// nearly a RUN is another RUN.
func isNear(written, word string) bool {
	if d := len(written) - len(word); d > utf8.UTFMax || d < -utf8.UTFMax || len(word) < minTypo {
		return false
	}
	a, b := []rune(written), []rune(word)
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	if len(b) < minTypo || slices.ContainsFunc(a, isNoLetter) || slices.ContainsFunc(b, isNoLetter) {
		return false
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
