package drift

import (
	"hash/maphash"
	"regexp"
	"slices"
	"strings"

	"cuota/ingest/excerpt"
	"cuota/ingest/parse"
	"cuota/model"
)

// Profile describes the shapes of a file: what its columns look like, how much it holds
// and which days it is about. It is made of the text of the fields while the file is
// parsed, so the same bytes under the same name always give the same profile. It is kept
// in the note of the archive, so that later files can be compared with it
// (docs/decisions/0070-files-whose-shapes-change.md).
type Profile struct {
	Version int      `json:"version"` // profileVersion of the program that made it
	Header  []string `json:"header,omitempty"`
	Rows    uint64   `json:"rows"` // with the right number of columns
	// Funds and Series count what the file is about; 0 if its dataset has no column for
	// them. Fund is the only one if Funds is 1.
	Funds     uint64          `json:"funds,omitempty"`
	Fund      string          `json:"fund,omitempty"`
	Series    uint64          `json:"series,omitempty"`
	Days      uint64          `json:"days,omitempty"` // distinct days of the rows
	FirstDate model.Date      `json:"first_date,omitzero"`
	LastDate  model.Date      `json:"last_date,omitzero"`
	NamedFrom model.Date      `json:"named_from,omitzero"` // the days that the name of the file states
	NamedTo   model.Date      `json:"named_to,omitzero"`
	Columns   []ColumnProfile `json:"columns"`
	// Values has the last book value of each series of investment funds, of at most maxValues series.
	Values map[string]SeriesValue `json:"values,omitempty"`
}

// profileVersion changes when profiles of two versions can't be compared any more.
const profileVersion = 1

// ColumnProfile describes the fields of one column.
type ColumnProfile struct {
	Name     string `json:"name"` // as this program names the column
	Blank    uint64 `json:"blank,omitempty"`
	Text     uint64 `json:"text,omitempty"` // neither blank nor a number
	Numbers  uint64 `json:"numbers,omitempty"`
	Zero     uint64 `json:"zero,omitempty"`     // of the numbers
	Negative uint64 `json:"negative,omitempty"` // of the numbers
	Comma    uint64 `json:"comma,omitempty"`    // of the numbers, those whose decimals follow a comma
	Digits   uint64 `json:"digits,omitempty"`   // before the decimals, of all numbers that are not 0 together
	// Decimals counts numbers by how many decimals they have, without zeros at the end.
	Decimals []uint64 `json:"decimals,omitempty"`
	// Words are the distinct fields that are not blank, in order. There are none in a
	// column with more than maxWords of them, or with longer ones: then Many is true.
	Words []Word `json:"words,omitempty"`
	Many  bool   `json:"many,omitempty"`
}

// Word is a field that occurs in a column.
type Word struct {
	Text  string `json:"text"`
	Count uint64 `json:"count"`
	line  uint32 // on which it occurs first
}

const (
	maxWords    = 16
	maxWordSize = 32        // bytes
	maxDecimals = 12        // more decimals count as so many
	maxDistinct = 1_000_000 // more funds, series and days are not counted
)

// Profiler makes the profile of a file row by row, as the observer of its parser. Its memory is bounded: it holds the
// hashes of at most maxDistinct series.
type Profiler struct {
	profile Profile
	header  int // lines up to and including the header
	columns []columnProfiler
	first   []firstLines
	stakes  stakes
	fund    int // column; -1: none
	serie   int
	seed    maphash.Seed
	funds   map[uint64]struct{}
	series  map[uint64]struct{}
	days    map[model.Date]struct{}
	lastDay model.Date
	lastRUN string
	values  seriesValues
}

// columnProfiler counts the fields of a column. Neighbouring rows often have the same
// field, so equal fields are counted together.
type columnProfiler struct {
	ColumnProfile
	last    string
	repeats uint64 // of last, not counted yet
	line    uint32 // of the first of these
	counts  [maxDecimals + 1]uint64
	words   []Word
	first   *firstLines
}

// firstLines holds the lines on which shapes occur first in a column. They are not part of
// the profile, because only the file itself has these lines.
type firstLines struct {
	blank, text, number, negative, comma uint32
	value                                uint32 // neither blank nor 0
	decimals                             [maxDecimals + 1]uint32
	many                                 uint32 // on which the words of the column became too many
	manyText                             string // the field there
}

