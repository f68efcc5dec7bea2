package ingest

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"cuota/model"
)

// format is one form that the files of a dataset may have. Each file gets formats of its
// own, because they hold state.
type format struct {
	columns   []string
	key       []int // columns that tell what a row is about
	separator rune  // ';' without quotes, or ',' as CSV with quotes
	quoted    bool  // ';' as CSV with quotes, as spreadsheets save it
	// ahead is how many days after the day of its publication (Entry.latestDay) a file may state
	// values for.
	ahead int
	// page says that the table may also be inside a saved web page.
	page bool
	// preamble, if set, receives each row above the header.
	preamble func(fields []string)
	// starts, if set, recognises the first row of a sheet whose header has no fixed
	// words.
	starts func(fields []string) bool
	// startsAs recognises the first row of such a sheet where the line can't be split into fields.
	startsAs *regexp.Regexp
	// ready, if set, is called after the header was read. It fails if the file lacks
	// something, such as its date. latest is the last day that the file may be about.
	ready func(latest model.Date) error
	// aside, if set, recognises lines below the header that hold no row, such as totals
	// and footnotes.
	aside func(fields []string) bool
	// parse makes the event of a row and returns the day that it is about. The event is
	// valid until the next call.
	parse func(*row) (model.Event, model.Date)
	// identify, if set, finds the series and the day of a rejected row.
	identify func(*row, *model.Reject)
}

// newFormats returns the forms that files of the dataset may have. A file has one of
// them.
func newFormats(dataset model.Dataset, file string) ([]*format, error) {
	make, known := formatsOf[dataset]
	if !known {
		return nil, fmt.Errorf("dataset %q has no parser", dataset)
	}
	return make(file), nil
}

// formatsOf makes the forms of each dataset for a file of a name.
var formatsOf = map[model.Dataset]func(file string) []*format{
	model.Cartola:           func(string) []*format { return []*format{cartolaFormat()} },
	model.Register:          func(string) []*format { return []*format{registerFormat()} },
	model.TACComparator:     func(string) []*format { return []*format{tacComparatorFormat()} },
	model.ReturnsComparator: func(string) []*format { return []*format{returnsComparatorFormat()} },
	model.AAFM:              func(file string) []*format { return []*format{aafmFormat(file)} },
	model.UF:                func(string) []*format { return []*format{indicatorFormat(model.UF, ufAhead)} },
	model.Dolar:             func(string) []*format { return []*format{indicatorFormat(model.Dolar, dolarAhead)} },
	model.FIRegister:        func(string) []*format { return fiRegisterFormats() },
	model.TACMonthly:        func(string) []*format { return []*format{tacMonthlyFormat(';'), tacMonthlyFormat(',')} },
	model.Holdings:          holdingsFormats,
	model.FIValues:          fiValuesFormats,
	model.Benchmarks:        func(string) []*format { return []*format{benchmarkFormat(), benchmarkPriceFormat()} },
	model.Article107s:       func(string) []*format { return []*format{article107Format()} },
	model.Events: func(string) []*format {
		return []*format{factorFormat(), exchangeFormat(), renameFormat(), discontinuityFormat(), riskFreeFormat(), endFormat()}
	},
	model.Vehicles: func(string) []*format { return []*format{vehiclesFormat()} },
}

func (f *format) isCSV() bool { return f.separator == ',' || f.quoted }

func (f *format) keyMask() (mask uint64) {
	for _, column := range f.key {
		mask |= 1 << column
	}
	return mask
}

// split cuts a line into its fields. It reuses the memory of into.
func (f *format) split(text string, into []string) ([]string, error) {
	if f.isCSV() {
		reader := csv.NewReader(strings.NewReader(text))
		reader.Comma = f.separator
		reader.FieldsPerRecord = -1
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the quotes in the line do not match (%w); save the sheet as CSV again", err)
		}
		return fields, nil
	}
	into = into[:0]
	for {
		before, after, found := strings.Cut(text, string(f.separator))
		into = append(into, before)
		if !found {
			return into, nil
		}
		text = after
	}
}

