// Package drift compares what a file looks like with the files of its dataset before it: its
// columns, its days, how much it holds, and the size of its values.
package drift

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"cuota/ingest/excerpt"
	"cuota/ingest/parse"
	"cuota/model"
)

// Limits of the comparison (docs/decisions/0070-files-whose-shapes-change.md).
const (
	// FilesCompared is how many files before a file it is compared with. What occurs
	// once a year, as distributions in December, is then known.
	FilesCompared = 13
	// wholeMarket is how many funds a file of the whole market has at least. Only such
	// files are like each other. A file of one fund is compared with files of this fund.
	wholeMarket = 50
	// enoughRows is how many rows say what a column looks like.
	enoughRows = 100
	// maxShown bounds a text of a finding, in bytes.
	maxShown = 120
)

// Kind says which files a file may be compared with.
func (p *Profile) Kind() string {
	switch {
	case p.Funds == 0, p.Funds >= wholeMarket:
		return WholeKind
	case p.Funds == 1:
		return "fund " + p.Fund
	}
	return someFunds
}

// The kinds of files that are not about one fund.
const (
	// WholeKind is the kind of the files of the whole market, which say what every file of their
	// dataset may look like.
	WholeKind = "whole"
	someFunds = "some funds"
)

// Like reports whether a file before p says what p should look like. A file of the whole
// market has every shape that a file of some funds may have.
func (p *Profile) Like(before *Profile) bool {
	return before.Version == p.Version && (before.Kind() == p.Kind() || before.Kind() == WholeKind) &&
		slices.EqualFunc(p.Columns, before.Columns, func(a, b ColumnProfile) bool { return a.Name == b.Name })
}

// compare compares the profile of a file with those of the files before it, the newest
// first, and with the name of the file. header is the line of the header, and lines are where shapes
// occur first in the file.
func compare(now *Profile, header int, lines []firstLines, before []*Profile, of stakes) []model.Finding {
	d := comparison{now: now, stakes: of}
	d.dates()
	d.header(header, before)
	if len(before) == 0 || len(of.figureColumns) == 0 {
		return d.found // the files of such a dataset have nothing in common
	}
	d.size(before)
	for i, column := range now.Columns {
		if !slices.Contains(of.keys, column.Name) {
			d.column(column, &lines[i], together(before, column.Name), together(before[:1], column.Name))
		}
	}
	return d.found
}

// comparison compares a file with those before it.
type comparison struct {
	now    *Profile
	stakes stakes
	found  []model.Finding
}

func (d *comparison) report(kind model.FindingKind, column, before, now string, line uint32, atStake bool) {
	d.found = append(d.found, model.Finding{Kind: kind, Column: column, Before: excerpt.Cut(before, maxShown),
		Now: excerpt.Cut(now, maxShown), Line: line, AtStake: atStake})
}

// dates compares the days of the rows with those that the name of the file states.
func (d *comparison) dates() {
	p := d.now
	if p.NamedFrom.IsZero() || p.FirstDate.IsZero() {
		return
	}
	if p.LastDate.Compare(p.NamedTo) < 0 {
		d.report(model.FindingEndsEarly, "", p.NamedTo.String(), p.LastDate.String(), 0, false)
	}
	// A fund may start at any day.
	if p.FirstDate.Compare(p.NamedFrom) > 0 && p.Funds >= wholeMarket {
		d.report(model.FindingBeginsLate, "", p.NamedFrom.String(), p.FirstDate.String(), 0, false)
	}
	if p.FirstDate.Compare(p.NamedFrom) < 0 || p.LastDate.Compare(p.NamedTo) > 0 {
		d.report(model.FindingOtherDays, "", p.NamedFrom.String()+" – "+p.NamedTo.String(),
			p.FirstDate.String()+" – "+p.LastDate.String(), 0, false)
	}
}

// header reports columns that have another name than before. line is the line of the header.
func (d *comparison) header(line int, before []*Profile) {
	if len(d.now.Header) != len(d.now.Columns) {
		return // the layout has no header of fixed words
	}
	for i, name := range d.now.Header {
		known := parse.Folded(d.now.Columns[i].Name) == parse.Folded(name)
		for _, p := range before {
			known = known || len(p.Header) > i && parse.Folded(p.Header[i]) == parse.Folded(name)
		}
		if !known {
			of := d.now.Columns[i].Name
			// Under another name a key may be another day, fund or series.
			atStake := len(d.stakes.figureColumns) == 0 || slices.Contains(d.stakes.figureColumns, of) ||
				slices.Contains(d.stakes.keys, of)
			d.report(model.FindingRenamed, of, of, name, uint32(line), atStake)
		}
	}
}

