package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"cuota/backtest"
	"cuota/model"
)

// groupRows is how many rows are in a row group, and so in memory at once.
const groupRows = 64 << 10

// Parquet writes a table of a result, compressed with Snappy. Columns have the types that their
// kinds say: date32, float64, int64, uint32, string and bool. The fields of the Arrow schema in
// the file have their unit and comment as metadata. The metadata of the file has the
// fingerprint, the id of the batch, the method and the strategy as JSON.
func (t Table) Parquet(w io.Writer, r *backtest.Result) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the table %s as Parquet: %w", t.Name, err)
		}
	}()
	root, err := t.schema()
	if err != nil {
		return err
	}
	about, err := t.metadata(r)
	if err != nil {
		return err
	}
	// The writer closes what it writes to if it can; the file here stays open.
	out, err := file.NewParquetWriterWithError(struct{ io.Writer }{w}, root,
		file.WithWriteMetadata(about), file.WithWriterProps(parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))))
	if err != nil {
		return err
	}
	group := make([][]any, len(t.Columns))
	for row := range t.rows {
		for i, cell := range row {
			group[i] = append(group[i], cell)
		}
		if len(group[0]) == groupRows {
			if err := t.writeGroup(out, group); err != nil {
				return errors.Join(err, out.Close())
			}
			for i := range group {
				group[i] = group[i][:0]
			}
		}
	}
	if len(group[0]) > 0 {
		if err := t.writeGroup(out, group); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

func (t Table) writeGroup(out *file.Writer, group [][]any) error {
	rows, err := out.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i, column := range t.Columns {
		to, err := rows.NextColumn()
		if err != nil {
			return err
		}
		if err := column.write(to, group[i]); err != nil {
			return fmt.Errorf("column %s: %w", column.Name, err)
		}
		if err := to.Close(); err != nil {
			return fmt.Errorf("column %s: %w", column.Name, err)
		}
	}
	return rows.Close()
}

// write writes the values of a row group. Parquet keeps only those that are not null, and for a
// nullable column a level for each row: 1, or 0 for null.
func (c Column) write(to file.ColumnChunkWriter, cells []any) (err error) {
	var levels []int16
	values := cells
	if c.Nullable {
		levels, values = make([]int16, len(cells)), make([]any, 0, len(cells))
		for i, cell := range cells {
			if cell != nil {
				levels[i], values = 1, append(values, cell)
			}
		}
	}
	switch to := to.(type) {
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(converted(values, func(cell any) int32 {
			if id, is := cell.(uint32); is {
				return int32(id) // the bits of the unsigned number, as Parquet wants it
			}
			return int32(cell.(model.Date).DaysSince(model.Date{})) // since 1970-01-01
		}), levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(converted(values, func(cell any) int64 { return int64(cell.(int)) }), levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = to.WriteBatch(converted(values, func(cell any) float64 { return cell.(float64) }), levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(converted(values, func(cell any) bool { return cell.(bool) }), levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = to.WriteBatch(converted(values, func(cell any) parquet.ByteArray { return parquet.ByteArray(cell.(string)) }), levels, nil)
	default:
		err = fmt.Errorf("no values of the type %T are written", to)
	}
	return err
}

func converted[T any](cells []any, convert func(any) T) []T {
	values := make([]T, len(cells))
	for i, cell := range cells {
		values[i] = convert(cell)
	}
	return values
}

// types has the types of a kind of column.
var types = map[Kind]struct {
	logical  schema.LogicalType
	physical parquet.Type
	arrow    arrow.DataType
}{
	Day:    {schema.DateLogicalType{}, parquet.Types.Int32, arrow.FixedWidthTypes.Date32},
	Number: {schema.NoLogicalType{}, parquet.Types.Double, arrow.PrimitiveTypes.Float64},
	Whole:  {schema.NewIntLogicalType(64, true), parquet.Types.Int64, arrow.PrimitiveTypes.Int64},
	Series: {schema.NewIntLogicalType(32, false), parquet.Types.Int32, arrow.PrimitiveTypes.Uint32},
	Text:   {schema.StringLogicalType{}, parquet.Types.ByteArray, arrow.BinaryTypes.String},
	Flag:   {schema.NoLogicalType{}, parquet.Types.Boolean, arrow.FixedWidthTypes.Boolean},
}

func (t Table) schema() (*schema.GroupNode, error) {
	fields := make(schema.FieldList, len(t.Columns))
	for i, column := range t.Columns {
		repetition := parquet.Repetitions.Required
		if column.Nullable {
			repetition = parquet.Repetitions.Optional
		}
		kind := types[column.Kind]
		node, err := schema.NewPrimitiveNodeLogical(column.Name, repetition, kind.logical, kind.physical, -1, -1)
		if err != nil {
			return nil, err
		}
		fields[i] = node
	}
	return schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
}

func (t Table) metadata(r *backtest.Result) (metadata.KeyValueMetadata, error) {
	fields := make([]arrow.Field, len(t.Columns))
	for i, column := range t.Columns {
		fields[i] = arrow.Field{Name: column.Name, Type: types[column.Kind].arrow, Nullable: column.Nullable,
			Metadata: arrow.NewMetadata([]string{"unit", "comment"}, []string{column.Unit, column.Comment})}
	}
	strategy, err := json.Marshal(r.Strategy)
	if err != nil {
		return nil, err
	}
	about := metadata.KeyValueMetadata{}
	var pairs [2][]string
	for _, pair := range [][2]string{
		{"cuota.table", t.Name}, {"cuota.comment", t.Comment}, {"cuota.fingerprint", r.Fingerprint},
		{"cuota.batch_id", r.Batch.ID}, {"cuota.method", r.Method}, {"cuota.strategy", string(strategy)},
	} {
		if err := about.Append(pair[0], pair[1]); err != nil {
			return nil, err
		}
		pairs[0], pairs[1] = append(pairs[0], pair[0]), append(pairs[1], pair[1])
	}
	// Readers of Arrow take types and metadata of the fields from this key: a stream with the
	// schema and no rows.
	ofFile := arrow.NewMetadata(pairs[0], pairs[1])
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(arrow.NewSchema(fields, &ofFile))).Close(); err != nil {
		return nil, err
	}
	return about, about.Append("ARROW:schema", base64.StdEncoding.EncodeToString(stream.Bytes()))
}