// blank reports whether a line is empty. An empty row of a sheet still has its separators.
func (f *format) blank(text string) bool {
	if f.isCSV() {
		return strings.Trim(text, string(f.separator)+" \t") == ""
	}
	return strings.TrimSpace(text) == ""
}

// noRow reports whether a line below the header holds no row: a blank line, or one that the
// format sets aside. A damaged line always counts as a row, so that it is rejected and
// counted.
func (f *format) noRow(l line) bool {
	if f.blank(l.text) {
		return l.flaw != flawLong && l.flaw != flawPage
	}
	if f.aside == nil || l.flaw != "" {
		return false
	}
	fields, err := f.split(l.text, nil)
	return err == nil && f.aside(fields)
}

// lineSource returns a payload line by line.
type lineSource interface {
	// next returns the next line, and io.EOF after the last one.
	next() (line, error)
	// position returns the number of the last line that next returned, and the bytes
	// read.
	position() (number uint32, bytes int64)
}

// parser reads one payload: first the header, then rows.
type parser struct {
	entry       Entry
	formats     []*format // formats that the file may have
	format      *format   // format that it has, known once the header is read
	lines       lineSource
	first       *line // the first row, if it was read to find the end of the header
	row         row
	validate    *eventValidator
	unknown     unknownValues // of the rows that were accepted
	headerLines int           // lines up to and including the header
	idleLines   int           // lines below the header that hold no row
	header      []string      // as the file has it
	profiler    *profiler     // nil: no profile is made
}

// newParser reads the header of the payload. The error is a *refusal if the payload is
// not a file of the entry's dataset.
func newParser(entry Entry, payload io.Reader) (*parser, error) {
	formats, err := newFormats(entry.Dataset, entry.File)
	if err != nil {
		return nil, err
	}
	p := &parser{entry: entry, formats: formats, format: formats[0], validate: newEventValidator()}
	if p.lines, err = p.open(payload); err != nil {
		return nil, err
	}
	if err := p.readHeader(); err != nil {
		return nil, err
	}
	p.row.latest = entry.latestDay().AddDays(p.format.ahead)
	if p.format.ready != nil {
		return p, p.format.ready(p.row.latest)
	}
	return p, nil
}

// open returns the lines of the payload, or the rows of the table inside it if it is a
// web page and the dataset allows one.
func (p *parser) open(payload io.Reader) (lineSource, error) {
	buffered := bufio.NewReaderSize(payload, maxLine)
	if !p.formats[0].page {
		return newLineReader(buffered), nil
	}
	head, err := buffered.Peek(maxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of the archived payload: %w", err)
	}
	if !looksLikePage(head) {
		return newLineReader(buffered), nil
	}
	return newPageReader(buffered, p.formats), nil
}

// result is the outcome of one row: an event, valid until the next call, or a rejection.
type result struct {
	event  model.Event
	day    model.Date
	reject *model.Reject
	cut    bool // the payload ends inside this row
	// foreign says that the rejected row has not the columns of the dataset, or that nobody
	// can tell what it is about.
	foreign bool
}

// next returns the result of the next row, and io.EOF after the last one.
func (p *parser) next() (result, error) {
	for {
		l, err := p.nextLine()
		if errors.Is(err, io.EOF) {
			return result{}, io.EOF
		}
		if err != nil {
			number, _ := p.lines.position()
			return result{}, fmt.Errorf("read line %d of the archived payload: %w", number+1, err)
		}
		if p.format.noRow(l) {
			p.idleLines++
			continue
		}
		result := p.parse(l)
		if p.profiler != nil && l.flaw == "" {
			p.profiler.row(l.number, p.row.fields)
			p.profiler.value(result.event)
			if p.profiler.day(result.day); result.reject != nil {
				p.profiler.day(result.reject.Date) // the file has rows of the day, whatever is wrong with them
			}
		}
		return result, nil
	}
}

// nextLine returns the next line below the header.
func (p *parser) nextLine() (line, error) {
	if first := p.first; first != nil {
		p.first = nil
		return *first, nil
	}
	return p.lines.next()
}

