package model

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Search is a text by which somebody looks for series (RULES 6, how a text finds series). Pages, API,
// watchlist and backtests all use it.
type Search struct {
	whole string // the text in its standard form
	words []searchWord
	meant []searchWord // the words with their synonyms; nil if only what is written is searched for
}

// searchWord is one word of a search.
type searchWord struct {
	text  string
	run   string   // without dots and leading zeros; empty if it has no digit at its beginning
	parts []string // its letters and digits, without what stands between them

	others [][]string // what means the same, each in words
	kind   string     // of the series that the word means, as SearchIndex.Mark has it; may be empty
	typos  bool       // a part may have one typo
}

// Likeness says how a series was found: greater is more likely what was meant. It is 0 if the series was not found.
type Likeness uint8

const (
	likeKind     Likeness = 2 * (1 + iota) // by the kind that a word means
	likeNames                              // by names, or by a part of the RUN
	likeRUNBegin                           // by the beginning of the RUN
	likeRUN                                // by the whole RUN
	likeID                                 // by an id
	likeSerie    Likeness = 1              // is added if a word is the name of the series
)

// Lengths of words, in letters and digits. A shorter word must be a whole word of a name, because most names
// have it somewhere inside. A shorter number is not the beginning of a RUN, unless it is the whole text.
const (
	minNamePart = 4
	minRUNBegin = 3
)

// fillers are words that say what follows them. They are left out unless the text has no other word.
var fillers = []string{"run", "serie", "series"}

// NewSearch reads the text of a search.
func NewSearch(text string) Search {
	s := Search{whole: searchForm(text)}
	for _, field := range strings.Fields(s.whole) {
		word := searchWord{text: strings.TrimFunc(field, notOfWord), parts: wordsOf(field)}
		said := func(other searchWord) bool { return other.text == word.text }
		if len(word.parts) == 0 || slices.ContainsFunc(s.words, said) {
			continue
		}
		if unicode.IsDigit(rune(word.text[0])) {
			word.run = withoutZeros(withoutDots(word.text))
		}
		s.words = append(s.words, word)
	}
	isFiller := func(w searchWord) bool { return slices.Contains(fillers, w.text) }
	if said := slices.DeleteFunc(slices.Clone(s.words), isFiller); len(said) > 0 {
		s.words = said
	}
	return s
}

// Empty reports whether the text has nothing but spaces.
func (s Search) Empty() bool { return s.whole == "" }

// FindsName reports whether the text finds a name: it is a part of it, or all its words, one of the synonyms of each,
// or words with one typo are in it, as the search allows.
func (s Search) FindsName(name string) bool {
	index := SearchIndex{}
	index.Add(name, "", "")
	found := false
	index.Find(s, func(int, Likeness) { found = true })
	return found
}

// SearchIndex has the names of series, prepared for searches.
type SearchIndex struct {
	known  map[[2]string]int32 // index in funds
	funds  []searchedFund
	series []searchedSeries
}

type searchedFund struct {
	name          string
	words         []string
	number, check string // of the RUN
}

type searchedSeries struct {
	fund  int32 // index in funds
	name  string
	words []string
	ids   []string
	kinds []string
}

// Add appends a series. run is the RUN of its fund with its check digit, and ids are all ids that find the series.
func (x *SearchIndex) Add(fund, run, serie string, ids ...string) {
	at, there := x.known[[2]string{fund, run}]
	if !there {
		name := searchForm(fund)
		number, check, _ := strings.Cut(strings.ToLower(run), "-")
		at = int32(len(x.funds))
		x.funds = append(x.funds, searchedFund{name, wordsOf(name), number, check})
		if x.known == nil {
			x.known = map[[2]string]int32{}
		}
		x.known[[2]string{fund, run}] = at
	}
	name := searchForm(serie)
	x.series = append(x.series, searchedSeries{at, name, wordsOf(name), ids, nil})
}

// Mark says of which kinds the series is that was added last: its category, and KindPension. Only a search with
// synonyms finds series by their kind.
func (x *SearchIndex) Mark(kinds ...string) { x.series[len(x.series)-1].kinds = kinds }

// Find calls found for each series that the text finds, by ascending index. An empty text finds none.
func (x *SearchIndex) Find(s Search, found func(series int, like Likeness)) {
	if s.Empty() {
		return
	}
	likes := x.likes(s)
	if s.meant != nil {
		for i, like := range x.likes(Search{whole: s.whole, words: s.meant}) {
			likes[i] = max(likes[i], like)
		}
	}
	for i, like := range likes {
		if like > 0 {
			found(i, like)
		}
	}
}

