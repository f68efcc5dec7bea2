package parse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"cuota/ingest/lines"
	"cuota/model"
)

// File says what is parsed.
type File struct {
	Dataset  model.Dataset
	Name     string // base name, which in some datasets states the day or the fund
	SHA256   string
	Revision int64 // Unix milliseconds
	// Latest is the day on which the file was published. Rows are about days up to it, or up to a
	// few days after it, as the dataset allows.
	Latest model.Date
}

// source returns where the row on a line comes from.
func (f File) source(line uint32) model.Source {
	return model.Source{SHA256: f.SHA256, Line: line, Revision: f.Revision}
}

// Observer sees the rows of a file, except those on a damaged line.
type Observer interface {
	// Row is called for each row with its fields as they are written, which are valid until it returns.
	Row(line uint32, fields []string)
	// Event is called after Row if the row is accepted.
	Event(event model.Event)
	// Day is called with the day of a row, which is zero if it has none or can't be read.
	Day(day model.Date)
}

// lineSource returns a payload line by line.
type lineSource interface {
	// Next returns the next line, and io.EOF after the last one.
	Next() (lines.Line, error)
	// Position returns the number of the last line that Next returned, and the bytes
	// read.
	Position() (number uint32, bytes int64)
}

// Parser reads one payload: first the header, then rows.
type Parser struct {
	file        File
	formats     []*format // formats that the file may have
	format      *format   // format that it has, known once the header is read
	lines       lineSource
	first       *lines.Line // the first row, if it was read to find the end of the header
	row         row
	validate    *eventValidator
	unknown     unknownValues // of the rows that were accepted
	headerLines int           // lines up to and including the header
	idleLines   int           // lines below the header that hold no row
	header      []string      // as the file has it
	observer    Observer      // nil: nobody observes
}

// New reads the header of the payload. The error is a *Refusal if the payload is
// not a file of the dataset.
func New(file File, payload io.Reader) (*Parser, error) {
	formats, err := newFormats(file.Dataset, file.Name)
	if err != nil {
		return nil, err
	}
	p := &Parser{file: file, formats: formats, format: formats[0], validate: newEventValidator()}
	if p.lines, err = p.open(payload); err != nil {
		return nil, err
	}
	if err := p.readHeader(); err != nil {
		return nil, err
	}
	p.row.latest = file.Latest.AddDays(p.format.ahead)
	if p.format.ready != nil {
		return p, p.format.ready(p.row.latest)
	}
	return p, nil
}

// Columns returns the names of the file's columns, as this program names them.
func (p *Parser) Columns() []string { return p.format.columns }

// Header returns the header as the file has it, and the number of lines up to and including it. The
// header of a sheet without fixed words is nil.
func (p *Parser) Header() (header []string, line int) { return p.header, p.headerLines }

// NamedFund returns the fund that all rows are about, if only the name of the file states it, else 0.
func (p *Parser) NamedFund() model.RUN { return p.format.fund }

// BytesRead returns how many bytes of the payload are read.
func (p *Parser) BytesRead() int64 {
	_, read := p.lines.Position()
	return read
}

// Unknown returns the values of accepted rows that the program does not know, in the order in which
// they first occur.
func (p *Parser) Unknown() []UnknownValue { return p.unknown.list() }

// Fields reads on until it has the fields of all lines that are keys of rows, or the payload ends,
// and puts them there.
func (p *Parser) Fields(rows map[uint32][]string) error {
	for found := 0; found < len(rows); {
		l, err := p.nextLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the archived payload again: %w", err)
		}
		if _, wanted := rows[l.Number]; wanted {
			found++
			if rows[l.Number], err = p.format.split(l.Text, nil); err != nil {
				return fmt.Errorf("split line %d: %w", l.Number, err)
			}
		}
	}
	return nil
}

// open returns the lines of the payload, or the rows of the table inside it if it is a
// web page and the dataset allows one.
func (p *Parser) open(payload io.Reader) (lineSource, error) {
	buffered := bufio.NewReaderSize(payload, lines.MaxLine)
	if !p.formats[0].page {
		return lines.NewReader(buffered), nil
	}
	head, err := buffered.Peek(lines.MaxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of the archived payload: %w", err)
	}
	if !lines.LooksLikePage(head) {
		return lines.NewReader(buffered), nil
	}
	first := p.formats[0]
	return lines.NewPageReader(buffered, lines.Table{
		IsHeader: func(cells []string) bool {
			return slices.ContainsFunc(p.formats, func(f *format) bool { return f.isHeader(cells) })
		},
		Separator: first.separator,
		Missing: &Refusal{Reason: fmt.Sprintf(
			"the page has no table with the columns %s: save the page while it shows the values",
			strings.Join(first.columns, ", "))},
	}), nil
}

// Result is the outcome of one row: an event, valid until the next call, or a rejection.
type Result struct {
	Event  model.Event
	Day    model.Date // of the event; zero: it is about none
	Reject *model.Reject
	Cut    bool // the payload ends inside this row
	// foreign says that the rejected row has not the columns of the dataset, or that nobody
	// can tell what it is about.
	foreign bool
}

// Next returns the result of the next row, and io.EOF after the last one.
func (p *Parser) Next() (Result, error) {
	for {
		l, err := p.nextLine()
		if errors.Is(err, io.EOF) {
			return Result{}, io.EOF
		}
		if err != nil {
			number, _ := p.lines.Position()
			return Result{}, fmt.Errorf("read line %d of the archived payload: %w", number+1, err)
		}
		if p.format.noRow(l) {
			p.idleLines++
			continue
		}
		result := p.parse(l)
		if p.observer != nil && l.Flaw == "" {
			p.observer.Row(l.Number, p.row.fields)
			if result.Event != nil {
				p.observer.Event(result.Event)
			}
			if p.observer.Day(result.Day); result.Reject != nil {
				p.observer.Day(result.Reject.Date) // the file has rows of the day, whatever is wrong with them
			}
		}
		return result, nil
	}
}

// nextLine returns the next line below the header.
func (p *Parser) nextLine() (lines.Line, error) {
	if first := p.first; first != nil {
		p.first = nil
		return *first, nil
	}
	return p.lines.Next()
}

func (p *Parser) parse(l lines.Line) Result {
	r := &p.row
	r.format, r.source, r.err, r.failed, r.unknown = p.format, p.file.source(l.Number), nil, 0, r.unknown[:0]
	var err error
	if r.fields, err = p.format.split(l.Text, r.fields); err != nil {
		r.fields, r.err = nil, err
	}
	switch {
	case l.Flaw != "":
		r.err = errors.New(l.Flaw)
	case err == nil && len(r.fields) != len(p.format.columns):
		r.err = fmt.Errorf("the row has %d columns, expected %d; download the file again without converting it",
			len(r.fields), len(p.format.columns))
	}
	if r.err == nil {
		event, day := p.format.parse(r)
		if r.err == nil {
			r.err = p.validate.check(event)
		}
		if r.err == nil {
			for _, column := range r.unknown {
				p.unknown.add(p.format.columns[column], r.fields[column], l.Number)
			}
			return Result{Event: event, Day: day}
		}
	}
	reject := p.reject(l, r.err.Error())
	foreign := l.Flaw != "" || len(r.fields) != len(p.format.columns) || r.failed&p.format.keyMask() != 0
	if p.format.identify != nil {
		r.cut = l.Flaw != ""
		r.err = nil
		p.format.identify(r, reject)
	}
	return Result{Reject: reject, foreign: foreign, Cut: l.Flaw == lines.FlawCut || l.Flaw == lines.FlawPage}
}