// NewProfiler returns the profiler of a file whose header was read.
func NewProfiler(file parse.File, parser *parse.Parser) *Profiler {
	p := &Profiler{stakes: stakesOf[file.Dataset], seed: maphash.MakeSeed(), fund: -1, serie: -1,
		funds: map[uint64]struct{}{}, series: map[uint64]struct{}{}, days: map[model.Date]struct{}{}}
	p.profile = Profile{Version: profileVersion}
	header, line := parser.Header()
	p.header = line
	for _, name := range header {
		p.profile.Header = append(p.profile.Header, strings.Clone(excerpt.Cut(name, maxShown)))
	}
	if p.stakes.daily {
		p.profile.NamedFrom, p.profile.NamedTo = namedDays(file.Name)
	}
	if fund := parser.NamedFund(); fund != 0 {
		p.profile.Funds, p.profile.Fund = 1, fund.String()
	}
	columns := parser.Columns()
	p.columns = make([]columnProfiler, len(columns))
	p.first = make([]firstLines, len(columns))
	for i, name := range columns {
		p.columns[i].Name, p.columns[i].first = name, &p.first[i]
		switch name {
		case p.stakes.fund:
			p.fund = i
		case p.stakes.serie:
			p.serie = i
		}
	}
	return p
}

// Row counts the fields of a row. Rows with another number of columns have no shape.
func (p *Profiler) Row(line uint32, fields []string) {
	if len(fields) != len(p.columns) {
		return
	}
	p.profile.Rows++
	for i := range fields {
		c := &p.columns[i]
		if fields[i] == c.last && c.repeats > 0 {
			c.repeats++
			continue
		}
		c.flush()
		c.last, c.repeats, c.line = fields[i], 1, line
	}
	if p.fund < 0 {
		return
	}
	run := fields[p.fund]
	if run != p.lastRUN {
		p.lastRUN = run
		distinct(p.funds, maphash.String(p.seed, run))
	}
	if p.serie >= 0 {
		distinct(p.series, maphash.String(p.seed, run)*31+maphash.String(p.seed, fields[p.serie]))
	}
}

// Day notes the day of a row; zero: it has none, or it can't be read.
func (p *Profiler) Day(day model.Date) {
	if day.IsZero() || day == p.lastDay {
		return
	}
	p.lastDay = day
	if len(p.days) < maxDistinct {
		p.days[day] = struct{}{}
	}
	if first := p.profile.FirstDate; first.IsZero() || day.Compare(first) < 0 {
		p.profile.FirstDate = day
	}
	if last := p.profile.LastDate; last.IsZero() || day.Compare(last) > 0 {
		p.profile.LastDate = day
	}
}

func distinct(set map[uint64]struct{}, hash uint64) {
	if len(set) < maxDistinct {
		set[hash] = struct{}{}
	}
}

// Findings returns in what the file differs from the files before it, of which the profiles are
// sorted from the newest to the oldest. profile is that of the file.
func (p *Profiler) Findings(profile *Profile, before []*Profile) []model.Finding {
	return append(compare(profile, p.header, p.first, before, p.stakes), p.thousandfold(before)...)
}

// Profile returns the profile of the rows so far.
func (p *Profiler) Profile() *Profile {
	profile := p.profile
	profile.Series, profile.Days = uint64(len(p.series)), uint64(len(p.days))
	if p.fund >= 0 {
		profile.Funds = uint64(len(p.funds))
	}
	if p.fund >= 0 && profile.Funds == 1 {
		profile.Fund = strings.Clone(excerpt.Cut(p.lastRUN, maxShown))
	}
	profile.Values = p.values.last
	profile.Columns = make([]ColumnProfile, len(p.columns))
	for i := range p.columns {
		profile.Columns[i] = p.columns[i].done()
	}
	return &profile
}

// done returns the profile of the column.
func (c *columnProfiler) done() ColumnProfile {
	c.flush()
	column := c.ColumnProfile
	if last := len(c.counts) - 1; column.Numbers > 0 {
		for c.counts[last] == 0 && last > 0 {
			last--
		}
		column.Decimals = slices.Clone(c.counts[:last+1])
	}
	if !column.Many {
		column.Words = slices.Clone(c.words)
		slices.SortFunc(column.Words, func(a, b Word) int { return strings.Compare(a.Text, b.Text) })
	}
	return column
}

// flush counts the last field as often as it was repeated.
func (c *columnProfiler) flush() {
	if c.repeats == 0 {
		return
	}
	n := c.repeats
	c.repeats = 0
	if c.last == "" {
		c.Blank += n
		note(&c.first.blank, c.line)
		return
	}
	if !c.Many {
		c.word(n)
	}
	number, is := shapeOf(c.last)
	if !is {
		c.Text += n
		note(&c.first.text, c.line)
		note(&c.first.value, c.line)
		return
	}
	c.Numbers += n
	c.counts[number.decimals] += n
	note(&c.first.number, c.line)
	note(&c.first.decimals[number.decimals], c.line)
	if number.zero {
		c.Zero += n
	} else {
		c.Digits += n * uint64(number.digits)
		note(&c.first.value, c.line)
	}
	if number.negative {
		c.Negative += n
		note(&c.first.negative, c.line)
	}
	if number.comma {
		c.Comma += n
		note(&c.first.comma, c.line)
	}
}

