package tablefile

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
)

// groupRows is the number of rows of a row group, which is held in memory until it is complete.
const groupRows = 100_000

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
	arrow arrow.DataType
}{
	Day:    {reflect.TypeFor[int32](), ",date", arrow.FixedWidthTypes.Date32},
	Number: {reflect.TypeFor[float64](), "", arrow.PrimitiveTypes.Float64},
	Whole:  {reflect.TypeFor[int64](), "", arrow.PrimitiveTypes.Int64},
	ID:     {reflect.TypeFor[uint32](), ",dict", arrow.PrimitiveTypes.Uint32},
	Text:   {reflect.TypeFor[string](), ",dict", arrow.BinaryTypes.String},
	Flag:   {reflect.TypeFor[bool](), "", arrow.FixedWidthTypes.Boolean},
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
	ofArrow, err := arrowSchema(columns, notes)
	if err != nil {
		return nil, err
	}
	for _, note := range append(slices.Clone(notes), ofArrow) {
		options = append(options, parquet.KeyValueMetadata(note.Name, note.Text))
	}
	return &parquetRows{to: parquet.NewGenericWriter[any](to, options...), columns: columns}, nil
}

// arrowSchema returns the schema of Arrow, without which the metadata of fields would be lost. The notes stand
// both in that schema and beside it, so that readers with and without Arrow find them.
func arrowSchema(columns []Column, notes []Note) (Note, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: stored[c.Kind].arrow, Nullable: c.Nullable, Metadata: about(c)}
	}
	var names, texts []string
	for _, note := range notes {
		names, texts = append(names, note.Name), append(texts, note.Text)
	}
	ofTable := arrow.NewMetadata(names, texts)
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(arrow.NewSchema(fields, &ofTable))).Close(); err != nil {
		return Note{}, fmt.Errorf("write the schema of Arrow: %w", err)
	}
	return Note{Name: "ARROW:schema", Text: base64.StdEncoding.EncodeToString(message.Bytes())}, nil
}

// about returns the metadata of a field.
func about(c Column) arrow.Metadata {
	var names, texts []string
	for _, each := range [][2]string{{"unit", c.Unit}, {"comment", c.Comment}} {
		if each[1] != "" {
			names, texts = append(names, each[0]), append(texts, each[1])
		}
	}
	return arrow.NewMetadata(names, texts)
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
		return parquet.Int32Value(int32(arrow.Date32FromTime(value)))
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
