// Package parse reads payloads: it finds the header, chooses the format of the dataset, and makes an
// event of each row or says why the row is rejected. Each dataset has a file with its formats.
package parse

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"cuota/ingest/lines"
	"cuota/model"
)

// format is one form that the files of a dataset may have. Each file gets formats of its
// own, because they hold state.
type format struct {
	columns   []string
	key       []int // columns that tell what a row is about
	separator rune  // ';' without quotes, or ',' as CSV with quotes
	quoted    bool  // ';' as CSV with quotes, as spreadsheets save it
	// ahead is how many days after the day of its publication (File.Latest) a file may state
	// values for.
	ahead int
	// fund is that of all rows, if only the name of the file states it, else 0.
	fund model.RUN
	// page says that the table may also be inside a saved web page.
	page bool
	// preamble, if set, receives each row above the header.
	preamble func(fields []string)
	// starts, if set, recognises the first row of a sheet whose header has no fixed
	// words.
	starts func(fields []string) bool
	// startsAs recognises the first row of such a sheet where the line can't be split into fields.
	startsAs *regexp.Regexp
	// ready, if set, is called after the header was read. It fails if the file lacks
	// something, such as its date. latest is the last day that the file may be about.
	ready func(latest model.Date) error
	// aside, if set, recognises lines below the header that hold no row, such as totals
	// and footnotes.
	aside func(fields []string) bool
	// parse makes the event of a row and returns the day that it is about. The event is
	// valid until the next call.
	parse func(*row) (model.Event, model.Date)
	// identify, if set, finds the series and the day of a rejected row.
	identify func(*row, *model.Reject)
}

// newFormats returns the forms that files of the dataset may have. A file has one of
// them.
func newFormats(dataset model.Dataset, file string) ([]*format, error) {
	make, known := formatsOf[dataset]
	if !known {
		return nil, fmt.Errorf("dataset %q has no parser", dataset)
	}
	return make(file), nil
}

// formatsOf makes the forms of each dataset for a file of a name.
var formatsOf = map[model.Dataset]func(file string) []*format{
	model.Cartola:           func(string) []*format { return []*format{cartolaFormat()} },
	model.Register:          func(string) []*format { return []*format{registerFormat()} },
	model.TACComparator:     func(string) []*format { return []*format{tacComparatorFormat()} },
	model.ReturnsComparator: func(string) []*format { return []*format{returnsComparatorFormat()} },
	model.AAFM:              func(file string) []*format { return []*format{aafmFormat(file)} },
	model.UF:                func(string) []*format { return []*format{indicatorFormat(model.UF, ufAhead)} },
	model.Dolar:             func(string) []*format { return []*format{indicatorFormat(model.Dolar, dolarAhead)} },
	model.FIRegister:        func(string) []*format { return fiRegisterFormats() },
	model.TACMonthly:        func(string) []*format { return []*format{tacMonthlyFormat(';'), tacMonthlyFormat(',')} },
	model.Holdings:          holdingsFormats,
	model.FIValues:          fiValuesFormats,
	model.Benchmarks:        func(string) []*format { return []*format{benchmarkFormat(), benchmarkPriceFormat()} },
	model.Article107s:       func(string) []*format { return []*format{article107Format()} },
	model.Events: func(string) []*format {
		return []*format{factorFormat(), exchangeFormat(), renameFormat(), discontinuityFormat(), riskFreeFormat(),
			endFormat()}
	},
	model.Vehicles: func(string) []*format { return []*format{vehiclesFormat()} },
}

func (f *format) isCSV() bool { return f.separator == ',' || f.quoted }

func (f *format) keyMask() (mask uint64) {
	for _, column := range f.key {
		mask |= 1 << column
	}
	return mask
}

// split cuts a line into its fields. It reuses the memory of into.
func (f *format) split(text string, into []string) ([]string, error) {
	if f.isCSV() {
		reader := csv.NewReader(strings.NewReader(text))
		reader.Comma = f.separator
		reader.FieldsPerRecord = -1
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the quotes in the line do not match (%w); save the sheet as CSV again", err)
		}
		return fields, nil
	}
	into = into[:0]
	for {
		before, after, found := strings.Cut(text, string(f.separator))
		into = append(into, before)
		if !found {
			return into, nil
		}
		text = after
	}
}

// blank reports whether a line is empty. An empty row of a sheet still has its separators.
func (f *format) blank(text string) bool {
	if f.isCSV() {
		return strings.Trim(text, string(f.separator)+" \t") == ""
	}
	return strings.TrimSpace(text) == ""
}

// noRow reports whether a line below the header holds no row: a blank line, or one that the
// format sets aside. A damaged line always counts as a row, so that it is rejected and
// counted.
func (f *format) noRow(l lines.Line) bool {
	if f.blank(l.Text) {
		return l.Flaw != lines.FlawLong && l.Flaw != lines.FlawPage
	}
	if f.aside == nil || l.Flaw != "" {
		return false
	}
	fields, err := f.split(l.Text, nil)
	return err == nil && f.aside(fields)
}