func (p *parser) parse(l line) result {
	r := &p.row
	r.format, r.source, r.err, r.failed, r.unknown = p.format, p.entry.source(l.number), nil, 0, r.unknown[:0]
	var err error
	if r.fields, err = p.format.split(l.text, r.fields); err != nil {
		r.fields, r.err = nil, err
	}
	switch {
	case l.flaw != "":
		r.err = errors.New(l.flaw)
	case err == nil && len(r.fields) != len(p.format.columns):
		r.err = fmt.Errorf("the row has %d columns, expected %d; download the file again without converting it", len(r.fields), len(p.format.columns))
	}
	if r.err == nil {
		event, day := p.format.parse(r)
		if r.err == nil {
			r.err = p.validate.check(event)
		}
		if r.err == nil {
			for _, column := range r.unknown {
				p.unknown.add(p.format.columns[column], r.fields[column], l.number)
			}
			return result{event: event, day: day}
		}
	}
	reject := p.reject(l, r.err.Error())
	foreign := l.flaw != "" || len(r.fields) != len(p.format.columns) || r.failed&p.format.keyMask() != 0
	if p.format.identify != nil {
		r.cut = l.flaw != ""
		r.err = nil
		p.format.identify(r, reject)
	}
	return result{reject: reject, foreign: foreign, cut: l.flaw == flawCut || l.flaw == flawPage}
}

// row reads the fields of one line. The first field that cannot be read sets err; the
// values read after that are not used.
type row struct {
	format *format
	source model.Source
	fields []string
	latest model.Date // the last day that a row may be about
	cut    bool       // the payload ends here, so the last field may be incomplete
	err    error
	forms  numberForms
	failed uint64 // a bit for each column that can't be read; no format has more than 64
	// unknown lists the columns whose value is kept although it is not one that the program
	// knows.
	unknown []int
}

// fail records what is wrong with a column, unless an earlier column failed.
func (r *row) fail(column int, err error) {
	r.failed |= 1 << column
	if r.err == nil {
		r.err = fmt.Errorf("column %d, %s: %w", column+1, r.format.columns[column], err)
	}
}

