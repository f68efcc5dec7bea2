package tablefile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// WorkbookOf writes the rows of an Arrow stream as a workbook, with at most so many rows. Decimals become doubles,
// which is all that a workbook has; a value of a type that no cell has, such as a list, becomes text.
func WorkbookOf(stream io.Reader, to io.Writer, most uint64, notes ...Note) (err error) {
	defer func() {
		if caught := recover(); caught != nil { // the reader of Arrow panics on some malformed messages
			err = fmt.Errorf("read a table of Arrow: panic: %v", caught)
		}
	}()
	read, err := ipc.NewReader(stream)
	if err != nil {
		return fmt.Errorf("read a table of Arrow: %w", err)
	}
	defer read.Release()
	fields := read.Schema().Fields()
	columns := make([]Column, len(fields))
	for i, field := range fields {
		columns[i] = Column{Name: field.Name, Kind: kindOf(field.Type), Nullable: true}
		if columns[i].Kind == Whole {
			columns[i].Shown = "0" // a long id would be shown as a power of ten
		}
	}
	w, err := NewWriter(to, Workbook, columns, notes...)
	if err != nil {
		return err
	}
	row := make([]any, len(columns))
	for read.Next() {
		batch := read.RecordBatch()
		if w.Rows()+uint64(batch.NumRows()) > most {
			return fmt.Errorf("a table has more than %d rows, which a workbook may have", most)
		}
		for line := range int(batch.NumRows()) {
			for i := range row {
				row[i] = valueAt(batch.Column(i), columns[i].Kind, line)
			}
			if err := w.Write(row...); err != nil {
				return err
			}
		}
	}
	if err := read.Err(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read a table of Arrow: %w", err)
	}
	return w.End()
}

// kindOf returns the kind of the column for a type of Arrow.
func kindOf(of arrow.DataType) Kind {
	switch of.ID() {
	case arrow.DATE32:
		return Day
	case arrow.FLOAT32, arrow.FLOAT64, arrow.UINT64, arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128,
		arrow.DECIMAL256:
		return Number
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32:
		return Whole
	case arrow.BOOL:
		return Flag
	}
	return Text
}

// valueAt returns a value of a column as the kind of its column wants it, nil for null.
func valueAt(of arrow.Array, kind Kind, line int) any {
	if of.IsNull(line) {
		return nil
	}
	switch of := of.(type) {
	case *array.Date32:
		return of.Value(line).ToTime().UTC().Truncate(24 * time.Hour)
	case *array.Float64:
		return of.Value(line)
	case *array.Float32:
		return float64(of.Value(line))
	case *array.Decimal32, *array.Decimal64, *array.Decimal128, *array.Decimal256:
		value, err := strconv.ParseFloat(of.ValueStr(line), 64) // the nearest double
		if err != nil {
			panic(err) // the reader of Arrow wrote the text
		}
		return value
	case *array.Int8:
		return int(of.Value(line))
	case *array.Int16:
		return int(of.Value(line))
	case *array.Int32:
		return int(of.Value(line))
	case *array.Int64:
		return int(of.Value(line))
	case *array.Uint8:
		return int(of.Value(line))
	case *array.Uint16:
		return int(of.Value(line))
	case *array.Uint32:
		return int(of.Value(line))
	case *array.Uint64:
		return float64(of.Value(line))
	case *array.Boolean:
		return of.Value(line)
	case *array.String:
		return of.Value(line)
	}
	if kind != Text { // kindOf and this function know the same types
		panic(fmt.Sprintf("a column of %s has no values", of.DataType()))
	}
	return of.ValueStr(line)
}
