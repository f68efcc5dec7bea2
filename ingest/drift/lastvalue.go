package drift

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// SeriesValue is what a file states of a series on a day.
type SeriesValue struct {
	Day      model.Date      `json:"day"`
	Value    decimal.Decimal `json:"value"`
	Currency string          `json:"currency"`
	line     uint32
}

// seriesValues holds the first and the last value of each series of a file.
type seriesValues struct{ first, last map[string]SeriesValue }

// maxValues is the number of series whose values are kept. The market has about a thousand series
// of investment funds.
const maxValues = 5000

// Where the sign between thousands is read as a decimal sign, or the other way round, a value is a thousandth or a
// thousand times what it was. The bounds are wide, because quotas also move from file to file.
var (
	thousandAtLeast = decimal.NewFromInt(500)
	thousandAtMost  = decimal.NewFromInt(2000)
)

// Event notes the book value of a row of an investment fund. Portfolios also have numbers that can be read in two ways,
// but their positions change from file to file, so they are not compared.
func (p *Profiler) Event(event model.Event) {
	of, is := event.(*model.InvestmentValue)
	if !is || of.BookValue.IsZero() {
		return
	}
	if p.values.first == nil {
		p.values = seriesValues{first: map[string]SeriesValue{}, last: map[string]SeriesValue{}}
	}
	series := of.RUN.String() + " " + of.Serie
	now := SeriesValue{Day: of.Date, Value: of.BookValue, Currency: strings.Clone(of.Currency), line: of.Line}
	first, known := p.values.first[series]
	if !known && len(p.values.first) == maxValues {
		return
	}
	if !known || now.Day.Compare(first.Day) < 0 {
		p.values.first[series] = now
	}
	if last := p.values.last[series]; !known || now.Day.Compare(last.Day) >= 0 {
		p.values.last[series] = now
	}
}

// thousandfold reports that most series of the file begin at about a thousand times or at
// a thousandth of their last value in the files before it, the newest first.
func (p *Profiler) thousandfold(before []*Profile) []model.Finding {
	type change struct {
		series   string
		was, now SeriesValue
	}
	var larger, smaller []change
	compared := 0
	for series, now := range p.values.first {
		for _, file := range before {
			was, there := file.Values[series]
			if !there {
				continue
			}
			if was.Currency != now.Currency {
				break // a dollar is about a thousand pesos
			}
			compared++
			switch {
			case thousand(now.Value, was.Value):
				larger = append(larger, change{series, was, now})
			case thousand(was.Value, now.Value):
				smaller = append(smaller, change{series, was, now})
			}
			break
		}
	}
	changed := larger
	if len(smaller) > len(larger) {
		changed = smaller
	}
	if 2*len(changed) <= compared {
		return nil
	}
	shown := changed[0]
	for _, one := range changed {
		if one.now.line < shown.now.line {
			shown = one
		}
	}
	text := func(of SeriesValue) string { return fmt.Sprintf("%s of %s on %s", of.Value, shown.series, of.Day) }
	return []model.Finding{{Kind: model.FindingThousandfold, Column: "Valor Libro", Line: shown.now.line, AtStake: true,
		Before: excerpt.Cut(text(shown.was), maxShown), Now: excerpt.Cut(text(shown.now), maxShown)}}
}

// thousand reports whether a value is about a thousand times another one, which is not 0.
func thousand(value, of decimal.Decimal) bool {
	times := value.DivRound(of, 6)
	return times.GreaterThanOrEqual(thousandAtLeast) && times.LessThanOrEqual(thousandAtMost)
}
