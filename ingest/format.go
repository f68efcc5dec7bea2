package ingest

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	_ "time/tzdata" // what day it is in Santiago must not depend on the host

	"github.com/shopspring/decimal"

	"cuota/model"
)

// format is one form of a dataset's files, made anew for each file.
type format struct {
	columns   []string
	separator rune // ';' is plain, ',' is CSV with quotes
	quoted    bool // ';' is CSV with quotes too, as spreadsheets save it
	// ahead is how many days after its first sight a file may speak of.
	ahead int
	// page tells that the table may also come inside a saved web page.
	page bool
	// preamble, when set, is given each row above the header.
	preamble func(fields []string)
	// starts, when set, tells the first row of a sheet whose header has no
	// fixed words.
	starts func(fields []string) bool
	// ready, when set, says what the file lacks once the header is read; latest
	// is the last day that it may speak of.
	ready func(latest model.Date) error
	// aside, when set, tells the lines below the header that are no rows, such
	// as totals and footnotes.
	aside func(fields []string) bool
	// parse makes a row's event and the day it is about; the event is valid
	// until the next call.
	parse func(*row) (model.Event, model.Date)
	// identify, when set, finds the day of a row that was rejected.
	identify func(*row, *model.Reject)
}

// newFormats gives the forms that files of the dataset have, of which each file
// has one.
func newFormats(dataset model.Dataset, file string) ([]*format, error) {
	switch dataset {
	case model.Cartola:
		return []*format{cartolaFormat()}, nil
	case model.Register:
		return []*format{registerFormat()}, nil
	case model.TACComparator:
		return []*format{tacComparatorFormat()}, nil
	case model.ReturnsComparator:
		return []*format{returnsComparatorFormat()}, nil
	case model.AAFM:
		return []*format{aafmFormat(file)}, nil
	case model.UF:
		return []*format{indicatorFormat(model.UF, ufAhead)}, nil
	case model.Dolar:
		return []*format{indicatorFormat(model.Dolar, dolarAhead)}, nil
	case model.FIRegister:
		return fiRegisterFormats(), nil
	case model.TACMonthly:
		return []*format{tacMonthlyFormat(';'), tacMonthlyFormat(',')}, nil
	case model.Holdings:
		return holdingsFormats(file), nil
	case model.FIValues:
		return fiValuesFormats(file), nil
	case model.Benchmarks:
		return []*format{benchmarkFormat(), benchmarkPriceFormat()}, nil
	case model.Article107s:
		return []*format{article107Format()}, nil
	case model.Events:
		return []*format{factorFormat(), exchangeFormat(), renameFormat(), discontinuityFormat(), riskFreeFormat()}, nil
	case model.Vehicles:
		return []*format{vehiclesFormat()}, nil
	}
	return nil, fmt.Errorf("dataset %q has no parser", dataset)
}

func (f *format) isCSV() bool { return f.separator == ',' || f.quoted }

// split cuts a line into its fields, reusing the space of into.
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
			return nil, fmt.Errorf("the line's quotes do not match (%w); save the sheet as CSV again", err)
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

// blank tells whether a line is empty. A sheet's empty row has its separators.
func (f *format) blank(text string) bool {
	if f.isCSV() {
		return strings.Trim(text, string(f.separator)+" \t") == ""
	}
	return strings.TrimSpace(text) == ""
}

// noRow tells whether a line below the header holds no row: a blank one, or one
// that the format knows as such. A line that can't be trusted is always a row,
// to be rejected.
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

// santiago is where the market's days begin and end.
var santiago = func() *time.Location {
	location, err := time.LoadLocation("America/Santiago")
	if err != nil { // the zone is compiled in
		panic(err)
	}
	return location
}()

// lineSource gives a payload line by line.
type lineSource interface {
	// next gives the next line; io.EOF after the last one.
	next() (line, error)
	// position tells the number of the last line given and the bytes read.
	position() (number uint32, bytes int64)
}

// parser reads one payload, header first.
type parser struct {
	entry       Entry
	formats     []*format // that the file may have
	format      *format   // that it has, once the header is read
	lines       lineSource
	first       *line // the first row, where it was read to find the header's end
	row         row
	validate    *eventValidator
	headerLines int // lines up to and including the header
	idleLines   int // lines below it that hold no row
}

// newParser reads the payload's header; a *refusal says that the payload is
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
	// First sight, not now, is what dates are held against: the verdict on a
	// row must not change from one ingestion of the same bytes to the next.
	p.row.latest = model.DateOf(entry.FirstSeen.In(santiago)).AddDays(p.format.ahead)
	if p.format.ready != nil {
		return p, p.format.ready(p.row.latest)
	}
	return p, nil
}

// open gives the lines of the payload, or the rows of the table in it where it
// is a web page and may be one.
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

// result is what became of one row: an event, valid until the next call, or a
// rejection.
type result struct {
	event  model.Event
	day    model.Date
	reject *model.Reject
	cut    bool // the payload ends inside this row
}

// next gives the next row's result; io.EOF after the last one.
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
		return p.parse(l), nil
	}
}

// nextLine gives the next line below the header.
func (p *parser) nextLine() (line, error) {
	if first := p.first; first != nil {
		p.first = nil
		return *first, nil
	}
	return p.lines.next()
}

