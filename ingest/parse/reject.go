package parse

import (
	"errors"
	"fmt"
	"io"

	"cuota/ingest/excerpt"
	"cuota/ingest/lines"
	"cuota/model"
)

// Refusal is the error for a file that as a whole is not of its dataset.
type Refusal struct {
	Reason string
	Head   string // the line that shows it
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

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

// Check reads the payload to its end. It refuses a payload without rows, and one whose rows
// are not of the dataset: the error is then a *Refusal.
func (p *Parser) Check(observer Observer) error {
	p.observer = observer
	var rows, rejected, foreign uint64
	var first, firstForeign *model.Reject
	for {
		result, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		rows++
		if result.Reject == nil {
			continue
		}
		if rejected++; rejected == 1 {
			first = result.Reject
		}
		if !result.foreign {
			continue
		}
		if foreign++; foreign == 1 {
			firstForeign = result.Reject
		}
		if foreign > enoughForeign && float64(foreign) > refusedOfForeign*float64(rows) {
			break // what follows can't be a file that anybody has published
		}
	}
	refuse := func(counted uint64, what string, shown *model.Reject) error {
		return &Refusal{Head: shown.Raw,
			Reason: fmt.Sprintf("%d of %d rows %s, the first on line %d (%s), so the whole file was refused; "+
				"download it again without converting it, or report that the source has changed its format", counted,
				rows,
				what, shown.Line, shown.Reason)}
	}
	exceeds := func(count uint64, share float64) bool {
		return count > fewRejected && float64(count) > share*float64(rows)
	}
	if reason := p.row.forms.doubt(p.row.format); reason != "" {
		return &Refusal{Reason: reason}
	}
	switch {
	case rows == 0:
		return &Refusal{Reason: "the file has a header and no rows; download it again"}
	case exceeds(foreign, refusedOfForeign):
		return refuse(foreign, "are not rows of the dataset", firstForeign)
	case exceeds(rejected, refusedRejected):
		return refuse(rejected, "can't be read", first)
	}
	return nil
}

// reject makes the rejection of one line.
func (p *Parser) reject(l lines.Line, reason string) *model.Reject {
	return &model.Reject{
		Source:  p.file.source(l.Number),
		Dataset: p.file.Dataset,
		File:    p.file.Name,
		Reason:  reason,
		Raw:     excerpt.Row(l.Text),
	}
}