func note(first *uint32, line uint32) {
	if *first == 0 {
		*first = line
	}
}

// word counts the last field among the words of the column.
func (c *columnProfiler) word(n uint64) {
	for i := range c.words {
		if c.words[i].Text == c.last {
			c.words[i].Count += n
			return
		}
	}
	if len(c.words) == maxWords || len(c.last) > maxWordSize {
		c.Many, c.words = true, nil
		c.first.many, c.first.manyText = c.line, strings.Clone(excerpt.Cut(c.last, maxShown))
		return
	}
	c.words = append(c.words, Word{strings.Clone(c.last), n, c.line})
}

// numberShape is what a number looks like.
type numberShape struct {
	digits, decimals      int // before and after the point, without zeros at the outer ends
	negative, zero, comma bool
}

// shapeOf returns the shape of a number, in whatever form: 1234.5, 1.234,5, -.05 or
// 4.8e-05. A single point or comma counts as the decimal one.
func shapeOf(text string) (shape numberShape, number bool) {
	i := 0
	if text[0] == '-' {
		shape.negative, i = true, 1
	}
	mark, significant, found := -1, false, false
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case b >= '0' && b <= '9':
			found = true
			significant = significant || b != '0'
			if significant && mark < 0 {
				shape.digits++
			}
			if b != '0' && mark >= 0 {
				shape.decimals = i - mark
			}
		case (b == '.' || b == ',') && mark < 0:
			mark, shape.comma = i, b == ','
		default:
			if plain, is := plainNumber(text); is {
				return shapeOf(plain)
			}
			return numberShape{}, false
		}
	}
	shape.decimals = min(shape.decimals, maxDecimals)
	shape.zero = !significant
	return shape, found && mark != len(text)-1
}

// plainNumber removes thousands separators and the exponent from a number. It returns
// false if the text has neither, or is no number.
func plainNumber(text string) (plain string, is bool) {
	mantissa, power, found := strings.Cut(text, "e")
	if found && (power == "" || !parse.Digits(strings.TrimLeft(power[:1], "+-")+power[1:])) {
		return "", false
	}
	decimal := strings.LastIndexAny(mantissa, ".,")
	if decimal >= 0 && strings.Count(mantissa, mantissa[decimal:decimal+1]) > 1 {
		decimal = len(mantissa)
	}
	if decimal >= 0 {
		plain = strings.NewReplacer(".", "", ",", "").Replace(mantissa[:decimal]) + mantissa[decimal:]
	} else {
		plain = mantissa
	}
	return plain, plain != "" && plain != text &&
		parse.Digits(strings.NewReplacer(".", "", ",", "", "-", "").Replace(plain))
}

// Names of files that state their days, as in ffmm_todos_20250801_20250831.txt, and their
// month, as in month_10772_202508.txt.
var (
	namedRange = regexp.MustCompile(`(?:^|\D)(\d{8})[_-](\d{8})(?:\D|$)`)
	namedMonth = regexp.MustCompile(`(?:^|\D)(\d{6})(?:\D|$)`)
)

// namedDays returns the first and the last day that the name of a file states, or zero
// dates.
func namedDays(file string) (from, to model.Date) {
	if match := namedRange.FindStringSubmatch(file); match != nil {
		from, failed := model.ParseCompactDate(match[1])
		to, failedToo := model.ParseCompactDate(match[2])
		if failed == nil && failedToo == nil && from.Compare(parse.FirstDay) >= 0 && from.Compare(to) <= 0 {
			return from, to
		}
		return model.Date{}, model.Date{}
	}
	for _, match := range namedMonth.FindAllStringSubmatch(file, -1) {
		if from, err := model.ParseCompactDate(match[1] + "01"); err == nil && from.Compare(parse.FirstDay) >= 0 {
			year, month, _ := from.Time().Date()
			return from, model.NewDate(year, month+1, 0)
		}
	}
	return model.Date{}, model.Date{}
}

// interval is the length of the days that the file is about.
func (p *Profile) interval() int {
	if p.FirstDate.IsZero() {
		return 0
	}
	return p.LastDate.DaysSince(p.FirstDate) + 1
}
