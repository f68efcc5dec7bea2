package tablefile

import (
	"errors"
	"fmt"
	"reflect"
	"time"
)

// Rows is a file with a table of rows of the struct type T. A column is a field with the tag ch, as
// the rows of a statement are read. A field that is a pointer, or a float64, can be null.
type Rows[T any] struct {
	File *File

	table  *Writer
	fields [][]int // indexes of the fields of the columns
	row    []any
}

// CreateRows begins a file for rows, as Create does.
func CreateRows[T any](path string, format Format, force bool, notes ...Note) (*Rows[T], error) {
	columns, fields, err := columnsOf(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	f, err := Create(path, force)
	if err != nil {
		return nil, err
	}
	table, err := NewWriter(f, format, columns, notes...)
	if err != nil {
		return nil, errors.Join(err, f.Abandon())
	}
	f.end = table.End
	return &Rows[T]{f, table, fields, make([]any, len(columns))}, nil
}

// Add writes rows.
func (r *Rows[T]) Add(rows []T) error {
	for i := range rows {
		of := reflect.ValueOf(&rows[i]).Elem()
		for c, index := range r.fields {
			r.row[c] = valueOf(of.FieldByIndex(index))
		}
		if err := r.table.Write(r.row...); err != nil {
			return fmt.Errorf("write %s: %w", r.File.path, err)
		}
	}
	return nil
}

// Count returns the number of rows that were written.
func (r *Rows[T]) Count() uint64 { return r.table.Rows() }

// valueOf returns the value of a field, or nil for a nil pointer.
func valueOf(field reflect.Value) any {
	if field.Kind() != reflect.Pointer {
		return field.Interface()
	}
	if field.IsNil() {
		return nil
	}
	return field.Elem().Interface()
}

var kinds = map[reflect.Type]Kind{
	reflect.TypeFor[string](): Text, reflect.TypeFor[float64](): Number, reflect.TypeFor[uint32](): ID,
	reflect.TypeFor[bool](): Flag, reflect.TypeFor[time.Time](): Day, reflect.TypeFor[int](): Whole,
}

// columnsOf returns the columns of a struct type, those of embedded structs among them, and the
// indexes of their fields.
func columnsOf(row reflect.Type) (columns []Column, fields [][]int, err error) {
	for _, field := range reflect.VisibleFields(row) {
		name, tagged := field.Tag.Lookup("ch")
		if !tagged {
			continue
		}
		c, of := Column{Name: name}, field.Type
		if of.Kind() == reflect.Pointer {
			c.Nullable, of = true, of.Elem()
		}
		var known bool
		if c.Kind, known = kinds[of]; !known {
			return nil, nil, fmt.Errorf("column %s has type %s, which no file can hold", name, of)
		}
		c.Nullable = c.Nullable || c.Kind == Number
		columns, fields = append(columns, c), append(fields, field.Index)
	}
	if len(columns) == 0 {
		return nil, nil, fmt.Errorf("%s has no columns", row)
	}
	return columns, fields, nil
}
