package ingest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"cuota/model"
)

// maxRaw bounds how much text of a rejected row is kept with the rejection, in bytes.
const maxRaw = 4 << 10

// refusal is the error for a file that as a whole is not of its dataset.
type refusal struct {
	reason string
	head   string // the line that shows it
}

func (r *refusal) Error() string { return r.reason }

// A file with more rejected rows than these is refused as a whole: it is damaged, has
// another form now, or was made to fill the disk. Published files have few or no
// rejected rows; the most seen are five of 2,901.
const (
	maxRejected = 10_000
	// A file of which more than half of the rows are rejected is refused too, if they are
	// more than these: a small hand-made file may hold many bad rows.
	maxRejectedHalf = 100
)

// mustBeReadable reads the payload to its end. It refuses a payload without rows, and
// one with too many rejected rows.
func (p *parser) mustBeReadable() error {
	var rows, rejected uint64
	var first *model.Reject
	refuse := func(counted string) error {
		return &refusal{head: first.Raw, reason: fmt.Sprintf("%s rows can't be read, the first on line %d (%s), so the whole file was refused; "+
			"download it again without converting it, or report that the source has changed its format", counted, first.Line, first.Reason)}
	}
	for {
		result, err := p.next()
		switch {
		case errors.Is(err, io.EOF) && rows == 0:
			return &refusal{reason: "the file has a header and no rows; download it again"}
		case errors.Is(err, io.EOF) && rejected > maxRejectedHalf && 2*rejected > rows:
			return refuse(fmt.Sprintf("%d of %d", rejected, rows))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		rows++
		if result.reject == nil {
			continue
		}
		if rejected++; rejected == 1 {
			first = result.reject
		}
		if rejected > maxRejected {
			return refuse(fmt.Sprintf("more than %d", maxRejected))
		}
	}
}

// reject makes the rejection of one line.
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

// shown quotes a value for a reason, shortened.
func shown(text string) string {
	const limit = 60
	if len(text) > limit {
		return fmt.Sprintf("%q…", cut(text, limit))
	}
	return fmt.Sprintf("%q", text)
}
