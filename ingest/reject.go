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

// A file is refused as a whole if it is not of the dataset: if more than half of its rows
// are foreign, or more than nine tenths are rejected. A few rows say nothing: a small
// hand-made file may have many bad ones. So rejected rows take at most about as much space
// as the rows that are published, and a file can't be made to fill the disk with them.
const (
	fewRejected      = 100
	refusedRejected  = 0.9
	refusedOfForeign = 0.5
	enoughForeign    = 100_000
)

// mustBeReadable reads the payload to its end. It refuses a payload without rows, and
// one whose rows are not of the dataset.
func (p *parser) mustBeReadable() error {
	var rows, rejected, foreign uint64
	var first, firstForeign *model.Reject
	for {
		result, err := p.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		rows++
		if result.reject == nil {
			continue
		}
		if rejected++; rejected == 1 {
			first = result.reject
		}
		if !result.foreign {
			continue
		}
		if foreign++; foreign == 1 {
			firstForeign = result.reject
		}
		if foreign > enoughForeign && float64(foreign) > refusedOfForeign*float64(rows) {
			break // what follows can't be a file that anybody has published
		}
	}
	refuse := func(counted uint64, what string, shown *model.Reject) error {
		return &refusal{head: shown.Raw, reason: fmt.Sprintf("%d of %d rows %s, the first on line %d (%s), so the whole file was refused; "+
			"download it again without converting it, or report that the source has changed its format", counted, rows, what, shown.Line, shown.Reason)}
	}
	exceeds := func(count uint64, share float64) bool {
		return count > fewRejected && float64(count) > share*float64(rows)
	}
	if reason := p.row.forms.doubt(p.row.format); reason != "" {
		return &refusal{reason: reason}
	}
	switch {
	case rows == 0:
		return &refusal{reason: "the file has a header and no rows; download it again"}
	case exceeds(foreign, refusedOfForeign):
		return refuse(foreign, "are not rows of the dataset", firstForeign)
	case exceeds(rejected, refusedRejected):
		return refuse(rejected, "can't be read", first)
	}
	return nil
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
