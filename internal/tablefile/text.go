package tablefile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strconv"
	"time"
)

// csvRows writes CSV with a line of names.
type csvRows struct {
	to      *csv.Writer
	columns []column
	record  []string
}

func newCSV(to io.Writer, columns []column) (*csvRows, error) {
	w := &csvRows{csv.NewWriter(to), columns, make([]string, len(columns))}
	for i, c := range columns {
		w.record[i] = c.name
	}
	return w, w.to.Write(w.record)
}

func (w *csvRows) write(row reflect.Value) error {
	for i, c := range w.columns {
		w.record[i] = string(appendPlain(nil, c.value(row)))
	}
	return w.to.Write(w.record)
}

func (w *csvRows) end() error {
	w.to.Flush()
	return w.to.Error()
}

// appendPlain appends a value as CSV has it, without quotes. Nothing stands for null.
func appendPlain(to []byte, value any) []byte {
	switch value := value.(type) {
	case string:
		return append(to, value...)
	case float64:
		return appendNumber(to, value)
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
	to      *bufio.Writer
	columns []column
}

func (w *ndjson) write(row reflect.Value) error {
	line := []byte{'{'}
	for i, c := range w.columns {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(appendQuoted(line, c.name), ':')
		switch value := c.value(row).(type) {
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
	_, err := w.to.Write(append(line, '}', '\n'))
	return err
}

func (w *ndjson) end() error { return nil }

// appendQuoted appends a text as JSON.
func appendQuoted(to []byte, value string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a text can always be encoded
	return append(to, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
