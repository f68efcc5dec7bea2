package lines

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
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

// FlawPage is the flaw of the last row of a page that is not whole.
const FlawPage = "the page ends inside its table, or the table is damaged, so rows may be missing: save the page again"

// LooksLikePage reports whether a payload starts as a web page does.
func LooksLikePage(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	return bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<"))
}

// Table says which table of a page is read.
type Table struct {
	IsHeader  func(cells []string) bool // reports whether a row is the header of the table
	Separator rune                      // between the cells of a row, as Next writes it
	Missing   error                     // which Next returns if the page has no such table
}

// PageReader returns the rows of one table of a saved web page. It returns each row as a line of CSV. The line's number
// is the position of the row among all table rows of the page, because several rows may
// stand on one line of the source.
type PageReader struct {
	from   *counted
	tokens *html.Tokenizer
	table  Table

	tables  []pageTable // open tables, outermost first
	deeper  int         // number of open tables beyond maxPageDepth
	mute    bool        // inside a script or a style element
	found   int         // how many tables were open at the header; 0 before the header is found
	number  uint32
	current *Line // a complete row, not yet returned
	ended   bool
}

// pageTable is an open table with the row that is being read.
type pageTable struct {
	cells         []string
	cell          strings.Builder
	inRow, inCell bool
	flaw          string
}

// NewPageReader makes a PageReader of a payload.
func NewPageReader(from io.Reader, table Table) *PageReader {
	p := &PageReader{from: &counted{from: from}, table: table}
	p.tokens = html.NewTokenizer(p.from)
	p.tokens.SetMaxBuf(maxPageToken)
	return p
}

// Position returns the number of the last row that Next returned, and the bytes read.
func (p *PageReader) Position() (number uint32, read int64) { return p.number, p.from.bytes }

// Next returns the next row, and io.EOF after the last one.
func (p *PageReader) Next() (Line, error) {
	for p.current == nil {
		if p.ended {
			// Nothing after the table is data. It is read nevertheless, to find out
			// whether the payload is readable to its end.
			if _, err := io.Copy(io.Discard, p.from); err != nil {
				return Line{}, err
			}
			return Line{}, io.EOF
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
func (p *PageReader) end(err error) (Line, error) {
	damaged := errors.Is(err, html.ErrBufferExceeded)
	switch {
	case !damaged && !errors.Is(err, io.EOF):
		return Line{}, err
	case p.found == 0:
		return Line{}, p.table.Missing
	}
	p.ended = true
	p.number++
	var cells []string
	if len(p.tables) >= p.found {
		cells = p.tables[p.found-1].cells
	}
	return Line{Number: p.number, Text: p.text(cells), Flaw: FlawPage}, nil
}

// take processes one token.
func (p *PageReader) take(kind html.TokenType) {
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

func (p *PageReader) open(tag string) {
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
		if t := p.innermost(); t != nil {
			p.endRow(t)
			t.inRow = true
		}
	case "td", "th":
		if t := p.innermost(); t != nil {
			t.endCell()
			t.inRow, t.inCell = true, true
		}
	}
}

func (p *PageReader) close(tag string) {
	if tag == "script" || tag == "style" {
		p.mute = false
		return
	}
	if tag == "table" && p.deeper > 0 {
		p.deeper--
		return
	}
	t := p.innermost()
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

// innermost returns the innermost open table within the bounds.
func (p *PageReader) innermost() *pageTable {
	if len(p.tables) == 0 || p.deeper > 0 {
		return nil
	}
	return &p.tables[len(p.tables)-1]
}

// addText adds raw text to the open cell. References such as &oacute; are resolved after
// decoding, because the bytes around them may be Latin-1.
func (p *PageReader) addText(raw []byte) {
	t := p.innermost()
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
func (p *PageReader) endRow(t *pageTable) {
	t.endCell()
	if t.inRow && len(t.cells) > 0 {
		p.number++
		if p.found == 0 && p.table.IsHeader(t.cells) {
			p.found = len(p.tables)
		}
		if p.found == len(p.tables) {
			p.current = &Line{Number: p.number, Text: p.text(t.cells), Flaw: t.flaw}
		}
	}
	t.cells, t.inRow, t.flaw = nil, false, ""
}

// text writes cells as a line of CSV.
func (p *PageReader) text(cells []string) string {
	var text strings.Builder
	writer := csv.NewWriter(&text)
	writer.Comma = p.table.Separator
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
