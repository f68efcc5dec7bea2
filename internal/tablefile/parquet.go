package tablefile

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
)

// groupRows is the number of rows of a row group, which is held in memory until it is complete.
const groupRows = 100_000

// secondsOfDay is the length of a day in UTC.
const secondsOfDay = 24 * 60 * 60

// batchRows is how many rows the writer of Parquet is given at once.
const batchRows = 500

// parquetRows writes Parquet, compressed with zstd.
type parquetRows struct {
	to      *parquet.GenericWriter[any]
	columns []Column
	held    []parquet.Row // at most batchRows
	count   int           // rows of the row group
}

// stored says how the values of a kind are stored: the type of a field in Go, with the tags that the
// writer of Parquet knows, and the type of Arrow.
var stored = map[Kind]struct {
	field reflect.Type
	tags  string
	arrow arrowType
}{
	Day:    {reflect.TypeFor[int32](), ",date", arrowDate},
	Number: {reflect.TypeFor[float64](), "", arrowDouble},
	Whole:  {reflect.TypeFor[int64](), "", arrowInt(64, true)},
	ID:     {reflect.TypeFor[uint32](), ",dict", arrowInt(32, false)},
	Text:   {reflect.TypeFor[string](), ",dict", arrowText},
	Flag:   {reflect.TypeFor[bool](), "", arrowFlag},
}

func newParquet(to io.Writer, columns []Column, notes []Note) (*parquetRows, error) {
	// The fields of a struct keep their order in the schema.
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		tags := c.Name + stored[c.Kind].tags
		if c.Nullable {
			tags += ",optional"
		}
		fields[i] = reflect.StructField{
			Name: fmt.Sprintf("Column%d", i), Type: stored[c.Kind].field,
			Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", tags)),
		}
	}
	options := []parquet.WriterOption{
		parquet.NewSchema("schema", parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())),
		parquet.Compression(&parquet.Zstd), parquet.CreatedBy("cuota", "", ""),
	}
	for _, note := range append(slices.Clone(notes), arrowSchema(columns, notes)) {
		options = append(options, parquet.KeyValueMetadata(note.Name, note.Text))
	}
	return &parquetRows{to: parquet.NewGenericWriter[any](to, options...), columns: columns}, nil
}

func (w *parquetRows) write(row []any) error {
	if len(w.held) == batchRows {
		if err := w.send(); err != nil {
			return err
		}
	}
	cells := make(parquet.Row, len(row))
	for i, value := range row {
		present := 0
		if w.columns[i].Nullable && value != nil {
			present = 1
		}
		cells[i] = cell(value).Level(0, present, i)
	}
	w.held = append(w.held, cells)
	return nil
}

func cell(value any) parquet.Value {
	switch value := value.(type) {
	case string:
		return parquet.ByteArrayValue([]byte(value))
	case float64:
		return parquet.DoubleValue(value)
	case int:
		return parquet.Int64Value(int64(value))
	case uint32:
		return parquet.Int32Value(int32(value)) // the bits are the same
	case bool:
		return parquet.BooleanValue(value)
	case time.Time:
		return parquet.Int32Value(int32(value.Unix() / secondsOfDay))
	}
	return parquet.NullValue()
}

// send writes the rows that are held, and ends a row group that is complete.
func (w *parquetRows) send() error {
	if _, err := w.to.WriteRows(w.held); err != nil {
		return err
	}
	w.count += len(w.held)
	w.held = w.held[:0]
	if w.count < groupRows {
		return nil
	}
	w.count = 0
	return w.to.Flush()
}

func (w *parquetRows) end() error {
	if err := w.send(); err != nil {
		return err
	}
	return w.to.Close()
}

func (*parquetRows) close() error { return nil }
