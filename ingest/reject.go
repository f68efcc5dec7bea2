package ingest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"cuota/model"
)

// maxRaw bounds how much of a rejected row travels with its rejection.
const maxRaw = 4 << 10

// refusal is the error of a file that as a whole is not of its dataset.
type refusal struct {
	reason string
	head   string // the line that shows it
}

func (r *refusal) Error() string { return r.reason }

// reject makes the rejection of a line of the payload.
func (p *parser) reject(l line, reason string) *model.Reject {
	return &model.Reject{
		Source:  p.entry.source(l.number),
		Dataset: p.entry.Dataset,
		File:    p.entry.File,
		Reason:  reason,
		Raw:     rawText(l.text),
	}
}

// rawText cuts text to maxRaw bytes without splitting a character.
func rawText(text string) string { return cut(text, maxRaw) }

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return strings.Clone(text[:limit])
}

// shown quotes what was found for a reason, shortened.
func shown(text string) string {
	const limit = 60
	if len(text) > limit {
		return fmt.Sprintf("%q…", cut(text, limit))
	}
	return fmt.Sprintf("%q", text)
}
