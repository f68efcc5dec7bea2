package tablefile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"
)

// csvRows writes CSV with a line of names.
type csvRows struct {
	to      *csv.Writer
	record  []string
	decimal byte // the mark before decimals
}

func newCSV(to io.Writer, columns []Column) (*csvRows, error) {
	w := &csvRows{csv.NewWriter(to), make([]string, len(columns)), '.'}
	return w, w.names(columns)
}

// byteOrderMark is that of UTF-8. Excel reads a file without it in the old code page of Windows.
const byteOrderMark = "\ufeff"

func newChileanCSV(to io.Writer, columns []Column) (*csvRows, error) {
	if _, err := io.WriteString(to, byteOrderMark); err != nil {
		return nil, err
	}
	w := &csvRows{csv.NewWriter(to), make([]string, len(columns)), ','}
	w.to.Comma, w.to.UseCRLF = ';', true
	return w, w.names(columns)
}

// names writes the line of names.
func (w *csvRows) names(columns []Column) error {
	for i, c := range columns {
		w.record[i] = inert(c.Name)
	}
	return w.to.Write(w.record)
}

func (w *csvRows) write(row []any) error {
	for i, value := range row {
		if text, is := value.(string); is {
			w.record[i] = inert(text)
			continue
		}
		plain := appendPlain(nil, value)
		if point := bytes.IndexByte(plain, '.'); point >= 0 {
			plain[point] = w.decimal
		}
		w.record[i] = string(plain)
	}
	return w.to.Write(w.record)
}

func (w *csvRows) end() error {
	w.to.Flush()
	return w.to.Error()
}

func (*csvRows) close() error { return nil }

// appendPlain appends a value as CSV has it, without quotes. Nothing stands for null.
func appendPlain(to []byte, value any) []byte {
	switch value := value.(type) {
	case string:
		return append(to, value...)
	case float64:
		return appendNumber(to, value)
	case int:
		return strconv.AppendInt(to, int64(value), 10)
	case uint32:
		return strconv.AppendUint(to, uint64(value), 10)
	case bool:
		return strconv.AppendBool(to, value)
	case time.Time:
		return value.AppendFormat(to, time.DateOnly)
	}
	return to
}

// appendNumber appends a number with as many digits as are needed to read it back. Only very large
// and very small ones have an exponent.
func appendNumber(to []byte, value float64) []byte {
	form := byte('f')
	if size := math.Abs(value); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(to, value, form, -1, 64)
}

// ndjson writes one JSON object for each row, each on a line.
type ndjson struct {
	to    *bufio.Writer
	names [][]byte // with what stands before and after them in a line
	line  []byte
}

func newNDJSON(to io.Writer, columns []Column) *ndjson {
	w := &ndjson{to: bufio.NewWriter(to), names: make([][]byte, len(columns))}
	for i, c := range columns {
		before := ","
		if i == 0 {
			before = "{"
		}
		w.names[i] = append(appendQuoted([]byte(before), c.Name), ':')
	}
	return w
}

func (w *ndjson) write(row []any) error {
	line := w.line[:0]
	for i, value := range row {
		line = append(line, w.names[i]...)
		switch value := value.(type) {
		case nil:
			line = append(line, "null"...)
		case string:
			line = appendQuoted(line, value)
		case time.Time:
			line = appendQuoted(line, value.Format(time.DateOnly))
		default:
			line = appendPlain(line, value)
		}
	}
	w.line = append(line, '}', '\n')
	_, err := w.to.Write(w.line)
	return err
}

func (w *ndjson) end() error { return w.to.Flush() }

func (*ndjson) close() error { return nil }

// appendQuoted appends a text as JSON.
func appendQuoted(to []byte, value string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a text can always be encoded
	return append(to, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
