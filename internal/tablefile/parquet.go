package tablefile

import (
	"io"
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
	to    *pqarrow.FileWriter
	held  *array.RecordBuilder
	count int
}

var arrowTypes = map[Kind]arrow.DataType{
	Day: arrow.FixedWidthTypes.Date32, Number: arrow.PrimitiveTypes.Float64, Whole: arrow.PrimitiveTypes.Int64,
	ID: arrow.PrimitiveTypes.Uint32, Text: arrow.BinaryTypes.String, Flag: arrow.FixedWidthTypes.Boolean,
}

func newParquet(to io.Writer, columns []Column, notes []Note) (*parquetRows, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Kind], Nullable: c.Nullable, Metadata: about(c)}
	}
	var names, texts []string
	for _, note := range notes {
		names, texts = append(names, note.Name), append(texts, note.Text)
	}
	ofTable := arrow.NewMetadata(names, texts)
	schema := arrow.NewSchema(fields, &ofTable)
	// Without the schema of Arrow in the file, the metadata of fields would be lost. The notes stand both in that
	// schema and beside it, so that readers with and without Arrow find them.
	writer, err := pqarrow.NewFileWriter(schema, hideClose{to},
		parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("cuota")),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		return nil, err
	}
	return &parquetRows{to: writer, held: array.NewRecordBuilder(memory.DefaultAllocator, schema)}, nil
}

// about gives the metadata of a field.
func about(c Column) arrow.Metadata {
	var names, texts []string
	for _, each := range [][2]string{{"unit", c.Unit}, {"comment", c.Comment}} {
		if each[1] != "" {
			names, texts = append(names, each[0]), append(texts, each[1])
		}
	}
	return arrow.NewMetadata(names, texts)
}

// hideClose keeps the Parquet writer from closing the file before it has its name.
type hideClose struct{ io.Writer }

func (w *parquetRows) write(row []any) error {
	for i, value := range row {
		appendValue(w.held.Field(i), value)
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
	case int:
		to.(*array.Int64Builder).Append(int64(value))
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