func (p *parser) parse(l line) result {
	r := &p.row
	r.format, r.source, r.err = p.format, p.entry.source(l.number), nil
	var err error
	if r.fields, err = p.format.split(l.text, r.fields); err != nil {
		r.fields, r.err = nil, err
	}
	switch {
	case l.flaw != "":
		r.err = errors.New(l.flaw)
	case err == nil && len(r.fields) != len(p.format.columns):
		r.err = fmt.Errorf("the row has %d columns, expected %d; download the file again, unconverted", len(r.fields), len(p.format.columns))
	}
	if r.err == nil {
		event, day := p.format.parse(r)
		if r.err == nil {
			r.err = p.validate.check(event)
		}
		if r.err == nil {
			return result{event: event, day: day}
		}
	}
	reject := p.reject(l, r.err.Error())
	if p.format.identify != nil {
		r.cut = l.flaw != ""
		r.err = nil
		p.format.identify(r, reject)
	}
	return result{reject: reject, cut: l.flaw == flawCut || l.flaw == flawPage}
}

// row reads the fields of one line. The first field that can't be read sets
// err; what is read after that is not used.
type row struct {
	format *format
	source model.Source
	fields []string
	latest model.Date // the last day that a row may be about
	cut    bool       // the last field may be incomplete
	err    error
}

// fail notes what is wrong with a column.
func (r *row) fail(column int, err error) {
	if r.err == nil {
		r.err = fmt.Errorf("column %d, %s: %w", column+1, r.format.columns[column], err)
	}
}

func (r *row) number(column int, s shape) decimal.Decimal {
	n, err := parseDecimal(r.fields[column], s)
	if err != nil {
		r.fail(column, err)
	}
	return n
}

// maybe reads a number that may be blank.
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

// name reads a text for people: outer spaces cut, inner ones collapsed.
func (r *row) name(column int) string {
	text := r.fields[column]
	if !strings.Contains(text, "  ") && strings.TrimSpace(text) == text && !strings.ContainsRune(text, '\t') {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// oneOf reads a word of a fixed list.
func (r *row) oneOf(column int, words ...string) string {
	for _, word := range words {
		if r.fields[column] == word {
			return word
		}
	}
	r.fail(column, fmt.Errorf("%s is unknown, expected one of %q; download the file again, or report that the source has changed",
		shown(r.fields[column]), words))
	return ""
}

// yes reads a word of a list in which S, Si, 1 and yes mean yes.
func (r *row) yes(column int, words ...string) bool {
	switch r.oneOf(column, words...) {
	case "S", "Si", "1", "yes":
		return true
	}
	return false
}

func (r *row) currency(column int) string { return r.oneOf(column, "$$", "PROM", "EUR") }

// rol checks what model's own reading would overlook: dots and spaces, which
// the files do not have and which would join two numbers into one.
func (r *row) rol(column int) string {
	text := r.fields[column]
	number, _, _ := strings.Cut(text, "-")
	if number == "" || !digits(number) || strings.ContainsRune(text, ' ') {
		r.fail(column, fmt.Errorf("%s is not a RUN or RUT, expected one to eight digits; download the file again", shown(text)))
		return ""
	}
	return text
}

func (r *row) run(column int) model.RUN {
	text := r.rol(column)
	if text == "" {
		return 0
	}
	run, err := model.ParseRUN(text)
	if err != nil {
		r.fail(column, fmt.Errorf("%w; compare it with the register", err))
	}
	return run
}

func (r *row) rut(column int) model.RUT {
	text := r.rol(column)
	if text == "" {
		return 0
	}
	rut, err := model.ParseRUT(text)
	if err != nil {
		r.fail(column, fmt.Errorf("%w; compare it with the register", err))
	}
	return rut
}

func (r *row) serie(column int) string {
	serie, err := model.NormalSerie(r.fields[column])
	if err != nil {
		r.fail(column, fmt.Errorf("%w; compare it with the source", err))
	}
	return serie
}

// firstDay is before any that the sources tell of.
var firstDay = model.NewDate(1971, time.January, 1)

// day reads the day that the row is about.
func (r *row) day(column int, parse func(string) (model.Date, error)) model.Date {
	date, err := parse(r.fields[column])
	if err != nil {
		r.fail(column, fmt.Errorf("%w; compare it with the source", err))
	} else if err := r.inRange(date); err != nil {
		r.fail(column, err)
	}
	return date
}

// inRange holds the day that a row is about against those it may be about.
func (r *row) inRange(day model.Date) error {
	switch {
	case day.Compare(firstDay) < 0:
		return fmt.Errorf("%s is before %s, when nothing was published yet; compare it with the source", day, firstDay)
	case day.Compare(r.latest) > 0:
		return fmt.Errorf("%s lies in the future, the latest day taken from this file is %s; have the source correct it", day, r.latest)
	}
	return nil
}

// maybeDate reads DD/MM/YYYY or nothing. It may lie in the future, as the end
// of a fund that is being wound up.
func (r *row) maybeDate(column int) model.Date {
	if r.fields[column] == "" {
		return model.Date{}
	}
	date, err := model.ParseSlashDate(r.fields[column])
	if err != nil {
		r.fail(column, fmt.Errorf("%w; compare it with the source", err))
	}
	return date
}
