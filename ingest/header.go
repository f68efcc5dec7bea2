package ingest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxPreamble bounds the lines before the header of a sheet. The most seen is eleven.
const maxPreamble = 40

// readHeader reads up to and including the header and chooses the format of the file.
// The error is a *refusal if the payload is not a file of the dataset.
func (p *parser) readHeader() error {
	var first *line
	for {
		l, err := p.lines.next()
		if errors.Is(err, io.EOF) {
			if first == nil {
				return &refusal{reason: "the file is empty; download it again"}
			}
			return p.refuseHeader(*first)
		}
		if err != nil {
			return fmt.Errorf("read the header: %w", err)
		}
		p.headerLines++
		if first == nil {
			if kind := foreign(l.text); kind != "" {
				return &refusal{reason: kind, head: l.text}
			}
		}
		if p.format.blank(l.text) {
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
		if fields, _ := sheet.split(l.text, nil); sheet.preamble != nil {
			sheet.preamble(fields)
		}
	}
}

// begins reports whether the line is the header of one of the formats, or the first row of
// a format whose header has no fixed words. It then sets that format.
func (p *parser) begins(l line) bool {
	for _, f := range p.formats {
		fields, err := f.split(l.text, nil)
		broken := l.flaw != "" || err != nil
		switch {
		case f.starts != nil:
			if broken && f.startsAs.MatchString(l.text) || !broken && f.starts(fields) {
				p.format, p.first = f, &l
				p.headerLines--
				return true
			}
		case !broken && f.isHeader(fields):
			p.format, p.header = f, fields
			return true
		}
	}
	if l.flaw != "" {
		return false
	}
	for _, f := range p.formats {
		if fields, err := f.split(l.text, nil); err == nil && f.starts == nil && f.isRenamed(fields) {
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
		if folded(field) == folded(f.columns[i]) {
			continue
		}
		if folded(field) == "" || slices.ContainsFunc(f.columns, func(name string) bool { return folded(name) == folded(field) }) {
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
func (p *parser) refuseHeader(l line) error {
	const remedy = "; give the dataset that the file belongs to, or download the file again without converting it"
	refused := &refusal{head: l.text}
	if l.flaw != "" {
		refused.reason = "no header: " + l.flaw
		return refused
	}
	nearest, alike := p.formats[0], -1
	for _, f := range p.formats {
		fields, err := f.split(l.text, nil)
		if n := f.alike(fields); err == nil && n > alike {
			nearest, alike = f, n
		}
	}
	want := nearest.columns
	switch fields, err := nearest.split(l.text, nil); {
	case nearest.starts != nil:
		refused.reason = fmt.Sprintf("the first %d lines of the file have no row of dataset %s, which has %d columns from %s to %s%s",
			p.headerLines, p.entry.Dataset, len(want), want[0], want[len(want)-1], remedy)
	case err != nil:
		refused.reason = fmt.Sprintf("no header of dataset %s: %v%s", p.entry.Dataset, err, remedy)
	case len(fields) != len(want):
		refused.reason = fmt.Sprintf("the header has %d columns separated by %q, but dataset %s has %d columns from %s to %s%s",
			len(fields), nearest.separator, p.entry.Dataset, len(want), want[0], want[len(want)-1], remedy)
	default:
		at := nearest.alike(fields)
		refused.reason = fmt.Sprintf("column %d of the header is %s, but dataset %s has %s there%s",
			at+1, shown(fields[at]), p.entry.Dataset, want[at], remedy)
	}
	return refused
}

func (f *format) isHeader(fields []string) bool {
	return len(fields) == len(f.columns) && f.alike(fields) == len(fields)
}

// alike counts how many columns, from the first on, equal those of the format.
func (f *format) alike(fields []string) int {
	for i, field := range fields {
		if i == len(f.columns) || folded(field) != folded(f.columns[i]) {
			return i
		}
	}
	return len(fields)
}

// folded reduces a column's name to what all copies of a file have in common. Copies
// differ in accents, capitals, outer spaces, and in spaces written as underscores.
func folded(text string) string {
	stripped := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), r == '°', r == 'º':
			return -1
		case r == '_':
			return ' '
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(cut(text, 200)))
	return strings.TrimSpace(stripped)
}

// foreign names the kind of a wrong file, if it is one that people often give by
// mistake; else it returns empty text.
func foreign(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "<"):
		return "the file is a web page, not data: the site answered with a form or an error; download it again in a browser"
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
	case strings.ContainsRune(cut(text, maxRaw), 0):
		return "the file is binary, not text: download it again"
	}
	return ""
}