// size compares how much the file holds with the newest file of its kind. Rows are counted
// by day, because files are about months, years or single days.
func (d *comparison) size(before []*Profile) {
	now, kind := d.now, d.now.Kind()
	at := slices.IndexFunc(before, func(p *Profile) bool { return p.Kind() == kind })
	if at < 0 || kind == someFunds {
		return
	}
	earlier := before[at]
	if a, b := max(now.interval(), 31), max(earlier.interval(), 31); a > 2*b || b > 2*a {
		return // over a long time more series come and go
	}
	fewer := func(now, before uint64) bool { return before >= enoughRows && now*10 < before*9 }
	if fewer(now.Series, earlier.Series) {
		d.report(model.FindingFewerSeries, "", wholeNumber(earlier.Series), wholeNumber(now.Series), 0, false)
	}
	rows := func(p *Profile) uint64 { return p.Rows / max(p.Days, 1) }
	if fewer(rows(now), rows(earlier)) {
		d.report(model.FindingFewerRows, "", wholeNumber(rows(earlier)), wholeNumber(rows(now)), 0, false)
	}
}

// column compares a column with the same column of all files before together, and with
// that of the newest of them. Which shapes are known is a matter of all files. How usual
// they are is one of the newest too: a change that a person has accepted is none in the
// next file.
func (d *comparison) column(now ColumnProfile, lines *firstLines, before, newest ColumnProfile) {
	if before.rows() < enoughRows || now.rows() == 0 {
		return
	}
	c := columnComparison{comparison: d, now: now, lines: lines, before: before, newest: newest}
	c.mayBeEmpty = slices.Contains(d.stakes.mayBeEmpty, now.Name)
	// A small file shows few shapes, and a file of some funds those of these funds.
	c.usual = min(now.rows(), newest.rows()) >= enoughRows && d.now.Kind() == WholeKind
	c.atStake = c.usual && slices.Contains(d.stakes.figureColumns, now.Name)
	c.values()
	if before.Text == 0 && now.Text > 0 && before.Many {
		c.report(model.FindingText, "0", wholeNumber(now.Text), lines.text, c.atStake && now.Text*100 > now.rows())
	}
	if before.Negative == 0 && now.Negative > 0 && before.Numbers > 0 {
		c.report(model.FindingNegative, "0", wholeNumber(now.Negative), lines.negative, false)
	}
	if most := len(now.Decimals) - 1; most >= len(before.Decimals) && before.Numbers >= enoughRows {
		c.report(model.FindingMoreDecimals, wholeNumber(uint64(len(before.Decimals)-1)), wholeNumber(uint64(most)),
			lines.decimals[most], false)
	}
	if c.usual {
		c.shares()
		c.numbers()
	}
}

// columnComparison compares one column.
type columnComparison struct {
	*comparison
	now            ColumnProfile
	lines          *firstLines
	before, newest ColumnProfile
	mayBeEmpty     bool // stakes.mayBeEmpty
	usual          bool // the files are large enough to say what is usual
	atStake        bool
}

func (c *columnComparison) report(kind model.FindingKind, before, now string, line uint32, atStake bool) {
	c.comparison.report(kind, c.now.Name, before, now, line, atStake)
}

// both reports whether something holds against all files before and against the newest.
func (c *columnComparison) both(holds func(before ColumnProfile) bool) bool {
	return holds(c.before) && holds(c.newest)
}

// values compares the distinct values of a column of few.
func (c *columnComparison) values() {
	if c.before.Many {
		return
	}
	if c.now.Many {
		c.report(model.FindingManyValues, wordList(c.before.Words), c.lines.manyText, c.lines.many, c.atStake &&
			!c.mayBeEmpty)
		return
	}
	amounts := slices.ContainsFunc(c.before.Words, func(w Word) bool { return isAmount(w.Text) })
	fresh := slices.DeleteFunc(slices.Clone(c.now.Words), func(w Word) bool {
		return c.before.count(w.Text) > 0 || amounts && isNumber(w.Text) // a column of amounts has others in each file
	})
	if len(fresh) > 0 {
		c.report(model.FindingNewWord, wordList(c.before.Words), wordList(fresh), fresh[0].line, false)
	}
	for _, w := range c.before.Words {
		frequent := func(before ColumnProfile) bool { return before.count(w.Text)*5 >= before.rows() }
		if c.usual && c.now.count(w.Text) == 0 && c.both(frequent) {
			c.report(model.FindingWordGone, w.Text, wordList(c.now.Words), 0, c.atStake && !c.mayBeEmpty)
		}
	}
}

// isAmount reports whether a word is a number other than 0 and 1, which may be flags.
func isAmount(word string) bool { return word != "0" && word != "1" && isNumber(word) }

func isNumber(word string) bool {
	_, number := shapeOf(word)
	return number
}

