package tablefile

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// groupRows is the number of rows of a row group, which is held in memory until it is complete.
const groupRows = 100_000

// parquetRows writes Parquet, compressed with zstd. It does without the package pqarrow, which brings
// gRPC into the program.
type parquetRows struct {
	to      *file.Writer
	columns []heldColumn
	count   int // rows that are held
}

// heldColumn has the values of a column that are not null, in the slice of its kind.
type heldColumn struct {
	kind     Kind
	nullable bool
	present  []int16 // of a column that can be null, 1 for each value and 0 for each null
	small    []int32 // days since 1970, and ids, whose bits are those of a uint32
	wholes   []int64
	numbers  []float64
	texts    []parquet.ByteArray
	flags    []bool
}

// stored says how the values of a kind are stored.
var stored = map[Kind]struct {
	physical parquet.Type
	logical  schema.LogicalType
	arrow    arrow.DataType
}{
	Day:    {parquet.Types.Int32, schema.DateLogicalType{}, arrow.FixedWidthTypes.Date32},
	Number: {parquet.Types.Double, schema.NoLogicalType{}, arrow.PrimitiveTypes.Float64},
	Whole:  {parquet.Types.Int64, schema.NewIntLogicalType(64, true), arrow.PrimitiveTypes.Int64},
	ID:     {parquet.Types.Int32, schema.NewIntLogicalType(32, false), arrow.PrimitiveTypes.Uint32},
	Text:   {parquet.Types.ByteArray, schema.StringLogicalType{}, arrow.BinaryTypes.String},
	Flag:   {parquet.Types.Boolean, schema.NoLogicalType{}, arrow.FixedWidthTypes.Boolean},
}

func newParquet(to io.Writer, columns []Column, notes []Note) (*parquetRows, error) {
	held := make([]heldColumn, len(columns))
	nodes := make(schema.FieldList, len(columns))
	for i, c := range columns {
		held[i] = heldColumn{kind: c.Kind, nullable: c.Nullable}
		repetition := parquet.Repetitions.Required
		if c.Nullable {
			repetition = parquet.Repetitions.Optional
		}
		var err error
		if nodes[i], err = schema.NewPrimitiveNodeLogical(c.Name, repetition, stored[c.Kind].logical, stored[c.Kind].physical, -1, -1); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithCreatedBy("cuota"))
	root, err := schema.NewGroupNode(properties.RootName(), properties.RootRepetition(), nodes, -1)
	if err != nil {
		return nil, err
	}
	kept, err := keptMetadata(columns, notes)
	if err != nil {
		return nil, err
	}
	writer, err := file.NewParquetWriterWithError(hideClose{to}, root, file.WithWriterProps(properties), file.WithWriteMetadata(kept))
	if err != nil {
		return nil, err
	}
	return &parquetRows{to: writer, columns: held}, nil
}

// keptMetadata gives the notes, and the schema of Arrow, without which the metadata of fields would be lost. The
// notes stand both in that schema and beside it, so that readers with and without Arrow find them.
func keptMetadata(columns []Column, notes []Note) (metadata.KeyValueMetadata, error) {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: stored[c.Kind].arrow, Nullable: c.Nullable, Metadata: about(c)}
	}
	var kept metadata.KeyValueMetadata
	var names, texts []string
	for _, note := range notes {
		names, texts = append(names, note.Name), append(texts, note.Text)
		if err := kept.Append(note.Name, note.Text); err != nil {
			return nil, err
		}
	}
	ofTable := arrow.NewMetadata(names, texts)
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(arrow.NewSchema(fields, &ofTable))).Close(); err != nil {
		return nil, fmt.Errorf("write the schema of Arrow: %w", err)
	}
	return kept, kept.Append("ARROW:schema", base64.StdEncoding.EncodeToString(message.Bytes()))
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
		w.columns[i].add(value)
	}
	if w.count++; w.count < groupRows {
		return nil
	}
	return w.group()
}

func (c *heldColumn) add(value any) {
	if c.nullable {
		present := int16(1)
		if value == nil {
			present = 0
		}
		c.present = append(c.present, present)
	}
	switch value := value.(type) {
	case string:
		c.texts = append(c.texts, parquet.ByteArray(value))
	case float64:
		c.numbers = append(c.numbers, value)
	case int:
		c.wholes = append(c.wholes, int64(value))
	case uint32:
		c.small = append(c.small, int32(value))
	case bool:
		c.flags = append(c.flags, value)
	case time.Time:
		c.small = append(c.small, int32(arrow.Date32FromTime(value)))
	}
}

// group writes the rows that are held as a row group.
func (w *parquetRows) group() error {
	rows, err := w.to.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i := range w.columns {
		to, err := rows.NextColumn()
		if err != nil {
			return err
		}
		if err := errors.Join(w.columns[i].writeTo(to), to.Close()); err != nil {
			return err
		}
	}
	w.count = 0
	return rows.Close()
}

// writeTo writes the values and forgets them.
func (c *heldColumn) writeTo(to file.ColumnChunkWriter) (err error) {
	switch to := to.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(c.small, c.present, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(c.wholes, c.present, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = to.WriteBatch(c.numbers, c.present, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(c.texts, c.present, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(c.flags, c.present, nil)
	default:
		err = fmt.Errorf("no column of kind %d is written by %T", c.kind, to)
	}
	clear(c.texts) // the texts may be freed
	c.present, c.small, c.wholes, c.numbers, c.texts, c.flags = c.present[:0], c.small[:0], c.wholes[:0], c.numbers[:0], c.texts[:0], c.flags[:0]
	return err
}

func (w *parquetRows) end() error {
	if w.count > 0 {
		if err := w.group(); err != nil {
			return err
		}
	}
	return w.to.Close()
}