// likes returns how each series was found by the words of a search.
func (x *SearchIndex) likes(s Search) []Likeness {
	type ofFund struct {
		like Likeness   // by the whole text
		hits []Likeness // by word
	}
	funds, hits := make([]ofFund, len(x.funds)), make([]Likeness, len(x.funds)*len(s.words))
	for i := range x.funds {
		funds[i] = ofFund{s.wholeIn(&x.funds[i]), hits[i*len(s.words) : (i+1)*len(s.words)]}
		for w := range s.words {
			funds[i].hits[w] = s.wordIn(w, &x.funds[i])
		}
	}
	likes := make([]Likeness, len(x.series))
	for i := range x.series {
		series := &x.series[i]
		of, fund := &funds[series.fund], &x.funds[series.fund]
		like, words, exact := of.like, likeKind, Likeness(0)
		for w := range s.words {
			word := &s.words[w]
			hit := of.hits[w]
			switch {
			case word.text == series.name:
				hit, exact = max(hit, likeNames), likeSerie
			case slices.Contains(series.ids, word.text), word.run != "" && slices.Contains(series.ids, word.run):
				hit = likeID
			case hit == 0 && series.after(word, fund):
				hit, exact = likeRUN, likeSerie
			case hit == 0 && isIn(word, series.name, series.words):
				hit = likeNames
			case hit == 0 && word.kind != "" && slices.Contains(series.kinds, word.kind):
				hit = likeKind
			}
			if hit == 0 {
				words = 0
				break
			}
			words = max(words, hit)
		}
		if len(s.words) == 0 {
			words = 0
		}
		if like = max(like, words); like > 0 {
			likes[i] = like + exact
		}
	}
	return likes
}

// wholeIn compares the whole text with the name of a fund and with its RUN, of which it may be any part.
func (s Search) wholeIn(fund *searchedFund) Likeness {
	switch part := withoutDots(s.whole); {
	case len(s.words) > 0 && fund.number != "" && fund.begins(withoutZeros(part)):
		return likeRUNBegin
	case strings.Contains(fund.name, s.whole):
		return likeNames
	case len(s.words) > 0 && fund.number != "" && fund.contains(part):
		return likeNames
	}
	return 0
}

// wordIn compares one word with the RUN and the name of a fund.
func (s Search) wordIn(w int, fund *searchedFund) Likeness {
	word := &s.words[w]
	switch {
	case word.run != "" && fund.is(word.run):
		return likeRUN
	case len(word.run) >= minRUNBegin && fund.begins(word.run):
		return likeRUNBegin
	case isIn(word, fund.name, fund.words):
		return likeNames
	case word.text == fund.check && fund.number != "":
		number := func(other searchWord) bool { return other.run == fund.number }
		if slices.ContainsFunc(s.words, number) { // the check digit stands alone behind the number
			return likeNames
		}
	}
	return 0
}

// is reports whether a text is the RUN, with or without its check digit and dash.
func (f *searchedFund) is(run string) bool {
	rest, begins := strings.CutPrefix(run, f.number)
	return begins && f.number != "" && (rest == "" || strings.TrimPrefix(rest, "-") == f.check)
}

// begins reports whether the RUN begins with a text.
func (f *searchedFund) begins(run string) bool {
	return strings.HasPrefix(f.number+"-"+f.check, run) || strings.HasPrefix(f.number+f.check, run)
}

// contains reports whether a text is a part of the RUN.
func (f *searchedFund) contains(part string) bool {
	return strings.Contains(f.number+"-"+f.check, part) || strings.Contains(f.number+f.check, part)
}

// after reports whether a word is a RUN with a dash and a series behind it, as 9278-A or 9278-9-A.
func (s *searchedSeries) after(word *searchWord, fund *searchedFund) bool {
	for at := 0; ; {
		dash := strings.IndexByte(word.run[at:], '-')
		if dash < 0 {
			return false
		}
		at += dash
		behind := word.run[at+1:]
		if fund.is(word.run[:at]) && (behind == withoutDots(s.name) ||
			isIn(&searchWord{parts: wordsOf(behind)}, "", s.words)) {
			return true
		}
		at++
	}
}

// isIn reports whether a word, or another one that means the same, is in a name.
func isIn(word *searchWord, name string, words []string) bool {
	if areIn(word.parts, word.typos, name, words) {
		return true
	}
	for _, other := range word.others {
		if areIn(other, false, name, words) {
			return true
		}
	}
	return false
}

// areIn reports whether all parts of a word are in a name: short ones as whole words.
func areIn(parts []string, typos bool, name string, words []string) bool {
	for _, part := range parts {
		if !slices.Contains(words, part) &&
			(utf8.RuneCountInString(part) < minNamePart || !strings.Contains(name, part)) &&
			(!typos || !isNearAny(part, words)) {
			return false
		}
	}
	return len(parts) > 0
}

// searchForm is the form in which texts are compared: without case and accents, with one kind of dash and single
// spaces, and without characters that nobody sees.
func searchForm(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Pd, r), r == '\u2212', r == '\u2043': // minus sign, hyphen bullet
			return '-'
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, Fold(text))), " ")
}

// wordsOf returns the runs of letters and digits of a text.
func wordsOf(text string) []string { return strings.FieldsFunc(text, notOfWord) }

func notOfWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func withoutDots(text string) string { return strings.ReplaceAll(text, ".", "") }

// withoutZeros drops leading zeros, but not the last digit.
func withoutZeros(text string) string {
	if short := strings.TrimLeft(text, "0"); short != "" && unicode.IsDigit(rune(short[0])) {
		return short
	}
	return text
}
