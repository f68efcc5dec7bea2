package tablefile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrTooLong says that a table has more rows or cells than a workbook may have.
var ErrTooLong = errors.New("the table is too long for a workbook")

// WorkbookOf begins a workbook and writes the rows of a table into it, which ClickHouse writes as JSONCompact: names
// and types, then rows, then their number. It reads the stream to its end. The caller ends the workbook, which sends
// it, and closes it. It fails with ErrTooLong if there are more rows or more cells than given. Decimals become doubles,
// which is all that a workbook has. A value of a type that no cell has, such as a list, becomes text.
func WorkbookOf(stream io.Reader, to io.Writer, rows, cells int, notes ...Note) (w *Writer, err error) {
	read := typedRows{from: stream}
	read.json = jsontext.NewDecoder(&read, jsontext.AllowInvalidUTF8(true))
	defer func() {
		if err == nil {
			return
		}
		if w != nil {
			_ = w.Close() // err says what happened
		}
		if !errors.Is(err, ErrTooLong) {
			err = fmt.Errorf("make a workbook of the rows of ClickHouse: %w", err)
		}
	}()
	columns, err := read.head()
	if err != nil {
		return nil, err
	}
	if w, err = NewWriter(to, Workbook, columns, notes...); err != nil {
		return nil, err
	}
	rows = min(rows, cells/max(1, len(columns)))
	row := make([]any, len(columns))
	for read.json.PeekKind() == '[' {
		if w.Rows() == uint64(rows) {
			return w, ErrTooLong
		}
		if err := read.row(row); err != nil {
			return w, err
		}
		if err := w.Write(row...); err != nil {
			return w, err
		}
	}
	return w, read.end(w.Rows())
}

// longestRow bounds the bytes that are read for one row, or before the first row and behind the last one.
const longestRow = 4 << 20

// typedRows reads a table that ClickHouse writes as JSONCompact.
type typedRows struct {
	from  io.Reader
	left  int // bytes that may still be read for the row
	json  *jsontext.Decoder
	cells []cellType
}

// Read implements io.Reader for the decoder of JSON.
func (t *typedRows) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, fmt.Errorf("a row is longer than %d bytes", longestRow)
	}
	n, err := t.from.Read(p[:min(len(p), t.left)])
	t.left -= n
	return n, err
}

// expect reads tokens, each of which must be the given one.
func (t *typedRows) expect(tokens ...jsontext.Token) error {
	for _, want := range tokens {
		got, err := t.json.ReadToken()
		if err != nil {
			return whole(err)
		}
		if got.Kind() != want.Kind() || got.String() != want.String() {
			return fmt.Errorf("%.100q stands where %q should", got, want)
		}
	}
	return nil
}

// whole returns the error of a stream that ends before the table does.
func whole(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// head reads what comes before the first row.
func (t *typedRows) head() ([]Column, error) {
	t.left = longestRow
	if err := t.expect(jsontext.BeginObject, jsontext.String("meta")); err != nil {
		return nil, err
	}
	text, err := t.json.ReadValue()
	if err != nil {
		return nil, whole(err)
	}
	var fields []struct{ Name, Type string }
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	columns := make([]Column, len(fields))
	t.cells = make([]cellType, len(fields))
	for i, field := range fields {
		t.cells[i] = cellTypeOf(field.Type)
		columns[i] = Column{Name: field.Name, Kind: t.cells[i].kind, Shown: t.cells[i].shown, Nullable: true}
	}
	return columns, t.expect(jsontext.String("data"), jsontext.BeginArray)
}

// row reads the next row.
func (t *typedRows) row(row []any) error {
	t.left = longestRow
	if err := t.expect(jsontext.BeginArray); err != nil {
		return err
	}
	for i := range row {
		text, null, err := t.value()
		if err != nil {
			return err
		}
		row[i] = nil
		if !null {
			if row[i], err = t.cells[i].value(text); err != nil {
				return err
			}
		}
	}
	return t.expect(jsontext.EndArray)
}

// value reads a value, of which it returns the text: of lists and objects their JSON.
func (t *typedRows) value() (text string, null bool, err error) {
	switch t.json.PeekKind() {
	case '[', '{':
		value, err := t.json.ReadValue()
		return string(value), false, whole(err)
	case ']':
		return "", false, errors.New("a row has fewer values than there are columns")
	}
	token, err := t.json.ReadToken()
	if err != nil {
		return "", false, whole(err)
	}
	return token.String(), token.Kind() == 'n', nil
}

// end reads what comes behind the last row, and fails if the table did not have so many rows.
func (t *typedRows) end(rows uint64) error {
	t.left = longestRow
	if err := t.expect(jsontext.EndArray); err != nil {
		return err
	}
	counted := false
	for t.json.PeekKind() == '"' {
		name, err := t.json.ReadToken()
		if err != nil {
			return whole(err)
		}
		if name.String() == "rows" {
			counted = true
			if err := t.expect(jsontext.Uint(rows)); err != nil {
				return fmt.Errorf("the number of rows: %w", err)
			}
		} else if err := t.json.SkipValue(); err != nil {
			return whole(err)
		}
	}
	if err := t.expect(jsontext.EndObject); err != nil {
		return err
	}
	if !counted {
		return errors.New("the number of rows is missing")
	}
	if _, err := t.json.ReadToken(); err == nil {
		return errors.New("something stands behind the table")
	} else if err != io.EOF {
		return err
	}
	return nil
}

// cellType says what cells hold for a type of ClickHouse.
type cellType struct {
	kind  Kind
	shown string
	value func(text string) (any, error)
}

// digits shows all digits of a whole number. Excel would show a long id as a power of ten.
const digits = "0"

func cellTypeOf(typed string) cellType {
	for _, around := range []string{"LowCardinality(", "Nullable("} {
		if inner, is := strings.CutPrefix(typed, around); is {
			typed = strings.TrimSuffix(inner, ")")
		}
	}
	name, _, _ := strings.Cut(typed, "(") // of Decimal(18, 6)
	switch name {
	case "Date", "Date32":
		return cellType{Day, "", func(text string) (any, error) { return time.Parse(time.DateOnly, text) }}
	case "Float64", "Decimal":
		return cellType{Number, "", func(text string) (any, error) { return strconv.ParseFloat(text, 64) }}
	case "Float32":
		return cellType{Number, "", func(text string) (any, error) { return strconv.ParseFloat(text, 32) }}
	case "UInt64": // which may be too large for int
		return cellType{Number, digits, func(text string) (any, error) {
			value, err := strconv.ParseUint(text, 10, 64)
			return float64(value), err
		}}
	case "Int64", "UInt32", "Int32", "UInt16", "Int16", "UInt8", "Int8":
		return cellType{Whole, digits, func(text string) (any, error) { return strconv.Atoi(text) }}
	case "Bool":
		return cellType{Flag, "", func(text string) (any, error) { return strconv.ParseBool(text) }}
	case "DateTime64":
		if strings.HasSuffix(typed, "'UTC')") {
			return cellType{Text, "", func(text string) (any, error) {
				at, err := time.Parse(time.DateTime, text)
				return at.Format(time.RFC3339Nano), err
			}}
		}
	}
	return cellType{Text, "", func(text string) (any, error) { return text, nil }}
}