func (r *row) number(column int, s shape) decimal.Decimal {
	if s.chilean {
		r.forms.of(column).note(r.fields[column])
	}
	n, err := parseDecimal(r.fields[column], s)
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// maybe reads a number, or blank as null.
func (r *row) maybe(column int, s shape) decimal.NullDecimal {
	if r.fields[column] == "" {
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(r.number(column, s))
}

func (r *row) count(column int) uint32 {
	n, err := parseCount(r.fields[column])
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// text reads a free text up to a number of bytes. A longer one is cut, and counted for the
// report.
func (r *row) text(column, limit int) string {
	text := r.name(column)
	if len(text) > limit {
		r.unknown = append(r.unknown, column)
		return strings.TrimSpace(cut(text, limit))
	}
	return text
}

// people reads a number of people.
func (r *row) people(column int) uint32 {
	n, err := parsePeople(r.fields[column])
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// maybePeople reads a number of people that may be blank.
func (r *row) maybePeople(column int) *uint32 {
	if r.fields[column] == "" {
		return nil
	}
	return new(r.people(column))
}

// name reads a free text: it cuts outer spaces and collapses inner ones.
func (r *row) name(column int) string {
	text := r.fields[column]
	if !strings.Contains(text, "  ") && strings.TrimSpace(text) == text && !strings.ContainsRune(text, '\t') {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// oneOf reads a word that must be in a fixed list.
func (r *row) oneOf(column int, words ...string) string {
	if slices.Contains(words, r.fields[column]) {
		return r.fields[column]
	}
	r.fail(column, fmt.Errorf("%s is unknown, expected one of %q; download the file again, or report that the source has changed",
		shown(r.fields[column]), words))
	return ""
}

// yes reads yes or no.
func (r *row) yes(column int) bool { return r.oneOf(column, "yes", "no") == "yes" }

// word reads a word that no number depends on. A word outside the list is kept as it is
// written, and counted for the report.
func (r *row) word(column int, words ...string) string {
	if slices.Contains(words, r.fields[column]) {
		return r.fields[column]
	}
	r.unknown = append(r.unknown, column)
	return cut(r.name(column), maxWord)
}

// maxWord bounds a word or a currency that is kept as written, in bytes.
const maxWord = 40

// currency reads a currency. Values in an unknown one can't be converted or compared, and
// have the reason unknown_currency (RULES 1), but they are right in themselves.
func (r *row) currency(column int) string {
	word := r.word(column, "$$", "PROM", "EUR", "CLP", "USD", "PESOS", "DOLAR")
	if word == "" {
		r.fail(column, errors.New("is blank, expected a currency; download the file again"))
	}
	return word
}

// numberOrNull reads a number on which no other one depends. Anything else becomes null, and is
// counted for the report.
func (r *row) numberOrNull(column int, of shape) decimal.NullDecimal {
	number, err := parseDecimal(r.fields[column], of)
	if err != nil {
		r.unknown = append(r.unknown, column)
		return decimal.NullDecimal{}
	}
	return decimal.NewNullDecimal(number)
}

// peopleOrNull is numberOrNull for a number of people.
func (r *row) peopleOrNull(column int) *uint32 {
	people, err := parsePeople(r.fields[column])
	if err != nil {
		r.unknown = append(r.unknown, column)
		return nil
	}
	return &people
}

// optional reads a column on which no number depends. What can't be read becomes null, and is
// counted for the report.
func optional[T any](r *row, column int, read func(int) T) T {
	err, failed := r.err, r.failed
	value := read(column)
	if r.failed == failed {
		return value
	}
	r.err, r.failed = err, failed
	r.unknown = append(r.unknown, column)
	var null T
	return null
}

// parsed reads a field. remedy says what to do if it can't be read.
func parsed[T any](r *row, column int, parse func(string) (T, error), remedy string) T {
	value, err := parse(r.fields[column])
	if err != nil {
		r.fail(column, fmt.Errorf("%w; %s", err, remedy))
	}
	return value
}

// rol reads a RUN or RUT, with or without dots between thousands. It rejects other dots and
// spaces, which model would accept: they could join two numbers into one, and a
// spreadsheet may have made 8011.0 of 8011.
func rol[T any](r *row, column int, parse func(string) (T, error)) (none T) {
	text := r.fields[column]
	number, _, _ := strings.Cut(text, "-")
	if number == "" || !digits(number) && !grouped(number) || strings.ContainsRune(text, ' ') {
		r.fail(column, fmt.Errorf("%s is not a RUN or RUT, expected one to eight digits; download the file again", shown(text)))
		return none
	}
	return parsed(r, column, parse, "compare it with the register")
}

func (r *row) run(column int) model.RUN { return rol(r, column, model.ParseRUN) }

func (r *row) rut(column int) model.RUT { return rol(r, column, model.ParseRUT) }

func (r *row) serie(column int) string {
	return parsed(r, column, model.NormalSerie, compareWithSource)
}

// compareWithSource is the remedy for a value that the source may have written wrong.
const compareWithSource = "compare it with the source"

// firstDay is before the first day of any source.
var firstDay = model.NewDate(1971, time.January, 1)

// day reads the day that the row is about. It fails for a day outside the range.
func (r *row) day(column int, parse func(string) (model.Date, error)) model.Date {
	date := parsed(r, column, parse, compareWithSource)
	if err := r.inRange(date); err != nil {
		r.fail(column, err) // unless it could not be parsed
	}
	return date
}

// inRange fails if the day is before firstDay or after the latest day that a row may be
// about.
func (r *row) inRange(day model.Date) error {
	switch {
	case day.Compare(firstDay) < 0:
		return fmt.Errorf("%s is before %s, the earliest day that is accepted; compare it with the source", day, firstDay)
	case day.Compare(r.latest) > 0:
		return fmt.Errorf("%s lies in the future, the latest day accepted from this file is %s; have the source correct it", day, r.latest)
	}
	return nil
}

// maybeDate reads DD/MM/YYYY, or blank as the zero date. It may be in the future, as the
// end of a fund that is being liquidated.
func (r *row) maybeDate(column int) model.Date {
	if r.fields[column] == "" {
		return model.Date{}
	}
	return parsed(r, column, model.ParseSlashDate, compareWithSource)
}
