package tablefile

import (
	"io"
	"reflect"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// groupRows is the number of rows of a row group, which is held in memory until it is complete.
const groupRows = 100_000

// parquetRows writes Parquet, compressed with zstd.
type parquetRows struct {
	to      *pqarrow.FileWriter
	columns []column
	held    *array.RecordBuilder
	count   int
}

var arrowTypes = map[kind]arrow.DataType{
	text: arrow.BinaryTypes.String, number: arrow.PrimitiveTypes.Float64, whole: arrow.PrimitiveTypes.Uint32,
	truth: arrow.FixedWidthTypes.Boolean, day: arrow.FixedWidthTypes.Date32,
}

func newParquet(to io.Writer, columns []column, notes []Note) (*parquetRows, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.name, Type: arrowTypes[c.kind], Nullable: c.nullable || c.kind == number}
	}
	schema := arrow.NewSchema(fields, nil)
	writer, err := pqarrow.NewFileWriter(schema, hideClose{to},
		parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("cuota")), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		if err := writer.AppendKeyValueMetadata(note.Name, note.Text); err != nil {
			return nil, err
		}
	}
	return &parquetRows{to: writer, columns: columns, held: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// hideClose keeps the Parquet writer from closing the file before it has its name.
type hideClose struct{ io.Writer }

func (w *parquetRows) write(row reflect.Value) error {
	for i, c := range w.columns {
		appendValue(w.held.Field(i), c.value(row))
	}
	if w.count++; w.count < groupRows {
		return nil
	}
	return w.group()
}

func appendValue(to array.Builder, value any) {
	switch value := value.(type) {
	case nil:
		to.AppendNull()
	case string:
		to.(*array.StringBuilder).Append(value)
	case float64:
		to.(*array.Float64Builder).Append(value)
	case uint32:
		to.(*array.Uint32Builder).Append(value)
	case bool:
		to.(*array.BooleanBuilder).Append(value)
	case time.Time:
		to.(*array.Date32Builder).Append(arrow.Date32FromTime(value))
	}
}

// group writes the rows that are held as a row group.
func (w *parquetRows) group() error {
	batch := w.held.NewRecordBatch()
	defer batch.Release()
	w.count = 0
	return w.to.Write(batch)
}

func (w *parquetRows) end() error {
	if w.count > 0 {
		if err := w.group(); err != nil {
			return err
		}
	}
	return w.to.Close()
}
