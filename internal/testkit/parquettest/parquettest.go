// Package parquettest reads Parquet files. Only tests import it.
package parquettest

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Table is what a file holds.
type Table struct {
	Columns []Column
	Rows    [][]any // see value
	Notes   map[string]string
}

// Column describes the values of a column. Type is that of Parquet, as in DOUBLE or INT(32,false).
type Column struct {
	Name, Type string
	Nullable   bool
}

// Read reads a file whose columns are all flat.
func Read(t testing.TB, content []byte) Table {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	table := Table{Notes: map[string]string{}}
	for _, note := range file.Metadata().KeyValueMetadata {
		table.Notes[note.Key] = note.Value
	}
	fields := file.Schema().Fields()
	for _, field := range fields {
		if !field.Leaf() || field.Repeated() {
			t.Fatalf("the column %s is not flat", field.Name())
		}
		table.Columns = append(table.Columns, Column{field.Name(), field.Type().String(), field.Optional()})
	}
	for _, group := range file.RowGroups() {
		rows := group.Rows()
		for held := make([]parquet.Row, 100); ; {
			count, err := rows.ReadRows(held)
			for _, row := range held[:count] {
				values := make([]any, len(fields))
				for _, of := range row {
					values[of.Column()] = value(t, of, fields[of.Column()].Type())
				}
				table.Rows = append(table.Rows, values)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if uint64(len(table.Rows)) != uint64(file.NumRows()) {
		t.Fatalf("%d rows are read of %d", len(table.Rows), file.NumRows())
	}
	return table
}

// value returns nil for null, days as YYYY-MM-DD, moments as time.Time, and else a bool, string, float64, int64, or
// uint32 or uint64 if it has no sign.
func value(t testing.TB, of parquet.Value, typed parquet.Type) any {
	t.Helper()
	if of.IsNull() {
		return nil
	}
	var logical format.LogicalTypeValue
	if named := typed.LogicalType(); named != nil {
		logical = named.Value
	}
	switch logical := logical.(type) {
	case *format.DateType:
		return time.Unix(int64(of.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
	case *format.TimestampType:
		if _, millis := logical.Unit.Value.(*format.MilliSeconds); millis {
			return time.UnixMilli(of.Int64()).UTC()
		}
	case *format.IntType:
		switch {
		case logical.IsSigned && of.Kind() == parquet.Int32:
			return int64(of.Int32())
		case logical.IsSigned:
			return of.Int64()
		case of.Kind() == parquet.Int32:
			return of.Uint32()
		}
		return of.Uint64()
	case *format.StringType:
		return string(of.ByteArray())
	case nil:
		switch of.Kind() {
		case parquet.Boolean:
			return of.Boolean()
		case parquet.Double:
			return of.Double()
		case parquet.Int32:
			return int64(of.Int32())
		case parquet.Int64:
			return of.Int64()
		}
	}
	t.Fatalf("a column has the type %s", typed)
	return nil
}
