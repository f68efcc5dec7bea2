package parse

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"cuota/ingest/excerpt"
	"cuota/ingest/lines"
)

// maxPreamble bounds the lines before the header of a sheet. The most seen is eleven.
const maxPreamble = 40

// readHeader reads up to and including the header and chooses the format of the file.
// The error is a *Refusal if the payload is not a file of the dataset.
func (p *Parser) readHeader() error {
	var first *lines.Line
	for {
		l, err := p.lines.Next()
		if errors.Is(err, io.EOF) {
			if first == nil {
				return &Refusal{Reason: "the file is empty; download it again"}
			}
			return p.refuseHeader(*first)
		}
		if err != nil {
			return fmt.Errorf("read the header: %w", err)
		}
		p.headerLines++
		if first == nil {
			if kind := wrongKind(l.Text); kind != "" {
				return &Refusal{Reason: kind, Head: l.Text}
			}
		}
		if p.format.blank(l.Text) {
			continue
		}
		if first == nil {
			first = &l
		}
		if p.begins(l) {
			return nil
		}
		sheet := p.formats[0]
		if sheet.preamble == nil && sheet.starts == nil || p.headerLines >= maxPreamble {
			return p.refuseHeader(*first)
		}
		if fields, _ := sheet.split(l.Text, nil); sheet.preamble != nil {
			sheet.preamble(fields)
		}
	}
}

// begins reports whether the line is the header of one of the formats, or the first row of
// a format whose header has no fixed words. It then sets that format.
func (p *Parser) begins(l lines.Line) bool {
	for _, f := range p.formats {
		fields, err := f.split(l.Text, nil)
		broken := l.Flaw != "" || err != nil
		switch {
		case f.starts != nil:
			if broken && f.startsAs.MatchString(l.Text) || !broken && f.starts(fields) {
				p.format, p.first = f, &l
				p.headerLines--
				return true
			}
		case !broken && f.isHeader(fields):
			p.format, p.header = f, fields
			return true
		}
	}
	if l.Flaw != "" {
		return false
	}
	for _, f := range p.formats {
		if fields, err := f.split(l.Text, nil); err == nil && f.starts == nil && f.isRenamed(fields) {
			p.format, p.header = f, fields
			return true
		}
	}
	return false
}

// isRenamed reports whether a header is that of the format except for the names of few
// columns. It is not if a column has the name of another one, because then columns may
// have changed places.
func (f *format) isRenamed(fields []string) bool {
	if len(fields) != len(f.columns) {
		return false
	}
	renamed := 0
	for i, field := range fields {
		if Folded(field) == Folded(f.columns[i]) {
			continue
		}
		if Folded(field) == "" || slices.ContainsFunc(f.columns, func(name string) bool {
			return Folded(name) == Folded(field)
		}) {
			return false
		}
		renamed++
	}
	return renamed <= len(f.columns)/columnsPerRename
}

// columnsPerRename is how many columns a header must have for each that may have another
// name, so that a file of another dataset is not taken for one of this.
const columnsPerRename = 8

// refuseHeader returns an error that says where the line differs from the expected
// header. Of several headers it takes the one with the most equal columns at the start.
func (p *Parser) refuseHeader(l lines.Line) error {
	const remedy = "; give the dataset that the file belongs to, or download the file again without converting it"
	refused := &Refusal{Head: l.Text}
	if l.Flaw != "" {
		refused.Reason = "no header: " + l.Flaw
		return refused
	}
	nearest, alike := p.formats[0], -1
	for _, f := range p.formats {
		fields, err := f.split(l.Text, nil)
		if n := f.alike(fields); err == nil && n > alike {
			nearest, alike = f, n
		}
	}
	want := nearest.columns
	switch fields, err := nearest.split(l.Text, nil); {
	case nearest.starts != nil:
		refused.Reason = fmt.Sprintf(
			"the first %d lines of the file have no row of dataset %s, which has %d columns from %s to %s%s",
			p.headerLines, p.file.Dataset, len(want), want[0], want[len(want)-1], remedy)
	case err != nil:
		refused.Reason = fmt.Sprintf("no header of dataset %s: %v%s", p.file.Dataset, err, remedy)
	case len(fields) != len(want):
		refused.Reason = fmt.Sprintf(
			"the header has %d columns separated by %q, but dataset %s has %d columns from %s to %s%s",
			len(fields), nearest.separator, p.file.Dataset, len(want), want[0], want[len(want)-1], remedy)
	default:
		at := nearest.alike(fields)
		refused.Reason = fmt.Sprintf("column %d of the header is %s, but dataset %s has %s there%s",
			at+1, excerpt.Quoted(fields[at]), p.file.Dataset, want[at], remedy)
	}
	return refused
}

func (f *format) isHeader(fields []string) bool {
	return len(fields) == len(f.columns) && f.alike(fields) == len(fields)
}

// alike counts how many columns, from the first on, equal those of the format.
func (f *format) alike(fields []string) int {
	for i, field := range fields {
		if i == len(f.columns) || Folded(field) != Folded(f.columns[i]) {
			return i
		}
	}
	return len(fields)
}

// Folded reduces a column's name to what all copies of a file have in common. Copies
// differ in accents, capitals, outer spaces, and in spaces written as underscores.
func Folded(text string) string {
	stripped := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), r == '°', r == 'º':
			return -1
		case r == '_':
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(excerpt.Cut(text, 200)))
	return strings.TrimSpace(stripped)
}

// wrongKind names the kind of a wrong file, if it is one that people often give by
// mistake; else it returns empty text.
func wrongKind(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "<"):
		return "the file is a web page, not data: the site answered with a form or an error; download it again in a " +
			"browser"
	case strings.HasPrefix(text, "PK\x03\x04"):
		return "the file is a zip archive or an Excel workbook: unpack it, or save the sheet as CSV in UTF-8"
	case strings.HasPrefix(text, "\u00d0\u00cf\u0011\u00e0"): // D0 CF 11 E0, decoded
		return "the file is an old Excel workbook: save the sheet as CSV in UTF-8"
	case strings.HasPrefix(text, "\x1f\u2039"): // 1F 8B, decoded
		return "the file is compressed with gzip: unpack it"
	case strings.HasPrefix(text, "\u00ff\u00fe"), strings.HasPrefix(text, "\u00fe\u00ff"): // byte order marks, decoded
		return "the file is in UTF-16: save it in UTF-8"
	case strings.HasPrefix(text, "%PDF"):
		return "the file is a PDF, not data: get it as text or CSV"
	case strings.ContainsRune(excerpt.Row(text), 0):
		return "the file is binary, not text: download it again"
	}
	return ""
}
