package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxPreamble bounds the lines before the header of a sheet; eleven are seen.
const maxPreamble = 40

// readHeader reads up to and including the header. The error is a *refusal
// when the payload is not a file of the dataset.
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
		fields, err := p.format.split(l.text, nil)
		if err == nil && l.flaw == "" && p.format.isHeader(fields) {
			return nil
		}
		if p.format.preamble == nil || p.headerLines >= maxPreamble {
			return p.refuseHeader(*first)
		}
		p.format.preamble(fields)
	}
}

// mustHoldRows refuses a payload with nothing behind its header.
func (p *parser) mustHoldRows() error {
	for {
		l, err := p.lines.next()
		if errors.Is(err, io.EOF) {
			return &refusal{reason: "the file ends after its header and holds no rows; download it again"}
		}
		if err != nil {
			return fmt.Errorf("read the first row: %w", err)
		}
		if !p.format.blank(l.text) {
			return nil
		}
	}
}

// refuseHeader says where the line differs from the header it should be.
func (p *parser) refuseHeader(l line) error {
	const remedy = "; give the dataset that the file is of, or download it again unconverted"
	refused := &refusal{head: l.text}
	want := p.format.columns
	switch fields, err := p.format.split(l.text, nil); {
	case l.flaw != "":
		refused.reason = "no header: " + l.flaw
	case err != nil:
		refused.reason = fmt.Sprintf("no header of dataset %s: %v%s", p.entry.Dataset, err, remedy)
	case len(fields) != len(want):
		refused.reason = fmt.Sprintf("the header has %d columns separated by %q, dataset %s has %d from %s to %s%s",
			len(fields), p.format.separator, p.entry.Dataset, len(want), want[0], want[len(want)-1], remedy)
	default:
		for i, field := range fields {
			if folded(field) != folded(want[i]) {
				refused.reason = fmt.Sprintf("column %d of the header is %s, dataset %s has %s there%s",
					i+1, shown(field), p.entry.Dataset, want[i], remedy)
				break
			}
		}
	}
	return refused
}

func (f *format) isHeader(fields []string) bool {
	if len(fields) != len(f.columns) {
		return false
	}
	for i, field := range fields {
		if folded(field) != folded(f.columns[i]) {
			return false
		}
	}
	return true
}

// folded strips accents, which some copies of the files have lost, and outer
// spaces.
func folded(text string) string {
	stripped := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(cut(text, 200)))
	return strings.TrimSpace(stripped)
}

// foreign names the kinds of file that come in place of the right one.
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
		return "the file is a PDF, not data: get the text or CSV form"
	case strings.ContainsRune(cut(text, maxRaw), 0):
		return "the file is binary, not text: download it again"
	}
	return ""
}
