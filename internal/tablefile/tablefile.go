// Package tablefile writes rows as tables for analysts: Parquet, CSV, NDJSON or an Excel workbook. The same rows give
// the same values in each format, and always the same bytes. [NewWriter] writes a table to any
// writer. [Create] writes a table to a file, which appears complete or not at all. [CreateRows] does the
// same with one row for each struct.
package tablefile

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"
)

// Format is the format of a table.
type Format string

// The formats. A null is an empty field in CSV and null in NDJSON. Dates are YYYY-MM-DD in both.
// A text of CSV that a spreadsheet program would run as a formula has an apostrophe before it, see inert.
// ChileanCSV is CSV that Excel opens with the settings of Chile: fields end with semicolons, decimals begin with a
// comma, and a byte order mark says that it is UTF-8. In a Workbook nothing of a text is run.
const (
	Parquet    Format = "parquet"
	CSV        Format = "csv"
	NDJSON     Format = "ndjson"
	ChileanCSV Format = "csv-chile"
	Workbook   Format = "xlsx"
)

// FormatOf returns the format that the ending of a file's name says.
func FormatOf(path string) (Format, error) {
	switch format := Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")); format {
	case Parquet, CSV, NDJSON:
		return format, nil
	}
	return "", fmt.Errorf("%s has none of the endings .parquet, .csv and .ndjson, which say the format", path)
}

// Kind is the type of the values of a column.
type Kind int

// The kinds, with the Go types of their values, and their types in Parquet.
const (
	Day    Kind = iota // time.Time at midnight UTC; date32
	Number             // float64; double. One that is infinite or not a number is null
	Whole              // int; int64
	ID                 // uint32; also small counts
	Text               // string; UTF-8
	Flag               // bool
)

// Column describes the values of a column. Unit and Comment stand in the metadata of its field in
// Parquet, unless they are empty.
type Column struct {
	Name     string
	Kind     Kind
	Nullable bool
	Unit     string
	Comment  string
	// Shown is how a workbook shows the numbers, in the notation of Excel, as in "0.00%". "" leaves it to Excel.
	Shown string
}

// check fails if a value can't stand in the column. It returns nil for null.
func (c Column) check(value any) (any, error) {
	fits := true
	switch value := value.(type) {
	case nil:
	case time.Time:
		fits = c.Kind == Day
	case float64:
		if fits = c.Kind == Number; fits && (math.IsNaN(value) || math.IsInf(value, 0)) {
			return c.check(nil)
		}
	case int:
		fits = c.Kind == Whole
	case uint32:
		fits = c.Kind == ID
	case string:
		fits = c.Kind == Text
	case bool:
		fits = c.Kind == Flag
	default:
		fits = false
	}
	switch {
	case !fits:
		return nil, fmt.Errorf("column %s can't hold a %T", c.Name, value)
	case value == nil && !c.Nullable:
		return nil, fmt.Errorf("column %s can't be null, or a number that is infinite or none", c.Name)
	}
	return value, nil
}

// Note is a line about a whole table, such as its batch. Only Parquet and workbooks have room for it.
type Note struct{ Name, Text string }

// Writer writes a table.
type Writer struct {
	columns []Column
	to      rowWriter
	row     []any // as it is written
	count   uint64
}

// rowWriter writes rows in a format. end writes what comes after the last row, and close gives back what it holds.
type rowWriter interface {
	write(row []any) error
	end() error
	close() error
}

// NewWriter begins a table. Parquet holds 100,000 rows in memory at most; a workbook of more than 16 MB is kept in a
// temporary file until it is closed. So whoever begins a workbook must close it.
func NewWriter(to io.Writer, format Format, columns []Column, notes ...Note) (*Writer, error) {
	w := &Writer{columns: columns, row: make([]any, len(columns))}
	var err error
	switch format {
	case CSV:
		w.to, err = newCSV(to, columns)
	case ChileanCSV:
		w.to, err = newChileanCSV(to, columns)
	case Workbook:
		w.to, err = newWorkbook(to, columns, notes)
	case NDJSON:
		w.to = newNDJSON(to, columns)
	case Parquet:
		w.to, err = newParquet(to, columns, notes)
	default:
		err = fmt.Errorf("unknown format %q", format)
	}
	return w, err
}

// Write writes a row: a value for each column, of the type of its kind, or nil for null. It fails if
// a value does not fit its column.
func (w *Writer) Write(row ...any) (err error) {
	if len(row) != len(w.columns) {
		return fmt.Errorf("a row has %d values for %d columns", len(row), len(w.columns))
	}
	for i, c := range w.columns {
		if w.row[i], err = c.check(row[i]); err != nil {
			return err
		}
	}
	w.count++
	return w.to.write(w.row)
}

// Rows returns the number of rows that were written.
func (w *Writer) Rows() uint64 { return w.count }

// End completes the table. It must be called once, after the last row.
func (w *Writer) End() error { return w.to.end() }

// Close gives back what the writer holds, also that of a table that was not completed. It may be called more than once.
func (w *Writer) Close() error { return w.to.close() }
