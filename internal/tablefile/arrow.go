package tablefile

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// ErrTooLong says that a table has more rows or cells than a workbook may have.
var ErrTooLong = errors.New("the table is too long for a workbook")

// WorkbookOf begins a workbook and writes the rows of an Arrow stream into it. The caller ends it, which sends it, and
// closes it. It fails with ErrTooLong if there are more rows or more cells than given. Decimals become doubles, which
// is all that a workbook has. A value of a type that no cell has, such as a list, becomes text.
func WorkbookOf(stream io.Reader, to io.Writer, rows, cells int, notes ...Note) (w *Writer, err error) {
	defer func() {
		if caught := recover(); caught != nil { // the reader of Arrow panics on some malformed messages
			err = fmt.Errorf("read a table of Arrow: panic: %v", caught)
		}
		if err != nil && w != nil {
			_ = w.Close() // err says what happened
		}
	}()
	read, err := ipc.NewReader(stream)
	if err != nil {
		return nil, fmt.Errorf("read a table of Arrow: %w", err)
	}
	defer read.Release()
	fields := read.Schema().Fields()
	columns, values := make([]Column, len(fields)), make([]func(arrow.Array, int) any, len(fields))
	for i, field := range fields {
		columns[i] = Column{Name: field.Name, Nullable: true}
		columns[i].Kind, columns[i].Shown, values[i] = valuesOf(field.Type)
	}
	if w, err = NewWriter(to, Workbook, columns, notes...); err != nil {
		return nil, err
	}
	rows = min(rows, cells/max(1, len(columns)))
	row := make([]any, len(columns))
	for read.Next() {
		batch := read.RecordBatch()
		if batch.NumRows() > int64(rows)-int64(w.Rows()) {
			return w, ErrTooLong
		}
		for line := range int(batch.NumRows()) {
			for i := range row {
				row[i] = nil
				if column := batch.Column(i); !column.IsNull(line) {
					row[i] = values[i](column, line)
				}
			}
			if err := w.Write(row...); err != nil {
				return w, err
			}
		}
	}
	if err := read.Err(); err != nil && !errors.Is(err, io.EOF) {
		return w, fmt.Errorf("read a table of Arrow: %w", err)
	}
	return w, nil
}

// digits shows all digits of a whole number. Excel would show a long id as a power of ten.
const digits = "0"

// valuesOf returns the kind of the cells for a type of Arrow, how they are shown, and what reads a value that is not
// null.
func valuesOf(of arrow.DataType) (Kind, string, func(arrow.Array, int) any) {
	switch of.ID() {
	case arrow.DATE32:
		return Day, "", func(a arrow.Array, i int) any { return a.(*array.Date32).Value(i).ToTime() }
	case arrow.FLOAT64:
		return Number, "", func(a arrow.Array, i int) any { return a.(*array.Float64).Value(i) }
	case arrow.FLOAT32:
		return Number, "", func(a arrow.Array, i int) any { return float64(a.(*array.Float32).Value(i)) }
	case arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256:
		return Number, "", func(a arrow.Array, i int) any {
			value, err := strconv.ParseFloat(a.ValueStr(i), 64) // the nearest double
			if err != nil {
				panic(err) // the library wrote the text
			}
			return value
		}
	case arrow.UINT64: // which may be too large for int
		return Number, digits, func(a arrow.Array, i int) any { return float64(a.(*array.Uint64).Value(i)) }
	case arrow.INT64:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Int64).Value(i)) }
	case arrow.UINT32:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Uint32).Value(i)) }
	case arrow.INT32:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Int32).Value(i)) }
	case arrow.UINT16:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Uint16).Value(i)) }
	case arrow.INT16:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Int16).Value(i)) }
	case arrow.UINT8:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Uint8).Value(i)) }
	case arrow.INT8:
		return Whole, digits, func(a arrow.Array, i int) any { return int(a.(*array.Int8).Value(i)) }
	case arrow.BOOL:
		return Flag, "", func(a arrow.Array, i int) any { return a.(*array.Boolean).Value(i) }
	}
	return Text, "", func(a arrow.Array, i int) any { return a.ValueStr(i) }
}
