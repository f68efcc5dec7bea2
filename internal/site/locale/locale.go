// Package locale writes texts, numbers, percentages and dates in Spanish and in English, for the pages and
// for the report of a backtest.
package locale

import (
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"cuota/model"
)

// Language is a language of texts for people.
type Language string

// The languages. The default is Spanish.
const (
	Spanish Language = "es"
	English Language = "en"
)

// Phrase is a text in both languages: Spanish and English.
type Phrase [2]string

// In returns the text in a language.
func (p Phrase) In(l Language) string {
	if l == English {
		return p[1]
	}
	return p[0]
}

// ParseLanguage reads es or en; an empty text is Spanish.
func ParseLanguage(name string) (Language, error) {
	switch Language(name) {
	case "", Spanish:
		return Spanish, nil
	case English:
		return English, nil
	}
	return "", fmt.Errorf("%q is no language of ours: choose es or en", name)
}

// minus is the sign of negative numbers. A hyphen could be read as a dash before a number.
const minus = "−"

// largest is the largest number that is written with all its digits.
const largest = 1e15

// NoBreak keeps a number and its unit on one line.
const NoBreak = "\u00a0"

// Number returns a value with a fixed number of decimals: 1.234,5 in Spanish, 1,234.5 in English.
// A value that is no number is a dash.
func (l Language) Number(value float64, decimals int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Dash
	}
	if math.Abs(value) >= largest {
		return l.separated(strconv.FormatFloat(value, 'e', 3, 64))
	}
	text := strconv.FormatFloat(math.Abs(value), 'f', decimals, 64)
	whole, part, _ := strings.Cut(text, ".")
	var grouped strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			grouped.WriteByte(',')
		}
		grouped.WriteRune(digit)
	}
	if part != "" {
		grouped.WriteString("." + part)
	}
	if value < 0 && strings.Trim(text, "0.") != "" { // -0.001 with one decimal is 0.0
		return minus + l.separated(grouped.String())
	}
	return l.separated(grouped.String())
}

// separated exchanges the separators of English for those of the language.
func (l Language) separated(text string) string {
	if l == Spanish {
		return strings.NewReplacer(",", ".", ".", ",", "-", minus).Replace(text)
	}
	return strings.ReplaceAll(text, "-", minus)
}

// Dash stands for a figure that can't be computed.
const Dash = "—"

// Percent returns a fraction in percent: 12,3 % in Spanish, 12.3% in English.
func (l Language) Percent(fraction float64, decimals int) string {
	text := l.Number(fraction*100, decimals)
	switch {
	case text == Dash:
		return text
	case l == Spanish:
		return text + NoBreak + "%"
	}
	return text + "%"
}

// Ratio returns a figure without a unit, and a dash for nil.
func (l Language) Ratio(value *float64) string {
	if value == nil {
		return Dash
	}
	return l.Number(*value, 2)
}

// Share returns a fraction in percent, and a dash for nil.
func (l Language) Share(value *float64, decimals int) string {
	if value == nil {
		return Dash
	}
	return l.Percent(*value, decimals)
}

// Signed puts a plus before what is more than 0.
func Signed(value float64, text string) string {
	if value > 0 && strings.Trim(text, "0.,%"+NoBreak) != "" {
		return "+" + text
	}
	return text
}

// Day returns 31 dic 2024, and a dash for no date.
func (l Language) Day(d model.Date) string {
	if d.IsZero() {
		return Dash
	}
	return strconv.Itoa(d.Time().Day()) + NoBreak + l.Month(d)
}

var monthNames = map[Language][12]string{
	Spanish: {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
	English: {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

// Month returns dic 2024.
func (l Language) Month(d model.Date) string {
	t := d.Time()
	return monthNames[l][t.Month()-1] + NoBreak + strconv.Itoa(t.Year())
}

var longMonthNames = map[Language][12]string{
	Spanish: {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
		"noviembre", "diciembre"},
	English: {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"},
}

// MonthInWords returns diciembre de 2024, as a sentence has it. Cells, labels and options have the short Month.
func (l Language) MonthInWords(d model.Date) string {
	t := d.Time()
	name := longMonthNames[l][t.Month()-1]
	if l == Spanish {
		name += " de"
	}
	return name + NoBreak + strconv.Itoa(t.Year())
}

// longest is how many characters of a name are shown.
const longest = 120

// Shown makes a text from outside fit for the page: valid, without control characters and
// marks that turn the direction of writing, and cut to a bound. It does not escape.
func Shown(text string) string { return Bounded(text, longest) }

// Bounded is Shown with a bound of its own, in characters.
func Bounded(text string, most int) string {
	var out strings.Builder
	n := 0
	for _, r := range text {
		switch {
		case r == unicode.ReplacementChar || unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r): // also marks of direction
			continue
		}
		if n == most {
			return strings.TrimSpace(out.String()) + "…"
		}
		out.WriteRune(r)
		n++
	}
	return strings.TrimSpace(out.String())
}

// Name returns a text from outside for a template. A text with letters or marks of writing from right to left becomes
// HTML, in which it stands in an element of its own (bdi), so that it can't turn the texts around it. Any other text
// is given as it is, and the template escapes it. The templates of all pages use it.
func Name(text string) any {
	if strings.ContainsFunc(text, turns) {
		return template.HTML("<bdi>" + template.HTMLEscapeString(text) + "</bdi>")
	}
	return text
}

// Breakable is Name with places after each _ and / where a line may end, as in the name of a file or an address.
func Breakable(text string) any {
	if _, plain := Name(text).(string); !plain {
		return Name(text)
	}
	return template.HTML(strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>").Replace(template.HTMLEscapeString(text)))
}

var (
	signed = regexp.MustCompile(`([<>≤≥]=?) (\d)`)                                           // < 90
	united = regexp.MustCompile(`(?i)(\d) (%|años?|anos?|mes(?:es)?|months?|years?)(\PL|$)`) // 3 años
)

// Bound keeps a sign with the number behind it on one line, and a number with %, months and years. Days stay free: with
// three parts on one line, a narrow cell of < 365 días would need more lines.
func Bound(text string) string {
	return united.ReplaceAllString(signed.ReplaceAllString(text, "$1"+NoBreak+"$2"), "$1"+NoBreak+"$2$3")
}

// mostTogether is how many characters of a name, after its last space, stay on the line of what follows.
const mostTogether = 12

// Together joins the name of a fund and that of its series with a point. The series is never alone on a line: the point
// stays with it, and the last word of the fund too, if that is short.
func Together(fund, serie string) string {
	fund = Bound(fund)
	last := fund[strings.LastIndexByte(fund, ' ')+1:]
	// A line may end within I-APV, and then a number must not stand before it.
	if utf8.RuneCountInString(last)+utf8.RuneCountInString(serie) > mostTogether || strings.Contains(serie, "-") {
		return fund + " ·" + NoBreak + serie
	}
	return fund + NoBreak + "·" + NoBreak + serie
}

// turns reports whether a character is written from right to left, or sets the direction of writing.
func turns(r rune) bool {
	if r < 0x590 {
		return false
	}
	of, _ := bidi.LookupRune(r)
	switch of.Class() {
	case bidi.R, bidi.AL, bidi.AN, bidi.LRE, bidi.RLE, bidi.LRO, bidi.RLO, bidi.PDF, bidi.LRI, bidi.RLI, bidi.FSI,
		bidi.PDI:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r)
}

// MonthNames returns the short names of the months, from January on.
func (l Language) MonthNames() [12]string { return monthNames[l] }
