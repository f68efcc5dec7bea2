package store

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/sql"
)

// row points to a struct of the type that its rowType was made of.
type row unsafe.Pointer

// rowType says how structs of one type become rows of a table. The tags of the fields name
// the columns; model.Event explains them. Fields are found by their offsets, because
// reflection on each value takes a third more time
// (docs/decisions/0043-facts-from-struct-tags.md).
type rowType struct {
	of       reflect.Type
	table    string
	insert   string // head of the insert statement
	columns  []column
	decimals []column // those of columns that hold decimals
}

// column is a column of a table and the field that it stores.
type column struct {
	name   string
	field  reflect.Type
	offset uintptr // of the field in the struct
	places int32   // digits after the decimal point; only of decimals
	values values
}

// values makes a slice of the values that the rows have at an offset, of the Go type that the
// driver takes for the column.
type values func(rows []row, offset uintptr) any

// newRowType reads the tags of a struct. It panics if a field has a type or tag without a
// meaning, because the structs are part of the program.
func newRowType(table string, of any) *rowType {
	t := &rowType{of: reflect.TypeOf(of), table: table}
	var names []string
	for _, field := range reflect.VisibleFields(t.of) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if given := field.Tag.Get("ch"); given != "" {
			name = given
		}
		if name == "-" || field.Anonymous {
			continue
		}
		values, known := valuesOf[field.Type]
		if nullable, has := nullableValuesOf[field.Type]; has && options == "omitzero" {
			values = nullable
		}
		if !known || name == "" {
			panic(fmt.Sprintf("store: field %s of %s can't be stored: its type %s or its tags have no meaning",
				field.Name, t.of, field.Type))
		}
		c := column{name: name, field: field.Type, offset: offsetOf(t.of, field.Index), values: values}
		if field.Type == nullDecimal || field.Type == reflect.TypeFor[decimal.Decimal]() {
			places, err := strconv.ParseInt(field.Tag.Get("decimals"), 10, 32)
			if err != nil {
				panic(fmt.Sprintf("store: field %s of %s needs the tag decimals: %v", field.Name, t.of, err))
			}
			c.places = int32(places)
			t.decimals = append(t.decimals, c)
		}
		t.columns = append(t.columns, c)
		names = append(names, name)
	}
	t.insert = sql.InsertInto(table, names)
	return t
}

// offsetOf returns the offset of a field, which may be in an embedded struct.
func offsetOf(in reflect.Type, index []int) (offset uintptr) {
	for _, i := range index {
		field := in.Field(i)
		offset += field.Offset
		in = field.Type
	}
	return offset
}

// at returns the field of a row. F must be the type of the field.
func at[F any](r row, offset uintptr) *F { return (*F)(unsafe.Add(unsafe.Pointer(r), offset)) }

// row makes a row of a struct. It panics if the struct has another type.
func (t *rowType) row(of any) row {
	v := reflect.New(t.of)
	v.Elem().Set(reflect.ValueOf(of))
	return row(v.UnsafePointer())
}

// fill appends the rows to a batch.
func (t *rowType) fill(batch driver.Batch, rows []row) error {
	for i, c := range t.columns {
		if err := batch.Column(i).Append(c.values(rows, c.offset)); err != nil {
			return fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return nil
}

// storable fails if a decimal does not fit into its column. The driver would silently
// truncate it.
func (t *rowType) storable(r row) error {
	for i := range t.decimals {
		c := &t.decimals[i]
		d := at[decimal.Decimal](r, c.offset)
		if c.field == nullDecimal {
			if d = pointer(at[decimal.NullDecimal](r, c.offset)); d == nil {
				continue
			}
		}
		if err := fits(*d, c.places); err != nil {
			return err
		}
	}
	return nil
}

// ClickHouse Decimal(18, s) holds 18 digits, s of them after the point.
const decimalDigits = 18

// fits fails if a decimal does not fit into a column with so many digits after the point.
func fits(d decimal.Decimal, places int32) error {
	if d.Exponent() <= 0 && d.Exponent() >= -places && d.NumDigits() <= int(decimalDigits-places) {
		return nil // true of nearly all values; the code below allocates memory
	}
	if !d.Truncate(places).Equal(d) || d.Abs().Cmp(decimal.New(1, decimalDigits-places)) >= 0 {
		return fmt.Errorf("%s does not fit into %d digits with %d decimals", d, decimalDigits, places)
	}
	return nil
}

var nullDecimal = reflect.TypeFor[decimal.NullDecimal]()

// valuesOf makes the values of a column, by the type of the field.
var valuesOf = map[reflect.Type]values{
	reflect.TypeFor[string]():          each(same[string]),
	reflect.TypeFor[model.Dataset]():   each(func(d *model.Dataset) string { return string(*d) }),
	reflect.TypeFor[model.FileState](): each(func(s *model.FileState) string { return string(*s) }),
	reflect.TypeFor[bool]():            each(same[bool]),
	reflect.TypeFor[[]string]():        each(same[[]string]),
	reflect.TypeFor[[]uint32]():        each(same[[]uint32]),
	reflect.TypeFor[[]uint64]():        each(same[[]uint64]),
	reflect.TypeFor[[]bool]():          each(same[[]bool]),
	reflect.TypeFor[uint8]():           each(same[uint8]),
	reflect.TypeFor[uint32]():          each(same[uint32]),
	reflect.TypeFor[uint64]():          each(same[uint64]),
	reflect.TypeFor[*uint32]():         each(same[*uint32]),
	reflect.TypeFor[model.RUN]():       each(func(r *model.RUN) uint32 { return uint32(*r) }),
	reflect.TypeFor[model.RUT]():       each(func(r *model.RUT) uint32 { return uint32(*r) }),
	reflect.TypeFor[model.Date]():      each(func(d *model.Date) time.Time { return d.Time() }),
	reflect.TypeFor[int64](): each(func(milliseconds *int64) time.Time {
		return time.UnixMilli(*milliseconds).UTC()
	}),
	reflect.TypeFor[time.Time]():           each(same[time.Time]),
	reflect.TypeFor[decimal.Decimal]():     each(same[decimal.Decimal]),
	reflect.TypeFor[decimal.NullDecimal](): each(pointer),
}

// nullableValuesOf does it for fields whose zero value is NULL.
var nullableValuesOf = map[reflect.Type]values{
	reflect.TypeFor[model.Date](): each(func(d *model.Date) *time.Time {
		if d.IsZero() {
			return nil
		}
		return new(d.Time())
	}),
	reflect.TypeFor[time.Time](): each(func(t *time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return t
	}),
}

// each makes values of a field by converting each of them.
func each[F, V any](convert func(*F) V) values {
	return func(rows []row, offset uintptr) any {
		list := make([]V, len(rows))
		for i, r := range rows {
			list[i] = convert(at[F](r, offset))
		}
		return list
	}
}

func same[T any](value *T) T { return *value }

// pointer returns nil for null, because the driver writes nil as NULL.
func pointer(d *decimal.NullDecimal) *decimal.Decimal {
	if !d.Valid {
		return nil
	}
	return &d.Decimal
}