// shares compares how many fields have a value.
func (c *columnComparison) shares() {
	is := c.now.empty()
	emptied := func(before ColumnProfile) bool { return is == 1 && before.empty() <= 0.6 }
	filled := func(before ColumnProfile) bool { return before.empty() > 0.9 && before.empty()-is > 0.2 }
	switch was := percent(1 - c.newest.empty()); {
	case c.comparison.now.interval() < 7 && slices.Contains(c.stakes.flows, c.now.Name):
	case c.both(emptied):
		c.report(model.FindingEmptied, was, percent(0), c.lines.start(), c.atStake && !c.mayBeEmpty)
	case c.both(filled):
		c.report(model.FindingFilled, was, percent(1-is), c.lines.value, c.atStake)
	}
}

// numbers compares the form of numbers.
func (c *columnComparison) numbers() {
	if min(c.now.Numbers-c.now.Zero, c.newest.Numbers-c.newest.Zero) < enoughRows {
		return
	}
	decimals := c.now.usualDecimals(0.05)
	rounded := func(before ColumnProfile) bool { return before.usualDecimals(0.2) > decimals }
	if c.stakes.exact && c.both(rounded) {
		c.report(model.FindingFewerDecimals, wholeNumber(uint64(c.newest.usualDecimals(0.2))),
			wholeNumber(uint64(decimals)), c.lines.number, c.atStake)
	}
	comma := c.now.Comma*2 > c.now.Numbers
	marked := func(before ColumnProfile) bool {
		return before.usualDecimals(0.05) > 0 && before.Comma*2 > before.Numbers != comma
	}
	if decimals > 0 && c.both(marked) {
		c.report(model.FindingDecimalMark, decimalMark(!comma), decimalMark(comma), c.lines.number, c.atStake)
	}
	size := c.now.size()
	larger := func(before ColumnProfile) bool {
		return size-before.size() >= 2 || before.size()-size >= 2
	}
	if c.both(larger) {
		c.report(model.FindingMagnitude, oneDecimal(c.newest.size()), oneDecimal(size), c.lines.value, c.atStake)
	}
}

// together adds up what a column looked like in several files.
func together(files []*Profile, name string) ColumnProfile {
	sum := ColumnProfile{Name: name}
	words := map[string]uint64{}
	for _, p := range files {
		at := slices.IndexFunc(p.Columns, func(c ColumnProfile) bool { return c.Name == name })
		if at < 0 {
			continue
		}
		c := p.Columns[at]
		sum.Blank, sum.Text, sum.Numbers = sum.Blank+c.Blank, sum.Text+c.Text, sum.Numbers+c.Numbers
		sum.Zero, sum.Negative, sum.Comma, sum.Digits = sum.Zero+c.Zero, sum.Negative+c.Negative, sum.Comma+c.Comma,
			sum.Digits+c.Digits
		sum.Many = sum.Many || c.Many
		for i, n := range c.Decimals {
			if i == len(sum.Decimals) {
				sum.Decimals = append(sum.Decimals, 0)
			}
			sum.Decimals[i] += n
		}
		for _, w := range c.Words {
			words[w.Text] += w.Count
		}
	}
	for word, n := range words {
		sum.Words = append(sum.Words, Word{Text: word, Count: n})
	}
	slices.SortFunc(sum.Words, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
	return sum
}

func (c ColumnProfile) rows() uint64 { return c.Blank + c.Text + c.Numbers }

// empty is the share of fields that are blank or 0.
func (c ColumnProfile) empty() float64 { return float64(c.Blank+c.Zero) / float64(c.rows()) }

// count is how many fields have the text, in a column of few words.
func (c ColumnProfile) count(text string) uint64 {
	for _, w := range c.Words {
		if w.Text == text {
			return w.Count
		}
	}
	return 0
}

// size is how many digits before the decimals the numbers other than 0 have on average.
func (c ColumnProfile) size() float64 { return float64(c.Digits) / float64(c.Numbers-c.Zero) }

// usualDecimals is the greatest number of decimals that at least this share of the
// numbers other than 0 has.
func (c ColumnProfile) usualDecimals(share float64) int {
	sum := uint64(0)
	for i := len(c.Decimals) - 1; i > 0; i-- {
		if sum += c.Decimals[i]; float64(sum) >= share*float64(c.Numbers-c.Zero) {
			return i
		}
	}
	return 0
}

// start is the line of the first row.
func (l *firstLines) start() uint32 {
	if l.blank == 0 || l.number > 0 && l.number < l.blank {
		return l.number
	}
	return l.blank
}

// wordList shows words, the most frequent first.
func wordList(words []Word) string {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b Word) int { return cmp.Compare(b.Count, a.Count) })
	texts := make([]string, len(sorted))
	for i, w := range sorted {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

func decimalMark(comma bool) string {
	if comma {
		return ","
	}
	return "."
}

func wholeNumber(n uint64) string { return strconv.FormatUint(n, 10) }

func percent(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) + " %" }

func oneDecimal(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }
