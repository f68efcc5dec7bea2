package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Bounds of a page. What exceeds them is not read as data.
const (
	maxPageToken = 4 << 20 // bytes of a tag, a text or a script
	maxPageCell  = 4 << 10 // bytes
	maxPageCells = 64      // in a row
	maxPageDepth = 32      // tables in tables
)

const flawPage = "the page ends inside its table, or the table is damaged, so rows may be missing: save the page again"

// looksLikePage reports whether a payload starts as a web page does.
func looksLikePage(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<"))
}

// pageReader returns the rows of one table of a saved web page: the table whose header
// is that of one of the formats. It returns each row as a line of CSV. The line's number
// is the position of the row among all table rows of the page, because several rows may
// stand on one line of the source.
type pageReader struct {
	from    *counted
	tokens  *html.Tokenizer
	formats []*format

	tables  []pageTable // open tables, outermost first
	deeper  int         // number of open tables beyond maxPageDepth
	mute    bool        // inside a script or a style element
	found   int         // how many tables were open at the header; 0 before the header is found
	number  uint32
	current *line // a complete row, not yet returned
	ended   bool
}

// pageTable is an open table with the row that is being read.
type pageTable struct {
	cells         []string
	cell          strings.Builder
	inRow, inCell bool
	flaw          string
}

func newPageReader(from io.Reader, formats []*format) *pageReader {
	p := &pageReader{from: &counted{from: from}, formats: formats}
	p.tokens = html.NewTokenizer(p.from)
	p.tokens.SetMaxBuf(maxPageToken)
	return p
}

func (p *pageReader) position() (number uint32, read int64) { return p.number, p.from.bytes }

func (p *pageReader) next() (line, error) {
	for p.current == nil {
		if p.ended {
			// Nothing after the table is data. It is read nevertheless, to find out
			// whether the payload is readable to its end.
			if _, err := io.Copy(io.Discard, p.from); err != nil {
				return line{}, err
			}
			return line{}, io.EOF
		}
		kind := p.tokens.Next()
		if kind == html.ErrorToken {
			return p.end(p.tokens.Err())
		}
		p.take(kind)
	}
	row := *p.current
	p.current = nil
	return row, nil
}

// end is called where the page ends before its table does.
func (p *pageReader) end(err error) (line, error) {
	damaged := errors.Is(err, html.ErrBufferExceeded)
	switch {
	case !damaged && !errors.Is(err, io.EOF):
		return line{}, err
	case p.found == 0:
		return line{}, &refusal{reason: fmt.Sprintf("the page has no table with the columns %s: save the page while it shows the values",
			strings.Join(p.formats[0].columns, ", "))}
	}
	p.ended = true
	p.number++
	var cells []string
	if len(p.tables) >= p.found {
		cells = p.tables[p.found-1].cells
	}
	return line{number: p.number, text: p.text(cells), flaw: flawPage}, nil
}

// take processes one token.
func (p *pageReader) take(kind html.TokenType) {
	switch kind {
	case html.TextToken:
		p.addText(p.tokens.Raw())
	case html.StartTagToken, html.SelfClosingTagToken:
		name, _ := p.tokens.TagName()
		p.open(string(name))
	case html.EndTagToken:
		name, _ := p.tokens.TagName()
		p.close(string(name))
	}
}

func (p *pageReader) open(tag string) {
	switch tag {
	case "table":
		if len(p.tables) == maxPageDepth {
			p.deeper++
			return
		}
		p.tables = append(p.tables, pageTable{})
	case "script", "style":
		p.mute = true
	case "br":
		p.addText([]byte(" "))
	case "tr":
		if t := p.table(); t != nil {
			p.endRow(t)
			t.inRow = true
		}
	case "td", "th":
		if t := p.table(); t != nil {
			t.endCell()
			t.inRow, t.inCell = true, true
		}
	}
}

func (p *pageReader) close(tag string) {
	if tag == "script" || tag == "style" {
		p.mute = false
		return
	}
	if tag == "table" && p.deeper > 0 {
		p.deeper--
		return
	}
	t := p.table()
	if t == nil {
		return
	}
	switch tag {
	case "td", "th":
		t.endCell()
	case "tr":
		p.endRow(t)
	case "table":
		p.endRow(t)
		p.ended = p.found == len(p.tables)
		p.tables = p.tables[:len(p.tables)-1]
	}
}

// table returns the innermost open table within the bounds.
func (p *pageReader) table() *pageTable {
	if len(p.tables) == 0 || p.deeper > 0 {
		return nil
	}
	return &p.tables[len(p.tables)-1]
}

// addText adds raw text to the open cell. References such as &oacute; are resolved after
// decoding, because the bytes around them may be Latin-1.
func (p *pageReader) addText(raw []byte) {
	t := p.table()
	if t == nil || !t.inCell || p.mute {
		return
	}
	if t.cell.Len()+len(raw) > maxPageCell {
		t.flaw = flawControl
		return
	}
	for i, b := range raw { // changes the tokenizer's buffer, which it no longer needs
		if b == '\n' || b == '\r' || b == '\t' {
			raw[i] = ' '
		}
	}
	text, clean := decode(raw)
	if !clean {
		t.flaw = flawControl
	}
	t.cell.WriteString(html.UnescapeString(text))
}

func (t *pageTable) endCell() {
	if t.inCell && len(t.cells) < maxPageCells {
		t.cells = append(t.cells, strings.Join(strings.Fields(t.cell.String()), " "))
	}
	t.cell.Reset()
	t.inCell = false
}

// endRow ends the open row. The row becomes the current line if it is in the table that
// is read, or if it is the header of that table.
func (p *pageReader) endRow(t *pageTable) {
	t.endCell()
	if t.inRow && len(t.cells) > 0 {
		p.number++
		if p.found == 0 && p.isHeader(t.cells) {
			p.found = len(p.tables)
		}
		if p.found == len(p.tables) {
			p.current = &line{number: p.number, text: p.text(t.cells), flaw: t.flaw}
		}
	}
	t.cells, t.inRow, t.flaw = nil, false, ""
}

func (p *pageReader) isHeader(cells []string) bool {
	return slices.ContainsFunc(p.formats, func(f *format) bool { return f.isHeader(cells) })
}

// text writes cells as a line of CSV.
func (p *pageReader) text(cells []string) string {
	var text strings.Builder
	writer := csv.NewWriter(&text)
	writer.Comma = p.formats[0].separator
	_ = writer.Write(cells) // writing to memory cannot fail
	writer.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

// counted is a reader that counts the bytes read through it.
type counted struct {
	from  io.Reader
	bytes int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.bytes += int64(n)
	return n, err
}
